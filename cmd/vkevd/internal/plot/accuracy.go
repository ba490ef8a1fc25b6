package plot

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/draw"
	"github.com/vkevd/vkevd/evd/accuracy"
	"github.com/vkevd/vkevd/evd/svd"
)

func accuracyPlot() plotKind {
	band := 0
	return plotKind{
		"accuracy",
		func(cmd *cobra.Command) {
			cmd.Flags().IntVar(&band, "band", 0, "only bands of `B` superdiagonals")
		},
		func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error) {
			rows, err := readErrors(ctx, files, stdin)
			if err != nil {
				return nil, err
			}
			rows = slices.DeleteFunc(rows, func(r accuracy.Row) bool { return band > 0 && r.B != band })
			if len(rows) == 0 {
				return nil, fmt.Errorf("no rows of bands with %d superdiagonals", band)
			}
			return draw.Accuracy("Errors of singular values by precision of the band\n"+cli.Printable(rows[0].Device), boxesOf(rows))
		},
	}
}

func boxesOf(rows []accuracy.Row) (boxes []draw.Box) {
	for _, c := range accuracy.Cells(rows) {
		ulp := ulps[c.Precision]
		boxes = append(boxes, draw.Box{
			N: c.N, B: c.B, Precision: c.Precision, Ulp: ulp,
			Least: c.Least / ulp, Lower: c.Lower / ulp, Median: c.Median / ulp, Upper: c.Upper / ulp, Most: c.Most / ulp,
		})
	}
	return boxes
}

// ulps are the distances from 1 to the next number, by the names of precisions in rows.
var ulps = map[string]float64{
	svd.Double.String(): svd.Double.Ulp(), svd.Single.String(): svd.Single.Ulp(), svd.Half.String(): svd.Half.Ulp(),
}

func readErrors(ctx context.Context, files []string, stdin io.Reader) (all []accuracy.Row, err error) {
	for _, file := range files {
		rows, err := jsonRows(ctx, file, stdin, "accuracy", func(_ int, r accuracy.Row) error {
			if !(r.Error >= 0 && r.Error < math.MaxFloat32) || r.N < 1 || r.B < 1 || ulps[r.Precision] == 0 {
				return fmt.Errorf("a row with impossible values: n = %d, b = %d, precision %q, error %g", r.N, r.B, r.Precision, r.Error)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s: no rows in it; accuracy --json writes them", cli.InputName(file))
		}
		all = append(all, rows...)
	}
	return all, nil
}
