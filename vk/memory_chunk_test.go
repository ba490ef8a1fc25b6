package vk

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
)

func smallBuffers(t *testing.T, limit uint64) *Device {
	t.Helper()
	d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE"), MaxBuffer: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func (d *Device) chunkAt(addr uint64) *chunk {
	c, _ := d.find(addr)
	return c
}

// The three regions of an arena lie in three buffers. Fills, copies, sends, transfers, guard bytes
// and names of addresses use the right buffer for each region.
func TestRegionsInSeveralBuffers(t *testing.T) {
	ctx, d := context.Background(), smallBuffers(t, 1<<12)
	const n = 300 // 2400 bytes: one region and its guard in each buffer
	x, y, z := Reserve[float64]("x", n), Reserve[float64]("y", n), Reserve[float64]("z", n)
	none := Reserve[float64]("none", 0)
	a, err := d.NewGuardedArena(Together(x, y, z, none))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if len(a.chunks) != 3 || d.chunkAt(x.In(a).addr) == d.chunkAt(y.In(a).addr) || d.chunkAt(y.In(a).addr) == d.chunkAt(z.In(a).addr) {
		t.Fatalf("%d buffers", len(a.chunks))
	}
	values := func(from float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = from + float64(i)
		}
		return v
	}
	sent, received := values(1000), make([]float64, n-5)
	if none.In(a).Len() != 0 {
		t.Error("an empty region has elements")
	}
	rec := NewRecorder(d)
	a.Poison(rec)
	Send(rec, x.In(a), sent)
	Copy(rec, z.In(a), x.In(a).From(5))
	Fill(rec, y.In(a).Sub(1, 2), 0)
	Receive(rec, received, z.In(a).Sub(0, n-5))
	if _, err := d.Run(ctx, rec, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(received, sent[5:]) {
		t.Error("what was sent, copied and received is not the same")
	}
	got := make([]float64, n)
	if err := Download(ctx, d, Vector(got), y.In(a)); err != nil {
		t.Fatal(err)
	}
	if got[0] == got[0] || got[1] != 0 || got[2] != 0 || got[3] == got[3] {
		t.Errorf("y begins with %v", got[:4])
	}
	if err := Upload(ctx, d, y.In(a), Vector(values(7))); err != nil {
		t.Fatal(err)
	}
	if err := Download(ctx, d, Vector(got), y.In(a)); err != nil || !slices.Equal(got, values(7)) {
		t.Errorf("the round trip: %v", err)
	}
	if err := a.CheckGuards(ctx); err != nil {
		t.Error(err)
	}
	if name := d.nameOf(uint64(z.In(a).From(3).Addr())); name != "z+24" {
		t.Errorf("an address in the third buffer is %q", name)
	}
	past := NewRecorder(d)
	Fill(past, Slice[uint32]{a, a.guards[2], 1}, 0)
	if _, err := d.Run(ctx, past, nil); err != nil {
		t.Fatal(err)
	}
	if err := a.CheckGuards(ctx); err == nil || !strings.Contains(err.Error(), "past the end of z") {
		t.Errorf("a guard in the third buffer was written: %v", err)
	}
}

// A Dry device accepts a layout if and only if the real device with the same Info accepts it. If
// both devices refuse a layout, their errors are the same.
func TestDryRefusesWhatDevicesRefuse(t *testing.T) {
	when.Skip(t, when.Widths, "no kernels")
	rng := rand.New(rand.NewPCG(5, 6))
	accepted := 0
	for range 20 {
		d := smallBuffers(t, uint64(1+rng.IntN(256))<<8)
		dry := Dry(d.Info())
		for range 20 {
			l, _ := randomLayout(rng, int(d.info.MaxBuffer)*3/2, 2)
			if _, free := d.Memory(); rng.IntN(4) == 0 {
				l = Together(l, Reserve[byte]("all", 2*int(free)))
			}
			a, err := d.NewArena(l)
			_, forecast := dry.NewArena(l)
			var have, want *OutOfMemoryError
			switch {
			case err == nil && forecast == nil:
				accepted++
				a.Close()
			case !errors.As(err, &want) || !errors.As(forecast, &have) || have.What != want.What || have.Need != want.Need || have.Limit != want.Limit:
				t.Fatalf("the device: %v; the forecast: %v", err, forecast)
			}
		}
	}
	if accepted < 200 || accepted > 390 {
		t.Errorf("%d of 400 accepted", accepted)
	}
}
