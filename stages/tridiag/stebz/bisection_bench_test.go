package stebz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// BenchmarkBisection measures the times in which bisection finds all eigenvalues, and a hundred
// eigenvalues, of a random matrix, with the device's tuning and with other tunings: go test -bench
// Bisection ./stages/tridiag/stebz. The orders are 8192 to 65536 on a GPU. ms/narrow is the time of
// Sturm counts without divisions, and ms/pivots is the time of Sturm counts with divisions.
func BenchmarkBisection(b *testing.B) {
	d := stagetest.Device(b)
	orders := []int{8192, 16384, 32768, 65536}
	if d.Info().Type == "cpu" {
		orders = []int{256}
	}
	table := tuningFor(d.Info().Family).Bisection
	for _, n := range orders {
		for _, m := range []int{n, 100} {
			for _, tune := range []Tuning{
				table, table.with(1<<14, 0, 0), table.with(1<<16, 0, 0), table.with(1<<17, 0, 0),
				table.with(0, 32, 0), table.with(0, 128, 0), table.with(0, 0, 512), table.with(0, 0, 2048),
			} {
				b.Run(fmt.Sprintf("n=%d/m=%d/lanes=%d/threads=%d/tile=%d", n, m, tune.Lanes, tune.Threads,
					tune.Tile), func(b *testing.B) {
					benchBisection(b, d, n, m, tune)
				})
			}
		}
	}
}

// `with` returns the tuning t with the given sizes. If an argument is 0, the size of t does not
// change.
func (t Tuning) with(lanes int, threads, tile uint32) Tuning {
	if lanes > 0 {
		t.Lanes = lanes
	}
	if threads > 0 {
		t.Threads = threads
	}
	if tile > 0 {
		t.Tile = tile
	}
	return t
}

func benchBisection(b *testing.B, dev *vk.Device, n, m int, tune Tuning) {
	stage, err := NewBisection(dev, n, tune)
	if err != nil {
		b.Fatal(err)
	}
	d, e, values := vk.Reserve[float64]("d", n), vk.Reserve[float64]("e", n), vk.Reserve[float64]("values", n)
	ws, err := dev.NewArena(vk.Together(stage.Work(), d, e, values))
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	diagonal, off := make([]float64, n), make([]float64, n)
	for i := range n { // like a reduced random matrix: the off-diagonal decreases as √(n−i)
		diagonal[i], off[i] = math.Sqrt2*rng.NormFloat64(), math.Sqrt(float64(n-i))+rng.NormFloat64()/2
	}
	stagetest.Put(b, dev, d.In(ws), diagonal)
	stagetest.Put(b, dev, e.In(ws), off)
	rec := vk.NewRecorder(dev)
	rec.Phase("narrow", 0, 1)
	stage.recordPrepare(rec, ws, d.In(ws), e.In(ws))
	stage.recordNarrow(rec, ws, 0, m)
	rec.Phase("pivots", 0, 1)
	stage.recordPivots(rec, ws, 0, m, values.In(ws))
	stagetest.Run(b, dev, rec) // the first run compiles the kernels and warms up the device
	var narrow, pivots float64
	for b.Loop() {
		p := stagetest.Run(b, dev, rec)
		narrow += p.Phase("narrow")
		pivots += p.Phase("pivots")
	}
	b.ReportMetric(1e3*narrow/float64(b.N), "ms/narrow")
	b.ReportMetric(1e3*pivots/float64(b.N), "ms/pivots")
	b.ReportMetric(1e3*(narrow+pivots)/float64(b.N), "ms")
	b.ReportMetric(0, "ns/op")
}
