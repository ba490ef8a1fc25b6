package ref

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/cblas128"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
)

// complexGauss returns n numbers whose real and imaginary parts are normally distributed.
func complexGauss(n int, seed uint64) []complex128 {
	re, im := gauss(n, seed), gauss(n, seed+1000)
	x := make([]complex128, n)
	for i := range x {
		x[i] = complex(re[i], im[i])
	}
	return x
}

func complexPadded(rows, cols, ld int, seed uint64) []complex128 {
	x := nansOf[complex128](ld * cols)
	for j := range cols {
		copy(x[j*ld:], complexGauss(rows, seed+uint64(j)))
	}
	return x
}

func gaussHermitian(n int, seed uint64) []complex128 {
	g := complexGauss(n*n, seed)
	return full(n, func(i, j int) complex128 {
		if i == j {
			return complex(real(g[i+j*n]), 0)
		}
		return g[i+j*n]
	})
}

// lowerHalf is lowerOnly with NaN in the imaginary parts of the diagonal, too.
func lowerHalf(n int, a []complex128, ld int) []complex128 {
	x := lowerOnly(n, a, ld)
	for i := range n {
		x[i+i*ld] = complex(real(x[i+i*ld]), math.NaN())
	}
	return x
}

// furthest returns ‖got − want‖₁, the largest sum of a column, or +Inf for a NaN.
func furthest(t *testing.T, rows, cols int, got []complex128, ldg int, want []complex128, ldw int) float64 {
	t.Helper()
	diff := make([]complex128, rows*cols)
	for j := range cols {
		for i := range rows {
			diff[i+j*rows] = got[i+j*ldg] - want[i+j*ldw]
		}
	}
	if d := ratio.Norm1(rows, cols, diff, rows); !math.IsNaN(d) {
		return d
	}
	return math.Inf(1)
}

func conjugates(x []complex128) []complex128 {
	y := make([]complex128, len(x))
	for i, v := range x {
		y[i] = cmplx.Conj(v)
	}
	return y
}

// TestComplexHouseholder checks Hᴴ·x = β·e1 with a real β, and that H is unitary.
func TestComplexHouseholder(t *testing.T) {
	orthogonal := worst{name: "‖I − HᴴH‖"}
	for n := 1; n <= 20; n++ {
		for _, scale := range []float64{1, 1e300, 1e-300, 5e-324} {
			for kind, spoil := range map[string]func(x []complex128){
				"random":         func([]complex128) {},
				"zero tail":      func(x []complex128) { clear(x[1:]) },
				"zero tail real": func(x []complex128) { clear(x[1:]); x[0] = complex(real(x[0]), 0) },
				"imaginary head": func(x []complex128) { clear(x[1:]); x[0] = complex(0, imag(x[0])) },
				"zero head":      func(x []complex128) { x[0] = 0 },
				"zero":           func(x []complex128) { clear(x) },
				"tiny tail": func(x []complex128) {
					for i := range x[1:] {
						x[1+i] *= 1e-200
					}
				},
				"real": func(x []complex128) {
					for i := range x {
						x[i] = complex(real(x[i]), 0)
					}
				},
			} {
				x := complexGauss(n, uint64(n))
				for i := range x {
					x[i] = complex(real(x[i])*scale, imag(x[i])*scale)
				}
				spoil(x)
				v := slices.Clone(x)
				beta, tau := Householder(v)
				largest, turns := 0.0, imag(x[0]) != 0
				for i, xi := range x {
					largest = max(largest, math.Abs(real(xi)), math.Abs(imag(xi)))
					turns = turns || i > 0 && xi != 0
				}
				if v[0] != 1 || imag(beta) != 0 || turns != (tau != 0) || !(cmplx.Abs(tau-1) <= 1+4*ratio.Ulp) {
					t.Fatalf("%s n=%d scale=%g: v0=%v β=%v τ=%v", kind, n, scale, v[0], beta, tau)
				}
				if turns && (real(beta) < 0) != (real(x[0]) >= 0) || !turns && beta != x[0] {
					t.Errorf("%s n=%d scale=%g: x0=%v β=%v", kind, n, scale, x[0], beta)
				}
				h := eyeOf[complex128](n, n)
				reflectLeft(tau, v, n, h, n)
				orthogonal.see(t, ratio.Orthogonality(n, n, h, n), "%s n=%d scale=%g", kind, n, scale)

				within := math.Max(8*float64(n)*ratio.Ulp*largest, 4*float64(n)*5e-324)
				reflectLeft(conj(tau), v, 1, x, n)
				x[0] -= beta
				for i, r := range x {
					if !(math.Abs(real(r)) <= within && math.Abs(imag(r)) <= within) {
						t.Errorf("%s n=%d scale=%g: element %d of Hᴴ·x − β·e1 is %v", kind, n, scale, i, r)
					}
				}
			}
		}
	}
	orthogonal.report(t)
}

// TestComplexGemmAgreesWithGonum checks all operations. gonum has no operation Conj. In place of
// it, gonum computes the adjoint of the transposed matrix.
func TestComplexGemmAgreesWithGonum(t *testing.T) {
	const m, n, k = 7, 5, 6
	for opA := NoTrans; opA <= Adjoint; opA++ {
		for opB := NoTrans; opB <= Adjoint; opB++ {
			for _, beta := range []float64{0, 1, -0.5} {
				factor := func(op Op, rows, cols int, seed uint64) (x []complex128, ld int, same cblas128.General, gonums blas.Transpose) {
					if op.transposes() {
						rows, cols = cols, rows
					}
					ld = rows + 2
					x = complexPadded(rows, cols, ld, seed)
					gonums = map[Op]blas.Transpose{NoTrans: blas.NoTrans, Trans: blas.Trans, Adjoint: blas.ConjTrans}[op]
					same = cblas128.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]complex128, rows*cols)}
					if op == Conj {
						gonums, same.Rows, same.Cols, same.Stride = blas.ConjTrans, cols, rows, rows
					}
					for i := range rows {
						for j := range cols {
							if op == Conj {
								same.Data[j*rows+i] = x[i+j*ld]
							} else {
								same.Data[i*cols+j] = x[i+j*ld]
							}
						}
					}
					return x, ld, same, gonums
				}
				a, lda, sameA, ta := factor(opA, m, k, 1)
				b, ldb, sameB, tb := factor(opB, k, n, 2)
				got := complexPadded(m, n, m+1, 3)
				want := cblas128.General{Rows: m, Cols: n, Stride: n, Data: make([]complex128, m*n)}
				for i := range m {
					for j := range n {
						want.Data[i*n+j] = got[i+j*(m+1)]
					}
				}
				if beta == 0 {
					got = nansOf[complex128](len(got))
				}
				Gemm(opA, opB, m, n, k, -1.5, a, lda, b, ldb, beta, got, m+1)
				cblas128.Gemm(ta, tb, -1.5, sameA, sameB, complex(beta, 0), want)
				for i := range m {
					for j := range n {
						if d := cmplx.Abs(got[i+j*(m+1)] - want.Data[i*n+j]); !(d <= 1e-13) {
							t.Fatalf("op %d, op %d, β=%g: element (%d, %d) is off by %g", opA, opB, beta, i, j, d)
						}
					}
				}
				if !untouched(m, n, got, m+1) {
					t.Errorf("op %d, op %d: padding written", opA, opB)
				}
			}
		}
	}
}

// TestHermitianProductsReadOneTriangle compares Symm and Syr2k with Gemm. The imaginary parts of
// the diagonal are NaN before, and Syr2k clears them.
func TestHermitianProductsReadOneTriangle(t *testing.T) {
	for n := range 8 {
		for k := range 4 {
			ld := n + 2
			y, z, a := complexPadded(n, k, ld, 1), complexPadded(n, k, ld, 2), gaussHermitian(n, 3)
			p, want := nansOf[complex128](ld*k), nansOf[complex128](ld*k)
			Symm(n, k, lowerHalf(n, a, ld), ld, y, ld, p, ld)
			Gemm(NoTrans, NoTrans, n, k, n, 1, a, max(1, n), y, ld, 0, want, ld)
			if d := furthest(t, n, k, p, ld, want, ld); !(d <= 1e-13) {
				t.Errorf("symm n=%d k=%d: off by %g", n, k, d)
			}
			c := lowerHalf(n, a, ld)
			Syr2k(n, k, y, ld, z, ld, c, ld)
			Gemm(NoTrans, Adjoint, n, n, k, -1, y, ld, z, ld, 1, a, max(1, n))
			Gemm(NoTrans, Adjoint, n, n, k, -1, z, ld, y, ld, 1, a, max(1, n))
			for j := range n {
				if imag(c[j+j*ld]) != 0 {
					t.Errorf("syr2k n=%d k=%d: diagonal element %v", n, k, c[j+j*ld])
				}
				if d := furthest(t, n-j, 1, c[j+j*ld:], ld, a[j+j*n:], ld); !(d <= 1e-13) {
					t.Errorf("syr2k n=%d k=%d: column %d off by %g", n, k, j, d)
				}
			}
		}
	}
}

// TestComplexPanelQR checks the factorisation Q·R of panels. Q = I − Y·T·Yᴴ must be unitary, and
// the product of the reflectors. R's diagonal must be real.
func TestComplexPanelQR(t *testing.T) {
	orthogonal, residual, product := worst{name: "‖I − QᴴQ‖"}, worst{name: "‖P − Q·R‖"}, worst{name: "‖Q − H0·H1⋯‖"}
	for _, m := range []int{1, 2, 3, 5, 8, 33} {
		for _, b := range []int{1, 2, 3, 5, 8} {
			for _, kind := range []string{"random", "zero column", "real", "triangular"} {
				ld := m + 2
				x := complexPadded(m, b, ld, 7)
				for j := range b {
					for i := range m {
						switch {
						case kind == "zero column" && j == b/2, kind == "triangular" && i > j:
							x[i+j*ld] = 0
						case kind == "real":
							x[i+j*ld] = complex(real(x[i+j*ld]), 0)
						}
					}
				}
				y := slices.Clone(x)
				r, tau := PanelQR(m, b, y, ld)
				tf := TFactor(m, b, y, ld, tau)
				if !untouched(m, b, y, ld) {
					t.Fatalf("%s m=%d b=%d: padding written", kind, m, b)
				}
				q, h := eyeOf[complex128](m, m), eyeOf[complex128](m, m)
				yt := make([]complex128, m*b)
				Gemm(NoTrans, NoTrans, m, b, b, 1, y, ld, tf, b, 0, yt, m)
				Gemm(NoTrans, Adjoint, m, m, b, -1, yt, m, y, ld, 1, q, m)
				for j := b - 1; j >= 0; j-- {
					reflectLeft(tau[j], y[j*ld:][:m], m, h, m)
				}
				for j := range min(b, m) {
					if imag(r[j+j*b]) != 0 {
						t.Errorf("%s m=%d b=%d: R(%d, %d) = %v", kind, m, b, j, j, r[j+j*b])
					}
				}
				rebuilt := make([]complex128, m*b)
				Gemm(NoTrans, NoTrans, m, b, min(m, b), 1, q, m, r, b, 0, rebuilt, m)
				unit := float64(m) * ratio.Ulp
				orthogonal.see(t, ratio.Orthogonality(m, m, q, m), "%s m=%d b=%d", kind, m, b)
				residual.see(t, furthest(t, m, b, rebuilt, m, x, ld)/max(ratio.Norm1(m, b, x, ld), 1)/unit, "%s m=%d b=%d", kind, m, b)
				product.see(t, furthest(t, m, m, q, m, h, m)/unit, "%s m=%d b=%d", kind, m, b)
			}
		}
	}
	orthogonal.report(t)
	residual.report(t)
	product.report(t)
}

// TestHermitianReductions checks A = Q1·B·Q1ᴴ and B = Q2·T·Q2ᴴ. T is real but for the last element
// of its off-diagonal. BulgeChasingWaves must give the same bits as BulgeChasing.
func TestHermitianReductions(t *testing.T) {
	first, second := worst{name: "‖A − Q1·B·Q1ᴴ‖"}, worst{name: "‖B − Q2·T·Q2ᴴ‖"}
	complexLast := 0
	for n := 0; n <= 40; n++ {
		for _, b := range []int{1, 2, 3, 4, 8} {
			for _, k := range []int{b, 4 * b} {
				dense, lda := gaussHermitian(n, uint64(n*b+k)), n+3
				a := lowerHalf(n, dense, lda)
				band, tf := BandReduction(n, b, k, a, lda)
				if !untouched(n, n, a, lda) {
					t.Fatalf("n=%d b=%d k=%d: padding written", n, b, k)
				}
				q := eyeOf[complex128](n, n)
				ApplyQ1(n, b, a, lda, tf, n, q, n)
				before := bandToFull(t, n, b, band)
				first.see(t, similarity(n, dense, q, before), "n=%d b=%d k=%d", n, b, k)

				for i := range n { // imaginary parts that the chase must not read
					band[i*2*b] = complex(real(band[i*2*b]), math.NaN())
				}
				waves := slices.Clone(band)
				d, e, v, tau := BulgeChasing(n, b, band)
				dw, ew, vw, tauw := BulgeChasingWaves(n, b, waves)
				if !slices.Equal(d, dw) || !slices.Equal(e, ew) || !slices.Equal(v, vw) || !slices.Equal(tau, tauw) {
					t.Errorf("n=%d b=%d: waves give other bits", n, b)
				}
				for i := range e {
					if last := i == len(e)-1; imag(d[i]) != 0 || !last && imag(e[i]) != 0 {
						t.Errorf("n=%d b=%d: d(%d)=%v, e(%d)=%v", n, b, i, d[i], i, e[i])
					} else if last && imag(e[i]) != 0 {
						complexLast++
					}
				}
				for i := 1; i < n && Sweeps(n) > 0; i++ { // the chase writes the diagonal from row 1 on
					if imag(band[i*2*b]) != 0 {
						t.Errorf("n=%d b=%d: B(%d, %d) became %v", n, b, i, i, band[i*2*b])
					}
				}
				q = eyeOf[complex128](n, n)
				ApplyQ2(n, b, v, tau, n, q, n)
				second.see(t, similarity(n, before, q, tridiagonalToFull(d, e)), "n=%d b=%d", n, b)
			}
		}
	}
	if complexLast == 0 {
		t.Error("no last element of an off-diagonal was complex: this test does not see phases")
	}
	first.report(t)
	second.report(t)
}

// TestChaseTurnsComplexHeads chases bands whose columns have nothing to annihilate, but complex
// elements next to the diagonal. T must be real all the same, but for the last element of its
// off-diagonal.
func TestChaseTurnsComplexHeads(t *testing.T) {
	for _, n := range []int{3, 4, 9} {
		for _, b := range []int{1, 2, 4} {
			dense := full(n, func(i, j int) complex128 {
				return map[int]complex128{0: complex(float64(i), 0), 1: cmplx.Rect(1, float64(1+j))}[i-j]
			})
			band := make([]complex128, n*2*b)
			for j := range n {
				copy(band[j*2*b:][:min(2, n-j)], dense[j+j*n:])
			}
			d, e, v, tau := BulgeChasing(n, b, band)
			for i := range n - 2 {
				if imag(e[i]) != 0 {
					t.Errorf("n=%d b=%d: e(%d) = %v", n, b, i, e[i])
				}
			}
			q := eyeOf[complex128](n, n)
			ApplyQ2(n, b, v, tau, n, q, n)
			if r := similarity(n, dense, q, tridiagonalToFull(d, e)); !(r < threshold) {
				t.Errorf("n=%d b=%d: ‖B − Q2·T·Q2ᴴ‖ = %g", n, b, r)
			}
		}
	}
}

// TestHermitianBackTransformations checks three properties of the transformations Q1 and Q2 of
// vectors X: Q1·X is the same for vectors in rows and for vectors in columns, Qᴴ·Q·X = X for Q1 and
// for Q2, and products with squares give Q2·X.
func TestHermitianBackTransformations(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 20, 33} {
		for _, b := range []int{1, 3, 4, 8} {
			a := lowerHalf(n, gaussHermitian(n, 5), n)
			band, tf := BandReduction(n, b, 2*b, a, n)
			_, _, v, tau := BulgeChasing(n, b, band)
			const m = 3
			x := complexGauss(n*m, 9)
			rows, ldx := nansOf[complex128](n*(m+1)), m+1
			for i := range n {
				for j := range m {
					rows[j+i*ldx] = x[i+j*n]
				}
			}
			got := slices.Clone(x)
			ApplyQ1(n, b, a, n, tf, m, got, n)
			ApplyQ1Rows(n, b, a, n, tf, m, rows, ldx)
			for i := range n {
				for j := range m {
					if d := cmplx.Abs(rows[j+i*ldx] - got[i+j*n]); !(d <= 1e-12) {
						t.Fatalf("n=%d b=%d: Q1·X in rows is off by %g", n, b, d)
					}
				}
			}
			if !untouched(m, n, rows, ldx) {
				t.Errorf("n=%d b=%d: padding written", n, b)
			}
			ApplyQ1Transposed(n, b, a, n, tf, m, got, n)
			if d := furthest(t, n, m, got, n, x, n); !(d <= 1e-12) {
				t.Errorf("n=%d b=%d: Q1ᴴ·Q1·X is off by %g", n, b, d)
			}
			squares := slices.Clone(x)
			ApplyQ2(n, b, v, tau, m, got, n)
			ApplyQ2Squares(n, b, 4, 2*b, v, tau, m, squares, n)
			if d := furthest(t, n, m, squares, n, got, n); !(d <= 1e-12) {
				t.Errorf("n=%d b=%d: Q2·X by squares is off by %g", n, b, d)
			}
			ApplyQ2Transposed(n, b, v, tau, m, got, n)
			if d := furthest(t, n, m, got, n, x, n); !(d <= 1e-12) {
				t.Errorf("n=%d b=%d: Q2ᴴ·Q2·X is off by %g", n, b, d)
			}
		}
	}
}

// stored returns the matrix as LowerTriangle reads it, with NaN where LowerTriangle must not read.
func stored(n int, a []complex128, upper, rowMajor bool, ld int) []complex128 {
	x := nansOf[complex128](n * ld)
	for j := range n {
		for i := range n {
			v, at := a[i+j*n], i+j*ld
			if rowMajor {
				at = j + i*ld
			}
			switch {
			case i == j:
				x[at] = complex(real(v), math.NaN())
			case upper == (i < j):
				x[at] = v
			}
		}
	}
	return x
}

// TestHermitianPipeline solves complex matrices of every family. The triangle that is read, the order
// of storage and the half-bandwidth change from one matrix to the next.
func TestHermitianPipeline(t *testing.T) {
	residual, rebuilt := worst{name: "‖A·Z − Z·Λ‖"}, worst{name: "‖A − Z·Λ·Zᴴ‖"}
	orthogonal, values := worst{name: "‖I − Zᴴ·Z‖"}, worst{name: "|λ − known|"}
	turn := 0
	for f, kind := range matgen.Hermitians() {
		for _, n := range []int{0, 1, 2, 3, 5, 20, 31, 33, 64, 65, 97} {
			if n > 33 && f%6 != 0 {
				continue
			}
			turn++
			b, upper, rowMajor := []int{4, 8, 32}[turn%3], turn%2 == 1, turn/2%2 == 1
			what := fmt.Sprintf("%s n=%d b=%d upper=%v rowMajor=%v", kind.Name(), n, b, upper, rowMajor)
			dense := kind.Dense(n)
			a := LowerTriangle(n, upper, rowMajor, stored(n, dense, upper, rowMajor, n+2), n+2)
			for i := range n {
				if imag(a[i+i*n]) != 0 {
					t.Fatalf("%s: element (%d, %d) is %v", what, i, i, a[i+i*n])
				}
			}
			lambda, z := Eigen(n, b, b*(1+turn%2), a, n)
			residual.see(t, ratio.Residual(n, n, dense, n, lambda, z, n), "%s", what)
			rebuilt.see(t, ratio.Reconstruction(n, dense, n, lambda, z, n), "%s", what)
			orthogonal.see(t, ratio.Orthogonality(n, n, z, n), "%s", what)
			if want, known := kind.Eigenvalues(n); known {
				values.see(t, ratio.Values(n, lambda, want, ratio.Norm1(n, n, dense, n)), "%s", what)
			}
		}
	}
	for _, w := range []*worst{&residual, &rebuilt, &orthogonal, &values} {
		w.report(t)
	}
}

// pipelineOrders has orders below and above 4, the half-bandwidth in the tests that use them.
var pipelineOrders = []int{1, 2, 3, 5, 20, 33, 64}

// TestConjugateMatrix checks that the conjugate matrix has the same values and the conjugate
// vectors, bit for bit: no step prefers one sign of the imaginary parts.
func TestConjugateMatrix(t *testing.T) {
	for _, n := range pipelineOrders {
		a := gaussHermitian(n, 21)
		values, z := Eigen(n, 4, 8, slices.Clone(a), n)
		same, conjugate := Eigen(n, 4, 8, conjugates(a), n)
		if !slices.Equal(values, same) || !slices.Equal(conjugates(z), conjugate) {
			t.Errorf("n=%d: the conjugate matrix has other values, or other vectors", n)
		}
	}
}

// agreeUpToRounding compares the eigenvalues and eigenvectors of a matrix with simple eigenvalues.
// The phases of the vectors must be those that ColumnPhases chooses.
func agreeUpToRounding(t *testing.T, what string, n int, values, want []float64, z, wantZ []complex128) {
	t.Helper()
	norm := max(math.Abs(want[0]), math.Abs(want[n-1]))
	if r := ratio.Values(n, values, want, norm); !(r < threshold) {
		t.Errorf("%s, n=%d: values differ by %g", what, n, r)
	}
	if d := furthest(t, n, n, z, n, wantZ, n); !(d <= 1e-9) {
		t.Errorf("%s, n=%d: vectors differ by %g", what, n, d)
	}
}

// TestPhasesOfRowsAndColumns multiplies the rows and columns of A by phases: D·A·Dᴴ with a unitary
// diagonal matrix D. It must have the values of A, and the vectors D·z for the vectors z of A.
func TestPhasesOfRowsAndColumns(t *testing.T) {
	for _, n := range pipelineOrders {
		a, d := gaussHermitian(n, 22), matgen.Phases(n, rand.New(rand.NewPCG(1, uint64(n))))
		values, z := Eigen(n, 4, 8, slices.Clone(a), n)
		turned := full(n, func(i, j int) complex128 {
			if i == j {
				return a[i+j*n]
			}
			return d[i] * a[i+j*n] * cmplx.Conj(d[j])
		})
		same, got := Eigen(n, 4, 8, turned, n)
		for i := range z {
			z[i] *= d[i%n]
		}
		ColumnPhases(n, n, z, n)
		agreeUpToRounding(t, "D·A·Dᴴ", n, same, values, got, z)
	}
}

// TestRealInComplexStorage checks that a real matrix gives the same values and vectors in float64
// and in complex128.
func TestRealInComplexStorage(t *testing.T) {
	for _, n := range pipelineOrders {
		a := gaussSymmetric(n, 23)
		wantValues, z := Eigen(n, 4, 8, slices.Clone(a), n)
		values, got := Eigen(n, 4, 8, Promote[complex128](n, n, a, n, 1), n)
		agreeUpToRounding(t, "real", n, values, wantValues, got, Promote[complex128](n, n, z, n, 1))
	}
}

// TestImaginaryMatrix checks that the values of i·K with a skew matrix K are pairs ±λ.
func TestImaginaryMatrix(t *testing.T) {
	for _, n := range pipelineOrders {
		g := gauss(n*n, 24)
		a := full(n, func(i, j int) complex128 {
			if i == j {
				return 0
			}
			return complex(0, g[i+j*n])
		})
		norm := ratio.Norm1(n, n, a, n)
		values, _ := Eigen(n, 4, 8, a, n)
		minus := make([]float64, n)
		for i, v := range values {
			minus[n-1-i] = -v
		}
		if r := ratio.Values(n, values, minus, norm); !(r < threshold) {
			t.Errorf("n=%d: the values are no pairs ±λ: %g", n, r)
		}
	}
}

// TestRealEmbedding checks that the real matrix [Re −Im; Im Re] has each value of a complex matrix
// twice.
func TestRealEmbedding(t *testing.T) {
	for _, n := range pipelineOrders[:6] {
		for _, a := range [][]complex128{gaussHermitian(n, 25), matgen.Haldane(0.1, 0.7, 0.4).Dense(n)} {
			embedded := full(2*n, func(i, j int) float64 {
				v := a[i%n+j%n*n]
				if i/n == j/n {
					return real(v)
				}
				return imag(v) // below the diagonal
			})
			norm := ratio.Norm1(n, n, a, n)
			twice, _ := Eigen(2*n, 4, 8, embedded, 2*n)
			values, _ := Eigen(n, 4, 8, slices.Clone(a), n)
			var want []float64
			for _, v := range values {
				want = append(want, v, v)
			}
			if r := ratio.Values(n, twice, want, norm); !(r < threshold) {
				t.Errorf("n=%d: values differ by %g", n, r)
			}
		}
	}
}

func TestColumnPhases(t *testing.T) {
	x := []complex128{1, 3i, -3, 0, 0, 0, -4 - 3i, 5i, 0} // the first of equal moduli decides
	want := []complex128{-1i, 3, 3i, 0, 0, 0, 5, -3 - 4i, 0}
	ColumnPhases(3, 3, x, 3)
	if d := furthest(t, 3, 3, x, 3, want, 3); !(d <= 1e-15) {
		t.Errorf("%v, want %v", x, want)
	}
	if imag(x[1]) != 0 || imag(x[6]) != 0 {
		t.Errorf("the largest elements are %v and %v", x[1], x[6])
	}
	real := []float64{1, -2, 2, -1, 0, 1}
	ColumnPhases(3, 2, real, 3)
	if !slices.Equal(real, []float64{-1, 2, -2, 1, 0, -1}) {
		t.Errorf("real columns: %v", real)
	}
}
