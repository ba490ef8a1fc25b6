package gonumlapack

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// use registers impl with gonum until the end of the test.
func use(t testing.TB, impl *Implementation) {
	lapack64.Use(impl)
	t.Cleanup(func() { lapack64.Use(gonum.Implementation{}) })
}

// TestEigenSym checks mat.EigenSym on the device, for random matrices: A·Q = Q·Λ, A = Q·Λ·Qᵀ, the
// values without vectors, and that A is not changed.
func TestEigenSym(t *testing.T) {
	use(t, always(t))
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 5, 10, 70} {
		tol := 1e-14 * float64(n)
		a := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				a.SetSym(i, j, r.NormFloat64())
			}
		}
		given := mat.NewSymDense(n, nil)
		given.CopySym(a)
		var es, alone mat.EigenSym
		if !es.Factorize(a, true) || !alone.Factorize(a, false) {
			t.Fatalf("n = %d: not ok", n)
		}
		if !mat.Equal(a, given) {
			t.Errorf("n = %d: the matrix was written to", n)
		}
		if !mat.EqualApprox(mat.NewVecDense(n, es.Values(nil)), mat.NewVecDense(n, alone.Values(nil)), tol) {
			t.Errorf("n = %d: values differ without vectors", n)
		}
		var q, left, right mat.Dense
		es.VectorsTo(&q)
		left.Mul(a, &q)
		right.Mul(&q, mat.NewDiagDense(n, es.Values(nil)))
		if !mat.EqualApprox(&left, &right, tol) {
			t.Errorf("n = %d: A·Q is not Q·Λ", n)
		}
		if !mat.EqualApprox(&es, a, tol) {
			t.Errorf("n = %d: QΛQᵀ is not A", n)
		}
	}
}

// TestEigenSymKnown solves the matrix of second differences tridiag(−1, 2, −1), whose eigenvalues
// are 2 − 2·cos(kπ/(n+1)), k = 1 … n.
func TestEigenSymKnown(t *testing.T) {
	use(t, always(t))
	const n = 40
	a := mat.NewSymDense(n, nil)
	for i := range n {
		a.SetSym(i, i, 2)
		if i > 0 {
			a.SetSym(i-1, i, -1)
		}
	}
	var es mat.EigenSym
	if !es.Factorize(a, true) {
		t.Fatal("not ok")
	}
	for k, got := range es.Values(nil) {
		if want := 2 - 2*math.Cos(float64(k+1)*math.Pi/(n+1)); !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("λ%d is %.17g, not %.17g", k, got, want)
		}
	}
}

// TestEigenSymNotOk makes the factorisation of mat.EigenSym fail. Methods that need the
// factorisation must then panic, as they do in gonum.
func TestEigenSymNotOk(t *testing.T) {
	impl := always(t)
	impl.Report = nil
	use(t, impl)
	a := mat.NewSymDense(3, []float64{1, 2, math.NaN(), 0, 3, 4, 0, 0, 5})
	var es mat.EigenSym
	if es.Factorize(a, true) {
		t.Error("ok")
	}
	defer func() {
		if said := recover(); said != "mat: use without successful factorization" {
			t.Errorf("panics with %v", said)
		}
	}()
	es.Values(nil)
}
