package vk_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// OpenCompiler makes a device with pipelines and statistics, and with the limits that the function
// `change` has set. The device runs nothing. After Close no driver object is left.
func TestOpenCompiler(t *testing.T) {
	before := driver.Live()
	opt := vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Statistics: true, DebugShaders: true}
	d, err := vk.OpenCompiler(opt, func(i *vk.Info) { i.MaxLocal, i.SharedBytes = 3, 17 })
	if err != nil {
		t.Fatal(err)
	}
	if i := d.Info(); i.MaxLocal != 3 || i.SharedBytes != 17 || i.Problem != "" {
		t.Errorf("described: %+v", i)
	}
	if err := compileAll(d, 3); err != nil {
		t.Error(err)
	}
	var unsupported *vk.UnsupportedError
	if err := compileAll(d, 4); !errors.As(err, &unsupported) {
		t.Errorf("four invocations where three are allowed: %v", err)
	}
	if driver.Live() < before+3 {
		t.Errorf("three kernels made %d objects of Vulkan", driver.Live()-before)
	}
	if _, err := d.Statistics(); err != nil {
		t.Error(err)
	}
	ws, err := d.NewArena(vk.Together(vk.Reserve[float64]("x", 5)))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if _, err := d.Run(context.Background(), vk.NewRecorder(d), nil); err == nil {
		t.Error("it runs")
	}
	d.Close()
	if driver.Live() != before {
		t.Errorf("%d objects are left over", driver.Live()-before)
	}
	if err := compileAll(d, 3); !errors.Is(err, vk.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := vk.OpenCompiler(vk.Options{Device: "no such device"}, nil); !errors.Is(err, vk.ErrNoDevice) {
		t.Errorf("no such device: %v", err)
	}
}
