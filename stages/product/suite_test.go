package product

import (
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// bench is a stagetest.Bench, which has device memory for three matrices. In addition, it has a
// method for matrices of package product.
type bench struct{ *stagetest.Bench }

func newBench(t testing.TB, elements int, work *vk.Layout) bench {
	t.Helper()
	return bench{stagetest.NewBench(t, elements, work)}
}

// `do` uploads the matrices a, b and c, runs the commands that the function `record` records, and
// returns the final c.
func (p bench) do(t testing.TB, a, b, c stagetest.Sample, record func(rec *vk.Recorder, a, b, c Matrix[float64])) stagetest.Sample {
	t.Helper()
	matrix := func(at vk.Slice[float64], s stagetest.Sample) Matrix[float64] {
		return NewMatrix(at, s.Rows, s.Cols, s.Ld)
	}
	return p.Do(t, a, b, c, func(rec *vk.Recorder, x, y, z vk.Slice[float64]) {
		record(rec, matrix(x, a), matrix(y, b), matrix(z, c))
	})
}
