package tuning

import (
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Fitting returns t, a tuning that Of has returned for T, with sizes that suit the device. For real
// T it is t. Complex numbers need more registers and shared memory than the doubles for which a
// table was chosen, so the half-bandwidth of the result is t.Band or smaller, and so are the passes
// that make a wide band narrower.
func Fitting[T spirv.Scalar](t Tuning, info vk.Info) Tuning {
	if !spirv.KindOf[T]().IsComplex() {
		return t
	}
	if product.Fits[T](t.Products, info) != nil {
		t.Products = product.Fitting[T](t.Products, info)
	}
	halve := func(band *int, more int) {
		for *band > 1 && chase.Fits[T](t.Chase, info, *band+more) != nil {
			*band /= 2
		}
	}
	halve(&t.Band, 0)
	halve(&t.Narrow.To, 0)
	halve(&t.Narrow.Tile, 1) // a reflector of a pass has one element more
	if back.FitsQ2[T](t.ApplyQ2, info, t.Band) != nil {
		t.ApplyQ2 = anywhere.ApplyQ2
	}
	return t
}
