package roomtest

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// Card describes a device by its family and its FP64 rate in flops per second. N is a large order
// for this device.
type Card struct {
	Name, Family string
	Rate         float64
	N            int
}

// SlowCards are devices on which the largest dispatches take longest.
var SlowCards = []Card{
	{"a card for desktops, 1/64 rate", "nvidia", 0.2e12, 20000},
	{"the same card with a very large matrix", "nvidia", 0.2e12, 65536},
	{"an APU", "amd", 0.06e12, 12000},
	{"an APU with a very large matrix", "amd", 0.06e12, 65536},
	{"a large card for desktops", "nvidia", 1.3e12, 32768},
	{"H200", "nvidia", 32e12, 32768},
}

// Dry returns a device that runs nothing and has the card's name and family.
func (c Card) Dry() *vk.Device {
	return vk.Dry(vk.Info{
		Name: c.Name, Family: c.Family, Type: "discrete", Memory: 1 << 40, Free: 1 << 40,
		SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 32,
	})
}

// PerPivot is a ratio: the time of a pivot (one row of a Sturm count), in flops at the rate of
// fused multiply-adds, divided by the number of flops per pivot in the cost estimates. The ratio is
// large, because most of the time of a pivot is a division.
const PerPivot = 8

// Longest is the predicted time of the longest dispatch of each method on a card, in seconds.
type Longest struct {
	card    Card
	seconds map[string]float64
}

func NewLongest(c Card) *Longest { return &Longest{c, map[string]float64{}} }

// Seen returns a function that takes the place of a run on a device. It gets recordings, and keeps
// the predicted time of the longest dispatch of the method `name`, at half of the card's rate. One
// unit of the cost estimates takes `flops` flops.
func (l *Longest) Seen(name string, flops float64) func(context.Context, *vk.Recorder, func(vk.Progress)) (*vk.Profile, error) {
	return func(_ context.Context, rec *vk.Recorder, _ func(vk.Progress)) (*vk.Profile, error) {
		for _, cost := range rec.Estimates() {
			l.seconds[name] = max(l.seconds[name], flops*cost/(l.card.Rate/2))
		}
		return vk.NewProfile(), nil
	}
}

// Check fails the test if a dispatch takes more than 100 ms, or if not exactly `methods` methods
// have recordings.
func (l *Longest) Check(t *testing.T, methods int) {
	t.Helper()
	for name, seconds := range l.seconds {
		t.Logf("%s, n = %d: %s: the longest dispatch takes %.1f ms", l.card.Name, l.card.N, name, 1e3*seconds)
		if !(seconds <= 0.1) {
			t.Errorf("%s, n = %d: a dispatch of %s takes %.0f ms", l.card.Name, l.card.N, name, 1e3*seconds)
		}
	}
	if len(l.seconds) != methods {
		t.Errorf("%v: %d methods have recordings", l.seconds, methods)
	}
}
