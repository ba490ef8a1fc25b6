// Command graphene computes the density of states of graphene in the tight-binding model. Each atom
// has one orbital of energy 0, and electrons hop to the three neighbouring atoms with amplitude −t.
// The sheet is a torus of N × N cells with two atoms each.
//
// The torus has two seams. The amplitude of hops across each seam may have the opposite sign, which
// gives four choices. The energy levels of all four choices together are the levels of a torus that
// is twice as large in both directions. Four small matrices therefore replace one matrix with four
// times as many rows.
//
// The eigenvalues are known: E = ±t·|1 + exp(ik₁) + exp(ik₂)| for the wave numbers k₁ and k₂. The
// program compares the computed eigenvalues with this formula. The picture shows two properties of
// graphene: no states at E = 0, and van Hove's peaks at E = ±t.
//
//	go run ./examples/graphene -cells 32 -o graphene.png
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/examples/internal/style"
)

func main() {
	cells := flag.Int("cells", 24, "number N of cells along each side; the matrix has 2·N² rows")
	style.Main("graphene.png", func(w io.Writer, picture string) error { return run(w, *cells, picture) })
}

func run(w io.Writer, cells int, picture string) error {
	var energies, known []float64
	for _, seam := range [][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		e, err := evd.Eigenvalues(context.Background(), hamiltonian(cells, seam))
		if err != nil {
			return err
		}
		energies = append(energies, e...)
		known = append(known, exact(cells, seam)...)
	}
	n := len(energies)
	worst := floats.Distance(energies, known, math.Inf(1))
	fmt.Fprintf(w, "%d levels from %.3f t to %.3f t\n", n, slices.Min(energies), slices.Max(energies))
	fmt.Fprintf(w, "as the formula says, to 100 ε‖H‖: %v\n", worst < 100*0x1p-52*3)
	return drawDensity(picture, energies)
}

// hamiltonian is the Hamiltonian in units of t. Atom A of a cell has three neighbours: atom B of
// the same cell, and atom B of the previous cell in each of the two directions. For the first cell
// of a row, the previous cell is on the other side of a seam. The argument `seam` has the factor (1
// or −1) of hops across each seam.
func hamiltonian(cells int, seam [2]float64) *mat.SymDense {
	atom := func(x, y, which int) int { return 2*(x*cells+y) + which }
	h := mat.NewSymDense(2*cells*cells, nil)
	hop := func(a, b int, sign float64) { h.SetSym(a, b, h.At(a, b)-sign) }
	for x := range cells {
		for y := range cells {
			sign := [2]float64{1, 1}
			if x == 0 {
				sign[0] = seam[0]
			}
			if y == 0 {
				sign[1] = seam[1]
			}
			a := atom(x, y, 0)
			hop(a, atom(x, y, 1), 1)
			hop(a, atom((x+cells-1)%cells, y, 1), sign[0])
			hop(a, atom(x, (y+cells-1)%cells, 1), sign[1])
		}
	}
	return h
}

// exact returns the known eigenvalues in ascending order. If the factor of a seam is −1, the wave
// numbers are shifted by half a step.
func exact(cells int, seam [2]float64) []float64 {
	phase := func(k int, seam float64) complex128 {
		return cmplx.Exp(complex(0, 2*math.Pi*(float64(k)+(1-seam)/4)/float64(cells)))
	}
	var e []float64
	for x := range cells {
		for y := range cells {
			f := cmplx.Abs(1 + phase(x, seam[0]) + phase(y, seam[1]))
			e = append(e, -f, f)
		}
	}
	slices.Sort(e)
	return e
}

// drawDensity draws the density Σ g(E − Eᵢ)/n of the n levels Eᵢ. The Gaussian g is so wide that
// single levels are not visible.
func drawDensity(file string, energies []float64) error {
	const width, from, to, points = 0.05, -3.4, 3.4, 600
	n := float64(len(energies))
	curve := make(plotter.XYs, points)
	for k := range curve {
		at := from + (to-from)*float64(k)/(points-1)
		sum := 0.0
		for _, e := range energies {
			z := (at - e) / width
			sum += math.Exp(-z * z / 2)
		}
		curve[k] = plotter.XY{X: at, Y: sum / (n * width * math.Sqrt(2*math.Pi))}
	}
	title := fmt.Sprintf("Density of states of graphene, %d levels", len(energies))
	p := style.New(title, "energy / t", "states per atom and t")
	line, err := plotter.NewLine(curve)
	if err != nil {
		return err
	}
	line.Color = style.Blue
	line.Width = vg.Points(1.2)
	line.FillColor = style.Faint(style.Blue)
	p.Add(plotter.NewGrid(), line)
	style.Widen(&p.Y)
	p.Y.Min = 0
	return style.Save(p, 6*vg.Inch, 4*vg.Inch, file)
}
