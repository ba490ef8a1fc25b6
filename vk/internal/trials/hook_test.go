package trials

import (
	"hash/maphash"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// A call is one driver call with the place in the program that made it. `near` and `far` are hashes
// of this place: `near` of the stack frames in the packages vk and driver, `far` of the stack
// frames in all packages of the module.
type call struct {
	number int
	name   string
	near   uint64
	far    uint64
	run    bool // made by Device.Run or a solve of a plan, so the error must name the phase
	kernel bool // made for one kernel, so the error must name the kernel

	// prepares says that the call belongs to the preparation of a plan within a solve. Such a call
	// has no phase. restores says that the call allocates the plan's own memory again after a cold
	// solve, a solve without the approximate vectors of a refinement. If the call fails, the next
	// solve allocates the memory.
	prepares, restores bool
}

// hook passes each driver call to the function `seen`, for tests. Several goroutines may make
// driver calls at the same time.
type hook struct {
	lock  sync.Mutex
	calls int
	seen  func(call) driver.Result
}

// watch installs a test hook: the function `see` gets each driver call, and returns the result that
// the call has in the test. The hook is removed when the test ends, or when the caller calls the
// returned function `end`.
func watch(t *testing.T, see func(call) driver.Result) (end func()) {
	t.Helper()
	h := &hook{seen: see}
	driver.Fault = h.at
	end = func() { driver.Fault = nil }
	t.Cleanup(end)
	return end
}

func (h *hook) at(name string) driver.Result {
	h.lock.Lock()
	defer h.lock.Unlock()
	c := call{number: h.calls, name: name}
	c.locate()
	h.calls++
	return h.seen(c)
}

var seed = maphash.MakeSeed()

const module = "github.com/vkevd/vkevd/"

// place is a line of the source. It is not a program counter, which would be different in each
// instance of a generic function.
type place struct {
	function string
	line     int
}

// locate computes hashes of the place in the program that made the driver call, from the stack.
func (c *call) locate() {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var hash maphash.Hash
	hash.SetSeed(seed)
	for {
		f, more := frames.Next()
		room := strings.TrimPrefix(f.Function, module)
		if c.near == 0 && !strings.HasPrefix(room, "vk.") && !strings.HasPrefix(room, "vk/internal/driver.") {
			c.near = hash.Sum64()
		}
		if !more || strings.HasPrefix(room, "vk/internal/trials.") {
			c.far = hash.Sum64()
			return
		}
		c.run = c.run || room == "vk.(*Device).Run" || room == "evd.(*RefinePlan[...]).Refine" || room == "evd.(*MixedPlan[...]).Solve" ||
			strings.HasPrefix(room, "evd.(*Plan[") && strings.HasSuffix(room, "]).Solve")
		c.prepares = c.prepares || strings.HasPrefix(room, "evd.NewPlan[") || room == "evd/internal/plan.(*Base).Replace"
		c.restores = c.restores || strings.HasPrefix(room, "evd.(*refineCall[...]).solveCold.func")
		c.kernel = c.kernel || room == "vk/internal/driver.(*Device).NewPipeline"
		maphash.WriteComparable(&hash, place{f.Function, f.Line})
	}
}
