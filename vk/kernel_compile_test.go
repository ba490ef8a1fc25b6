package vk_test

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// buildAll builds variants of the kernel random_fill, one for each workgroup size from 1 to
// `count`. Each variant is a pipeline of its own.
func buildAll(d *vk.Device, count uint32) (all []*vk.Kernel[shaders.RandomFillSpec, shaders.RandomFillPush[float64]], err error) {
	for i := range count {
		k, err := vk.Build(d, shaders.RandomFill[float64](), shaders.RandomFillSpec{LocalSize: 1 + i})
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, nil
}

func compileAll(d *vk.Device, count uint32) error {
	return d.Compile(func() error { _, err := buildAll(d, count); return err })
}

// The driver compiles two of the kernels and fails for the others. Compile still tries all of them,
// and its error names a kernel. When the driver no longer fails, a second call of Compile compiles
// all kernels. After Close no driver object is left.
func TestCompileFails(t *testing.T) {
	before := driver.Live()
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { driver.Fault = nil }()
	var calls atomic.Int32
	fail := int32(3)
	driver.Fault = func(call string) driver.Result {
		if call == "vkCreateComputePipelines" && calls.Add(1) >= fail {
			return driver.OutOfMemory
		}
		return driver.Success
	}
	const count = 8
	err = compileAll(d, count)
	var failed *driver.Error
	var where *vk.Error
	if !errors.As(err, &failed) || failed.Result != driver.OutOfMemory || !errors.As(err, &where) || where.Kernel != "random_fill" {
		t.Errorf("error %v", err)
	}
	if calls.Load() != count {
		t.Errorf("%d of %d were tried", calls.Load(), count)
	}
	if _, err := buildAll(d, count); !errors.As(err, &failed) {
		t.Errorf("one after another: %v", err)
	}
	fail = 1 << 20
	if err := compileAll(d, count); err != nil {
		t.Errorf("the second time: %v", err)
	}
	tried := calls.Load()
	if _, err := buildAll(d, count); err != nil || calls.Load() != tried {
		t.Errorf("the third time: %v, %d compiled anew", err, calls.Load()-tried)
	}
	d.Close()
	if n := driver.Live(); n != before {
		t.Errorf("%d objects left", n-before)
	}
}

// A recording contains a kernel that is still being compiled. The compilation fails later. Run of
// the recording then returns the error of the compilation.
func TestRunOfAKernelThatFailed(t *testing.T) {
	when.Pick(t, when.GPUAV)
	ctx, d := context.Background(), open(t, vk.Options{})
	defer func() { driver.Fault = nil }()
	var calls atomic.Int32
	driver.Fault = func(call string) driver.Result {
		if call == "vkCreateComputePipelines" && calls.Add(1) == 1 {
			return driver.InitFailed
		}
		return driver.Success
	}
	rec := vk.NewRecorder(d)
	rec.Phase("fill", 0, 1)
	err := d.Compile(func() error {
		k, err := buildAll(d, 1)
		if err == nil {
			k[0].Dispatch(rec, vk.Grid(1), shaders.RandomFillPush[float64]{})
		}
		return err
	})
	var first, second *driver.Error
	if !errors.As(err, &first) {
		t.Errorf("compiled: %v", err)
	}
	if _, err := d.Run(ctx, rec, nil); !errors.As(err, &second) || second.Result != driver.InitFailed {
		t.Errorf("run: %v", err)
	}
}

func TestCompileReturnsTheBuildersError(t *testing.T) {
	mine := errors.New("mine")
	d := open(t, vk.Options{})
	if err := d.Compile(func() error { buildAll(d, 2); return mine }); err != mine {
		t.Errorf("%v", err)
	}
	dry := vk.Dry(vk.Info{})
	if err := compileAll(dry, 2); err != nil {
		t.Errorf("dry: %v", err)
	}
}

// Several goroutines build the same kernels at the same time. Each of them gets its kernels without
// an error.
func TestCompileAtOnce(t *testing.T) {
	d := open(t, vk.Options{})
	errs := make(chan error)
	const users = 4
	for i := range users {
		go func() {
			if i%2 == 0 {
				errs <- compileAll(d, 6)
				return
			}
			_, err := buildAll(d, 6)
			errs <- err
		}()
	}
	for range users {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// CompileTimes returns a line for each compiled kernel, with the number of its variants. It returns
// no line for a kernel that could not be compiled.
func TestCompileTimes(t *testing.T) {
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if times := d.CompileTimes(); len(times) != 0 {
		t.Errorf("before anything was compiled: %+v", times)
	}
	for range 2 { // the second time nothing is compiled
		if err := compileAll(d, 3); err != nil {
			t.Fatal(err)
		}
	}
	driver.Fault = func(call string) driver.Result {
		if call == "vkCreateComputePipelines" {
			return driver.OutOfMemory
		}
		return driver.Success
	}
	err = compileAll(d, 4)
	driver.Fault = nil
	times := d.CompileTimes()
	if err == nil || len(times) != 1 || times[0].Name != "random_fill" || times[0].Count != 3 || !(times[0].Seconds > 0) {
		t.Errorf("%v, %+v", err, times)
	}
}
