package main

// #include "entry.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

//export goSymmetricPlan
func goSymmetricPlan(device C.vkevd_device, n C.int64_t, options *C.vkevd_symmetric, h *C.vkevd_plan, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		o := orZero(options)
		number := o.number
		if number == C.VKEVD_MIXED_COMPLEX {
			number = C.VKEVD_COMPLEX128
		}
		return newPlan(device, h, number,
			&symmetric[float64, float64]{n: int(n), options: o}, &symmetric[float32, float32]{n: int(n), options: o},
			&symmetric[complex128, float64]{n: int(n), options: o}, &symmetric[complex64, float32]{n: int(n), options: o})
	})
}

func (s *symmetric[T, R]) build(dev *vk.Device, progress func(evd.Progress)) error {
	opt, err := s.plan()
	if err != nil {
		return err
	}
	opt.Progress = progress
	switch s.options.number {
	case C.VKEVD_MIXED:
		s.eigenSolver, err = solverOf[T](evd.NewMixedPlan[float64](dev, s.n, opt))
	case C.VKEVD_MIXED_COMPLEX:
		s.eigenSolver, err = solverOf[T](evd.NewMixedPlan[complex128](dev, s.n, opt))
	default:
		s.eigenSolver, err = solverOf[T](evd.NewPlan[T](dev, s.n, opt))
	}
	return err
}

// solverOf returns a plan for numbers of type T, or none with an error.
func solverOf[T evd.Number](plan any, err error) (eigenSolver[T], error) {
	if err != nil {
		return nil, err
	}
	return plan.(eigenSolver[T]), nil
}

// plan converts the C program's options, and stores in `s` what later solves need. If all vectors
// are selected, a solve computes them in the memory of z, to which A has been copied, so that Go
// needs no memory for them. With verify, VKEVD_MIXED, or for pairs, they are copied to z afterwards.
func (s *symmetric[T, R]) plan() (opt evd.Options, err error) {
	o := &s.options
	if o.reserved0 != 0 || o.reserved != [6]C.int64_t{} {
		return opt, errReserved
	}
	if err := flags(o.vectors, o.upper, o.a_row_major, o.vectors_row_major, o.verify); err != nil {
		return opt, err
	}
	mixed := o.number == C.VKEVD_MIXED || o.number == C.VKEVD_MIXED_COMPLEX
	switch {
	case !mixed && o.number != s.number():
		return opt, badArgument{"options.number: none of VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_MIXED, VKEVD_COMPLEX128, VKEVD_COMPLEX64, VKEVD_MIXED_COMPLEX"}
	case mixed && (o.vectors == 0 || o._select != C.VKEVD_ALL):
		return opt, badArgument{"options.number: VKEVD_MIXED and VKEVD_MIXED_COMPLEX need vectors = 1 and select = VKEVD_ALL"}
	}
	opt.Vectors, opt.Verify = o.vectors == 1, o.verify == 1
	opt.RowMajor = opt.Vectors && o.vectors_row_major == 1
	s.most = s.n
	switch o._select {
	case C.VKEVD_ALL:
		s.overwrite = opt.Vectors && !opt.Verify && !mixed
		opt.Overwrite = s.overwrite
	case C.VKEVD_INDEX:
		opt.Select = evd.Index(int(o.from), int(o.to))
		s.most = int(o.to - o.from)
	case C.VKEVD_INTERVAL:
		opt.Select = evd.Interval(float64(o.above), float64(o.up_to))
		if o.at_most != 0 {
			opt.Select = opt.Select.AtMost(int(o.at_most))
			s.most = min(s.n, int(o.at_most))
		}
	default:
		return opt, badArgument{"options.select: none of VKEVD_ALL, VKEVD_INDEX, VKEVD_INTERVAL"}
	}
	return opt, nil
}

var errReserved = badArgument{"options.reserved: must be 0"}

func flags(all ...C.int32_t) error {
	for _, x := range all {
		if x != 0 && x != 1 {
			return badArgument{"options: a member that must be 0 or 1 is neither"}
		}
	}
	return nil
}

// symmetricSolver is a plan for symmetric or Hermitian matrices of any type of numbers.
type symmetricSolver interface {
	kind
	solveAt(t *turn, a unsafe.Pointer, lda C.int64_t, w, z unsafe.Pointer, ldz C.int64_t, found *C.vkevd_found, control *C.vkevd_control) error
}

//export goSymmetricSolve
func goSymmetricSolve(h C.vkevd_plan, number C.int32_t, a unsafe.Pointer, lda C.int64_t, w, z unsafe.Pointer, ldz C.int64_t,
	found *C.vkevd_found, control *C.vkevd_control, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		p, s, err := planOf[symmetricSolver](h, number)
		if err != nil {
			return err
		}
		return s.solveAt(&p.turn, a, lda, w, z, ldz, found, control)
	})
}

func (s *symmetric[T, R]) solveAt(t *turn, a unsafe.Pointer, lda C.int64_t, w, z unsafe.Pointer, ldz C.int64_t,
	found *C.vkevd_found, control *C.vkevd_control) error {
	return s.solveBy(s.Solve, t, a, lda, w, z, ldz, found, control)
}

// solver computes the spectrum of a matrix.
type solver[T evd.Number] func(context.Context, evd.Sym[T]) (*evd.Result[T], error)

// solveBy calls `by` with the C program's matrix, and writes the result to the C program's memory.
func (s *symmetric[T, R]) solveBy(by solver[T], t *turn, a unsafe.Pointer, lda C.int64_t, w, z unsafe.Pointer, ldz C.int64_t,
	found *C.vkevd_found, control *C.vkevd_control) error {
	in, err := dense[T](a, s.n, s.n, lda, false, "a")
	if err != nil {
		return err
	}
	if z == a && z != nil && s.options.vectors == 1 && ldz != lda {
		return badArgument{"ldz: z is a, so it must be lda"}
	}
	return s.write(t, w, z, ldz, found, control, func(ctx context.Context, z evd.Dense[T]) (*evd.Result[T], error) {
		sym := triangle(in, s.options.upper, s.options.a_row_major)
		if s.overwrite && unsafe.SliceData(in.Data) != unsafe.SliceData(z.Data) {
			putTriangle(z.Data, z.Ld, sym)
			sym.Ld, sym.Data = z.Ld, z.Data
		}
		return by(ctx, sym)
	})
}

// write writes the result of a solve to the C program's memory. The function `solve` gets the memory
// for the vectors. If s.overwrite is true, it has written the vectors there.
func (s *symmetric[T, R]) write(t *turn, w, z unsafe.Pointer, ldz C.int64_t, found *C.vkevd_found, control *C.vkevd_control,
	solve func(context.Context, evd.Dense[T]) (*evd.Result[T], error)) error {
	values, err := vector[R](w, s.most, "w")
	if err != nil {
		return err
	}
	var vectors evd.Dense[T]
	if s.options.vectors == 1 {
		if vectors, err = dense[T](z, s.n, s.most, ldz, s.options.vectors_row_major == 1, "z"); err != nil {
			return err
		}
	}
	if found == nil && s.options._select == C.VKEVD_INTERVAL {
		return errNull("found")
	}
	return t.run(control, func(ctx context.Context) error {
		res, err := solve(ctx, vectors)
		if res == nil {
			return err
		}
		if res.Vectors != nil && !s.overwrite {
			vectors.Cols = res.Vectors.Cols
			put(&vectors, res.Vectors)
		}
		overflow := take(values, res.Values, res.First, false)
		if found != nil {
			*found = C.vkevd_found{first: C.int64_t(res.First), count: C.int64_t(len(res.Values))}
		}
		return overflow
	})
}

func triangle[T evd.Number](a evd.Dense[T], upper, rowMajor C.int32_t) evd.Sym[T] {
	return evd.Sym[T]{N: a.Rows, Ld: a.Ld, Data: a.Data, Uplo: upper == 1, RowMajor: rowMajor == 1}
}
