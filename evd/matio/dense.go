package matio

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
