package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/vk"
)

type tuneJob struct {
	*cli.Session
	device  func() string
	options tune.Options
	rows    string // path of the rows in JSON, "" for none
	save    bool
	print   bool

	verbosity cli.Verbosity
}

func TuneCommand(s *cli.Session) *cobra.Command {
	j := &tuneJob{Session: s}
	cmd := &cobra.Command{
		Use:  "tune [flags]",
		Args: j.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Measuring(cmd.Context(), s, j.verbosity, j.rows, j.search)
		},
	}
	j.device = cli.DeviceFlag(cmd, s)
	f := cmd.Flags()
	f.IntVarP(&j.options.N, "n", "n", 0, "order `N` of the matrices (default: what suits the device)")
	f.DurationVar(&j.options.Budget, "budget", 2*time.Minute, "begin no measurement after this `TIME`")
	f.IntVar(&j.options.Repeat, "repeat", 3, "measure everything `R` times")
	cli.RowsFlag(cmd, &j.rows, "every measurement")
	f.BoolVar(&j.save, "save", false, "save the choice for this device and driver")
	f.BoolVar(&j.print, "print", false, "print only the choice, as a Go file for stages/tuning")
	j.verbosity.Flags(cmd)
	return cmd
}

func (j *tuneJob) check(cmd *cobra.Command, args []string) error {
	const least = 16
	switch o := j.options; {
	case len(args) > 0:
		return cli.NoArguments(cmd, args)
	case cmd.Flags().Changed("n") && o.N < least:
		return cli.Usage(cmd, "--n: %d is too small, at least %d", o.N, least)
	case cli.CheckOrders(o.N) != nil:
		return cli.Usage(cmd, "%w", cli.CheckOrders(o.N))
	case o.Budget <= 0 || o.Repeat < 1:
		return cli.Usage(cmd, "--budget and --repeat must be positive")
	case j.DebugShaders:
		return cli.Usage(cmd, "--debug-shaders: checked kernels are slower, and their best sizes are not those of the others")
	case j.print && j.rows == cli.StreamWord:
		return cli.Usage(cmd, "--print and --json -: both write to standard output")
	case j.save && j.ConfigFolder() == "":
		return cli.Usage(cmd, "--save: there is no folder for settings; VKEVD_CONFIG can name one")
	}
	return nil
}

func (j *tuneJob) search(ctx context.Context, rows *cli.RowFile, show *cli.Progress) error {
	dev, err := j.Open(vk.Options{Device: j.device(), Statistics: true}, j.Stderr)
	if err != nil {
		return err
	}
	defer dev.Close()
	info := dev.Info()
	if j.options.N == 0 {
		j.options.N = tune.Order(info)
	}
	j.options.Progress = show.Stage
	show.Stage("preparing the device")
	table := rows.Table(j.Session)
	if j.print {
		table = io.Discard
	}
	report := &benchReport{w: table, file: rows, show: show}
	var failed error // to print or to write
	var tile string
	j.options.Row = func(c tune.Choice, r bench.Row) {
		if tile == "" {
			failed = report.head(r)
		}
		if now := c.RankTwoK.String(); now != tile && failed == nil {
			tile = now
			_, failed = fmt.Fprintf(table, "rank-2k update by a %s:\n", tile)
		}
		if failed == nil {
			failed = report.rows([]bench.Row{r})
		}
	}
	j.options.Note = func(what string) {
		show.End()
		fmt.Fprintln(table, "not measured: "+cli.Describe(errors.New(what)))
	}
	r, err := dev.Tune(ctx, j.options)
	show.End()
	if err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	if j.print {
		err = j.source(info, r.Choice)
	} else {
		err = j.tell(table, info, r)
	}
	if err != nil || !j.save {
		return err
	}
	path := j.TunedFile(info)
	if err := cli.WriteTuned(path, cli.Tuned{Version: cli.Version(), Device: info.Name, Driver: cli.DriverOf(info), N: j.options.N, Choice: r.Choice}); err != nil {
		return err
	}
	text := fmt.Sprintf("saved in %s\n", cli.Printable(path))
	if !r.Complete {
		text = fmt.Sprintf("the best so far, of an unfinished search, saved in %s\n", cli.Printable(path))
	}
	_, err = io.WriteString(table, text)
	return cli.CannotWrite("standard output", err)
}

func (j *tuneJob) tell(w io.Writer, info vk.Info, r tune.Result) error {
	text := fmt.Sprintf("\nbest    %v: %.4g s\ntable   %v: %.4g s\n", r.Choice, r.Seconds, r.Table, r.Before)
	if !r.Complete {
		text += fmt.Sprintf("The budget of %v was spent before everything was tried. A larger --budget also tries:\n%s.\n",
			j.options.Budget, cli.Folded(r.Untried, 100))
	}
	switch {
	case r.Choice != r.Table:
	case r.Complete:
		text += "The table is right for this device.\n"
	default:
		text += "Nothing faster than the table was found so far.\n"
	}
	_, err := fmt.Fprint(w, text)
	return cli.CannotWrite("standard output", err)
}

func (j *tuneJob) source(info vk.Info, c tune.Choice) error {
	text, err := c.Source(info, fmt.Sprintf("Measured by vkevd tune %s with n = %d", cli.Version(), j.options.N))
	if err != nil {
		return err
	}
	_, err = j.Stdout.Write(text)
	return cli.CannotWrite("standard output", err)
}
