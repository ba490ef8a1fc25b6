// Command haldane computes the bands of a sheet of graphene in Haldane's model, whose Hamiltonian
// H(k) is complex Hermitian. One plan solves H(k) for one point k after another.
//
// Electrons hop with the amplitude −1 to the three nearest atoms, and with i·s or −i·s to the six
// second-nearest atoms. Without the hops to the six atoms the bands meet at the points K. With these hops
// there is a gap of 6·√3·s, and the sheet is an insulator that conducts along its edges.
//
// The cell has L×L pairs of atoms (A, B). By Bloch's theorem, a hop across the border of the cell
// has the phase exp(2πi·κ), where κ are the coordinates of k. The levels of a large cell are those
// of the cell with one pair at L² points. The program checks that, because a wrong phase would show
// there.
//
//	go run ./examples/haldane -cells 4 -points 40 -o haldane.png
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/examples/internal/style"
	"github.com/vkevd/vkevd/vk"
)

const second = 0.1 // s

func main() {
	cells := flag.Int("cells", 4, "the cell has L×L pairs of atoms; the matrices have 2·L² rows")
	points := flag.Int("points", 40, "points on each of the three lines between Γ, K, M and Γ")
	style.Main("haldane.png", func(w io.Writer, picture string) error { return run(w, *cells, *points, picture) })
}

func run(w io.Writer, cells, points int, picture string) error {
	dev, err := vk.Open(vk.Options{})
	if err != nil {
		return err
	}
	defer dev.Close()
	n := 2 * cells * cells
	plan, err := evd.NewPlan[complex128](dev, n, evd.Options{})
	if err != nil {
		return err
	}
	defer plan.Close()

	var bands [][]float64
	worst, gap := 0.0, math.Inf(1)
	for _, k := range path(points) {
		h := hamiltonian(cells, k)
		res, err := plan.Solve(context.Background(), evd.Herm[complex128]{N: n, Ld: n, Data: h})
		if err != nil {
			return err
		}
		bands = append(bands, res.Values)
		gap = min(gap, res.Values[n/2]-res.Values[n/2-1])
		for j, e := range folded(cells, k) {
			worst = max(worst, math.Abs(e-res.Values[j]))
		}
	}
	fmt.Fprintf(w, "%d matrices of order %d: levels of the small cell to 100 ε‖H‖: %v; gap %.4f, 6·√3·s = %.4f\n",
		len(bands), n, worst < 100*0x1p-52*4, gap, 6*math.Sqrt(3)*second)
	return drawBands(picture, bands, points)
}

// path returns points from Γ over K and M to Γ: `points` of them on each of the three parts, and Γ.
func path(points int) (k [][2]float64) {
	corners := [][2]float64{{0, 0}, {2. / 3, 1. / 3}, {1. / 2, 0}, {0, 0}}
	for c := range 3 {
		for i := range points {
			at, from, to := float64(i)/float64(points), corners[c], corners[c+1]
			k = append(k, [2]float64{from[0] + at*(to[0]-from[0]), from[1] + at*(to[1]-from[1])})
		}
	}
	return append(k, corners[3])
}

// hamiltonian returns H(k) by columns. It fills both triangles; a plan reads one.
func hamiltonian(cells int, k [2]float64) []complex128 {
	n := 2 * cells * cells
	h := make([]complex128, n*n)
	// wrap returns the place of a row or column of pairs in its cell, and how many cells away this
	// cell is.
	wrap := func(i int) (inside int, away float64) {
		inside = (i + cells) % cells
		return inside, float64((i - inside) / cells)
	}
	// hop adds the amplitude from atom `from` of the pair (x, y) to atom `to` of the pair that is d
	// away, and the conjugate one back.
	hop := func(x, y, from int, d [2]int, to int, amplitude complex128) {
		column, right := wrap(x + d[0])
		row, up := wrap(y + d[1])
		amplitude *= cmplx.Rect(1, 2*math.Pi*(right*k[0]+up*k[1]))
		i, j := 2*(column+row*cells)+to, 2*(x+y*cells)+from
		h[i+j*n] += amplitude
		h[j+i*n] += cmplx.Conj(amplitude)
	}
	for y := range cells {
		for x := range cells {
			for _, d := range [][2]int{{0, 0}, {-1, 0}, {0, -1}} {
				hop(x, y, 0, d, 1, -1)
			}
			for _, d := range [][2]int{{1, 0}, {-1, 1}, {0, -1}} { // and back: six atoms
				hop(x, y, 0, d, 0, second*1i)
				hop(x, y, 1, d, 1, second*-1i)
			}
		}
	}
	return h
}

// folded returns the levels of the cell with one pair at all points that the large cell does not
// distinguish from k, in ascending order.
func folded(cells int, k [2]float64) (levels []float64) {
	for y := range cells {
		for x := range cells {
			h := hamiltonian(1, [2]float64{(k[0] + float64(x)) / float64(cells), (k[1] + float64(y)) / float64(cells)})
			a, b := real(h[0]), real(h[3])
			middle, radius := (a+b)/2, math.Hypot((a-b)/2, cmplx.Abs(h[1]))
			levels = append(levels, middle-radius, middle+radius)
		}
	}
	slices.Sort(levels)
	return levels
}

func drawBands(file string, bands [][]float64, points int) error {
	p := style.New("Bands of graphene in Haldane's model", "k", "E / t")
	n := len(bands[0])
	for j := range n {
		line := make(plotter.XYs, len(bands))
		for i, levels := range bands {
			line[i].X, line[i].Y = float64(i), levels[j]
		}
		l, err := plotter.NewLine(line)
		if err != nil {
			return err
		}
		l.Width, l.Color = vg.Points(0.8), style.Blue
		if j >= n/2 {
			l.Color = style.Orange
		}
		p.Add(l)
	}
	var ticks plot.ConstantTicks
	for c, name := range []string{"Γ", "K", "M", "Γ"} {
		ticks = append(ticks, plot.Tick{Value: float64(c * points), Label: name})
	}
	p.X.Tick.Marker = ticks
	style.Widen(&p.Y)
	return style.Save(p, 6*vg.Inch, 4*vg.Inch, file)
}
