// Package spectrum, internal to vkevd, lies between package stages and the plans of package evd. It
// has what all plans need that use a symmetric tridiagonal matrix T,
//
//	T = S·Λ·Sᵀ,  λ ascending.
//
//	base.go       what a plan is built on: device, order, memory, one call at a time
//	call.go       one call in flight: recordings, INFO words, profile
//	progress.go   marks of recordings → operations done of the whole
//	selection.go  which part of the spectrum
//	solver.go     which method, by name or by order
//	methods.go    stages as methods
//	stage.go      T → Λ, S: counts of an interval's ends, the method, settled values
//	counts.go     Sturm counts of many shifts
//	settle.go     values that are not certified are found again
//	certify.go    how near values are to the eigenvalues of T
//	tail.go       what every Solve ends with: Λ, S, vectors back, results to the host
//	memory.go     host memory for results, allocated while the device computes
//
// Package evd exports some of these types as aliases (Selection, Solver, Progress, StageCost and
// errors). Through evd these are public, and as stable as evd.
package spectrum
