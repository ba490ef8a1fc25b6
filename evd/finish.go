package evd

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// finish is the last step of both kinds of plan, Qᵀ → Q with signs fixed, and the first of a
// check, for which Q comes back.
type finish struct {
	transpose *stages.Transpose
	signs     *stages.Signs
	rowMajor  bool
}

func newFinish(dev *vk.Device, opt Options, t stages.Tuning) (*finish, error) {
	transpose, err := stages.NewTranspose(dev, t)
	if err != nil {
		return nil, err
	}
	signs, err := stages.NewSigns(dev)
	return &finish{transpose, signs, opt.RowMajor}, err
}

// record makes q of its transpose x and fixes signs there, where a vector is a column. It returns what is to be
// downloaded: q, or for row-major vectors x, which the transpose of q replaces.
func (f *finish) record(rec *vk.Recorder, x, q stages.Matrix) stages.Matrix {
	rec.Phase(stages.PhaseTranspose, 0, 1)
	f.transpose.Record(rec, x, q)
	f.signs.Record(rec, q)
	if !f.rowMajor {
		return q
	}
	f.transpose.Record(rec, q, x)
	return x
}

// restore brings z to q on the device; what is row-major goes by way of via, which holds as much.
func restore[T Float](ctx context.Context, dev *vk.Device, f *finish, z *Dense[T], via vk.Slice[float64], q stages.Matrix) error {
	if !z.RowMajor {
		return vk.Upload(ctx, dev, q.At, z.stored())
	}
	if err := vk.Upload(ctx, dev, via, z.stored()); err != nil {
		return err
	}
	rec := vk.NewRecorder(dev)
	rec.Phase(stages.PhaseCheck, 0, 1)
	f.transpose.Record(rec, stages.NewMatrix(via, q.Cols, q.Rows, q.Cols), q)
	_, err := dev.Run(ctx, rec, nil)
	return err
}
