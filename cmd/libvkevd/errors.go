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
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// guard calls f, and reports the error of f to `out`, which may be nil. A panic of f becomes the
// error VKEVD_INTERNAL. A panic in another goroutine cannot be caught: it ends the process, like a
// crash in C.
func guard(out *C.vkevd_error, f func() error) (code C.int32_t) {
	defer func() {
		if r := recover(); r != nil {
			code = report(out, fmt.Errorf("defect of the library: %v", r))
		}
	}()
	return report(out, f())
}

// report writes an error to `out`, which may be nil, and returns its code.
func report(out *C.vkevd_error, err error) C.int32_t {
	code := codeOf(err)
	if out == nil {
		return code
	}
	*out = C.vkevd_error{code: code, row: -1, column: -1}
	if err == nil {
		return code
	}
	if e := (*evd.NonFiniteError)(nil); errors.As(err, &e) {
		out.row, out.column = C.int64_t(e.Row), C.int64_t(e.Col)
	}
	if e := (*evd.OverflowError)(nil); errors.As(err, &e) {
		out.row = C.int64_t(e.Index)
	}
	if e := (*pencil.NotPositiveError)(nil); errors.As(err, &e) {
		out.row = C.int64_t(e.Order)
	}
	if e := (*vk.OutOfMemoryError)(nil); errors.As(err, &e) {
		out.need, out.free = C.uint64_t(e.Need), C.uint64_t(e.Free)
	}
	putText(out.text[:], err.Error())
	return code
}

// codeOf returns the error code for a Go error. Every expected type is listed; all others become
// VKEVD_INTERNAL.
func codeOf(err error) C.int32_t {
	switch {
	case err == nil:
		return C.VKEVD_OK
	case is[badArgument](err), is[*evd.ShapeError](err), is[*svd.ShapeError](err), is[*evd.OptionError](err):
		return C.VKEVD_BAD_ARGUMENT
	case is[*evd.NonFiniteError](err):
		return C.VKEVD_NOT_FINITE
	case is[*pencil.NotPositiveError](err), is[*pencil.IndefiniteError](err):
		return C.VKEVD_NOT_POSITIVE
	case errors.Is(err, context.Canceled):
		return C.VKEVD_CANCELLED
	case errors.Is(err, vk.ErrNoDevice):
		return C.VKEVD_NO_DEVICE
	case is[*vk.OutOfMemoryError](err):
		return C.VKEVD_OUT_OF_MEMORY
	case is[*vk.UnsupportedError](err):
		return C.VKEVD_UNSUPPORTED
	case errors.Is(err, vk.ErrClosed):
		return C.VKEVD_CLOSED
	case is[*evd.TooManyError](err):
		return C.VKEVD_TOO_MANY
	case is[*evd.NoConvergenceError](err):
		return C.VKEVD_NO_CONVERGENCE
	case is[*evd.OverflowError](err):
		return C.VKEVD_OVERFLOW
	case is[*evd.UnverifiedError](err), is[*svd.UnverifiedError](err):
		return C.VKEVD_UNVERIFIED
	case is[*evd.StageError](err), is[*vk.Error](err), errors.Is(err, vk.ErrDeviceLost):
		return C.VKEVD_DEVICE_FAILED
	}
	return C.VKEVD_INTERNAL
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// putText writes a text, cut if it is too long, and a zero byte to a C array.
func putText(to []C.char, text string) {
	if len(to) == 0 {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&to[0])), len(to))
	n := copy(bytes[:len(bytes)-1], text)
	for n < len(text) && n > 0 && text[n]&0xC0 == 0x80 { // not within a character of UTF-8
		n--
	}
	clear(bytes[n:])
}
