// Package accuracy, internal to vkevd, measures the errors of the reduction of bands to bidiagonal
// form in double, single and half precision (package svd, BandPlan). It repeats the experiment of
//
//	E. Ringoot, R. Alomairy, A. Edelman: Memory-Aware Bulge-Chasing on GPUs, 2025, Figure 4
//
// A trial is one matrix A = U·Σ·Vᵀ with known singular values Σ and random orthogonal U and V. A is
// reduced to bands of several widths in double precision. Each band is reduced to bidiagonal form in
// each of the precisions, and the singular values σ̂ of the bidiagonal matrix are computed in double
// precision. The error is ‖σ̂ − σ‖ / ‖σ‖.
package accuracy
