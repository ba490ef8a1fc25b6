// Package svd computes the singular values of a dense matrix on the GPU,
//
//	A = U·Σ·Vᵀ     Σ = diag(σ₁, σ₂, …), σ₁ ≥ σ₂ ≥ … ≥ 0
//
// for A of any shape, in double precision:
//
//	dev, err := vk.Open(vk.Options{})
//	p, err := svd.NewPlan[float64](dev, m, n, svd.Options{})
//	res, err := p.Solve(ctx, evd.Dense[float64]{Rows: m, Cols: n, Ld: m, Data: a})
//	res.Values
//
// or Values(ctx, a) for one matrix. Singular vectors are not computed yet.
//
// Each computed value is within about ε·max(m, n)·σ₁ of a singular value, ε = 2⁻⁵², as with LAPACK's
// dgesdd: small ones have no relative accuracy.
//
//	plan.go         what one shape needs, prepared once
//	solve.go        the method
//	load.go         A to the device
//	certificate.go  what can be measured of values alone
package svd
