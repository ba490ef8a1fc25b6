package main

// #include "entry.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/vk"
)

//export goPencilPlan
func goPencilPlan(device C.vkevd_device, n C.int64_t, options *C.vkevd_pencil, h *C.vkevd_plan, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		o := orZero(options)
		return newPlan(device, h, o.symmetric.number, newPairs[float64, float64](n, o), newPairs[float32, float32](n, o),
			newPairs[complex128, float64](n, o), newPairs[complex64, float32](n, o))
	})
}

func newPairs[T evd.Number, R evd.Float](n C.int64_t, o C.vkevd_pencil) *pairs[T, R] {
	return &pairs[T, R]{symmetric: symmetric[T, R]{n: int(n), options: o.symmetric}, options: o}
}

func (p *pairs[T, R]) build(dev *vk.Device, progress func(evd.Progress)) error {
	o := &p.options
	if o.reserved0 != 0 || o.reserved != [4]C.int64_t{} {
		return errReserved
	}
	if err := flags(o.b_upper, o.b_row_major, o.refine); err != nil {
		return err
	}
	switch {
	case o._type < C.VKEVD_AXLBX || o._type > C.VKEVD_BAXLX:
		return badArgument{"options.type: none of VKEVD_AXLBX, VKEVD_ABXLX, VKEVD_BAXLX"}
	case o.overlap != C.VKEVD_CHOLESKY && o.overlap != C.VKEVD_CANONICAL:
		return badArgument{"options.overlap: neither VKEVD_CHOLESKY nor VKEVD_CANONICAL"}
	case o.symmetric.number == C.VKEVD_MIXED || o.symmetric.number == C.VKEVD_MIXED_COMPLEX:
		return badArgument{"options.number: mixed precision is not for pairs"}
	}
	opt, err := p.symmetric.plan()
	if err != nil {
		return err
	}
	p.overwrite = false
	p.Plan, err = pencil.NewPlan[T](dev, p.n, pencil.Options{
		Type: pencil.Type(o._type), Overlap: pencil.Overlap{Canonical: o.overlap == C.VKEVD_CANONICAL, Threshold: float64(o.threshold)}, Refine: o.refine == 1,
		Vectors: opt.Vectors, Select: opt.Select, Verify: opt.Verify, RowMajor: opt.RowMajor, Progress: progress})
	return err
}

// pairSolver is a plan for pairs of any type of numbers.
type pairSolver interface {
	kind
	factorAt(t *turn, b unsafe.Pointer, ldb C.int64_t, condition *C.double, control *C.vkevd_control) error
	solveAt(t *turn, a unsafe.Pointer, lda C.int64_t, b unsafe.Pointer, ldb C.int64_t, w, z unsafe.Pointer, ldz C.int64_t,
		found *C.vkevd_found, control *C.vkevd_control) error
	checkAt(t *turn, a unsafe.Pointer, lda C.int64_t, b unsafe.Pointer, ldb C.int64_t, w, z unsafe.Pointer, ldz, count C.int64_t,
		residual, orthogonality *C.double, control *C.vkevd_control) error
}

// onPairs calls f for the plan of a handle, and reports its error to `out`.
func onPairs(h C.vkevd_plan, number C.int32_t, out *C.vkevd_error, f func(pairSolver, *turn) error) C.int32_t {
	return guard(out, func() error {
		p, by, err := planOf[pairSolver](h, number)
		if err == nil {
			err = f(by, &p.turn)
		}
		if errors.Is(err, pencil.ErrNoFactor) {
			err = badArgument{"plan: without a factor of B; vkevd_pencil_factor computes it"}
		}
		return err
	})
}

//export goPencilFactor
func goPencilFactor(h C.vkevd_plan, number C.int32_t, b unsafe.Pointer, ldb C.int64_t, condition *C.double,
	control *C.vkevd_control, out *C.vkevd_error) C.int32_t {
	return onPairs(h, number, out, func(p pairSolver, t *turn) error { return p.factorAt(t, b, ldb, condition, control) })
}

//export goPencilSolve
func goPencilSolve(h C.vkevd_plan, number C.int32_t, a unsafe.Pointer, lda C.int64_t, b unsafe.Pointer, ldb C.int64_t,
	w, z unsafe.Pointer, ldz C.int64_t, found *C.vkevd_found, control *C.vkevd_control, out *C.vkevd_error) C.int32_t {
	return onPairs(h, number, out, func(p pairSolver, t *turn) error {
		return p.solveAt(t, a, lda, b, ldb, w, z, ldz, found, control)
	})
}

//export goPencilCheck
func goPencilCheck(h C.vkevd_plan, number C.int32_t, a unsafe.Pointer, lda C.int64_t, b unsafe.Pointer, ldb C.int64_t,
	w, z unsafe.Pointer, ldz, count C.int64_t, residual, orthogonality *C.double, control *C.vkevd_control, out *C.vkevd_error) C.int32_t {
	return onPairs(h, number, out, func(p pairSolver, t *turn) error {
		return p.checkAt(t, a, lda, b, ldb, w, z, ldz, count, residual, orthogonality, control)
	})
}

func (p *pairs[T, R]) b(at unsafe.Pointer, ldb C.int64_t) (evd.Sym[T], error) {
	in, err := dense[T](at, p.n, p.n, ldb, false, "b")
	return triangle(in, p.options.b_upper, p.options.b_row_major), err
}

func (p *pairs[T, R]) factorAt(t *turn, b unsafe.Pointer, ldb C.int64_t, condition *C.double, control *C.vkevd_control) error {
	in, err := p.b(b, ldb)
	if err != nil {
		return err
	}
	return t.run(control, func(ctx context.Context) error {
		f, err := p.Factor(ctx, in)
		if err == nil && condition != nil {
			*condition = C.double(f.Condition)
		}
		return err
	})
}

func (p *pairs[T, R]) solveAt(t *turn, a unsafe.Pointer, lda C.int64_t, b unsafe.Pointer, ldb C.int64_t, w, z unsafe.Pointer, ldz C.int64_t,
	found *C.vkevd_found, control *C.vkevd_control) error {
	if found == nil && p.options.overlap == C.VKEVD_CANONICAL {
		return errNull("found")
	}
	by := p.Solve
	if b != nil || p.n == 0 && ldb > 0 { // a matrix without entries may be NULL
		in, err := p.b(b, ldb)
		if err != nil {
			return err
		}
		by = func(ctx context.Context, a evd.Sym[T]) (*pencil.Result[T], error) { return p.SolvePair(ctx, a, in) }
	}
	result := func(ctx context.Context, a evd.Sym[T]) (*evd.Result[T], error) {
		res, err := by(ctx, a)
		if res == nil {
			return nil, err
		}
		return &res.Result, err
	}
	return p.solveBy(result, t, a, lda, w, z, ldz, found, control)
}

func (p *pairs[T, R]) checkAt(t *turn, a unsafe.Pointer, lda C.int64_t, b unsafe.Pointer, ldb C.int64_t, w, z unsafe.Pointer, ldz, count C.int64_t,
	residual, orthogonality *C.double, control *C.vkevd_control) error {
	o := &p.options.symmetric
	switch {
	case o.vectors == 0:
		return badArgument{"plan: without vectors, which a check needs"}
	case count < 0 || count > C.int64_t(p.most):
		return badArgument{fmt.Sprintf("count: %d, must be 0 to %d", int64(count), p.most)}
	}
	first, err := dense[T](a, p.n, p.n, lda, false, "a")
	if err != nil {
		return err
	}
	second, err := p.b(b, ldb)
	if err != nil {
		return err
	}
	values, err := vector[R](w, int(count), "w")
	if err != nil {
		return err
	}
	vectors, err := dense[T](z, p.n, int(count), ldz, o.vectors_row_major == 1, "z")
	if err != nil {
		return err
	}
	res := &pencil.Result[T]{Result: evd.Result[T]{Values: converted[float64](values), Vectors: &vectors}}
	return t.run(control, func(ctx context.Context) error {
		r, err := p.Check(ctx, triangle(first, o.upper, o.a_row_major), second, res)
		if err != nil {
			return err
		}
		if residual != nil {
			*residual = C.double(r.Residual)
		}
		if orthogonality != nil {
			*orthogonality = C.double(r.Orthogonality)
		}
		return nil
	})
}
