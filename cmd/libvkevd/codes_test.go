//go:build linux && !vulkango

package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// TestCodes compares the code of each error that calls may return, also within other errors.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		code int
		err  error
	}{
		{1, badArgument{"n"}}, {1, &evd.ShapeError{}}, {1, &svd.ShapeError{}}, {1, &evd.OptionError{}},
		{2, &evd.NonFiniteError{}}, {3, vk.ErrNoDevice}, {4, &vk.UnsupportedError{}}, {5, &vk.OutOfMemoryError{}},
		{6, &evd.StageError{}}, {6, &vk.Error{}}, {6, vk.ErrDeviceLost},
		{7, context.Canceled}, {8, vk.ErrClosed}, {8, evd.ErrClosed}, {9, &evd.TooManyError{}}, {10, &evd.NoConvergenceError{}},
		{11, &evd.UnverifiedError{}}, {11, &svd.UnverifiedError{}}, {13, errors.New("unknown")}, {13, context.DeadlineExceeded},
		{14, &evd.OverflowError{}}, {15, &pencil.NotPositiveError{}}, {15, &pencil.IndefiniteError{}},
		{1, &pencil.MatrixError{Err: &evd.ShapeError{}}}, {2, &pencil.MatrixError{Err: &evd.NonFiniteError{}}},
	} {
		if got := int(codeOf(c.err)); got != c.code {
			t.Errorf("%T: code %d, want %d", c.err, got, c.code)
		}
		if within := codeOf(fmt.Errorf("outside: %w", c.err)); int(within) != c.code {
			t.Errorf("%T within another error: code %d, want %d", c.err, within, c.code)
		}
	}
	if got := codeOf(nil); got != 0 {
		t.Errorf("no error: code %d", got)
	}
	// A panic is an error of the library. The type of guard's first argument has no name in tests.
	out := reflect.New(reflect.TypeOf(guard).In(0).Elem())
	code := reflect.ValueOf(guard).Call([]reflect.Value{out, reflect.ValueOf(func() error { panic("broken") })})[0].Int()
	var text []byte
	for at, i := out.Elem().FieldByName("text"), 0; at.Index(i).Int() != 0; i++ {
		text = append(text, byte(at.Index(i).Int()))
	}
	if code != 13 || string(text) != "defect of the library: broken" {
		t.Errorf("a panic: code %d, %q", code, text)
	}
}
