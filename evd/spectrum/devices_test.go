package spectrum

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestOnDevice checks which errors are said to be errors of a device. A deadline that ended a solve
// on several devices was once reported as an error of one of them.
func TestOnDevice(t *testing.T) {
	here, there := vk.Dry(vk.Info{Index: 1}), vk.Dry(vk.Info{Index: 2})
	other := &vk.DeviceError{Device: there, Err: vk.ErrClosed}
	for _, err := range []error{nil, context.Canceled, fmt.Errorf("moving: %w", context.DeadlineExceeded), fmt.Errorf("moving: %w", other)} {
		if got := OnDevice(here, err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
	var of *vk.DeviceError
	if err := OnDevice(here, vk.ErrClosed); !errors.As(err, &of) || of.Device != here || !errors.Is(err, vk.ErrClosed) {
		t.Errorf("a closed device: %v", err)
	}
}
