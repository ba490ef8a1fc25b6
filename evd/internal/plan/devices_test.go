package plan

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestOnDevice checks to which errors OnDevice adds a device. In the past, when a deadline ended a
// solve on several devices, the error said that one of the devices had failed.
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
