package evd_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// families returns tridiagonal matrices of order n that are difficult for eigensolvers, and simple
// ones.
func families(n int) map[string]evd.Tridiagonal[float64] {
	all := map[string]evd.Tridiagonal[float64]{}
	add := func(name string, at func(i int) (d, e float64)) {
		m := evd.Tridiagonal[float64]{D: make([]float64, n), E: make([]float64, n)}
		for i := range n {
			m.D[i], m.E[i] = at(i)
		}
		all[name] = m
	}
	for name, scale := range map[string]float64{"1-2-1": 1, "1-2-1·1e150": 1e150, "1-2-1·1e-150": 1e-150} {
		add(name, func(int) (float64, float64) { return 2 * scale, -scale })
	}
	add("Kac", func(i int) (float64, float64) { return 0, math.Sqrt(float64((i + 1) * max(0, n-1-i))) })
	add("zero", func(int) (float64, float64) { return 0, 0 })
	add("identity", func(int) (float64, float64) { return 1, 0 })
	add("glued Wilkinson", func(i int) (float64, float64) {
		if i%21 == 20 {
			return 10, 0x1p-26
		}
		return math.Abs(float64(i%21 - 10)), 1
	})
	for _, cut := range []int{0, n / 2, n - 2} {
		add(fmt.Sprintf("split at %d", cut), func(i int) (float64, float64) {
			if i == cut {
				return float64(i % 3), 0
			}
			return float64(i % 3), 1
		})
	}
	return all
}

// TestFamiliesOfEveryOrder solves the matrices that the function `families` returns, for many
// orders. It uses every solver, QR iteration only up to order 64, with vectors if the solver can
// compute vectors.
func TestFamiliesOfEveryOrder(t *testing.T) {
	when.Long(t, "TestSplitEverywhere, TestTridiagonals, and tests of each solver")
	d := device(t, vk.Options{})
	orders := []int{127, 128, 129}
	for n := 2; n <= 64; n += 1 + n/8 { // few orders, but many small ones, near the sizes of leaves and tiles
		orders = append(orders, n)
	}
	for _, n := range orders {
		for _, name := range evd.Solvers()[1:] {
			solver, err := evd.ParseSolver(name)
			if err != nil {
				t.Fatal(err)
			}
			if n > 64 && solver == evd.QR {
				continue
			}
			p := tridiagonalPlan(t, d, n, evd.Options{Solver: solver, Vectors: solver.Vectors(), Tuning: small()})
			for family, m := range families(n) {
				t.Run(fmt.Sprintf("%s/%s/%d", name, family, n), func(t *testing.T) {
					solveTridiagonal(t, p, m, ratio.Within("bisection"))
				})
			}
		}
	}
}

// TestSplitEverywhere solves matrices with one zero in the off-diagonal, at each place in turn. The
// matrix splits into two blocks at the zero.
func TestSplitEverywhere(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d := device(t, vk.Options{})
	const n = 17
	for _, name := range evd.Solvers()[1:] {
		solver, _ := evd.ParseSolver(name)
		p := tridiagonalPlan(t, d, n, evd.Options{Solver: solver, Vectors: solver.Vectors(), Tuning: small()})
		for cut := range n - 1 {
			diagonal, off := matgen.Toeplitz(0, 1).Tridiagonal(n)
			off[cut] = 0
			solveTridiagonal(t, p, evd.Tridiagonal[float64]{D: diagonal, E: off}, ratio.Within("bisection"))
		}
	}
}
