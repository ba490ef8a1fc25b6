package spectrum

import (
	"math"
	"runtime"
	"sync"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Scan reads columns 0 … cols−1 of the column-major matrix a once, with all cores. The function
// part returns the rows [from, to) of a column that are read. If all entries are finite, Scan
// returns the largest magnitude, and row and col are −1. Otherwise row and col are the position of
// the first entry, in column order, that is NaN or infinite.
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
			// Worker w scans every len(of)-th column, because neighbouring columns of a triangle
			// have nearly the same length.
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

// ScanColumn returns the larger of largest and the largest magnitude in col, and −1. If a value of
// col is not finite, it returns the index of the first such value instead of −1.
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
