package main

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/vk"
)

func TestSelftest(t *testing.T) {
	s := newFixture(t)
	stdout, stderr, status := s.run("selftest", "--n", "0,7", "--device", "pre", "ddrvst", "goe")
	lines := strings.Split(stdout, "\n")
	for i, want := range []string{
		"Pretence 9000, gonum 0.17",
		"kind                              n   residual    orthog.     values      alone",
		"goe                               0          0          0          –          0  ok",
	} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	kinds := 0
	count := func(name string) {
		if strings.Contains(name, "ddrvst") || strings.Contains(name, "goe") {
			kinds++
		}
	}
	for _, k := range matgen.Dense() {
		count(k.Name())
	}
	for _, k := range matgen.Hermitians() { // complex kinds, whose names may contain these words, too
		count(k.Name())
	}
	if strings.Count(stdout, "  ok\n") != 2*kinds || !strings.HasSuffix(stdout, " matrices solved, all measures below 60\n") || stderr != "" || status != cli.StatusSuccess {
		t.Errorf("status %d, %q, %d kinds\n%s", status, stderr, kinds, stdout)
	}
	if s.machine.opened[0].Device != "pre" || s.machine.closed != 9 || len(s.machine.wanted) != 8 { // two plans for each order, real and complex, and the device
		t.Errorf("opened %+v, %d plans, %d closed", s.machine.opened, len(s.machine.wanted), s.machine.closed)
	}
}

// TestSelftestFails runs vkevd selftest on a device with bad results and errors. selftest must
// report them and then solve the remaining matrices.
func TestSelftestFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(m *fakeMachine)
		row   string
	}{
		{"value", func(m *fakeMachine) { m.spoil = 1 }, "FAILED\n"},
		{"infinite", func(m *fakeMachine) { m.spoil = math.Inf(1) }, "FAILED\n"},
		{"error", func(m *fakeMachine) { m.solveErr = &evd.StageError{Stage: "bulge chasing", Info: 3} }, "FAILED: bulge chasing failed on the device (INFO = 3)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newFixture(t)
			c.spoil(s.machine)
			stdout, stderr, status := s.run("selftest", "-n", "5", "toeplitz")
			if strings.Count(stdout, c.row) != 6 || !strings.Contains(stdout, "\n0 of 6 matrices solved") || stderr != "vkevd: selftest failed: 6 of 6 matrices\n" || status != cli.StatusNumerical {
				t.Errorf("status %d, %q\n%s", status, stderr, stdout)
			}
			stdout, _, status = s.run("selftest", "-n", "5", "--json", "-", "toeplitz(2,-1)·")
			var row struct {
				Kind   string
				N      int
				Ratios struct{ Passed bool }
				Error  string
			}
			if err := json.Unmarshal([]byte(stdout), &row); err != nil || row.Kind != "toeplitz(2,-1)·phases" || row.N != 5 || row.Ratios.Passed || status != cli.StatusNumerical {
				t.Errorf("status %d, %v: %s", status, err, stdout)
			}
		})
	}
}

func TestSelftestRefuses(t *testing.T) {
	s := newFixture(t)
	s.fails(cli.StatusInput, `no kind of matrix has "nonesuch" in its name; see vkevd selftest --help`, "selftest", "nonesuch")
	s.fails(cli.StatusInput, "--n needs orders of matrices, none negative; see vkevd selftest --help", "selftest", "-n", "5,-1")
	s.fails(cli.StatusInput, `--solver: "bisection" is not a method that finds vectors; see vkevd selftest --help`, "selftest", "--solver", "bisection")
	s.fails(cli.StatusInput, `--solver: "magic" is not a method that finds vectors; see vkevd selftest --help`, "selftest", "--solver", "magic")
	s.machine.openErr = vk.ErrNoDevice
	s.fails(cli.StatusDevice, "no usable Vulkan device", "selftest")
	s.machine.openErr, s.machine.planErr = nil, errors.New("no plan")
	if _, stderr, status := s.run("selftest"); status != cli.StatusInput || stderr != "vkevd: no plan\n" {
		t.Errorf("status %d, %q", status, stderr)
	}
}

func TestSelftestHere(t *testing.T) {
	s := newFixture(t)
	if stdout, stderr, status := s.real("selftest", "-n", "20", "--solver", "mrrr", "ddrvst-09", "dchkst-21", "glued"); status != cli.StatusSuccess || !strings.Contains(stdout, "\n10 of 10 ") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}
