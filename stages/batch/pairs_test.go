package batch

import (
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestPairDispatches checks batches of pairs of many orders and numbers: no dispatch may cost more than
// the tuning allows, no workgroup may do more than its fraction of that cost and one more block, and all
// dispatches together cost about what PairFlops says.
func TestPairDispatches(t *testing.T) {
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	const most, tile = 1e8, 16
	tune := smallestBatch()
	tune.Pairs, tune.Dispatch = []Pair{{Order: 512, Tile: tile, Each: 2}}, most
	tune.Memory[2].Order = 512
	for _, c := range []struct{ n, count int }{{16, 10000}, {40, 1}, {512, 1}, {512, 300}} {
		size := Size{N: c.n, Count: c.count, Vectors: true}
		standard, err := newBatch[float64](dev, size, tune)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewPairs[float64](dev, size, tune)
		if err != nil {
			t.Fatal(err)
		}
		a, b := vk.Reserve[float64]("a", c.count*c.n*c.n), vk.Reserve[float64]("b", c.count*c.n*c.n)
		ws, err := dev.NewArena(vk.Together(s.Work(), a, b))
		if err != nil {
			t.Fatal(err)
		}
		items := slices.Repeat([]Item{{N: c.n, To: c.n}}, c.count)
		p, rec := s.Place(items, items, standard.Place(items)), vk.NewRecorder(dev)
		s.Reduce(rec, ws, p, a.In(ws), b.In(ws))
		s.Vectors(rec, ws, p, a.In(ws), b.In(ws))
		sum, estimates := 0.0, rec.Estimates()
		for _, x := range estimates {
			sum += x
		}
		n := float64(c.n)
		if largest := slices.Max(estimates); !(largest <= most*1.01) {
			t.Errorf("%d of order %d: a dispatch of %g flops", c.count, c.n, largest)
		} else if c.count == 1 && !(largest <= most*ofWorkgroup+2*tile*n*(n+tile)*float64(vk.Tiles(c.n, tile))) {
			t.Errorf("order %d: a pair alone costs %g flops", c.n, largest)
		}
		if want := PairFlops[float64](c.n, true) * float64(c.count); !(sum >= want*0.9 && sum <= want*4) {
			t.Errorf("%d of order %d: %g flops, not %g", c.count, c.n, sum, want)
		}
	}
}

// TestPairsRefuseTunings checks that sizes of pairs are refused if an invocation would have a part of a
// row, and that rows that do not fit the device are left out.
func TestPairsRefuseTunings(t *testing.T) {
	info := vk.Info{Memory: 1 << 30, Free: 1 << 30, SharedBytes: 16 << 10, MaxLocal: 128, Subgroup: 32}
	for _, row := range []Pair{{Order: 9, Tile: 8, Each: 3}, {Order: 9, Tile: 8}, {Order: 9, Each: 1}, {Order: 9, Tile: 16, Each: 1}, {Order: 9, Tile: 32, Each: 4}} {
		err := fitsPair[complex128](row, info)
		if err == nil || row.Tile < 16 && !strings.HasPrefix(err.Error(), "stages: no batch of pairs can be tuned by") {
			t.Errorf("%+v is not refused: %v", row, err)
		}
	}
	tune := smallestBatch()
	if _, err := NewPairs[float64](vk.Dry(info), Size{N: 9, Count: 1}, tune); err == nil || !strings.HasPrefix(err.Error(), "stages: no batch of pairs can be tuned by") {
		t.Errorf("a table without sizes of pairs is not refused: %v", err)
	}
	tune.Pairs = []Pair{{Order: 5, Tile: 64, Each: 1}, {Order: 9, Tile: 4, Each: 2}}
	if fit := Fitting[complex64](tune, info); len(fit.Pairs) != 1 || fit.pairClass(3) != 0 || fit.pairClass(99) != 0 {
		t.Errorf("rows that fit: %+v", fit.Pairs)
	}
}

// TestMemoryOfPairs checks the memory beside that of the Batch.
func TestMemoryOfPairs(t *testing.T) {
	tune := smallestBatch()
	tune.Pairs = []Pair{{Order: 9, Tile: 4, Each: 2}}
	dev := vk.Dry(vk.Info{Memory: 1 << 30, Free: 1 << 30, SharedBytes: 16 << 10, MaxLocal: 128, Subgroup: 32})
	s, err := NewPairs[float32](dev, Size{N: 20, Count: 1000}, tune)
	if err != nil {
		t.Fatal(err)
	}
	names, bytes := []string{"pairs of the batch", "factors of the batch", "states of the pairs", "states of the factors"}, uint64(0)
	for _, r := range s.Work().Table() {
		if !slices.Contains(names, r.Name) {
			t.Errorf("memory %q", r.Name)
		}
		bytes += r.Bytes
	}
	if bytes != 136*1000 {
		t.Errorf("%d bytes", bytes)
	}
}
