package batch

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestBatchTimes prints the times of batches for several sets of kernel sizes, each the best of
// three runs. It is used for tuning: VKEVD_BATCH=1 go test ./stages/batch -run TestBatchTimes -v,
// or with some of the orders, as in VKEVD_BATCH=192,384.
func TestBatchTimes(t *testing.T) {
	if os.Getenv("VKEVD_BATCH") == "" {
		t.Skip("set VKEVD_BATCH")
	}
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Kernels: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	shared := func(order, team, matrices, apart uint32) Tuning {
		return Tuning{Shared: []Shared{{order, team, matrices, apart}}, Dispatch: 2e11}
	}
	memory := func(order, threads, teams, apart uint32) Tuning {
		return Tuning{Shared: []Shared{{2, 2, 1, 0}}, Memory: []Memory{{order, threads, teams, apart, false, 0, 0}}, Dispatch: 2e11}
	}
	conquer := func(t Tuning) Tuning {
		t.Memory[0].Conquer = true
		return t
	}
	// either returns the sizes with QL iteration and with divide and conquer.
	either := func(t ...Tuning) (all []Tuning) {
		for _, t := range t {
			c := t
			c.Memory = []Memory{t.Memory[0]}
			all = append(all, t, conquer(c))
		}
		return all
	}
	for _, c := range []struct {
		n, count int
		tunings  []Tuning
	}{
		{8, 100000, []Tuning{shared(8, 8, 4, 0)}},
		{16, 50000, []Tuning{shared(16, 16, 2, 0), memory(16, 32, 1, 32)}},
		{32, 10000, []Tuning{memory(32, 32, 1, 32), shared(32, 32, 1, 32)}},
		{64, 5000, []Tuning{memory(64, 64, 1, 32), shared(64, 64, 1, 32)}},
		{128, 1000, []Tuning{memory(128, 128, 2, 32), memory(128, 64, 4, 32), conquer(memory(128, 128, 2, 32))}},
		// The sizes with one team are those of the table for all devices (any.go in package
		// tuning).
		{160, 512, either(memory(256, 256, 2, 32))},
		{192, 350, either(memory(256, 256, 2, 32), memory(256, 256, 1, 64), memory(256, 96, 1, 32))},
		{256, 200, either(memory(256, 256, 2, 32))},
		{384, 90, either(memory(384, 384, 2, 32), memory(384, 384, 1, 64), memory(384, 96, 1, 32))},
		{512, 50, []Tuning{memory(512, 512, 2, 32), conquer(memory(512, 512, 2, 32))}},
	} {
		if only := os.Getenv("VKEVD_BATCH"); only != "1" && !slices.Contains(strings.Split(only, ","), fmt.Sprint(c.n)) {
			continue
		}
		data := stagetest.Normal(c.n, c.count*c.n, c.n, 1).Data
		for _, tune := range c.tunings {
			if fit := tune.For(dev.Info()); fit.Order() == 0 {
				t.Logf("%d×%d: %+v does not fit", c.count, c.n, tune)
				continue
			}
			for _, vectors := range []bool{true, false} {
				if len(tune.Memory) > 0 && tune.Memory[0].Conquer && !vectors {
					continue // the kernels for values are those of QL iteration
				}
				timeBatch(t, dev, c.n, c.count, vectors, tune, data)
			}
		}
	}
}

// timeBatch solves the same random matrices three times and prints the times of the kernels in the
// fastest run.
func timeBatch(t *testing.T, dev *vk.Device, n, count int, vectors bool, tune Tuning, data []float64) {
	s, err := New[float64](dev, Size{N: n, Count: count, Vectors: vectors}, tune, TuningFor(dev.Info()).DivideConquer, TuningFor(dev.Info()).Products)
	if err != nil {
		t.Error(err)
		return
	}
	a, values := vk.Reserve[float64]("a", count*n*n), vk.Reserve[float64]("values", count*n)
	ws, err := dev.NewArena(vk.Together(s.Work(), a, values))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	items := make([]Item, count)
	for i := range items {
		items[i] = Item{N: n, To: n}
	}
	x := Buffers[float64]{a.In(ws), values.In(ws), a.In(ws)}
	solve := func() (*vk.Profile, *BatchPart) {
		p := s.Place(items)
		rec := vk.NewRecorder(dev)
		s.Record(rec, ws, p, x)
		profile := stagetest.Run(t, dev, rec)
		for {
			rec := vk.NewRecorder(dev)
			if !s.Continue(rec, ws, p, x) {
				return profile, p
			}
			profile.Merge(stagetest.Run(t, dev, rec))
		}
	}
	stagetest.Put(t, dev, x.A, data)
	for began := time.Now(); time.Since(began) < 250*time.Millisecond; { // a GPU raises its clock rate while it is busy
		solve()
	}
	best, line := 1e9, ""
	for range 3 {
		stagetest.Put(t, dev, x.A, data)
		profile, p := solve()
		total, parts := 0.0, strings.Builder{}
		for _, k := range profile.Kernels {
			if strings.Contains(k.Name, "_batch") || strings.Contains(k.Name, "stedc") {
				total += k.Seconds
				fmt.Fprintf(&parts, " %s %.3f (%d)", k.Name, 1e3*k.Seconds, k.Count)
			}
		}
		sweeps := uint32(0)
		for _, state := range p.states {
			sweeps = max(sweeps, state.Sweeps)
		}
		if total < best {
			best, line = total, fmt.Sprintf("%s, %d sweeps", parts.String(), sweeps)
		}
	}
	t.Logf("%d of %d, vectors %v, %+v%+v: %.3f ms:%s", count, n, vectors, tune.Shared, tune.Memory, 1e3*best, line)
}
