package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// spectra reads files of eigenvalues, each ascending.
func (s *session) spectra(ctx context.Context, files []string) ([][]float64, error) {
	var lists [][]float64
	for _, file := range files {
		values, err := unlessDone(ctx, func() ([]float64, error) { return readVector(file, s.stdin) })
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
		lists = append(lists, values)
	}
	return lists, nil
}

// names are a legend: none for one file alone, whose name is in the title.
func names(files []string, lists [][]float64) (legend []string, of string) {
	if len(files) == 1 {
		return []string{""}, fmt.Sprintf(" of %s, n = %d", label(files[0]), len(lists[0]))
	}
	for i, f := range files {
		legend = append(legend, fmt.Sprintf("%s, n = %d", label(f), len(lists[i])))
	}
	return legend, ""
}

// spectrum draws the j-th eigenvalue over j, or over j/n where orders differ.
func (s *session) spectrum(ctx context.Context, files []string, log bool) (*picture, error) {
	lists, err := s.spectra(ctx, files)
	if err != nil {
		return nil, err
	}
	unit := ""
	for i, l := range lists {
		if log && !(l[0] > 0) {
			return nil, fmt.Errorf("%s: --log needs positive eigenvalues, the least is %g", inputName(files[i]), l[0])
		}
	}
	if !log {
		unit = magnitude(lists...)
	}
	legend, of := names(files, lists)
	p := newPicture("Eigenvalues"+of, "number of the eigenvalue", "eigenvalue"+unit)
	if log {
		p.logarithmic(&p.Y)
	}
	p.Legend.Left = true // where an ascending line is not
	same := true
	for _, l := range lists {
		same = same && len(l) == len(lists[0])
	}
	if !same {
		p.X.Label.Text = "number of the eigenvalue / n"
	}
	for i, l := range lists {
		points := thinned(l)
		for k := range points {
			if !same {
				points[k].X /= float64(len(l))
			}
		}
		if _, err := p.line(i, points, legend[i]); err != nil {
			return nil, err
		}
		const few = 120 // points that can be told apart
		if len(l) <= few {
			if err := p.dots(i, points, 2); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// thinned are points (j, λⱼ), j from 1: no more than a picture can show, and both ends.
func thinned(values []float64) plotter.XYs {
	const most = 4000
	n := len(values)
	count := min(n, most)
	points := make(plotter.XYs, count)
	for k := range points {
		j := k
		if count < n {
			j = int(math.Round(float64(k) * float64(n-1) / float64(count-1)))
		}
		points[k].X, points[k].Y = float64(j+1), values[j]
	}
	return points
}

// density draws histograms of area 1.
func (s *session) density(ctx context.Context, files []string, bins int) (*picture, error) {
	const most = 10000
	if bins < 0 || bins > most {
		return nil, fmt.Errorf("--bins: %d is not between 1 and %d", bins, most)
	}
	lists, err := s.spectra(ctx, files)
	if err != nil {
		return nil, err
	}
	legend, of := names(files, lists)
	unit := magnitude(lists...)
	p := newPicture("Density of states"+of, "eigenvalue"+unit, "density, of area 1")
	for i, l := range lists {
		outline := histogram(l, bins)
		line, err := p.line(i, outline, legend[i])
		if err != nil {
			return nil, err
		}
		if len(lists) == 1 {
			r, g, b, _ := colour(i).RGBA()
			line.FillColor = faint(r, g, b)
		}
	}
	p.Y.Min = 0
	if math.IsInf(p.Y.Max, 0) || math.IsNaN(p.Y.Max) {
		return nil, errors.New("the eigenvalues lie too near together for a density")
	}
	return p, nil
}

// histogram is the outline of one of area 1, with the given number of bins or as many
// twice as many as Freedman and Diaconis advise, for spectra have
// edges: intervals of the length of the middle half by the cube root of n.
func histogram(values []float64, bins int) plotter.XYs {
	n := len(values)
	low, high := values[0], values[n-1]
	span := high - low
	const same = 0x1p-40 // by what is left of a multiple eigenvalue
	if span <= same*math.Max(math.Abs(low), math.Abs(high)) {
		half := math.Max(math.Abs(low), 1) / 2
		low, span = low-half, 2*half
	}
	if bins == 0 {
		const fewest, most = 10, 250
		width := (values[3*(n-1)/4] - values[(n-1)/4]) / math.Cbrt(float64(n))
		bins = most
		if width > 0 {
			bins = int(min(max(span/width, fewest), most))
		}
	}
	counts := make([]int, bins)
	for _, x := range values {
		counts[min(max(int(float64(bins)*((x-low)/span)), 0), bins-1)]++
	}
	width := span / float64(bins)
	outline := plotter.XYs{{X: low}}
	for i, c := range counts {
		h := float64(c) / (float64(n) * width)
		from := low + float64(i)*width
		outline = append(outline, plotter.XY{X: from, Y: h}, plotter.XY{X: from + width, Y: h})
	}
	return append(outline, plotter.XY{X: low + span})
}
