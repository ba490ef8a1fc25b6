package evd

import (
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
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
