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
	plain, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	shared := func(order, team, matrices, apart uint32) Tuning {
		return Tuning{Shared: []Shared{{order, team, matrices, apart, false}}, Dispatch: 2e11}
	}
	// A set has the sizes of sytd2_batch, org2l_batch, steqr_batch and lasr_batch. Without sweeps,
	// divide and conquer replaces QL iteration.
	type set struct{ threads, teams, block, formers, lanes, columns, matrices, turners, rows, sweeps uint32 }
	sets := func(order uint32, more ...set) (all []Tuning) {
		for _, m := range more {
			row := Memory{Order: order, Threads: m.threads, Teams: m.teams, Block: m.block, Form: Form{m.formers, m.lanes, m.columns}, Matrices: m.matrices, Turns: Turns{m.turners, m.rows, m.sweeps}}
			row.Conquer = m.sweeps == 0
			all = append(all, Tuning{Shared: []Shared{{Order: 2, Team: 2, Matrices: 1}}, Memory: []Memory{row}, Dispatch: 2e11})
		}
		return all
	}
	for _, c := range []struct {
		n, count int
		tunings  []Tuning
	}{
		{8, 100000, []Tuning{shared(8, 8, 4, 0)}},
		{16, 50000, sets(16, set{16, 1, 1, 32, 8, 4, 8, 16, 1, 4}, set{32, 1, 1, 32, 8, 4, 8, 16, 1, 6})},
		{32, 10000, sets(32, set{32, 1, 1, 64, 8, 4, 8, 32, 1, 6}, set{32, 1, 1, 64, 16, 4, 8, 32, 1, 4})},
		{64, 5000, sets(64, set{64, 1, 1, 64, 8, 2, 8, 64, 1, 8}, set{64, 1, 1, 64, 16, 4, 6, 64, 1, 10})},
		{96, 2000, sets(96, set{96, 2, 1, 128, 16, 4, 4, 96, 1, 8}, set{96, 2, 2, 128, 32, 4, 4, 32, 3, 8})},
		{128, 1000, sets(128, set{128, 2, 2, 128, 16, 4, 4, 128, 1, 8}, set{64, 4, 2, 128, 8, 2, 4, 64, 2, 8}, set{128, 2, 2, 128, 16, 4, 0, 0, 0, 0})},
		{192, 400, sets(256, set{256, 2, 4, 128, 32, 4, 0, 0, 0, 0}, set{192, 2, 4, 128, 32, 4, 0, 0, 0, 0})},
		{256, 200, sets(256, set{256, 2, 4, 128, 32, 4, 0, 0, 0, 0}, set{256, 2, 4, 256, 32, 2, 0, 0, 0, 0})},
		{384, 90, sets(512, set{512, 2, 3, 256, 32, 2, 0, 0, 0, 0})},
		{512, 50, sets(512, set{512, 2, 3, 256, 32, 2, 0, 0, 0, 0}, set{512, 2, 2, 256, 32, 2, 0, 0, 0, 0})},
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
				timeBatch(t, plain, c.n, c.count, vectors, tune, data)
				timeBatch(t, dev, c.n, c.count, vectors, tune, data)
			}
		}
	}
}

// timeBatch solves the same random matrices three times and prints the time of the fastest run. If
// the device measures kernels, it also prints their times; then no kernels run at the same time.
func timeBatch(t *testing.T, dev *vk.Device, n, count int, vectors bool, tune Tuning, data []float64) {
	s, err := New[float64, float64](dev, Size{N: n, Count: count, Vectors: vectors}, tune, TuningFor(dev.Info()).DivideConquer, TuningFor(dev.Info()).Products)
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
	x := Buffers[float64, float64]{a.In(ws), values.In(ws), a.In(ws)}
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
		parts := strings.Builder{}
		for _, k := range profile.Kernels {
			if strings.Contains(k.Name, "_batch") || strings.Contains(k.Name, "stedc") {
				fmt.Fprintf(&parts, " %s %.3f (%d)", k.Name, 1e3*k.Seconds, k.Count)
			}
		}
		sweeps := uint32(0)
		for _, state := range p.states {
			sweeps = max(sweeps, state.Sweeps)
		}
		if total := profile.Total(); total < best {
			best, line = total, fmt.Sprintf("%s, %d sweeps", parts.String(), sweeps)
		}
	}
	t.Logf("%d of %d, vectors %v, %+v%+v: %.3f ms:%s", count, n, vectors, tune.Shared, tune.Memory, 1e3*best, line)
}
