package main

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/internal/when"
)

// real runs the program on a real device: the one that VKEVD_DEVICE names, or the best one.
func (s *fixture) real(args ...string) (stdout, stderr string, status int) {
	s.Helper()
	var out, errs strings.Builder
	env := cli.ProcessEnvironment()
	env.Terminal, env.Dumb = false, s.dumb
	env.ConfigDir = func() (string, error) { return filepath.Abs("config") }
	status = run(context.Background(), args, s.stdin, io.Writer(&out), &errs, env)
	return out.String(), errs.String(), status
}

// TestGolden checks matrices whose exact eigenvalues are known. The solver computes them without
// rounding errors; only bisection may differ from the exact values by one or two ulps.
func TestGolden(t *testing.T) {
	for name, c := range map[string]struct{ file, values string }{
		"order 0":  {npy(0, 0), ""},
		"order 1":  {npy(1, 1, 0.1), "0.10000000000000001\n"},
		"zero":     {banner + "symmetric\n3 3 0\n", "0\n0\n0\n"},
		"diagonal": {banner + "symmetric\n3 3 3\n1 1 3\n2 2 -1\n3 3 2\n", "-1\n2\n3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			s.file("A", c.file)
			if stdout, stderr, status := s.real("solve", "--check", "A"); stdout != c.values || status != cli.StatusSuccess {
				t.Errorf("status %d, %q, want %q\n%s", status, stdout, c.values, stderr)
			}
			stdout, stderr, status := s.real("solve", "--check", "--values-only", "A")
			if status != cli.StatusSuccess {
				t.Errorf("values only: status %d\n%s", status, stderr)
			}
			expectClose(t, numbers(t, stdout), numbers(t, c.values))
		})
	}
}

func numbers(t *testing.T, text string) []float64 {
	t.Helper()
	if text == "" {
		return nil
	}
	v, err := matio.ReadVector(strings.NewReader(text), "stdout")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestApplications solves matrices from applications, in several file formats. Their eigenvalues
// are known.
func TestApplications(t *testing.T) {
	when.Skip(t, when.Quick, "whole programs")
	folder, err := filepath.Abs("../../tests/testdata/matrices")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LFAT5.mtx", "karate.mtx", "bcsstk03.mtx", "plat362.mtx.gz"} {
		t.Run(name, func(t *testing.T) {
			base, _, _ := strings.Cut(name, ".")
			want, err := matio.ReadVectorFile(filepath.Join(folder, base+".eig.txt"))
			if err != nil {
				t.Fatal(err)
			}
			for _, flags := range []string{"--check --out-vectors Q.npy", "--check --values-only"} {
				s := newFixture(t)
				stdout, stderr, status := s.real(append(strings.Fields("solve "+flags), filepath.Join(folder, name))...)
				if status != cli.StatusSuccess {
					t.Fatalf("%s: status %d\n%s", flags, status, stderr)
				}
				expectClose(t, numbers(t, stdout), want)
			}
		})
	}
}

// expectClose compares computed eigenvalues with the wanted ones. It allows differences up to
// 10·n·ε·‖A‖₂, which rounding errors may cause.
func expectClose(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	n := len(want)
	if n == 0 {
		return
	}
	norm := max(math.Abs(want[0]), math.Abs(want[n-1]))
	for i := range want {
		if d := math.Abs(got[i] - want[i]); !(d <= 10*float64(n)*report.Ulp*norm) {
			t.Errorf("value %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestRealFailures(t *testing.T) {
	s := newFixture(t)
	s.file("A", npy(2, 2, 1, math.NaN(), math.NaN(), 1))
	for args, says := range map[string]string{
		"solve A":                     "vkevd: A: a(2,1) is NaN; eigenvalues need finite entries (rows and columns from 1)",
		"solve --device nonesuch A":   `vkevd: no usable Vulkan device: none matches "nonesuch"; vkevd devices lists them`,
		"solve --band 8 --block 12 A": "vkevd: --block: 12 is not a multiple of the half-bandwidth 8",
		"plan -n 10 --band -1":        "vkevd: --band, --block: must not be negative",
	} {
		_, stderr, status := s.real(strings.Fields(args)...)
		if lastLine(stderr) != says || status == cli.StatusSuccess {
			t.Errorf("%s: status %d\n%s", args, status, stderr)
		}
	}
	s.expectFiles("A")
}

// TestPlanOfTheDevice checks that plan refuses a matrix that does not fit into the device's memory,
// and prints the needed and the free memory.
func TestPlanOfTheDevice(t *testing.T) {
	s := newFixture(t)
	stdout, stderr, status := s.real("plan", "-n", "1000")
	if status != cli.StatusSuccess || !strings.Contains(stdout, "\ntotal ") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if _, stderr, status := s.real("plan", "-n", "900000"); status != cli.StatusDevice || !strings.Contains(stderr, "TiB of device memory, ") {
		t.Errorf("status %d\n%s", status, stderr)
	}
}

// TestSignalWhileTuning checks that an interruption ends the command tune even during a compilation
// of kernels, and that nothing is saved.
func TestSignalWhileTuning(t *testing.T) {
	s := newFixture(t)
	t.Setenv("VKEVD_CONFIG", "config")
	p := start(t, "tune", "--verbose", "--save", "-n", "100", "--budget", "1m")
	p.await("preparing the device")
	p.Process.Signal(os.Interrupt)
	p.ends("vkevd: interrupted", cli.StatusNumerical)
	s.expectFiles()
}

// TestSignalWhileWorking checks that an interruption at any time ends the program soon and leaves
// no file. The end should take at most one second. The test allows more time, because other tests
// may occupy the processors.
func TestSignalWhileWorking(t *testing.T) {
	const patience = 5 * time.Second
	const working = "" // the stage in which the first batch of work ends
	for _, stage := range []string{"reading A.npy", "preparing the device", working} {
		t.Run(stage, func(t *testing.T) {
			s := newFixture(t)
			const n = 400
			a := make([]float64, n*n)
			for j := range n {
				for i := range n {
					a[i+j*n] = 1 / float64(1+i+j) // a Hilbert matrix
				}
			}
			s.file("A.npy", npy(n, n, a...))
			p := start(t, "solve", "--verbose", "--check", "--out-vectors", "Q.npy", "--out-values", "v", "--report", "r", "A.npy")
			if stage != working {
				p.await(stage)
			} else {
				p.await("preparing the device")
				p.stderr.ReadString('\n')
			}
			began := time.Now()
			p.Process.Signal(os.Interrupt)
			p.ends("vkevd: interrupted", cli.StatusNumerical)
			waited := time.Since(began)
			t.Logf("ended after %v", waited)
			if waited > patience {
				t.Errorf("ended after %v", waited)
			}
			s.expectFiles("A.npy")
		})
	}
}
