// This header declares the data from which Sturm counts of a symmetric tridiagonal matrix T start.
// stebz_prepare makes this data.
//
// stebz, stebz_narrow and stebz_prepare include this header, after a numerics header and
// scale.glsl. The header defines Row, Start, pivmin, unit and scaled.
#ifndef STURM_GLSL
#define STURM_GLSL

// A Row is a row of the scaled T: its diagonal element, and the square of the off-diagonal element
// before it.
struct Row { real_t d, e2; };
// A Start has an interval [lo, hi] that contains all eigenvalues of the scaled T. The product of
// the elements of `down` scales T. The product of the elements of `up` reverses the scaling.
struct Start { real_t lo, hi, down[2], up[2]; };

#include "ulp.glsl"

// pivmin is the smallest magnitude of a pivot in a Sturm count. The quotient e²/pivmin is finite
// for every off-diagonal element e, because e² < 1.
work_t pivmin() { return power_of_two(SCALE_LEAST); }

// unit returns ulp·norm, the unit of the error bounds of counts. norm is the norm of the scaled T,
// at least ½ unless T is zero.
work_t unit(Start s) { return ulp() * max(max(abs(s.lo), abs(s.hi)), work_t(0.5)); }

// scaled returns x·by[0]·by[1]. x is multiplied by the factors one after the other, because their
// product may be out of the range of doubles.
work_t scaled(work_t x, real_t by[2]) { return x * by[0] * by[1]; }

#endif
