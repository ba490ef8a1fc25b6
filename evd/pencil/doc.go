// Package pencil solves generalized eigenproblems for a symmetric or Hermitian matrix A and a positive
// definite matrix B, entirely on the GPU (LAPACK's dsygvd and zhegvd):
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
// Solve and SolvePair return the same results. Solve in the package opens a device for one pair.
//
// Accuracy. With ε the distance from 1 to the next number of the type, the values have errors of
// about n·ε·‖A‖·‖B⁻¹‖: values near the largest one are accurate to n·ε, and smaller ones lose digits
// if B is ill-conditioned. This is so for every method by a factor of B, LAPACK's included. Check and
// Options.Verify measure each result.
package pencil
