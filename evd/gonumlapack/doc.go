// Package gonumlapack is gonum's LAPACK with symmetric eigenproblems on the GPU. After
//
//	dev, err := vk.Open(vk.Options{})
//	lapack64.Use(gonumlapack.New(dev))
//
// mat.EigenSym.Factorize and lapack64.Syev solve large symmetric problems on the device, and small
// ones, where the way to the device would take longer, with gonum's own code. From which
// order on is a matter of the device: see Crossover. Everything else of LAPACK stays gonum's.
//
// What callers of gonum rely on holds here too: eigenvalues ascend, eigenvectors are
// orthonormal columns of the row-major matrix a, workspace queries (lwork = −1) and panics are
// gonum's. The differences:
//
//   - A NaN or an infinity in the triangle that is read gives ok = false, at once. gonum
//     iterates on a NaN until it gives up, and some infinities end as NaN eigenvalues with ok = true.
//   - Without vectors a is left as it was; gonum overwrites the triangle.
//   - Each vector's sign is fixed: its component of largest magnitude is positive.
//   - ok = false can mean that the device failed. Report hears why.
package gonumlapack
