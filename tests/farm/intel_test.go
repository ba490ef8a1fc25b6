package farm

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tests in this file compile kernels for a GPU of Intel. Mesa's driver for Intel needs a GPU,
// because it has no null devices. A library made from testdata/intel_stub.c therefore takes the
// place of the GPU's driver in the Linux kernel.

// intelGPU is the PCI number of an HD Graphics 530 (Gen9, 2015). Gen9 is the last generation before
// Xe2 that computes with doubles. The test cannot describe an Xe2 GPU to Mesa's driver, because
// testdata/intel_stub.c, which stands for the Linux kernel's driver, does not answer all requests
// that Mesa makes for Xe2.
const intelGPU = "1912"

// spillOnIntel are kernels that have too few registers on an HD Graphics 530 with some sizes, and
// need scratch memory. This is allowed, because the kernels were not tuned for this GPU: see
// docs/amd-static.md.
var spillOnIntel = []string{
	"emulated_product_dot", "emulated_product_dot_complex", "emulated_product_matrix",
	"emulated_product_matrix_complex", "gemm", "gemm_batch", "gemm_c128", "gemm_c64", "gemm_f32",
	"geqrf_panel_column_c128", "geqrf_panel_column_f32", "geqrf_panel_first",
	"geqrf_panel_first_c128", "geqrf_panel_first_f32", "orgtr_q2", "ormtr_q2_teams",
	"ormtr_q2_teams_c128", "ormtr_q2_teams_c64", "ormtr_q2_teams_f32", "sb2st_chase",
	"sb2st_chase_c128", "sb2st_chase_c64", "sb2st_chase_f32", "sb2st_wave", "sb2st_wave_c128",
	"sb2st_wave_c64", "stedc_deflate", "stedc_multiply", "symm", "symm_c128", "symm_c64",
	"symm_columns", "symm_columns_c128", "symm_columns_c64", "syr2k", "syr2k_c128", "syr2k_c64",
	"tb2bd_chase", "tb2bd_wave", "tb2tb_chase", "tb2tb_wave",
}

// TestKernelsOnIntel checks that every kernel compiles with all sizes of Intel's tuning table, and
// that the device has enough shared memory. Exactly the kernels in spillOnIntel must need scratch
// memory in addition to their own arrays.
func TestKernelsOnIntel(t *testing.T) {
	if os.Getenv("VKEVD_FARM") == "" {
		t.Skip("set VKEVD_FARM=all; make test-long does")
	}
	made := compileForIntel(t).Variants[0]
	if len(made.Kernels) < fewest {
		t.Errorf("%d kernels, want at least %d", len(made.Kernels), fewest)
	}
	spill := map[string]bool{}
	for _, k := range made.Kernels {
		scratch, tells := statistic(k, "Scratch Memory Size")
		shared, tellsShared := statistic(k, "Workgroup Memory Size")
		if !tells || !tellsShared || int(shared) > made.Limit {
			t.Errorf("%v: %v bytes of shared memory, at most %d; all statistics: %v", k, shared, made.Limit, k.List)
		}
		if scratch > float64(k.Memory) {
			spill[k.Kernel] = true
		}
	}
	if got := slices.Sorted(maps.Keys(spill)); !slices.Equal(got, spillOnIntel) {
		t.Errorf("kernels with scratch memory: %v, want %v", got, spillOnIntel)
	}
}

// compileForIntel compiles all kernels with Intel's tuning table. The test is skipped if the driver
// or a C compiler is missing, or if the driver does not accept the library made from
// testdata/intel_stub.c.
func compileForIntel(t *testing.T) report {
	t.Helper()
	file := installed(t, "intel_icd*.json", "Mesa's driver for Intel")
	stub := filepath.Join(t.TempDir(), "stub.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", stub, "testdata/intel_stub.c").CombinedOutput(); err != nil {
		t.Skipf("the stub cannot be compiled: %v\n%s", err, out)
	}
	extra := []string{"VK_DRIVER_FILES=" + file, "LD_PRELOAD=" + stub, "INTEL_STUB_DEVICE=" + intelGPU, firstVariable + "=1"}
	r, messages, err := compileIn(append(cleared(), extra...), "intel")
	if err != nil && strings.Contains(messages, "no usable Vulkan device") {
		t.Skipf("the installed Mesa does not accept the stub: %s", messages)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, messages)
	}
	t.Logf("%s, %s, subgroups of %d", r.Device, r.Driver, r.Subgroup)
	return r
}
