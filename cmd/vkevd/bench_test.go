package main

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/vk"
)

// Bench returns a fake benchmark, in which every stage takes n milliseconds for matrices of order
// n.
func (m *fakeMachine) Bench(_ context.Context, opt bench.Options) (machine.Benchmark, error) {
	m.benched = opt
	return &fakeBench{m, opt}, m.planErr
}

type fakeBench struct {
	*fakeMachine
	opt bench.Options
}

func (b *fakeBench) Close() { b.closed++ }

func (b *fakeBench) row(stage string, n int) bench.Row {
	ms := float64(n) * 1e-3
	count := 0
	if len(b.opt.Counts) > 0 {
		count = b.opt.Counts[0]
	}
	return bench.Row{
		Count: count,
		Stage: stage, N: n, K: 64, Repeats: b.opt.Repeat, Median: ms, Min: ms / 2, Max: 2 * ms, Wall: 3 * ms,
		GFlops: 100, GBytes: 10, FMAPeak: 400, CopyMax: 20, Device: b.info.Name, Driver: "gonum 0.17",
	}
}

func (b *fakeBench) Peaks() []bench.Row {
	return []bench.Row{b.row("peak fma", 0), b.row("peak copy", 0)}
}

func (b *fakeBench) Measure(_ context.Context, n int) (rows []bench.Row, _ error) {
	for _, s := range b.opt.Stages {
		rows = append(rows, b.row(s, n))
	}
	return rows, b.solveErr
}

func (b *fakeBench) Profile(_ context.Context, n int) (details []bench.Detail, _ error) {
	for _, s := range b.opt.Stages {
		p := vk.NewProfile()
		p.Add("all", 1)
		p.Kernels = []vk.Timing{{Name: "sum", Seconds: 0.25, Count: 2}, {Name: "gemm", Seconds: 0.75, Count: 1}}
		details = append(details, bench.Detail{Row: b.row(s, n), Profile: p})
	}
	return details, b.solveErr
}

func (b *fakeBench) Kernels() ([]bench.Kernel, error) {
	registers, spills := 255, 4
	return []bench.Kernel{
		{Kernel: "gemm", Registers: &registers, Spills: &spills, Declared: 4096, Problem: "spills (4)"},
		{Kernel: "sum", Constants: map[string]float64{"LocalSize": 64}},
	}, nil
}

const benchOfGemm = `Pretence 9000, gonum 0.17
stage          n    b     k      m   median ms         min         max  wall clock   GFLOP/s of fma     GB/s of copy
peak fma       –    –    64      –      0.0000      0.0000      0.0000      0.0000     100.0  25.0%     10.0   50.0%
peak copy      –    –    64      –      0.0000      0.0000      0.0000      0.0000     100.0  25.0%     10.0   50.0%
gemm           7    –    64      –      7.0000      3.5000     14.0000     21.0000     100.0  25.0%     10.0   50.0%
gemm          12    –    64      –     12.0000      6.0000     24.0000     36.0000     100.0  25.0%     10.0   50.0%
`

const kernelsOfGemm = `
gemm, n = 7, k = 64
  gemm                               1 times     750.0000 ms  75.0%
  sum                                2 times     250.0000 ms  25.0%

gemm, n = 12, k = 64
  gemm                               1 times     750.0000 ms  75.0%
  sum                                2 times     250.0000 ms  25.0%

registers  spills  shared bytes declared  kernel
      255       4             –     4096  gemm  !! spills (4)
        –       –             –        0  sum LocalSize=64
`

func TestBench(t *testing.T) {
	s := newFixture(t)
	stdout, stderr, status := s.run("bench", "--n", "7,12", "--kernels", "--json", "rows", "--device", "pre", "gemm")
	if want := benchOfGemm + kernelsOfGemm; stdout != want || stderr != "" || status != cli.StatusSuccess {
		t.Errorf("status %d, %q\n%s\nwant\n%s", status, stderr, stdout, want)
	}
	if o := s.machine.opened; len(o) != 2 || o[0].Device != "pre" || o[0].Kernels || o[0].Statistics || !o[1].Kernels || !o[1].Statistics {
		t.Errorf("opened %+v", o)
	}
	if s.machine.closed != 4 {
		t.Errorf("%d of 2 devices and 2 benches closed", s.machine.closed)
	}
	const kernelRow = `{"kernel":"gemm","constants":null,"registers":255,"spills":4,"shared_bytes":null,"declared_shared_bytes":4096,"problem":"spills (4)","device":"","driver":""}`
	if text, _ := os.ReadFile("rows"); !strings.Contains(string(text), kernelRow) {
		t.Errorf("no row of the kernel in %s", text)
	}
	s.run("bench", "-n", "5", "--json", "rows", "gemm")
	text, err := os.ReadFile("rows")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 4+2+3 {
		t.Fatalf("%d rows", len(lines))
	}
	var row bench.Row
	if err := json.Unmarshal([]byte(lines[8]), &row); err != nil || row.Stage != "gemm" || row.N != 5 || row.Repeats != 5 {
		t.Errorf("%v in %s", err, lines[8])
	}
}

func TestBenchRefused(t *testing.T) {
	s := newFixture(t)
	const help = "; see vkevd bench --help"
	stages := strings.Join(bench.Stages(), ", ")
	s.fails(cli.StatusInput, `unknown stage "gem"; there are `+stages+help, "bench", "gem")
	s.fails(cli.StatusInput, "bench needs --n N,…, the orders of the matrices"+help, "bench", "peaks", "gemm")
	s.fails(cli.StatusInput, "orders, bands, blocks, columns, counts and repeats must be positive"+help, "bench", "-n", "8,0", "gemm")
	s.fails(cli.StatusInput, "no/rows: cannot be written: no such file or directory", "bench", "--json", "no/rows", "peaks")
	s.machine.openErr = vk.ErrNoDevice
	s.fails(cli.StatusDevice, "no usable Vulkan device", "bench", "peaks")
	s.machine.openErr, s.machine.planErr = nil, &vk.OutOfMemoryError{What: "the workspace", Need: 2, Free: 1}
	s.fails(cli.StatusDevice, "the workspace needs 2 bytes of device memory, 1 byte is free", "bench", "peaks")
}

func TestBenchVariants(t *testing.T) {
	s := newFixture(t)
	if _, stderr, status := s.run("bench", "--n", "7", "--tuning", `{"Band":4}`, "--tuning", "{}", "gemm"); status != cli.StatusSuccess {
		t.Fatal(status, stderr)
	}
	if o := s.machine.benched.Variants; len(o) != 2 || o[0].Tuning.Band != 4 || o[1].Name != "{}" {
		t.Errorf("%+v", o)
	}
	for _, wrong := range []string{`{"Bend":4}`, "3", "", "{", `{"Band":"\u001b[2J"}`} {
		stdout, stderr, status := s.run("bench", "--n", "7", "--tuning", wrong, "gemm")
		if status != cli.StatusInput || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "tuning.Tuning") {
			t.Errorf("%q: %d %q %q", wrong, status, stdout, stderr)
		}
	}
}

// TestBenchBatch checks that bench reports the number of matrices of a batch: in the table, in the
// details, and in the rows of JSON.
func TestBenchBatch(t *testing.T) {
	s := newFixture(t)
	stdout, stderr, status := s.run("bench", "--n", "7", "--count", "40,50", "--kernels", "--json", "rows", "batch")
	if status != cli.StatusSuccess || !slices.Equal(s.machine.benched.Counts, []int{40, 50}) {
		t.Fatalf("status %d, %+v\n%s", status, s.machine.benched, stderr)
	}
	text, _ := os.ReadFile("rows")
	if !strings.Contains(stdout, "50.0%  40 matrices\n") || !strings.Contains(stdout, "\nbatch, n = 7, k = 64, 40 matrices\n") || !strings.Contains(string(text), `"count":40`) {
		t.Errorf("%s\n%s", stdout, text)
	}
	s.fails(cli.StatusInput, "orders, bands, blocks, columns, counts and repeats must be positive; see vkevd bench --help", "bench", "-n", "8", "--count", "0", "batch")
}
