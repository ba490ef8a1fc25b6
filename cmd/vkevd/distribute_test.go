package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestDistribute divides a matrix between two devices, both of which are the first device of this
// machine. The results must pass the checks of vkevd, and reports and plans must say what is
// divided.
func TestDistribute(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	if os.Getenv("VKEVD_DEVICE") != "" {
		t.Skip("VKEVD_DEVICE names a device, and the numbers here may be others")
	}
	file, err := filepath.Abs("../../tests/testdata/matrices/bcsstk03.mtx")
	if err != nil {
		t.Fatal(err)
	}
	s := newFixture(t)
	for _, args := range [][]string{{"--values-only", "--check"}, {"--out-vectors", "Q.npy", "--check"}, {"--verify", "--vectors"}} {
		args = append([]string{"solve", "--report", "R.json", "--out-values", "L.npy", "--device", "0,0", "--distribute", file}, args...)
		_, stderr, status := s.real(args...)
		if status != cli.StatusSuccess || strings.Count(stderr, "for 50% of the matrix") != 2 {
			t.Errorf("%v: status %d\n%s", args, status, stderr)
		}
		report, err := os.ReadFile("R.json")
		if err != nil || strings.Count(string(report), `"part": 0.5`) != 2 || !strings.Contains(string(report), `"parts_of": "matrix"`) {
			t.Errorf("%v, report:\n%s", err, report)
		}
	}
	if _, stderr, status := s.real("check", file, "L.npy", "Q.npy"); status != cli.StatusSuccess {
		t.Errorf("check: status %d\n%s", status, stderr)
	}
	stdout, stderr, status := s.real("plan", "--verbose", "-n", "112", "--device", "0,0", "--distribute")
	if status != cli.StatusSuccess || strings.Count(stdout, "for 50% of the matrix\n") != 2 || !strings.Contains(stdout, "columns of A, Q1") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
}

// TestPlanDividesByRates checks that a plan for several devices knows the measured rate of each
// device, so that it divides the work as a solve does. The rate 0 stands for one that is not known.
func TestPlanDividesByRates(t *testing.T) {
	for _, speeds := range [][]float64{{3e12, 1e12, 2e12}, {3e12, 0, 2e12}, {0, 1e12, 2e12}} {
		s := newFixture(t)
		s.machine.speeds = speeds
		if _, stderr, status := s.run("plan", "-n", "9", "--device", "2,0,1"); status != cli.StatusSuccess {
			t.Fatalf("status %d, %s", status, stderr)
		}
		var got []float64
		for _, dev := range append([]*vk.Device{s.machine.plannedOn.Dry()}, s.machine.planned.Devices...) {
			rate, err := probe.WorkRate(t.Context(), dev)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rate)
		}
		if !slices.Equal(got, speeds) || s.machine.planned.Shares != nil {
			t.Errorf("rates %v, want %v; shares %v", got, speeds, s.machine.planned.Shares)
		}
	}
}

// TestDistributeRefuses checks that --distribute is refused with one device, and with flags that
// cannot be combined with it.
func TestDistributeRefuses(t *testing.T) {
	s := newFixture(t)
	s.file("A", npy(2, 2, 1, 0, 0, 2))
	for _, c := range []struct{ args, want string }{
		{"solve --distribute A", "needs several devices"},
		{"plan --distribute -n 9", "needs several devices"},
		{"solve --distribute --device 0,1 --batch A", "--batch cannot be combined with --distribute"},
		{"plan --distribute --device 0,1 -n 9 --svd", "--svd cannot be combined with --distribute"},
		{"solve --distribute --device 0,1 --precision mixed A", "uses one device"},
	} {
		if _, stderr, status := s.run(strings.Fields(c.args)...); status != cli.StatusInput || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %q", c.args, status, stderr)
		}
	}
}

// TestPlanKnowsProductsOfAllDevices checks that a plan for several devices knows the measured rates
// of products of each device, even if the plan does not fit the memory. The rates decide how a
// device applies back transformation 2, and thus its memory.
func TestPlanKnowsProductsOfAllDevices(t *testing.T) {
	card := h200
	card.ByteMatrices, card.Features = []vk.MatrixShape{{M: 16, N: 16, K: 32}}, []string{"shaderFloat64", "shaderIntegerDotProduct"}
	s := newFixture(t)
	s.machine.info, s.machine.chosen = card, fastUnits()
	if _, stderr, status := s.run("plan", "-n", "9", "--device", "0,1"); status != cli.StatusSuccess {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if got := probe.ChosenProducts[float64](s.machine.planned.Devices[0]).Facts; got != fastUnits().Facts {
		t.Errorf("rates of the second device: %+v", got)
	}
	bytes := func(card vk.Info, products probe.Products) uint64 {
		opt := evd.Options{Vectors: true, Select: evd.Index(0, 4096), Products: evd.ProductsEmulated}
		opt.Distribute, opt.Devices = true, []*vk.Device{machine.Absent{Info: card, Products: products}.Dry()}
		f, unfit, err := machine.Vulkan{}.Forecast(machine.Absent{Info: card, Products: products}, machine.Task{N: 8192, Evd: opt})
		if err != nil || (unfit != nil) != (card.Free < 1<<30) {
			t.Fatalf("%v, %v", unfit, err)
		}
		return report.DevicesOf(f)[1].Bytes
	}
	small := card
	small.Free = 1 << 20
	want := bytes(card, fastUnits())
	if slow, got := bytes(card, probe.Products{}), bytes(small, fastUnits()); got != want || slow >= want {
		t.Errorf("second device: %v bytes, %v if it does not fit, %v without rates", want, got, slow)
	}
}

// fastUnits returns the products of a device whose emulated products are ten times as fast as its
// double precision.
func fastUnits() (p probe.Products) {
	p.Facts.Native, p.Facts.Emulated, p.Facts.Bytes, p.Facts.Right = 1.2e12, 12e12, 2e14, true
	return p
}

// TestPlanDistributesByItself plans n = 100,000 with all vectors on four GPUs with 141 GB each,
// with and without --distribute. The plan must fit and divide the matrix. n = 130,000 must not fit
// two such GPUs. n = 32768 would fit one GPU, but is divided because this is faster. For n = 8192
// only the vectors are divided.
func TestPlanDistributesByItself(t *testing.T) {
	card := h200
	card.Memory, card.Free = 141e9, 141e9
	for _, c := range []struct {
		n, devices int
		distribute bool
		parts      string
		fits       bool
	}{
		{100_000, 4, true, "matrix", true}, {100_000, 4, false, "matrix", true},
		{130_000, 2, false, "matrix", false}, {32768, 4, false, "matrix", true}, {8192, 4, false, "vectors", true},
	} {
		opt := evd.Options{Vectors: true, Distribute: c.distribute, Products: evd.ProductsNative}
		for range c.devices - 1 {
			opt.Devices = append(opt.Devices, machine.Absent{Info: card}.Dry())
		}
		f, unfit, err := machine.Vulkan{}.Forecast(machine.Absent{Info: card}, machine.Task{N: c.n, Evd: opt})
		if err != nil {
			t.Fatal(err)
		}
		if report.Divided(f) != c.parts || (unfit == nil) != c.fits || len(report.DevicesOf(f)) != c.devices {
			t.Errorf("%+v: divides the %s, %v", c, report.Divided(f), unfit)
		}
		for _, d := range report.DevicesOf(f) {
			t.Logf("n = %d, %s: %.1f GB", c.n, report.Divided(f), float64(d.Bytes)/1e9)
		}
	}
}
