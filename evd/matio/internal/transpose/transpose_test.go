package transpose

import (
	"slices"
	"testing"
)

// byRows and byColumns return a rows×cols matrix. The function `of` gives element (i, j).
func byRows[T Number](rows, cols int, of func(i, j int) T) (a []T) {
	for i := range rows {
		for j := range cols {
			a = append(a, of(i, j))
		}
	}
	return a
}

func byColumns[T Number](rows, cols int, of func(i, j int) T) (a []T) {
	for j := range cols {
		for i := range rows {
			a = append(a, of(i, j))
		}
	}
	return a
}

func TestTransposes(t *testing.T) {
	transposes(t, func(i, j int) float64 { return float64(1000*i + j) })
}

func TestComplexTransposes(t *testing.T) {
	transposes(t, func(i, j int) complex128 { return complex(float64(i), float64(j)) })
}

func transposes[T Number](t *testing.T, of func(i, j int) T) {
	for _, rows := range []int{1, 2, Tile - 1, Tile, Tile + 1, 2*Tile + 3} {
		for _, cols := range []int{1, 3, Tile, Tile + 1, 3 * Tile, rows} {
			want := byColumns(rows, cols, of)
			got := make([]T, rows*cols)
			if Into(got, byRows(rows, cols, of), rows, cols); !slices.Equal(got, want) {
				t.Errorf("%d by %d: Into is wrong", rows, cols)
			}
			if got, ok := ByColumns(byRows(rows, cols, of), rows, cols); !ok || !slices.Equal(got, want) {
				t.Errorf("%d by %d: ByColumns is wrong", rows, cols)
			}
			stack := slices.Concat(byRows(rows, cols, of), byRows(rows, cols, of))
			if !EachByColumns(stack, rows, cols) || !slices.Equal(stack, slices.Concat(want, want)) {
				t.Errorf("%d by %d: EachByColumns is wrong", rows, cols)
			}
		}
		square := byRows(rows, rows, of)
		if InPlace(square, rows); !slices.Equal(square, byColumns(rows, rows, of)) {
			t.Errorf("order %d: InPlace is wrong", rows)
		}
	}
}
