package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/cluster"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// These are the exit statuses. The list `statuses` maps errors of the library to them. Another
// error, unless it is a statusError, is about usage or a file, and has the status StatusInput.
const (
	StatusSuccess = iota
	StatusNumerical
	StatusInput
	StatusDevice
)

var statuses = []struct {
	of     func(error) bool
	status int
}{
	{is(context.Canceled), StatusNumerical},
	{As[*evd.NoConvergenceError], StatusNumerical},
	{As[*evd.UnverifiedError], StatusNumerical},
	{As[*evd.OverflowError], StatusNumerical},
	{As[*cluster.OverflowError], StatusNumerical},
	{As[*svd.UnverifiedError], StatusNumerical},
	{As[*cluster.EngineError], StatusNumerical},
	{As[*cluster.NotBuiltError], StatusDevice},
	{As[*evd.StageError], StatusDevice},
	{is(vk.ErrNoDevice), StatusDevice},
	{is(vk.ErrDeviceLost), StatusDevice},
	{As[*vk.UnsupportedError], StatusDevice},
	{As[*vk.OutOfRangeError], StatusDevice},
	{As[*vk.OutOfMemoryError], StatusDevice},
	{As[*vk.Error], StatusDevice},
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func As[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// SplitOverflow divides the error of a solve. If it says that a value of the result overflows, the
// result is there, so the command writes it, and ends with the error `overflow`.
func SplitOverflow(err error) (overflow, other error) {
	if As[*evd.OverflowError](err) || As[*cluster.OverflowError](err) {
		return err, nil
	}
	return nil, err
}

type statusError interface {
	error
	Status() int
}

func Status(err error) int {
	if own := statusError(nil); errors.As(err, &own) {
		return own.Status()
	}
	for _, s := range statuses {
		if s.of(err) {
			return s.status
		}
	}
	return StatusInput
}

func Describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text := err.Error()
	if memory := (*vk.OutOfMemoryError)(nil); errors.As(err, &memory) {
		text = strings.Replace(text, memory.Error(), aboutMemory(memory), 1)
	}
	// Joined errors and file names may contain line ends. The function `Describe` replaces the line
	// ends, so that the message is one line.
	return Printable(strings.ReplaceAll(text, "\n", "; "))
}

func aboutMemory(e *vk.OutOfMemoryError) string {
	if e.Limit != 0 {
		need, limit := apart(e.Need, e.Limit)
		return fmt.Sprintf("%s needs %s of device memory, the device allows %s", e.What, need, limit)
	}
	need, free := apart(e.Need, e.Free)
	return fmt.Sprintf("%s needs %s of device memory, %s is free", e.What, need, free)
}

// apart writes sizes in bytes if they would look the same.
func apart(a, b uint64) (string, string) {
	if Human(a) == Human(b) && a != b {
		return fmt.Sprintf("%d bytes", a), fmt.Sprintf("%d bytes", b)
	}
	return Human(a), Human(b)
}
