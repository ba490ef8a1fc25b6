package tuning

import (
	"reflect"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
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

// TestChangedSizesKeepThoseOfFloat32 changes the half-bandwidth in a device's table, as stored results
// of `vkevd tune` do. Matrices of float32 must have the new half-bandwidth and the table's own sizes
// for float32. (The sizes for float64 once took their place.)
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
