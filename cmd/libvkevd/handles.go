package main

// #include "entry.h"
import "C"

import (
	"context"
	"runtime/cgo"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// plan is the Go object of a vkevd_plan: a plan of one of five kinds, and a turn, which makes the
// solves of this plan run one after another.
type plan struct {
	turn turn
	kind kind
}

// kind is a kind of plan: *symmetric (eigenvalues), *pairs (eigenvalues of pairs), *tridiagonal,
// *singular (singular values) or *many (a batch).
type kind interface {
	// build checks the options and makes the Go plan, which calls `progress` during its solves.
	build(dev *vk.Device, progress func(evd.Progress)) error

	// number is the type of the numbers in the matrices: VKEVD_FLOAT64, for example.
	number() C.int32_t

	Bytes() uint64
	Close()
}

// numbers is the part of a kind that knows its type of numbers.
type numbers[T evd.Number] struct{}

func (numbers[T]) number() C.int32_t {
	switch any(*new(T)).(type) {
	case complex128:
		return C.VKEVD_COMPLEX128
	case complex64:
		return C.VKEVD_COMPLEX64
	case float32:
		return C.VKEVD_FLOAT32
	}
	return C.VKEVD_FLOAT64
}

// eigenSolver is a *evd.Plan[T] or a *evd.MixedPlan[T].
type eigenSolver[T evd.Number] interface {
	Solve(context.Context, evd.Sym[T]) (*evd.Result[T], error)
	Bytes() uint64
	Close()
}

// symmetric is a plan for symmetric or Hermitian matrices of numbers of type T. R is the type of
// the eigenvalues.
type symmetric[T evd.Number, R evd.Float] struct {
	numbers[T]
	eigenSolver[T]
	n       int
	most    int // most selected values
	options C.vkevd_symmetric

	// overwrite is true if the plan returns the vectors in the memory of the input matrix.
	overwrite bool
}

// pairs is a plan for pairs of matrices. Its part `symmetric` knows the matrices A and the results.
type pairs[T evd.Number, R evd.Float] struct {
	symmetric[T, R]
	*pencil.Plan[T]
	options C.vkevd_pencil
}

// tridiagonal is a plan for tridiagonal matrices. Its part `symmetric` knows the results.
type tridiagonal[T evd.Float] struct {
	symmetric[T, T]
	*evd.TridiagonalPlan[T]
}

// singular is a plan for singular values of matrices of numbers of type T. R is the type of the
// singular values.
type singular[T evd.Number, R evd.Float] struct {
	numbers[T]
	*svd.Plan[T]
	m, n, k int // rows, columns, singular values
	options C.vkevd_svd
}

// many is a plan for batches of matrices of T. R is the type of the eigenvalues.
type many[T evd.Number, R evd.Float] struct {
	numbers[T]
	*batch.Plan[T]
	n, count int // largest order, matrices that the plan has memory for
	options  C.vkevd_batch
}

func keep[H ~uint64](value any) H { return H(cgo.NewHandle(value)) }

// lookUp returns the Go object of a handle, the number that C programs use instead of an address.
// The object must have the type T. `what` names the handle in errors.
func lookUp[T any, H ~uint64](h H, what string) (value T, err error) {
	defer func() {
		if recover() != nil { // cgo.Handle panics if the handle is closed, or never was one
			err = badArgument{what + ": not an open handle"}
		}
	}()
	value, ok := cgo.Handle(h).Value().(T)
	if !ok {
		return value, badArgument{what + ": a handle of another kind"}
	}
	return value, nil
}

// release makes a handle invalid and returns its Go object. If two threads release a handle, one of
// them gets an error.
func release[T any, H ~uint64](h H, what string) (value T, err error) {
	if value, err = lookUp[T](h, what); err != nil {
		return value, err
	}
	defer func() {
		if recover() != nil {
			err = badArgument{what + ": not an open handle"}
		}
	}()
	cgo.Handle(h).Delete()
	return value, nil
}

func deviceOf(h C.vkevd_device) (*vk.Device, error) { return lookUp[*vk.Device](h, "device") }

// newPlan writes the handle of a plan to *h, or 0 after an error. The plan has the kind with this
// number, a type such as VKEVD_FLOAT32. If there is none, the plan has the first kind: it also
// takes VKEVD_MIXED, and its method `build` refuses all other numbers.
func newPlan(device C.vkevd_device, h *C.vkevd_plan, number C.int32_t, kinds ...kind) error {
	if h == nil {
		return errNull("plan")
	}
	*h = 0
	dev, err := deviceOf(device)
	if err != nil {
		return err
	}
	p := &plan{turn: newTurn(dev), kind: kinds[0]}
	for _, k := range kinds {
		if k.number() == number {
			p.kind = k
		}
	}
	if err := p.kind.build(dev, p.turn.progress); err != nil {
		return err
	}
	*h = keep[C.vkevd_plan](p)
	return nil
}

func orZero[T any](at *T) (value T) {
	if at != nil {
		value = *at
	}
	return value
}

// planOf returns the plan of a handle, and its kind. It returns an error if the kind is not S, or
// has another type of numbers.
func planOf[S kind](h C.vkevd_plan, number C.int32_t) (*plan, S, error) {
	var none S
	p, err := lookUp[*plan](h, "plan")
	if err != nil {
		return nil, none, err
	}
	solver, ok := p.kind.(S)
	if !ok || solver.number() != number {
		return nil, none, badArgument{"plan: for another kind of problem or of number"}
	}
	return p, solver, nil
}

//export goPlanBytes
func goPlanBytes(h C.vkevd_plan, bytes *C.uint64_t, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		p, err := lookUp[*plan](h, "plan")
		if err != nil {
			return err
		}
		if bytes == nil {
			return errNull("bytes")
		}
		*bytes = C.uint64_t(p.kind.Bytes())
		return nil
	})
}

//export goPlanClose
func goPlanClose(h C.vkevd_plan, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		p, err := lookUp[*plan](h, "plan")
		if err != nil {
			return err
		}
		if err := within("plan", func(t *turn) bool { return t == &p.turn }); err != nil {
			return err
		}
		if _, err := release[*plan](h, "plan"); err != nil {
			return err
		}
		p.kind.Close()
		return nil
	})
}

// badArgument is the error for an argument of a C function, whose name begins the text.
type badArgument struct{ text string }

func (e badArgument) Error() string { return e.text }

func errNull(name string) error { return badArgument{name + ": NULL"} }
