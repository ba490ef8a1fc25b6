// Libvkevd_lapack is a library whose functions have LAPACK's names. Unchanged programs such as
// numpy, scipy, Octave and R use vkevd through this library. The manual is docs/drop-in.md. The
// code consists of two libraries:
//
//	shim/     libvkevd_lapack.so, in C: functions that programs call instead of LAPACK's functions
//	*.go      libvkevd_engine.so, in Go: the solver, only in processes that solve a large problem
//
// The shim checks arguments, and decides whether the device or the next LAPACK solves a problem.
// shim.h lists the files of the shim. The engine has two functions, which shim/problem.h describes:
//
//	main.go        the two functions, and the conversion of C memory to Go slices
//	engine.go      plans and results
//	crossover.go   the orders from which the device is faster than LAPACK
package main

/*
#include "shim/problem.h"
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
)

func main() {}

// theEngine solves the LAPACK calls of this process. The mutex `opening` guards it.
var (
	theEngine *engine
	opening   sync.Mutex
)

// vkevd_engine_open opens the device and describes it in `device`. If this fails, the function
// writes the reason to device.name.
//
//export vkevd_engine_open
func vkevd_engine_open(device *C.struct_vkevd_device) C.int {
	opening.Lock()
	defer opening.Unlock()
	var text string
	err := survive(func() (err error) {
		if theEngine == nil {
			theEngine, err = open()
		}
		return err
	})
	if err != nil {
		text = err.Error()
	} else {
		info := theEngine.dev.Info()
		text = info.Name
		for of, c := range crossoverFor(info) {
			device.crossover[of] = [2]C.int64_t{C.int64_t(c.Values), C.int64_t(c.Vectors)}
			write(device.never[of][:], neverBecause(info, kind(of)))
		}
	}
	write(device.name[:], text)
	if err != nil {
		return 1
	}
	return 0
}

// vkevd_engine_solve solves the problem p. If this fails, the function writes the reason to
// p.failure.
//
//export vkevd_engine_solve
func vkevd_engine_solve(p *C.struct_vkevd_problem) C.int {
	err := survive(func() (err error) {
		var found int
		switch (number{single: p.single != 0, complex: p.complex != 0}) {
		case numberOf[complex128]():
			found, err = solve(theEngine, problemOf[complex128, float64](p))
		case numberOf[complex64]():
			found, err = solve(theEngine, problemOf[complex64, float32](p))
		case numberOf[float32]():
			found, err = solve(theEngine, problemOf[float32, float32](p))
		default:
			found, err = solve(theEngine, problemOf[float64, float64](p))
		}
		p.found = C.int64_t(found)
		return err
	})
	if err != nil {
		write(p.failure[:], err.Error())
		return 1
	}
	return 0
}

// survive returns the error of f, or its panic as an error: a panic must not end a process whose
// user may not know about vkevd.
func survive(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return f()
}

func write(to []C.char, text string) {
	for i := range to {
		to[i] = 0
		if i < len(text) && i < len(to)-1 {
			to[i] = C.char(text[i])
		}
	}
}

// problemOf converts a problem of C. R is the type of its values.
func problemOf[T evd.Number, R evd.Float](p *C.struct_vkevd_problem) problem[T] {
	n, rows, ld := int(p.n), int(p.m), int(p.lda)
	q := problem[T]{
		n: n, rows: rows, ld: ld, upper: p.upper != 0,
		part: part{byte(p._range), int(p.il), int(p.iu), float64(p.vl), float64(p.vu)},
	}
	few := n
	switch p.kind {
	case C.VKEVD_TRIDIAGONAL:
		q.kind, q.a, q.e = tridiagonal, slice[T](p.a, n, 1, n), slice[T](p.e, n-1, 1, n)
	case C.VKEVD_SYMMETRIC:
		q.kind, q.a = symmetric, slice[T](p.a, n, n, ld)
	case C.VKEVD_PAIR:
		q.kind, q.a = pair, slice[T](p.a, n, n, ld)
		q.itype, q.b, q.ldb = int(p.itype), slice[T](p.b, n, n, int(p.ldb)), int(p.ldb)
	case C.VKEVD_SINGULAR:
		q.kind, q.a = singular, slice[T](p.a, rows, n, ld)
		few = min(rows, n)
	}
	q.w = reals[R](slice[R](p.w, few, 1, few))
	q.z, q.vt = columns[T]{(*T)(p.z), int(p.ldz)}, columns[T]{(*T)(p.vt), int(p.ldvt)}
	q.u, q.v = wanted(int(p.zcolumns), few), wanted(int(p.vtrows), few)
	return q
}

// wanted returns the option of package svd for a number of singular vectors. `few` is the number of
// singular values.
func wanted(vectors, few int) svd.Vectors {
	switch {
	case vectors == 0:
		return svd.None
	case vectors <= few:
		return svd.Thin
	}
	return svd.Full
}

// slice returns the memory of a matrix of C, or nil if p is NULL or the matrix has no entries.
func slice[T evd.Number](p unsafe.Pointer, rows, cols, ld int) []T {
	if p == nil || rows <= 0 || cols <= 0 {
		return nil
	}
	return unsafe.Slice((*T)(p), (cols-1)*ld+rows)
}
