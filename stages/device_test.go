package stages

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

var openOnce = sync.OnceValues(func() (*vk.Device, error) {
	return vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), DebugShaders: os.Getenv("VKEVD_DEBUG_SHADERS") != ""})
})

// testDevice is the device that all tests of this package share.
func testDevice(t testing.TB) *vk.Device {
	t.Helper()
	d, err := openOnce()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// run executes a recording and fails the test on an error.
func run(t testing.TB, d *vk.Device, rec *vk.Recorder) *vk.Profile {
	t.Helper()
	p, err := d.Run(context.Background(), rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// arena allocates a guarded, NaN-filled arena that is checked and released when the test ends.
func arena(t testing.TB, d *vk.Device, l *vk.Layout) *vk.Arena {
	t.Helper()
	a, err := d.NewGuardedArena(l)
	if err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(d)
	a.Poison(rec)
	run(t, d, rec)
	t.Cleanup(func() {
		if err := a.CheckGuards(context.Background()); err != nil {
			t.Error(err)
		}
		a.Close()
	})
	return a
}

// put uploads a vector.
func put[T any](t testing.TB, d *vk.Device, dst vk.Slice[T], src []T) {
	t.Helper()
	if err := vk.Upload(context.Background(), d, dst, vk.Vector(src)); err != nil {
		t.Fatal(err)
	}
}

// get downloads a slice.
func get[T any](t testing.TB, d *vk.Device, src vk.Slice[T]) []T {
	t.Helper()
	out := make([]T, src.Len())
	if err := vk.Download(context.Background(), d, vk.Vector(out), src); err != nil {
		t.Fatal(err)
	}
	return out
}
