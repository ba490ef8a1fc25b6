// This header selects the number types of a kernel that is compiled for several number types.
//
// Every kernel of the dense path includes this header first. The generator compiles such a kernel
// for each number type, with SCALAR_F32 defined for float32. It gives the kernel's Go function and
// push block a type parameter. Such a kernel does not name a floating-point type itself. It uses
// the following names, which numerics_f64.glsl and numerics_f32.glsl define.
//
//	scalar_t      type of matrix entries in memory: of A, of Q, of reflectors, and of the factors τ
//	real_t        type of real numbers in memory: norms, d, e, λ
//	work_t        type of the numbers that a kernel computes with
//	acc_t         type of the variables that accumulate sums
//	SCALAR_BYTES  size of one scalar_t in bytes
//	REAL_BYTES    size of one real_t in bytes
//
// These names concern the bits of a number:
//
//	SPLIT(x)          the bits of x as a uvec2; .y has the sign, the exponent and the upper bits
//	                  of the mantissa
//	JOIN(h)           the number x with SPLIT(x) = h
//	EXPONENT_SHIFT    number of bits of SPLIT(x).y below the exponent
//	EXPONENT_FIELD    mask of the exponent after a shift down by EXPONENT_SHIFT
//	EXPONENT_MOST     largest e such that 2^e and 2^-e are both normal numbers
//	EXPONENT_BIAS     exponent field of the number 1
//	MAGNITUDE_BITS    mask of SPLIT(x).y. If the masked bits of x are larger than the masked bits
//	                  of y, then |x| > |y|. If they are equal, |x| < 2·|y|, or both are near 0
//
// These constants are for the panels of QR factorisations, whose elements are scaled to at most 4:
//
//	TINY_EXPONENT     a tail whose sum of squares is below 2^TINY_EXPONENT counts as zero
//	REGAUGE_LEAST     smallest exponent d of a factor 2^d that converts a dot product to another
//	                  scale. For a smaller d the product becomes zero. The sum of 2^32 such
//	                  products would still be below 2^TINY_EXPONENT
#ifdef SCALAR_F32
#include "numerics_f32.glsl"
#else
#include "numerics_f64.glsl"
#endif
