package product

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

type gemmCase struct {
	m, n, k     int
	opA, opB    Op
	alpha, beta float64
}

func (x gemmCase) String() string {
	return fmt.Sprintf("%d×%d×%d opA=%v opB=%v α=%g β=%g", x.m, x.n, x.k, x.opA, x.opB, x.alpha, x.beta)
}

// factor returns a random matrix X for which op(X) is rows×cols.
func factor(op Op, rows, cols, pad int, seed uint64) stagetest.Sample {
	if op.Transposes() {
		rows, cols = cols, rows
	}
	return stagetest.Normal(rows, cols, rows+pad, seed)
}

func (x gemmCase) check(t *testing.T, p bench, pad int, record func(rec *vk.Recorder, a, b, c Matrix[float64])) float64 {
	t.Helper()
	a, b := factor(x.opA, x.m, x.k, pad, 1), factor(x.opB, x.k, x.n, 2*pad, 2)
	c := stagetest.Normal(x.m, x.n, x.m+pad, 3)
	want, bound := stagetest.Normal(x.m, x.n, x.m+pad, 3), c.Abs()
	ref.Gemm(ref.Op(x.opA), ref.Op(x.opB), x.m, x.n, x.k, x.alpha, a.Data, a.Ld, b.Data, b.Ld, x.beta, want.Data, want.Ld)
	aa, ab := a.Abs(), b.Abs()
	ref.Gemm(ref.Op(x.opA), ref.Op(x.opB), x.m, x.n, x.k, max(x.alpha, -x.alpha), aa.Data, a.Ld, ab.Data, b.Ld, max(x.beta, -x.beta), bound.Data, bound.Ld)
	if x.beta == 0 {
		c = stagetest.Poisoned(x.m, x.n, x.m+pad)
	}
	return stagetest.Furthest(t, x.String(), p.do(t, a, b, c, record), want, bound)
}

var ops = [][2]Op{{NoTrans, NoTrans}, {NoTrans, Trans}, {Trans, NoTrans}, {Trans, Trans}}

// TestGemmEdges checks products with every tile of a tuning table, with and without split-K, for
// all transpositions and for shapes at and near multiples of the tile.
func TestGemmEdges(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	g, err := newTiledGemm[float64](stagetest.Device(t), Tables.Smallest)
	if err != nil {
		t.Fatal(err)
	}
	p := newBench(t, 64*64, vk.Together(g.sums.region))
	scale := [][2]float64{{1, 0}, {-1, 1}, {0.5, -2}}
	worst, turn := 0.0, 0
	for tile := range g.tiles {
		for _, m := range []int{1, 7, 8, 9, 16, 33} {
			for _, n := range []int{1, 8, 17} {
				for _, k := range []int{1, 3, 4, 8, 13, 40} {
					for _, op := range ops {
						turn++
						x := gemmCase{m, n, k, op[0], op[1], scale[turn%3][0], scale[turn%3][1]}
						pieces := 1 + turn/3%3
						worst = max(worst, x.check(t, p, turn%2*3, func(rec *vk.Recorder, a, b, c Matrix[float64]) {
							cut := g.split(tile, k, pieces)
							g.record(rec, p.WS, single(x.opA, x.opB, x.alpha, Pair[float64]{a, b}, x.beta, c), cut)
						}))
					}
				}
			}
		}
	}
	t.Logf("worst error %.2g ulp of Σ|a·b|", worst)
}

// TestGemmOfTheDevice checks products with the tiles that are chosen from the device's table and
// from the table for other devices, for square, tall and wide shapes. The operations are all pairs
// of NoTrans and Trans, and two pairs of Conj and Adjoint.
func TestGemmOfTheDevice(t *testing.T) {
	d := stagetest.Device(t)
	for _, tune := range []Tuning{Tables.Device, Tables.Other} {
		g, err := newTiledGemm[float64](d, tune)
		if err != nil {
			t.Fatal(err)
		}
		p := newBench(t, 140*140, vk.Together(g.sums.region))
		for _, size := range [][3]int{{130, 70, 33}, {64, 64, 64}, {100, 4, 90}, {4, 4, 4000}, {139, 140, 17}} {
			for _, op := range append(ops, [2]Op{Conj, Adjoint}, [2]Op{Adjoint, Conj}) {
				gemmCase{size[0], size[1], size[2], op[0], op[1], -1, 1}.check(t, p, 0, func(rec *vk.Recorder, a, b, c Matrix[float64]) {
					g.Gemm(rec, p.WS, op[0], op[1], -1, a, b, 1, c)
				})
			}
		}
	}
}

// TestGemmOfNothing checks products without an inner dimension, products without a result, and
// products with α = 0, for which the factors must not be read.
func TestGemmOfNothing(t *testing.T) {
	d := stagetest.Device(t)
	g, err := newTiledGemm[float64](d, Tables.Smallest)
	if err != nil {
		t.Fatal(err)
	}
	p := newBench(t, 400, vk.Together(g.sums.region))
	for _, x := range []gemmCase{
		{0, 3, 2, NoTrans, NoTrans, 1, 0}, {3, 0, 2, Trans, NoTrans, 1, 0}, {3, 2, 0, NoTrans, Trans, 1, 0},
		{3, 2, 0, NoTrans, NoTrans, 1, 1}, {3, 2, 0, NoTrans, NoTrans, 2, -3},
	} {
		x.check(t, p, 1, func(rec *vk.Recorder, a, b, c Matrix[float64]) {
			g.Gemm(rec, p.WS, x.opA, x.opB, x.alpha, a, b, x.beta, c)
		})
	}
	c := stagetest.Normal(5, 6, 7, 1)
	want := stagetest.Normal(5, 6, 7, 1).Fill(func(i, j int) float64 { return 2 * c.Data[i+j*7] })
	got := p.do(t, stagetest.Poisoned(5, 4, 5), stagetest.Poisoned(4, 6, 4), c, func(rec *vk.Recorder, a, b, c Matrix[float64]) {
		g.Gemm(rec, p.WS, NoTrans, NoTrans, 0, a, b, 2, c)
	})
	if stagetest.Furthest(t, "α = 0", got, want, want.Abs()) != 0 {
		t.Error("α = 0 changed more than the scale")
	}
}

// TestGemmBatch checks batches of products, with and without split-K. Each factor has a different
// stride.
func TestGemmBatch(t *testing.T) {
	d := stagetest.Device(t)
	g, err := newTiledGemm[float64](d, Tables.Smallest)
	if err != nil {
		t.Fatal(err)
	}
	p := newBench(t, 2000, vk.Together(g.sums.region))
	const m, n, k, count = 9, 5, 21, 4
	a, b := stagetest.Normal(k, m*count, k+1, 1), stagetest.Normal(k, n*count, k, 2)
	for _, pieces := range []int{1, 3} {
		c := stagetest.Normal(m, n*count, m+2, 3)
		want, bound := stagetest.Normal(m, n*count, m+2, 3), c.Abs()
		got := p.do(t, a, b, c, func(rec *vk.Recorder, a, b, c Matrix[float64]) {
			batch := Batch{count, a.Ld * m, b.Ld * n, c.Ld * n}
			first := Pair[float64]{NewMatrix(a.At, k, m, a.Ld), NewMatrix(b.At, k, n, b.Ld)}
			x := single(Trans, NoTrans, 2, first, -1, NewMatrix(c.At, m, n, c.Ld))
			x.batch = batch
			g.record(rec, p.WS, x, g.split(1, k, pieces))
		})
		for i := range count {
			ai, bi := a.Data[i*a.Ld*m:], b.Data[i*b.Ld*n:]
			ref.Gemm(ref.Trans, ref.NoTrans, m, n, k, 2, ai, a.Ld, bi, b.Ld, -1, want.Data[i*c.Ld*n:], c.Ld)
			ref.Gemm(ref.Trans, ref.NoTrans, m, n, k, 2, a.Abs().Data[i*a.Ld*m:], a.Ld, b.Abs().Data[i*b.Ld*n:], b.Ld, 1, bound.Data[i*c.Ld*n:], c.Ld)
		}
		t.Logf("worst error %.2g ulp", stagetest.Furthest(t, fmt.Sprint(pieces, " pieces"), got, want, bound))
	}
}

// TestGemmPair checks the sum of two products, with and without split-K. The two left factors have
// different leading dimensions, and so have the two right factors. The inner dimensions k and k2
// are equal, or one of them is smaller. The smaller one may be so small that some pieces of split-K
// contain nothing of its product.
func TestGemmPair(t *testing.T) {
	g, err := newTiledGemm[float64](stagetest.Device(t), Tables.Smallest)
	if err != nil {
		t.Fatal(err)
	}
	p := newBench(t, 3000, vk.Together(g.sums.region))
	const m, n = 17, 9
	worst := 0.0
	for tile := range g.tiles {
		for i, op := range slices.Repeat(ops[:], 4) {
			k, k2 := [4]int{21, 21, 2, 30}[i/4], [4]int{21, 3, 30, 0}[i/4]
			// The first factors of the two products lie one after another in one region of memory,
			// and the second factors in another region.
			a1, b1, a2, b2 := factor(op[0], m, k, 1, 1), factor(op[1], k, n, 2, 2), factor(op[0], m, k2, 5, 3), factor(op[1], k2, n, 1, 4)
			both := func(x, y stagetest.Sample) stagetest.Sample {
				all := append(append([]float64{}, x.Data...), y.Data...)
				return stagetest.Sample{Rows: len(all), Cols: 1, Ld: len(all), Data: all}
			}
			c := stagetest.Normal(m, n, m+2, 5)
			want, bound := stagetest.Normal(m, n, m+2, 5), c.Abs()
			for _, f := range [][2]stagetest.Sample{{a1, b1}, {a2, b2}} {
				k := f[0].Rows * f[0].Cols / m
				ref.Gemm(ref.Op(op[0]), ref.Op(op[1]), m, n, k, -0.5, f[0].Data, f[0].Ld, f[1].Data, f[1].Ld, 1, want.Data, c.Ld)
				ref.Gemm(ref.Op(op[0]), ref.Op(op[1]), m, n, k, 0.5, f[0].Abs().Data, f[0].Ld, f[1].Abs().Data, f[1].Ld, 1, bound.Data, c.Ld)
			}
			got := p.do(t, both(a1, a2), both(b1, b2), c, func(rec *vk.Recorder, a, b, c Matrix[float64]) {
				first := Pair[float64]{NewMatrix(a.At, a1.Rows, a1.Cols, a1.Ld), NewMatrix(b.At, b1.Rows, b1.Cols, b1.Ld)}
				second := Pair[float64]{NewMatrix(a.At.From(len(a1.Data)), a2.Rows, a2.Cols, a2.Ld), NewMatrix(b.At.From(len(b1.Data)), b2.Rows, b2.Cols, b2.Ld)}
				if i%4 == 0 {
					g.GemmPair(rec, p.WS, op[0], op[1], -0.5, first, second, 1, c)
					return
				}
				x := single(op[0], op[1], -0.5, first, 1, c)
				x.factors = append(x.factors, second)
				g.record(rec, p.WS, x, g.split(tile, max(k, k2), 1+i%4))
			})
			worst = max(worst, stagetest.Furthest(t, fmt.Sprint(op), got, want, bound))
		}
	}
	t.Logf("worst error %.2g ulp", worst)
}

// TestGemmTogether compares the bits of products that run concurrently with those of the same
// products one after another. In some cases the partial products do not fit the workspace together.
func TestGemmTogether(t *testing.T) {
	for _, missing := range []int{0, 1} {
		g, err := newTiledGemm[float64](stagetest.Device(t), Tables.Smallest)
		if err != nil {
			t.Fatal(err)
		}
		p := newBench(t, 30000, vk.Together(g.sums.region))
		const n, k = 5, 1000
		needed := 0
		for _, m := range []int{3, 20} {
			x := g.choose(problem{m: m, n: n, k: k, count: 1, alongK: 2})
			if needed += x.splits * m * n; x.splits < 2 {
				t.Fatalf("the product with %d rows is not split", m)
			}
		}
		if g.capacity < needed {
			t.Fatalf("the partial products have %d elements, and there is room for %d", needed, g.capacity)
		}
		g.capacity = needed - missing // with too little memory for all partial products; the split of each product is chosen already
		a, b := stagetest.Normal(k, 24, k+1, 1), stagetest.Normal(k, n, k, 2)
		c := stagetest.Normal(20, 3*n, 22, 3)
		record := func(multiply func(rec *vk.Recorder, products ...Product[float64])) stagetest.Sample {
			return p.do(t, a, b, c, func(rec *vk.Recorder, a, b, c Matrix[float64]) {
				empty := Product[float64]{OpA: Trans, A: a.Block(0, 0, 0, 1), B: b.Block(0, 0, 0, n), C: c.Block(0, 0, 1, n)}
				multiply(rec, empty)
				multiply(rec,
					Product[float64]{OpA: Trans, A: a.Block(0, 0, k, 3), B: b, C: c.Block(0, n, 3, n)},
					Product[float64]{OpA: Trans, A: a.Block(0, 3, k, 0), B: b, C: c.Block(0, n, 0, n)},
					Product[float64]{OpA: Trans, A: a.Block(0, 3, k, 20), B: b, C: c.Block(0, 2*n, 20, n)})
			})
		}
		have := record(func(rec *vk.Recorder, products ...Product[float64]) { g.GemmTogether(rec, p.WS, products...) })
		want := record(func(rec *vk.Recorder, products ...Product[float64]) {
			for _, x := range products {
				r := single(x.OpA, x.OpB, 1, Pair[float64]{x.A, x.B}, 0, x.C)
				g.record(rec, p.WS, r, g.choose(r.problem()))
			}
		})
		sameBits := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
		if !slices.EqualFunc(have.Data, want.Data, sameBits) {
			t.Errorf("%d elements missing: the bits are others", missing)
		}
		for j := range n {
			if x := have.Data[j*have.Ld]; x != 0 {
				t.Errorf("%d elements missing: an empty sum is %g", missing, x)
			}
		}
	}
}

// TestProductsReadNothingElse checks that products do not read elements that do not exist, even if
// the values would be ignored. The strides are so long that most of these elements would lie
// outside all memory.
func TestProductsReadNothingElse(t *testing.T) {
	const far = 1 << 23 // ld: 64 MiB from column to column
	d := stagetest.Device(t)
	eachTuning(t, func(t *testing.T, tune Tuning) {
		g, err := newTiledGemm[float64](d, tune)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newTiledSymm[float64](d, tune)
		if err != nil {
			t.Fatal(err)
		}
		r, err := newTiledSyr2k[float64](d, tune)
		if err != nil {
			t.Fatal(err)
		}
		p := newBench(t, 16, vk.InTurn(g.sums.region, s.sums.region))
		column := stagetest.Normal(9, 1, 9, 1)
		one := func(m Matrix[float64]) Matrix[float64] { return NewMatrix(m.At, 1, 1, far) }
		p.do(t, column, column, column, func(rec *vk.Recorder, a, b, c Matrix[float64]) {
			a.Ld, b.Ld, c.Ld = far, far, far
			for tile := range g.tiles {
				x := g.split(tile, 9, 1)
				g.record(rec, p.WS, single(Trans, NoTrans, 1, Pair[float64]{a, b}, 0, one(c)), x)
				g.record(rec, p.WS, single(NoTrans, Trans, 1, Pair[float64]{one(a), one(b)}, 0, one(c)), x)
				s.record(rec, p.WS, one(a), one(b), one(c), x)
			}
			r.Syr2k(rec, p.WS, one(a), one(b), one(c))
		})
	})
}
