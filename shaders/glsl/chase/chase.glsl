// What the kernels of bulge chasing share: where the band and the reflectors lie, how a vector x
// gives a reflector, and how sweeps wait for each other.
//
// sb2st.comp and sb2st_teams.comp include it, after index.glsl. The includer has declared B, LEAD
// and VECTORS before, and explains there what a step is. The header declares the push block.
//
// With FLAGS, a dispatch runs sweeps [first, last), which wait for each other. Without FLAGS, a
// dispatch runs the steps with stride·s + j = wave.
#ifndef CHASE_GLSL
#define CHASE_GLSL
#include "scale.glsl"
#include "flags.glsl"

layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer Band { nonprivate scalar_t at[]; };

#ifdef LOG
// When a step began (a count), and in which workgroup.
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Log { uvec2 at[]; };
#endif

layout(push_constant, scalar) uniform Push {
	// The compact band, 2·B rows a column.
	Band band;
	// v    reflectors, packed; not used without VECTORS
	// tau  their factors; not used without VECTORS
	MatrixOut v, tau;
	// Order, at least 3.
	uint n;
#ifdef FLAGS
	// Sweeps of this dispatch.
	uint first, last;
	// Loads of a flag before a wait is given up.
	uint polls;
	// One a sweep, all zero before the first dispatch.
	Flags flags;
	// Zero before this dispatch; the sweeps are claimed with it.
	Flags ticket;
	// 0, or 1 + the sweep that did not make progress within the poll limit.
	Flags info;
	// Not 0 when the host wants an end.
	Flags abort_word;
#ifdef LOG
	// Zero before; it numbers the steps in the order in which they begin.
	Flags counter;
	// Sweep s and step j, or the end of the sweep, at s·(steps(0)+1) + j.
	Log log;
#endif
#else
	// wave    number of the wave
	// stride  waves from a step of one sweep to the same step of the next sweep
	uint wave, stride;
	// Workgroup i < count takes sweep newest − i.
	uint newest, count;
#endif
} p;

// Elements of the compact band from (i, j) to (i, j+1).
const uint COLUMN = 2 * B - 1;

// at returns the index of element (row, col) in the compact band.
uint at(uint row, uint col) { return row + col * COLUMN; }

// band returns the address of element (row, col). (The validation layer's instrumentation crashes
// on a function that returns a reference.)
uint64_t band(uint row, uint col) { return element(uint64_t(p.band), at(row, col), 0, 0); }

// mirrored returns how many elements after the first one of D element (i, k) lies. D is symmetric,
// and its lower triangle is stored.
uint mirrored(uint i, uint k) { return at(max(i, k), min(i, k)); }

// steps returns the number of steps of sweep s.
uint steps(uint s) { return (p.n - 1 - s + B - 1) / B; }

// vectors returns the address of v of step j of sweep s.
uint64_t vectors(uint s, uint j) {
	return element(uint64_t(p.v), uint64_t(s) * (p.n - 1) - (uint64_t(s) * s - s) / 2 + j * B, 0, 0);
}

// factor returns the address of its τ.
uint64_t factor(uint s, uint j) { return element(uint64_t(p.tau), j, s, steps(0)); }

// H = I − γ·u·uᵀ with u = x·2^-e − ν·e1, ν = ∓‖x‖·2^-e. LAPACK's v and τ are u/u_0 and γ·u_0².
// inverse is 1/u_0, and beta is the first element of H·x, unscaled.
struct Reflector { work_t gamma, u0, inverse, beta, tau; };

// inverse_root returns 1/√q to an ulp or two. q must be in the range of single precision: the
// result in that precision is refined by one step of third order.
work_t inverse_root(work_t q) {
	work_t y = work_t(inversesqrt(float(q)));
	work_t e = fma(-(q * y), y, work_t(1));
	return fma(y * e, fma(e, work_t(0.375), work_t(0.5)), y);
}

// inverse returns 1/z, in the same way.
work_t inverse(work_t z) {
	work_t y = work_t(1.0f / float(z));
	work_t e = fma(-z, y, work_t(1));
	return fma(y, fma(e, e, e), y);
}

// magnitude returns the upper half of |x|, which has the exponent: it orders magnitudes.
uint magnitude(work_t x) { return SPLIT(x).y & MAGNITUDE_BITS; }

// reflector computes H from the head of x and q = xᵀx, both scaled by 2^-e so that neither
// overflows nor vanishes. kept is the head without the scaling. If turns is false, H = I. There is
// no branch: a compiler that takes a branch for divergent makes the shuffles after it many times
// slower (NVIDIA's, 580.159).
Reflector reflector(work_t head, work_t q, int e, work_t kept, bool turns) {
	work_t size = abs(head);
	q = turns ? q : work_t(1);
	work_t y = inverse_root(q), norm = q * y;
	norm = fma(fma(-norm, norm, q), work_t(0.5) * y, norm); // another Newton step, for √q
	Reflector h;
	h.gamma = turns ? inverse(fma(norm, size, q)) : work_t(0);
	h.tau = turns ? fma(size, y, work_t(1)) : work_t(0);
	h.inverse = h.gamma * norm; // 1/(|head| + norm)
	bool flip = head >= 0; // β gets the sign opposite to head, so that u_0 has no cancellation
	work_t beta = flip ? -norm : norm;
	h.u0 = head - beta;
	h.inverse = flip ? h.inverse : -h.inverse;
	h.beta = turns ? beta * power_of_two(e) : kept;
	return h;
}

#ifdef LOG
// note logs that step j of sweep s begins.
void note(uint s, uint j) {
	uint when = atomicAdd(p.counter.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	p.log.at[s * (steps(0) + 1) + j] = uvec2(when, gl_WorkGroupID.x);
}
#endif

#ifdef FLAGS
// The sweep of the workgroup.
shared uint sweep;
// Whether step j can begin, in go[j % 2].
shared bool go[2];

// The flag of sweep s−1, as the waiting invocation last saw it.
uint seen;

// reaches waits until the flag of sweep s−1 is at least need, and returns false if the wait was
// given up.
//
// Why no wait lasts for ever: a sweep waits only for the one before it. That one either ended in an
// earlier dispatch, or was claimed before by a workgroup that is therefore running. By induction it
// comes to its end, because the oldest sweep waits for none. This needs a device on which started
// workgroups make progress.
bool reaches(uint s, uint need) {
	if (seen < need) seen = await(p.flags, s - 1, need, p.info, p.abort_word, p.polls);
	return seen >= need;
}

// claim takes the next sweep of this dispatch for the workgroup, and waits until its first x can be
// read. It sets sweep to p.last if there is no more, or if the wait was given up. One invocation
// calls it.
void claim() {
	uint s = stopped(p.info, p.abort_word) ? p.last
		: p.first + atomicAdd(p.ticket.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	seen = s == p.first ? FLAG_END : 0;
	sweep = s < p.last && reaches(s, LEAD) ? s : p.last;
}
#endif
#endif
