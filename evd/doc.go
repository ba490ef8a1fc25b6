// Package evd computes eigenvalues and eigenvectors of real symmetric matrices
// on a Vulkan device:
//
//	A = Q·diag(λ)·Qᵀ,  λ ascending,  QᵀQ = I.
//
// For one matrix:
//
//	res, err := evd.Eigen(ctx, sym) // any gonum mat.Symmetric
//
// For many of one size, or for control over the device:
//
//	dev, err := vk.Open(vk.Options{})
//	p, err := evd.NewPlan[float64](dev, n, evd.Options{Vectors: true})
//	res, err := p.Solve(ctx, evd.Sym[float64]{N: n, Ld: n, Data: a, Uplo: evd.Lower})
//
// Options.Select asks for a part of the spectrum: evd.Index(0, 100), the hundred least, or
// evd.Interval(a, b); its vectors take a part of the time. A TridiagonalPlan is for
// matrices that are tridiagonal to begin with.
//
// A plan allocates all device memory once and refuses at once what does not fit. (The exception is
// MRRR for a part of the vectors: should divide and conquer ever have to help out, its memory is
// allocated for that time, or Solve returns a *vk.OutOfMemoryError.) Its
// input is never written to unless Options.Overwrite is set. Results are the same bits from run
// to run on one device, and every vector's sign is fixed: its component of
// largest magnitude (the first of equals) is positive.
//
// The method is the two-stage reduction of LAPACK's dsyevd_2stage; Solve reads
// as its outline. See the package stages for each step alone.
package evd
