package main

import (
	"context"
	"errors"
	"strings"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// Exit statuses. An error that statuses does not list is about usage or a file.
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
	{as[*evd.NoConvergenceError], statusNumerical},
	{as[*evd.UnverifiedError], statusNumerical},
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

func status(err error) int {
	for _, s := range statuses {
		if s.of(err) {
			return s.status
		}
	}
	return statusInput
}

// describe is the one line that the user reads.
func describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	// Joined errors, and file names, may contain line ends.
	return printable(strings.ReplaceAll(err.Error(), "\n", "; "))
}
