// Package batch computes eigenvalues and eigenvectors of many small real symmetric or complex
// Hermitian matrices at once on a Vulkan device, in double or in single precision:
//
//	A(k) = Q(k)·diag(λ(k))·Q(k)ᴴ,  λ(k) ascending,  Q(k)ᴴQ(k) = I,  k = 0, 1 …
//
// A plan solves matrices of the orders 0 to n. The matrices of a batch may have different orders:
//
//	p, err := batch.NewPlan[float64](dev, 64, 1000, batch.Options{Vectors: true})
//	res, err := p.Solve(ctx, batch.Stack(64, 5000, data, evd.Lower))
//	res.Spectra[17].Values, res.Spectra[17].Vectors, res.Spectra[17].Err
//
// MaxOrder returns the largest order of a plan, some hundreds. For larger matrices use an
// evd.Plan, because a single large matrix keeps the device busy.
//
// A plan for complex128 or complex64 solves Hermitian matrices, with the same options. A
// TridiagonalPlan solves many tridiagonal matrices, which are real. A PairPlan solves many generalized
// eigenproblems A·x = λ·B·x.
//
// # Contracts
//
// If a matrix has a NaN or an infinity (*evd.NonFiniteError) or its iteration does not converge
// (*evd.NoConvergenceError), only this matrix has an error. The other matrices of the batch are
// solved.
//
// The bits of a result depend only on the matrix and the device: they are the same in every run, in
// every batch and at every place in a batch. An evd.Plan uses other methods, and its results have
// other bits.
//
// Entries may be of any magnitude, because each matrix is multiplied by a power of two. The signs
// of vectors follow the rule of package evd. Solve does not write to its input.
//
// An eigenvalue of a finite matrix of doubles may be larger than the largest double. It is then +Inf
// or −Inf, and Spectrum.Err is an *evd.OverflowError. With float32 and complex64 this is not
// possible, because eigenvalues are doubles.
//
// With float32 and complex64, all steps are computed in single precision, the tridiagonal problem,
// too. A device without double precision therefore has batches of these types, and its results have
// the same bits as those of a device with it, if the devices are otherwise the same.
//
// A plan allocates all its device memory when it is made. Goroutines may share a plan. A plan
// executes one call at a time.
//
// # Method
//
// The method is Householder reduction to tridiagonal form and implicit QL iteration, as in LAPACK's
// dsyev and zheev. A workgroup solves one matrix or several. For larger orders, divide and conquer
// replaces QL iteration, for all matrices together. If no vectors are wanted, bisection replaces
// both. Package stages/batch describes the steps (batch.Batch).
package batch
