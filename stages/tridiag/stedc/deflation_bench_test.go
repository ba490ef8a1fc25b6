package stedc

import (
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// BenchmarkDeflation measures the kernel stedc_deflate for one merge, per column: with a rotation
// of each pair of neighbouring columns, which is the longest serial work that there can be, and
// without rotations. To run it: go test -bench Deflation ./stages/tridiag/stedc.
func BenchmarkDeflation(b *testing.B) {
	dev := stagetest.Device(b)
	orders := []int{4096, 65536}
	if dev.Info().Type == "cpu" {
		orders = []int{512, 4096}
	}
	for _, n := range orders {
		for _, rotate := range []bool{true, false} {
			b.Run(fmt.Sprintf("n=%d/rotations=%v", n, rotate), func(b *testing.B) {
				s, err := NewDivideConquerValues(dev, n, TuningFor(dev.Info()).DivideConquer)
				if err != nil {
					b.Fatal(err)
				}
				ws, err := dev.NewArena(s.Work())
				if err != nil {
					b.Fatal(err)
				}
				defer ws.Close()
				seconds := 0.0
				for b.Loop() {
					seconds += deflateOnce(b, dev, &s.values, ws, n, rotate)
				}
				b.ReportMetric(1e9*seconds/float64(b.N)/float64(n), "ns/column")
				b.ReportMetric(1e3*seconds/float64(b.N), "ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// deflateOnce runs the deflation of one merge of order n, and returns its time in seconds. All
// eigenvalues of the two blocks are equal if `rotate` is true. Otherwise they are far apart.
func deflateOnce(b *testing.B, dev *vk.Device, s *deflation[float64], ws *vk.Arena, n int, rotate bool) float64 {
	numbers, orders := make([]float64, leafArrays*n), make([]int32, n)
	for i := range n {
		orders[i] = int32(i % (n / 2))
		numbers[n+i] = 1
		if !rotate {
			numbers[n+i] += float64(2*(i%(n/2))+2*i/n) / float64(n)
		}
		numbers[2*n+i], numbers[3*n+i] = 1/math.Sqrt(float64(n)), 1/math.Sqrt(float64(n))
	}
	numbers[n/2-1] = 1 // the element of T between the blocks
	rec := vk.NewRecorder(dev)
	vk.SendFirst(rec, s.pass.leafNumbers.In(ws), numbers)
	vk.SendFirst(rec, s.orders.In(ws), orders)
	merge := newMerge(&dc.Merge{Pair: dc.Pair{N1: n / 2, N2: n / 2}}, 0, 0)
	merges := []shaders.Merge{merge}
	vk.SendFirst(rec, s.pass.mergeList.In(ws).Sub(0, 1), merges)
	rec.Phase("deflation", 0, 1)
	s.recordDeflation(rec, ws, 0, 0, merges)
	seconds := stagetest.Run(b, dev, rec).Phase("deflation")
	want := n
	if rotate {
		want = 1
	}
	if got := int(stagetest.Get(b, dev, s.pass.mergeList.In(ws).Sub(0, 1))[0].K); got != want {
		b.Fatalf("%d of %d columns are not deflated, want %d", got, n, want)
	}
	return seconds
}
