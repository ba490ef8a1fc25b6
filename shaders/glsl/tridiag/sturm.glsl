// What Sturm counts of a symmetric tridiagonal start from; see stebz_prepare. After
// the numerics header and scale.glsl.
#ifndef STURM_GLSL
#define STURM_GLSL

struct Row { real_t d, e2; };
struct Start { real_t lo, hi, tiny, down[2], up[2]; };

#include "ulp.glsl"

// pivmin is the least magnitude of a pivot: as e² < 1, e²/pivmin is finite.
work_t pivmin() { return power_of_two(SCALE_LEAST); }

// unit is ulp·norm, in which the errors of counts are: of the scaled T's norm, which is at least ½
// unless T is zero.
work_t unit(Start s) { return ulp() * max(max(abs(s.lo), abs(s.hi)), work_t(0.5)); }

// scaled multiplies by a power of two whose exponent may be too large for one factor.
work_t scaled(work_t x, real_t by[2]) { return x * by[0] * by[1]; }

#endif
