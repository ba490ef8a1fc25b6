package emulated

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// tablesOf returns the sizes of the tables of package tuning, by family.
func tablesOf() map[string]product.Emulation {
	all := map[string]product.Emulation{}
	for _, family := range []string{"smallest", "nvidia", "cpu", "other"} {
		all[family] = tables.On[struct{ Products product.Tuning }](vk.Info{Family: family}).Products.Emulated
	}
	return all
}

// TestTablesHaveTheBitsOfTheReference checks products with the sizes of panels and tiles in the
// tables for devices. There a panel may have more rows than a tile. All kinds of products are
// emulated. Products with lower right blocks of a symmetric factor begin inside of panels and of
// tiles.
func TestTablesHaveTheBitsOfTheReference(t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		for name, e := range tablesOf() {
			e.Least = product.Shape{}
			e.Strip, e.Planes, e.Held = min(e.Strip, 1<<14), 1<<24, 1<<24 // less memory than in the tables
			t.Run(name, func(t *testing.T) { testTable(t, u, e) })
		}
	})
}

func testTable(t *testing.T, u Units, e product.Emulation) {
	const n, k, count = 150, 70, 13
	ops := newOps(t, e, u, count, n, n)
	if err := ops.Reserve(product.Shape{M: n, N: 7, K: n, Count: 1, Held: true}); err != nil {
		t.Fatal(err)
	}
	p := bench{stagetest.NewBench(t, n*(n+2), vk.Together(ops.Work(), ops.HeldWork(), ops.Status()))}
	a, b, c := stagetest.Normal(n, k, n+1, 1), stagetest.Normal(n, k, n, 2), stagetest.Normal(n, n, n+1, 3)
	have := p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
		ops.Gemm(rec, p.WS, product.NoTrans, product.Trans, -1, a, b, 1, c)
	})
	equal(t, "gemm", have, expect(count, product.NoTrans, product.Trans, -1, a, b, 1, c))

	lower := c.Lower()
	have = p.do(t, ops, a, b, lower, func(rec *vk.Recorder, y, z, c product.Matrix[float64]) { ops.Syr2k(rec, p.WS, y, z, c) })
	want := stagetest.Sample{Rows: n, Cols: n, Ld: lower.Ld, Data: append([]float64{}, lower.Data...)}
	y, _ := operands(product.NoTrans, product.Trans, a, b, c)
	z, _ := operands(product.NoTrans, product.Trans, b, a, c)
	ref.EmulatedSyr2k(count, y, z, want.Data, want.Ld)
	equal(t, "syr2k", have, want)

	const cols = 7
	symmetric := stagetest.Normal(n, n, n+1, 4).Lower()
	full := stagetest.Normal(n, n, n, 4)
	full.Fill(func(i, j int) float64 { return symmetric.Data[max(i, j)+min(i, j)*symmetric.Ld] })
	for _, first := range []int{0, 31, 32, 33, 63, 64, 70, 96, 127, 128, 149} {
		m := n - first
		w, c := stagetest.Normal(m, cols, m, 5), stagetest.Normal(m, cols, m, 6)
		have := p.do(t, ops, symmetric, w, c, func(rec *vk.Recorder, a, w, c product.Matrix[float64]) {
			ops.Hold(rec, p.WS, a)
			ops.Symm(rec, p.WS, a.Block(first, first, m, m), w, c)
		})
		padded, all := stagetest.Normal(n, cols, n, 7), make([]float64, n*cols)
		padded.Fill(func(i, j int) float64 {
			if i < first {
				return 0
			}
			return w.Data[i-first+j*w.Ld]
		})
		left, right := operands(product.NoTrans, product.NoTrans, full, padded, stagetest.Sample{Rows: n, Cols: cols})
		ref.EmulatedGemm(count, 1, left, right, 0, all, n)
		want := stagetest.Sample{Rows: m, Cols: cols, Ld: m}
		for j := range cols {
			want.Data = append(want.Data, all[first+j*n:(j+1)*n]...)
		}
		equal(t, fmt.Sprint("symm from row ", first), have, want)
	}
}
