package plan

import (
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestMemoryIsWhatIsAllocated checks that the methods Bytes and Memory of a Base describe the
// memory that is allocated, and not a forecast. On a device that checks memory accesses, the
// allocation differs from the forecast, because its regions share no bytes. After Close, both
// methods return the forecast.
func TestMemoryIsWhatIsAllocated(t *testing.T) {
	dev, err := vk.Open(vk.Options{DebugShaders: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x, y := vk.Reserve[float64]("x", 1000), vk.Reserve[float64]("y", 1000)
	b := &Base{Dev: dev, N: 1, Layout: vk.InTurn(x, y)}
	forecast := b.Bytes()
	if err := b.Allocate(); err != nil {
		t.Fatal(err)
	}
	at := func() (x, y uint64) { m := b.Memory(); return m[0].Offset, m[1].Offset }
	if from, to := at(); b.Bytes() != b.arena.Bytes() || b.Bytes() <= forecast || from == to {
		t.Errorf("%d bytes at %d and %d; %d are allocated, the forecast is %d", b.Bytes(), from, to, b.arena.Bytes(), forecast)
	}
	b.Close()
	if from, to := at(); b.Bytes() != forecast || from != to {
		t.Errorf("closed: %d bytes at %d and %d, the forecast is %d", b.Bytes(), from, to, forecast)
	}
}
