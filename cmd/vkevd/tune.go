package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/vk"
)

// A tuneJob is one call of vkevd tune.
type tuneJob struct {
	*session
	device  func() string
	options tune.Options
	rows    string // path of the rows in JSON, "" for none
	save    bool
}

func tuneCommand(s *session) *cobra.Command {
	j := &tuneJob{session: s}
	cmd := &cobra.Command{
		Use:   "tune [flags]",
		Short: "find the sizes with which this device is fastest",
		Long: `tune measures the stages of the solver that depend on the half-bandwidth b, on the rank k of
the band reduction's updates and on how these are cut, on random matrices of one order, for
some b, some k and some ways to cut. It prints the measurements, the best choice, and that as
it would stand in the source. With --save it is kept in the user's settings
(VKEVD_CONFIG, or else the system's folder for them) for this device with this driver, and
solve, plan and bench use it from then on, unless they are called with --no-config.

Choices whose kernels, as the driver's compiler made them, need more registers than there are
are not measured. When --budget is spent, the best so far counts.`,
		Example: `  vkevd tune --budget 2m --save
  vkevd tune --n 16384 --json rows.json
  vkevd plot tune --out tune.png rows.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			const least = 16
			switch o := j.options; {
			case len(args) > 0:
				return noArguments(cmd, args)
			case cmd.Flags().Changed("n") && o.N < least:
				return usage(cmd, "--n: %d is too small, at least %d", o.N, least)
			case checkOrders(o.N) != nil:
				return usage(cmd, "%w", checkOrders(o.N))
			case o.Budget <= 0 || o.Repeat < 1:
				return usage(cmd, "--budget and --repeat must be positive")
			case j.debugShaders:
				return usage(cmd, "--debug-shaders: the fastest of checked kernels says nothing of others")
			case j.save && j.configFolder() == "":
				return usage(cmd, "--save: there is no folder for settings; VKEVD_CONFIG can name one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return j.run(cmd.Context()) },
	}
	j.device = deviceFlag(cmd, s)
	f := cmd.Flags()
	f.IntVarP(&j.options.N, "n", "n", 0, "order `N` of the matrices (default: what suits the device)")
	f.DurationVar(&j.options.Budget, "budget", 2*time.Minute, "begin nothing more after so long a `TIME`")
	f.IntVar(&j.options.Repeat, "repeat", 3, "measure each `R` times")
	f.StringVar(&j.rows, "json", "", "append every measurement to `FILE`, one JSON object a line")
	f.BoolVar(&j.save, "save", false, "keep the choice for this device and driver")
	return cmd
}

func (j *tuneJob) run(ctx context.Context) error {
	return measuring(ctx, j.session, j.rows, func(rows *rowFile, show *progress) error { return j.search(ctx, rows, show) })
}

// search opens the device and does the rest.
func (j *tuneJob) search(ctx context.Context, rows *rowFile, show *progress) error {
	dev, err := j.open(vk.Options{Device: j.device(), Statistics: true}, j.stderr)
	if err != nil {
		return err
	}
	defer dev.Close()
	info := dev.Info()
	if j.options.N == 0 {
		j.options.N = tune.Order(info)
	}
	if j.terminal {
		j.options.Progress = show.stage
	}
	show.stage("preparing the device")
	report := &benchReport{w: j.stdout, file: rows, show: show}
	var failed error // to print or to write
	var tile string
	j.options.Row = func(c tune.Choice, r bench.Row) {
		if tile == "" {
			failed = report.head(r)
		}
		if now := c.RankTwoK.String(); now != tile && failed == nil {
			tile = now
			_, failed = fmt.Fprintf(j.stdout, "rank-2k update by a %s:\n", tile)
		}
		if failed == nil {
			failed = report.rows([]bench.Row{r})
		}
	}
	j.options.Note = func(what string) {
		show.end()
		fmt.Fprintln(j.stderr, "not measured: "+describe(errors.New(what)))
	}
	r, err := dev.tune(ctx, j.options)
	show.end()
	if err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	if err := j.tell(info, r); err != nil || !j.save {
		return err
	}
	path := j.tunedFile(info)
	if err := writeTuned(path, tuned{version(), info.Name, driverOf(info), j.options.N, r.Choice}); err != nil {
		return err
	}
	fmt.Fprintf(j.stderr, "kept in %s\n", printable(path))
	return nil
}

// tell prints what was found.
func (j *tuneJob) tell(info vk.Info, r tune.Result) error {
	text := fmt.Sprintf("\nbest    %v: %.4g s\ntable   %v: %.4g s\n", r.Choice, r.Seconds, r.Table, r.Before)
	if !r.Complete {
		text += fmt.Sprintf("The time was up before everything was tried; --budget, now %v, allows more.\n", j.options.Budget)
	}
	if r.Choice == r.Table {
		text += "The table is right for this device.\n"
	} else {
		text += "\n" + r.Choice.Table(info.Family)
	}
	_, err := fmt.Fprint(j.stdout, text)
	return cannotWrite("standard output", err)
}
