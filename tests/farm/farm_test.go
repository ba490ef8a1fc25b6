package farm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestKernelsOnAMD checks that every kernel compiles for each chip, with all sizes that a tuning
// table chooses. A kernel must not need scratch memory in addition to its own arrays, because it
// would then have too few registers. It must not need more shared memory than a workgroup has.
func TestKernelsOnAMD(t *testing.T) {
	for _, c := range allChips() {
		t.Run(c.name, func(t *testing.T) {
			r := compileFor(t, c.name)
			t.Logf("%s, %s", r.Device, r.Driver)
			for i, made := range r.Variants {
				if len(made.Kernels) < fewest {
					t.Errorf("table %q leads to %d kernels, want at least %d", variants[i].name, len(made.Kernels), fewest)
				}
				checkLimits(t, c.name, variants[i], made.Kernels, made.Limit)
			}
		})
	}
}

// spillOnGCN is a kernel that may need scratch memory on chips of GCN and CDNA, for which its sizes
// were not tuned. Their subgroups have 64 invocations.
const spillOnGCN = "sb2st_chase_c128"

var gcn = []string{"vega10", "polaris10", "vega20", "mi100", "mi200", "raven", "renoir"}

// TestPagedKernelsOnAMD checks the variants of all kernels for regions that lie in several buffers,
// as TestKernelsOnAMD checks the kernels. Unless VKEVD_FARM is set, it does so for one chip.
func TestPagedKernelsOnAMD(t *testing.T) {
	for _, c := range allChips() {
		if !paged(c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			for i, made := range compileFor(t, c.name).Variants {
				if len(made.Paged) != len(made.Kernels) {
					t.Errorf("table %q: %d variants of %d kernels", variants[i].name, len(made.Paged), len(made.Kernels))
				}
				checkLimits(t, c.name, variants[i], made.Paged, made.Limit)
			}
		})
	}
}

// allChips lists the chips in docs/data/amd.csv, and all others if VKEVD_FARM is set.
func allChips() []chip {
	list := slices.Clone(chips)
	if os.Getenv("VKEVD_FARM") != "" {
		for _, name := range others {
			list = append(list, chip{name, "VKEVD_FARM"})
		}
	}
	return list
}

// checkLimits reports kernels of a tuning table that need more than the chip has. `shared` is the
// shared memory of a workgroup in bytes.
func checkLimits(t *testing.T, chip string, table variant, kernels []vk.KernelStatistics, shared int) {
	t.Helper()
	for _, k := range kernels {
		for _, p := range problems(k, shared) {
			if k.Kernel == spillOnGCN && slices.Contains(gcn, chip) && slices.Contains([]string{"Scratch size", "Spilled VGPRs"}, p.what) {
				continue
			}
			t.Errorf("table %q: %v: %s is %v, at most %v", table.name, k, p.what, p.is, p.most)
		}
	}
}

// fewest is the smallest number of different kernels that each tuning table must choose. Kernels
// with different sizes count as different.
const fewest = 70

// problem is a number in a compiler's statistics that is larger than allowed, such as bytes of
// scratch memory.
type problem struct {
	what     string
	is, most float64
}

// problems compares a kernel's statistics with the allowed values. A statistic that the driver does
// not report is a problem, too.
func problems(k vk.KernelStatistics, shared int) (list []problem) {
	for _, limit := range []problem{
		{what: "Scratch size", most: float64(k.Memory)}, {what: "Spilled VGPRs"},
		{what: "LDS size", most: float64(shared)}, {what: "VGPRs", most: 256},
	} {
		value, ok := statistic(k, limit.what)
		if limit.is = value; !ok {
			limit.what += ", which the driver does not give,"
		}
		if !ok || value > limit.most {
			list = append(list, limit)
		}
	}
	return list
}

// statistic returns the value of the statistic with this name in the driver. The result `ok` is
// false if there is no such statistic.
func statistic(k vk.KernelStatistics, name string) (value float64, ok bool) {
	i := slices.IndexFunc(k.List, func(s vk.Statistic) bool { return s.Name == name })
	if i < 0 {
		return 0, false
	}
	return k.List[i].Value, true
}

// TestProblemsAreSeen checks that the function `problems` finds each statistic that is too large,
// and each statistic that is missing.
func TestProblemsAreSeen(t *testing.T) {
	of := func(scratch, spilled, lds, vgprs float64) vk.KernelStatistics {
		return vk.KernelStatistics{Memory: 8, List: []vk.Statistic{
			{Name: "Scratch size", Value: scratch}, {Name: "Spilled VGPRs", Value: spilled},
			{Name: "LDS size", Value: lds}, {Name: "VGPRs", Value: vgprs},
		}}
	}
	for _, c := range []struct {
		k    vk.KernelStatistics
		want []string
	}{
		{of(8, 0, 100, 256), nil}, {of(9, 0, 100, 256), []string{"Scratch size"}}, {of(0, 1, 0, 0), []string{"Spilled VGPRs"}},
		{of(0, 0, 101, 0), []string{"LDS size"}}, {of(0, 0, 0, 257), []string{"VGPRs"}},
	} {
		var got []string
		for _, p := range problems(c.k, 100) {
			got = append(got, p.what)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.k.List, got, c.want)
		}
	}
	if n := len(problems(vk.KernelStatistics{}, 100)); n != 4 {
		t.Errorf("%d problems without statistics, want 4", n)
	}
}

// notChosen names kernels that no plan uses with the tuning tables for AMD's GPUs or for GPUs of
// unknown vendors.
var notChosen = []string{
	"geqrf_panel_whole", "ormtr_q2_flags", "sb2st_teams", "sytrd", "latrd", // only in NVIDIA's tables
	"sb2st_log", "sb2st_teams_log", "tb2bd_log", "probe_numerics", "probe_numerics_f32", // only in tests
	"geqrf_panel_whole_c128", "ormtr_q2_flags_c128", "sytrd_c128", "latrd_c128", // the same for complex numbers
	"geqrf_panel_whole_c64", "ormtr_q2_flags_c64", "sytrd_c64", "latrd_c64",
	// Only for back transformation 2 by emulated products of complex numbers.
	"laset_c128", "laset_c64", "orgtr_q2_c128", "orgtr_q2_c64",
	"geqrf_panel_whole_f32", "ormtr_q2_flags_f32", "sb2st_teams_f32", "sytrd_f32", "latrd_f32", // the same in single precision
	"orgtr_q2_f32", // only for emulated products, which are in double precision
	"sb2st_log_f32", "sb2st_teams_log_f32", "tb2bd_log_f32", "tb2bd_log_f16",
	"lacgv", "lacgv_f32", // only for complex numbers
	"peak_dot", "peak_matrix", // only in vkevd bench
	"peak_fma_f32", "random_fill_f32", "random_sweeps_f32", "random_trapezoid_f32",
	// Singular values are computed in double precision unless a caller asks for another storage of
	// a band. So their kernels for single and half precision are in no table.
	"ge2tb_lower_f32", "laset_f32", "tb2bd_bidiagonal_f32", "tb2bd_chase_f32", "tb2bd_wave_f32",
	"tb2tb_chase_f32", "tb2tb_wave_f32", "tb2bd_bidiagonal_f16", "tb2bd_chase_f16", "tb2bd_wave_f16", "tb2tb_chase_f16",
	"tb2tb_wave_f16", "transpose_f16", "hlag2d", "slag2h",
	"emulated_order", "emulated_product_matrix_narrow", "emulated_product_matrix_complex_narrow", // only in FindUnits; only for matrix units of a CPU
}

// TestEveryKernelIsCompiled checks that every kernel is compiled here or listed in notChosen, so
// that nobody forgets a new kernel.
func TestEveryKernelIsCompiled(t *testing.T) {
	compiled := map[string]bool{}
	for _, made := range compileFor(t, chips[0].name).Variants {
		for _, k := range made.Kernels {
			compiled[k.Kernel] = true
		}
	}
	files, err := filepath.Glob("../../shaders/spv/*.spv")
	if err != nil || len(files) < 50 {
		t.Fatalf("only %d modules, %v", len(files), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".spv")
		if not := slices.Contains(notChosen, name); not == compiled[name] {
			t.Errorf("%s: compiled %v, in the list of kernels that no table chooses %v", name, compiled[name], not)
		}
	}
}
