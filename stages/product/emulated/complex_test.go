package emulated

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// entries is a column-major matrix of complex numbers on the host. Its padding is NaN.
type entries struct {
	rows, cols, ld int
	at             []complex128
}

func normal(rows, cols, pad int, seed uint64) entries {
	x, r := entries{rows, cols, rows + pad, make([]complex128, (rows+pad)*cols)}, rand.New(rand.NewPCG(seed, 35))
	return x.fill(func(i, j int) complex128 {
		if i >= rows {
			return cmplx.NaN()
		}
		return complex(r.NormFloat64(), r.NormFloat64())
	})
}

// fill sets all elements, and those of the padding, to at(i, j).
func (x entries) fill(at func(i, j int) complex128) entries {
	y := entries{x.rows, x.cols, x.ld, make([]complex128, len(x.at))}
	for l := range y.at {
		y.at[l] = at(l%x.ld, l/x.ld)
	}
	return y
}

// times multiplies the elements of the column j by scale(j).
func (x entries) times(scale func(j int) float64) entries {
	return x.fill(func(i, j int) complex128 { return x.at[i+j*x.ld] * complex(scale(j), 0) })
}

// lower returns x with NaN above the diagonal, and in the imaginary parts of the diagonal.
func (x entries) lower() entries {
	return x.fill(func(i, j int) complex128 {
		switch z := x.at[i+j*x.ld]; {
		case i < j:
			return cmplx.NaN()
		case i == j:
			return complex(real(z), math.NaN())
		default:
			return z
		}
	})
}

func (x entries) copy() entries { return x.fill(func(i, j int) complex128 { return x.at[i+j*x.ld] }) }

func complexFactor(op product.Op, rows, cols, pad int, seed uint64) entries {
	if op.Transposes() {
		rows, cols = cols, rows
	}
	return normal(rows, cols, pad, seed)
}

// reference returns the factors op(a) and op(b) in the form that package ref needs.
func reference(opA, opB product.Op, a, b entries) (left, right ref.EmulatedRows[complex128]) {
	m, k, n := a.rows, a.cols, b.cols
	if opA.Transposes() {
		m, k = k, m
	}
	if opB.Transposes() {
		n = b.rows
	}
	return ref.EmulatedOperand(a.at, a.ld, ref.Op(opA), false, m, k), ref.EmulatedOperand(b.at, b.ld, ref.Op(opB), true, n, k)
}

// complexRun runs a product of the factors a and b on the device, and returns c after it.
func complexRun(t *testing.T, ops *Ops[complex128], a, b, c entries, record recording) entries {
	t.Helper()
	return complexRefusing(t, 0, ops, a, b, c, record)
}

type recording = func(rec *vk.Recorder, ws *vk.Arena, a, b, c product.Matrix[complex128])

// complexRefusing does the same as complexRun for a product that refuses rows of its left factor.
func complexRefusing(t *testing.T, refused uint32, ops *Ops[complex128], a, b, c entries, record recording) entries {
	t.Helper()
	dev := stagetest.Device(t)
	all := []vk.Space{ops.Work(), ops.HeldWork(), ops.Status()}
	var at []vk.Region[complex128]
	for _, x := range []entries{a, b, c} {
		at = append(at, vk.Reserve[complex128]("matrix", len(x.at)))
		all = append(all, at[len(at)-1])
	}
	ws := stagetest.Arena(t, dev, vk.Together(all...))
	var m []product.Matrix[complex128]
	for i, x := range []entries{a, b, c} {
		stagetest.Put(t, dev, at[i].In(ws), x.at)
		m = append(m, product.NewMatrix(at[i].In(ws), x.rows, x.cols, x.ld))
	}
	rec := vk.NewRecorder(dev)
	ops.Begin(rec, ws)
	record(rec, ws, m[0], m[1], m[2])
	stagetest.Run(t, dev, rec)
	c.at = stagetest.Get(t, dev, at[2].In(ws))
	if have := stagetest.Get(t, dev, ops.Refused(ws)); have[0] != refused || have[1] != 0 {
		t.Errorf("%d rows are refused, want %d left ones", have, refused)
	}
	return c
}

// complexEqual fails the test at the first element of `have` whose bits differ from those of
// `want`. All NaN are taken as equal.
func complexEqual(t *testing.T, what string, have, want entries) {
	t.Helper()
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
	for l, w := range want.at {
		if h := have.at[l]; !same(real(h), real(w)) || !same(imag(h), imag(w)) {
			t.Fatalf("%s: element (%d, %d) is %v, want %v", what, l%want.ld, l/want.ld, h, w)
		}
	}
}

var allOps = []product.Op{product.NoTrans, product.Trans, product.Conj, product.Adjoint}

// TestComplexGemmHasTheBitsOfTheReference checks that products of complex numbers give the same
// bits as package ref: every form of both factors, every number of moduli, shapes that are no
// multiples of a tile, and results that are computed in several strips. The padding of the factors
// is NaN.
func TestComplexGemmHasTheBitsOfTheReference(t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		for _, count := range moduli.ComplexCounts() {
			ops := newOpsOf[complex128](t, small(), u, count, 130, 300)
			shapes := []product.Shape{
				{M: 17, N: 15, K: 33}, {M: 1, N: 1, K: 1}, {M: 16, N: 16, K: 32}, {M: 33, N: 16, K: 5}, {M: 5, N: 97, K: 64}, {M: 70, N: 41, K: 65},
			}
			for i, opA := range allOps {
				for j, opB := range allOps {
					s := shapes[(4*i+j)%len(shapes)]
					if count != 15 {
						s = shapes[0]
					}
					a, b, c := complexFactor(opA, s.M, s.K, 3, 1), complexFactor(opB, s.K, s.N, 2, 2), normal(s.M, s.N, 1, 3)
					f := [][2]float64{{1, 0}, {-1, 1}, {2.5, -0.75}}[(i+j)%3]
					have := complexRun(t, ops, a, b, c, func(rec *vk.Recorder, ws *vk.Arena, a, b, c product.Matrix[complex128]) {
						ops.Gemm(rec, ws, opA, opB, f[0], a, b, f[1], c)
					})
					want := c.copy()
					left, right := reference(opA, opB, a, b)
					ref.EmulatedGemm(count, f[0], left, right, f[1], want.at, want.ld)
					complexEqual(t, fmt.Sprint(count, s, opA, opB, f), have, want)
				}
			}
		}
	})
}

// TestComplexIntegers multiplies complex numbers with integer parts, and compares the products with
// exact ones. The integers are so small that few moduli suffice, and a wrong residue makes a large
// error.
func TestComplexIntegers(t *testing.T) {
	const m, n, k = 20, 19, 33
	ops := newOpsOf[complex128](t, small(), dots, 15, m, k)
	integers := func(rows, cols int, seed uint64) entries {
		x := normal(rows, cols, 0, seed)
		return x.fill(func(i, j int) complex128 {
			z := x.at[i+j*x.ld]
			return complex(math.Round(1e5*real(z)), math.Round(1e5*imag(z)))
		})
	}
	a, b, c := integers(m, k, 1), integers(n, k, 2), normal(m, n, 0, 3)
	for _, op := range []product.Op{product.Trans, product.Adjoint} {
		have := complexRun(t, ops, a, b, c, func(rec *vk.Recorder, ws *vk.Arena, a, b, c product.Matrix[complex128]) {
			ops.Gemm(rec, ws, product.NoTrans, op, 1, a, b, 0, c)
		})
		for i := range m {
			for j := range n {
				re, im := int64(0), int64(0)
				for l := range k {
					x, y := a.at[i+l*m], b.at[j+l*n]
					if op == product.Adjoint {
						y = cmplx.Conj(y)
					}
					re += int64(real(x))*int64(real(y)) - int64(imag(x))*int64(imag(y))
					im += int64(real(x))*int64(imag(y)) + int64(imag(x))*int64(real(y))
				}
				if h := have.at[i+j*m]; math.Round(real(h)) != float64(re) || math.Round(imag(h)) != float64(im) {
					t.Fatalf("op %d: element (%d, %d) is %v, want %d and %d", op, i, j, h, re, im)
				}
			}
		}
	}
}

// TestComplexPairsHaveTheBitsOfTheReference checks sums of two products, and her2k, also if the
// norms of the factors of a side differ greatly. The diagonal of her2k must become real, whatever
// it was, and the triangle above it must stay NaN.
func TestComplexPairsHaveTheBitsOfTheReference(t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		ops := newOpsOf[complex128](t, small(), u, 14, 100, 120)
		for _, s := range []product.Shape{{M: 16, N: 16, K: 16}, {M: 70, N: 33, K: 50}} {
			for _, ratio := range []float64{1, 1e9, 1e-9, 0, 1e200} {
				half := func(j int) float64 { return map[bool]float64{true: 1, false: ratio}[j < s.K] }
				a, c := normal(s.M, 2*s.K, 1, 1).times(half), normal(s.M, s.N, 0, 5)
				for _, opB := range []product.Op{product.Trans, product.Adjoint} {
					b := normal(s.N, 2*s.K, 2, 2)
					pair := func(x product.Matrix[complex128], second int) product.Matrix[complex128] {
						return x.Block(0, second*s.K, x.Rows, s.K)
					}
					have := complexRun(t, ops, a, b, c, func(rec *vk.Recorder, ws *vk.Arena, a, b, c product.Matrix[complex128]) {
						ops.GemmPair(rec, ws, product.NoTrans, opB, -1, product.Pair[complex128]{A: pair(a, 0), B: pair(b, 0)},
							product.Pair[complex128]{A: pair(a, 1), B: pair(b, 1)}, 1, c)
					})
					part := func(x entries, second int) entries { return entries{x.rows, s.K, x.ld, x.at[second*s.K*x.ld:]} }
					l1, r1 := reference(product.NoTrans, opB, part(a, 0), part(b, 0))
					l2, r2 := reference(product.NoTrans, opB, part(a, 1), part(b, 1))
					want := c.copy()
					ref.EmulatedGemmPair(14, -1, l1, r1, l2, r2, 1, want.at, want.ld)
					complexEqual(t, fmt.Sprint("pair ", s, opB, ratio), have, want)
				}
				y, z := normal(s.M, s.K, 1, 1), normal(s.M, s.K, 1, 2).times(func(int) float64 { return ratio })
				c = normal(s.M, s.M, 1, 3).lower()
				have := complexRun(t, ops, y, z, c, func(rec *vk.Recorder, ws *vk.Arena, y, z, c product.Matrix[complex128]) {
					ops.Syr2k(rec, ws, y, z, c)
				})
				left, _ := reference(product.NoTrans, product.Trans, y, y)
				second, _ := reference(product.NoTrans, product.Trans, z, z)
				want := c.copy()
				ref.EmulatedSyr2k(14, left, second, want.at, want.ld)
				complexEqual(t, fmt.Sprint("her2k ", s, ratio), have, want)
				if x := have.at[0]; cmplx.IsNaN(x) || math.Float64bits(imag(x)) != 0 {
					t.Errorf("her2k %v %g: the first element is %v", s, ratio, x)
				}
			}
		}
	})
}

// TestComplexBlocks checks products whose residues do not fit the memory. Gemm and Gemmtr must have
// the bits of package ref, and the errors of her2k may be up to 1e-12.
func TestComplexBlocks(t *testing.T) {
	e := small()
	const n, k = 110, 40
	for _, planes := range []int{1 << 17, 1 << 18, 1 << 20} {
		e.Planes = planes
		ops := newOpsOf[complex128](t, e, dots, 14, n, 2*k)
		a, b, c := normal(n, k, 0, 1), normal(n, k, 1, 2), normal(n, n, 2, 3)
		left, right := reference(product.NoTrans, product.Adjoint, a, b)
		want := c.copy()
		ref.EmulatedGemm(14, -1, left, right, 1, want.at, want.ld)
		have := complexRun(t, ops, a, b, c, func(rec *vk.Recorder, ws *vk.Arena, a, b, c product.Matrix[complex128]) {
			ops.Gemm(rec, ws, product.NoTrans, product.Adjoint, -1, a, b, 1, c)
		})
		complexEqual(t, fmt.Sprint("gemm ", planes), have, want)
		have = complexRun(t, ops, a, b, c, func(rec *vk.Recorder, ws *vk.Arena, a, b, c product.Matrix[complex128]) {
			ops.Gemmtr(rec, ws, product.NoTrans, product.Adjoint, -1, a, b, 1, c)
		})
		triangle := func(x entries) entries {
			return x.fill(func(i, j int) complex128 { return map[bool]complex128{true: x.at[i+j*x.ld]}[i >= j] })
		}
		complexEqual(t, fmt.Sprint("gemmtr ", planes), triangle(have), triangle(want))

		lower := c.lower()
		have = complexRun(t, ops, a, b, lower, func(rec *vk.Recorder, ws *vk.Arena, y, z, c product.Matrix[complex128]) {
			ops.Syr2k(rec, ws, y, z, c)
		})
		want = lower.copy()
		ref.Syr2k(n, k, a.at, a.ld, b.at, b.ld, want.at, want.ld)
		for l, w := range want.at {
			if i, j := l%want.ld, l/want.ld; i < n && i >= j && !(cmplx.Abs(have.at[l]-w) <= 1e-12) {
				t.Fatalf("her2k %d: element (%d, %d) is %v, want %v", planes, i, j, have.at[l], w)
			}
		}
	}
}

// TestComplexColumns updates all blocks of columns of a matrix. Below the diagonal, the result must
// have the bits of her2k of package ref.
func TestComplexColumns(t *testing.T) {
	const n, k, width = 96, 24, 32
	ops := newOpsOf[complex128](t, small(), dots, 14, n, 2*k)
	y, z, c := normal(n, k, 1, 1), normal(n, k, 0, 2), normal(n, n, 2, 3)
	have := complexRun(t, ops, y, z, c, func(rec *vk.Recorder, ws *vk.Arena, y, z, c product.Matrix[complex128]) {
		var blocks []product.ColumnBlock[complex128]
		for at := 0; at < n; at += width {
			blocks = append(blocks, product.ColumnBlock[complex128]{First: at, C: c.Block(at, at, n-at, width)})
		}
		ops.Syr2kColumns(rec, ws, y, z, blocks)
	})
	left, _ := reference(product.NoTrans, product.Trans, y, y)
	second, _ := reference(product.NoTrans, product.Trans, z, z)
	want := c.copy()
	ref.EmulatedSyr2k(14, left, second, want.at, want.ld)
	below := func(x entries) entries {
		return x.fill(func(i, j int) complex128 { return map[bool]complex128{true: x.at[i+j*x.ld]}[i > j] })
	}
	complexEqual(t, "columns", below(have), below(want))
}

// TestHermitianFactor checks products with lower right blocks of a Hermitian matrix. Its upper
// triangle and the imaginary parts of its diagonal are NaN. The results must have the bits of
// package ref.
func TestHermitianFactor(t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		const n, cols = 70, 7
		ops := newOpsOf[complex128](t, small(), u, 14, 20, 30)
		if err := ops.Reserve(product.Shape{M: n, N: cols, K: n, Count: 1, Held: true}); err != nil {
			t.Fatal(err)
		}
		a := normal(n, n, 1, 1).lower()
		full := a.fill(func(i, j int) complex128 {
			switch {
			case i >= n:
				return cmplx.NaN()
			case i > j:
				return a.at[i+j*a.ld]
			case i < j:
				return cmplx.Conj(a.at[j+i*a.ld])
			}
			return complex(real(a.at[i+j*a.ld]), 0)
		})
		for _, first := range []int{0, 1, 31, 32, 33, 64} {
			m := n - first
			w, c := normal(m, cols, 2, 2), normal(m, cols, 0, 3)
			have := complexRun(t, ops, a, w, c, func(rec *vk.Recorder, ws *vk.Arena, a, w, c product.Matrix[complex128]) {
				ops.Hold(rec, ws, a)
				if !ops.isHeld(a.Block(first, first, m, m)) {
					t.Error("the product is native")
				}
				ops.Symm(rec, ws, a.Block(first, first, m, m), w, c)
			})
			padded := normal(n, cols, 0, 4).fill(func(i, j int) complex128 {
				if i < first {
					return 0
				}
				return w.at[i-first+j*w.ld]
			})
			all := normal(n, cols, 0, 5)
			left, right := reference(product.NoTrans, product.NoTrans, full, padded)
			ref.EmulatedGemm(14, 1, left, right, 0, all.at, n)
			want := c.fill(func(i, j int) complex128 { return all.at[first+i+j*n] })
			complexEqual(t, fmt.Sprint("from row ", first), have, want)
		}
	})
}

// TestComplexRefusedRows checks rows of factors with a NaN, an infinity or a number that is too
// large in one part of an element. The elements of the result that depend on such a row become NaN
// in both parts, and no other elements do.
func TestComplexRefusedRows(t *testing.T) {
	ops := newOpsOf[complex128](t, small(), dots, 14, 40, 40)
	for _, bad := range []complex128{complex(math.NaN(), 1), complex(1, math.NaN()), complex(2, math.Inf(-1)), complex(0, 0x1p1000)} {
		a, b, c := normal(40, 30, 1, 1), normal(40, 30, 0, 2), normal(40, 40, 0, 3)
		a.at[7+3*a.ld] = bad
		have := complexRefusing(t, 1, ops, a, b, c, func(rec *vk.Recorder, ws *vk.Arena, a, b, c product.Matrix[complex128]) {
			ops.Gemm(rec, ws, product.NoTrans, product.Adjoint, -1, a, b, 1, c)
		})
		for l, x := range have.at {
			if row := l%40 == 7; math.IsNaN(real(x)) != row || math.IsNaN(imag(x)) != row {
				t.Fatalf("%v: element (%d, %d) is %v", bad, l%40, l/40, x)
			}
		}
	}
}
