package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

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
			return draw.Accuracy("Errors of singular values by precision of the band\n"+printable(rows[0].Device), boxesOf(rows))
		},
	}
}

// boxesOf returns the boxes of the picture.
func boxesOf(rows []accuracy.Row) (boxes []draw.Box) {
	cells, errorsOf := cellsOf(rows)
	for _, c := range cells {
		q, ulp := accuracy.QuartilesOf(errorsOf[c]), ulps[c.precision]
		boxes = append(boxes, draw.Box{
			N: c.n, B: c.b, Precision: c.precision, Ulp: ulp,
			Least: q.Least / ulp, Lower: q.Lower / ulp, Median: q.Median / ulp, Upper: q.Upper / ulp, Most: q.Most / ulp,
		})
	}
	return boxes
}

// ulps are the distances from 1 to the next number, by the names of precisions in rows.
var ulps = map[string]float64{
	svd.Double.String(): svd.Double.Ulp(), svd.Single.String(): svd.Single.Ulp(), svd.Half.String(): svd.Half.Ulp(),
}

// readErrors reads the rows that accuracy --json has written.
func readErrors(ctx context.Context, files []string, stdin io.Reader) ([]accuracy.Row, error) {
	var rows []accuracy.Row
	for _, file := range files {
		text, err := unlessDone(ctx, func() ([]byte, error) { return readAll(file, stdin) })
		if err != nil {
			return nil, err
		}
		d, before := json.NewDecoder(bytes.NewReader(text)), len(rows)
		for {
			var r accuracy.Row
			err := d.Decode(&r)
			if err == io.EOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("%s: not rows in JSON; accuracy --json writes them", inputName(file))
			}
			if !(r.Error >= 0 && r.Error < math.MaxFloat32) || r.N < 1 || r.B < 1 || ulps[r.Precision] == 0 {
				return nil, fmt.Errorf("%s: a row with impossible values: n = %d, b = %d, precision %q, error %g",
					inputName(file), r.N, r.B, r.Precision, r.Error)
			}
			rows = append(rows, r)
		}
		if len(rows) == before {
			return nil, fmt.Errorf("%s: no rows in it; accuracy --json writes them", inputName(file))
		}
	}
	return rows, nil
}
