package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/vk"
)

// TestDeviceLists checks values of --device that name several devices. The word "all" must stand
// for the usable devices with double precision, the fastest types first, and for CPUs only if there
// is no other such device. If none has double precision, "all" must stand for one device, because
// such devices cannot share a solve. The devices of a list must keep their order.
func TestDeviceLists(t *testing.T) {
	gpu := vk.Info{Index: 2, Type: "discrete"}
	integrated := vk.Info{Index: 0, Type: "integrated"}
	cpu := vk.Info{Index: 1, Type: "cpu"}
	arc, other := vk.Info{Index: 6, Type: "discrete", Features: []string{"shaderInt64"}}, vk.Info{Index: 7, Type: "integrated", Features: []string{"shaderInt64"}}
	bad := vk.Info{Index: 3, Type: "discrete", Problem: "no FP64"}
	for _, c := range []struct {
		infos []vk.Info
		want  string
	}{
		{[]vk.Info{integrated, cpu, gpu, bad}, "2 0"}, {[]vk.Info{cpu, bad}, "1"}, {[]vk.Info{bad}, ""},
		{[]vk.Info{arc, cpu, gpu}, "2"}, {[]vk.Info{arc, cpu}, "1"}, {[]vk.Info{arc, other}, "6"},
		{[]vk.Info{gpu, {Index: 4, Type: "discrete"}, {Index: 5, Type: "other"}}, "2 4 5"},
	} {
		if got := strings.Join(cli.Usable(c.infos), " "); got != c.want {
			t.Errorf("all of %v: %q, not %q", c.infos, got, c.want)
		}
	}
	for list, want := range map[string]string{
		"1,0": "1|0", "": "", "0,": "0", ",": ",", "llvmpipe (LLVM 15.0.6, 256 bits)": "llvmpipe (LLVM 15.0.6, 256 bits)",
		"nvidia,llvmpipe (LLVM 15.0.6, 256 bits),2": "nvidia|llvmpipe (LLVM 15.0.6, 256 bits)|2",
	} {
		if got := strings.Join(cli.DeviceWords(list), "|"); got != want {
			t.Errorf("%q: %q, not %q", list, got, want)
		}
	}
	s := newFixture(t)
	s.file("A", npy(2, 2, 1, 0, 0, 2))
	if _, stderr, status := s.run("solve", "--device", "1,0", "A"); status != cli.StatusSuccess {
		t.Errorf("status %d\n%s", status, stderr)
	}
	var opened []string
	for _, opt := range s.machine.opened {
		opened = append(opened, opt.Device)
	}
	if !slices.Equal(opened, []string{"1", "0"}) {
		t.Errorf("opened %q", opened)
	}
	for _, args := range [][]string{
		{"solve", "--tridiagonal", "--device", "0,1", "A"}, {"solve", "--start", "A", "--device", "all", "A"},
	} {
		if _, stderr, status := s.run(args...); status != cli.StatusInput || !strings.Contains(stderr, "use one device") {
			t.Errorf("%v: status %d, %q", args, status, stderr)
		}
	}
	if _, stderr, status := s.run("plan", "--tridiagonal", "-n", "5", "--device", "0,1"); status != cli.StatusInput || !strings.Contains(stderr, "use one device") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// TestSeveralRealDevices opens one device of this machine twice, and uses it as two devices: for
// solves, for checks and for forecasts.
func TestSeveralRealDevices(t *testing.T) {
	if os.Getenv("VKEVD_DEVICE") != "" {
		t.Skip("VKEVD_DEVICE names a device, and the numbers here may be others")
	}
	file, err := filepath.Abs("../../tests/testdata/matrices/bcsstk03.mtx")
	if err != nil {
		t.Fatal(err)
	}
	s := newFixture(t)
	one, stderr, status := s.real("solve", "--check", "--device", "0", file)
	if status != cli.StatusSuccess {
		t.Fatal(stderr)
	}
	two, stderr, status := s.real("solve", "--check", "--out-vectors", "Q.npy", "--report", "R.json", "--device", "0,0", file)
	if status != cli.StatusSuccess || two != one || strings.Count(stderr, "for 50% of the vectors") != 2 || !strings.Contains(stderr, "orthogonality") {
		t.Errorf("status %d, the same values: %v\n%s", status, two == one, stderr)
	}
	report, err := os.ReadFile("R.json")
	if err != nil || strings.Count(string(report), `"part": 0.5`) != 2 {
		t.Errorf("%v, report:\n%s", err, report)
	}
	stdout, stderr, status := s.real("plan", "-n", "112", "--device", "0,0", "--json", "-")
	if status != cli.StatusSuccess || strings.Count(stdout, `"part": 0.5`) != 2 {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	stdout, stderr, status = s.real("plan", "-n", "112", "--device", "0,0")
	if status != cli.StatusSuccess || strings.Count(stdout, "\non device 0 ") != 2 || strings.Count(stdout, "for 50% of the vectors\n") != 2 {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
}
