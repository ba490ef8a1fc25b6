package vk

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Some features are needed by a few kernels only. A device without such a feature can be opened.
// Build then refuses the kernels that need the feature, and accepts all other kernels.
func TestKernelsNeedTheirFeatures(t *testing.T) {
	when.Pick(t, when.GPUAV)
	d := memoryDevice(t)
	if !d.Info().MemoryModel() {
		t.Error("no memory model")
	}
	for _, f := range []driver.Feature{driver.MemoryModel, driver.MemoryModelDevice} {
		d.from.features[f] = false
		_, err := Build(d, shaders.ProbeProgress(), shaders.ProbeProgressDefaults())
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Feature != f.String()+" of probe_progress" {
			t.Errorf("without %v: %v", f, err)
		}
		if _, err := Build(d, shaders.ProbeFma(), shaders.ProbeFmaDefaults()); err != nil {
			t.Error(err)
		}
		if err := lacks("device", d.from.features); err != nil {
			t.Error(err)
		}
		d.from.features[f] = true
	}
}

// failing is a writer for the loggers of tests. Each message of the validation layer fails the
// test.
type failing struct{ t *testing.T }

func (f failing) Write(b []byte) (int, error) {
	f.t.Errorf("validation: %s", b)
	return len(b), nil
}

// OpenValidated opens a device with the validation layer. Without the layer it fails the test on a
// CPU driver, and skips it on a GPU.
func OpenValidated(t testing.TB, opt Options) *Device {
	t.Helper()
	opt.Validate = true
	d, err := Open(opt)
	var failed *driver.Error
	if errors.As(err, &failed) && failed.Result == driver.LayerMissing {
		opt.Validate = false
		if plain, err := Open(opt); err == nil {
			defer plain.Close()
			if plain.Info().Type != "cpu" {
				t.Skip("no validation layer")
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// If a driver has several subgroup sizes, pipelines with full subgroups require the size
// Info.Subgroup. The validation layer reports nothing.
func TestSubgroupSizeIsRequired(t *testing.T) {
	d := OpenValidated(t, Options{Device: os.Getenv("VKEVD_DEVICE"), Logger: slog.New(slog.NewTextHandler(failing{t}, nil))})
	if d.from.requiredSubgroup() != 0 {
		t.Skip("the device has several sizes: every other test requires one")
	}
	d.from.props.MaxSubgroup *= 2 // as if there were another size
	if got := d.from.requiredSubgroup(); int(got) != d.info.Subgroup {
		t.Fatalf("required %d", got)
	}
	spec := shaders.OrmtrQ2TeamsDefaults()
	if _, err := Build(d, shaders.OrmtrQ2Teams[float64](), spec); err != nil {
		t.Error(err)
	}
	// The workgroup of `part` has half a subgroup more than that of `spec`. So its last subgroup is
	// not full, and Build must not require full subgroups.
	part := spec
	part.LocalSize += uint32(d.info.Subgroup) / 2
	if k, err := Build(d, shaders.OrmtrQ2Teams[float64](), part); err != nil || k.core.recipe.full || !k.core.recipe.exchanges {
		t.Errorf("a workgroup of %d: %v", part.LocalSize, err)
	}
	a := Reserve[float64]("a", 4)
	ws, err := d.NewArena(Together(a))
	if err != nil {
		t.Fatal(err)
	}
	rec := NewRecorder(d)
	Fill(rec, a.In(ws), 0)
	if _, err := d.Run(context.Background(), rec, nil); err != nil {
		t.Error(err)
	}
	// No device has subgroups of size 3. If a pipeline requires this size, the driver or the layer
	// must report an error. This shows that the required size is passed to the driver.
	quiet := &strings.Builder{}
	d.opt.Logger = slog.New(slog.NewTextHandler(quiet, nil))
	d.info.Subgroup, d.from.info.Subgroup, spec.LocalSize = 3, 3, 2*spec.LocalSize
	if _, err := Build(d, shaders.OrmtrQ2Teams[float64](), spec); err == nil {
		d.drain()
		if !strings.Contains(quiet.String(), "requiredSubgroupSize") {
			t.Errorf("a subgroup of 3 is silently accepted: %s", quiet)
		}
	}
}

// The error for a missing validation layer must name the package of the layer. The error for a
// missing driver must not name this package.
func TestAdviceNamesTheLayer(t *testing.T) {
	missing := noDevice(&driver.Error{Call: "vkCreateInstance", Result: driver.LayerMissing})
	if !errors.Is(missing, ErrNoDevice) || runtime.GOOS == "linux" && !strings.HasSuffix(missing.Error(), "apt install vulkan-validationlayers") {
		t.Errorf("without the layer: %v", missing)
	}
	if other := noDevice(errNoDriver); strings.Contains(other.Error(), "layer") {
		t.Errorf("without a driver: %v", other)
	}
}
