package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
)

// sanitized are compiler flags for the C files of these tests. With them, an access outside of
// allocated memory, or a leak, ends the program.
var sanitized = []string{"-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}

func compile(t *testing.T, output string, arguments ...string) {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	flags := append([]string{"-std=gnu11", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-pthread", "-o", output}, sanitized...)
	if out, err := exec.Command(cc, append(flags, arguments...)...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(output), err, out)
	}
}

// duration is the end of a line about a solve.
var duration = regexp.MustCompile(` [0-9.]+ s\n`)

// TestShim runs testdata/program.c with the shim, a LAPACK that computes nothing, and an engine
// without a device. The program is linked with the shim first and LAPACK second. The order of
// symbols is then the same as with LD_PRELOAD.
func TestShim(t *testing.T) {
	when.Skip(t, when.Vulkango, "no device")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	shared := []string{"-shared", "-fPIC", "-fvisibility=hidden"}
	visible := []string{"-shared", "-fPIC"}
	shim, err := filepath.Glob("shim/*.c")
	if err != nil || len(shim) < 4 {
		t.Fatalf("the shim has %d files, %v", len(shim), err)
	}
	compile(t, in("libfake.so"), append(visible, "testdata/fake_lapack.c")...)
	compile(t, in("libfake64.so"), append(visible, "-DWIDE", "testdata/fake_lapack.c")...)
	compile(t, in("libother.so"), append(visible, "-DINFO=78", "testdata/fake_lapack.c")...)
	for link, library := range map[string]string{"libfake_lp64.so": "libfake.so", "libfake_ilp64.so": "libfake64.so"} {
		if err := os.Link(in(library), in(link)); err != nil {
			t.Fatal(err)
		}
	}
	compile(t, in("libvkevd_lapack.so"), append(append(shared, shim...), "-ldl", "-lm")...)
	compile(t, in("libvkevd_engine.so"), append(visible, "testdata/fake_engine.c", "-lm")...)
	for program, lapack := range map[string]string{"program": "fake", "program64": "fake64", "program_lp64": "fake_lp64", "program_ilp64": "fake_ilp64"} {
		compile(t, in(program), "testdata/program.c", "-L"+dir, "-Wl,-rpath,"+dir, "-Wl,--no-as-needed",
			"-lvkevd_lapack", "-l"+lapack, "-ldl", "-lm")
	}
	run := func(name, program, test string, want string, environment ...string) {
		t.Run(name, func(t *testing.T) {
			c := exec.Command(in(program), test)
			c.Env = append(os.Environ(), environment...)
			out, err := c.CombinedOutput()
			out = duration.ReplaceAll(out, []byte(" TIME\n"))
			if err != nil || string(out) != want+"fine\n" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	for _, test := range []string{"every_spelling", "small_stays", "refused", "parts", "options", "complex_workspaces", "work_adds_up", "complex_work_adds_up", "signals", "forks", "threads"} {
		run(test, "program", test, "")
	}
	run("wide_library", "program64", "wide_library", "")
	run("lp64", "program_lp64", "narrow_library", "")
	run("ilp64", "program_ilp64", "wide_library", "")
	run("off", "program", "off", "", "VKEVD_CROSSOVER=off")
	run("no_number", "program", "off", "", "VKEVD_CROSSOVER=12x")
	run("above", "program", "off", "", "VKEVD_CROSSOVER=2101")
	run("always", "program", "always", "", "VKEVD_CROSSOVER=0")
	run("no_next", "program", "no_next", "", "VKEVD_LAPACK=/does/not/exist")
	run("chosen", "program", "no_engine", "", "VKEVD_CROSSOVER=off", "VKEVD_LAPACK="+in("libfake.so"))
	run("other", "program", "other_next", "", "VKEVD_CROSSOVER=off", "VKEVD_LAPACK="+in("libother.so"))
	run("verbose_off", "program", "off", "vkevd: dsyevd n=2100 → next library: VKEVD_CROSSOVER is off\n",
		"VKEVD_CROSSOVER=off", "VKEVD_VERBOSE=1")
	// 2147483647 is also the crossover of a device that solves no order. The line once named such a
	// device, with an empty name.
	run("never", "program", "off", "vkevd: dsyevd n=2100 → next library: the order is below 2147483647, the value of VKEVD_CROSSOVER\n",
		"VKEVD_CROSSOVER=2147483647", "VKEVD_VERBOSE=1")
	run("below", "program", "below", "vkevd: dsyevd n=300 → next library: the order is below 512, the least crossover of all devices\n"+
		"vkevd: dsyevd n=2100 → fake device TIME\n"+
		"vkevd: dsyevd n=39 → next library: the order is below 40, the crossover of fake device\n", "VKEVD_VERBOSE=1")
	run("cpu", "program", "cpu", "vkevd: dsyevd n=2100 → next library: fake device is a CPU\n", "VKEVD_VERBOSE=1")
	t.Run("set_user_id", func(t *testing.T) { runRaised(t, dir, in("program")) })
	t.Run("verbose", func(t *testing.T) {
		c := exec.Command(in("program"), "always")
		c.Env = append(os.Environ(), "VKEVD_CROSSOVER=0", "VKEVD_VERBOSE=1")
		out, err := c.CombinedOutput()
		if out = duration.ReplaceAll(out, []byte(" TIME\n")); err != nil || !strings.HasPrefix(string(out), "vkevd: dsyevd n=2 → fake device TIME\n") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	if err := os.Remove(in("libvkevd_engine.so")); err != nil {
		t.Fatal(err)
	}
	run("no_engine", "program", "no_engine", "")
	t.Run("why_no_engine", func(t *testing.T) {
		c := exec.Command(in("program"), "no_engine")
		c.Env = append(os.Environ(), "VKEVD_VERBOSE=1")
		out, err := c.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "vkevd: dsyevd n=2100 → next library: ") || !strings.Contains(string(out), "libvkevd_engine.so") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// runRaised runs a program in the folder dir as another user, as a set-user-ID program of root. The
// user's variables would lead to other libraries, other calls on the device, and lines on standard
// error.
func runRaised(t *testing.T, dir, program string) {
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: only root can make a set-user-ID program of root")
	}
	for _, folder := range []string{filepath.Dir(dir), dir} { // other users may enter them
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(program, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(program, 0o755)
	for _, variable := range []string{"VKEVD_LAPACK=/does/not/exist", "VKEVD_CROSSOVER=off", "VKEVD_VERBOSE=1"} {
		c := exec.Command(program, "raised")
		c.Env = append(os.Environ(), variable)
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := c.CombinedOutput()
		if errors.Is(err, os.ErrPermission) || string(out) == "no raised rights\n" {
			t.Skipf("NOT TESTED: set-user-ID has no effect here (nosuid or no_new_privs): %v", err)
		}
		if err != nil || string(out) != "fine\n" {
			t.Errorf("%s is obeyed: %v\n%s", variable, err, out)
		}
	}
}
