package stages

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/tests/ratio"
	"github.com/vkevd/vkevd/tests/testmat"
	"github.com/vkevd/vkevd/vk"
)

// solveTridiagonal runs the solver and returns values and vectors, column-major.
func solveTridiagonal(t *testing.T, tune Tuning, d, e []float64) (values, z []float64) {
	t.Helper()
	dev, n := testDevice(t), len(d)
	ops, err := NewOps(dev, tune)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewDivideConquer(dev, n, ops.Gemm, tune)
	if err != nil {
		t.Fatal(err)
	}
	x := vk.Reserve[float64]("X", n*n)
	ws := arena(t, dev, vk.Together(x, s.Work(), ops.Work()))
	values, _, err = s.Solve(context.Background(), ws, d, e, NewMatrix(x.In(ws), n, n, n))
	if err != nil {
		t.Fatal(err)
	}
	xt := get(t, dev, x.In(ws))
	z = make([]float64, n*n)
	for r := range n {
		for c := range n {
			z[r+c*n] = xt[c+r*n]
		}
	}
	return values, z
}

func TestDivideConquerOnEveryKind(t *testing.T) {
	for _, kind := range testmat.Tridiagonals() {
		for _, n := range []int{1, 2, 3, 7, 50} {
			t.Run(fmt.Sprintf("%s/%d", kind.Name(), n), func(t *testing.T) {
				d, e := kind.Tridiagonal(n)
				values, z := solveTridiagonal(t, SmallestTuning(), d, e)
				if r := ratio.TridiagonalResidual(d, e, values, z, n); !(r < 10) {
					t.Errorf("residual %g", r)
				}
				if r := ratio.Orthogonality(n, n, z, n); !(r < 10) {
					t.Errorf("orthogonality %g", r)
				}
				if err := ratio.Sturm(d, e, values, 4*float64(n)*ratio.Ulp*ratio.NormTridiagonal(d, e)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// The device must agree with the twin in plain Go on what is deflated and on
// every root, to the last bits that a different order of summation leaves.
func TestDivideConquerAgreesWithTwin(t *testing.T) {
	const n = 150
	d, e := make([]float64, n), make([]float64, n-1)
	for i := range d {
		d[i] = math.Sin(float64(i * i))
	}
	for i := range e {
		e[i] = math.Cos(float64(3 * i * i))
	}
	tune := SmallestTuning()
	values, _ := solveTridiagonal(t, tune, d, e)
	want, _, err := ref.DivideConquer(d, e, ref.DCOptions{LeafSize: tune.DivideConquer.Leaf})
	if err != nil {
		t.Fatal(err)
	}
	if r := ratio.Values(n, values, want, ratio.NormTridiagonal(d, e)); !(r < 0.1) {
		t.Errorf("values differ by %g", r)
	}
}
