package evd

import (
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestProductsOfManyVectors: with emulated products, back transformation 1 of order 65536 took 155
// s on an H200, where native products take some 30 s. The emulated ones are used only for as many
// vectors as they were measured to be faster for.
func TestProductsOfManyVectors(t *testing.T) {
	h200 := emulated.Facts{Native: 20e12, Emulated: 24e12, Bytes: 3.4e14, Right: true}
	slow := emulated.Facts{Native: 1.2e12, Emulated: 15e12, Bytes: 2e14, Right: true}
	for _, c := range []struct {
		facts  emulated.Facts
		n, m   int
		opt    Products
		native bool
	}{
		{h200, 32768, 32768, ProductsAuto, false}, {h200, 65536, 16384 + 64, ProductsAuto, false},
		{h200, 65536, 32768, ProductsAuto, true}, {h200, 65536, 65536, ProductsAuto, true},
		{h200, 65536, 65536, ProductsEmulated, false}, {slow, 65536, 65536, ProductsAuto, false},
	} {
		dev := vk.Dry(vk.Info{Name: "card", Family: "nvidia"})
		c.facts.Keep(dev)
		var native product.Tiled[float64]
		var other product.Tiled[float64]
		p := products[float64]{native: &native, vectors: &other}
		ops, _ := p.chooseBack(dev, c.n, c.m, Options{Products: c.opt}, tuning.Tuning{})
		if (ops == product.Ops[float64](&native)) != c.native {
			t.Errorf("%+v: native is %v", c, !c.native)
		}
	}
}

// TestForecastOfNativeBackTransformation: the forecast of a plan with emulated products says which
// phase has native ones. Four devices that divide a matrix have few enough vectors each.
func TestForecastOfNativeBackTransformation(t *testing.T) {
	card := func() *vk.Device {
		dev := vk.Dry(vk.Info{
			Name: "NVIDIA H200", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 132,
			Memory: 1 << 40, Free: 1 << 40, Features: []string{"shaderFloat64", "shaderIntegerDotProduct"},
			ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}},
		})
		emulated.Facts{Native: 20e12, Emulated: 24e12, Bytes: 3.4e14, Right: true}.Keep(dev)
		return dev
	}
	for _, c := range []struct {
		n, others int
		native    bool
	}{{32768, 0, false}, {65536, 0, true}, {65536, 1, true}, {65536, 3, false}} {
		var others []*vk.Device
		for range c.others {
			others = append(others, card())
		}
		p, err := NewPlan[float64](card(), c.n, Options{Vectors: true, Devices: others})
		if err != nil || !p.Emulated() || p.Distributed() != (c.others > 0) {
			t.Fatalf("%+v: %v, or no emulated products, or the matrix is not divided as expected", c, err)
		}
		for _, cost := range p.Costs() {
			if cost.Native != (c.native && cost.Stage == stages.PhaseApplyQ1) {
				t.Errorf("%+v, %s: native is %v", c, cost.Stage, cost.Native)
			}
		}
	}
}

// TestPlansDivideWhereItIsFaster checks which plans for two devices divide the matrix by
// themselves: those for two H200, from the order 16384 on.
func TestPlansDivideWhereItIsFaster(t *testing.T) {
	card := func(name string) *vk.Device {
		return vk.Dry(vk.Info{
			Name: name, Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 132, Memory: 1 << 40, Free: 1 << 40,
		})
	}
	for _, c := range []struct {
		n             int
		vectors       bool
		first, second string
		divided       bool
	}{
		{16384, true, "NVIDIA H200", "NVIDIA H200", true}, {16384, false, "NVIDIA H200", "NVIDIA H200", true},
		{16383, true, "NVIDIA H200", "NVIDIA H200", false}, {16383, false, "NVIDIA H200", "NVIDIA H200", false},
		{16384, true, "NVIDIA H200", "NVIDIA H100", false}, {16384, true, "NVIDIA L4", "NVIDIA L4", false},
	} {
		p, err := NewPlan[float64](card(c.first), c.n, Options{Vectors: c.vectors, Devices: []*vk.Device{card(c.second)}})
		if err != nil || p.Distributed() != c.divided {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if p, err := NewPlan[float64](card("NVIDIA H200"), 16384, Options{}); err != nil || p.Distributed() {
		t.Errorf("one device: %v", err)
	}
}
