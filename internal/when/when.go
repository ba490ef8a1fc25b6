// Package when, internal to vkevd, for tests only, lets each test say when it runs. The environment
// variable VKEVD_TESTS says what kind of run this is, with words such as "quick" or "long,validation".
// A run without words is that of make test and of a plain go test: all tests but the long ones.
package when

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// Runs is a set of kinds of runs.
type Runs uint

const (
	Quick      Runs = 1 << iota // make test-quick: what finds most defects in two minutes
	Race                        // the race detector, for code on the host with several goroutines
	Validation                  // the validation layers, which want each kernel and each copy once
	Widths                      // another vector width of the CPU driver, for kernels with subgroups
	Vulkango                    // the other Go binding of Vulkan
	Single                      // a device without double precision and without 64-bit atomic operations
	GPUAV                       // the checks of the validation layers in shaders, which compile slowly
	long

	// Slow are the runs that test bindings, threads and pointers, and not numbers.
	Slow = Race | Validation | Vulkango
)

var words = map[string]Runs{
	"quick": Quick, "long": long, "race": Race, "validation": Validation, "widths": Widths, "vulkango": Vulkango,
}

// now returns the kind of this run. It reads the variable when a test asks, not before the tests begin:
// only then go test knows that a stored result depends on the variable.
var now = sync.OnceValue(func() Runs { return parse(os.Getenv("VKEVD_TESTS")) })

func parse(list string) (r Runs) {
	for _, word := range strings.FieldsFunc(list, func(c rune) bool { return c == ',' }) {
		if words[word] == 0 {
			panic(fmt.Sprintf("VKEVD_TESTS=%s has the unknown word %q", list, word))
		}
		r |= words[word]
	}
	return r
}

// Long is for a test that runs only in make test-long. The reason names what runs the same code in
// make test.
func Long(t testing.TB, reason string) {
	t.Helper()
	skip(t, now() != long, reason)
}

// Many is for a test that runs the same kernels many times with other numbers. It is left out where
// numbers do not matter (see Slow), and of quick runs.
func Many(t testing.TB, reason string) {
	t.Helper()
	skip(t, now()&(Slow|Quick) != 0, reason)
}

// Skip is for a test that is not worth its time in some kinds of runs. Long runs do not skip it.
func Skip(t testing.TB, runs Runs, reason string) {
	t.Helper()
	skip(t, now()&runs != 0 && now()&long == 0, reason)
}

// Pick is for a test that is worth its time in kinds of runs that pick a few tests of a package. It
// does nothing itself: tools/picked.sh finds its calls in the source.
func Pick(testing.TB, Runs) {}

func skip(t testing.TB, skipped bool, reason string) {
	t.Helper()
	if skipped {
		t.Skip(reason)
	}
}
