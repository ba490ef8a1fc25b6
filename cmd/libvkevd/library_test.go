//go:build linux && !vulkango

// These tests do not run with the build tag vulkango. For this tag, tools/lib.sh builds the same
// library as without it.

package main

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// library is the path of the folder with the C library that the tests use.
var library string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "libvkevd")
	if err != nil {
		panic(err)
	}
	library = folder
	if out, err := exec.Command("../../tools/lib.sh", folder).CombinedOutput(); err != nil {
		panic(string(out) + err.Error())
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// TestValues runs a C program that calls the library, and compares eigenvalues and eigenvectors
// with known ones. The matrices are stored by rows and by columns.
func TestValues(t *testing.T) { runC(t, "values.c") }

// TestBehaviour runs a C program that tests errors, cancelling, threads, fork, signals and leaks.
// The program also makes many small solves: VKEVD_CALLS is their number, by default 1000.
func TestBehaviour(t *testing.T) { runC(t, "behaviour.c", cmp.Or(os.Getenv("VKEVD_CALLS"), "1000")) }

// TestRefusals runs a C program that compares the text of each refusal.
func TestRefusals(t *testing.T) { runC(t, "refusals.c") }

// TestForkInANamespace forks a child that has the same process number as its parent.
func TestForkInANamespace(t *testing.T) {
	run := compiledC(t, "namespace.c")
	run.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	out, err := run.CombinedOutput()
	const notAllowed = 77 // the program's own status for this
	switch {
	case errors.Is(err, syscall.EPERM), run.ProcessState.ExitCode() == notAllowed:
		t.Skip("NOT TESTED: only root can make PID namespaces")
	case err != nil || len(out) > 0:
		t.Fatalf("%s\n%v", out, err)
	}
}

// runC runs a C program of folder testdata. The program must print nothing.
func runC(t *testing.T, source string, args ...string) {
	run := compiledC(t, source, args...)
	if out, err := run.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%s\n%v", out, err)
	}
}

// compiledC compiles a C program of folder testdata as a user would. The result runs the program.
func compiledC(t *testing.T, source string, args ...string) *exec.Cmd {
	program := filepath.Join(t.TempDir(), "program")
	cc := cmp.Or(os.Getenv("CC"), "cc")
	out, err := exec.Command(cc, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-g", "-I.",
		filepath.Join("testdata", source), "-o", program, "-L"+library, "-lvkevd", "-lm", "-lpthread").CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	run := exec.Command(program, args...)
	run.Env = append(os.Environ(), "LD_LIBRARY_PATH="+library)
	return run
}

// TestBuildsAtTheSameTime runs tools/lib.sh several times at once, with a slow C compiler that looks
// at its source before it compiles it. The builds must not disturb each other before they call Go,
// which ends them here.
func TestBuildsAtTheSameTime(t *testing.T) {
	folder := t.TempDir()
	cc, noGo := filepath.Join(folder, "cc"), filepath.Join(folder, "go")
	const reachedGo = 7 // status of the builds
	for path, text := range map[string]string{
		cc: `#!/bin/sh
sleep 0.2
for source; do :; done
case "$*" in *libpthread*) wants=pthread_create ;; *) wants=dlopen ;; esac
grep -q $wants "$source" && exec ` + cmp.Or(os.Getenv("CC"), "cc") + ` "$@"`,
		noGo: fmt.Sprintf("#!/bin/sh\nexit %d", reachedGo),
	} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var builds sync.WaitGroup
	for k := range 4 {
		builds.Go(func() {
			time.Sleep(time.Duration(k) * 70 * time.Millisecond)
			build := exec.Command("../../tools/lib.sh", folder)
			build.Env = append(os.Environ(), "CC="+cc, "GO="+noGo)
			if out, _ := build.CombinedOutput(); build.ProcessState.ExitCode() != reachedGo {
				t.Errorf("%s\n%v", out, build.ProcessState)
			}
		})
	}
	builds.Wait()
}

// TestExports compares three lists of functions: those that the header declares, those that the
// library exports, and those in the linker's list.
func TestExports(t *testing.T) {
	declared := names(t, "vkevd.h", `(?m)^(?:int32_t|const char \*) ?(vkevd_\w+)\(`)
	listed := names(t, "libvkevd.map", `(vkevd_\w+);`)
	file, err := elf.Open(filepath.Join(library, "libvkevd.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var exported []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			exported = append(exported, s.Name)
		}
	}
	slices.Sort(exported)
	if len(declared) < 15 || !slices.Equal(declared, exported) || !slices.Equal(declared, listed) {
		t.Errorf("the header declares %v,\nthe library exports %v,\nthe list has %v", declared, exported, listed)
	}
	if name, err := file.DynString(elf.DT_SONAME); err != nil || !slices.Equal(name, []string{"libvkevd.so.0"}) {
		t.Errorf("the library's name is %v, %v", name, err)
	}
}

// TestInstalls follows a user who installs the library and asks pkg-config for it.
func TestInstalls(t *testing.T) {
	root := t.TempDir()
	install := exec.Command("../../tools/install-lib.sh", library)
	install.Env = append(os.Environ(), "DESTDIR="+root, "PREFIX=/opt/v")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	for _, file := range []string{"lib/libvkevd.so", "lib/libvkevd.so.0", "include/vkevd.h"} {
		if _, err := os.Stat(filepath.Join(root, "opt/v", file)); err != nil {
			t.Error(err)
		}
	}
	pc, err := os.ReadFile(filepath.Join(root, "opt/v/lib/pkgconfig/vkevd.pc"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`#define VKEVD_VERSION "(.*)"`).FindSubmatch(readFile(t, "vkevd.h"))
	if !bytes.Contains(pc, []byte("prefix=/opt/v\n")) || !bytes.Contains(pc, append([]byte("Version: "), version[1]...)) {
		t.Errorf("vkevd.pc:\n%s", pc)
	}
	ask := exec.Command("pkg-config", "--cflags", "--libs", "vkevd")
	if ask.Err != nil {
		t.Skip("no pkg-config")
	}
	ask.Env = append(os.Environ(), "PKG_CONFIG_PATH="+root+"/opt/v/lib/pkgconfig")
	if out, err := ask.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "-I/opt/v/include -L/opt/v/lib -lvkevd" {
		t.Errorf("pkg-config: %q, %v", out, err)
	}
}

// names returns the names that a regular expression finds in a file, sorted. The expression has a
// group, and each name is the text of this group in one match.
func names(t *testing.T, file, pattern string) (all []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(readFile(t, file), -1) {
		all = append(all, string(m[1]))
	}
	slices.Sort(all)
	return all
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
