package copies

import "testing"

// TestCopies copies matrices of several shapes, one of them by several goroutines, and checks that nothing
// is written between columns or rows.
func TestCopies(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {33, 5}, {5, 70}, {64, 32}, {900, 700}} {
		rows, cols := shape[0], shape[1]
		lds, src := rows+1, make([]int, (rows+1)*cols)
		for k := range src {
			src[k] = k + 1
		}
		columns, byRows := make([]int, (rows+2)*cols), make([]int, (cols+2)*rows)
		Columns(columns, rows+2, src, lds, rows, cols)
		Transposed(byRows, cols+2, src, lds, rows, cols)
		for j := range cols {
			for i := range rows + 2 {
				want := 0
				if i < rows {
					want = src[i+j*lds]
				}
				if columns[i+j*(rows+2)] != want {
					t.Fatalf("%d×%d, element (%d,%d): %d, want %d", rows, cols, i, j, columns[i+j*(rows+2)], want)
				}
			}
		}
		for i := range rows {
			for j := range cols + 2 {
				want := 0
				if j < cols {
					want = src[i+j*lds]
				}
				if byRows[i*(cols+2)+j] != want {
					t.Fatalf("%d×%d by rows, element (%d,%d): %d, want %d", rows, cols, i, j, byRows[i*(cols+2)+j], want)
				}
			}
		}
	}
}
