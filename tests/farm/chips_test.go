package farm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// chip is a GPU. `name` is its name in Mesa's driver RADV, and `what` describes the GPU.
type chip struct{ name, what string }

// chips are the GPUs in docs/data/amd.csv: GPUs of four generations, and an integrated GPU.
var chips = []chip{
	{"navi31", "RDNA 3: RX 7900"},
	{"navi21", "RDNA 2: RX 6800, 6900"},
	{"gfx1201", "RDNA 4: RX 9070"},
	{"vega10", "GCN 5: RX Vega, MI25"},
	{"phoenix", "RDNA 3, integrated: Radeon 780M"},
}

// others are AMD's GPUs in addition to those of the list `chips`. Only make test-long compiles
// kernels for them.
var others = []string{
	"polaris10", "vega20", "mi100", "mi200", "navi10", "navi14", "navi22", "navi23", "navi24", "navi32", "navi33",
	"raven", "renoir", "vangogh", "rembrandt", "raphael_mendocino", "phoenix2", "gfx1150", "gfx1151", "gfx1200",
}

// report is the result of compiling all kernels for one GPU: the statistics of each kernel.
type report struct {
	Driver   string // name and version of the driver
	Device   string // the driver's name of the chip
	Subgroup int
	Variants []compiled // in the order of variants
}

// compiled holds the kernels that a device uses with one tuning table, and the compiler's
// statistics of each.
type compiled struct {
	Limit   int // bytes of shared memory
	Kernels []vk.KernelStatistics

	// Paged holds the variants of these kernels for regions that lie in several buffers.
	Paged []vk.KernelStatistics
}

const (
	chipVariable  = "VKEVD_FARM_CHIP"
	firstVariable = "VKEVD_FARM_FIRST" // compile for the first variant only
	pagedVariable = "VKEVD_FARM_PAGED" // also compile the kernels' variants for paged regions
)

// TestMain runs the tests. A test may start this program again as a child process, with the name of
// a GPU in VKEVD_FARM_CHIP. TestMain then compiles for this GPU and prints the report.
func TestMain(m *testing.M) {
	name := os.Getenv(chipVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	r, err := compileAll()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// driver returns the path of the file by which the Vulkan loader finds Mesa's driver for AMD. If
// the file does not exist, the test is skipped.
func driver(t *testing.T) string {
	t.Helper()
	return installed(t, "radeon_icd*.json", "Mesa's driver for AMD")
}

// installed returns the path of the file by which the Vulkan loader finds a driver. If the file
// does not exist, the test is skipped.
func installed(t *testing.T, file, what string) string {
	t.Helper()
	for _, folder := range []string{"/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"} {
		if found, _ := filepath.Glob(filepath.Join(folder, file)); len(found) > 0 {
			return found[0]
		}
	}
	t.Skipf("%s is not installed (mesa-vulkan-drivers): nothing is compiled for these GPUs", what)
	return ""
}

// cleared returns the environment for a process that compiles kernels. It is the environment of the
// test without options of the loader and of compilers, without a cache of kernels, and without a
// driver. The caller adds the driver.
func cleared() []string {
	others := []string{"VK_", "VKEVD_", "RADV_", "ACO_", "AMD_", "INTEL_", "ANV_", "MESA_", "NIR_"}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return slices.ContainsFunc(others, func(begin string) bool { return strings.HasPrefix(v, begin) })
	})
	return append(env, "MESA_SHADER_CACHE_DISABLE=true")
}

// environment returns the environment of a process that sees only one device: a null device for the
// named GPU, which has a compiler but no hardware.
func environment(t *testing.T, chip string) []string {
	t.Helper()
	return append(cleared(), "VK_DRIVER_FILES="+driver(t), "RADV_FORCE_FAMILY="+chip)
}

// reports holds the reports that this process has already made, by the name of the GPU. Several
// tests use the same reports.
var reports struct {
	sync.Mutex
	made map[string]report
}

// paged tells whether the variants for paged regions are compiled for a GPU. They take as long as
// the kernels themselves.
func paged(chip string) bool { return chip == chips[0].name || os.Getenv("VKEVD_FARM") != "" }

// compileFor compiles all kernels for a GPU and returns their statistics. If the driver does not
// know the GPU, the test is skipped.
func compileFor(t *testing.T, chip string) report {
	t.Helper()
	reports.Lock()
	defer reports.Unlock()
	if r, ok := reports.made[chip]; ok {
		return r
	}
	env := environment(t, chip)
	if paged(chip) {
		env = append(env, pagedVariable+"=1")
	}
	r, messages, err := compileIn(env, chip)
	if unknown := strings.Contains(messages, "Unknown family"); unknown {
		t.Skipf("the installed Mesa does not know %s", chip)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, messages)
	}
	if reports.made == nil {
		reports.made = map[string]report{}
	}
	reports.made[chip] = r
	return r
}

// compileIn compiles all kernels in a child process with the environment `env`. It returns the
// report, and the messages that the process printed.
func compileIn(env []string, chip string) (r report, messages string, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, "", err
	}
	cmd := exec.Command(self)
	cmd.Env = append(env, chipVariable+"="+chip)
	var out, written bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &written
	if err := cmd.Run(); err != nil {
		return r, written.String(), err
	}
	return r, written.String(), json.Unmarshal(out.Bytes(), &r)
}
