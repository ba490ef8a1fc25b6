package vk_test

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

func open(t testing.TB, opt vk.Options) *vk.Device {
	t.Helper()
	opt.Device, opt.DebugShaders = os.Getenv("VKEVD_DEVICE"), opt.DebugShaders || os.Getenv("VKEVD_DEBUG_SHADERS") != ""
	if opt.Validate {
		return vk.OpenValidated(t, opt)
	}
	d, err := vk.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestTransferRoundTrip(t *testing.T) {
	when.Pick(t, when.GPUAV)
	ctx := context.Background()
	d := open(t, vk.Options{})
	const rows, cols, ld = 1000, 5000, 1003 // 40 MB: a section of the staging buffer is used twice
	x := vk.Reserve[float64]("x", rows*cols)
	a, err := d.NewArena(vk.Together(x))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	src := make([]float64, cols*ld)
	for i := range src {
		src[i] = float64(i)
	}
	if err := vk.Upload(ctx, d, x.In(a), vk.Columns[float64]{Rows: rows, Cols: cols, Ld: ld, Data: src}); err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, cols*ld)
	if err := vk.Download(ctx, d, vk.Columns[float64]{Rows: rows, Cols: cols, Ld: ld, Data: dst}, x.In(a)); err != nil {
		t.Fatal(err)
	}
	for j := range cols {
		for i := range ld {
			want := src[i+j*ld]
			if i >= rows {
				want = 0
			}
			if got := dst[i+j*ld]; got != want {
				t.Fatalf("(%d, %d) = %v, want %v", i, j, got, want)
			}
		}
	}
}

func TestFillCopyAndPoison(t *testing.T) {
	when.Pick(t, when.GPUAV)
	ctx := context.Background()
	d := open(t, vk.Options{})
	x, y := vk.Reserve[float64]("x", 100), vk.Reserve[float64]("y", 50)
	a, err := d.NewGuardedArena(vk.Together(x, y))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	rec := vk.NewRecorder(d)
	rec.Phase("fill", 0, 2)
	a.Poison(rec)
	vk.Fill(rec, x.In(a).Sub(0, 60), 0)
	rec.Phase("copy", 1, 2)
	vk.Copy(rec, y.In(a), x.In(a).From(50))
	rec.Phase("end", 2, 2)
	var seen []vk.Progress
	prof, err := d.Run(ctx, rec, func(p vk.Progress) { seen = append(seen, p) })
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 50)
	if err := vk.Download(ctx, d, vk.Vector(got), y.In(a)); err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if i < 10 && v != 0 || i >= 10 && !math.IsNaN(v) {
			t.Errorf("y[%d] = %v", i, v)
		}
	}
	if err := a.CheckGuards(ctx); err != nil {
		t.Error(err)
	}
	if len(seen) == 0 || seen[len(seen)-1] != (vk.Progress{Phase: "end", Done: 2, Total: 2}) {
		t.Errorf("progress %v", seen)
	}
	if len(prof.Phases) < 2 || prof.Phases[0].Name != "fill" {
		t.Errorf("profile %v", prof.Phases)
	}
	vk.Fill(rec, x.In(a), 0)
	overrun := vk.NewRecorder(d)
	a.Poison(overrun)
	if _, err := d.Run(ctx, overrun, nil); err != nil {
		t.Fatal(err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	d := open(t, vk.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := vk.Reserve[uint32]("x", 1)
	a, err := d.NewArena(vk.Together(x))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	rec := vk.NewRecorder(d)
	vk.Fill(rec, x.In(a), 1)
	if _, err := d.Run(ctx, rec, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Run with an ended context: %v", err)
	}
	if _, err := d.Run(context.Background(), rec, nil); err != nil {
		t.Errorf("Run afterwards: %v", err)
	}
}

func TestOpenRefusesUnknownDevice(t *testing.T) {
	_, err := vk.Open(vk.Options{Device: "no such device"})
	if !errors.Is(err, vk.ErrNoDevice) {
		t.Errorf("got %v", err)
	}
}

// A loader without drivers lists no devices. This is not an error of List.
func TestNoDriver(t *testing.T) {
	const blind = "VKEVD_TEST_NO_DRIVER"
	if os.Getenv(blind) == "" { // in a process of its own: loaders look for drivers once
		again := exec.Command(os.Args[0], "-test.run=^TestNoDriver$")
		again.Env = append(os.Environ(), blind+"=1", "VK_DRIVER_FILES="+os.DevNull, "VK_ICD_FILENAMES="+os.DevNull)
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if list, err := vk.List(); err != nil || len(list) > 0 {
		t.Errorf("got %v, %v", list, err)
	}
	_, err := vk.Open(vk.Options{})
	if !errors.Is(err, vk.ErrNoDevice) || !strings.Contains(err.Error(), "the Vulkan loader found no driver; ") {
		t.Errorf("got %v", err)
	}
}

func TestArenaRefusesWhatDoesNotFit(t *testing.T) {
	d := open(t, vk.Options{})
	var oom *vk.OutOfMemoryError
	_, err := d.NewArena(vk.Together(vk.Reserve[float64]("huge", 1<<50)))
	if !errors.As(err, &oom) || oom.Need < 1<<53 || oom.Free == 0 {
		t.Errorf("got %v", err)
	}
}
