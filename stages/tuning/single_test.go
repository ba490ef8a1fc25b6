package tuning

import (
	"errors"
	"reflect"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestFor checks that float32 has its own products on an H200 and that all of them can be built.
// The tridiagonal problem must use the products of doubles on every device.
func TestFor(t *testing.T) {
	for name, info := range map[string]vk.Info{
		"h200": {Name: "NVIDIA H200", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 132},
		"tiny": {Family: "nvidia", SharedBytes: 16 << 10, MaxLocal: 128, Subgroup: 32, Units: 1},
		"cpu":  {Family: "cpu", SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 8, Units: 4},
	} {
		double, single := On(info), For[float32](info)
		if !reflect.DeepEqual(For[float64](info), double) {
			t.Errorf("%s: other sizes for float64", name)
		}
		if !reflect.DeepEqual(single.Double().Products, double.Products) {
			t.Errorf("%s: the tridiagonal problem has other products than those of doubles", name)
		}
		if own := single.Products.Tiles[0] != double.Products.Tiles[0]; own != (name == "h200") {
			t.Errorf("%s: own tiles for float32: %v", name, own)
		}
		if own := single.Panel.TileBytes != double.Panel.TileBytes; own != (name == "h200") {
			t.Errorf("%s: own panels for float32: %v", name, own)
		}
		if single.Products.Units != double.Products.Units {
			t.Errorf("%s: %d units", name, single.Products.Units)
		}
		if _, err := product.New[float32](vk.Dry(info), single.Products); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	given := Smallest()
	if !reflect.DeepEqual(given.Double(), given) {
		t.Error("sizes without products for doubles have others for the tridiagonal problem")
	}
}

// TestComplexSizesFit builds the stages for complex numbers with the tables of devices with much
// and with little shared memory. Tables for doubles do not fit complex128 everywhere: with those of
// an H200, a tile of products would need 66 KiB of shared memory. From order 2304 on, a reduction
// in one stage with blocks of 64 columns would need too much, too.
func TestComplexSizesFit(t *testing.T) {
	complexSizesFit[complex128](t)
	complexSizesFit[complex64](t)
}

func complexSizesFit[T spirv.Scalar](t *testing.T) {
	for name, info := range map[string]vk.Info{
		"h200": {Name: "NVIDIA H200", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 132},
		"l4":   {Name: "NVIDIA L4", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 58},
		"amd":  {Family: "amd", SharedBytes: 64 << 10, MaxLocal: 1024, Subgroup: 64, Units: 96},
		"32":   {Family: "intel", SharedBytes: 32 << 10, MaxLocal: 256, Subgroup: 8, Units: 32},
		"cpu":  {Family: "cpu", SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 8, Units: 4},
	} {
		info.Features = []string{"shaderBufferInt64Atomics"}
		tune, dev := Fitting[T](For[T](info), info), vk.Dry(info)
		if !reflect.DeepEqual(tune.Double().Products, On(info).Products) {
			t.Errorf("%s: the tridiagonal problem has other products than those of doubles", name)
		}
		ops, err := product.New[T](dev, tune.Products)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, n := range []int{100, 1 << 10, 1 << 11, 3 << 10, 1 << 12, 1 << 15} {
			own := tune.For(n, 0)
			if one := OneStage[T](own, n, 0, stages.Waiting{Allowed: true}, info); one != (name == "h200" && n <= own.Sytrd.Values) {
				t.Errorf("%s: order %d in one stage: %v", name, n, one)
			}
			for _, w := range []stages.Waiting{{Allowed: true}, {}} {
				_, ofBand := reduce.NewBandReduction(dev, reduce.BandSize{N: n, B: own.Band, K: own.Block}, ops, w, own.Panel)
				_, ofChase := chase.NewBulgeChasing[T](dev, chase.Size{N: n, B: own.Band, Vectors: true}, w, own.Chase)
				_, ofQ2 := back.NewApplyQ2[T](dev, back.Size{N: n, B: own.Band, M: n}, w, own.ApplyQ2)
				if err := errors.Join(ofBand, ofChase, ofQ2); err != nil {
					t.Errorf("%s, n = %d, %+v: %v", name, n, w, err)
				}
			}
		}
	}
}

// TestChangedSizesKeepThoseOfFloat32 changes the half-bandwidth in a device's table, as stored
// results of `vkevd tune` do. Matrices of float32 must have the new half-bandwidth and the table's
// own sizes for float32. (The sizes for float64 once took their place.)
func TestChangedSizesKeepThoseOfFloat32(t *testing.T) {
	info := vk.Info{Name: "NVIDIA H200", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 132}
	changed := On(info)
	changed.Band = 64
	got, want := Of[float32](changed), For[float32](info)
	want.Band = 64
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if again := Of[float32](got); !reflect.DeepEqual(again, got) {
		t.Errorf("a second call changes the sizes: %+v", again)
	}
	if !reflect.DeepEqual(Of[float64](changed), changed) {
		t.Error("the sizes for float64 change")
	}
}
