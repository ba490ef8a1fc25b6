package pencil

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// TestCopyFactor multiplies the factors of B in each storage, for a B that needs no scale and one
// that the device scales.
func TestCopyFactor(t *testing.T) {
	eachType(t, testCopyFactor[float64], testCopyFactor[float32], testCopyFactor[complex128], testCopyFactor[complex64])
}

func testCopyFactor[T evd.Number](t *testing.T) {
	ctx, ulp := context.Background(), stagetest.UlpOf[T]()
	for i, n := range []int{0, 1, 2, 33, 50, 70} {
		p, pr := planFor[T](t, n, Options{Tuning: small()}), newPair[T](n, 10, true)
		if err := p.CopyFactor(ctx, given[T](n, pr.b, evd.Lower, false)); !errors.Is(err, ErrNoFactor) {
			t.Errorf("n=%d: CopyFactor before Factor: %v", n, err)
		}
		for storage := range 4 {
			uplo, rowMajor, scale := evd.Uplo(storage%2 == 1), storage > 1, math.Ldexp(1, 110*((i+storage)%3-1))
			where := fmt.Sprintf("n=%d, upper %v, row-major %v, scale %g", n, uplo, rowMajor, scale)
			b := given[T](n, pr.b, uplo, rowMajor)
			dense.Multiply(b.Data, scale)
			if _, err := p.Factor(ctx, b); err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			if err := p.CopyFactor(ctx, b); err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			l := make([]complex128, n*n)
			for j := range n {
				for i := range b.Ld {
					row, col := i, j
					if rowMajor {
						row, col = j, i
					}
					z := stagetest.Exactly(b.Data[i+j*b.Ld : i+j*b.Ld+1])[0]
					switch written := i < n && (row == col || row > col == (uplo == evd.Lower)); {
					case written && uplo == evd.Lower:
						l[row+col*n] = z
					case written:
						l[col+row*n] = cmplx.Conj(z)
					case !cmplx.IsNaN(z):
						t.Fatalf("%s: element (%d, %d) was written", where, row, col)
					}
				}
			}
			for i, z := range times(n, l, ref.Adjoint, l) {
				diff := cmplx.Abs(z/complex(scale, 0) - pr.b[i])
				if !(diff <= 10*float64(n)*ulp) || i%(n+1) == 0 && !(real(l[i]) > 0 && imag(l[i]) == 0) {
					t.Fatalf("%s: element %d of L·Lᴴ is off by %g; of L it is %g", where, i, diff, l[i])
				}
			}
		}
	}
	var which *MatrixError
	p := planFor[T](t, 2, Options{Tuning: small()})
	if err := p.CopyFactor(ctx, evd.Sym[T]{N: 3, Data: make([]T, 9)}); !errors.As(err, &which) || which.Matrix != "B" {
		t.Errorf("memory of another order: %v", err)
	}
}
