// What the kernels of bulge chasing share: where the band and the reflectors lie, how a vector x
// gives a reflector, and how sweeps wait for each other.
//
// sb2st.comp and sb2st_teams.comp include this header, after index.glsl and after they have
// declared B, LEAD and VECTORS. They explain what a step is. The header declares the push block.
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
	// The compact band, 2·B rows per column.
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
	// One flag per sweep, all zero before the first dispatch.
	Flags flags;
	// Zero before this dispatch; the sweeps are claimed with it.
	Flags ticket;
	// 0, or 1 + the sweep that did not make progress within the poll limit.
	Flags info;
	// Becomes nonzero when the host asks the kernel to stop.
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

// factor returns the address of τ of step j of sweep s.
uint64_t factor(uint s, uint j) { return element(uint64_t(p.tau), j, s, steps(0)); }

#include "reflector.glsl"

#ifdef LOG
// note logs that step j of sweep s begins.
void note(uint s, uint j) {
	uint when = atomicAdd(p.counter.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	p.log.at[s * (steps(0) + 1) + j] = uvec2(when, gl_WorkGroupID.x);
}
#endif

#ifdef FLAGS
#include "sweeps.glsl"
#endif
#endif
