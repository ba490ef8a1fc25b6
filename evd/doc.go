// Package evd computes eigenvalues and eigenvectors of real symmetric and of complex Hermitian
// matrices on a Vulkan device:
//
//	A = Q·diag(λ)·Qᵀ,  λ ascending,  QᵀQ = I      (complex: Qᴴ in place of Qᵀ)
//
// A function for one matrix:
//
//	res, err := evd.Eigen(ctx, sym) // any gonum mat.Symmetric
//	res, err := evd.Solve(ctx, evd.NewSym(n, a, evd.Lower), evd.Options{Vectors: true})
//
// A plan, for many matrices of one order or for a chosen device:
//
//	dev, err := vk.Open(vk.Options{})
//	p, err := evd.NewPlan[float64](dev, n, evd.Options{Vectors: true})
//	res, err := p.Solve(ctx, evd.NewSym(n, a, evd.Lower))
//
// Options.Select selects a part of the spectrum: evd.Index(0, 100) is the hundred smallest
// eigenvalues, and evd.Interval(a, b) is the eigenvalues in (a, b]. Fewer vectors take less time. A
// TridiagonalPlan solves tridiagonal matrices.
//
// # Contracts
//
// Memory. NewPlan allocates all device memory of a plan, or returns an error if the device has too
// little. There are two exceptions. MRRR for a part of the vectors sometimes needs divide and
// conquer, which is rare, and then allocates memory for it. After a wait between workgroups has
// failed, or emulated products have refused a factor, a plan frees its memory and allocates about
// as much for solves without such waits or with native products. In both cases Solve can return a
// *vk.OutOfMemoryError. Solve does not write to its input, unless Options.Overwrite is set. Results
// have memory of their own.
//
// Results have the same bits in every run on one device. The sign of each vector, or the phase of a
// complex one, is fixed: its component of largest magnitude is real and positive (the first of
// them, if there are several).
//
// Goroutines may share a device and a plan. A plan solves one matrix at a time.
//
// Indices count from 0, ranges are half-open, and λ[0] is the smallest eigenvalue. ulp is 2⁻⁵², or
// 2⁻²³ for float32.
//
// A plan for float32 (NewPlan[float32]) needs about two thirds of the memory. Its ratios and
// certificates are in units of float32's ulp. It solves the tridiagonal problem in double
// precision, on the host if the device has no FP64. A MixedPlan computes in single precision,
// and refines all vectors to double precision.
//
// A plan for complex128 or complex64 takes the lower or the upper triangle of a Hermitian matrix,
// by columns or by rows (Sym.RowMajor), and ignores the imaginary parts of the diagonal. Values are
// real numbers. complex64 is to complex128 what float32 is to float64. A TridiagonalPlan is real.
//
// # Method
//
// The method is the two-stage reduction of LAPACK's dsyevd_2stage. The comment of Plan.Solve has
// its outline. Package stages has the steps.
//
//	plan.go options.go result.go           Plan: what it can do, and what it is for a user
//	solve.go check.go verify.go            Plan.Solve, Plan.Check, second solve of Options.Verify
//	avoid_waiting.go                       the stages after an attempt that failed
//	internal/dense/                        the solve on one device
//	internal/team/                         the solve on several devices: helpers, divided matrices
//	internal/refinement/                   the refinement of approximate eigenvectors on one device
//	internal/precision/                    conversions between the number type of A and float64
//	internal/plan/                         what every plan is, whatever it solves
//	refine*.go                             RefinePlan: from approximate eigenvectors
//	mixed*.go                              MixedPlan: single precision, then a refinement
//	tridiagonal*.go                        TridiagonalPlan
//	spectrum/                              T → Λ, S, for all kinds of plan
//
// From Plan.Solve to the first stage that a device computes are four steps (for a divided matrix
// the second and third are those of package team):
//
//	Plan.Solve                             checks A; plan.Survive and plan.Verified solve again
//	Plan.solveBy                           the whole method: Reduce, spectrum.Tail, certificate
//	dense.Solve.Reduce                     uploads A, scans it, and records the reduction meanwhile
//	dense.Solve.RecordReduction            A → B → T
//	move.SymmetricLoad.Record              the first stage
package evd
