package vk_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// complain is a writer for a logger. Each message of the validation layer fails the test.
type complain struct{ t testing.TB }

func (c complain) Write(b []byte) (int, error) {
	c.t.Errorf("validation: %s", b)
	return len(b), nil
}

func probe(t testing.TB, opt vk.Options) uint32 {
	ctx := context.Background()
	d := open(t, opt)
	in, out := vk.Reserve[float64]("factors", 2), vk.Reserve[uint32]("fused", 1)
	a, err := d.NewArena(vk.Together(in, out))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	k, err := vk.Build(d, shaders.ProbeFma(), shaders.ProbeFmaDefaults())
	if err != nil {
		t.Fatal(err)
	}
	if err := vk.Upload(ctx, d, in.In(a), vk.Vector([]float64{1 + 0x1p-30, 1 - 0x1p-31})); err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(d)
	rec.Phase("probe", 0, 1)
	vk.Fill(rec, out.In(a), 7)
	k.Dispatch(rec, vk.Grid(1), shaders.ProbeFmaPush{Factors: in.In(a).Addr(), Fused: out.In(a).Addr(), Pairs: 1})
	prof, err := d.Run(ctx, rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if opt.Kernels && (len(prof.Kernels) != 2 || prof.Kernels[1].Name != "probe_fma") {
		t.Errorf("kernel times: %+v", prof.Kernels)
	}
	got := make([]uint32, 1)
	if err := vk.Download(ctx, d, vk.Vector(got), out.In(a)); err != nil {
		t.Fatal(err)
	}
	if got[0] > 1 {
		t.Fatalf("the kernel wrote %d", got[0])
	}
	return got[0]
}

func TestKernelRunsAndKeepsItsPipeline(t *testing.T) {
	when.Pick(t, when.GPUAV)
	dir := t.TempDir()
	first := probe(t, vk.Options{CacheDir: dir, Kernels: true})
	if again := probe(t, vk.Options{CacheDir: dir}); again != first {
		t.Errorf("fused %d, then %d", first, again)
	}
}

// A device that has compiled nothing new does not write the cache file again.
func TestUnchangedCacheFileStays(t *testing.T) {
	dir := t.TempDir()
	file := func() os.FileInfo {
		t.Helper()
		t.Run("device", func(t *testing.T) { probe(t, vk.Options{CacheDir: dir}) }) // its end closes the device
		all, err := filepath.Glob(filepath.Join(dir, "pipelines-*"))
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		info, err := os.Stat(all[0])
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	if before := file(); !os.SameFile(before, file()) { // a file that is written has a new inode
		t.Error("the file was written again")
	}
}

func TestValidationLayerIsSilent(t *testing.T) {
	probe(t, vk.Options{Validate: true, Logger: slog.New(slog.NewTextHandler(complain{t}, nil))})
}

// The bindings free C memory in finalizers. In this test the garbage collector runs all the time,
// so that a use of freed memory causes a crash, a failed call or a wrong result.
func TestRunsUnderPermanentCollection(t *testing.T) {
	when.Skip(t, when.Validation, "the calls of other tests")
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for range 5 {
		probe(t, vk.Options{})
	}
}

func TestRecordingPrintsAndRefusesOverlap(t *testing.T) {
	d := vk.Dry(vk.Info{Name: "dry"})
	in, out := vk.Reserve[float64]("factors", 64), vk.Reserve[uint32]("fused", 64)
	a, err := d.NewArena(vk.Together(in, out))
	if err != nil {
		t.Fatal(err)
	}
	k, err := vk.Build(d, shaders.ProbeFma(), shaders.ProbeFmaDefaults())
	if err != nil {
		t.Fatal(err)
	}
	record := func(rec *vk.Recorder, from, writes int) {
		o := out.In(a).Sub(from, writes)
		k.Dispatch(rec, vk.Grid(1), shaders.ProbeFmaPush{Factors: in.In(a).Addr(), Fused: o.Addr(), Pairs: uint32(writes)},
			vk.Touches(in.In(a)), vk.Touches(o))
	}
	rec := vk.NewRecorder(d)
	record(rec, 0, 8)
	rec.Concurrently(func() {
		record(rec, 0, 8)
		record(rec, 8, 8)
	})
	var text strings.Builder
	rec.WriteTo(&text)
	want := `probe_fma 1×1×1 Factors=factors Fused=fused
barrier
probe_fma 1×1×1 Factors=factors Fused=fused
probe_fma 1×1×1 Factors=factors Fused=fused+32
barrier
`
	if text.String() != want {
		t.Errorf("recorded\n%s", text.String())
	}
	defer func() {
		if recover() == nil {
			t.Error("overlapping writes were not refused")
		}
	}()
	rec.Concurrently(func() {
		record(rec, 0, 8)
		record(rec, 7, 8)
	})
}

// Build refuses a workgroup that is too large for the device, before it calls the driver. A Dry
// device with the same limits refuses the workgroup, too.
func TestBuildRefusesLargeWorkgroups(t *testing.T) {
	dry := vk.Dry(vk.Info{Name: "small", MaxLocal: 128})
	for _, d := range []*vk.Device{dry, open(t, vk.Options{})} {
		most := d.Info().MaxLocal
		if _, err := vk.Build(d, shaders.RandomFill[float64](), shaders.RandomFillSpec{LocalSize: uint32(most)}); err != nil {
			t.Errorf("%s: %d invocations: %v", d.Info().Name, most, err)
		}
		var unsupported *vk.UnsupportedError
		if _, err := vk.Build(d, shaders.RandomFill[float64](), shaders.RandomFillSpec{LocalSize: uint32(most + 1)}); !errors.As(err, &unsupported) {
			t.Errorf("%s: %d invocations: %v", d.Info().Name, most+1, err)
		}
	}
}

// A device without the validation layer is opened and closed while a device with this layer is
// open. The device with the layer must then close without a crash.
func TestValidatedDeviceClosesLast(t *testing.T) {
	open(t, vk.Options{Validate: true}) // cleanups run in the opposite order
	open(t, vk.Options{})
}
