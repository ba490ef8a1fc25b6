package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/trial"
	"github.com/vkevd/vkevd/evd/probe"
)

// TestDeviceFiles checks every file of docs/data/devices: that a pull request with it can be
// merged. go test ./tests -run TestPages -update then writes the table.
func TestDeviceFiles(t *testing.T) {
	known, err := trial.Known()
	if err != nil || len(known) == 0 {
		t.Fatalf("%d files, %v", len(known), err)
	}
	for name, s := range known {
		if err := s.Check(); err != nil {
			t.Errorf("docs/data/devices/%s: %v", name, err)
		}
		if want := trial.FileName(s.Device); name != want {
			t.Errorf("docs/data/devices/%s should be called %s", name, want)
		}
		n := s.Solves[0].N
		for want, change := range map[string]func(*trial.Shared){
			fmt.Sprintf("the solve of n = %d has the ratios 10 and %g", n, s.Solves[0].Orthogonality): func(s *trial.Shared) { s.Solves[0].Residual = 10 },
			"the rates {FP64:1e+16 FP32:1e+16} are not those of a device":                             func(s *trial.Shared) { s.Rates = probe.Rates{FP64: 1e16, FP32: 1e16} },
			"version, time, kernels, device or driver is missing":                                     func(s *trial.Shared) { s.Kernels = "" },
			"rows, solves, may_wait or arithmetic is missing":                                         func(s *trial.Shared) { s.Solves = nil },
			"a measurement failed: burnt":                                                             func(s *trial.Shared) { s.Errors = []string{"burnt"} },
			fmt.Sprintf("%s, n = %d: impossible times", s.Rows[0].Stage, s.Rows[0].N):                 func(s *trial.Shared) { s.Rows[0].Median = -1 },
		} {
			text, _ := json.Marshal(s)
			var bad trial.Shared
			json.Unmarshal(text, &bad)
			change(&bad)
			if err := bad.Check(); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}

// TestPlanLike plans for a measured device although this computer has none.
func TestPlanLike(t *testing.T) {
	s := newFixture(t)
	s.machine.openErr = os.ErrNotExist
	stdout, stderr, status := s.run("plan", "-n", "1000", "--like", "LLVM")
	if status != cli.StatusSuccess || !strings.Contains(stdout, "llvmpipe") || !strings.Contains(stdout, "GFLOP/s") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	_, stderr, status = s.run("plan", "-n", "1000", "--like", "Voodoo")
	if status != cli.StatusInput || !strings.Contains(stderr, `--like: no measured device is called "Voodoo"; there are NVIDIA H200, llvmpipe`) {
		t.Errorf("status %d, %s", status, stderr)
	}
	s.fails(cli.StatusInput, "--like needs the name of a device, or a part of it; see vkevd plan --help", "plan", "-n", "10", "--like", "")
	s.fails(cli.StatusInput, "--like cannot be combined with --device, which are of this computer; see vkevd plan --help", "plan", "-n", "10", "--like", "llvm", "--device", "0")
}

// TestPlanOfAFile takes sizes and types from files.
func TestPlanOfAFile(t *testing.T) {
	s := newFixture(t)
	s.file("A.npy", npy(30, 30, make([]float64, 900)...))
	s.file("x.csv", "a,b\n1,2\n3,4\n5,7\n")
	for args, want := range map[string]string{
		"A.npy": `"n": 30`, "--svd x.csv": `"m": 3`, "--svd --vectors x.csv": `"n": 2`,
	} {
		stdout, stderr, status := s.run(append([]string{"plan", "--json", "-"}, strings.Fields(args)...)...)
		if status != cli.StatusSuccess || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d, %s%s", args, status, stdout, stderr)
		}
	}
	s.fails(cli.StatusInput, "x.csv: matrix is not square: 3 rows, 2 columns; --svd plans for singular values", "plan", "x.csv")
	s.fails(cli.StatusInput, "plan takes no FILE with --tridiagonal or -m, but --n N; see vkevd plan --help", "plan", "--svd", "-m", "6", "x.csv")
	s.fails(cli.StatusInput, "plan takes no FILE with --tridiagonal or -m, but --n N; see vkevd plan --help", "plan", "--tridiagonal", "x.csv")
	s.fails(cli.StatusInput, "plan takes one FILE, not 2; see vkevd plan --help", "plan", "A.npy", "x.csv")
	s.fails(cli.StatusInput, "plan takes --n N or a FILE, and with --batch --n N; see vkevd plan --help", "plan", "-n", "3", "A.npy")
}

// TestAskForMeasures solves twice on a device that nobody has measured. The first solve must ask
// for measures, and no further one.
func TestAskForMeasures(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.variables["VKEVD_CACHE"] = t.TempDir()
	s.machine.measured = probe.Rates{FP64: 2e11, FP32: 4e11}
	const asks = "Nobody has measured vkevd on Pretence 9000. The forecast for this solve was 0.003 s, and it took 1 s. Please run\n" +
		"  vkevd bench --share Pretence-9000-0.17.json\nand send the file: docs/devices.md says how. (This is said once.)\n"
	for i, args := range []string{"--quiet", "--verbose", "--verbose"} {
		_, stderr, status := s.run(append([]string{"solve", "A.mtx"}, strings.Fields(args)...)...)
		if asked := strings.Contains(stderr, asks); status != cli.StatusSuccess || asked != (i == 1) {
			t.Errorf("solve %d: status %d, asked %v\n%s", i, status, asked, stderr)
		}
	}
	files, _ := filepath.Glob(s.variables["VKEVD_CACHE"] + "/asked-Pretence-9000*")
	if len(files) != 1 {
		t.Errorf("files %q", files)
	}
}

func TestDuration(t *testing.T) {
	for seconds, want := range map[float64]string{0.5: "0.5 s", 600: "10 min", 36000: "10.0 h", 66 * 86400: "66 days"} {
		if got := duration(seconds); got != want {
			t.Errorf("%v is %q", time.Duration(seconds*1e9), got)
		}
	}
}

// TestNewFlagsAreExplained reads the help of flags for principal components and for other devices.
func TestNewFlagsAreExplained(t *testing.T) {
	s := newFixture(t)
	for text, command := range map[string]string{
		"subtract its mean from each column first: principal components":       "svd",
		"as --center, and divide each column by its standard deviation":        "svd",
		"also print the regions of the memory":                                 "plan",
		"plan for a measured device, a part of its NAME, in place of one here": "plan",
		"the files have singular values (default: if they say so, or descend)": "plot scree",
	} {
		stdout, _, _ := s.run(append([]string{"help"}, strings.Fields(command)...)...)
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), text) {
			t.Errorf("help %s lacks %q", command, text)
		}
	}
}
