package refinement

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestDownloadMovesVectors downloads values in the wrong order. Each vector must stay with its
// value, and Certify must find that the result is exact.
func TestDownloadMovesVectors(t *testing.T) {
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const n = 5
	diagonal, small := []float64{4, 1, 3, 2, 0}, tuning.Smallest()
	a := dense.Triangle[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	q := vk.Columns[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
	for i, x := range diagonal {
		a.Data[i+i*n], q.Data[i+i*n] = x, 1
	}
	for _, rows := range []bool{false, true} {
		p, err := New[float64](d, n, dense.Config{Tuning: &small, RowMajor: rows})
		if err != nil {
			t.Fatal(err)
		}
		base := plan.Base{Dev: d, N: n, Layout: p.Layout(vk.Together())}
		if err := base.Allocate(); err != nil {
			t.Fatal(err)
		}
		defer base.Close()
		s := NewIteration(p, base.Begin(context.Background(), nil), nil)
		sigma, err := s.Load(a, dense.Stored[float64]{Columns: q})
		if err != nil {
			t.Fatal(err)
		}
		s.Lambda = slices.Clone(diagonal)
		memory := plan.NewResultMemory[float64](s.Ctx)
		defer memory.Stop()
		memory.Allocate(n, n)
		values, z, err := s.Download(sigma, memory)
		if err != nil || !slices.Equal(values, []float64{0, 1, 2, 3, 4}) {
			t.Fatalf("rows %v: %v, %v", rows, values, err)
		}
		for j, x := range values {
			for i := range n {
				at := i + j*z.Ld
				if rows {
					at = j + i*z.Ld
				}
				if want := map[bool]float64{true: 1}[diagonal[i] == x]; z.Data[at] != want {
					t.Errorf("rows %v: component %d of the vector of %g is %g, not %g", rows, i, x, z.Data[at], want)
				}
			}
		}
		sums, norm, invariants, err := s.Certify(a, sigma)
		for _, x := range slices.Concat(sums[:]...) {
			if !(math.Abs(x) < 1e-14) {
				t.Errorf("rows %v: sums %v", rows, sums)
			}
		}
		if err != nil || norm != 4 || !(invariants < 1) {
			t.Errorf("rows %v: norm %g, invariants %g, %v", rows, norm, invariants, err)
		}
	}
}
