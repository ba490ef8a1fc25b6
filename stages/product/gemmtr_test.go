package product

import (
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestGemmtr checks the lower triangles of products in blocks of 16 columns, for all transpositions
// and for orders at and near multiples of 16.
func TestGemmtr(t *testing.T) {
	tiled, err := New[float64](stagetest.Device(t), Tables.Smallest)
	if err != nil {
		t.Fatal(err)
	}
	tiled.columns = 16
	p := newBench(t, 64*64, tiled.Work())
	for i, n := range []int{0, 1, 15, 16, 17, 50} {
		for j, op := range ops {
			k, alpha, beta := 3+20*j, 1-1.5*float64(i%3), 0.75*float64(j%2)
			a, b := factor(op[0], n, k, 2, 1), factor(op[1], k, n, 1, 2)
			c, want := stagetest.Normal(n, n, n+3, 3), stagetest.Normal(n, n, n+3, 3)
			ref.Gemm(ref.Op(op[0]), ref.Op(op[1]), n, n, k, alpha, a.Data, a.Ld, b.Data, b.Ld, beta, want.Data, want.Ld)
			if beta == 0 {
				c = stagetest.Poisoned(n, n, n+3)
			}
			have := p.do(t, a, b, c, func(rec *vk.Recorder, a, b, c Matrix[float64]) {
				tiled.Gemmtr(rec, p.WS, op[0], op[1], alpha, a, b, beta, c)
			})
			lower(t, fmt.Sprintf("n=%d, %v", n, op), have, want)
		}
	}
}

func lower(t *testing.T, what string, have, want stagetest.Sample) {
	t.Helper()
	for j := range want.Cols {
		for i := j; i < want.Rows; i++ {
			if at := i + j*want.Ld; !(math.Abs(have.Data[at]-want.Data[at]) < 1e-12) {
				t.Fatalf("%s: element (%d, %d) is %g, want %g", what, i, j, have.Data[at], want.Data[at])
			}
		}
	}
}
