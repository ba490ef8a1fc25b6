// What the kernels that chase bulges share: where things lie, and how a reflector comes from
// an x. The includer has declared B, LEAD and VECTORS, and says there what a step is.
//
// FLAGS: a dispatch is sweeps [first, last), which wait for each other. Without it, the
// steps with stride·s + j = wave.
#ifndef CHASE_GLSL
#define CHASE_GLSL
#include "scale.glsl"
#include "flags.glsl"

layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer Band { nonprivate real_t at[]; };

#ifdef LOG
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Log { uvec2 at[]; }; // when, which workgroup
#endif

layout(push_constant, scalar) uniform Push {
	Band band;
	MatrixOut v, tau;
	uint n;
#ifdef FLAGS
	uint first, last; // sweeps of this dispatch
	uint polls;       // before a wait is given up
	Flags flags;      // one a sweep, all zero before the first dispatch
	Flags ticket;     // zero before this dispatch
	Flags info;       // 0; 1 + the sweep that was waited for in vain
	Flags abort_word;
#ifdef LOG
	Flags counter; // zero before
	Log log;       // of sweep s and step j, or its end, at s·(steps(0)+1) + j
#endif
#else
	uint wave, stride;
	uint newest, count; // workgroup i takes sweep newest − i, i < count
#endif
} p;

const uint COLUMN = 2 * B - 1; // from (i, j) to (i, j+1) in the compact band

uint at(uint row, uint col) { return row + col * COLUMN; }

// band is the address of element (row, col). (A function that returned a reference would bring down
// the validation layer's instrumentation.)
uint64_t band(uint row, uint col) { return element(uint64_t(p.band), at(row, col), 0, 0); }

// mirrored is where element (i, k) of D lies behind its first, by symmetry.
uint mirrored(uint i, uint k) { return at(max(i, k), min(i, k)); }

uint steps(uint s) { return (p.n - 1 - s + B - 1) / B; }

// vectors is the address of v of step j of sweep s.
uint64_t vectors(uint s, uint j) {
	return element(uint64_t(p.v), uint64_t(s) * (p.n - 1) - (uint64_t(s) * s - s) / 2 + j * B, 0, 0);
}

// factor is the address of its τ.
uint64_t factor(uint s, uint j) { return element(uint64_t(p.tau), j, s, steps(0)); }

// H = I − γ·u·uᵀ, u = x·2^e − ν·e1: LAPACK's v and τ are u/u_0 and γ·u_0².
struct Reflector { work_t gamma, u0, inverse, beta, tau; };

// inverse_root is 1/√q, q in single precision's range, to an ulp or two: a third-order step from that precision.
work_t inverse_root(work_t q) {
	work_t y = work_t(inversesqrt(float(q)));
	work_t e = fma(-(q * y), y, work_t(1));
	return fma(y * e, fma(e, work_t(0.375), work_t(0.5)), y);
}

// inverse is 1/z, alike.
work_t inverse(work_t z) {
	work_t y = work_t(1.0f / float(z));
	work_t e = fma(-z, y, work_t(1));
	return fma(y, fma(e, e, e), y);
}

// magnitude orders |x| by the half of x that has the exponent.
uint magnitude(work_t x) { return unpackDouble2x32(x).y & 0x7fffffffu; }

// reflector is H from the head of x and q = xᵀx, both scaled by 2^-e, such that neither overflows nor vanishes;
// kept is the head unscaled. Where not turns, H = I. There is no branch: a compiler that takes one for
// divergent makes the shuffles behind it many times slower (NVIDIA's, 580.159).
Reflector reflector(work_t head, work_t q, int e, work_t kept, bool turns) {
	work_t size = abs(head);
	q = turns ? q : work_t(1);
	work_t y = inverse_root(q), norm = q * y;
	norm = fma(fma(-norm, norm, q), work_t(0.5) * y, norm); // Newton again, for √q
	Reflector h;
	h.gamma = turns ? inverse(fma(norm, size, q)) : work_t(0);
	h.tau = turns ? fma(size, y, work_t(1)) : work_t(0);
	h.inverse = h.gamma * norm; // 1/(|head| + norm)
	bool flip = head >= 0; // β away from head, so that u_0 does not cancel
	work_t beta = flip ? -norm : norm;
	h.u0 = head - beta;
	h.inverse = flip ? h.inverse : -h.inverse;
	h.beta = turns ? beta * power_of_two(e) : kept;
	return h;
}

#ifdef LOG
void note(uint s, uint j) {
	uint when = atomicAdd(p.counter.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	p.log.at[s * (steps(0) + 1) + j] = uvec2(when, gl_WorkGroupID.x);
}
#endif

#ifdef FLAGS
shared uint sweep;
shared bool go[2]; // whether step j can begin, in go[j % 2]

uint seen; // the flag of sweep s−1, as the one invocation that waits last saw it

// Why no wait lasts for ever: a sweep waits only for the one before it, which
// either ended in an earlier dispatch or was claimed before, by a workgroup that is
// therefore running; by induction that one comes to its end, as the oldest sweep
// waits for none. It takes a device that lets started workgroups go on.
bool reaches(uint s, uint need) {
	if (seen < need) seen = await(p.flags, s - 1, need, p.info, p.abort_word, p.polls);
	return seen >= need;
}

// claim takes the next sweep of this dispatch for the workgroup, or p.last. One invocation calls it.
void claim() {
	uint s = stopped(p.info, p.abort_word) ? p.last
		: p.first + atomicAdd(p.ticket.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	seen = s == p.first ? FLAG_END : 0;
	sweep = s < p.last && reaches(s, LEAD) ? s : p.last;
}
#endif
#endif
