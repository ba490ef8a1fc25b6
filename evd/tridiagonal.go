package evd

import (
	"math"
	"slices"
)

// Tridiagonal is a symmetric tridiagonal matrix: D is its diagonal, E[i] the element
// beside D[i] and D[i+1]. E has one element less than D, or more, which are ignored.
type Tridiagonal[T Float] struct{ D, E []T }

// N is the order.
func (t Tridiagonal[T]) N() int { return len(t.D) }

// Check says whether the shape makes sense; the error is a *ShapeError.
func (t Tridiagonal[T]) Check() error {
	if len(t.E) < len(t.D)-1 {
		return &ShapeError{N: len(t.D), Len: len(t.E), Tridiagonal: true}
	}
	return nil
}

// off is E without what is ignored.
func (t Tridiagonal[T]) off() []T { return t.E[:max(0, len(t.D)-1)] }

// scan returns the largest magnitude, or a *NonFiniteError for the first element, in
// column order, that is NaN or infinite.
func (t Tridiagonal[T]) scan() (largest float64, err error) {
	off := t.off()
	for i, x := range t.D {
		var bad int
		if largest, bad = scanColumn(t.D[i:i+1], largest); bad >= 0 {
			return 0, &NonFiniteError{i, i, float64(x)}
		}
		if i == len(off) {
			break
		}
		if largest, bad = scanColumn(off[i:i+1], largest); bad >= 0 {
			return 0, &NonFiniteError{i + 1, i, float64(off[i])}
		}
	}
	return largest, nil
}

// times is σ·T in double precision.
func (t Tridiagonal[T]) times(sigma float64) Tridiagonal[float64] {
	return Tridiagonal[float64]{rescale(t.D, sigma), rescale(t.off(), sigma)}
}

// norm1 is the largest column sum of magnitudes.
func (t Tridiagonal[T]) norm1() float64 {
	sums := make([]float64, len(t.D))
	for i, x := range t.D {
		sums[i] += math.Abs(float64(x))
	}
	for i, x := range t.off() {
		sums[i] += math.Abs(float64(x))
		sums[i+1] += math.Abs(float64(x))
	}
	return slices.Max(append(sums, 0))
}
