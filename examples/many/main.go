// Command many solves many matrices of one size with one plan, as in a study of random matrices.
// The plan allocates memory and compiles kernels once. Each solve uses the same memory and kernels.
//
// The eigenvalues of a random symmetric matrix (GOE) repel each other. Take the distances between
// neighbouring eigenvalues in the middle of the spectrum, in units of the mean distance. Their
// probability density is close to p(s) = (π/2)·s·exp(−π·s²/4), the formula of E. Wigner. For
// independent random numbers the density would be exp(−s).
//
//	go run ./examples/many -n 200 -matrices 100 -o many.png
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/examples/internal/style"
	"github.com/vkevd/vkevd/vk"
)

func main() {
	n := flag.Int("n", 100, "order of the matrices")
	matrices := flag.Int("matrices", 100, "number of matrices")
	style.Main("many.png", func(w io.Writer, picture string) error { return run(w, *n, *matrices, picture) })
}

func run(w io.Writer, n, matrices int, picture string) error {
	dev, err := vk.Open(vk.Options{})
	if err != nil {
		return err
	}
	defer dev.Close()
	plan, err := evd.NewPlan[float64](dev, n, evd.Options{}) // no vectors
	if err != nil {
		return err
	}
	defer plan.Close()

	r := rand.New(rand.NewPCG(1, 2))
	a := evd.NewSym(n, make([]float64, n*n), evd.Lower)
	var spacings []float64
	for range matrices {
		for j := range n {
			a.Data[j+j*n] = math.Sqrt2 * r.NormFloat64()
			for i := j + 1; i < n; i++ {
				a.Data[i+j*n] = r.NormFloat64()
			}
		}
		res, err := plan.Solve(context.Background(), a)
		if err != nil {
			return err
		}
		spacings = append(spacings, middle(res.Values)...)
	}

	small := 0
	for _, s := range spacings {
		if s < 0.1 {
			small++
		}
	}
	fmt.Fprintf(w, "%d matrices of order %d, %d spacings\n", matrices, n, len(spacings))
	fmt.Fprintf(w, "below a tenth of the mean: %.1f %%; Wigner expects %.1f %%, independence %.1f %%\n",
		100*float64(small)/float64(len(spacings)), 100*(1-math.Exp(-math.Pi/400)), 100*(1-math.Exp(-0.1)))
	return drawSpacings(picture, spacings)
}

// middle returns the distances between neighbouring values in the central half of a spectrum,
// divided by their mean. In the central half the density of the eigenvalues is nearly constant.
func middle(values []float64) []float64 {
	n := len(values)
	var s []float64
	for i := n / 4; i+1 < n-n/4; i++ {
		s = append(s, values[i+1]-values[i])
	}
	mean := stat.Mean(s, nil)
	for i := range s {
		s[i] /= mean
	}
	return s
}

func drawSpacings(file string, spacings []float64) error {
	p := style.New("Neighbouring eigenvalues of random symmetric matrices", "spacing / mean spacing", "density")
	p.Legend.Top, p.Legend.XOffs = true, vg.Points(-8)
	bars, err := plotter.NewHist(plotter.Values(spacings), 32)
	if err != nil {
		return err
	}
	bars.Normalize(1)
	bars.FillColor = style.Faint(style.Blue)
	bars.LineStyle.Width = vg.Points(0.3)
	wigner := plotter.NewFunction(func(s float64) float64 { return math.Pi / 2 * s * math.Exp(-math.Pi/4*s*s) })
	wigner.Color = style.Orange
	wigner.Width = vg.Points(1.5)
	independent := plotter.NewFunction(func(s float64) float64 { return math.Exp(-s) })
	independent.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
	for _, f := range []*plotter.Function{wigner, independent} {
		f.Samples = 200
	}
	p.Add(bars, wigner, independent)
	p.Legend.Add("computed", bars)
	p.Legend.Add("Wigner", wigner)
	p.Legend.Add("independent", independent)
	style.Widen(&p.Y)
	p.X.Min, p.X.Max, p.Y.Min = 0, 3.5, 0
	return style.Save(p, 6*vg.Inch, 4*vg.Inch, file)
}
