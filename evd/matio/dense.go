package matio

// Dense is a matrix with all elements stored by columns: element (i, j), counted from 0, is
// Data[i+j*Rows]. The leading dimension is Rows, and len(Data) = Rows·Cols. The caller owns Data,
// and may change it.
type Dense struct {
	Rows, Cols int
	Data       []float64

	// DeclaredSymmetric says that the file stored one triangle and declared the matrix symmetric
	// (Matrix Market only). Data has both triangles. The method Symmetric tells whether the numbers
	// are symmetric, whatever the file declared.
	DeclaredSymmetric bool
}

// At returns element (i, j) of the matrix, 0 ≤ i < Rows, 0 ≤ j < Cols.
func (d *Dense) At(i, j int) float64 { return d.Data[i+j*d.Rows] }
