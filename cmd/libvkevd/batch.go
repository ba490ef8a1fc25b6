package main

// #include "entry.h"
import "C"

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/vk"
)

//export goBatchOrder
func goBatchOrder(device C.vkevd_device, order *C.int64_t, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		if order == nil {
			return errNull("order")
		}
		*order = 0
		dev, err := deviceOf(device)
		if err == nil {
			// A little shared memory holds fewer complex numbers.
			least := min(batch.MaxOrder(dev, batch.Options{}), batch.MaxOrderOf[complex128](dev, batch.Options{}))
			*order = C.int64_t(least)
		}
		return err
	})
}

//export goBatchPlan
func goBatchPlan(device C.vkevd_device, n, count C.int64_t, options *C.vkevd_batch, h *C.vkevd_plan, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		o := orZero(options)
		return newPlan(device, h, o.number,
			newMany[float64, float64](n, count, o), newMany[float32, float32](n, count, o),
			newMany[complex128, float64](n, count, o), newMany[complex64, float32](n, count, o))
	})
}

func newMany[T evd.Number, R evd.Float](n, count C.int64_t, o C.vkevd_batch) *many[T, R] {
	return &many[T, R]{n: int(n), count: int(count), options: o}
}

func (b *many[T, R]) build(dev *vk.Device, progress func(evd.Progress)) (err error) {
	o := &b.options
	if o.reserved != [6]C.int64_t{} {
		return errReserved
	}
	if err := flags(o.vectors, o.upper, o.a_row_major); err != nil {
		return err
	}
	if o.number != b.number() {
		return badArgument{"options.number: none of VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_COMPLEX128, VKEVD_COMPLEX64"}
	}
	b.Plan, err = batch.NewPlan[T](dev, b.n, b.count, batch.Options{Vectors: o.vectors == 1, Progress: progress})
	return err
}

// batchSolver is a plan for many matrices of any type of numbers.
type batchSolver interface {
	kind
	solveAt(t *turn, count C.int64_t, n *C.int64_t, a, w, z *unsafe.Pointer, codes *C.int32_t, control *C.vkevd_control) error
}

//export goBatchSolve
func goBatchSolve(h C.vkevd_plan, number C.int32_t, count C.int64_t, n *C.int64_t, a, w, z *unsafe.Pointer, codes *C.int32_t,
	control *C.vkevd_control, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		p, b, err := planOf[batchSolver](h, number)
		if err != nil {
			return err
		}
		return b.solveAt(&p.turn, count, n, a, w, z, codes, control)
	})
}

// solveAt does the work of the C function vkevd_batch_solve.
func (b *many[T, R]) solveAt(t *turn, count C.int64_t, n *C.int64_t, a, w, z *unsafe.Pointer, codes *C.int32_t, control *C.vkevd_control) error {
	in, spectra, err := b.arrays(count, n, a, w, z)
	if err != nil {
		return err
	}
	return t.run(control, func(ctx context.Context) error {
		if err := inPlace(ctx, b.Plan, in, spectra); err != nil {
			return err
		}
		return b.codes(codes, spectra)
	})
}

type callersSpectrum[T evd.Number, R evd.Float] struct {
	values  []R
	vectors *evd.Dense[T] // nil if they are not wanted
	err     error
}

// perMatrix is roughly the number of bytes that the library needs for a matrix of a batch beside
// its entries. The factor 2 stands for further lists with one element for each matrix.
func perMatrix[T evd.Number, R evd.Float]() uintptr {
	return 2 * (unsafe.Sizeof(evd.Sym[T]{}) + unsafe.Sizeof(callersSpectrum[T, R]{}) + unsafe.Sizeof(batch.Spectrum[T]{}))
}

// arrays returns the matrices of a batch, and the memory for their results, which all belong to the
// C program. n[k] is the order of matrix k.
func (b *many[T, R]) arrays(count C.int64_t, n *C.int64_t, a, w, z *unsafe.Pointer) ([]evd.Sym[T], []callersSpectrum[T, R], error) {
	switch {
	case count < 0 || count > 1<<40:
		return nil, nil, badArgument{fmt.Sprintf("count: %d", int64(count))}
	case count == 0:
		return nil, nil, nil
	case a == nil:
		return nil, nil, errNull("a")
	case w == nil:
		return nil, nil, errNull("w")
	case z == nil && b.options.vectors == 1:
		return nil, nil, errNull("z")
	}
	if bytes := C.uint64_t(count) * C.uint64_t(perMatrix[T, R]()); C.vkevd_has_memory(bytes) == 0 {
		return nil, nil, badArgument{fmt.Sprintf("count: %d, for which the library needs %d bytes of memory, which cannot be had", int64(count), uint64(bytes))}
	}
	in, out := make([]evd.Sym[T], count), make([]callersSpectrum[T, R], count)
	for k := range in {
		order := b.n
		if n != nil {
			order = int(unsafe.Slice(n, count)[k])
		}
		if order < 0 || order > b.n {
			return nil, nil, badArgument{fmt.Sprintf("n[%d]: %d in a plan for %d", k, order, b.n)}
		}
		ld := C.int64_t(max(order, 1))
		m, err := dense[T](unsafe.Slice(a, count)[k], order, order, ld, false, "a[k]")
		if err != nil {
			return nil, nil, err
		}
		in[k] = evd.Sym[T]{N: order, Ld: m.Ld, Data: m.Data, Uplo: b.options.upper == 1, RowMajor: b.options.a_row_major == 1}
		if out[k].values, err = vector[R](unsafe.Slice(w, count)[k], order, "w[k]"); err != nil {
			return nil, nil, err
		}
		if b.options.vectors == 1 {
			v, err := dense[T](unsafe.Slice(z, count)[k], order, order, ld, false, "z[k]")
			if err != nil {
				return nil, nil, err
			}
			out[k].vectors = &v
		}
	}
	return in, out, nil
}

// inPlace solves a batch. The plan writes to the caller's memory, except values of type float32,
// which are rounded.
func inPlace[T evd.Number, R evd.Float](ctx context.Context, plan *batch.Plan[T], a []evd.Sym[T], out []callersSpectrum[T, R]) error {
	spectra := make([]batch.Spectrum[T], len(out))
	for k, s := range out {
		values, doubles := any(s.values).([]float64)
		if !doubles {
			values = make([]float64, len(s.values))
		}
		spectra[k].Values, spectra[k].Vectors = values, s.vectors
	}
	_, err := plan.SolveInto(ctx, a, spectra)
	for k, s := range spectra {
		overflow := take(out[k].values, s.Values, 0, false)
		if out[k].err = s.Err; s.Err == nil {
			out[k].err = overflow
		}
	}
	return err
}

// take rounds the values and writes them to the caller's memory `to`. The error is an
// *evd.OverflowError if a value is beyond the largest number of type T. For this error, `first` is
// the index of values[0] among all values of the matrix.
func take[T evd.Float](to []T, values []float64, first int, singular bool) error {
	e := evd.OverflowError{Singular: singular, Single: unsafe.Sizeof(T(0)) == 4}
	for k, x := range values {
		to[k] = T(x)
		if !math.IsInf(float64(to[k]), 0) {
			continue
		}
		if e.Count++; e.Count == 1 {
			e.Index, e.Negative = first+k, x < 0
		}
	}
	if e.Count == 0 {
		return nil
	}
	return &e
}

func converted[To, From evd.Float](from []From) []To {
	to := make([]To, len(from))
	for i, x := range from {
		to[i] = To(x)
	}
	return to
}

// codes writes an error code for each matrix to `codes`. If `codes` is NULL, the method returns the
// first error of a matrix instead.
func (b *many[T, R]) codes(codes *C.int32_t, spectra []callersSpectrum[T, R]) error {
	for k, s := range spectra {
		switch {
		case codes != nil:
			unsafe.Slice(codes, len(spectra))[k] = codeOf(s.err)
		case s.err != nil:
			return fmt.Errorf("matrix %d: %w", k, s.err)
		}
	}
	return nil
}
