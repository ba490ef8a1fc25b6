package emulated

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestGemmHasTheBitsOfTheReference checks that the emulated Gemm gives the same bits as
// ref.EmulatedGemm. The test covers shapes that are not multiples of a tile, transposed factors,
// results so large that they are computed part by part (strips), and every number of moduli. The
// padding of the factors is NaN.
func TestGemmHasTheBitsOfTheReference(t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		for _, count := range moduli.Counts() {
			ops := newOps(t, small(), u, count, 130, 300)
			p := bench{stagetest.NewBench(t, 140*310, vk.Together(ops.Work(), ops.Status()))}
			shapes := []product.Shape{
				{M: 17, N: 15, K: 33}, {M: 1, N: 1, K: 1}, {M: 16, N: 16, K: 32}, {M: 33, N: 16, K: 5},
				{M: 5, N: 97, K: 64}, {M: 130, N: 41, K: 65}, {M: 48, N: 130, K: 300},
			}
			if count != 14 {
				shapes = shapes[:1]
			}
			for i, s := range shapes {
				opA, opB := product.Op(i&1), product.Op(i>>1&1)
				a, b := factor(opA, s.M, s.K, 3, uint64(i)), factor(opB, s.K, s.N, 2, uint64(i+50))
				c := stagetest.Normal(s.M, s.N, s.M+1, uint64(i+100))
				for _, f := range [][2]float64{{1, 0}, {-1, 1}, {2.5, -0.75}} {
					have := p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
						ops.Gemm(rec, p.WS, opA, opB, f[0], a, b, f[1], c)
					})
					equal(t, fmt.Sprint(count, s, f), have, expect(count, opA, opB, f[0], a, b, f[1], c))
				}
			}
		}
	})
}

// TestGemmOverwrites checks that with β = 0 Gemm overwrites the result and does not read it: a NaN
// in its memory must not reach the result.
func TestGemmOverwrites(t *testing.T) {
	ops := newOps(t, small(), dots, 14, 20, 20)
	p := bench{stagetest.NewBench(t, 500, vk.Together(ops.Work(), ops.Status()))}
	a, b, c := stagetest.Normal(20, 20, 20, 1), stagetest.Normal(20, 20, 20, 2), stagetest.Poisoned(20, 20, 20)
	have := p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
		ops.Gemm(rec, p.WS, product.NoTrans, product.NoTrans, 1, a, b, 0, c)
	})
	for _, x := range have.Data {
		if math.IsNaN(x) {
			t.Fatal("C was read")
		}
	}
}

// TestWorkIsLaidOutOnce checks that Work returns the same layout at each call. A second layout
// would have regions that are not in the memory that the caller has allocated for the first one.
func TestWorkIsLaidOutOnce(t *testing.T) {
	ops := newOps(t, small(), dots, 14, 20, 20)
	if first := ops.Work(); !ops.any || ops.Work() != first {
		t.Errorf("emulated: %v; the second call returns another layout", ops.any)
	}
}

// TestPairsHaveTheBitsOfTheReference checks that the emulated GemmPair and Syr2k give the same bits
// as package ref, even if the norms of the two factors of a side differ greatly.
func TestPairsHaveTheBitsOfTheReference(t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		ops := newOps(t, small(), u, 13, 100, 300)
		p := bench{stagetest.NewBench(t, 100*110, vk.Together(ops.Work(), ops.Status()))}
		for _, s := range []product.Shape{{M: 16, N: 16, K: 16}, {M: 70, N: 33, K: 50}, {M: 99, N: 99, K: 40}} {
			for _, ratio := range []float64{1, 1e9, 1e-9, 0, 1e200} {
				a, b := stagetest.Normal(s.M, s.K, s.M+1, 1), stagetest.Normal(s.K, s.N, s.K+1, 2)
				a2, b2 := stagetest.Normal(s.M, s.K, s.M+1, 3), stagetest.Normal(s.K, s.N, s.K+1, 4)
				for i := range a2.Data {
					a2.Data[i] *= ratio
				}
				// The matrix `lefts` has the columns of the two left factors, and `rights` has the
				// columns of the two right factors.
				lefts, rights := join(a, a2), join(b, b2)
				c := stagetest.Normal(s.M, s.N, s.M, 5)
				have := p.do(t, ops, lefts, rights, c, func(rec *vk.Recorder, x, y, c product.Matrix[float64]) {
					ops.GemmPair(rec, p.WS, product.NoTrans, product.NoTrans, -1,
						product.Pair[float64]{A: x.Block(0, 0, s.M, s.K), B: y.Block(0, 0, s.K, s.N)},
						product.Pair[float64]{A: x.Block(0, s.K, s.M, s.K), B: y.Block(0, s.N, s.K, s.N)}, 1, c)
				})
				want := c
				want.Data = append([]float64{}, c.Data...)
				l1, r1 := operands(product.NoTrans, product.NoTrans, a, b, c)
				l2, r2 := operands(product.NoTrans, product.NoTrans, a2, b2, c)
				ref.EmulatedGemmPair(13, -1, l1, r1, l2, r2, 1, want.Data, want.Ld)
				equal(t, fmt.Sprint("pair ", s, ratio), have, want)
				if x := have.Data[0]; math.IsNaN(x) {
					t.Errorf("pair %v %g: rows were refused", s, ratio)
				}
				if s.M != s.N {
					continue
				}
				c = stagetest.Normal(s.M, s.M, s.M+2, 6).Lower()
				have = p.do(t, ops, lefts, rights, c, func(rec *vk.Recorder, x, _, c product.Matrix[float64]) {
					ops.Syr2k(rec, p.WS, x.Block(0, 0, s.M, s.K), x.Block(0, s.K, s.M, s.K), c)
				})
				want = c
				want.Data = append([]float64{}, c.Data...)
				ref.EmulatedSyr2k(13, l1, l2, want.Data, want.Ld)
				equal(t, fmt.Sprint("syr2k ", s, ratio), have, want)
				if x := have.Data[0]; math.IsNaN(x) {
					t.Errorf("syr2k %v %g: rows were refused", s, ratio)
				}
			}
		}
	})
}

// TestSyr2kOfFewRows checks a rank-2k update (Syr2k) of few rows, with enough memory for the
// residues of the factors and with too little. (An earlier version divided such an update into two
// without end.)
func TestSyr2kOfFewRows(t *testing.T) {
	e := small()
	for _, planes := range []int{1 << 20, 1 << 10} {
		e.Planes = planes
		for n := 1; n <= 3; n++ {
			ops := newOps(t, e, dots, 14, n, 8)
			p := bench{stagetest.NewBench(t, 64, vk.Together(ops.Work(), ops.Status()))}
			y, z, c := stagetest.Normal(n, 8, n, 1), stagetest.Normal(n, 8, n, 2), stagetest.Normal(n, n, n, 3)
			have := p.do(t, ops, y, z, c, func(rec *vk.Recorder, y, z, c product.Matrix[float64]) { ops.Syr2k(rec, p.WS, y, z, c) })
			want := append([]float64{}, c.Data...)
			ref.Syr2k(n, 8, y.Data, n, z.Data, n, want, n)
			for i, x := range have.Data {
				if !(math.Abs(x-want[i]) <= 1e-13) {
					t.Fatalf("n = %d: element %d is off by %g", n, i, x-want[i])
				}
			}
		}
	}
}

// TestSyr2kWithoutReservedMemory checks a rank-2k update whose reserved product, with inner
// dimension k, is too small for emulation, although 2·k is large enough. No memory is then reserved
// for residues. The update must be one native product, and not be divided into many small ones.
func TestSyr2kWithoutReservedMemory(t *testing.T) {
	e := small()
	const n, k = 100, 16
	e.Least = product.Shape{M: 8, N: 8, K: 2 * k}
	ops := newOps(t, e, dots, 13, n, k)
	p := bench{stagetest.NewBench(t, 2*n*n, vk.Together(ops.Work(), ops.Status()))}
	y, z, c := stagetest.Normal(n, k, n, 1), stagetest.Normal(n, k, n, 2), stagetest.Normal(n, n, n, 3)
	have := p.do(t, ops, y, z, c, func(rec *vk.Recorder, y, z, c product.Matrix[float64]) {
		alone := vk.NewRecorder(stagetest.Device(t))
		ops.native.Syr2k(alone, p.WS, y, z, c)
		before := rec.Len()
		ops.Syr2k(rec, p.WS, y, z, c)
		if got := rec.Len() - before; got != alone.Len() {
			t.Errorf("%d commands, a native product has %d", got, alone.Len())
		}
	})
	want := append([]float64{}, c.Data...)
	ref.Syr2k(n, k, y.Data, n, z.Data, n, want, n)
	for i, x := range have.Data {
		if i%n >= i/n && !(math.Abs(x-want[i]) <= 1e-12) {
			t.Fatalf("element %d is off by %g", i, x-want[i])
		}
	}
}

// TestGemmtrHasTheBitsOfTheReference checks lower triangles of emulated products, also with so
// little memory for residues that the triangle is divided. Elements above the diagonal may be NaN.
func TestGemmtrHasTheBitsOfTheReference(t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		e := small()
		for _, planes := range []int{1 << 20, 1 << 17, 1 << 16} {
			e.Planes = planes
			ops := newOps(t, e, u, 14, 131, 40)
			p := bench{stagetest.NewBench(t, 140*140, vk.Together(ops.Work(), ops.Status()))}
			for i, n := range []int{1, 33, 131} {
				opA, opB := product.Op(i&1), product.Op(i>>1&1)
				a, b := factor(opA, n, 40, 1, 1), factor(opB, 40, n, 2, 2)
				c := stagetest.Normal(n, n, n+3, 3).Lower()
				have := p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
					ops.Gemmtr(rec, p.WS, opA, opB, -1, a, b, 1, c)
				})
				want := expect(14, opA, opB, -1, a, b, 1, c)
				equal(t, fmt.Sprint("gemmtr ", planes, n), have.Lower(), want.Lower())
			}
		}
	})
}

// join returns the columns of a followed by the columns of b.
func join(a, b stagetest.Sample) stagetest.Sample {
	return stagetest.Sample{Rows: a.Rows, Cols: a.Cols + b.Cols, Ld: a.Ld, Data: append(append([]float64{}, a.Data...), b.Data...)}
}

// TestBlocksHaveTheBitsOfTheReference checks an emulated product for which the residues of the
// factors do not fit the memory. It is computed block by block and must give the same bits.
func TestBlocksHaveTheBitsOfTheReference(t *testing.T) {
	e := small()
	for _, planes := range []int{1 << 16, 1 << 17, 1 << 18} {
		e.Planes = planes
		ops := newOps(t, e, dots, 14, 120, 40)
		p := bench{stagetest.NewBench(t, 120*120, vk.Together(ops.Work(), ops.Status()))}
		for _, s := range []product.Shape{{M: 120, N: 20, K: 40}, {M: 20, N: 120, K: 40}, {M: 120, N: 119, K: 40}} {
			a, b, c := stagetest.Normal(s.M, s.K, s.M, 1), stagetest.Normal(s.N, s.K, s.N, 2), stagetest.Normal(s.M, s.N, s.M, 3)
			have := p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
				ops.Gemm(rec, p.WS, product.NoTrans, product.Trans, -1, a, b, 1, c)
			})
			equal(t, fmt.Sprint(planes, s), have, expect(14, product.NoTrans, product.Trans, -1, a, b, 1, c))
		}
		// A rank-2k update that is computed in blocks is as accurate as one without blocks, but its
		// bits differ.
		y, z, c := stagetest.Normal(120, 40, 120, 1), stagetest.Normal(120, 40, 120, 2), stagetest.Normal(120, 120, 120, 3)
		have := p.do(t, ops, y, z, c, func(rec *vk.Recorder, y, z, c product.Matrix[float64]) { ops.Syr2k(rec, p.WS, y, z, c) })
		want := append([]float64{}, c.Data...)
		ref.Syr2k(120, 40, y.Data, 120, z.Data, 120, want, 120)
		for i, x := range have.Data {
			if !(math.Abs(x-want[i]) <= 1e-13) {
				t.Fatalf("planes of %d bytes: element %d of syr2k is off by %g", planes, i, x-want[i])
			}
		}
	}
}

// TestLongInnerDimensions checks products with long inner dimensions against the bits of package
// ref. The inner dimensions are near a multiple of a step, and up to moduli.MostInner − 100. The
// elements of the factors are small integers such as 1 and −1.
func TestLongInnerDimensions(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	eachUnits(t, func(t *testing.T, u Units) {
		lengths := []int{31, 32, 33, 1023, 1024, 1025, 1056, 1057, 1082, 1083, 1088, 4000, moduli.MostInner - 100}
		e := small()
		e.Planes = 1 << 30
		ops := newOps(t, e, u, 13, 2, moduli.MostInner-100)
		p := bench{stagetest.NewBench(t, 2*moduli.MostInner, vk.Together(ops.Work(), ops.Status()))}
		for _, k := range lengths {
			a, b := stagetest.Normal(2, k, 2, 1), stagetest.Normal(2, k, 2, 2)
			a.Fill(func(i, j int) float64 { return 1 + float64(i)*float64(j%3) })
			b.Fill(func(i, j int) float64 { return 1 - 2*float64(i) })
			c := stagetest.Normal(2, 2, 2, 3)
			have := p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
				ops.Gemm(rec, p.WS, product.NoTrans, product.Trans, 1, a, b, 0, c)
			})
			equal(t, fmt.Sprint("K = ", k), have, expect(13, product.NoTrans, product.Trans, 1, a, b, 0, c))
		}
	})
}

// TestTinyRowsKeepTheirBits checks that rows of small numbers, down to subnormal numbers, keep all
// bits that their scaling allows, in a single product and in a pair. The other factor is large, so
// that the product is not small. (An earlier version rounded such rows to multiples of 2⁻⁹⁶⁰ and
// did not refuse them.)
func TestTinyRowsKeepTheirBits(t *testing.T) {
	ops := newOps(t, small(), dots, 14, 20, 2*40)
	p := bench{stagetest.NewBench(t, 20*41, vk.Together(ops.Work(), ops.Status()))}
	for _, log := range []int{-800, -905, -930, -1000, -1022, -1040} {
		a, b, c := stagetest.Normal(20, 40, 20, 1), stagetest.Normal(20, 40, 20, 2), stagetest.Normal(20, 20, 20, 3)
		large := min(-log, 700)
		for i := range a.Data {
			a.Data[i], b.Data[i] = math.Ldexp(a.Data[i], log), math.Ldexp(b.Data[i], large)
		}
		have := p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
			ops.Gemm(rec, p.WS, product.NoTrans, product.Trans, 1, a, b, 0, c)
		})
		equal(t, fmt.Sprint("2^", log), have, expect(14, product.NoTrans, product.Trans, 1, a, b, 0, c))
		native := make([]float64, 20*20)
		ref.Gemm(ref.NoTrans, ref.Trans, 20, 20, 40, 1, a.Data, 20, b.Data, 20, 0, native, 20)
		for e, x := range native {
			if !(math.Abs(have.Data[e]-x) <= math.Ldexp(1e-13, log+large)) {
				t.Fatalf("2^%d: element %d is %g, want %g", log, e, have.Data[e], x)
			}
		}
		// In a pair, one factor of each side is multiplied by the balance, a power of two. In the
		// first iteration this is the tiny factor, and in the second iteration it is the other
		// factor.
		for range 2 {
			have = p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
				ops.GemmPair(rec, p.WS, product.NoTrans, product.Trans, 1, product.Pair[float64]{A: a, B: b}, product.Pair[float64]{A: b, B: a}, 0, c)
			})
			want := c
			want.Data = append([]float64{}, c.Data...)
			l1, r1 := operands(product.NoTrans, product.Trans, a, b, c)
			l2, r2 := operands(product.NoTrans, product.Trans, b, a, c)
			ref.EmulatedGemmPair(14, 1, l1, r1, l2, r2, 0, want.Data, want.Ld)
			equal(t, fmt.Sprint("pair 2^", log), have, want)
			if x := have.Data[0]; math.IsNaN(x) {
				t.Errorf("pair 2^%d: rows were refused", log)
			}
			a, b = b, a
		}
	}
}

// TestRefusedRows checks that the method Refused of emulated products counts the rows of factors
// that cannot be scaled. The elements of the result that depend on such a row must be NaN, and no
// other elements may be NaN.
func TestRefusedRows(t *testing.T) {
	ops := newOps(t, small(), dots, 14, 40, 40)
	p := bench{stagetest.NewBench(t, 41*40, vk.Together(ops.Work(), ops.Status()))}
	for name, bad := range map[string]float64{"NaN": math.NaN(), "Inf": math.Inf(-1), "2^1000": 0x1p1000} {
		a, b, c := stagetest.Normal(40, 30, 41, 1), stagetest.Normal(40, 30, 40, 2), stagetest.Normal(40, 40, 40, 3)
		a.Data[7+3*a.Ld], b.Data[5] = bad, bad
		have := p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
			ops.Gemm(rec, p.WS, product.NoTrans, product.Trans, 1, a, b, 1, c)
		})
		for e, x := range have.Data {
			if math.IsNaN(x) != (e%40 == 7 || e/40 == 5) {
				t.Fatalf("%s: element (%d, %d) is %g", name, e%40, e/40, x)
			}
		}
		if refused := stagetest.Get(t, p.Device, ops.Refused(p.WS)); refused[0] != 1 || refused[1] != 1 {
			t.Errorf("%s: %d rows are refused", name, refused)
		}
	}
}

// TestRefusedRowsOfBlocks checks a product that is computed in blocks: a row of a factor that
// cannot be scaled must be counted once, also if several blocks convert it.
func TestRefusedRowsOfBlocks(t *testing.T) {
	e := small()
	e.Planes = 1 << 17
	ops := newOps(t, e, dots, 14, 120, 40)
	p := bench{stagetest.NewBench(t, 120*120, vk.Together(ops.Work(), ops.Status()))}
	a, b, c := stagetest.Normal(120, 40, 120, 1), stagetest.Normal(120, 40, 120, 2), stagetest.Normal(120, 120, 120, 3)
	a.Data[7], a.Data[100], b.Data[90] = math.NaN(), math.Inf(1), math.NaN()
	p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
		ops.Gemm(rec, p.WS, product.NoTrans, product.Trans, 1, a, b, 1, c)
	})
	if refused := stagetest.Get(t, p.Device, ops.Refused(p.WS)); refused[0] != 2 || refused[1] != 1 {
		t.Errorf("%d rows are refused, not 2 and 1", refused)
	}
}

// TestDividedProductsHaveTheBitsOfTheReference checks emulated products that are divided into many
// dispatches. The products must have the same bits as package ref, and no dispatch may cost more
// than the limit.
func TestDividedProductsHaveTheBitsOfTheReference(t *testing.T) {
	const n, k = 100, 40
	for _, dispatch := range []float64{1.8e6, 5e6} {
		e := small()
		e.Dispatch = dispatch
		ops := newOps(t, e, dots, 13, n, 300)
		p := bench{stagetest.NewBench(t, n*(n+10), vk.Together(ops.Work(), ops.Status()))}
		a, b, c := stagetest.Normal(n, k, n, 1), stagetest.Normal(n, k, n, 2), stagetest.Normal(n, n, n, 3)
		var costs []float64
		have := p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
			ops.Gemm(rec, p.WS, product.NoTrans, product.Trans, -1, a, b, 1, c)
			costs = rec.Estimates()
		})
		equal(t, fmt.Sprintf("gemm, %g flops", dispatch), have, expect(13, product.NoTrans, product.Trans, -1, a, b, 1, c))
		for i, cost := range costs {
			if !(cost <= dispatch) {
				t.Errorf("%g flops: dispatch %d of %d costs %g", dispatch, i, len(costs), cost)
			}
		}
		c = c.Lower()
		have = p.do(t, ops, a, b, c, func(rec *vk.Recorder, y, z, c product.Matrix[float64]) { ops.Syr2k(rec, p.WS, y, z, c) })
		want := c
		want.Data = append([]float64{}, c.Data...)
		y, _ := operands(product.NoTrans, product.Trans, a, b, c)
		z, _ := operands(product.NoTrans, product.Trans, b, a, c)
		ref.EmulatedSyr2k(13, y, z, want.Data, want.Ld)
		equal(t, fmt.Sprintf("syr2k, %g flops", dispatch), have, want)
	}
}

// TestTooLongIsNative checks that a product is native if its inner dimension is too long for 32-bit
// sums.
func TestTooLongIsNative(t *testing.T) {
	ops := newOps(t, small(), dots, 14, 1, 1)
	if ops.emulates(1, 1, moduli.MostInner+1) || ops.emulates(1, 1, moduli.MostInner-1) || !ops.emulates(1, 1, 130000) {
		t.Error("the limit of the inner dimension")
	}
}

// TestNarrowAndUnequalProductsAreNative checks that integer units compute neither a product with
// few columns, nor a pair of products with different inner dimensions.
func TestNarrowAndUnequalProductsAreNative(t *testing.T) {
	tune := small()
	tune.Least = product.Shape{M: 16, N: 16, K: 8}
	ops := newOps(t, tune, dots, 13, 100, 100)
	for _, s := range []struct {
		m, n, inner int
		want        bool
	}{{16, 16, 8, true}, {64, 4, 8, true}, {4, 64, 8, true}, {100, 3, 8, false}, {3, 100, 8, false}, {16, 15, 8, false}, {16, 16, 7, false}} {
		if got := ops.emulates(s.m, s.n, s.inner); got != s.want {
			t.Errorf("%+v: %t", s, got)
		}
	}
	p := bench{stagetest.NewBench(t, 100*110, vk.Together(ops.Work(), ops.Status()))}
	const m, k, k2 = 40, 20, 30
	a, b, c := stagetest.Normal(m, k+k2, m, 1), stagetest.Normal(m, k+k2, m, 2), stagetest.Normal(m, m, m, 3)
	pair := func(by product.Ops[float64]) []float64 {
		return p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
			by.GemmPair(rec, p.WS, product.NoTrans, product.Trans, -1,
				product.Pair[float64]{A: a.Block(0, 0, m, k), B: b.Block(0, 0, m, k)},
				product.Pair[float64]{A: a.Block(0, k, m, k2), B: b.Block(0, k, m, k2)}, 1, c)
		}).Data
	}
	if !slices.Equal(pair(ops), pair(ops.native)) {
		t.Error("a pair with different inner dimensions is not native")
	}
}

// TestGemmRefusesShapesThatDoNotFit checks that the emulated Gemm itself compares the shapes,
// before it decides whether the product is emulated.
func TestGemmRefusesShapesThatDoNotFit(t *testing.T) {
	of := func(rows, cols int) product.Matrix[float64] {
		return product.Matrix[float64]{Rows: rows, Cols: cols, Ld: rows}
	}
	for _, x := range [][3]product.Matrix[float64]{
		{of(3, 4), of(5, 2), of(3, 2)}, {of(3, 4), of(4, 2), of(4, 2)}, {of(3, 4), of(4, 2), of(3, 1)},
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "product: emulated gemm of 3×4 by ") {
					t.Errorf("%d×%d by %d×%d into %d×%d: %q", x[0].Rows, x[0].Cols, x[1].Rows, x[1].Cols, x[2].Rows, x[2].Cols, text)
				}
			}()
			(&Ops[float64]{}).Gemm(nil, nil, product.NoTrans, product.NoTrans, 1, x[0], x[1], 0, x[2])
		}()
	}
}
