package spectrum

import (
	"math"
	"runtime"
	"sync"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Scan reads columns 0 … cols−1 of the column-major matrix a once, on all CPU cores. The function
// `part` returns the range of rows [from, to) to read in column j. If all entries are finite, Scan
// returns their largest magnitude, and `row` = `col` = −1. Otherwise `row` and `col` are the
// position of the first entry, in column order, that is NaN or infinite.
func Scan[T spirv.Scalar](a []T, ld, cols int, part func(j int) (from, to int)) (largest float64, row, col int) {
	type found struct {
		largest  float64
		row, col int
	}
	of := make([]found, min(runtime.GOMAXPROCS(0), cols))
	var group sync.WaitGroup
	for w := range of {
		group.Go(func() {
			f := found{row: -1, col: -1}
			// Worker w scans the columns w, w + len(of), w + 2·len(of), …, where len(of) is the
			// number of workers. Neighbouring columns have nearly the same length, even in a
			// triangle. So all workers have nearly the same number of entries.
			for j := w; j < cols && f.col < 0; j += len(of) {
				from, to := part(j)
				var at int
				if f.largest, at = ScanColumn(a[j*ld+from:j*ld+to], f.largest); at >= 0 {
					f.row, f.col = from+at, j
				}
			}
			of[w] = f
		})
	}
	group.Wait()
	row, col = -1, -1
	for _, f := range of {
		largest = max(largest, f.largest)
		if f.col >= 0 && (col < 0 || f.col < col) {
			row, col = f.row, f.col
		}
	}
	return largest, row, col
}

// ScanColumn returns max(`largest`, max|col[i]|) and −1. If a value of the column `col` is not
// finite, the second result is the index of the first such value.
func ScanColumn[T spirv.Scalar](col []T, largest float64) (float64, int) {
	for i, v := range col {
		x := math.Abs(float64(v))
		if !(x <= math.MaxFloat64) {
			return largest, i
		}
		if x > largest {
			largest = x
		}
	}
	return largest, -1
}
