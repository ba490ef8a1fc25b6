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

// chip is a GPU, under RADV's name.
type chip struct{ name, what string }

// chips are in the table: one of each generation with users, and an integrated GPU.
var chips = []chip{
	{"navi31", "RDNA 3: RX 7900"},
	{"navi21", "RDNA 2: RX 6800, 6900"},
	{"gfx1201", "RDNA 4: RX 9070"},
	{"vega10", "GCN 5: RX Vega, MI25"},
	{"phoenix", "RDNA 3, integrated: Radeon 780M"},
}

// others are compiled for by make test-long.
var others = []string{
	"polaris10", "vega20", "mi100", "mi200", "navi10", "navi14", "navi22", "navi23", "navi24", "navi32", "navi33",
	"raven", "renoir", "vangogh", "rembrandt", "raphael_mendocino", "phoenix2", "gfx1150", "gfx1151", "gfx1200",
}

// report is what a compiler made of the kernels for one chip.
type report struct {
	Driver   string // name and version of the driver
	Device   string // what it calls the chip
	Subgroup int
	Variants []compiled // in the order of variants
}

// compiled are the kernels that one table of sizes leads to.
type compiled struct {
	Limit   int // bytes of shared memory
	Kernels []vk.KernelStatistics
}

const (
	chipVariable  = "VKEVD_FARM_CHIP"
	firstVariable = "VKEVD_FARM_FIRST" // compile for the first variant only
)

// TestMain makes the process one that compiles for a chip, if a test has started it for that.
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

// driver is the loader's file for Mesa's driver for AMD. A test is skipped where there is none.
func driver(t *testing.T) string {
	t.Helper()
	return installed(t, "radeon_icd*.json", "Mesa's driver for AMD")
}

// installed is the loader's file for a driver.
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

// cleared is the environment of a process that compiles, without a driver. Options of the loader and
// of the compilers do not count, nor do kernels that were compiled earlier.
func cleared() []string {
	others := []string{"VK_", "VKEVD_", "RADV_", "ACO_", "AMD_", "INTEL_", "ANV_", "MESA_", "NIR_"}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return slices.ContainsFunc(others, func(begin string) bool { return strings.HasPrefix(v, begin) })
	})
	return append(env, "MESA_SHADER_CACHE_DISABLE=true")
}

// environment is that of a process which sees only the null device of a chip.
func environment(t *testing.T, chip string) []string {
	t.Helper()
	return append(cleared(), "VK_DRIVER_FILES="+driver(t), "RADV_FORCE_FAMILY="+chip)
}

// reports are those made so far, by chip: several tests read them.
var reports struct {
	sync.Mutex
	made map[string]report
}

// compileFor compiles everything for a chip. A test is skipped where the driver does not know it.
func compileFor(t *testing.T, chip string) report {
	t.Helper()
	reports.Lock()
	defer reports.Unlock()
	if r, ok := reports.made[chip]; ok {
		return r
	}
	r, messages, err := compileIn(environment(t, chip), chip)
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

// compileIn compiles in a process with an environment. It returns what the process wrote as messages,
// too.
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
