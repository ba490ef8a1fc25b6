package evd

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// opened counts the devices that each test has opened, by the test's name.
var opened sync.Map

// DeviceName returns the device in VKEVD_DEVICE. This may be a list ("0,1"): the devices that a
// test opens one after another are those of the list, in turn.
func DeviceName(t testing.TB) string {
	count, _ := opened.LoadOrStore(t.Name(), new(atomic.Int32))
	list := strings.Split(os.Getenv("VKEVD_DEVICE"), ",")
	return list[int(count.(*atomic.Int32).Add(1)-1)%len(list)]
}

// idle holds open devices that no test uses, by their options. Most of the time of these tests is
// that of compiling kernels, and a device keeps its kernels.
var idle struct {
	sync.Mutex
	devices map[string][]*lent
}

type lent struct {
	*vk.Device
	waits string // what the device remembered about waits when it was opened
	tests int
}

// lentTests is the number of tests after which a device is opened anew if the validation layers are
// on: see package stagetest.
const lentTests = 8

// Lend returns an open device that no other test uses until this one ends. A device that has seen a
// failed test, or a wait that failed, is not lent again. Options must not have a Logger or a
// CacheDir. The test must not close the device.
func Lend(t testing.TB, opt vk.Options) *vk.Device {
	t.Helper()
	opt.Device = DeviceName(t)
	key := fmt.Sprintf("%+v", opt)
	idle.Lock()
	defer idle.Unlock()
	var d *lent
	if free := idle.devices[key]; len(free) > 0 {
		d, idle.devices[key] = free[0], free[1:]
	} else {
		dev, err := vk.Open(opt)
		if err != nil {
			t.Fatal(err)
		}
		d = &lent{Device: dev, waits: waits(dev)}
	}
	t.Cleanup(func() {
		d.tests++
		layers := os.Getenv("VK_INSTANCE_LAYERS") != ""
		if t.Failed() || waits(d.Device) != d.waits || layers && d.tests == lentTests {
			d.Close()
			return
		}
		idle.Lock()
		defer idle.Unlock()
		if idle.devices == nil {
			idle.devices = map[string][]*lent{}
		}
		idle.devices[key] = slices.Insert(idle.devices[key], 0, d)
	})
	return d.Device
}

// waits describes what is stored about the device: which waits between workgroups may fail.
func waits(d *vk.Device) string {
	m := machine.Of(d)
	may, err := m.MayWait(context.Background(), false)
	return fmt.Sprint(may, err, m.MeetingFailed())
}
