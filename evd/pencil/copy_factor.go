package pencil

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/copies"
	"github.com/vkevd/vkevd/vk"
)

// CopyFactor writes the factor of the B of the last Factor or SolvePair to the triangle that
// into.Uplo names, as LAPACK's dpotrf and zpotrf do: L with B = L·Lᴴ to the lower triangle, or U =
// Lᴴ with B = Uᴴ·U to the upper one. The diagonal is real and positive. CopyFactor writes to no
// other element, and after an error it has written nothing.
//
// The errors are ErrNoFactor, a *MatrixError for B, which wraps an *evd.ShapeError, ctx.Err(),
// evd.ErrClosed and those of the device.
func (p *Plan[T]) CopyFactor(ctx context.Context, into evd.Sym[T]) error {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(into, "B"); err != nil {
		return err
	}
	if p.opt.Overlap.Canonical {
		return plan.BadOption("Overlap", "canonical orthogonalisation computes no factor L")
	}
	if p.factored == nil {
		return ErrNoFactor
	}
	n := p.base.N
	l := spectrum.Unscale[T]([]float64{math.Sqrt(p.one)}, 1)
	if n > 1 {
		c := p.base.Begin(ctx, nil)
		l = make([]T, n*n)
		if err := vk.Download(ctx, c.Dev, column(l), p.factor.Parts(c.Arena)[0]); err != nil {
			return err
		}
		dense.Multiply(l, 1/math.Sqrt(p.factored.Sigma))
	}
	if into.Uplo == evd.Upper {
		plan.Parts(l, conjugate[float32], conjugate[float64])
	}
	to := triangle(into)
	const tile = 32 // columns of a tile of L, which fits into the first-level cache
	copies.Each((n+tile-1)/tile, tile*n, func(k int) {
		for i0 := k * tile; i0 < n; i0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := k * tile; j < min((k+1)*tile, i+1); j++ {
					at := i + j*to.Ld
					if to.Upper {
						at = j + i*to.Ld
					}
					to.Data[at] = l[i+j*n]
				}
			}
		}
	})
	return nil
}

// conjugate negates the imaginary parts of numbers that consist of `each` parts.
func conjugate[R evd.Float](parts []R, each int) {
	for i := 1; i < len(parts) && each == 2; i += 2 {
		parts[i] = -parts[i]
	}
}
