// Package gonumlapack implements gonum's LAPACK interface, with symmetric eigenproblems and
// singular value decompositions on the GPU. After
//
//	dev, err := vk.Open(vk.Options{})
//	lapack64.Use(gonumlapack.New(dev))
//
// mat.EigenSym.Factorize and lapack64.Syev solve large symmetric problems on the device, and
// mat.SVD.Factorize and lapack64.Gesvd compute singular values and vectors there. gonum's own code
// solves small problems, for which transfers would take longer than the solve. Crossover holds the
// orders from which the device is used. All other functions of LAPACK are gonum's.
//
// The contract is gonum's: eigenvalues ascend, eigenvectors are orthonormal columns of the
// row-major matrix a, workspace queries (lwork = −1) and panics are the same. The differences:
//
//   - A NaN or an infinity in what is read gives ok = false, at once. gonum iterates on a
//     NaN until it gives up, and some infinities end as NaN eigenvalues with ok = true.
//   - Without eigenvectors, and for singular values and vectors, a is not changed. gonum overwrites it.
//   - The sign of each vector is fixed: its component of largest magnitude is positive. A left singular
//     vector has the sign that goes with the right one.
//   - ok = false can mean that the device failed. Implementation.Report is called with the reason.
package gonumlapack
