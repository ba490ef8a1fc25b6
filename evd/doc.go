// Package evd computes eigenvalues and eigenvectors of real symmetric matrices on a Vulkan device:
//
//	A = Q·diag(λ)·Qᵀ,  λ ascending,  QᵀQ = I.
//
// This solves for one matrix:
//
//	res, err := evd.Eigen(ctx, sym) // any gonum mat.Symmetric
//	res, err := evd.Solve(ctx, evd.NewSym(n, a, evd.Lower), evd.Options{Vectors: true})
//
// This solves for many matrices of one order, or gives control over the device:
//
//	dev, err := vk.Open(vk.Options{})
//	p, err := evd.NewPlan[float64](dev, n, evd.Options{Vectors: true})
//	res, err := p.Solve(ctx, evd.NewSym(n, a, evd.Lower))
//
// Options.Select asks for a part of the spectrum: evd.Index(0, 100), the hundred smallest, or
// evd.Interval(a, b). Fewer vectors take less time. A TridiagonalPlan is for matrices that are
// tridiagonal to begin with.
//
// # Contracts
//
// Memory. A plan allocates all its device memory once, when it is made. If the memory does not fit,
// there is no plan. There are two exceptions. MRRR for a part of the vectors allocates memory for
// divide and conquer if it needs that method, which is rare. And after a wait between workgroups
// that failed, a plan frees its memory and allocates about as much for the path without waiting. In
// both cases Solve can return a *vk.OutOfMemoryError. Solve does not write to its input, unless
// Options.Overwrite is set. Results have memory of their own.
//
// Results are the same bits from run to run on one device. The sign of each vector is fixed: its
// component of largest magnitude (the first of several) is positive.
//
// Goroutines may share a device and a plan. A plan solves one matrix at a time.
//
// Indices count from 0, ranges are half-open, and λ[0] is the smallest eigenvalue. ulp is 2⁻⁵².
//
// # Method
//
// The method is the two-stage reduction of LAPACK's dsyevd_2stage, and Plan.Solve is its outline.
// Package stages has the steps.
//
//	plan.go path.go memory.go options.go   what is prepared once
//	doubles.go                             where the number type meets double precision
//	solve.go load.go signs.go result.go    one solve
//	check.go ratios.go                     residual and orthogonality of a result
//	verify.go certificate.go               results that are proved, and the safe path
//	avoid_waiting.go                       the path after a wait that failed
//	tridiagonal*.go                        the same for tridiagonal matrices
//	spectrum/                              T → Λ, S, for both kinds of plan
package evd
