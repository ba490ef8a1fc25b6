package dense

import (
	"math"
	"testing"
)

// TestCongruentKeepsSubnormals passes matrices with subnormal elements to Congruent. The elements
// of the result 2⁻ᵉ·D·A·D must be exact.
func TestCongruentKeepsSubnormals(t *testing.T) {
	const tiny = math.SmallestNonzeroFloat64
	d := []float64{0x1.8p536, 0x1.4p537, 3}
	a := Triangle[float64]{N: 3, Ld: 3, Data: []float64{tiny, 5 * tiny, 2, 0, 3 * tiny, 7 * tiny, 0, 0, -tiny}}
	for _, largest := range []float64{2, 6 * tiny} {
		a.Data[2] = largest
		c, e, err := Congruent(a, d)
		if err != nil {
			t.Fatal(err)
		}
		top := 0.0
		for j := range 3 {
			for i := j; i < 3; i++ {
				f, of := math.Frexp(a.Data[i+3*j])
				for _, k := range []int{i, j} {
					g, by := math.Frexp(d[k])
					f, of = f*g, of+by
				}
				got := c.Data[i+3*j]
				if want := math.Ldexp(f, of-e); got != want {
					t.Errorf("largest %g: element (%d, %d) is %g·2^%d, not %g", largest, i, j, got, e, want)
				}
				top = max(top, math.Abs(got))
			}
		}
		if !(top >= 0.5 && top < 1) {
			t.Errorf("largest %g: the largest element is %g", largest, top)
		}
	}
}
