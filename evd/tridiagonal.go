package evd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
)

// Tridiagonal is a symmetric tridiagonal matrix T. D is its diagonal, and E[i] = T(i+1, i). E has
// len(D)−1 elements. If E is longer, the further elements are ignored.
type Tridiagonal[T Float] struct {
	// D is the diagonal of the matrix, and E is its off-diagonal.
	D, E []T
}

// N returns the order of the matrix, which is the length of D.
func (t Tridiagonal[T]) N() int { return len(t.D) }

// Validate returns a *ShapeError if E has fewer than len(D)−1 elements. It reads no element.
func (t Tridiagonal[T]) Validate() error {
	if len(t.E) < len(t.D)-1 {
		return &ShapeError{N: len(t.D), Len: len(t.E), Tridiagonal: true}
	}
	return nil
}

// `off` returns the off-diagonal entries: the first len(D)−1 elements of E.
func (t Tridiagonal[T]) off() []T { return t.E[:max(0, len(t.D)-1)] }

// scan returns the largest magnitude of an element. If an element is NaN or infinite, `scan`
// returns a *NonFiniteError for the first such element in column order.
func (t Tridiagonal[T]) scan() (largest float64, err error) {
	off := t.off()
	for i, x := range t.D {
		var bad int
		if largest, bad = plan.ScanColumn(t.D[i:i+1], largest); bad >= 0 {
			return 0, &NonFiniteError{i, i, float64(x)}
		}
		if i == len(off) {
			break
		}
		if largest, bad = plan.ScanColumn(off[i:i+1], largest); bad >= 0 {
			return 0, &NonFiniteError{i + 1, i, float64(off[i])}
		}
	}
	return largest, nil
}

// times returns the matrix σ·T in double precision, where T is the tridiagonal matrix t.
func (t Tridiagonal[T]) times(sigma float64) spectrum.Tridiagonal {
	return spectrum.Tridiagonal{D: spectrum.Scale(t.D, sigma), E: spectrum.Scale(t.off(), sigma)}
}
