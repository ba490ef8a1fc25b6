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

// Singles rounds the elements to single precision. The result uses the memory of Data, and Data
// becomes nil. Numbers beyond the range of single precision become infinite.
func (d *Dense) Singles() []float32 {
	data := d.Data
	d.Data = nil
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
	most, at := 0.0, -1
	for k, x := range d.Data {
		if math.Abs(x) > most {
			most, at = math.Abs(x), k
		}
	}
	if at < 0 {
		return -1, -1
	}
	return at % d.Rows, at / d.Rows
}

func (d *Dense) At(i, j int) float64 { return d.Data[i+j*d.Rows] }
