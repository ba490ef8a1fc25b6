// Package gonumlapack implements gonum's LAPACK interface, with symmetric eigenproblems and
// singular value decompositions on the GPU. After
//
//	dev, err := vk.Open(vk.Options{})
//	lapack64.Use(gonumlapack.New(dev))
//
// mat.EigenSym.Factorize and lapack64.Syev solve large symmetric problems on the device, and
// mat.SVD.Factorize and lapack64.Gesvd compute singular values and vectors on the device. gonum's
// own code solves small problems, for which the transfers would take longer than the solve.
// Crossover holds the smallest orders for the device. All other functions of LAPACK are gonum's.
//
// The contract is gonum's: the eigenvalues are ascending, the eigenvectors are orthonormal columns
// of the row-major matrix `a`, and workspace queries (lwork = −1) and panics are the same. For
// problems that the device solves, the differences are:
//
//   - A NaN or an infinity in the part of `a` that is read gives ok = false immediately. gonum
//     iterates on a NaN until its limit of iterations, and returns NaN with ok = true for some
//     infinities.
//   - Without eigenvectors, and for singular values and vectors, `a` is not changed. gonum
//     overwrites `a`.
//   - The sign of each vector is fixed: its component of largest magnitude is positive. A left
//     singular vector u has the sign for which A·v = σ·u holds.
//   - ok = false can mean that the device failed. Implementation.Report is called with the reason.
package gonumlapack
