package stages

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/vk"
)

// gemmCase is one product with everything that can be asked of it.
type gemmCase struct {
	m, n, k     int
	opA, opB    Op
	alpha, beta float64
}

func (x gemmCase) String() string {
	return fmt.Sprintf("%d×%d×%d opA=%v opB=%v α=%g β=%g", x.m, x.n, x.k, x.opA, x.opB, x.alpha, x.beta)
}

// factor is op's operand: rows×cols after op.
func factor(op Op, rows, cols, pad int, seed uint64) sample {
	if op == Trans {
		rows, cols = cols, rows
	}
	return normal(rows, cols, rows+pad, seed)
}

func (x gemmCase) check(t *testing.T, p *productBench, pad int, record func(rec *vk.Recorder, a, b, c Matrix)) float64 {
	t.Helper()
	a, b := factor(x.opA, x.m, x.k, pad, 1), factor(x.opB, x.k, x.n, 2*pad, 2)
	c := normal(x.m, x.n, x.m+pad, 3)
	want, bound := normal(x.m, x.n, x.m+pad, 3), c.abs()
	ref.Gemm(bool(x.opA), bool(x.opB), x.m, x.n, x.k, x.alpha, a.data, a.ld, b.data, b.ld, x.beta, want.data, want.ld)
	aa, ab := a.abs(), b.abs()
	ref.Gemm(bool(x.opA), bool(x.opB), x.m, x.n, x.k, max(x.alpha, -x.alpha), aa.data, a.ld, ab.data, b.ld, max(x.beta, -x.beta), bound.data, bound.ld)
	if x.beta == 0 {
		c = poisoned(x.m, x.n, x.m+pad)
	}
	return furthest(t, x.String(), p.do(t, a, b, c, record), want, bound)
}

var ops = [][2]Op{{NoTrans, NoTrans}, {NoTrans, Trans}, {Trans, NoTrans}, {Trans, Trans}}

// Every tile, split or not, at every edge and in all transpositions.
func TestGemmEdges(t *testing.T) {
	g, err := NewTiledGemm(testDevice(t), SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	p := newProductBench(t, 64*64, g.Work())
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
						worst = max(worst, x.check(t, p, turn%2*3, func(rec *vk.Recorder, a, b, c Matrix) {
							cut := g.split(tile, k, pieces)
							g.record(rec, p.ws, product{x.opA, x.opB, x.alpha, x.beta, []pair{{a, b}}, c, Batch{Count: 1}}, cut)
						}))
					}
				}
			}
		}
	}
	t.Logf("worst error %.2g ulp of Σ|a·b|", worst)
}

// The device's own tiles, as they are chosen; and the tall and flat shapes of the band reduction.
func TestGemmOfTheDevice(t *testing.T) {
	d := testDevice(t)
	for _, tune := range []Tuning{TuningFor(d.Info()), tuningFor("other")} {
		g, err := NewTiledGemm(d, tune.Products)
		if err != nil {
			t.Fatal(err)
		}
		p := newProductBench(t, 140*140, g.Work())
		for _, size := range [][3]int{{130, 70, 33}, {64, 64, 64}, {100, 4, 90}, {4, 4, 4000}, {139, 140, 17}} {
			for _, op := range ops {
				gemmCase{size[0], size[1], size[2], op[0], op[1], -1, 1}.check(t, p, 0, func(rec *vk.Recorder, a, b, c Matrix) {
					g.Record(rec, p.ws, op[0], op[1], -1, a, b, 1, c)
				})
			}
		}
	}
}

// Products without an inner dimension or a result, and α = 0, which must not read the factors.
func TestGemmOfNothing(t *testing.T) {
	d := testDevice(t)
	g, err := NewTiledGemm(d, SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	p := newProductBench(t, 400, g.Work())
	for _, x := range []gemmCase{
		{0, 3, 2, NoTrans, NoTrans, 1, 0}, {3, 0, 2, Trans, NoTrans, 1, 0}, {3, 2, 0, NoTrans, Trans, 1, 0},
		{3, 2, 0, NoTrans, NoTrans, 1, 1}, {3, 2, 0, NoTrans, NoTrans, 2, -3},
	} {
		x.check(t, p, 1, func(rec *vk.Recorder, a, b, c Matrix) {
			g.Record(rec, p.ws, x.opA, x.opB, x.alpha, a, b, x.beta, c)
		})
	}
	c := normal(5, 6, 7, 1)
	want := normal(5, 6, 7, 1).fill(func(i, j int) float64 { return 2 * c.data[i+j*7] })
	got := p.do(t, poisoned(5, 4, 5), poisoned(4, 6, 4), c, func(rec *vk.Recorder, a, b, c Matrix) {
		g.Record(rec, p.ws, NoTrans, NoTrans, 0, a, b, 2, c)
	})
	if furthest(t, "α = 0", got, want, want.abs()) != 0 {
		t.Error("α = 0 changed more than the scale")
	}
}

// A batch is so many products, each with its own strides, split or not.
func TestGemmBatch(t *testing.T) {
	d := testDevice(t)
	g, err := NewTiledGemm(d, SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	p := newProductBench(t, 2000, g.Work())
	const m, n, k, count = 9, 5, 21, 4
	a, b := normal(k, m*count, k+1, 1), normal(k, n*count, k, 2)
	for _, pieces := range []int{1, 3} {
		c := normal(m, n*count, m+2, 3)
		want, bound := normal(m, n*count, m+2, 3), c.abs()
		got := p.do(t, a, b, c, func(rec *vk.Recorder, a, b, c Matrix) {
			batch := Batch{count, a.Ld * m, b.Ld * n, c.Ld * n}
			first := pair{NewMatrix(a.At, k, m, a.Ld), NewMatrix(b.At, k, n, b.Ld)}
			x := product{Trans, NoTrans, 2, -1, []pair{first}, NewMatrix(c.At, m, n, c.Ld), batch}
			g.record(rec, p.ws, x, g.split(1, k, pieces))
		})
		for i := range count {
			ai, bi := a.data[i*a.ld*m:], b.data[i*b.ld*n:]
			ref.Gemm(true, false, m, n, k, 2, ai, a.ld, bi, b.ld, -1, want.data[i*c.ld*n:], c.ld)
			ref.Gemm(true, false, m, n, k, 2, a.abs().data[i*a.ld*m:], a.ld, b.abs().data[i*b.ld*n:], b.ld, 1, bound.data[i*c.ld*n:], c.ld)
		}
		t.Logf("worst error %.2g ulp", furthest(t, fmt.Sprint(pieces, " pieces"), got, want, bound))
	}
}

// The sum of two products, each factor with its own leading dimension, split or not.
func TestGemmPair(t *testing.T) {
	g, err := NewTiledGemm(testDevice(t), SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	p := newProductBench(t, 3000, g.Work())
	const m, n, k = 17, 9, 21
	worst := 0.0
	for tile := range g.tiles {
		for i, op := range ops {
			// Both As stand in one region and both Bs in another, one behind the other.
			a1, b1, a2, b2 := factor(op[0], m, k, 1, 1), factor(op[1], k, n, 2, 2), factor(op[0], m, k, 5, 3), factor(op[1], k, n, 0, 4)
			both := func(x, y sample) sample {
				all := append(append([]float64{}, x.data...), y.data...)
				return sample{len(all), 1, len(all), all}
			}
			c := normal(m, n, m+2, 5)
			want, bound := normal(m, n, m+2, 5), c.abs()
			for _, f := range [][2]sample{{a1, b1}, {a2, b2}} {
				ref.Gemm(bool(op[0]), bool(op[1]), m, n, k, -0.5, f[0].data, f[0].ld, f[1].data, f[1].ld, 1, want.data, c.ld)
				ref.Gemm(bool(op[0]), bool(op[1]), m, n, k, 0.5, f[0].abs().data, f[0].ld, f[1].abs().data, f[1].ld, 1, bound.data, c.ld)
			}
			got := p.do(t, both(a1, a2), both(b1, b2), c, func(rec *vk.Recorder, a, b, c Matrix) {
				first := pair{NewMatrix(a.At, a1.rows, a1.cols, a1.ld), NewMatrix(b.At, b1.rows, b1.cols, b1.ld)}
				second := pair{NewMatrix(a.At.From(len(a1.data)), a2.rows, a2.cols, a2.ld), NewMatrix(b.At.From(len(b1.data)), b2.rows, b2.cols, b2.ld)}
				if i == 0 {
					g.RecordPair(rec, p.ws, op[0], op[1], -0.5, first.a, first.b, second.a, second.b, 1, c)
					return
				}
				x := product{op[0], op[1], -0.5, 1, []pair{first, second}, c, Batch{Count: 1}}
				g.record(rec, p.ws, x, g.split(tile, k, 1+i%2))
			})
			worst = max(worst, furthest(t, fmt.Sprint(op), got, want, bound))
		}
	}
	t.Logf("worst error %.2g ulp", worst)
}

// Elements that do not exist are not read, not even to be thrown away: with so
// long strides most of them would be outside of everything.
func TestProductsReadNothingElse(t *testing.T) {
	const far = 1 << 23 // ld: 64 MiB from column to column
	d := testDevice(t)
	eachProductTuning(t, func(t *testing.T, tune ProductTuning) {
		g, err := NewTiledGemm(d, tune)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewTiledSymm(d, tune)
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewTiledRankTwoK(d, tune)
		if err != nil {
			t.Fatal(err)
		}
		p := newProductBench(t, 16, vk.InTurn(g.Work(), s.Work()))
		column := normal(9, 1, 9, 1)
		one := func(m Matrix) Matrix { return NewMatrix(m.At, 1, 1, far) }
		p.do(t, column, column, column, func(rec *vk.Recorder, a, b, c Matrix) {
			a.Ld, b.Ld, c.Ld = far, far, far
			for tile := range g.tiles {
				x := g.split(tile, 9, 1)
				g.record(rec, p.ws, product{Trans, NoTrans, 1, 0, []pair{{a, b}}, one(c), Batch{Count: 1}}, x)
				g.record(rec, p.ws, product{NoTrans, Trans, 1, 0, []pair{{one(a), one(b)}}, one(c), Batch{Count: 1}}, x)
				s.record(rec, p.ws, one(a), one(b), one(c), x)
			}
			r.Record(rec, p.ws, one(a), one(b), one(c))
		})
	})
}
