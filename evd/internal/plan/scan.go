package plan

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Scan reads columns 0 … cols−1 of the column-major matrix a once, on several CPU cores. The
// function `part` returns the range of rows [from, to) to read in column j. If all entries are
// finite, Scan returns their largest magnitude, as ScanNumbers does, and `row` = `col` = −1.
// Otherwise `row` and `col` are the position of the first entry, in column order, that is NaN or
// infinite.
func Scan[T spirv.Scalar](a []T, ld, cols int, part func(j int) (from, to int)) (largest float64, row, col int) {
	return ScanColumns(len(a), cols, func(j int, largest float64) (float64, int) {
		from, to := part(j)
		largest, at := ScanNumbers(a[j*ld+from:j*ld+to], largest)
		if at >= 0 {
			at += from
		}
		return largest, at
	})
}

// ScanColumns does the same as Scan for a matrix whose columns the function `column` scans, as
// ScanNumbers does. `elements` is about the number of elements of the matrix.
func ScanColumns(elements, cols int, column func(j int, largest float64) (float64, int)) (largest float64, row, col int) {
	type found struct {
		largest  float64
		row, col int
	}
	const share = 1 << 16 // least number of entries for a worker: to start a thread takes as long as to scan them
	of := make([]found, max(1, min(runtime.GOMAXPROCS(0), cols, elements/share)))
	// Each worker scans the next column that nobody has taken, until it finds a bad entry. All
	// columns before this entry have then been taken, too.
	var next atomic.Int64
	scan := func(w int) {
		f := found{row: -1, col: -1}
		for f.col < 0 {
			j := int(next.Add(1)) - 1
			if j >= cols {
				break
			}
			var at int
			if f.largest, at = column(j, f.largest); at >= 0 {
				f.row, f.col = at, j
			}
		}
		of[w] = f
	}
	var group sync.WaitGroup
	for w := 1; w < len(of); w++ {
		group.Go(func() { scan(w) })
	}
	scan(0)
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

// ScanNumbers does the same as ScanColumn for real or complex numbers. The magnitude of a complex
// number is the larger one of |Re| and |Im|.
func ScanNumbers[T spirv.Scalar](col []T, largest float64) (top float64, at int) {
	Parts(col, func(parts []float32, each int) {
		top, at = ScanColumn(parts, largest)
		at >>= each - 1
	}, func(parts []float64, each int) {
		top, at = ScanColumn(parts, largest)
		at >>= each - 1
	})
	return top, at
}

// ScanColumn returns max(`largest`, max|col[i]|) and −1. If a value of the column `col` is not
// finite, the second result is the index of the first such value.
func ScanColumn[T spirv.Real](col []T, largest float64) (float64, int) {
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

// NotFinite returns the part of x that is NaN or infinite: the real part, if both are.
func NotFinite[T spirv.Scalar](x T) (value float64) {
	Parts([]T{x}, func(parts []float32, each int) {
		value = notFinite(float64(parts[0]), float64(parts[each-1]))
	}, func(parts []float64, each int) {
		value = notFinite(parts[0], parts[each-1])
	})
	return value
}

func notFinite(first, second float64) float64 {
	if math.IsNaN(first) || math.IsInf(first, 0) {
		return first
	}
	return second
}

// Holds reports whether a rows×cols matrix with leading dimension ld fits into this number of
// elements. `rows` and `cols` must be at least 1. The numbers come from the caller and their
// products might overflow, so Holds does not multiply them.
func Holds(elements, rows, cols, ld int) bool {
	return ld >= rows && elements >= rows && (cols == 1 || (elements-rows)/(cols-1) >= ld)
}
