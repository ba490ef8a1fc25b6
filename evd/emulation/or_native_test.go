package emulation

import (
	"errors"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestOrNative checks when a plan with native products is made in place of one that has failed: if
// emulated products were not asked for, and the device is still there.
func TestOrNative(t *testing.T) {
	uncompiled := &vk.Error{Op: "compiling", Kernel: "emulated_planes", Err: errors.New("VK_ERROR_UNKNOWN")}
	for _, c := range []struct {
		auto bool
		err  error
		want string
	}{
		{true, nil, "emulated"}, {true, uncompiled, "native"}, {true, &vk.OutOfMemoryError{}, "native"},
		{true, &vk.UnsupportedError{}, "native"}, {true, fmt.Errorf("run: %w", vk.ErrDeviceLost), ""}, {true, vk.ErrClosed, ""},
		{false, nil, "emulated"}, {false, uncompiled, ""}, {false, &vk.OutOfMemoryError{}, ""},
	} {
		plan, err := OrNative(c.auto, func(native bool) (string, error) {
			if native {
				return "native", nil
			}
			if c.err != nil {
				return "", c.err
			}
			return "emulated", nil
		})
		if plan != c.want || c.want == "" && !errors.Is(err, c.err) || c.want != "" && err != nil {
			t.Errorf("auto %v, %v: %q, %v", c.auto, c.err, plan, err)
		}
	}
}
