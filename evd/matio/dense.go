package matio

import "math"

// tile is the edge of the square blocks in which a matrix meets its transpose: two
// blocks of 64 × 64 doubles fit any first-level cache, whole columns do not.
const tile = 64

// Dense is a matrix with every element stored, column by column: element (i, j), both
// from 0, is Data[i+j*Rows]. The leading dimension is Rows, and len(Data) = Rows·Cols.
type Dense struct {
	Rows, Cols int
	Data       []float64

	// DeclaredSymmetric says that the file stored one triangle and called it symmetric
	// (Matrix Market only); Data has both. Whether the numbers are symmetric, whatever
	// the file said, is what the method Symmetric decides.
	DeclaredSymmetric bool
}

// At is element (i, j), both counted from 0.
func (d *Dense) At(i, j int) float64 { return d.Data[i+j*d.Rows] }

// Symmetric returns nil when a_ij and a_ji are equal, or both NaN, for all i and j.
// Otherwise it returns a *NotSymmetricError, or a *NotSquareError. Nothing is rounded
// away: how large a difference may be forgiven is for the caller to say, from Diff.
func (d *Dense) Symmetric() error {
	if d.Rows != d.Cols {
		return &NotSquareError{d.Rows, d.Cols}
	}
	n := d.Rows
	var worst NotSymmetricError
	for j0 := 0; j0 < n; j0 += tile {
		for i0 := j0; i0 < n; i0 += tile {
			for j := j0; j < min(j0+tile, n); j++ {
				for i := max(i0, j+1); i < min(i0+tile, n); i++ {
					x, y := d.Data[i+j*n], d.Data[j+i*n]
					if x == y || (math.IsNaN(x) && math.IsNaN(y)) {
						continue
					}
					diff := math.Abs(x - y)
					if math.IsNaN(diff) {
						// A solver scans one triangle for NaN and would miss the other.
						return &NotSymmetricError{i, j, diff}
					}
					if diff > worst.Diff {
						worst = NotSymmetricError{i, j, diff}
					}
				}
			}
		}
	}
	if worst.Diff > 0 {
		return &worst
	}
	return nil
}

// byColumns brings a matrix stored by rows into column order, where it can in place. False
// means that the system has no memory for a second one.
func byColumns(a []float64, rows, cols int) ([]float64, bool) {
	switch {
	case rows <= 1 || cols <= 1: // the same in both orders
		return a, true
	case rows == cols:
		transposeInPlace(a, rows)
		return a, true
	case !available(len(a)):
		return nil, false
	}
	b := make([]float64, len(a))
	transposeInto(b, a, rows, cols)
	return b, true
}

// transposeInPlace turns the n × n matrix a into its transpose.
func transposeInPlace(a []float64, n int) {
	for j0 := 0; j0 < n; j0 += tile {
		for i0 := j0; i0 < n; i0 += tile {
			for j := j0; j < min(j0+tile, n); j++ {
				for i := max(i0, j+1); i < min(i0+tile, n); i++ {
					a[i+j*n], a[j+i*n] = a[j+i*n], a[i+j*n]
				}
			}
		}
	}
}

// transposeInto fills the rows × cols matrix dst, stored by columns, from src, the same
// matrix stored by rows. They must not overlap.
func transposeInto(dst, src []float64, rows, cols int) {
	for j0 := 0; j0 < cols; j0 += tile {
		for i0 := 0; i0 < rows; i0 += tile {
			for j := j0; j < min(j0+tile, cols); j++ {
				for i := i0; i < min(i0+tile, rows); i++ {
					dst[i+j*rows] = src[i*cols+j]
				}
			}
		}
	}
}
