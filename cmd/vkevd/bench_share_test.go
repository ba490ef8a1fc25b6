package main

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/trial"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/vk"
)

func readShared(t *testing.T, text []byte) (s trial.Shared) {
	t.Helper()
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return s
}

// TestBenchShare checks the file that bench --share writes. It must have the device, its measured
// properties, a row for each stage and order, and solves with checked results.
func TestBenchShare(t *testing.T) {
	s := newFixture(t)
	s.machine.arithmetic.Division = 0.75
	s.machine.ratios.Residual = 0.5
	stdout, stderr, status := s.run("bench", "--share", "gpu.json", "--n", "7,12", "gemm", "vectors")
	if status != cli.StatusSuccess || stderr != "" || !strings.Contains(stdout, "gemm ") {
		t.Fatalf("status %d, %q\n%s", status, stderr, stdout)
	}
	text, err := os.ReadFile("gpu.json")
	if err != nil {
		t.Fatal(err)
	}
	got := readShared(t, text)
	var stages []string
	for _, r := range got.Rows {
		stages = append(stages, r.Stage)
	}
	if want := []string{"peak fma", "peak copy", "gemm", "vectors", "gemm", "vectors"}; !slices.Equal(stages, want) {
		t.Errorf("rows of %v", stages)
	}
	if got.Device.Name != "Pretence 9000" || got.MayWait == nil || !*got.MayWait || got.Arithmetic == nil ||
		got.Arithmetic.Division != 0.75 || !strings.HasPrefix(got.Version, "vkevd ") || got.Time.IsZero() || len(got.Errors) != 0 {
		t.Errorf("%+v", got)
	}
	if len(got.Solves) != 2 || got.Solves[1].N != 12 || got.Solves[1].Residual != 0.5 || !(got.Solves[1].Seconds > 0) {
		t.Errorf("solves %+v", got.Solves)
	}
	if s.machine.closed != 2+1+2 {
		t.Errorf("%d of 2 devices, a bench and 2 plans closed", s.machine.closed)
	}
}

// TestBenchShareOfEverything runs bench --share without stages and orders. All stages except those
// of batches must be measured. On a CPU the orders must be smaller. With --share -, standard output
// must contain only JSON.
func TestBenchShareOfEverything(t *testing.T) {
	for kind, want := range map[string]int{"discrete": 1024, "cpu": 256} {
		s := newFixture(t)
		s.machine.info.Type = kind
		s.machine.solveErr = errors.New("burnt") // solves fail, because large matrices would take long here
		stdout, stderr, status := s.run("bench", "--share", "-")
		got := readShared(t, []byte(stdout))
		if o := s.machine.benched; !slices.Equal(o.Stages, bench.SingleStages()) || o.Orders[0] != want {
			t.Errorf("%s: measured %+v", kind, o)
		}
		if status == cli.StatusSuccess || !strings.Contains(stderr, "burnt") || len(got.Errors) != 1 || !strings.Contains(got.Errors[0], "burnt") {
			t.Errorf("%s: status %d, %q, errors %q", kind, status, stderr, got.Errors)
		}
	}
}

// TestBenchAlone runs bench without arguments: it measures whole solves of usual orders.
func TestBenchAlone(t *testing.T) {
	s := newFixture(t)
	if err := (bench.Options{}).Check(); err == nil || !strings.HasPrefix(err.Error(), "no stage to measure; there are ") {
		t.Errorf("without stages: %v", err)
	}
	_, stderr, status := s.run("bench")
	if o := s.machine.benched; status != cli.StatusSuccess || !slices.Equal(o.Stages, []string{"peaks", "values", "vectors"}) || o.Orders[0] != 1024 {
		t.Errorf("status %d, %s, measured %+v", status, stderr, o)
	}
}

// TestBenchShareNeedsADevice runs bench --share without a device. It must write no file.
func TestBenchShareNeedsADevice(t *testing.T) {
	s := newFixture(t)
	s.machine.openErr = vk.ErrNoDevice
	s.fails(cli.StatusDevice, "no usable Vulkan device", "bench", "--share", "gpu.json")
	if _, err := os.Stat("gpu.json"); err == nil {
		t.Error("there is a file")
	}
}
