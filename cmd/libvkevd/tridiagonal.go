package main

// #include "entry.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

//export goTridiagonalPlan
func goTridiagonalPlan(device C.vkevd_device, n C.int64_t, options *C.vkevd_symmetric, h *C.vkevd_plan, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		o := orZero(options)
		return newPlan(device, h, o.number, newTridiagonal[float64](n, o), newTridiagonal[float32](n, o))
	})
}

func newTridiagonal[T evd.Float](n C.int64_t, o C.vkevd_symmetric) *tridiagonal[T] {
	return &tridiagonal[T]{symmetric: symmetric[T, T]{n: int(n), options: o}}
}

func (s *tridiagonal[T]) build(dev *vk.Device, progress func(evd.Progress)) error {
	o := &s.options
	switch {
	case o.number != s.number():
		return badArgument{"options.number: neither VKEVD_FLOAT64 nor VKEVD_FLOAT32, the types of tridiagonal matrices"}
	case o.upper != 0 || o.a_row_major != 0 || o.verify != 0:
		return badArgument{"options: upper, a_row_major and verify are not for tridiagonal matrices"}
	}
	opt, err := s.plan()
	if err != nil {
		return err
	}
	s.overwrite, opt.Overwrite = false, false
	opt.Progress = progress
	s.TridiagonalPlan, err = evd.NewTridiagonalPlan[T](dev, s.n, opt)
	return err
}

// tridiagonalSolver is a plan for tridiagonal matrices of any type of numbers.
type tridiagonalSolver interface {
	kind
	solveAt(t *turn, d, e, w, z unsafe.Pointer, ldz C.int64_t, found *C.vkevd_found, control *C.vkevd_control) error
}

//export goTridiagonalSolve
func goTridiagonalSolve(h C.vkevd_plan, number C.int32_t, d, e, w, z unsafe.Pointer, ldz C.int64_t, found *C.vkevd_found,
	control *C.vkevd_control, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		p, s, err := planOf[tridiagonalSolver](h, number)
		if err != nil {
			return err
		}
		return s.solveAt(&p.turn, d, e, w, z, ldz, found, control)
	})
}

func (s *tridiagonal[T]) solveAt(t *turn, d, e, w, z unsafe.Pointer, ldz C.int64_t, found *C.vkevd_found, control *C.vkevd_control) error {
	diagonal, err := vector[T](d, s.n, "d")
	if err != nil {
		return err
	}
	off, err := vector[T](e, max(0, s.n-1), "e")
	if err != nil {
		return err
	}
	return s.write(t, w, z, ldz, found, control, func(ctx context.Context, _ evd.Dense[T]) (*evd.Result[T], error) {
		return s.TridiagonalPlan.Solve(ctx, evd.Tridiagonal[T]{D: diagonal, E: off})
	})
}
