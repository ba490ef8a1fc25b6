package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/doctor"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/vk"
)

// healthy returns a fake machine for tests of vkevd doctor. Nothing is missing on it, and it has a
// folder for compiled kernels.
func healthy(t *testing.T) *fixture {
	s := newFixture(t)
	s.variables["VKEVD_CACHE"] = "cache"
	for _, f := range vk.Features() {
		s.machine.info.Features = append(s.machine.info.Features, f.Name)
	}
	s.machine.arithmetic = probe.Arithmetic{Operands: 7, Division: 0.5, Sqrt: 0.75, Fused: true, Subnormals: true}
	return s
}

func TestDoctor(t *testing.T) {
	s := healthy(t)
	stdout, stderr, status := s.run("doctor")
	const want = `ok       loader                       found
ok       drivers                      gonum 0.17
ok       device                       Pretence 9000 (discrete)
ok       Vulkan 1.2                   1.3.0
ok       shaderInt64                  offered
ok       bufferDeviceAddress          offered
ok       timelineSemaphore            offered
ok       scalarBlockLayout            offered
ok       shaderFloat64                offered
ok       vulkanMemoryModel            offered
ok       vulkanMemoryModelDeviceScope offered
ok       subgroupSizeControl          offered
ok       computeFullSubgroups         offered
ok       maintenance4                 offered
ok       vulkanMemoryModelAvailabilityVisibilityChains offered
ok       shaderBufferInt64Atomics     offered
ok       storageBuffer16BitAccess     offered
ok       shaderIntegerDotProduct      offered
ok       shaderInt8                   offered
ok       cooperativeMatrix            offered
note     memory                       3.0 GiB, 2.0 GiB of it free
note     a workgroup                  0 bytes shared, 0 invocations, subgroups of 0
ok       FP64 division                error at most 0.5 ulp in 7 hard cases, correctly rounded
ok       FP64 square root             error at most 0.75 ulp in 7 hard cases
note     FP64 fma                     fused
note     FP64 subnormals              kept
ok       forward progress             running workgroups make progress while others wait for them
ok       residency                    not needed: with this device's sizes no workgroup waits for all others
ok       products                     native: tests have no rates
ok       complex products             native: tests have no rates
ok       tuning                       the table for other devices
note     largest n with vectors       about 11500
note     largest n, values only       about 11500
ok       a matrix of order 100        solved: `
	if !strings.HasPrefix(stdout, want) || !strings.Contains(stdout, "\nok       a Hermitian matrix           solved: residual ") || !strings.HasSuffix(stdout, "\nnote     first run                    compiles kernels; vkevd doctor --first-run measures how long that takes\nok       cache of kernels             cache\n") || stderr != "" || status != cli.StatusSuccess {
		t.Errorf("status %d, %q\n%s\nwant\n%s", status, stderr, stdout, want)
	}
	s.expectFiles("cache")
	if s.machine.closed != 4 { // two devices and two plans
		t.Errorf("%d closed", s.machine.closed)
	}
}

const debian, fedora, arch, unheardOf = "NAME=x\nID=debian\n", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "ID=endeavouros\nID_LIKE=arch\n", "ID=plan9\n"

// TestDoctorMisses runs doctor on fake machines on which one part is missing or not good enough.
// doctor must name the part, and the remedy if there is one, and the exit status must be 3.
func TestDoctorMisses(t *testing.T) {
	loader := fmt.Errorf("%w: no Vulkan loader", vk.ErrNoDevice)
	for _, c := range []struct {
		name, system string
		spoil        func(m *fakeMachine)
		line, says   string
	}{
		{"loader on Debian", debian, func(m *fakeMachine) { m.listErr = loader }, "missing  loader ", "missing or not good enough: loader; sudo apt install libvulkan1 mesa-vulkan-drivers"},
		{"loader on Rocky", fedora, func(m *fakeMachine) { m.listErr = loader }, "missing  loader ", "missing or not good enough: loader; sudo dnf install vulkan-loader mesa-vulkan-drivers"},
		{"loader on Endeavour", arch, func(m *fakeMachine) { m.listErr = loader }, "missing  loader ", "missing or not good enough: loader; sudo pacman -S vulkan-icd-loader vulkan-swrast"},
		{"loader elsewhere", unheardOf, func(m *fakeMachine) { m.listErr = loader }, "missing  loader ", "missing or not good enough: loader; install the Vulkan loader (libvulkan.so.1) and Mesa's lavapipe"},
		{"loader, as vk says it", debian, func(m *fakeMachine) { // it wraps two errors, which once made doctor panic
			m.listErr = fmt.Errorf("%w: %w; where to get it", vk.ErrNoDevice, errors.New("no Vulkan loader"))
		}, "missing  loader                       no Vulkan loader; sudo apt install libvulkan1", "missing or not good enough: loader; sudo apt install libvulkan1 mesa-vulkan-drivers"},
		{"driver", debian, func(m *fakeMachine) { m.none = true }, "missing  drivers ", "missing or not good enough: drivers; sudo apt install mesa-vulkan-drivers; for NVIDIA: sudo apt install nvidia-driver (from non-free)"},
		{"feature", debian, func(m *fakeMachine) {
			m.info.Features, m.info.Problem = m.info.Features[1:], "Pretence 9000: shaderInt64: needs yes, has no"
			m.openErr = fmt.Errorf("%w: %s", vk.ErrNoDevice, m.info.Problem)
		}, "missing  shaderInt64 ", "missing or not good enough: device; sudo apt install mesa-vulkan-drivers to use the CPU"},
		{"old lavapipe", debian, func(m *fakeMachine) { // its features are not known
			m.info.Name, m.info.Type, m.info.Features, m.info.Problem = "llvmpipe", "cpu", nil, "llvmpipe: lavapipe: needs Mesa 25, has Mesa 22"
			m.openErr = fmt.Errorf("%w: %s", vk.ErrNoDevice, m.info.Problem)
		}, "missing  device                       llvmpipe (cpu) cannot be used: lavapipe: needs Mesa 25, has Mesa 22\nok       Vulkan 1.2                   1.3.0\nnote     memory ", "missing or not good enough: device"},
		{"version", debian, func(m *fakeMachine) { m.info.API = "1.1.203" }, "missing  Vulkan 1.2                   1.1.203", "missing or not good enough: Vulkan 1.2; a newer driver, or another device"},
		{"anything else", debian, func(m *fakeMachine) { m.info.Problem = "too old" }, "missing  driver                       too old", "missing or not good enough: driver; a newer driver, or another device"},
		{"division", debian, func(m *fakeMachine) { m.arithmetic.Division = 3 }, "missing  FP64 division                error at most 3 ulp", "missing or not good enough: FP64 division; a newer driver, or another device"},
		{"root", debian, func(m *fakeMachine) { m.arithmetic.Sqrt = math.Inf(1) }, "missing  FP64 square root             error at most +Inf ulp", "missing or not good enough: FP64 square root; a newer driver, or another device"},
		{"arithmetic", debian, func(m *fakeMachine) { m.probeErr = errors.New("it crashed") }, "missing  FP64 arithmetic              it crashed", "missing or not good enough: FP64 arithmetic"},
		{"solve", debian, func(m *fakeMachine) { m.spoil = 1 }, "missing  a matrix of order 100        check failed: residual is ", "missing or not good enough: a matrix of order 100; vkevd selftest says more"},
		{"plan", debian, func(m *fakeMachine) { m.planErr = errors.New("no plan") }, "missing  a matrix of order 100        no plan", "missing or not good enough: a matrix of order 100; vkevd selftest says more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := healthy(t)
			s.system = c.system
			c.spoil(s.machine)
			stdout, stderr, status := s.run("doctor")
			if !strings.Contains("\n"+stdout, "\n"+c.line) || stderr != "vkevd: "+c.says+"\n" || status != cli.StatusDevice {
				t.Errorf("status %d, %q\n%s", status, stderr, stdout)
			}
		})
	}
}

// TestDoctorNamesTheVariable checks that the remedy for missing drivers names the variable that
// hides them.
func TestDoctorNamesTheVariable(t *testing.T) {
	s := healthy(t)
	s.machine.none = true
	s.variables["VK_DRIVER_FILES"] = "/nowhere.json"
	stdout, _, status := s.run("doctor")
	if want := "\nmissing  drivers                      the loader found none; unset VK_DRIVER_FILES, or name a driver that is there; otherwise install"; status != cli.StatusDevice || !strings.Contains(stdout, want) {
		t.Errorf("status %d\n%s", status, stdout)
	}
}

// TestDoctorNotesAHiddenDriver checks that doctor tells when the operating system's kernel has
// NVIDIA's driver and the Vulkan loader does not find it, and only then.
func TestDoctorNotesAHiddenDriver(t *testing.T) {
	for _, c := range []struct {
		kernel bool
		family string
		noted  bool
	}{{true, "other", true}, {true, "nvidia", false}, {false, "other", false}} {
		s := healthy(t)
		s.nvidia, s.machine.info.Family = c.kernel, c.family
		stdout, _, _ := s.run("doctor")
		const want = "\nnote     NVIDIA's Vulkan driver       the kernel has NVIDIA's driver, but the loader does not find it; "
		if strings.Contains(stdout, want) != c.noted {
			t.Errorf("%+v\n%s", c, stdout)
		}
	}
}

// TestDoctorNotes checks that doctor prints a note for a missing part that is optional, and for a
// variable that hides drivers. The exit status must then be 0.
func TestDoctorNotes(t *testing.T) {
	s := healthy(t)
	s.machine.info.Features = s.machine.info.Features[:len(s.machine.info.Features)-1]
	s.variables["VK_DRIVER_FILES"] = "/some.json"
	s.file("file", "")
	s.variables["VKEVD_CACHE"] = "file"
	s.machine.starves, s.machine.meeting = true, 132
	s.machine.arithmetic.Fused, s.machine.arithmetic.Subnormals = false, false
	stdout, stderr, status := s.run("doctor")
	for _, line := range []string{
		"note     VK_DRIVER_FILES              is set: the loader looks at no drivers except /some.json\n",
		"note     cooperativeMatrix            not offered, and not needed\n",
		"note     forward progress             a wait between workgroups failed: bulge chasing proceeds in wavefronts, which is slower\n",
		"note     residency                    132 workgroups do not all wait for each other: each column of a panel is a dispatch, and ",
		"note     FP64 fma                     not fused: a product and a sum\n",
		"note     FP64 subnormals              flushed to zero\n",
		"note     cache of kernels             file: not a directory; VKEVD_CACHE names another folder\n",
	} {
		if !strings.Contains(stdout, line) {
			t.Errorf("no line %q", line)
		}
	}
	if status != cli.StatusSuccess || stderr != "" {
		t.Errorf("status %d, %q\n%s", status, stderr, stdout)
	}
}

// TestDoctorWithoutFloat64 checks that doctor tries a device without double precision in single
// precision, that it says what the device can do, and that nothing is missing.
func TestDoctorWithoutFloat64(t *testing.T) {
	s := healthy(t)
	s.machine.info.Features = slices.DeleteFunc(s.machine.info.Features, func(f string) bool { return f == doctor.DoublePrecision })
	s.machine.arithmetic.Division = 9 // doctor would report it, but does not measure the arithmetic of this device
	stdout, stderr, status := s.run("doctor")
	for _, line := range []string{
		"note     shaderFloat64                not offered: " + cli.SingleOnly + "\n",
		"note     largest n with vectors       about 16300\n",
		"ok       a matrix of order 100        solved: residual ",
		"ok       a Hermitian matrix           solved: residual ",
	} {
		if !strings.Contains(stdout, line) {
			t.Errorf("no line %q", line)
		}
	}
	if strings.Contains(stdout, "FP64") || strings.Contains(stdout, "products") {
		t.Errorf("double precision was tried:\n%s", stdout)
	}
	if status != cli.StatusSuccess || stderr != "" {
		t.Errorf("status %d, %q", status, stderr)
	}
	s.machine.spoil = 1
	if _, _, status := s.run("doctor"); status != cli.StatusDevice {
		t.Errorf("a wrong eigenvalue: status %d", status)
	}
}

// TestWithoutFloat64Here runs commands on the device of the tests, as if it had no double
// precision. Commands that work in single precision must succeed. The others must fail, with an
// error that names the missing feature.
func TestWithoutFloat64Here(t *testing.T) {
	t.Setenv("VKEVD_WITHOUT", "shaderFloat64,shaderBufferInt64Atomics")
	t.Setenv("VKEVD_CACHE", "")
	s := newFixture(t)
	s.file("a.csv", "2,1,0\n1,2,1\n0,1,2\n")
	device := os.Getenv("VKEVD_DEVICE")
	for _, c := range []struct {
		args []string
		want string // part of the output, or of the error if the command fails
		ok   bool
	}{
		{[]string{"doctor", "--device", device}, "ok       a matrix of order 100        solved: ", true},
		{[]string{"doctor", "--device", device}, "ok       a Hermitian matrix           solved: ", true},
		{[]string{"devices"}, "has no double precision: " + cli.SingleOnly, true},
		{[]string{"solve", "a.csv", "--precision", "f32", "--check", "--verify", "--device", device}, "3.414213", true},
		{[]string{"plan", "-n", "500", "--precision", "f32", "--device", device}, "band reduction", true},
		{[]string{"solve", "a.csv", "--device", device}, "shaderFloat64", false},
		{[]string{"svd", "a.csv", "--precision", "f32", "--check", "--verify", "--out-u", "u.npy", "--device", device}, "3.414213", true},
		{[]string{"plan", "--svd", "-n", "500", "--vectors", "--precision", "f32", "--device", device}, "dqds", true},
		{[]string{"svd", "a.csv", "--device", device}, "shaderFloat64", false},
		{[]string{"plan", "--svd", "-n", "500", "--device", device}, "shaderFloat64", false},
		{[]string{"plan", "-n", "500", "--device", device}, "shaderFloat64", false},
		{[]string{"bench", "gemm", "-n", "64", "--device", device}, "shaderFloat64", false},
	} {
		stdout, stderr, status := s.real(c.args...)
		text, want := stdout, cli.StatusSuccess
		if !c.ok {
			text, want = stderr, cli.StatusDevice
		}
		if status != want || !strings.Contains(text, c.want) {
			t.Errorf("%v: status %d, %s%s", c.args, status, stdout, stderr)
		}
	}
}

func TestDoctorJSON(t *testing.T) {
	s := healthy(t)
	s.machine.arithmetic.Division = 3
	stdout, _, status := s.run("doctor", "--json", "-")
	var findings []doctor.Finding
	if err := json.Unmarshal([]byte(stdout), &findings); err != nil || status != cli.StatusDevice || len(findings) < 20 {
		t.Fatalf("status %d, %v in %s", status, err, stdout)
	}
	for _, f := range findings {
		if f.Name == "" || f.Detail == "" || (f.State == doctor.Missing) != (f.Name == "FP64 division") {
			t.Errorf("%+v", f)
		}
	}
}

// TestDoctorHere runs vkevd doctor on the machine that runs the tests. Nothing may be missing.
func TestDoctorHere(t *testing.T) {
	s := newFixture(t)
	t.Setenv("VKEVD_CACHE", "cache")
	if stdout, stderr, status := s.real("doctor", "--device", os.Getenv("VKEVD_DEVICE")); status != cli.StatusSuccess {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}
