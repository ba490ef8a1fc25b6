package vk

import (
	"context"
	"math"
	"testing"
	"time"
)

// If a device is slow, the predicted time of a command must follow from the device's measured rate,
// so that its first batch takes no longer than that of a fast device. The predictions for a fast
// device must not change.
func TestFirstBatchByMeasuredRate(t *testing.T) {
	const flops = 1e9 // of one command
	for _, c := range []struct {
		name string
		cpu  bool
		rate float64
		want float64 // seconds for one command
	}{
		{"not measured", false, 0, commandSeconds + flops*gpuCostSeconds},
		{"H200", false, 20e12, commandSeconds + flops*gpuCostSeconds},
		{"RTX 3060", false, 0.2e12, commandSeconds + 1.5*flops/0.2e12},
		{"an APU", false, 0.05e12, commandSeconds + 1.5*flops/0.05e12},
		{"CPU", true, 20e9, commandSeconds + flops*cpuCostSeconds},
		{"a slow CPU", true, 1e9, commandSeconds + 1.5*flops/1e9},
	} {
		p := newPace(c.cpu)
		p.slow(c.rate)
		if got := p.estimate(&command{cost: flops}); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%s: %g s for a command, want %g", c.name, got, c.want)
		}
	}
}

// SetFloat64Rate tells the device that its rate of arithmetic is low. The first batch of the same
// recording then has fewer commands.
func TestRateCutsBatches(t *testing.T) {
	d := memoryDevice(t)
	d.queue.pace = newPace(false)
	x := Reserve[float64]("x", 100)
	a, err := d.NewArena(Together(x))
	if err != nil {
		t.Fatal(err)
	}
	rec := NewRecorder(d)
	for i := range 100 {
		rec.Phase("fill", float64(i), 100)
		Fill(rec, x.In(a), 0)
		rec.Costs(1e10)
	}
	batches := func(rate float64) int {
		d.queue.pace = newPace(false)
		d.SetFloat64Rate(rate)
		r := &run{dev: d, ctx: context.Background(), rec: rec, profile: NewProfile(), most: firstCommands}
		e := encoder{run: r, b: &batch{}}
		n := 0
		for n < len(rec.cmds) && e.fits(&rec.cmds[n]) {
			e.add(&rec.cmds[n])
			n++
		}
		return n
	}
	d.opt.Batch = 100 * time.Millisecond
	fast, slow := batches(20e12), batches(0.2e12)
	if fast < 25 || slow > fast/5 || slow < 1 {
		t.Errorf("the first batch has %d commands of a fast device, %d of a slow one", fast, slow)
	}
}

// A fill or copy of a very large slice is recorded in pieces, so that no command takes long. The
// pieces cover the slice, and their costs are the bytes that they read and write.
func TestLargeCopiesAreRecordedInPieces(t *testing.T) {
	const n = 3*mostMoved/8 + 100 // doubles
	d := Dry(Info{})
	x, y := Reserve[float64]("x", n), Reserve[float64]("y", n)
	a, err := d.NewArena(Together(x, y))
	if err != nil {
		t.Fatal(err)
	}
	rec := NewRecorder(d)
	Fill(rec, x.In(a), 7)
	Copy(rec, y.In(a), x.In(a))
	at := map[op]uint64{}
	for _, c := range rec.cmds {
		if c.op == opBarrier {
			continue
		}
		traffic, to, from := float64(c.size), x.In(a).addr, uint64(0)
		if c.op == opCopy {
			traffic, to, from = 2*traffic, y.In(a).addr, x.In(a).addr+at[c.op]
		}
		if c.size > mostMoved || c.cost != traffic || c.dst != to+at[c.op] || c.src != from {
			t.Errorf("%s of %d bytes from %#x to %#x, cost %g", c.name(), c.size, c.src, c.dst, c.cost)
		}
		at[c.op] += c.size
	}
	if at[opFill] != 8*n || at[opCopy] != 8*n || rec.Len() != 2*2*4 {
		t.Errorf("%v bytes of %d in %d commands", at, 8*n, rec.Len())
	}
}
