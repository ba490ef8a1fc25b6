// Package pencil solves generalized eigenproblems for a symmetric or Hermitian matrix A and a
// positive definite matrix B, entirely on the GPU (LAPACK's dsygvd and zhegvd):
//
//	AxLBx   A·x = λ·B·x     XᴴBX = I      itype 1
//	ABxLx   A·B·x = λ·x     XᴴBX = I      itype 2
//	BAxLx   B·A·x = λ·x     XᴴB⁻¹X = I    itype 3
//
// The factor of B stays on the device, for problems with many A and one B:
//
//	p, err := pencil.NewPlan[float64](dev, n, pencil.Options{Vectors: true})
//	f, err := p.Factor(ctx, b)      // B = L·Lᴴ; f.Condition tells how accurate results can be
//	res, err := p.Solve(ctx, a)     // any number of times
//	res, err := p.SolvePair(ctx, a, b)
//
// Solve and SolvePair return the same results. The function Solve opens a device and solves one
// pair.
//
// Accuracy. Let ε be the distance from 1 to the next larger number of the type. The values of AxLBx
// have errors of about n·ε·‖A‖·‖B⁻¹‖, and those of the other problems have errors of about
// n·ε·‖A‖·‖B‖. So smaller values have fewer correct digits. If B is ill-conditioned, ‖B⁻¹‖ is
// large, and many values of AxLBx are small in comparison. This is so for every method that uses a
// factor of B, also for LAPACK's. Options.Refine improves such results: each value and vector of
// AxLBx then has errors as if A and B had been changed by rounding errors. Check and Options.Verify
// measure each result.
//
// If B is the overlap matrix of functions that nearly depend on each other, it is nearly singular,
// and has no factor or an inaccurate one. Options.Overlap then drops the directions in which B is
// nearly singular.
package pencil
