package ref

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/vkevd/vkevd/evd/ratio"
)

// complexOrReal returns z as a T. For reals it is the real part.
func complexOrReal[T Number](z complex128) (y T) {
	switch y := any(&y).(type) {
	case *float64:
		*y = real(z)
	case *complex128:
		*y = z
	}
	return y
}

func randomOf[T Number](rows, cols int, seed uint64) []T {
	x := make([]T, rows*cols)
	for i, z := range complexGauss(rows*cols, seed) {
		x[i] = complexOrReal[T](z)
	}
	return x
}

func hermitianOf[T Number](n int, seed uint64) []T {
	g := randomOf[T](n, n, seed)
	return full(n, func(i, j int) T {
		if i == j {
			return ofReal[T](realPart(g[i+j*n]))
		}
		return g[i+j*n]
	})
}

// positive returns the positive definite matrix G·Gᴴ + I of order n, with random G.
func positive[T Number](n int, seed uint64) []T {
	g, b := randomOf[T](n, n, seed), eyeOf[T](n, n)
	Gemm(NoTrans, Adjoint, n, n, n, 1, g, n, g, n, 1, b, n)
	return b
}

// triangle returns the lower triangle of an n×n matrix with leading dimension lda, with zeros above
// it.
func triangle[T Number](n int, a []T, lda int) []T {
	l := make([]T, n*n)
	for j := range n {
		copy(l[j+j*n:(j+1)*n], a[j+j*lda:])
	}
	return l
}

// asLower returns a matrix in storage of leading dimension ld, with NaN in what a function for
// Hermitian matrices must not read: above the diagonal, in its imaginary parts, and in the padding.
func asLower[T Number](n int, a []T, ld int) []T {
	x := lowerOnly(n, a, ld)
	if z, ok := any(x).([]complex128); ok {
		for i := range n {
			z[i+i*ld] = complex(real(z[i+i*ld]), math.NaN())
		}
	}
	return x
}

func times3[T Number](n int, opA Op, a, b []T, opC Op, c []T) []T {
	ab, abc := make([]T, n*n), make([]T, n*n)
	Gemm(opA, NoTrans, n, n, n, 1, a, n, b, n, 0, ab, n)
	Gemm(NoTrans, opC, n, n, n, 1, ab, n, c, n, 0, abc, n)
	return abc
}

// apart is ‖X − Y‖₁/(n·ulp·scale) for n×n matrices.
func apart[T Number](n int, x, y []T, scale float64) float64 {
	d := slices.Clone(x)
	subtract(n, n, y, d, n)
	return ratio.Norm1(n, n, d, n) / (float64(n) * ratio.Ulp * scale)
}

func norm[T Number](n int, x []T) float64 { return ratio.Norm1(n, n, x, n) }

func TestCholesky(t *testing.T) {
	t.Run("float64", testCholesky[float64])
	t.Run("complex128", testCholesky[complex128])
}

func testCholesky[T Number](t *testing.T) {
	factor, inverse := worst{name: "‖A − L·Lᴴ‖"}, worst{name: "‖I − X·L‖"}
	for n := 1; n <= 30; n++ {
		for _, b := range []int{1, 3, 8, 40} {
			dense, ld := positive[T](n, uint64(n)), n+2
			a := asLower(n, dense, ld)
			inverses, order := Cholesky(n, b, a, ld)
			if order != 0 || !untouched(n, n, a, ld) {
				t.Fatalf("n=%d b=%d: order %d, or padding was written", n, b, order)
			}
			l := triangle(n, a, ld)
			factor.see(t, apart(n, times3(n, NoTrans, l, eyeOf[T](n, n), Adjoint, l), dense, norm(n, dense)), "n=%d b=%d", n, b)
			for first := 0; first < n; first += b {
				size := min(b, n-first)
				product := make([]T, size*size)
				Gemm(NoTrans, NoTrans, size, size, size, 1, inverses[first*b:], b, l[first+first*n:], n, 0, product, size)
				inverse.see(t, apart(size, product, eyeOf[T](size, size), norm(n, l)), "n=%d b=%d, block at %d", n, b, first)
			}
		}
	}
	factor.report(t)
	inverse.report(t)
}

func TestCholeskyAgreesWithGonum(t *testing.T) {
	const n, b = 23, 5
	dense := positive[float64](n, 3)
	a, want := slices.Clone(dense), slices.Clone(dense)
	Cholesky(n, b, a, n)
	if !(gonum.Implementation{}.Dpotrf(blas.Upper, n, want, n)) { // by rows: the lower triangle by columns
		t.Fatal("gonum finds no factor")
	}
	if d := apart(n, triangle(n, a, n), triangle(n, want, n), norm(n, dense)); !(d < 1) {
		t.Errorf("%g from gonum's factor", d)
	}
}

// pascal returns the lower triangular matrix of binomial coefficients, and its inverse. In complex
// matrices, element (i, j) is multiplied by the imaginary unit to the power i − j. The parts of all
// elements are integers.
func pascal[T Number](n int) (l, inverse []T) {
	l, inverse = make([]T, n*n), make([]T, n*n)
	for i := range n {
		binomial := 1.0
		for j := range i + 1 {
			phase := complexOrReal[T]([]complex128{1, 1i, -1, -1i}[(i-j)%4])
			if _, is := any(phase).(float64); is {
				phase = 1
			}
			l[i+j*n], inverse[i+j*n] = times(binomial, phase), times(binomial*math.Pow(-1, float64(i-j)), phase)
			binomial = binomial * float64(i-j) / float64(j+1)
		}
	}
	return l, inverse
}

// TestCholeskyOfPascal checks that the factor of Pascal's matrix has the binomial coefficients,
// exactly: all intermediate numbers are integers.
func TestCholeskyOfPascal(t *testing.T) {
	t.Run("float64", testCholeskyOfPascal[float64])
	t.Run("complex128", testCholeskyOfPascal[complex128])
}

func testCholeskyOfPascal[T Number](t *testing.T) {
	const n = 12
	l, _ := pascal[T](n)
	a := times3(n, NoTrans, l, eyeOf[T](n, n), Adjoint, l)
	if _, order := Cholesky(n, 4, a, n); order != 0 || !slices.Equal(triangle(n, a, n), l) {
		t.Errorf("order %d, L = %v", order, triangle(n, a, n))
	}
}

// TestCholeskyFindsTheMinor puts a pivot that is not positive and finite at each place of the
// diagonal.
func TestCholeskyFindsTheMinor(t *testing.T) {
	t.Run("float64", testCholeskyFindsTheMinor[float64])
	t.Run("complex128", testCholeskyFindsTheMinor[complex128])
}

func testCholeskyFindsTheMinor[T Number](t *testing.T) {
	const n, b = 11, 4
	l, _ := pascal[T](n)
	for k := range n {
		for _, pivot := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			d := eyeOf[T](n, n)
			d[k+k*n] = ofReal[T](pivot)
			a := times3(n, NoTrans, l, d, Adjoint, l)
			if math.IsNaN(pivot) || math.IsInf(pivot, 0) { // in the diagonal of A alone
				a = times3(n, NoTrans, l, eyeOf[T](n, n), Adjoint, l)
				a[k+k*n] = ofReal[T](pivot)
			}
			if _, order := Cholesky(n, b, a, n); order != k+1 {
				t.Errorf("pivot %d is %g: order %d", k, pivot, order)
			}
		}
	}
}

// TestCholeskyOfHilbert checks that in double precision the Hilbert matrix of order 12 is positive
// definite, and that of order 15 is not.
func TestCholeskyOfHilbert(t *testing.T) {
	for n, positive := range map[int]bool{12: true, 15: false} {
		a := full(n, func(i, j int) float64 { return 1 / float64(i+j+1) })
		if _, order := Cholesky(n, 4, a, n); (order == 0) != positive {
			t.Errorf("n=%d: order %d", n, order)
		}
	}
}

func TestTrsm(t *testing.T) {
	t.Run("float64", testTrsm[float64])
	t.Run("complex128", testTrsm[complex128])
}

func testTrsm[T Number](t *testing.T) {
	const n, m = 9, 5
	l := positive[T](n, 7)
	Cholesky(n, 4, l, n)
	full := triangle(n, l, n)
	error := worst{name: "‖op(L)·X − B‖"}
	for op := NoTrans; op <= Adjoint; op++ {
		for _, left := range []bool{true, false} {
			rows, cols := n, m
			if !left {
				rows, cols = m, n
			}
			b := randomOf[T](rows, cols, uint64(op))
			x, back := slices.Clone(b), make([]T, rows*cols)
			Trsm(left, op, n, m, l, n, x, rows)
			if left {
				Gemm(op, NoTrans, n, m, n, 1, full, n, x, rows, 0, back, rows)
			} else {
				Gemm(NoTrans, op, m, n, n, 1, x, rows, full, n, 0, back, rows)
			}
			subtract(rows, cols, b, back, rows)
			scale := norm(n, full) * ratio.Norm1(rows, cols, x, rows) * n * ratio.Ulp
			error.see(t, ratio.Norm1(rows, cols, back, rows)/scale, "op %d, left %v", op, left)
		}
	}
	error.report(t)
}

// TestStandardForm checks the matrix C of the standard form of a pencil A − λ·B with B = L·Lᴴ. By
// the definition of C, L·C·Lᴴ must be A for A·x = λ·B·x, and Lᴴ·A·L must be C for the two other
// kinds of pencils.
func TestStandardForm(t *testing.T) {
	t.Run("float64", testStandardForm[float64])
	t.Run("complex128", testStandardForm[complex128])
}

func testStandardForm[T Number](t *testing.T) {
	error := worst{name: "error of C"}
	for _, p := range []Pencil{AxLBx, ABxLx, BAxLx} {
		for _, n := range []int{1, 2, 3, 4, 5, 8, 13, 17, 24} {
			for _, leaf := range []int{1, 2, 4, 40} {
				dense, b, ld := hermitianOf[T](n, uint64(n)), positive[T](n, 5), n+3
				Cholesky(n, 4, b, n)
				l, a := triangle(n, b, n), asLower(n, dense, ld)
				StandardForm(p, n, leaf, a, ld, l, n)
				c := triangle(n, a, ld)
				mirror(n, c, n)
				ratio := 0.0
				if p == AxLBx {
					ratio = apart(n, times3(n, NoTrans, l, c, Adjoint, l), dense, norm(n, l)*norm(n, l)*norm(n, c))
				} else {
					ratio = apart(n, times3(n, Adjoint, l, dense, NoTrans, l), c, norm(n, l)*norm(n, l)*norm(n, dense))
				}
				error.see(t, ratio, "type %d, n=%d, leaf %d", p, n, leaf)
			}
		}
	}
	error.report(t)
}

// TestPencilsHaveKnownValues solves pencils whose eigenvalues are −1, 0, 1, …: A = L·D·Lᴴ or A =
// L⁻ᴴ·D·L⁻¹ for Pascal's matrix L, all of integers.
func TestPencilsHaveKnownValues(t *testing.T) {
	t.Run("float64", testPencilsHaveKnownValues[float64])
	t.Run("complex128", testPencilsHaveKnownValues[complex128])
}

func testPencilsHaveKnownValues[T Number](t *testing.T) {
	const n, leaf = 7, 2
	l, inverse := pascal[T](n)
	b := times3(n, NoTrans, l, eyeOf[T](n, n), Adjoint, l)
	for _, p := range []Pencil{AxLBx, ABxLx, BAxLx} {
		d := eyeOf[T](n, n)
		for i := range n {
			d[i+i*n] = ofReal[T](float64(i - 1))
		}
		a := times3(n, Adjoint, inverse, d, NoTrans, inverse)
		if p == AxLBx {
			a = times3(n, NoTrans, l, d, Adjoint, l)
		}
		c, factor := slices.Clone(a), slices.Clone(b)
		Cholesky(n, 3, factor, n)
		factor = triangle(n, factor, n)
		StandardForm(p, n, leaf, c, n, factor, n)
		values, x := Eigen(n, 2, 2, c, n)
		PencilVectors(p, n, n, factor, n, x, n)
		for i, v := range values {
			if !(math.Abs(v-float64(i-1)) < 1e-9) {
				t.Errorf("type %d: value %d is %g", p, i, v)
			}
		}
		// The eigenvectors must satisfy XᴴBX = I, or XᴴB⁻¹X = I for B·A·x = λ·x. The residual is
		// left·X − right·X·Λ: A·X − B·X·Λ, A·B·X − X·Λ or B·A·X − X·Λ.
		metric, left, right := b, a, b
		switch p {
		case ABxLx:
			left, right = times3(n, NoTrans, a, b, NoTrans, eyeOf[T](n, n)), eyeOf[T](n, n)
		case BAxLx:
			metric = times3(n, Adjoint, inverse, eyeOf[T](n, n), NoTrans, inverse)
			left, right = times3(n, NoTrans, b, a, NoTrans, eyeOf[T](n, n)), eyeOf[T](n, n)
		}
		if g := times3(n, Adjoint, x, metric, NoTrans, x); !(apart(n, g, eyeOf[T](n, n), norm(n, metric)*norm(n, x)) < threshold) {
			t.Errorf("type %d: XᴴMX = %v", p, g)
		}
		lambda := make([]T, n*n)
		for i, v := range values {
			lambda[i+i*n] = ofReal[T](v)
		}
		ax, bxl := times3(n, NoTrans, left, x, NoTrans, eyeOf[T](n, n)), times3(n, NoTrans, right, x, NoTrans, lambda)
		if r := apart(n, ax, bxl, (norm(n, left)+norm(n, right)*norm(n, lambda))*norm(n, x)); !(r < threshold) {
			t.Errorf("type %d: residual %g", p, r)
		}
	}
}
