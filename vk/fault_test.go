package vk

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// session is a small program for the tests below: it opens a device, copies data to the device,
// runs recordings, copies data back, and closes the device.
func session() error {
	ctx := context.Background()
	d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		return err
	}
	defer d.Close()
	a := Reserve[float64]("a", 64)
	ws, err := d.NewArena(Together(a))
	if err != nil {
		return err
	}
	defer ws.Close()
	v := make([]float64, 64)
	if err := Upload(ctx, d, a.In(ws), Vector(v)); err != nil {
		return err
	}
	rec := NewRecorder(d)
	rec.Phase("fill", 0, 1)
	Fill(rec, a.In(ws), 0)
	if _, err := d.Run(ctx, rec, nil); err != nil {
		return err
	}
	second := NewRecorder(d)
	Send(second, a.In(ws), v)
	first, last := d.Start(ctx, rec, nil), d.Start(ctx, second, nil)
	_, err = last.Await()
	if _, before := first.Await(); before != nil {
		err = before
	}
	if err != nil {
		return err
	}
	return Download(ctx, d, Vector(v), a.In(ws))
}

// The test runs the small program `session`. In each run, another driver call fails. The program
// must return a typed error, except for the calls that checkFault names. No driver object may be
// left. A run without faults must then succeed.
func TestEveryDriverCallMayFail(t *testing.T) {
	when.Skip(t, when.Quick, "injected faults")
	when.Skip(t, when.Widths, "failing driver calls")
	if err := session(); err != nil {
		t.Fatal(err)
	}
	defer func() { driver.Fault = nil }()
	for _, result := range []driver.Result{driver.OutOfHostMemory, driver.OutOfMemory, driver.DeviceLost, driver.InitFailed} {
		t.Run(result.String(), func(t *testing.T) { failEveryCall(t, result) })
	}
	driver.Fault = nil
	if err := session(); err != nil {
		t.Errorf("the session after: %v", err)
	}
}

// failEveryCall repeats the program until each of its driver calls has failed once, with the error
// `result`.
func failEveryCall(t *testing.T, result driver.Result) {
	for k, ended := 0, false; !ended; k++ {
		calls, name := 0, ""
		driver.Fault = func(call string) driver.Result {
			if calls++; calls == k+1 {
				name = call
				return result
			}
			return driver.Success
		}
		err := session()
		ended = calls <= k
		if !ended {
			checkFault(t, name, result, err)
		}
		if n := driver.Live(); n != 0 {
			t.Fatalf("%s failing with %v leaves %d objects", name, result, n)
		}
	}
}

func checkFault(t *testing.T, call string, result driver.Result, err error) {
	t.Helper()
	// Four kinds of failures need not be errors for the program. A device whose extensions cannot
	// be listed counts as a device without extensions. A device whose shapes of matrices cannot be
	// listed counts as a device without matrix units. If the wait for the device fails, Close still
	// closes the device. If one memory type is full, the next type is tried.
	switch call {
	case "vkEnumerateDeviceExtensionProperties", "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", "vkDeviceWaitIdle":
		return
	case "vkAllocateMemory":
		if err == nil {
			return
		}
	}
	var failed *driver.Error
	var memory *OutOfMemoryError
	if !errors.As(err, &failed) && !errors.As(err, &memory) {
		t.Errorf("%s failing with %v gave %v", call, result, err)
	}
	if result == driver.DeviceLost && errors.As(err, new(*Error)) && !errors.Is(err, ErrDeviceLost) {
		t.Errorf("%s losing the device gave %v", call, err)
	}
}

// A program may open a device any number of times. NVIDIA's driver can be loaded only about thirty
// times in a process, so package driver must keep it loaded.
func TestDevicesOpenAnyNumberOfTimes(t *testing.T) {
	for i := range 60 {
		if err := session(); err != nil {
			t.Fatalf("session %d: %v", i, err)
		}
	}
}
