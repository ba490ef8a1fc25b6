// This header has the limits of the solvers for tridiagonal matrices that depend on the range of
// the number type. The norm of a matrix T is about 1. The limits are exponents of 2, if no other
// unit is named. See numerics.glsl.
//
// Kernels of divide and conquer and of batches include this header, after a numerics header. The
// header defines the limits, POWER and POWER_BITS.
#ifndef RANGE_GLSL
#define RANGE_GLSL

// POWER(e) is 2^e for a constant e, and POWER_BITS(e) is SPLIT(POWER(e)).y.
#define POWER_BITS(e) uint(EXPONENT_BIAS + (e)) << EXPONENT_SHIFT
#define POWER(e) JOIN(uvec2(0u, POWER_BITS(e)))

// TINY           elements whose norm is at most 2^TINY count as zero in a matrix of norm 1
// QL_NEGLIGIBLE  the same limit for an off-diagonal element, in ql.glsl
// QL_SMALL       an off-diagonal element of at least 2^QL_SMALL is not negligible, in ql.glsl
// QL_LEAST       smallest sum of squares for which ql.glsl computes a rotation. Its square root is
//                small compared with EPS
// LIFT           numbers below 2^TINY are multiplied by 2^LIFT before they are squared
// QUICK_LEAST    stedc_leaf computes a rotation of two numbers by its quick method if the smaller
// QUICK_MOST     number is at least 2^QUICK_LEAST, and the larger one at least 2^QUICK_MOST
// FUSED          1 + odd·2^FUSED is a number whose square must be rounded, for any odd number below
//                2^-(FUSED/2)
// ROOT_HALF      √½
//
// RATIO_SQUARED(a, y, inverse) is (a·y)², for inverse = y². In single precision a² could underflow,
// although (a·y)² is not negligible. In double precision a²·inverse has a shorter chain of
// operations.
//
// These limits are for sturm_batch.glsl:
//
// STURM_LEAST    smallest square of an off-diagonal element. Its square root is small compared with
//                EPS
// STURM_LEVEL    exponent of the minors after scaling
// STURM_ROWS     number of rows between two scalings. A row multiplies the larger magnitude of two
//                neighbouring minors by at most 3. Of three rows, at most two multiply it by less
//                than 1, but by at least 2^(STURM_LEAST − 2)
// STURM_ROUNDS   number of halvings of an interval of length 2
#if defined(SCALAR_F32) || defined(SCALAR_C64)
#define TINY -40
#define QL_NEGLIGIBLE -40
#define QL_SMALL -12
#define QL_LEAST -80
#define LIFT 90
#define QUICK_LEAST -75
#define QUICK_MOST -31
#define FUSED -20
#define ROOT_HALF 0.70710678118654752440
#define RATIO_SQUARED(a, y, inverse) ((a) * (y)) * ((a) * (y))
#define STURM_LEAST -56
#define STURM_LEVEL 110
#define STURM_ROWS 2
#define STURM_ROUNDS 25
#else
#define TINY -400
#define QL_NEGLIGIBLE -200
#define QL_SMALL -40
#define QL_LEAST -600
#define LIFT 600
#define QUICK_LEAST -600
#define QUICK_MOST -250
#define FUSED -30
#define ROOT_HALF 0.70710678118654752440lf
#define RATIO_SQUARED(a, y, inverse) (a) * (a) * (inverse)
#define STURM_LEAST -120
#define STURM_LEVEL 900
#define STURM_ROWS 8
#define STURM_ROUNDS 54
#endif

#endif
