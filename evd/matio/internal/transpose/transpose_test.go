package transpose

import (
	"slices"
	"testing"
)

// byRows and byColumns return a rows×cols matrix. The value of each element contains its row and column.
func byRows(rows, cols int) (a []float64) {
	for i := range rows {
		for j := range cols {
			a = append(a, float64(1000*i+j))
		}
	}
	return a
}

func byColumns(rows, cols int) (a []float64) {
	for j := range cols {
		for i := range rows {
			a = append(a, float64(1000*i+j))
		}
	}
	return a
}

func TestTransposes(t *testing.T) {
	for _, rows := range []int{1, 2, Tile - 1, Tile, Tile + 1, 2*Tile + 3} {
		for _, cols := range []int{1, 3, Tile, Tile + 1, 3 * Tile, rows} {
			want := byColumns(rows, cols)
			got := make([]float64, rows*cols)
			if Into(got, byRows(rows, cols), rows, cols); !slices.Equal(got, want) {
				t.Errorf("%d by %d: Into is wrong", rows, cols)
			}
			if got, ok := ByColumns(byRows(rows, cols), rows, cols); !ok || !slices.Equal(got, want) {
				t.Errorf("%d by %d: ByColumns is wrong", rows, cols)
			}
			stack := slices.Concat(byRows(rows, cols), byRows(rows, cols))
			if !EachByColumns(stack, rows, cols) || !slices.Equal(stack, slices.Concat(want, want)) {
				t.Errorf("%d by %d: EachByColumns is wrong", rows, cols)
			}
		}
		square := byRows(rows, rows)
		if InPlace(square, rows); !slices.Equal(square, byColumns(rows, rows)) {
			t.Errorf("order %d: InPlace is wrong", rows)
		}
	}
}
