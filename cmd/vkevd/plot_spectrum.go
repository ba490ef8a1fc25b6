package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/draw"
)

func spectrumPlot() plotKind {
	log := false
	return plotKind{
		"spectrum", "eigenvalues over their index",
		"plot spectrum draws eigenvalues, as solve writes them (text, .npy or .json), over their index.",
		"  vkevd plot spectrum --out spectrum.png values.txt",
		func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&log, "log", false, "logarithmic scale, for positive eigenvalues")
		},
		func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error) {
			series, err := readSeries(ctx, files, stdin)
			if err != nil {
				return nil, err
			}
			for i, s := range series {
				if log && !(s.Values[0] > 0) {
					return nil, fmt.Errorf("%s: --log needs positive eigenvalues, the smallest is %g", inputName(files[i]), s.Values[0])
				}
			}
			return draw.Spectrum(series, log)
		},
	}
}

func densityPlot() plotKind {
	bins := 0
	return plotKind{
		"density", "density of states: how many eigenvalues lie where",
		`plot density draws the density of states: the share of all eigenvalues in an interval, divided
by its length. The area below each curve is 1. Eigenvalues are as solve writes them.`,
		"  vkevd plot density --bins 80 --out density.svg values.npy",
		func(cmd *cobra.Command) {
			cmd.Flags().IntVar(&bins, "bins", 0, "number `N` of intervals (default: follows from the values)")
		},
		func(ctx context.Context, files []string, stdin io.Reader) (*draw.Picture, error) {
			const most = 10000
			if bins < 0 || bins > most {
				return nil, fmt.Errorf("--bins: %d is not between 1 and %d", bins, most)
			}
			series, err := readSeries(ctx, files, stdin)
			if err != nil {
				return nil, err
			}
			return draw.Density(series, bins)
		},
	}
}

// readSeries reads files of eigenvalues and sorts each.
func readSeries(ctx context.Context, files []string, stdin io.Reader) ([]draw.Series, error) {
	var all []draw.Series
	names := labels(files)
	for i, file := range files {
		values, err := unlessDone(ctx, func() ([]float64, error) { return readVector(file, stdin) })
		if err != nil {
			return nil, err
		}
		if len(values) == 0 {
			return nil, fmt.Errorf("%s: no eigenvalue to draw", inputName(file))
		}
		for i, x := range values {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("%s: value %d is %v", inputName(file), i+1, x)
			}
		}
		slices.Sort(values)
		all = append(all, draw.Series{Name: names[i], Values: values})
	}
	return all, nil
}
