// Package spectrum, internal to vkevd, solves the symmetric tridiagonal eigenproblem for the plans
// of packages evd, svd, pencil and batch:
//
//	T = S·Λ·Sᵀ,  λ ascending.
//
//	selection.go  Selection, the wanted part of the spectrum
//	solver.go     the choice of the method, by name or by order
//	methods.go    stages that solve the tridiagonal problem, as Methods
//	host*.go      methods on the host, for devices without double precision; checks on the host
//	shared.go     divide and conquer by several devices
//	stage.go      Stage, the step T → Λ, S: interval → indices, method, settle
//	counts.go     Sturm counts of many shifts
//	settle.go     a second computation of values that are not certified
//	certify.go    proved distances of values to the eigenvalues of T
//	tail.go       the last part of every Solve: Λ, S, back transformation, download
//	errors.go     the error for an interval with too many values
//
// The types for T and for the selected part of its spectrum are in tridiagonal.go.
//
// Package evd exports some of its types as aliases (Selection, Solver and an error). These aliases
// are public, and as stable as evd.
package spectrum
