package batch

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// Stack returns count matrices of order n that lie one after another in data, each column-major
// with leading dimension n. uplo names the triangle that is read. The matrices share the memory of
// data. Stack panics if data has fewer than count·n² elements.
func Stack(n, count int, data []float64, uplo evd.Uplo) []evd.Sym[float64] {
	all := make([]evd.Sym[float64], count)
	for k := range all {
		all[k] = evd.NewSym(n, data[k*n*n:(k+1)*n*n], uplo)
	}
	return all
}

// Spectrum is the selected part of the spectrum of one matrix.
type Spectrum struct {
	// Values are the eigenvalues, ascending. After an error they are NaN.
	Values []float64

	// Vectors has the eigenvectors, n×len(Values), column-major: column k belongs to Values[k]. After
	// an error they are NaN. It is nil without Options.Vectors.
	Vectors *evd.Dense[float64]

	// Err is nil, an *evd.NonFiniteError or an *evd.NoConvergenceError of this matrix.
	Err error
}

// Result holds the spectra of a batch. The caller owns its memory.
type Result struct {
	// First is the index of the first value of each matrix among all its eigenvalues.
	First int

	// Spectra has the spectra of the matrices, in the order of the matrices. The values of all
	// spectra lie in one array without gaps, and so do the vectors.
	Spectra []Spectrum

	// Values is the array of all values, and Vectors is the array of all vectors.
	Values, Vectors []float64

	// Profile has the seconds of each phase.
	Profile *vk.Profile
}

// Err is the error of the first matrix that has one, or nil.
func (r *Result) Err() error {
	for _, s := range r.Spectra {
		if s.Err != nil {
			return s.Err
		}
	}
	return nil
}
