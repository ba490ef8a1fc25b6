package main

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

// These are the exit statuses. The list `statuses` maps errors to them. An error that is not in
// this list is about usage or a file, and has the status statusInput.
const (
	statusSuccess = iota
	statusNumerical
	statusInput
	statusDevice
)

var statuses = []struct {
	of     func(error) bool
	status int
}{
	{is(context.Canceled), statusNumerical},
	{as[*checkError], statusNumerical},
	{as[*selftestError], statusNumerical},
	{as[*batchError], statusNumerical},
	{as[*evd.NoConvergenceError], statusNumerical},
	{as[*evd.UnverifiedError], statusNumerical},
	{as[*evd.OverflowError], statusNumerical},
	{as[*cluster.OverflowError], statusNumerical},
	{as[*svd.UnverifiedError], statusNumerical},
	{as[*cluster.EngineError], statusNumerical},
	{as[*cluster.NotBuiltError], statusDevice},
	{as[*evd.StageError], statusDevice},
	{is(vk.ErrNoDevice), statusDevice},
	{is(vk.ErrDeviceLost), statusDevice},
	{as[*vk.UnsupportedError], statusDevice},
	{as[*vk.OutOfRangeError], statusDevice},
	{as[*vk.OutOfMemoryError], statusDevice},
	{as[*vk.Error], statusDevice},
	{as[*missingError], statusDevice},
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// splitOverflow divides the error of a solve. If it says that a value of the result overflows, the
// result is there, so the command writes it, and ends with the error `overflow`.
func splitOverflow(err error) (overflow, other error) {
	if as[*evd.OverflowError](err) || as[*cluster.OverflowError](err) {
		return err, nil
	}
	return nil, err
}

func status(err error) int {
	for _, s := range statuses {
		if s.of(err) {
			return s.status
		}
	}
	return statusInput
}

// describe returns the line that the program prints when it ends with the error err.
func describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text := err.Error()
	if memory := (*vk.OutOfMemoryError)(nil); errors.As(err, &memory) {
		text = strings.Replace(text, memory.Error(), aboutMemory(memory), 1)
	}
	// Joined errors and file names may contain line ends. The function `describe` replaces the line
	// ends, so that the message is one line.
	return printable(strings.ReplaceAll(text, "\n", "; "))
}

// aboutMemory returns the text of the error with sizes in readable units, such as GiB.
func aboutMemory(e *vk.OutOfMemoryError) string {
	if e.Limit != 0 {
		need, limit := apart(e.Need, e.Limit)
		return fmt.Sprintf("%s needs %s of device memory, the device allows %s", e.What, need, limit)
	}
	need, free := apart(e.Need, e.Free)
	return fmt.Sprintf("%s needs %s of device memory, %s is free", e.What, need, free)
}

// apart returns two different sizes in readable units, or in bytes if they would look the same.
func apart(a, b uint64) (string, string) {
	if human(a) == human(b) && a != b {
		return fmt.Sprintf("%d bytes", a), fmt.Sprintf("%d bytes", b)
	}
	return human(a), human(b)
}
