package batch

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// Stack returns `count` matrices of order n that lie in the slice `data` one after another. Each
// matrix is column-major with leading dimension n. Solve will read the triangle uplo of each
// matrix. The matrices share the memory of `data`. Stack panics if `data` has fewer than `count`·n²
// elements.
func Stack[T Number](n, count int, data []T, uplo evd.Uplo) []evd.Sym[T] {
	all := make([]evd.Sym[T], count)
	for k := range all {
		all[k] = evd.NewSym(n, data[k*n*n:(k+1)*n*n], uplo)
	}
	return all
}

// Spectrum is the selected part of the spectrum of one matrix.
type Spectrum[T Number] struct {
	// Values are the selected eigenvalues of the matrix, in ascending order, in double precision
	// for every T. They are NaN if the matrix could not be solved.
	Values []float64

	// Vectors has the eigenvectors as a column-major matrix with n rows. Column k belongs to
	// Values[k]. The vectors are NaN if the matrix could not be solved. Vectors is nil without
	// Options.Vectors.
	Vectors *evd.Dense[T]

	// Err is nil if the matrix was solved. If it could not be solved, Err is an *evd.NonFiniteError
	// or an *evd.NoConvergenceError. If Err is an *evd.OverflowError, the matrix was solved, but a
	// value is beyond the largest double, and is +Inf or −Inf. The other values and the vectors are
	// right.
	Err error
}

// Result holds the results for all matrices of a batch. The caller owns its memory.
type Result[T Number] struct {
	// First is the index of Values[0] among all eigenvalues of its matrix, the same for all
	// matrices.
	First int

	// Spectra[k] is the spectrum of matrix k. The values of all spectra lie in the array Values
	// without gaps, and the vectors in the array Vectors.
	Spectra []Spectrum[T]

	Values  []float64
	Vectors []T

	// Profile has the time of each phase of the solve, in seconds.
	Profile *vk.Profile
}

// Err is the error of the first matrix that has one, or nil.
func (r *Result[T]) Err() error {
	for _, s := range r.Spectra {
		if s.Err != nil {
			return s.Err
		}
	}
	return nil
}
