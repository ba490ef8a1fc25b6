// Command many solves many matrices of one size with one plan, as a study of random
// matrices does: memory is taken and kernels are prepared once, and each solve reuses them.
//
// The eigenvalues of a random symmetric matrix (GOE) repel each other. The distances
// between neighbours in the middle of the spectrum, in units of their mean, follow E. Wigner's
// p(s) = (π/2)·s·exp(−π·s²/4) closely; the levels of independent events would follow exp(−s).
//
//	go run ./examples/many -n 200 -matrices 100 -o many.png
package main

import (
	"context"
	"flag"
	"fmt"
	"image/color"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

func main() {
	n := flag.Int("n", 100, "order of the matrices")
	matrices := flag.Int("matrices", 100, "how many")
	out := flag.String("o", "many.png", "picture to draw, .svg or .png")
	flag.Parse()
	if err := run(os.Stdout, *n, *matrices, *out); err != nil {
		log.Fatal(err)
	}
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
	a := evd.Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n), Uplo: evd.Lower}
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

// middle are the spacings of the central half of a spectrum, where the density hardly
// changes, divided by their mean.
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
	p := plot.New()
	p.Title.Text = "Neighbouring eigenvalues of random symmetric matrices"
	p.Title.Padding = vg.Points(8)
	p.X.Label.Text = "spacing / mean spacing"
	p.Y.Label.Text = "density"
	p.Legend.Top, p.Legend.Padding, p.Legend.XOffs = true, vg.Points(2), vg.Points(-8)
	bars, err := plotter.NewHist(plotter.Values(spacings), 32)
	if err != nil {
		return err
	}
	bars.Normalize(1)
	bars.FillColor = color.NRGBA{R: 33, G: 102, B: 172, A: 90}
	bars.LineStyle.Width = vg.Points(0.3)
	wigner := plotter.NewFunction(func(s float64) float64 { return math.Pi / 2 * s * math.Exp(-math.Pi/4*s*s) })
	wigner.Color = color.NRGBA{R: 178, G: 24, B: 43, A: 255}
	wigner.Width = vg.Points(1.5)
	independent := plotter.NewFunction(func(s float64) float64 { return math.Exp(-s) })
	independent.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
	for _, f := range []*plotter.Function{wigner, independent} {
		f.Samples = 200
	}
	p.Add(bars, wigner, independent)
	p.Legend.Add("found", bars)
	p.Legend.Add("Wigner's", wigner)
	p.Legend.Add("independent", independent)
	p.X.Min, p.X.Max = 0, 3.5
	return p.Save(6*vg.Inch, 4*vg.Inch, file)
}
