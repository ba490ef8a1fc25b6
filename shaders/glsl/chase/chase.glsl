// This header has the common parts of the kernels of bulge chasing: where the band and the
// reflectors lie in memory, and how sweeps wait for each other (sweeps.glsl).
//
// sb2st.comp and sb2st_teams.comp include this header, after index.glsl and after the constants B,
// LEAD and VECTORS. sb2st.comp explains sweeps and steps. The header declares the push block.
//
// With FLAGS, a dispatch runs sweeps [first, last), which wait for each other. Without FLAGS, a
// dispatch runs one wave: step j = wave − stride·s of each sweep s.
#ifndef CHASE_GLSL
#define CHASE_GLSL
#include "scale.glsl"
#include "flags.glsl"

layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer Band { nonprivate scalar_t at[]; };

#ifdef LOG
#include "log.glsl"
#endif

layout(push_constant, scalar) uniform Push {
	// `band` is the compact band (see sb2st.comp), with 2·B rows per column.
	Band band;
	// v holds the vectors of the Householder reflectors, packed, and `tau` holds their factors τ.
	// If VECTORS is false, v and `tau` are not used.
	MatrixOut v, tau;
	// n is the order of the band, at least 3.
	uint n;
#ifdef FLAGS
	// The dispatch runs the sweeps [first, last) of the bulge chasing.
	uint first, last;
	// polls is the poll limit: an invocation gives up waiting after so many loads of a flag.
	uint polls;
	// flags has one flag per sweep, a 32-bit word. A flag counts the steps of its sweep whose β is
	// stored (see sb2st.comp). All flags are zero before the first dispatch.
	Flags flags;
	// ticket is the counter from which workgroups claim sweeps: a workgroup gets the next sweep by
	// an atomic addition. ticket is zero before the dispatch.
	Flags ticket;
	// info is 0 if all waits succeeded. Otherwise it is s + 1: a wait for the flag of sweep s
	// reached the poll limit.
	Flags info;
	// abort_word becomes nonzero when the host asks the kernel to stop.
	Flags abort_word;
#ifdef LOG
	// counter numbers the steps in the order in which they begin. It is zero before the dispatch.
	Flags counter;
	// `log` records in which order the steps began. The entry of step j of sweep s is at index
	// s·(steps(0)+1) + j. The entry with j = steps(s) is for the end of the sweep.
	Log log;
#endif
#else
	// A wave is a set of independent steps of the bulge chasing, which one dispatch runs. `wave` is
	// the number of the wave of this dispatch. Step j of sweep s belongs to wave stride·s + j.
	uint wave, stride;
	// In a wave (a set of independent steps), workgroup i runs a step of sweep `newest` − i.
	// `count` is the number of workgroups that run a step.
	uint newest, count;
#endif
} p;

// COLUMN is the distance in the compact band from element (i, j) to element (i, j+1), in elements.
const uint COLUMN = 2 * B - 1;

// at returns the index of element (row, col) in the compact band.
uint at(uint row, uint col) { return row + col * COLUMN; }

// band returns the address of element (row, col) of the matrix in the compact band. The function
// does not return a reference, because the instrumentation of the validation layers crashes on a
// function that returns a reference.
uint64_t band(uint row, uint col) { return element(uint64_t(p.band), at(row, col), 0, 0); }

// mirrored returns where element (i, k) of a diagonal block lies, counted in elements from the first
// element of the block. The block is symmetric, and only its lower triangle is stored.
uint mirrored(uint i, uint k) { return at(max(i, k), min(i, k)); }

// steps returns the number of steps of sweep s of the bulge chasing.
uint steps(uint s) { return (p.n - 1 - s + B - 1) / B; }

// vectors returns the address at which the vector v of the reflector of step j of sweep s is
// stored.
uint64_t vectors(uint s, uint j) {
	return element(uint64_t(p.v), uint64_t(s) * (p.n - 1) - (uint64_t(s) * s - s) / 2 + j * B, 0, 0);
}

// factor returns the address at which the factor τ of the reflector of step j of sweep s is stored.
uint64_t factor(uint s, uint j) { return element(uint64_t(p.tau), j, s, steps(0)); }

#include "reflector.glsl"

#ifdef LOG
void note(uint s, uint j) { note(p.counter, p.log, s * (steps(0) + 1) + j); }
#endif

#ifdef FLAGS
#include "sweeps.glsl"
#endif
#endif
