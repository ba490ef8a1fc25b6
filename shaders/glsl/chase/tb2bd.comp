// tb2bd reduces an upper band matrix to upper bidiagonal form by bulge chasing, B = Q2·C·P2ᵀ
// (LAPACK dgbbrd).
//
// in, out: band       general compact band, 3·B rows per column: element (row, col) lies at
//                     row + col·(3B−1) + 2B−1. B columns of zeros follow the last one. Elements
//                     outside the matrix and its B superdiagonals are zero before and after
// out:     left       packed reflectors of Q2, see package stages; written only if VECTORS
//          left_tau   their factors; written only if VECTORS
//          right      packed reflectors of P2; written only if VECTORS
//          right_tau  their factors; written only if VECTORS
//
// variant: tb2bd_chase FLAGS
// variant: tb2bd_wave
//
// tb2bd_chase runs sweeps [first, last) in one dispatch: workgroups stay and take sweep after
// sweep. tb2bd_wave runs the half-steps with stride·s + h = wave in one dispatch, one workgroup per
// half-step. Both give the same bits.
//
// Step j of sweep s has two half-steps, with r = s+1+j·B and len = min(B, n−r):
//
//	               r … r+len−1   r+B … r+2B−1
//	row s, or    ┌─────────────┬──────────────┐
//	r−B … r−1    │   G(j−1)    │              │
//	             ├─────────────┼──────────────┤
//	r … r+len−1  │    D(j)     │     G(j)     │
//	             └─────────────┴──────────────┘
//
//	h = 2j     R on the columns r …, from the first row of G(j−1), which is row s for j = 0:
//	           G(j−1) ← G(j−1)·R    D(j) ← D(j)·R
//	h = 2j+1   L on the rows r …, from the first column of D(j):
//	           D(j) ← L·D(j)        G(j) ← L·G(j)
//
// In the words of clusters.glsl, the first block is A and the second one is C. Their lines are rows
// if h is even, and columns if h is odd. The elements of a line follow each other in the other
// direction.
//
// Which half-steps must wait for which. The blocks of sweep s−1 lie one row and one column before
// those of sweep s. The elements that half-step (s, h) reads and writes are written by half-steps
// up to h+2 of sweep s−1, and only one of them is written by its half-step h+3: the first element
// of the line which that one annihilates, where it stores its β. So C may be read as soon as (s−1,
// h+2) is complete and the β of (s−1, h+3) is stored.
//
// A flag counts the half-steps of a sweep whose β is stored. By then the sweep has also stored all
// of the half-steps before the last one counted. So the condition is flag(s−1) ≥ h+1+LEAD with LEAD
// = 3, or that sweep s−1 has ended. The first x, in row s, lies one half-step higher: for it
// flag(s−1) ≥ LEAD is enough. The wave form counts whole half-steps only, so stride = 1 + LEAD.
//
// Between its half-steps, tb2bd_chase keeps C on chip. The elements of C in memory are then out of
// date, but no workgroup reads them before the next half-step has stored them as its A.
//
// No two buffers may overlap. A NaN in the band makes results NaN, but no workgroup waits longer
// for it. Subgroups must be full, and neighbours in a subgroup must be neighbours by
// gl_LocalInvocationIndex.
//
// Grid: with FLAGS as many workgroups in x as are to run at the same time; otherwise one workgroup
// per half-step of the wave, in x and y.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "flags.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup. It is WORK, but with FLAGS it is larger
// than WORK by at least one subgroup and two invocations.
layout(constant_id = 0) const uint LOCAL_SIZE = 24;
// B is the number of superdiagonals of the band, at least 2.
layout(constant_id = 1) const uint B = 4;
// TILES is the number of blocks in shared memory. With 2 these are A and C. With 1, C waits until A
// has left the tile, which costs one barrier more.
layout(constant_id = 2) const uint TILES = 2;
// VECTORS tells whether reflectors are stored.
layout(constant_id = 3) const bool VECTORS = true;
// LEAD is the number of half-steps by which the sweep before must be ahead: 3.
layout(constant_id = 4) const uint LEAD = 3;
// LANES is the number of invocations of a cluster: a power of two, at most the size of a subgroup.
layout(constant_id = 5) const uint LANES = 2;
// WORK is the number of invocations that compute: at least B·LANES, and a multiple of the
// subgroup's size.
layout(constant_id = 6) const uint WORK = 8;

layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer Band { nonprivate scalar_t at[]; };

layout(push_constant, scalar) uniform Push {
	// band is the compact band, with 3·B rows per column.
	Band band;
	// These are the packed reflectors and their factors. They are not used without VECTORS.
	MatrixOut left, left_tau, right, right_tau;
	// n is the order of the band, at least 3.
	uint n;
#ifdef FLAGS
	// The dispatch runs sweeps [first, last).
	uint first, last;
	// polls is the poll limit: after so many loads of a flag a wait is given up.
	uint polls;
	// flags has one flag per sweep. All are zero before the first dispatch.
	Flags flags;
	// ticket is the counter from which workgroups claim sweeps. It is zero before the dispatch.
	Flags ticket;
	// info is 0, or 1 + the sweep that did not make progress within the poll limit.
	Flags info;
	// abort_word becomes nonzero when the host asks the kernel to stop.
	Flags abort_word;
#else
	// wave is the number of the wave. stride is the number of waves from a half-step of one sweep
	// to the same half-step of the next sweep.
	uint wave, stride;
	// Workgroup i < count does a half-step of sweep newest − i.
	uint newest, count;
#endif
} p;

#include "reflector.glsl"
#include "clusters.glsl"
#ifdef FLAGS
#include "sweeps.glsl"
#endif

// COLUMN is the distance in the compact band from element (i, j) to element (i, j+1), in elements.
const uint COLUMN = 3 * B - 1;

// band returns the address of element (row, col).
uint64_t band(uint row, uint col) { return element(uint64_t(p.band), row + 2 * B - 1 + col * COLUMN, 0, 0); }

// A HalfStep is half-step h of sweep s. Its first row or column is r (see the picture above). len
// is the number of elements of a line, and low the number of lines of C. In memory, `line` is the
// distance from one line to the next, and `along` that from one element of a line to the next, in
// elements. This invocation is number `first` of cluster i, and its own elements are first, first +
// LANES, …
struct HalfStep { uint s, h, r, len, low, line, along, i, first; };

// half_step returns half-step h of sweep s.
HalfStep half_step(uint s, uint h) {
	HalfStep q;
	q.s = s;
	q.h = h;
	q.r = s + 1 + h / 2 * B;
	q.len = min(B, p.n - q.r);
	q.low = h % 2 == 0 ? q.len : min(B, p.n - q.r - q.len);
	q.line = h % 2 == 0 ? 1 : COLUMN;
	q.along = h % 2 == 0 ? COLUMN : 1;
	q.i = gl_LocalInvocationIndex / LANES;
	q.first = gl_LocalInvocationIndex % LANES;
	return q;
}

// half_steps returns the number of half-steps of sweep s.
uint half_steps(uint s) { return (p.n - 1 - s + B - 1) / B * 2; }

// a_at and c_at return the address of this invocation's first element of line i of A, and of C.
uint64_t a_at(HalfStep q) {
	uint row = q.h == 0 ? q.s : q.r - (q.h % 2 == 0 ? B : 0);
	return band(row, q.r) + SCALAR_BYTES * (q.i * q.line + q.first * q.along);
}

uint64_t c_at(HalfStep q) {
	return band(q.r, q.r + (q.h % 2 == 0 ? 0 : B)) + SCALAR_BYTES * (q.i * q.line + q.first * q.along);
}

// has_a tells whether A has line i. In the first half-step A is only x.
bool has_a(HalfStep q) { return q.h == 0 ? q.i == 0 : exists(q.i) && (q.h % 2 == 0 || q.i < q.len); }

// fetch starts loading C. Up to B lines and elements past the matrix are zero in memory, so no
// other check is needed at the end of the matrix.
void fetch(HalfStep q) {
	Band from = Band(c_at(q));
	if (q.low > 0 && exists(q.i)) {
		[[unroll]] for (uint m = 0; m < OWN; m++) c[m] = inside(q.first + m * LANES) ? from.at[m * LANES * q.along] : work_t(0);
	}
}

// chase does the half-step. If keeps is true, C is stored in the tile from index `to` on. Otherwise
// it is stored to memory.
void chase(HalfStep q, bool keeps, uint to) {
	Reflector h = reflect();
	work_t c_u = times(h, c), a_u = times(h, a);
	if (q.first == 0) u[0] = h.u0;

	uint row = to + q.i + q.first * LD;
	Band c_to = Band(c_at(q));
	if (exists(q.i) && (keeps || q.i < q.low)) {
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			work_t x = fma(-c_u, u[m], c[m]);
			uint k = q.first + m * LANES;
			if (keeps && inside(k)) tile[row + m * LANES * LD] = x;
			if (!keeps && k < q.len) c_to.at[m * LANES * q.along] = x;
		}
	}
	if (VECTORS && q.first == 0 && q.i < q.len) {
		uint64_t v = uint64_t(q.h % 2 == 0 ? p.right : p.left);
		uint64_t at = uint64_t(q.s) * (p.n - 1) - (uint64_t(q.s) * q.s - q.s) / 2 + q.h / 2 * B;
		MatrixOut(element(v, at, 0, 0)).at[q.i] = q.i == 0 ? work_t(1) : u_i * h.inverse;
	}
	if (VECTORS && gl_LocalInvocationIndex == 0) {
		uint64_t tau = uint64_t(q.h % 2 == 0 ? p.right_tau : p.left_tau);
		MatrixOut(element(tau, q.h / 2, q.s, half_steps(0) / 2)).at[0] = h.tau;
	}
	if (!has_a(q)) return;
	Band a_to = Band(a_at(q));
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		uint k = q.first + m * LANES;
		work_t y = q.i > 0 ? fma(-a_u, u[m], a[m]) : k == 0 ? h.beta : work_t(0);
		if (k < q.len) a_to.at[m * LANES * q.along] = y;
	}
}

#ifdef FLAGS
// While a half-step runs, two invocations that compute nothing exchange flags with other sweeps.
// One publishes the half-step before. The other waits for the flag that the next half-step needs.
const uint WAITER = LOCAL_SIZE - 1;
bool publisher() { return gl_LocalInvocationIndex == WORK; }

void main() {
	uint t = gl_LocalInvocationIndex;
	for (;;) {
		if (t == WAITER) claim();
		meet();
		uint s = sweep;
		if (s >= p.last) return;
		uint count = half_steps(s);
		if (t < B) tile[t] = Band(band(s, s + 1)).at[t * COLUMN];
		if (t == WAITER) go[0] = reaches(s, 1 + LEAD);
		meet();
		for (uint h = 0; h < count; h++) {
			if (!go[h % 2]) return;
			HalfStep q = half_step(s, h);
			if (t < WORK) {
				fetch(q);
				take(q.i, q.first, h % TILES * TILE);
			}
			if (TILES == 1) barrier();
			if (t < WORK) {
				chase(q, true, (h + 1) % TILES * TILE);
			} else if (publisher()) {
				if (h > 0) publish(p.flags, s, h); // half-step h−2 is stored, and the β of h−1
			} else if (t == WAITER && h + 1 < count) {
				go[(h + 1) % 2] = reaches(s, h + 2 + LEAD);
			}
			meet();
		}
		if (publisher()) publish(p.flags, s, FLAG_END);
	}
}
#else
void main() {
	uint i = workgroup();
	if (i >= p.count) return;
	uint s = p.newest - i;
	HalfStep q = half_step(s, p.wave - p.stride * s);
	if (has_a(q)) {
		Band from = Band(a_at(q));
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			if (inside(q.first + m * LANES)) tile[q.first + m * LANES + q.i * LD] = from.at[m * LANES * q.along];
		}
	}
	meet(); // chase stores to x, which other invocations have just read
	fetch(q);
	take(q.i, q.first, 0);
	chase(q, false, 0);
}
#endif
