package tuning

import (
	"testing"

	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/vk"
)

// tally is a product.Ops that counts the flops of its products: `all` counts all products, and
// `long` counts the products whose inner dimension is above 128.
type tally struct {
	product.Ops[float64]
	all, long *float64
}

func (c tally) count(m, n, k, count int) {
	flops := 2 * float64(m) * float64(n) * float64(k) * float64(count)
	if *c.all += flops; k > 128 {
		*c.long += flops
	}
}

func (c tally) Gemm(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b product.Matrix[float64], beta float64, x product.Matrix[float64]) {
	c.count(x.Rows, x.Cols, inner(opA, a), 1)
	c.Ops.Gemm(rec, ws, opA, opB, alpha, a, b, beta, x)
}

func (c tally) GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b product.Matrix[float64], beta float64, x product.Matrix[float64]) {
	c.count(x.Rows, x.Cols, inner(opA, a), 1)
	c.Ops.GemmUnsplit(rec, ws, opA, opB, alpha, a, b, beta, x)
}

func (c tally) GemmBatch(rec *vk.Recorder, ws *vk.Arena, batch product.Batch, opA, opB product.Op, alpha float64, a, b product.Matrix[float64], beta float64, x product.Matrix[float64]) {
	c.count(x.Rows, x.Cols, inner(opA, a), batch.Count)
	c.Ops.GemmBatch(rec, ws, batch, opA, opB, alpha, a, b, beta, x)
}

func (c tally) GemmPair(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, first, second product.Pair[float64], beta float64, x product.Matrix[float64]) {
	c.count(x.Rows, x.Cols, inner(opA, first.A), 2)
	c.Ops.GemmPair(rec, ws, opA, opB, alpha, first, second, beta, x)
}

func (c tally) GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...product.Product[float64]) {
	for _, p := range products {
		c.count(p.C.Rows, p.C.Cols, inner(p.OpA, p.A), 1)
	}
	c.Ops.GemmTogether(rec, ws, products...)
}

func (c tally) Syr2k(rec *vk.Recorder, ws *vk.Arena, y, z, x product.Matrix[float64]) {
	c.count(x.Rows, x.Rows, y.Cols, 1) // two products, of which one triangle is needed
	c.Ops.Syr2k(rec, ws, y, z, x)
}

func (c tally) Symm(rec *vk.Recorder, ws *vk.Arena, a, w, p product.Matrix[float64]) {
	c.count(a.Rows, w.Cols, a.Rows, 1)
	c.Ops.Symm(rec, ws, a, w, p)
}

func (c tally) SymmTogether(rec *vk.Recorder, ws *vk.Arena, a, w, p product.Matrix[float64], others ...product.Product[float64]) {
	c.Symm(rec, ws, a, w, p)
	c.GemmTogether(rec, ws, others...)
}

func inner(op product.Op, a product.Matrix[float64]) int {
	if op.Transposes() {
		return a.Rows
	}
	return a.Cols
}

// TestProductsRunOnUnits counts the flops of a card with slow double precision in the dense stages
// of a solve with vectors: the products of the band reduction, and both back transformations. The
// reflectors of back transformation 2 are multiplied out to squares, which takes native flops. At
// least 85 % of all these flops must run on integer units (emulated products). Native products with
// inner dimensions above 128 may have at most 7 % of them.
func TestProductsRunOnUnits(t *testing.T) {
	dev := vk.Dry(vk.Info{
		Name: "a card for desktops", Family: "nvidia", Type: "discrete", Memory: 1 << 40, Free: 1 << 40,
		SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 128, ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}},
		Features: []string{"shaderIntegerDotProduct", "shaderInt8", "cooperativeMatrix"},
	})
	for _, n := range []int{8192, 16384, 32768} {
		tune := On(dev.Info()).For(n, n)
		plain, err := product.New[float64](dev, tune.Products)
		if err != nil {
			t.Fatal(err)
		}
		var flops, long, native, nativeLong float64
		units := emulated.Candidates(dev.Info())
		ops, err := emulated.NewOn(dev, tally{plain, &native, &nativeLong}, tune.Products.Emulated, 14, units[len(units)-1])
		if err != nil {
			t.Fatal(err)
		}
		recordDense(t, dev, n, tune, tally{ops, &flops, &long}, ops.Status(), false)
		q2, err := back.NewApplyQ2Squares(dev, back.Size{N: n, B: tune.Band, M: n}, product.Ops[float64](ops), tune.ApplyQ2)
		if err != nil {
			t.Fatal(err)
		}
		multiplied := q2.Flops() - q2.ProductFlops()
		flops, native = flops+multiplied, native+multiplied
		share, rest := 1-native/flops, nativeLong/flops
		t.Logf("n = %d: %.1f %% of %.3g flops on integer units; native with long inner dimensions %.1f %%, to multiply squares out %.1f %%",
			n, 100*share, flops, 100*rest, 100*multiplied/flops)
		if !(share >= 0.85 && rest <= 0.07) {
			t.Errorf("n = %d: %.1f %% of the flops run on integer units, %.1f %% in long native products", n, 100*share, 100*rest)
		}
	}
}
