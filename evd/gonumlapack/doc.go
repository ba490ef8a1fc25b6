// Package gonumlapack is gonum's LAPACK with symmetric eigenproblems and singular values on the GPU. After
//
//	dev, err := vk.Open(vk.Options{})
//	lapack64.Use(gonumlapack.New(dev))
//
// mat.EigenSym.Factorize and lapack64.Syev solve large symmetric problems on the device, and
// mat.SVD.Factorize with mat.SVDNone and lapack64.Gesvd find singular values there. Small
// problems, for which transfers would take longer than the solve, are left to gonum's own code:
// Crossover says from which order on the device is used. All other functions of LAPACK stay
// gonum's, and so are singular vectors.
//
// The contract is gonum's: eigenvalues ascend, eigenvectors are orthonormal columns of the
// row-major matrix a, workspace queries (lwork = −1) and panics are the same. The differences:
//
//   - A NaN or an infinity in what is read gives ok = false, at once. gonum iterates on a
//     NaN until it gives up, and some infinities end as NaN eigenvalues with ok = true.
//   - Without vectors a is not changed; gonum overwrites the triangle, or all of a for singular values.
//   - The sign of each vector is fixed: its component of largest magnitude is positive.
//   - ok = false can mean that the device failed. Implementation.Report is called with the reason.
package gonumlapack
