package evd_test

import (
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestBandOfValues checks the half-bandwidth that plans choose. The device's tuning table has a
// wider band for large problems with few or no vectors. Such a problem must use it, unless
// Options.Band is set. A small problem must not use it.
func TestBandOfValues(t *testing.T) {
	dev := vk.Dry(vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	table := tuning.On(dev.Info())
	for _, c := range []struct {
		n    int
		opt  evd.Options
		want int
	}{
		{table.ValuesFrom - 1, evd.Options{}, table.Band},
		{table.ValuesFrom, evd.Options{}, table.ValuesBand},
		{table.ValuesFrom, evd.Options{Vectors: true}, table.Band},
		{table.ValuesFrom, evd.Options{Vectors: true, Select: evd.Index(0, 100)}, table.ValuesBand},
		{table.ValuesFrom, evd.Options{Vectors: true, Select: evd.Index(0, table.ValuesFrom/2)}, table.Band},
		{table.ValuesFrom, evd.Options{Band: 16}, 16},
	} {
		p, err := evd.NewPlan[float64](dev, c.n, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if p.Band() != c.want || c.want == table.ValuesBand && table.ValuesBand == table.Band {
			t.Errorf("n = %d, %+v: half-bandwidth %d, want %d", c.n, c.opt, p.Band(), c.want)
		}
	}
}

// TestRankByOrder checks the rank k of the updates that plans choose. The table of an H200 has a
// smaller rank for orders up to SmallTo. Such orders must use it, unless Options.Block is set, or
// the products are emulated, or the matrix is in single precision.
func TestRankByOrder(t *testing.T) {
	dev := vk.Dry(vk.Info{
		Name: "NVIDIA H200", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40,
		ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}},
		Features:     []string{"shaderFloat64", "shaderIntegerDotProduct", "shaderInt8", "cooperativeMatrix"},
	})
	table := tuning.On(dev.Info())
	if table.SmallTo == 0 || table.SmallBlock == table.Block {
		t.Fatalf("the table has no rank for small orders: %d up to %d, and %d", table.SmallBlock, table.SmallTo, table.Block)
	}
	blocks := func(n int, opt evd.Options) (double, single int) {
		p, err := evd.NewPlan[float64](dev, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Products = evd.ProductsAuto
		q, err := evd.NewPlan[float32](dev, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		return p.Block(), q.Block()
	}
	for _, c := range []struct {
		n            int
		opt          evd.Options
		want, single int
	}{
		{table.SmallTo, evd.Options{Vectors: true}, table.SmallBlock, table.Block},
		{table.SmallTo + 1, evd.Options{Vectors: true}, table.Block, table.Block},
		{table.ValuesFrom, evd.Options{}, table.Block, table.Block}, // values of large orders, by a wide band
		{table.SmallTo, evd.Options{Products: evd.ProductsEmulated}, table.Block, table.Block},
		{table.SmallTo, evd.Options{Block: 64}, 64, 64},
		{4096, evd.Options{Band: 24}, 240, 504},
	} {
		if double, single := blocks(c.n, c.opt); double != c.want || single != c.single {
			t.Errorf("n = %d, %+v: ranks %d and %d, want %d and %d", c.n, c.opt, double, single, c.want, c.single)
		}
	}
}

// TestValuesByAWiderBand compares the values of a solve with a wider band with those of the usual
// band. The values must agree except for rounding errors.
func TestValuesByAWiderBand(t *testing.T) {
	d := device(t, vk.Options{})
	const n = 45
	a := random(n)
	tune := *small()
	tune.ValuesBand, tune.ValuesFrom = 2*tune.Band, n
	wide, usual := valuesOnly(t, d, n, a, evd.Options{Tuning: &tune}), valuesOnly(t, d, n, a, evd.Options{Tuning: small()})
	for k := range wide {
		if diff := wide[k] - usual[k]; !(diff <= 1e-12 && diff >= -1e-12) {
			t.Errorf("value %d is %g, by the usual band %g", k, wide[k], usual[k])
		}
	}
}
