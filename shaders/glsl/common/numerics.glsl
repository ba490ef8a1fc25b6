// This header selects the number types of a kernel that is compiled once for each type of number.
//
// Every kernel of the dense path includes it first. The generator compiles such a kernel for each
// number type, with SCALAR_F32 defined for float32, and gives its Go function and its push block a
// type parameter. Such a kernel does not name a floating-point type itself. It uses the names
// below, which numerics_f64.glsl and numerics_f32.glsl define.
//
//	scalar_t      entries in memory: of A, of Q, of reflectors, and their factors τ
//	real_t        real numbers in memory: norms, d, e, λ
//	work_t        what a kernel computes with
//	acc_t         what sums are accumulated in
//	SCALAR_BYTES  bytes of one scalar_t
//	REAL_BYTES    bytes of one real_t
//
// These names deal with the bits of a number:
//
//	SPLIT(x)          uvec2 of x; .y has its sign, its exponent and the bits after it
//	JOIN(h)           the number of which h is SPLIT
//	EXPONENT_SHIFT    bits of SPLIT(x).y below the exponent
//	EXPONENT_FIELD    mask of the exponent, shifted down
//	EXPONENT_MOST     largest e such that 2^e and 2^-e are both normal numbers
//	EXPONENT_BIAS     the exponent field of 1
//	MAGNITUDE_BITS    mask of SPLIT(x).y: orders |x| up to a factor below 2, 0 if |x| vanishes
//
// These constants are for the panels, whose elements are scaled to at most 4:
//
//	TINY_EXPONENT     a tail whose sum of squares is below 2^TINY_EXPONENT counts as zero
//	REGAUGE_LEAST     smallest power of two that a product is scaled by; smaller ones give zero. Even
//	                  2^32 products that are dropped do not reach 2^TINY_EXPONENT
#ifdef SCALAR_F32
#include "numerics_f32.glsl"
#else
#include "numerics_f64.glsl"
#endif
