// Package emulated, internal to vkevd, computes double-precision products on integer units: on
// matrix units for bytes, or with packed dot products (Ozaki's scheme II). Many GPUs compute in
// double precision 64 times slower than in single precision, and have integer units that are
// hundreds of times faster.
//
// A product C ← α·A·B + β·C takes these steps, each a kernel:
//
//	norms    an upper bound of the 2-norm of each row of A and of each column of B
//	shifts   a power of two for each of them, so that |A′·B′| < P/2 (Cauchy–Schwarz)
//	planes   A′ and B′, scaled and rounded to integers, modulo each of 13 to 16 numbers
//	product  A′·B′ modulo each number, exact in 32-bit sums
//	update   A′·B′ from its residues (Chinese remainder theorem), scaled back and added to C
//
// The last two are done strip by strip of C, so that residues of a strip stay in the cache.
//
// The error is normwise: an element is off by 2^(1−α)·√K·‖aᵢ‖·‖bⱼ‖ at most, with α = 50.8 for 13
// moduli and 54.6 for 14, which is better than the bound of native products. Small elements that
// come from small entries of rows with large ones are less accurate than native ones.
//
// All bits are the same on every device, whatever the tiles: integers are exact, and the few
// operations on doubles are correctly rounded. Package stages/ref has the same product in plain Go.
package emulated
