// Command orbitals computes the two lowest orbitals of the molecule H₂⁺, one electron and two
// protons, at many distances R of the protons. An orbital is a sum of basis functions with the
// coefficients c. The basis functions are Gaussians exp(−a·r²) around five points from one proton
// to the other. The matrices of the Hamiltonian and of the overlaps of basis functions, H and S,
// give the energies E: H·c = E·S·c.
//
// Good energies need many basis functions. At small R these are nearly linearly dependent, so S is
// nearly singular. Canonical orthogonalization uses only those eigenvectors of S whose eigenvalues
// are above 10⁻⁷ times the largest one.
//
// Lengths are in bohr, energies in hartree. The energy of the bonding orbital at R = 2, with the
// repulsion 1/R of the protons, is −0.6026342 (Wind 1965). Sums of basis functions cannot have an
// energy below the exact one (variational principle). So the computed energy must be a little above
// this number.
//
//	go run ./examples/orbitals -points 40 -o orbitals.png
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
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/examples/internal/style"
	"github.com/vkevd/vkevd/vk"
)

const (
	exact     = -0.6026342
	shortest  = 0.5  // of the distances
	longest   = 8.   // of the distances
	centres   = 5    // of the functions
	exponents = 9    // of each centre
	smallest  = 0.05 // exponent
	quotient  = 2.6  // of neighbouring exponents
)

func main() {
	points := flag.Int("points", 40, "distances, in addition to R = 2")
	style.Main("orbitals.png", func(w io.Writer, picture string) error { return run(w, *points, picture) })
}

func run(w io.Writer, points int, picture string) error {
	dev, err := vk.Open(vk.Options{})
	if err != nil {
		return err
	}
	defer dev.Close()
	const n = centres * exponents
	plan, err := pencil.NewPlan[float64](dev, n, pencil.Options{
		Select: evd.Index(0, 2), Overlap: pencil.Overlap{Canonical: true},
	})
	if err != nil {
		return err
	}
	defer plan.Close()

	energies := func(r float64) (*pencil.Result[float64], error) {
		h, s := matrices(r)
		res, err := plan.SolvePair(context.Background(), evd.NewSym(n, h, evd.Lower), evd.NewSym(n, s, evd.Lower))
		if err == nil {
			for j := range res.Values {
				res.Values[j] += 1 / r
			}
		}
		return res, err
	}
	at2, err := energies(2)
	if err != nil {
		return err
	}
	var curves [2]plotter.XYs
	least, most := n, 0
	for i := range points {
		r := shortest * math.Pow(longest/shortest, float64(i)/float64(max(points-1, 1)))
		res, err := energies(r)
		if err != nil {
			return err
		}
		least, most = min(least, res.Dropped), max(most, res.Dropped)
		for j, e := range res.Values {
			curves[j] = append(curves[j], plotter.XY{X: r, Y: e})
		}
	}
	above := at2.Values[0] - exact
	fmt.Fprintf(w, "%d functions, and %d to %d directions dropped; at R = 2 the energy is %.4f, %v\n",
		n, least, most, at2.Values[0], map[bool]string{true: "less than 0.001 above the exact one", false: "WRONG"}[above > 0 && above < 1e-3])
	return drawCurves(picture, curves)
}

// matrices returns H and S for the distance R. Each basis function g has the factor that makes ∫g²
// = 1.
func matrices(r float64) (h, s []float64) {
	const n = centres * exponents
	h, s = make([]float64, n*n), make([]float64, n*n)
	function := func(i int) (at, a float64) {
		return r * float64(i/exponents) / (centres - 1), smallest * math.Pow(quotient, float64(i%exponents))
	}
	for j := range n {
		for i := range n {
			x, a := function(i)
			y, b := function(j)
			// The product of Gaussians with the exponents a and b around x and y is a Gaussian with
			// the exponent p around c.
			p, mu := a+b, a*b/(a+b)
			d, c := (x-y)*(x-y), (a*x+b*y)/p
			overlap := math.Pow(2*math.Sqrt(a*b)/p, 1.5) * math.Exp(-mu*d)
			attraction := boys(p*c*c) + boys(p*(c-r)*(c-r))
			s[i+j*n] = overlap
			h[i+j*n] = overlap * (mu*(3-2*mu*d) - 2*math.Sqrt(p/math.Pi)*attraction)
		}
	}
	return h, s
}

// boys is ∫exp(−t·u²) for u from 0 to 1, the attraction of a Gaussian by a point charge.
func boys(t float64) float64 {
	if t < 1e-12 {
		return 1
	}
	return math.Sqrt(math.Pi/t) / 2 * math.Erf(math.Sqrt(t))
}

func drawCurves(file string, curves [2]plotter.XYs) error {
	p := style.New("Energies of the hydrogen molecular ion", "R / bohr", "E / hartree")
	for j, name := range []string{"bonding", "antibonding"} {
		l, err := plotter.NewLine(curves[j])
		if err != nil {
			return err
		}
		l.Width, l.Color = vg.Points(1.6), style.Blue
		if j == 1 {
			l.Color = style.Orange
		}
		p.Add(l)
		p.Legend.Add(name, l)
	}
	p.Legend.Top = true
	p.Y.Max = 0.5
	style.Widen(&p.X, &p.Y)
	return style.Save(p, 6*vg.Inch, 4*vg.Inch, file)
}
