package matio

import (
	"math"
	"unsafe"
)

// Dense is a matrix with all elements stored by columns: element (i, j), counted from 0, is
// Data[i+j*Rows]. The leading dimension is Rows, and len(Data) = Rows·Cols. The caller owns Data,
// and may change it.
type Dense struct {
	Rows, Cols int
	Data       []float64

	// DeclaredSymmetric says that the file stored one triangle and declared the matrix symmetric
	// (Matrix Market only). Data has both triangles. The method Symmetric compares the numbers
	// themselves.
	DeclaredSymmetric bool

	// Single says that the file stored the elements in single precision (.npy and .npz only).
	Single bool

	// Table says how a table of text was read. It is nil for other formats.
	Table *Table
}

// Complex is a complex matrix with all elements stored by columns: element (i, j), counted from 0,
// is Data[i+j*Rows], and len(Data) = Rows·Cols. The caller owns Data, and may change it.
type Complex struct {
	Rows, Cols int
	Data       []complex128

	// DeclaredHermitian says that the file stored one triangle and declared the matrix Hermitian
	// (Matrix Market only). Data has both triangles, and the diagonal is real.
	DeclaredHermitian bool

	// Single says that the file stored the elements in single precision (.npy and .npz only).
	Single bool
}

// Singles rounds the elements to single precision. The result uses the memory of Data, and Data
// becomes nil. Numbers beyond the range of single precision become infinite.
func (d *Dense) Singles() []float32 {
	data := d.Data
	d.Data = nil
	return singles(data)
}

// Singles does the same as Dense.Singles for both parts of the elements.
func (c *Complex) Singles() []complex64 {
	parts := singles(partsOf(c.Data))
	c.Data = nil
	return unsafe.Slice((*complex64)(unsafe.Pointer(unsafe.SliceData(parts))), len(parts)/2)
}

func singles(data []float64) []float32 {
	if len(data) == 0 {
		return []float32{}
	}
	// Rounded number i overwrites half of the bytes of double i/2, which has already been read.
	singles := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), 2*len(data))
	for i, x := range data {
		singles[i] = float32(x)
	}
	return singles[:len(data):len(data)]
}

// Largest returns the position of the first element with the largest magnitude, counted from 0. NaN
// is ignored. Without a magnitude above 0, the result is −1, −1.
func (d *Dense) Largest() (row, col int) {
	return placeOf(d.Data, d.Rows)
}

// Largest returns the position of the first element with the largest real or imaginary part by
// magnitude, as Dense.Largest does.
func (c *Complex) Largest() (row, col int) {
	row, col = placeOf(partsOf(c.Data), 2*c.Rows)
	return row >> 1, col
}

// placeOf is Largest for `rows` elements in a column.
func placeOf(a []float64, rows int) (row, col int) {
	most, at := 0.0, -1
	for k, x := range a {
		if math.Abs(x) > most {
			most, at = math.Abs(x), k
		}
	}
	if at < 0 {
		return -1, -1
	}
	return at % rows, at / rows
}

func (d *Dense) At(i, j int) float64      { return d.Data[i+j*d.Rows] }
func (c *Complex) At(i, j int) complex128 { return c.Data[i+j*c.Rows] }

// pairsOf returns the memory of pairs of numbers as complex numbers, and partsOf does the reverse.
func pairsOf(a []float64) []complex128 {
	return unsafe.Slice((*complex128)(unsafe.Pointer(unsafe.SliceData(a))), len(a)/2)
}

func partsOf(a []complex128) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(a))), 2*len(a))
}
