package stages

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Reflectors is an orthogonal matrix of a bulge chasing, Q2 or P2, stored as a product of
// Householder reflectors in the form that the package's documentation describes. ReflectorLen gives
// the lengths of V and Tau.
//
// BulgeChasing and BidiagonalChasing write Reflectors. ApplyQ2 and ApplyQ2Squares read them. If b =
// 1 or n < 3, there are no reflectors and the matrix is I.
type Reflectors[T spirv.Stored] struct{ V, Tau vk.Slice[T] }

func (q Reflectors[T]) Check(n, b int) {
	v, tau := ReflectorLen(n, b)
	Holds("V", q.V, v)
	Holds("tau", q.Tau, tau)
}

func ReflectorLen(n, b int) (v, tau int) {
	if n < 3 {
		return 0, 0
	}
	return (n-2)*(n-1) - (n-2)*(n-3)/2, (n - 2) * vk.Tiles(n-1, uint32(b))
}
