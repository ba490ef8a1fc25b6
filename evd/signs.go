package evd

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// orientation is the last step on the device before vectors are downloaded. It transposes
// eigenvectors, from one vector per row to one vector per column, and fixes their signs. For a
// check of a result it also uploads vectors and transposes them back.
type orientation[T Float] struct {
	transpose *move.Transpose[T]
	signs     *move.Signs[T]

	// rowMajor is Options.RowMajor: if it is true, vectors are downloaded in row-major order.
	rowMajor bool
}

// newOrientation builds the kernels.
func newOrientation[T Float](dev *vk.Device, opt Options) (*orientation[T], error) {
	transpose, err := move.NewTranspose[T](dev)
	if err != nil {
		return nil, err
	}
	signs, err := move.NewSigns[T](dev)
	return &orientation[T]{transpose, signs, opt.RowMajor}, err
}

// record records commands that write the transpose of the matrix x to the matrix q and fix the
// signs. x has a vector in each row, and q gets a vector in each column. The component of largest
// magnitude of each vector becomes positive (the first of them, if there are several). x and q must
// not overlap.
//
// `record` returns the matrix to download, which has no gaps between its columns. This is q, or,
// for row-major vectors, the transpose of q, which is stored at the beginning of the memory of x.
func (o *orientation[T]) record(rec *vk.Recorder, x, q product.Matrix[T]) product.Matrix[T] {
	rec.Phase(stages.PhaseTranspose, 0, 1)
	o.transpose.Record(rec, x, q)
	o.signs.Record(rec, q)
	if !o.rowMajor {
		return q
	}
	rows := product.NewMatrix(x.At, x.Rows, x.Cols, max(x.Rows, 1))
	o.transpose.Record(rec, q, rows)
	return rows
}

// restore uploads the matrix z to q, which gets a vector in each column. Row-major vectors are
// first uploaded to the memory `via`, and then transposed from `via` to q. `via` must have at least
// as many elements as z, and must not overlap q. The contents of `via` are undefined afterwards.
func (o *orientation[T]) restore(
	ctx context.Context, dev *vk.Device, z *Dense[T], via vk.Slice[T], q product.Matrix[T],
) error {
	if !z.RowMajor {
		return vk.Upload(ctx, dev, q.At, z.stored())
	}
	if err := vk.Upload(ctx, dev, via, z.stored()); err != nil {
		return err
	}
	rec := vk.NewRecorder(dev)
	rec.Phase(stages.PhaseCheck, 0, 1)
	o.transpose.Record(rec, product.NewMatrix(via, q.Cols, q.Rows, q.Cols), q)
	_, err := dev.Run(ctx, rec, nil)
	return err
}
