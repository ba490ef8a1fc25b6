package evd

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// orientation transposes vectors and fixes their signs, Qᵀ → Q. This is the last step of both kinds
// of plan. It is also the first step of a check, for which vectors return to the device.
type orientation[T Float] struct {
	transpose *stages.Transpose[T]
	signs     *stages.Signs[T]

	// rowMajor is Options.RowMajor: if it is true, vectors are downloaded one per row.
	rowMajor bool
}

// newOrientation builds the kernels.
func newOrientation[T Float](dev *vk.Device, opt Options) (*orientation[T], error) {
	transpose, err := stages.NewTranspose[T](dev)
	if err != nil {
		return nil, err
	}
	signs, err := stages.NewSigns[T](dev)
	return &orientation[T]{transpose, signs, opt.RowMajor}, err
}

// record transposes x, a vector per row, into q, a vector per column, and fixes the signs in q:
// each vector's component of largest magnitude, the first of several, becomes positive. x and q
// must not overlap.
//
// It returns the matrix to download: q, or for row-major vectors x, which then holds the transpose
// of q.
func (o *orientation[T]) record(rec *vk.Recorder, x, q product.Matrix[T]) product.Matrix[T] {
	rec.Phase(stages.PhaseTranspose, 0, 1)
	o.transpose.Record(rec, x, q)
	o.signs.Record(rec, q)
	if !o.rowMajor {
		return q
	}
	o.transpose.Record(rec, q, x)
	return x
}

// restore uploads z to q, a vector per column. Row-major vectors are uploaded to via first and
// transposed from there. via must have at least as many elements as z and must not overlap q. Its
// contents are undefined afterwards.
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
