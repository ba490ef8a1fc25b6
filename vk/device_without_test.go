package vk

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

func without(t *testing.T, names ...string) *Device {
	t.Helper()
	d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE"), Without: names, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func builds[S, P any](m spirv.Module[S, P], spec S) func(d *Device) error {
	return func(d *Device) error {
		_, err := Build(d, m, spec)
		return err
	}
}

// TestWithout hides features that devices may lack, one by one. Info does not list the feature.
// Build refuses a kernel that needs the feature, and the error names the feature. Build accepts a
// kernel that does not need it.
func TestWithout(t *testing.T) {
	lists := func(i Info, f driver.Feature) bool { return slices.Contains(i.Features, f.String()) }
	whole := memoryDevice(t).Info()
	needs := map[driver.Feature]func(*Device) error{
		driver.Float64:           builds(shaders.PeakFma[float64](), shaders.PeakFmaDefaults()),
		driver.Int64Atomics:      builds(shaders.Sytrd[float32](), shaders.SytrdDefaults()),
		driver.MemoryModel:       builds(shaders.ProbeProgress(), shaders.ProbeProgressDefaults()),
		driver.MemoryModelDevice: builds(shaders.ProbeProgress(), shaders.ProbeProgressDefaults()),
		driver.IntegerDotProduct: builds(shaders.EmulatedProductDot(), shaders.EmulatedProductDotDefaults()),
	}
	for feature, build := range needs {
		t.Run(feature.String(), func(t *testing.T) {
			if !lists(whole, feature) {
				t.Skip("the device lacks it anyway")
			}
			d := without(t, feature.String())
			if i := d.Info(); lists(i, feature) || len(i.Features) != len(whole.Features)-1 || i.Float64() != (feature != driver.Float64) {
				t.Errorf("features %v", i.Features)
			}
			var unsupported *UnsupportedError
			if err := build(d); !errors.As(err, &unsupported) || !strings.HasPrefix(unsupported.Feature, feature.String()+" of ") {
				t.Errorf("a kernel that needs it: %v", err)
			}
			if err := builds(shaders.PeakFma[float32](), shaders.PeakFmaDefaults())(d); err != nil {
				t.Errorf("a kernel that does not: %v", err)
			}
			if d.opt.CacheDir != "" {
				t.Error("what is found out about half a device is stored for the whole one")
			}
		})
	}
	d := without(t, driver.Float64.String(), driver.Int64Atomics.String())
	if i := d.Info(); lists(i, driver.Float64) || lists(i, driver.Int64Atomics) || slices.ContainsFunc(i.FloatControls, func(s string) bool { return strings.HasSuffix(s, "64") }) {
		t.Errorf("both: %v, %v", i.Features, i.FloatControls)
	}
}

// A required feature that is hidden makes the device unusable. Unknown names are errors.
func TestWithoutRequired(t *testing.T) {
	var unsupported *UnsupportedError
	_, err := Open(Options{Without: []string{"shaderInt64"}})
	if !errors.Is(err, ErrNoDevice) || !errors.As(err, &unsupported) || unsupported.Feature != "shaderInt64" {
		t.Errorf("without shaderInt64: %v", err)
	}
	if _, err := Open(Options{Without: []string{"shaderFloat63"}}); err == nil || errors.Is(err, ErrNoDevice) || !strings.Contains(err.Error(), `"shaderFloat63"`) {
		t.Errorf("an unknown name: %v", err)
	}
}

// VKEVD_WITHOUT hides features from Open and from List.
func TestWithoutByEnvironment(t *testing.T) {
	t.Setenv(withoutVariable, "shaderFloat64, shaderBufferInt64Atomics")
	list, err := List()
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	d := without(t, "shaderInt8")
	for _, i := range append(list, d.Info()) {
		if i.Float64() || i.Int64Atomics() {
			t.Errorf("%s: %v", i.Name, i.Features)
		}
	}
	if slices.Contains(d.Info().Features, "shaderInt8") {
		t.Error("Options.Without has no effect")
	}
	t.Setenv(withoutVariable, "nonsense")
	if _, err := List(); err == nil {
		t.Error("an unknown name is accepted")
	}
}
