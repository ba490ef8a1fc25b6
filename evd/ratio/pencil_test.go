package ratio_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/ref"
)

// pencil has a matrix B = Q·D·Qᴴ of a given condition, its Cholesky factor L, and two matrices A:
// the field `any` is random, and `compatible` is L·M·Lᴴ with a random matrix M.
type pencil[T ref.Number] struct {
	n                     int
	b, l, any, compatible []T
}

func newPencil[T ref.Number](n int, condition float64) pencil[T] {
	random := rand.New(rand.NewPCG(uint64(n), 36))
	hermitian := func() []T {
		x := make([]T, n*n)
		for j := range n {
			for i := range j + 1 {
				z := complex(random.NormFloat64(), random.NormFloat64())
				x[i+j*n], x[j+i*n] = number[T](z), number[T](complex(real(z), -imag(z)))
				if i == j {
					x[i+j*n] = number[T](complex(real(z), 0))
				}
			}
		}
		return x
	}
	_, q := ref.Eigen(n, 2, 4, hermitian(), n)
	product := func(x, y []T, adjoint ref.Op) []T {
		z := make([]T, n*n)
		ref.Gemm(ref.NoTrans, adjoint, n, n, n, 1, x, n, y, n, 0, z, n)
		return z
	}
	qd := slices.Clone(q)
	for i := range qd {
		qd[i] *= number[T](complex(math.Pow(condition, -float64(i/n)/float64(n-1)), 0))
	}
	p := pencil[T]{n: n, b: product(qd, q, ref.Adjoint), any: hermitian()}
	p.l = slices.Clone(p.b)
	ref.Cholesky(n, 4, p.l, n)
	for j := range n {
		clear(p.l[j*n : j*n+j])
	}
	p.compatible = product(product(p.l, hermitian(), ref.NoTrans), p.l, ref.Adjoint)
	return p
}

// number returns z as a T: its real part for float64.
func number[T ref.Number](z complex128) (x T) {
	switch x := any(&x).(type) {
	case *float64:
		*x = real(z)
	case *complex128:
		*x = z
	}
	return x
}

func (p pencil[T]) solve(a []T) (values []float64, x []T) {
	c := slices.Clone(a)
	ref.StandardForm(ref.AxLBx, p.n, 4, c, p.n, p.l, p.n)
	values, x = ref.Eigen(p.n, 2, 4, c, p.n)
	ref.PencilVectors(ref.AxLBx, p.n, p.n, p.l, p.n, x, p.n)
	return values, x
}

// TestPencil checks which numbers are small: omega always, and eta if A is compatible with B or if
// the condition number of B is small. For a random A, eta grows with the condition number, as it
// does for LAPACK.
func TestPencil(t *testing.T) {
	t.Run("float64", testPencil[float64])
	t.Run("complex128", testPencil[complex128])
}

func testPencil[T ref.Number](t *testing.T) {
	const n = 24
	for _, condition := range []float64{1, 1e3, 1e6, 1e9, 1e12} {
		p := newPencil[T](n, condition)
		for kind, a := range map[string][]T{"any": p.any, "compatible": p.compatible} {
			values, x := p.solve(a)
			eta, omega := ratio.Pencil(n, n, a, n, p.b, n, values, x, n)
			t.Logf("condition %g, %s A: eta %.3g, omega %.3g", condition, kind, eta, omega)
			limit := math.Inf(1)
			switch {
			case kind == "compatible":
				limit = 1
			case condition == 1, condition == 1e3:
				limit = 10
			}
			if !(omega < 1) || !(eta < limit) {
				t.Errorf("condition %g, %s A: eta %g, omega %g", condition, kind, eta, omega)
			}
			if kind == "any" && condition == 1e12 && !(eta > 100) {
				t.Errorf("eta is %g where it must grow", eta)
			}
		}
	}
}

// TestPencilSeesErrors changes a value or a vector of a right result. Only the measure of this
// error must grow. If a number is not finite, both must be +Inf.
func TestPencilSeesErrors(t *testing.T) {
	const n, m = 12, 5
	p := newPencil[float64](n, 1e4)
	values, x := p.solve(p.compatible)
	measure := func(change func(values, x []float64)) (eta, omega float64) {
		v, y := slices.Clone(values[:m]), slices.Clone(x[:n*m])
		change(v, y)
		return ratio.Pencil(n, m, p.compatible, n, p.b, n, v, y, n)
	}
	if eta, omega := measure(func(_, _ []float64) {}); !(eta < 1) || !(omega < 1) {
		t.Fatalf("eta %g, omega %g", eta, omega)
	}
	if eta, omega := measure(func(v, _ []float64) { v[2] += 1e-8 * math.Abs(v[2]) }); !(eta > 100) || !(omega < 1) {
		t.Errorf("a value is changed: eta %g, omega %g", eta, omega)
	}
	if eta, omega := measure(func(_, x []float64) {
		for i := range n {
			x[3*n+i] *= 1 + 1e-8
		}
	}); !(eta < 1) || !(omega > 100) {
		t.Errorf("a vector is longer: eta %g, omega %g", eta, omega)
	}
	for what, change := range map[string]func(v, x []float64){
		"a value":  func(v, _ []float64) { v[0] = math.NaN() },
		"a vector": func(_, x []float64) { x[7] = math.Inf(1) },
	} {
		if eta, omega := measure(change); !math.IsInf(eta, 1) || !math.IsInf(omega, 1) {
			t.Errorf("%s is not finite: eta %g, omega %g", what, eta, omega)
		}
	}
}

// TestPencilIsScaled checks that scales of A and B change nothing, also where squares overflow.
func TestPencilIsScaled(t *testing.T) {
	const n = 9
	p := newPencil[float64](n, 100)
	values, x := p.solve(p.any)
	eta, omega := ratio.Pencil(n, n, p.any, n, p.b, n, values, x, n)
	for _, e := range [][2]int{{500, 500}, {-500, -400}, {400, -500}, {-900, 100}} {
		scale := func(x []float64, e int) []float64 {
			y := slices.Clone(x)
			for i := range y {
				y[i] = math.Ldexp(y[i], e)
			}
			return y
		}
		eta2, omega2 := ratio.Pencil(n, n, scale(p.any, e[0]), n, scale(p.b, e[1]), n, scale(values, e[0]-e[1]), scale(x, -e[1]/2), n)
		if eta2 != eta || omega2 != omega {
			t.Errorf("scales %v: eta %g and %g, omega %g and %g", e, eta, eta2, omega, omega2)
		}
	}
}
