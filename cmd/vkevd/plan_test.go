package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

const planOf1000 = `
total on the device                                   16000000  15.3 MiB
matrix, vectors on the host                            8000000  7.6 MiB

stage                                   flops          seconds
band reduction                       1.33e+09           0.0197
bulge chasing                           6e+06            0.003  2992 steps in a row and 8 while sweeps wait
total                                1.34e+09           0.0227
`

func TestPlan(t *testing.T) {
	s := newFixture(t)
	s.machine.measured = probe.Rates{FP64: 2e11, FP32: 4e11}
	stdout, stderr, status := s.run("plan", "--n", "1000", "--device", "pre", "--band", "16", "--block", "64")
	want := "It fits: 15.3 MiB of 2.0 GiB, with vectors. About 0.023 s on the device, by its measured rate of 200 GFLOP/s.\n\n" +
		"device                       Pretence 9000, 2.0 GiB free\n" + planOf1000
	if stdout != want || stderr != "" || status != cli.StatusSuccess {
		t.Errorf("status %d, %q\n%s\nwant\n%s", status, stderr, stdout, want)
	}
	stdout, _, _ = s.run("plan", "--n", "1000", "--device", "pre", "--verbose")
	if !strings.Contains(stdout, "\nregion                                 offset            bytes\nA                                           0          8000000\n") {
		t.Errorf("--verbose prints no regions:\n%s", stdout)
	}
	s.machine.wanted = s.machine.wanted[:1]
	if word := s.machine.opened[0].Device; word != "pre" {
		t.Errorf("opened %q", word)
	}
	if opt := s.machine.wanted[0]; opt.Band != 16 || opt.Block != 64 || !opt.Vectors {
		t.Errorf("planned with %+v", opt)
	}
	if s.run("plan", "-n", "1000", "--values-only"); s.machine.wanted[1].Vectors {
		t.Error("--values-only planned vectors")
	}
}

// TestPlanTellsProducts checks that, for a large order, vkevd plan prints how the solve computes
// matrix products. It also checks which products the flags ask for.
func TestPlanTellsProducts(t *testing.T) {
	s := newFixture(t)
	s.machine.chosen, s.machine.emulates = probe.Products{Emulated: true, Why: "they are faster"}, true
	stdout, _, status := s.run("plan", "-n", "3000")
	if status != cli.StatusSuccess || !strings.Contains(stdout, "\nproducts                     emulated: they are faster\n") {
		t.Errorf("status %d, %q", status, stdout)
	}
	for _, flag := range []string{"--precision=f32", "--tridiagonal"} {
		if stdout, _, _ := s.run("plan", "-n", "3000", flag); !strings.Contains(stdout, "total") || strings.Contains(stdout, "products") {
			t.Errorf("%s: there is no choice of products:\n%s", flag, stdout)
		}
	}
	s.machine.wanted = s.machine.wanted[:1]
	s.run("plan", "-n", "3000", "--products", "native")
	s.run("plan", "-n", "1000")
	for i, want := range []evd.Products{evd.ProductsAuto, evd.ProductsNative, evd.ProductsAuto} {
		if have := s.machine.wanted[i].Products; have != want {
			t.Errorf("plan %d has %v products", i, have)
		}
	}
}

// TestPlanTellsProductsOfSVD is TestPlanTellsProducts for singular values. The choice depends on
// the smaller dimension of the matrix, which is the number of singular values. The test also checks
// that vkevd svd passes the flags for products to the library.
func TestPlanTellsProductsOfSVD(t *testing.T) {
	s := newFixture(t)
	s.machine.chosen, s.machine.emulates = probe.Products{Emulated: true, Why: "they are faster"}, true
	stdout, _, status := s.run("plan", "--svd", "-n", "3000", "--m", "4000")
	if status != cli.StatusSuccess || !strings.Contains(stdout, "\nproducts                     emulated: they are faster\n") {
		t.Errorf("status %d, %q", status, stdout)
	}
	if stdout, _, _ := s.run("plan", "--svd", "-n", "3000", "--m", "2000"); strings.Contains(stdout, "emulated") {
		t.Errorf("2000 singular values: %q", stdout)
	}
	s.run("plan", "--svd", "-n", "3000", "--products", "native")
	s.run("plan", "--svd", "-n", "10", "--products", "emulated")
	s.file("A.mtx", threeFour)
	s.run("svd", "A.mtx")
	s.run("svd", "--products", "emulated", "--moduli", "15", "A.mtx")
	for i, want := range []svd.Options{
		{}, {}, {Products: evd.ProductsNative}, {Products: evd.ProductsEmulated}, {}, {Products: evd.ProductsEmulated, Moduli: 15},
	} {
		if have := s.machine.singular[i]; have.Products != want.Products || have.Moduli != want.Moduli {
			t.Errorf("plan %d has %v products, %d moduli", i, have.Products, have.Moduli)
		}
	}
	s.fails(cli.StatusInput, "--products: \"fast\" is not auto, native or emulated; see vkevd svd --help", "svd", "--products", "fast", "A.mtx")
}

func TestPlanThatDoesNotFit(t *testing.T) {
	s := newFixture(t)
	stdout, stderr, status := s.run("plan", "-n", "20000")
	const says = "vkevd: n = 20000 on Pretence 9000: the workspace needs 6.0 GiB of device memory, 2.0 GiB is free"
	if lastLine(stderr) != says || status != cli.StatusDevice || !strings.Contains(stdout, "6400000000  6.0 GiB\n") ||
		!strings.HasPrefix(stdout, "It does not fit: 6.0 GiB, with vectors, and 2.0 GiB free.\n  would fit: ") || !strings.Contains(stdout, "  would fit: n = 11500, 2.0 GiB\n  may fit: several devices (--device all), or an MPI job (--engine elpa)\n") {
		t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
	}
}

// TestPlanNamesWhatIsAllowed plans problems that several devices or an MPI job do not solve.
func TestPlanNamesWhatIsAllowed(t *testing.T) {
	s := newFixture(t)
	for flags, want := range map[string]string{
		"--svd": "", "--start": "", "--b": "", "--precision mixed": "",
		"--complex": "  may fit: several devices (--device all)\n",
	} {
		stdout, stderr, status := s.run(append([]string{"plan", "-n", "40000"}, strings.Fields(flags)...)...)
		if status != cli.StatusDevice || strings.Contains(stdout, "may fit") != (want != "") || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d\n%s\n%s", flags, status, stdout, stderr)
		}
	}
}

func TestPlanWithoutADevice(t *testing.T) {
	s := newFixture(t)
	s.machine.openErr = fmt.Errorf("%w: no loader", vk.ErrNoDevice)
	stdout, stderr, status := s.run("plan", "-n", "1000")
	const note = "device                       none here (no usable Vulkan device: no loader); the plan is for a typical one\n\ntotal "
	if !strings.HasPrefix(stdout, note) || strings.Contains(stdout, "seconds") || stderr != "" || status != cli.StatusSuccess {
		t.Errorf("status %d, %q\n%s", status, stderr, stdout)
	}
	s.fails(cli.StatusDevice, "no usable Vulkan device: no loader", "plan", "-n", "1000", "--device", "nvidia")
	s.variables["VKEVD_DEVICE"] = "nvidia"
	s.fails(cli.StatusDevice, "no usable Vulkan device: no loader", "plan", "-n", "1000")
}

func TestPlanRefused(t *testing.T) {
	s := newFixture(t)
	s.machine.planErr = &evd.OptionError{Option: "Band", Reason: "must be even"}
	s.fails(cli.StatusInput, "--band: must be even", "plan", "-n", "1000", "--band", "3")
}

// TestPlanJSON checks the JSON of vkevd plan. It must say whether a matrix fits into the memory,
// and if not, why.
func TestPlanJSON(t *testing.T) {
	s := newFixture(t)
	var r planReport
	stdout, _, status := s.run("plan", "-n", "1000", "--json", "-")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != cli.StatusSuccess || r.Fits == nil || !*r.Fits || strings.Contains(stdout, `"m":`) ||
		r.Seconds != 0 || r.Bytes != 16e6 || r.Free != 2<<30 || r.Host != 8e6 || len(r.Memory) != 2 || len(r.Stages) != 2 || !r.Vectors || r.Reason != "" {
		t.Errorf("status %d, %v: %s", status, err, stdout)
	}
	r = planReport{}
	stdout, _, status = s.run("plan", "-n", "20000", "--values-only", "--json", "-")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != cli.StatusDevice || r.Fits == nil || *r.Fits || r.Vectors ||
		r.Reason != "the workspace needs 6.0 GiB of device memory, 2.0 GiB is free" {
		t.Errorf("status %d, %v: %s", status, err, stdout)
	}
	s.machine.measured = probe.Rates{FP64: 2e11, FP32: 4e11}
	for _, c := range []struct {
		args string
		rate float64
	}{{"", 2e11}, {" --precision f32", 4e11}} {
		r = planReport{}
		stdout, _, _ = s.run(strings.Fields("plan -n 1000 --json -" + c.args)...)
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.Rate != c.rate ||
			r.Seconds != r.Stages[0].Seconds+0.003 || r.Stages[0].Seconds != 1000*5.5e-6+4./3*1e9/(0.47*c.rate) {
			t.Errorf("%s: %v: %s", c.args, err, stdout)
		}
	}
	s.machine.openErr = vk.ErrNoDevice
	r = planReport{}
	stdout, _, status = s.run("plan", "-n", "1000", "--json", "-")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != cli.StatusSuccess || r.Fits != nil || !strings.Contains(stdout, `"fits": null`) {
		t.Errorf("without a device: status %d, %v: %s", status, err, stdout)
	}
}

// TestPlanOfManyAndOfARefinement checks the memory that vkevd plan prints in two cases: for a batch
// of many matrices, which is solved in parts, and for a refinement of approximate vectors.
func TestPlanOfManyAndOfARefinement(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	s := newFixture(t)
	s.machine.info.Type, s.machine.info.Family = "cpu", "cpu"
	s.machine.info.SharedBytes, s.machine.info.MaxLocal, s.machine.info.Subgroup = 32<<10, 1024, 8
	s.machine.measured = probe.Rates{FP64: 2e10, FP32: 4e10}
	var all, part, r, values, vectors planReport
	for args, into := range map[string]*planReport{
		"--batch 1000": &part, "--batch 1000000": &all, "--start": &r,
		"--batch 1000 --tridiagonal": &values, "--batch 1000 --tridiagonal --vectors": &vectors,
	} {
		stdout, stderr, status := s.run(append([]string{"plan", "-n", "64", "--json", "-"}, strings.Fields(args)...)...)
		if err := json.Unmarshal([]byte(stdout), into); err != nil || status != cli.StatusSuccess || !(into.Seconds > 0) || stderr != "" {
			t.Errorf("%s: status %d, %v, %s%s", args, status, err, stdout, stderr)
		}
	}
	const matrix = 8 * 64 * 64
	if part.Host != 1000*matrix || all.Host != 1000000*matrix || r.Host != 3*matrix {
		t.Errorf("the host has %d, %d and %d bytes", part.Host, all.Host, r.Host)
	}
	if part.Bytes < 1000*matrix || part.Bytes > 1200*matrix || all.Bytes > 1200<<20 || all.Flops != 1000*part.Flops {
		t.Errorf("a part has %d bytes, all %d; %g and %g operations", part.Bytes, all.Bytes, part.Flops, all.Flops)
	}
	if !r.Start || !r.Vectors || part.Vectors || part.Batch != 1000 {
		t.Errorf("%+v\n%+v", r, part)
	}
	if values.Host != 1000*2*8*64 || vectors.Host != values.Host+1000*matrix || !values.Tridiagonal {
		t.Errorf("tridiagonal: the host has %d and %d bytes", values.Host, vectors.Host)
	}
	if got, want := values.Bytes, uint64(1000*(40*64+68)); got < want || got > want+want/20 {
		t.Errorf("tridiagonal: %d bytes, about %d are documented", got, want)
	}
	if got, want := vectors.Bytes, uint64(1000*(28*64*64+(24+250)*64+68)); got < want*9/10 || got > want+want/10 || !(vectors.Flops < part.Flops*10) {
		t.Errorf("tridiagonal, with vectors: %d bytes, about %d are documented", got, want)
	}
	for args, says := range map[string]string{
		"--batch 0":                           "--batch: 0 is not a number of matrices, at least 1; see vkevd plan --help",
		"--batch 5 --svd":                     "--batch cannot be combined with --svd; see vkevd plan --help",
		"--start --batch 5":                   "--start cannot be combined with --batch; see vkevd plan --help",
		"--start --smallest 5":                "--start cannot be combined with --smallest; see vkevd plan --help",
		"--start --precision f32":             "--start refines to double precision, not to --precision f32; see vkevd plan --help",
		"--batch 5 --vectors --verify":        "--batch cannot be combined with --verify; see vkevd plan --help",
		"--batch 5 --tridiagonal --solver qr": "--batch cannot be combined with --solver; see vkevd plan --help",
		"--batch 5 --smallest 100":            "--smallest: 100 is too many; the number of all eigenvalues is 64",
	} {
		s.fails(cli.StatusInput, says, append([]string{"plan", "-n", "64"}, strings.Fields(args)...)...)
	}
}
