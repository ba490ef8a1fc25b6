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
// # Accuracy
//
// Values are within a small multiple of n·ulp·‖A‖ of eigenvalues of A, in practice like those of
// LAPACK: Plan.Check measures the ratios of its tests, and below 60 is good. Small eigenvalues
// have no relative accuracy. Options.Verify certifies a result before it is returned, or solves
// again more safely, or returns an *UnverifiedError.
//
// # Errors
//
// Errors are types with facts. *NonFiniteError names the entry of A that is NaN or infinite.
// *OptionError names the option, and *ShapeError the sizes that do not fit. *vk.OutOfMemoryError has
// the numbers of bytes that are needed and free. *vk.UnsupportedError names the feature that a device
// lacks. errors.Is finds
// vk.ErrNoDevice, vk.ErrDeviceLost and the error of a context that has ended. After an
// *OverflowError the result is there: a value beyond the largest double is infinite, all others and
// the vectors are right.
//
// # Method
//
// The method is the two-stage reduction of LAPACK's dsyevd_2stage: A is reduced to a band matrix by
// products, the band to a tridiagonal matrix by bulge chasing, and the vectors of the tridiagonal
// matrix are transformed back twice. docs/how-it-works.md explains it. In the code, Plan.Solve checks
// A, and package internal/dense, or internal/team for several devices, runs the steps of package
// stages.
package evd
