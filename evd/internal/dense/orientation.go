package dense

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Orientation has the kernels of the last step on the device before vectors are downloaded. It
// transposes eigenvectors, from one vector per row to one vector per column, and fixes their signs;
// if the caller wants row-major vectors, it transposes them once more. For a check of a result,
// Restore uploads vectors, so that the device has one vector per column.
type Orientation[T spirv.Scalar] struct {
	Transpose *move.Transpose[T]
	signs     *move.Signs[T]
	rowMajor  bool
}

// NewOrientation builds the kernels. If rowMajor is true, the downloaded vectors are row-major.
func NewOrientation[T spirv.Scalar](dev *vk.Device, rowMajor bool) (*Orientation[T], error) {
	transpose, err := move.NewTranspose[T](dev)
	if err != nil {
		return nil, err
	}
	signs, err := move.NewSigns[T](dev)
	return &Orientation[T]{transpose, signs, rowMajor}, err
}

// Record records commands that write the transpose of the matrix x to the matrix q and fix the
// signs. x has a vector in each row, and q gets a vector in each column. The component of largest
// magnitude of each vector becomes real and positive (the first of them, if there are several). x
// and q must not overlap, and x may be overwritten. If `back` is not nil, Record calls it before
// the signs are fixed. Then `back` records a transformation of the vectors z that writes the
// results to the matrix `to`, and may overwrite z.
//
// Record returns the matrix to download, which has no gaps between its columns: a vector in each
// column, or, for row-major vectors, in each row. It is at the beginning of the memory of x or of
// q.
func (o *Orientation[T]) Record(rec *vk.Recorder, x, q product.Matrix[T], back func(z, to product.Matrix[T])) product.Matrix[T] {
	rec.Phase(stages.PhaseTranspose, 0, 1)
	o.Transpose.Record(rec, x, q)
	free := x.At
	if back != nil {
		to := product.NewMatrix(free, q.Rows, q.Cols, max(q.Rows, 1))
		back(q, to)
		rec.Phase(stages.PhaseTranspose, 0, 1)
		q, free = to, q.At
	}
	o.signs.Record(rec, q)
	if !o.rowMajor {
		return q
	}
	rows := product.NewMatrix(free, q.Cols, q.Rows, max(q.Cols, 1))
	o.Transpose.Record(rec, q, rows)
	return rows
}

// Stored is a set of vectors in host memory. Their matrix has a vector in each column, or, if
// Transposed is true, in each row.
type Stored[T spirv.Scalar] struct {
	vk.Columns[T]
	Transposed bool
}

// Part returns the vectors `from` ≤ i < `to`, in the same memory.
func (z Stored[T]) Part(from, to int) Stored[T] {
	first := from * z.Ld
	if z.Transposed {
		first, z.Rows = from, to-from
	} else {
		z.Cols = to - from
	}
	z.Data = z.Data[min(first, len(z.Data)):]
	return z
}

// Norms returns the 1-norms and the 2-norms of the vectors. Squares of elements must not overflow.
func (z Stored[T]) Norms() (one, two []float64) {
	count := z.Cols
	if z.Transposed {
		count = z.Rows
	}
	one, two = make([]float64, count), make([]float64, count)
	const together = 64 // vectors for one call, which then reads whole cache lines of transposed vectors
	tridiag.Parallel(vk.Tiles(count, together), func(k int) {
		first := k * together
		part := z.Part(first, min(first+together, count))
		room := make([]float64, part.Rows)
		for j := range part.Cols {
			for i, x := range Magnitudes(part.Data[j*part.Ld:j*part.Ld+part.Rows], 1, room) {
				of := first + j
				if part.Transposed {
					of = first + i
				}
				one[of] += x
				two[of] += x * x
			}
		}
	})
	for i, x := range two {
		two[i] = math.Sqrt(x)
	}
	return one, two
}

// Restore uploads the vectors z to q, which gets a vector in each column. Transposed vectors are
// first uploaded to the memory `via`, and then transposed from `via` to q. `via` must have at least
// as many elements as z, and must not overlap q. The contents of `via` are undefined afterwards.
func (o *Orientation[T]) Restore(
	ctx context.Context, dev *vk.Device, z Stored[T], via vk.Slice[T], q product.Matrix[T],
) error {
	if !z.Transposed {
		return vk.Upload(ctx, dev, q.At, z.Columns)
	}
	if err := vk.Upload(ctx, dev, via, z.Columns); err != nil {
		return err
	}
	rec := vk.NewRecorder(dev)
	rec.Phase(stages.PhaseCheck, 0, 1)
	o.Transpose.Record(rec, product.NewMatrix(via, q.Cols, q.Rows, q.Cols), q)
	_, err := dev.Run(ctx, rec, nil)
	return err
}
