package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/accuracy"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

type accuracyJob struct {
	*cli.Session
	device     func() string
	config     *cli.Config
	options    accuracy.Options
	precisions []string
	rows       string // path of the rows in JSON, "" for none
	verbosity  cli.Verbosity
}

func AccuracyCommand(s *cli.Session) *cobra.Command {
	j := &accuracyJob{Session: s}
	cmd := &cobra.Command{
		Use:  "accuracy --n N,… [flags]",
		Args: j.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Measuring(cmd.Context(), s, j.verbosity, j.rows, j.run)
		},
	}
	j.device = cli.DeviceFlag(cmd, s)
	j.config = cli.ConfigFlag(cmd, s)
	f := cmd.Flags()
	f.IntSliceVarP(&j.options.Orders, "n", "n", nil, "orders `N` of the matrices")
	f.IntSliceVar(&j.options.Bands, "band", []int{32}, "numbers `B` of superdiagonals of the bands")
	f.IntVar(&j.options.Trials, "trials", 10, "`K` matrices of each of the three spectra")
	f.Uint64Var(&j.options.Seed, "seed", 1, "seed `S` of the random matrices")
	f.StringSliceVar(&j.precisions, "precision", cli.PrecisionWords, "precisions `P` of the bands: f64, f32, f16")
	f.IntVar(&j.options.Tile, "tile", 0, "superdiagonals `T` that one pass removes from a wide band\n(default: the device's tuning)")
	cli.RowsFlag(cmd, &j.rows, "every error")
	j.verbosity.Flags(cmd)
	return cmd
}

func (j *accuracyJob) check(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.NoArguments(cmd, args)
	}
	if len(j.options.Orders) == 0 {
		return cli.Usage(cmd, "accuracy needs --n N,…, the orders of the matrices")
	}
	if err := cli.CheckOrders(j.options.Orders...); err != nil {
		return cli.Usage(cmd, "%w", err)
	}
	j.options.Storages = nil
	for _, word := range j.precisions {
		i := slices.Index(cli.PrecisionWords, word)
		if i < 0 {
			return cli.Usage(cmd, "--precision: %q is none of %s", word, strings.Join(cli.PrecisionWords, ", "))
		}
		if s := svd.Storage(i); !slices.Contains(j.options.Storages, s) {
			j.options.Storages = append(j.options.Storages, s)
		}
	}
	if len(j.options.Storages) == 0 {
		return cli.Usage(cmd, "--precision: at least one of %s", strings.Join(cli.PrecisionWords, ", "))
	}
	var bad *accuracy.OptionError
	if errors.As(j.options.Check(), &bad) {
		flags := map[string]string{"Orders": "n", "Bands": "band", "Trials": "trials", "Tile": "tile"}
		return cli.Usage(cmd, "--%s: %s", flags[bad.Option], bad.Problem)
	}
	return nil
}

func (j *accuracyJob) run(ctx context.Context, rows *cli.RowFile, show *cli.Progress) error {
	show.Stage("preparing the device")
	dev, err := j.Open(vk.Options{Device: j.device()}, show.Above())
	if err != nil {
		return err
	}
	defer dev.Close()
	var kept evd.Options
	j.config.Apply(&kept, dev.Info(), show.Above())
	j.options.Tuning, j.options.Progress = kept.Tuning, show.Stage
	var all []accuracy.Row
	err = dev.Accuracy(ctx, j.options, func(r accuracy.Row) error {
		all = append(all, r)
		return rows.Add(r)
	})
	show.End()
	if err != nil {
		return err
	}
	return printErrors(rows.Table(j.Session), all)
}

func printErrors(w io.Writer, rows []accuracy.Row) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %s\n", cli.Printable(rows[0].Device), cli.Printable(rows[0].Driver))
	fmt.Fprintf(&text, "%6s %5s  %-9s %8s %10s %10s %10s %10s %10s\n",
		"n", "b", "precision", "matrices", "median", "1st quart.", "3rd quart.", "smallest", "largest")
	for _, c := range accuracy.Cells(rows) {
		fmt.Fprintf(&text, "%6d %5d  %-9s %8d %10.2e %10.2e %10.2e %10.2e %10.2e\n",
			c.N, c.B, c.Precision, c.Count, c.Median, c.Lower, c.Upper, c.Least, c.Most)
	}
	_, err := io.WriteString(w, text.String())
	return cli.CannotWrite("standard output", err)
}
