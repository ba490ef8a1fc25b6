// Package emulated, internal to vkevd, computes double-precision products on integer units: on
// matrix units for bytes, or with packed dot products (Ozaki's scheme II). Many GPUs compute in
// double precision 64 times slower than in single precision, and have integer units that are
// hundreds of times faster.
//
// A product C ← α·A·B + β·C takes these steps, each of which is a kernel:
//
//	norms    an upper bound of the 2-norm of each row of A and of each column of B
//	shifts   a power of two for each of them, so that |A′·B′| < P/2 (Cauchy–Schwarz)
//	planes   A′ and B′, scaled and rounded to integers, modulo each of some numbers
//	product  A′·B′ modulo each number, exact in 32-bit sums
//	update   A′·B′ from its residues (Chinese remainder theorem), scaled back and added to C
//
// P is the product of these numbers, the moduli. There are 13 to 16 of them, or fewer if a product
// may be rough. A plane is the matrix of the residues of A′ or B′ modulo one of them. The steps
// product and update process some tiles of C (a strip) at a time, so that the residues of a strip
// stay in the cache.
//
// The error is normwise. Element (i, j) of A·B has an error of at most 2^(1−t)·√K·‖aᵢ‖·‖bⱼ‖, where
// K is the inner dimension, aᵢ is row i of A, bⱼ is column j of B, and t is the accuracy in bits: t
// is 50.8 for 13 moduli and 54.6 for 14 moduli. The bound for 14 moduli is better than the bound of
// native products. A small element of C that comes from small elements in rows with large elements
// is less accurate than a native result.
//
// Products of complex numbers take the same steps. Each modulus p has an integer ι with ι² ≡ −1
// modulo p, and each complex number has two residues (package moduli). So there are two planes for
// each modulus, and two products of bytes. The norms of rows are those of complex vectors. t is
// 51.7 for 14 moduli and 55 for 15 moduli.
//
// All bits are the same on every device, whatever the tiles are: integers are exact, and the few
// operations on doubles are correctly rounded. Package stages/ref has the same product in plain Go.
package emulated
