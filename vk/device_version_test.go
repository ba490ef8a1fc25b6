package vk_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Some parts of Vulkan 1.3 exist as extensions for devices of Vulkan 1.2. A device of Vulkan 1.2
// with these extensions offers the same features and runs kernels, and the validation layer reports
// nothing. A device of Vulkan 1.1 is refused.
func TestVulkan12IsEnough(t *testing.T) {
	newer := open(t, vk.Options{}).Info()
	defer func() { driver.PretendAPI = 0 }()
	driver.PretendAPI = 1<<22 | 2<<12
	older := open(t, vk.Options{}).Info()
	if !strings.HasPrefix(older.API, "1.2.") || !slices.Equal(older.Features, newer.Features) || older.MaxBuffer != newer.MaxBuffer || older.Subgroup != newer.Subgroup {
		t.Errorf("as 1.2 %+v, else %+v", older, newer)
	}
	d := open(t, vk.Options{})
	if _, err := vk.Build(d, shaders.ProbeProgress(), shaders.ProbeProgressDefaults()); err != nil { // has the memory model
		t.Error(err)
	}
	probe(t, vk.Options{Validate: true, Logger: slog.New(slog.NewTextHandler(complain{t}, nil))})
	driver.PretendAPI = 1<<22 | 1<<12
	if _, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")}); !errors.Is(err, vk.ErrNoDevice) || !strings.Contains(err.Error(), "Vulkan version: needs 1.2, has 1.1") {
		t.Errorf("Vulkan 1.1: %v", err)
	}
}

// Mesa's driver can describe AMD's GPUs without hardware. This test checks these descriptions.
// Subgroups have 32 invocations on RDNA, and 64 on GCN. A device that is only described has no
// memory, and Open refuses it with a message.
func TestAMDDescribed(t *testing.T) {
	const inside = "VKEVD_TEST_DESCRIBE"
	if os.Getenv(inside) != "" {
		list, err := vk.List()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(os.Stdout).Encode(list); err != nil {
			t.Fatal(err)
		}
		if _, err := vk.Open(vk.Options{}); !errors.Is(err, vk.ErrNoDevice) {
			t.Errorf("opened: %v", err)
		}
		return
	}
	drivers, _ := filepath.Glob("/usr/share/vulkan/icd.d/radeon_icd*.json")
	if len(drivers) == 0 {
		t.Skip("Mesa's driver for AMD is not installed")
	}
	for gpu, want := range map[string]int{"navi31": 32, "navi21": 32, "vega10": 64} {
		again := exec.Command(os.Args[0], "-test.run=^TestAMDDescribed$")
		again.Env = append(os.Environ(), inside+"=1", "RADV_FORCE_FAMILY="+gpu, "VK_DRIVER_FILES="+drivers[0])
		out, err := again.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", gpu, err, out)
		}
		line, _, _ := strings.Cut(string(out), "\n")
		var list []vk.Info
		if err := json.Unmarshal([]byte(line), &list); err != nil || len(list) != 1 {
			t.Fatalf("%s: %v\n%s", gpu, err, out)
		}
		d := list[0]
		if d.Family != "amd" || d.Subgroup != want || len(d.FloatControls) == 0 {
			t.Errorf("%s: %+v", gpu, d)
		}
		if !strings.Contains(d.Problem, "memory: needs some, has none") {
			t.Errorf("%s: %q", gpu, d.Problem)
		}
	}
}
