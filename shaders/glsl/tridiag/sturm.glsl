// This header has the data from which Sturm counts of a symmetric tridiagonal matrix start.
// stebz_prepare makes the data.
//
// The kernels stebz* include it, after a numerics header and scale.glsl. It defines Row, Start and
// the constants of the error bounds.
#ifndef STURM_GLSL
#define STURM_GLSL

// A Row is a row of the scaled T: its diagonal element, and the square of the off-diagonal element
// before it.
struct Row { real_t d, e2; };
// A Start has an interval [lo, hi] with all eigenvalues of the scaled T inside. tiny is the
// absolute part of bisection's stopping rule. The product of down scales T, the product of up
// undoes the scaling.
struct Start { real_t lo, hi, tiny, down[2], up[2]; };

#include "ulp.glsl"

// pivmin is the smallest magnitude of a pivot. Since e² < 1, e²/pivmin is finite.
work_t pivmin() { return power_of_two(SCALE_LEAST); }

// unit is ulp·norm, the unit of the errors of counts. norm is that of the scaled T, at least ½
// unless T is zero.
work_t unit(Start s) { return ulp() * max(max(abs(s.lo), abs(s.hi)), work_t(0.5)); }

// scaled multiplies x by a power of two whose exponent may be too large for one factor.
work_t scaled(work_t x, real_t by[2]) { return x * by[0] * by[1]; }

#endif
