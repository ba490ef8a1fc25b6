// Package batch computes eigenvalues and eigenvectors of many small real symmetric matrices at once
// on a Vulkan device:
//
//	A(k) = Q(k)·diag(λ(k))·Q(k)ᵀ,  λ(k) ascending,  Q(k)ᵀQ(k) = I,  k = 0, 1 …
//
// A plan is for matrices up to an order n; their orders may differ:
//
//	p, err := batch.NewPlan(dev, 64, 1000, batch.Options{Vectors: true})
//	res, err := p.Solve(ctx, batch.Stack(64, 5000, data, evd.Lower))
//	res.Spectra[17].Values, res.Spectra[17].Vectors, res.Spectra[17].Err
//
// MostOrder is the largest order, some hundreds. For larger matrices use an evd.Plan: a single
// matrix then keeps the device busy.
//
// # Contracts
//
// What is wrong with one matrix is that matrix's error: a NaN or an infinity
// (*evd.NonFiniteError), or no convergence (*evd.NoConvergenceError). The others are solved.
//
// The bits of a result depend on the matrix and the device alone: they are the same in every run, in
// every batch and at every place in it. (Those of evd.Plan differ: it has other methods.)
//
// Entries may be of any magnitude: each matrix is multiplied by a power of two. Signs of vectors are
// those of package evd. Solve does not write to its input.
//
// A plan allocates all its device memory when it is made. Goroutines may share a plan, which does
// one call at a time.
//
// # Method
//
// Householder reduction to tridiagonal form and implicit QL iteration, as in LAPACK's dsyev, or
// bisection where no vectors are wanted. Each matrix has a workgroup or less. Package stages has the
// steps (stages.Batch).
package batch
