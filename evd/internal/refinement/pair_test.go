package refinement

import (
	"slices"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestSortedMovesVectors sorts values that are in the wrong order. Each vector must stay with its
// value, in columns and in rows, and the memory between the columns must not change.
func TestSortedMovesVectors(t *testing.T) {
	for _, rows := range []bool{false, true} {
		values, z := []float64{1, 3, 2, 0}, vk.Columns[float64]{Rows: 4, Cols: 4, Ld: 5, Data: slices.Repeat([]float64{-1}, 20)}
		for j, x := range values {
			for i := range 4 {
				at := i + j*z.Ld
				if rows {
					at = j + i*z.Ld
				}
				z.Data[at] = 10*x + float64(i)
			}
		}
		for range 2 {
			if values = sorted(values, z, rows); !slices.Equal(values, []float64{0, 1, 2, 3}) {
				t.Fatal(values)
			}
		}
		for j := range 4 {
			for i := range 5 {
				want := float64(10*j + i)
				if rows {
					want = float64(10*i + j)
				}
				if i == 4 {
					want = -1
				}
				if got := z.Data[i+j*z.Ld]; got != want {
					t.Errorf("rows %v: element (%d, %d) is %g, not %g", rows, i, j, got, want)
				}
			}
		}
	}
}
