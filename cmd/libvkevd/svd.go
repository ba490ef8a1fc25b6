package main

// #include "entry.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

//export goSvdPlan
func goSvdPlan(device C.vkevd_device, m, n C.int64_t, options *C.vkevd_svd, h *C.vkevd_plan, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		o := orZero(options)
		return newPlan(device, h, o.number,
			&singular[float64, float64]{m: int(m), n: int(n), options: o}, &singular[float32, float32]{m: int(m), n: int(n), options: o},
			&singular[complex128, float64]{m: int(m), n: int(n), options: o}, &singular[complex64, float32]{m: int(m), n: int(n), options: o})
	})
}

func (s *singular[T, R]) build(dev *vk.Device, progress func(evd.Progress)) error {
	opt, err := s.plan()
	if err != nil {
		return err
	}
	opt.Progress = progress
	s.Plan, err = svd.NewPlan[T](dev, s.m, s.n, opt)
	return err
}

func (s *singular[T, R]) plan() (opt svd.Options, err error) {
	o := &s.options
	if o.reserved != [6]C.int64_t{} {
		return opt, errReserved
	}
	if err := flags(o.a_row_major, o.vectors_row_major, o.verify); err != nil {
		return opt, err
	}
	if o.number != s.number() {
		return opt, badArgument{"options.number: none of VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_COMPLEX128, VKEVD_COMPLEX64"}
	}
	for _, x := range []C.int32_t{o.u, o.v} {
		if x < C.VKEVD_NONE || x > C.VKEVD_FULL {
			return opt, badArgument{"options.u, options.v: none of VKEVD_NONE, VKEVD_THIN, VKEVD_FULL"}
		}
	}
	of := [...]svd.Vectors{C.VKEVD_NONE: svd.None, C.VKEVD_THIN: svd.Thin, C.VKEVD_FULL: svd.Full}
	opt.U, opt.V, opt.Largest, opt.Verify = of[o.u], of[o.v], int(o.largest), o.verify == 1
	s.k = min(s.m, s.n)
	if o.largest != 0 {
		s.k = int(o.largest)
	}
	return opt, nil
}

// singularSolver is a plan for singular values of any type of numbers.
type singularSolver interface {
	kind
	solveAt(t *turn, a unsafe.Pointer, lda C.int64_t, s, u unsafe.Pointer, ldu C.int64_t, v unsafe.Pointer, ldv C.int64_t, control *C.vkevd_control) error
}

//export goSvdSolve
func goSvdSolve(h C.vkevd_plan, number C.int32_t, a unsafe.Pointer, lda C.int64_t, s, u unsafe.Pointer, ldu C.int64_t,
	v unsafe.Pointer, ldv C.int64_t, control *C.vkevd_control, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		p, by, err := planOf[singularSolver](h, number)
		if err != nil {
			return err
		}
		return by.solveAt(&p.turn, a, lda, s, u, ldu, v, ldv, control)
	})
}

func (s *singular[T, R]) solveAt(t *turn, a unsafe.Pointer, lda C.int64_t, w, u unsafe.Pointer, ldu C.int64_t,
	v unsafe.Pointer, ldv C.int64_t, control *C.vkevd_control) error {
	in, err := dense[T](a, s.m, s.n, lda, s.options.a_row_major == 1, "a")
	if err != nil {
		return err
	}
	values, err := vector[R](w, s.k, "s")
	if err != nil {
		return err
	}
	left, err := s.vectors(s.options.u, u, s.m, ldu, "u")
	if err != nil {
		return err
	}
	right, err := s.vectors(s.options.v, v, s.n, ldv, "v")
	if err != nil {
		return err
	}
	return t.run(control, func(ctx context.Context) error {
		res, err := s.Solve(ctx, in)
		if res == nil {
			return err
		}
		overflow := take(values, res.Values, res.First, true)
		if left != nil {
			put(left, res.U)
		}
		if right != nil {
			put(right, res.V)
		}
		return overflow
	})
}

// vectors returns the C program's memory for the vectors of one side, or nil if the options select
// none.
func (s *singular[T, R]) vectors(wanted C.int32_t, p unsafe.Pointer, rows int, ld C.int64_t, name string) (*evd.Dense[T], error) {
	cols := s.k
	switch wanted {
	case C.VKEVD_NONE:
		return nil, nil
	case C.VKEVD_FULL:
		cols = rows
	}
	d, err := dense[T](p, rows, cols, ld, s.options.vectors_row_major == 1, name)
	return &d, err
}
