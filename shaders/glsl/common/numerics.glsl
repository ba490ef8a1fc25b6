// This header selects the number types of a kernel that is compiled for several number types.
//
// Every kernel of the dense path includes this header first. The generator compiles such a kernel
// for float64, and with SCALAR_F32 defined for float32. If the header of the kernel has the line
// "complex", the generator also compiles it with SCALAR_C128 and SCALAR_C64 defined, for complex128
// and complex64; then COMPLEX is defined, too. The kernel's Go function and push block get a type
// parameter. Such a kernel does not name a floating-point type itself. It uses the following names,
// which numerics_f64.glsl, numerics_f32.glsl and numerics_complex.glsl define.
//
//	scalar_t      type of matrix entries in memory: of A, of Q, of reflectors, and of factors τ
//	real_t        type of real numbers: norms, d, e, λ. Most kernels that are compiled for complex
//	              numbers have no real_t in memory; they store real numbers as complex ones. If
//	              such a kernel has a buffer of real_t, its Go function and push block have R, the
//	              type of real numbers, as second type parameter
//	work_t        type of the numbers that a kernel computes with
//	acc_t         type of the variables that accumulate sums
//	SCALAR_BYTES  size of one scalar_t in bytes
//	REAL_BYTES    size of one real_t in bytes
//	real_bits_t   type of a real number in a push block that is the same for all number types:
//	              eight bytes, in Go a spirv.RealBits. REAL(x) is the number
//
// Kernels that are compiled for complex numbers use these names for arithmetic. For real numbers
// they are macros of numerics_real.glsl: conjugate(a) is a, and so on.
//
//	of_real(r)           the real number r as a matrix entry
//	one()                the number 1 as a matrix entry; 0 is scalar_t(0)
//	real_of(a)           the real part of a
//	imag_of(a)           the imaginary part of a
//	conjugate(a)         the complex conjugate of a
//	conjugated(a, sign)  conjugate(a) if sign = SIGN_BIT, and a if sign = 0
//	mul(a, b)            a·b
//	multiply_by(a, b)    a ← a·b, for a variable a
//	mad(a, b, c)         a·b + c, with fused multiply-adds
//	mad_conj(a, b, c)    conjugate(a)·b + c, with fused multiply-adds
//	square(a)            |a|², a real number
//	largest_part(a)      the larger absolute value of both parts of a
//	real_if(is, a)       a, without its imaginary part if the condition `is` is true
//
// These names concern the bits of a real number:
//
//	SPLIT(x)          the bits of x as a uvec2; .y has the sign, the exponent and the upper bits
//	                  of the mantissa
//	JOIN(h)           the number x with SPLIT(x) = h
//	EXPONENT_SHIFT    number of bits of SPLIT(x).y below the exponent
//	EXPONENT_FIELD    mask of the exponent after a shift down by EXPONENT_SHIFT
//	EXPONENT_MOST     largest e such that 2^e and 2^-e are both normal numbers
//	EXPONENT_BIAS     exponent field of the number 1
//	SIGN_BIT          the bit of SPLIT(x).y that is the sign
//	MAGNITUDE_BITS    mask of SPLIT(x).y. If the masked bits of x are larger than the masked bits
//	                  of y, then |x| > |y|. If they are equal, |x| < 2·|y|, or both are near 0
//
// These constants are for the panels of QR factorisations, whose elements are scaled to at most 4:
//
//	TINY_EXPONENT     a tail whose sum of squares is below 2^TINY_EXPONENT counts as zero
//	REGAUGE_LEAST     smallest exponent d of a factor 2^d that converts a dot product to another
//	                  scale. For a smaller d the product becomes zero. The sum of 2^32 such
//	                  products would still be below 2^TINY_EXPONENT
#if defined(SCALAR_F32) || defined(SCALAR_C64)
#include "numerics_f32.glsl"
#else
#include "numerics_f64.glsl"
#endif
#if defined(SCALAR_C128) || defined(SCALAR_C64)
#include "numerics_complex.glsl"
#endif
