package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/accuracy"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// An accuracyJob is one call of vkevd accuracy.
type accuracyJob struct {
	*session
	device     func() string
	config     *config
	options    accuracy.Options
	precisions []string
	rows       string // path of the rows in JSON, "" for none
	verbosity  verbosity
}

// precisionWords are the arguments of --precision, in the order of svd.Storage.
var precisionWords = []string{"f64", "f32", "f16"}

func accuracyCommand(s *session) *cobra.Command {
	j := &accuracyJob{session: s}
	cmd := &cobra.Command{
		Use:  "accuracy --n N,… [flags]",
		Args: j.check,
		RunE: func(cmd *cobra.Command, _ []string) error { return j.run(cmd.Context()) },
	}
	j.device = deviceFlag(cmd, s)
	j.config = configFlag(cmd, s)
	f := cmd.Flags()
	f.IntSliceVarP(&j.options.Orders, "n", "n", nil, "orders `N` of the matrices")
	f.IntSliceVar(&j.options.Bands, "band", []int{32}, "numbers `B` of superdiagonals of the bands")
	f.IntVar(&j.options.Trials, "trials", 10, "`K` matrices of each of the three spectra")
	f.Uint64Var(&j.options.Seed, "seed", 1, "seed `S` of the random matrices")
	f.StringSliceVar(&j.precisions, "precision", precisionWords, "precisions `P` of the bands: f64, f32, f16")
	f.IntVar(&j.options.Tile, "tile", 0, "superdiagonals `T` that one pass removes from a wide band\n(default: the device's tuning)")
	rowsFlag(cmd, &j.rows, "every error")
	j.verbosity.flags(cmd)
	return cmd
}

func (j *accuracyJob) check(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return noArguments(cmd, args)
	}
	if len(j.options.Orders) == 0 {
		return usage(cmd, "accuracy needs --n N,…, the orders of the matrices")
	}
	if err := checkOrders(j.options.Orders...); err != nil {
		return usage(cmd, "%w", err)
	}
	j.options.Storages = nil
	for _, word := range j.precisions {
		i := slices.Index(precisionWords, word)
		if i < 0 {
			return usage(cmd, "--precision: %q is none of %s", word, strings.Join(precisionWords, ", "))
		}
		if s := svd.Storage(i); !slices.Contains(j.options.Storages, s) {
			j.options.Storages = append(j.options.Storages, s)
		}
	}
	if len(j.options.Storages) == 0 {
		return usage(cmd, "--precision: at least one of %s", strings.Join(precisionWords, ", "))
	}
	var bad *accuracy.OptionError
	if errors.As(j.options.Check(), &bad) {
		flags := map[string]string{"Orders": "n", "Bands": "band", "Trials": "trials", "Tile": "tile"}
		return usage(cmd, "--%s: %s", flags[bad.Option], bad.Problem)
	}
	return nil
}

func (j *accuracyJob) run(ctx context.Context) error {
	return measuring(ctx, j.session, j.verbosity, j.rows, func(rows *rowFile, show *progress) error {
		show.stage("preparing the device")
		dev, err := j.open(vk.Options{Device: j.device()}, show.above())
		if err != nil {
			return err
		}
		defer dev.Close()
		var kept evd.Options
		j.config.apply(&kept, dev.Info(), show.above())
		j.options.Tuning = kept.Tuning
		j.options.Progress = show.stage
		var all []accuracy.Row
		err = dev.accuracy(ctx, j.options, func(r accuracy.Row) error {
			all = append(all, r)
			return rows.add(r)
		})
		show.end()
		if err != nil {
			return err
		}
		return printErrors(rows.table(j.session), all)
	})
}

// An accuracyCell is a place in the table of errors and in the picture: rows of the same order, the
// same width of the band and the same precision.
type accuracyCell struct {
	n, b      int
	precision string
}

// cellsOf groups errors by cell. It also returns the cells, ordered by n, b and precision.
func cellsOf(rows []accuracy.Row) (cells []accuracyCell, errorsOf map[accuracyCell][]float64) {
	errorsOf = map[accuracyCell][]float64{}
	for _, r := range rows {
		c := accuracyCell{r.N, r.B, r.Precision}
		if errorsOf[c] == nil {
			cells = append(cells, c)
		}
		errorsOf[c] = append(errorsOf[c], r.Error)
	}
	rank := map[string]int{}
	for s := svd.Double; s <= svd.Half; s++ {
		rank[s.String()] = int(s)
	}
	slices.SortFunc(cells, func(x, y accuracyCell) int {
		return cmp.Or(cmp.Compare(x.n, y.n), cmp.Compare(x.b, y.b), cmp.Compare(rank[x.precision], rank[y.precision]))
	})
	return cells, errorsOf
}

// printErrors prints the table of errors.
func printErrors(w io.Writer, rows []accuracy.Row) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %s\n", printable(rows[0].Device), printable(rows[0].Driver))
	fmt.Fprintf(&text, "%6s %5s  %-9s %8s %10s %10s %10s %10s %10s\n",
		"n", "b", "precision", "matrices", "median", "1st quart.", "3rd quart.", "smallest", "largest")
	cells, errorsOf := cellsOf(rows)
	for _, c := range cells {
		q := accuracy.QuartilesOf(errorsOf[c])
		fmt.Fprintf(&text, "%6d %5d  %-9s %8d %10.2e %10.2e %10.2e %10.2e %10.2e\n",
			c.n, c.b, c.precision, len(errorsOf[c]), q.Median, q.Lower, q.Upper, q.Least, q.Most)
	}
	_, err := io.WriteString(w, text.String())
	return cannotWrite("standard output", err)
}
