package emulated

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestFindUnits checks the units that FindUnits returns for a device: its matrix units, or packed
// dot products. The test stores for each device which invocation holds which element of a matrix
// unit's result. If this is no permutation of the bits of an element's number, FindUnits must
// return packed dot products. If the device has no packed dot products, it must return an error.
func TestFindUnits(t *testing.T) {
	large, small, odd := vk.MatrixShape{M: 16, N: 16, K: 32}, vk.MatrixShape{M: 16, N: 8, K: 32}, vk.MatrixShape{M: 16, N: 16, K: 64}
	order := func(s vk.MatrixShape) string { return fmt.Sprintf("order of %d×%d sums of bytes", s.M, s.N) }
	for _, c := range []struct {
		name   string
		shapes []vk.MatrixShape
		known  map[string]string
		want   Units
	}{
		{"regular", []vk.MatrixShape{small, large}, map[string]string{order(large): "19088743"}, Units{large, 0x01234567}},
		{"irregular", []vk.MatrixShape{small, large}, map[string]string{order(large): irregular}, dots},
		{"order of other units", []vk.MatrixShape{small}, map[string]string{order(large): irregular, order(small): "5"}, Units{small, 5}},
		{"not known", []vk.MatrixShape{large}, nil, Units{large, dots.Order}},
		{"too deep", []vk.MatrixShape{odd}, nil, dots},
		{"none", nil, nil, dots},
	} {
		dev := vk.Dry(vk.Info{Name: c.name, Subgroup: 32, ByteMatrices: c.shapes, Features: []string{"shaderIntegerDotProduct"}})
		for name, answer := range c.known {
			dev.SetProbe(name, answer)
		}
		if u, err := FindUnits(context.Background(), dev); u != c.want || err != nil {
			t.Errorf("%s: %+v, %v, want %+v", c.name, u, err, c.want)
		}
	}
	var refused *vk.UnsupportedError
	if u, err := FindUnits(context.Background(), vk.Dry(vk.Info{Subgroup: 32, ByteMatrices: []vk.MatrixShape{large}})); !errors.As(err, &refused) {
		t.Errorf("without packed dot products: %+v, %v", u, err)
	}
}

// TestPack checks the function pack. Its argument has the place row + 16·column of each element of
// a matrix unit's result. pack must accept it only if the bits of the place are a permutation of
// the bits of the element's number.
func TestPack(t *testing.T) {
	order := func(change func(places []uint32)) []uint32 {
		places := make([]uint32, 256)
		for e := range places {
			places[e] = unpack(0x54763210, e)
		}
		change(places)
		return places
	}
	if packed, linear := pack(order(func([]uint32) {})); !linear || packed != 0x54763210 {
		t.Errorf("a permutation: %#x, %v", packed, linear)
	}
	for name, change := range map[string]func(p []uint32){
		"two elements exchanged":      func(p []uint32) { p[3], p[200] = p[200], p[3] },
		"the first one moved":         func(p []uint32) { p[0] = 9 },
		"a place outside":             func(p []uint32) { p[128] = 256 },
		"a bit that is two bits":      func(p []uint32) { p[1] = 3 },
		"the last element is another": func(p []uint32) { p[255] = 254 },
	} {
		if packed, linear := pack(order(change)); linear {
			t.Errorf("%s: %#x", name, packed)
		}
	}
}
