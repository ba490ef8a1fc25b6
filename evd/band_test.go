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

// TestValuesByAWiderBand compares the values of a solve with a wider band with those of the usual
// band. They must agree except for rounding errors.
func TestValuesByAWiderBand(t *testing.T) {
	d := device(t, vk.Options{})
	const n = 45
	a := random(n)
	tune := *small()
	tune.ValuesBand, tune.ValuesFrom = 2*tune.Band, n
	wide, usual := valuesOnly(t, d, n, a, evd.Options{Tuning: &tune}), valuesOnly(t, d, n, a, evd.Options{Tuning: small()})
	for k := range wide {
		if diff := wide[k] - usual[k]; diff > 1e-12 || diff < -1e-12 {
			t.Errorf("value %d is %g, by the usual band %g", k, wide[k], usual[k])
		}
	}
}
