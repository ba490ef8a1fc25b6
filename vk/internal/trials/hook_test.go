package trials

import (
	"hash/maphash"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// A call is one driver call: its number from 0, its name, and where in the program it was
// made, once as far as the rooms vk and driver know it, once through all of the library.
type call struct {
	number int
	name   string
	near   uint64
	far    uint64
	run    bool // made by Device.Run or Plan.Solve, which know their phase
	kernel bool // about one kernel
}

// hook lets see every driver call; calls come from several goroutines at once.
type hook struct {
	lock  sync.Mutex
	calls int
	seen  func(call) driver.Result
}

// watch sends every driver call through see until the test, or the returned function, ends it.
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

// place is a line of the source: a program counter would tell the instances of one generic function
// apart.
type place struct {
	function string
	line     int
}

// locate finds the call's sites: hashes of the stack.
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
		c.run = c.run || room == "vk.(*Device).Run" || strings.HasPrefix(room, "evd.(*Plan[") && strings.HasSuffix(room, "]).Solve")
		c.kernel = c.kernel || room == "vk/internal/driver.(*Device).NewPipeline"
		maphash.WriteComparable(&hash, place{f.Function, f.Line})
	}
}
