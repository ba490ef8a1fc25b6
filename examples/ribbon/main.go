// Command ribbon computes the bands of a ribbon of graphene with zigzag edges, in the tight-binding
// model. It solves many small matrices in one batch, one matrix H(k) for each wave number k.
//
// A ribbon of W zigzag lines has 2·W atoms A₁ B₁ A₂ B₂ … in a cell. Electrons hop with amplitude −t
// to neighbouring atoms. Atom A_j has two neighbours B_j along the ribbon, in different cells.
// Therefore
//
//	H(k) couples A_j and B_j by −2·t·cos(k/2), and B_j and A_{j+1} by −t.
//
// The energy levels come in pairs ±E. At k = π the two atoms at the edges are not coupled to other
// atoms and have E = 0. All other atoms form pairs with E = ±t. The program checks both properties.
// The picture shows two flat bands at E = 0 from k = 2π/3 on. Their states are located at the
// edges.
//
//	go run ./examples/ribbon -lines 16 -points 400 -o ribbon.png
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/examples/internal/style"
	"github.com/vkevd/vkevd/vk"
)

func main() {
	lines := flag.Int("lines", 16, "zigzag lines W; the matrices have 2·W rows")
	points := flag.Int("points", 400, "wave numbers from 0 to π")
	style.Main("ribbon.png", func(w io.Writer, picture string) error { return run(w, *lines, *points, picture) })
}

func run(w io.Writer, lines, points int, picture string) error {
	dev, err := vk.Open(vk.Options{})
	if err != nil {
		return err
	}
	defer dev.Close()
	n := 2 * lines
	plan, err := batch.NewPlan[float64](dev, n, points, batch.Options{})
	if err != nil {
		return err
	}
	defer plan.Close()

	data := make([]float64, points*n*n)
	for i := range points {
		hamiltonian(data[i*n*n:(i+1)*n*n], n, wave(i, points))
	}
	res, err := plan.Solve(context.Background(), batch.Stack(n, points, data, evd.Lower))
	if err != nil {
		return err
	}
	worst := 0.0
	for _, s := range res.Spectra {
		for j, e := range s.Values {
			worst = max(worst, math.Abs(e+s.Values[n-1-j]))
		}
	}
	for j, e := range res.Spectra[points-1].Values { // k = π
		known := -1.0
		if j >= lines-1 {
			known = 0
		}
		if j > lines {
			known = 1
		}
		worst = max(worst, math.Abs(e-known))
	}
	fmt.Fprintf(w, "%d matrices of order %d: levels in pairs, and known ones at k = π, to 100 ε‖H‖: %v\n",
		points, n, worst < 100*0x1p-52*3)
	return drawBands(picture, res.Spectra)
}

// wave is wave number i of the given number of points from 0 to π.
func wave(i, points int) float64 { return math.Pi * float64(i) / float64(max(1, points-1)) }

// hamiltonian fills the lower triangle of H(k), in units of t.
func hamiltonian(h []float64, n int, k float64) {
	for i := range n - 1 {
		hop := -1.0
		if i%2 == 0 {
			hop = -2 * math.Cos(k/2)
		}
		h[i+1+i*n] = hop
	}
}

func drawBands(file string, spectra []batch.Spectrum[float64]) error {
	p := style.New("Bands of a ribbon of graphene with zigzag edges", "k", "E / t")
	n := len(spectra[0].Values)
	for j := range n {
		band := make(plotter.XYs, len(spectra))
		for i, s := range spectra {
			band[i].X, band[i].Y = wave(i, len(spectra)), s.Values[j]
		}
		line, err := plotter.NewLine(band)
		if err != nil {
			return err
		}
		line.Width, line.Color = vg.Points(0.8), style.Blue
		if j == n/2-1 || j == n/2 {
			line.Width, line.Color = vg.Points(1.6), style.Orange
		}
		p.Add(line)
	}
	p.X.Min, p.X.Max = 0, math.Pi
	style.Widen(&p.Y)
	return style.Save(p, 6*vg.Inch, 4*vg.Inch, file)
}
