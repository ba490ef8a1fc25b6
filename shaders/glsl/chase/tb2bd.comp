// tb2bd reduces an upper band matrix to upper bidiagonal form by bulge chasing, B = Q2·C·P2ᵀ
// (LAPACK dgbbrd), and a complex one to B = Q2·C·P2ᴴ (zgbbrd).
//
// complex: tb2bd_chase tb2bd_wave
//
// in, out: band       general compact band, 3·B rows per column: element (row, col) lies at
//                     row + col·(3B−1) + 2B−1. B columns of zeros follow the last one. Elements
//                     outside the matrix and its B superdiagonals are zero before and after
// out:     left       packed reflectors of Q2, see package stages; written only if VECTORS
//          left_tau   factors τ of the reflectors of Q2; written only if VECTORS
//          right      packed reflectors of P2; written only if VECTORS
//          right_tau  factors τ of the reflectors of P2; written only if VECTORS
//
// variant: tb2bd_chase FLAGS
// variant: tb2bd_log FLAGS LOG
// variant: tb2bd_wave
//
// tb2bd_chase runs sweeps [first, last) in one dispatch. Each workgroup runs one sweep after
// another. tb2bd_log does the same, and also logs in which order the half-steps begin. tb2bd_wave
// runs one wave in one dispatch: the half-steps with stride·s + h = wave, one workgroup per
// half-step. All variants give the same bits.
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
//	h = 2j     a reflector R acts on the columns r … from the right. It annihilates the first row
//	           of G(j−1), or row s for j = 0, except for one element:
//	           G(j−1) ← G(j−1)·R    D(j) ← D(j)·R
//	h = 2j+1   a reflector L acts on the rows r … from the left. It annihilates the first column
//	           of D(j) except for one element:
//	           D(j) ← L·D(j)        G(j) ← L·G(j)
//
// clusters.glsl calls the first of the two blocks of a half-step A, and the second one C. The lines
// of A and C are rows if h is even, and columns if h is odd.
//
// For complex numbers, H = I − τ·v·vᴴ is the reflector with Hᴴ·x = β·e1 and a real β. R is H for
// the conjugates x of the first row (zlacgv), and L is Hᴴ for the first column x. Q2 and P2 are the
// products of all H. So the lines are rows if h is even, and the conjugates of columns if h is odd.
// In both cases a line ℓ becomes ℓ − τ·(ℓᵀ·v)·conj(v). C is real except for its last two elements,
// e_{n−2} and d_{n−1}: no half-step has these elements as its β.
//
// Which half-steps must wait for which. The blocks of sweep s−1 lie one row and one column before
// the blocks of sweep s. Half-steps up to h+2 of sweep s−1 write elements that half-step (s, h)
// reads and writes. Half-step (s−1, h+3) writes only one of these elements: the first element of
// the line that it annihilates, where it stores its β. So half-step (s, h) may read C as soon as
// half-step (s−1, h+2) is complete and the β of half-step (s−1, h+3) is stored.
//
// A flag counts the half-steps of a sweep whose β is stored. A sweep stores all of a half-step
// before its flag counts the β of the next half-step. So half-step (s, h) waits until flag(s−1) ≥
// h+1+LEAD with LEAD = 3, or until sweep s−1 has ended. The first x of sweep s, in row s, lies one
// half-step before C of half-step (s, 0). So a workgroup may read this x when flag(s−1) ≥ LEAD. The
// variant tb2bd_wave counts only whole half-steps, so stride = 1 + LEAD.
//
// Between its half-steps, tb2bd_chase keeps C in shared memory. The elements of C in memory are
// then out of date, but no workgroup reads them before the next half-step has stored them as its A.
//
// No two buffers may overlap. A NaN in the band makes results NaN, but no workgroup waits longer
// because of a NaN. Subgroups must be full, and invocations with neighbouring
// gl_LocalInvocationIndex must be neighbours in a subgroup.
//
// Grid: with FLAGS as many workgroups in x as should run at the same time; otherwise one workgroup
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
#include "storage.glsl"
#include "index.glsl"
#include "flags.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup. Without FLAGS it is WORK. With FLAGS it
// is larger than WORK by at least one subgroup and two invocations.
layout(constant_id = 0) const uint LOCAL_SIZE = 24;
// B is the number of superdiagonals of the band, at least 2.
layout(constant_id = 1) const uint B = 4;
// TILES is the number of tiles in shared memory, 1 or 2. A tile holds one block of a half-step: A,
// which the half-step reads, or C, which it makes for the next one. With 2 tiles, A and C each have
// a tile. With 1 tile, C is stored after all invocations have read A, which costs one more barrier.
layout(constant_id = 2) const uint TILES = 2;
// VECTORS tells whether the kernel stores the reflectors, from which eigenvectors or singular
// vectors are computed later.
layout(constant_id = 3) const bool VECTORS = true;
// A half-step applies one reflector. LEAD is the number of half-steps by which sweep s−1 must be
// ahead of sweep s: 3.
layout(constant_id = 4) const uint LEAD = 3;
// LANES is the number of neighbouring invocations (a cluster) that share a row or a column of a
// block. It is a power of two, at most the size of a subgroup.
layout(constant_id = 5) const uint LANES = 2;
// WORK is the number of invocations that compute: at least B·LANES, and a multiple of the
// subgroup's size.
layout(constant_id = 6) const uint WORK = 8;

layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer Band { nonprivate scalar_t at[]; };

#ifdef LOG
#include "log.glsl"
#endif

layout(push_constant, scalar) uniform Push {
	// `band` is the compact band (see the top of this file), with 3·B rows per column.
	Band band;
	// `left` and `right` are the packed reflectors of Q2 and P2. left_tau and right_tau are the
	// factors τ of these reflectors. If VECTORS is false, these buffers are not used.
	MatrixOut left, left_tau, right, right_tau;
	// n is the order of the band, at least 3.
	uint n;
#ifdef FLAGS
	// The dispatch runs the sweeps [first, last) of the bulge chasing.
	uint first, last;
	// polls is the poll limit: an invocation gives up waiting after so many loads of a flag.
	uint polls;
	// flags has one flag per sweep. A half-step applies a reflector that maps some vector to β·e1.
	// A flag counts the half-steps of its sweep whose β is stored in memory. All flags are zero
	// before the first dispatch.
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
	// counter and `log` say in which order the half-steps began, see log.glsl. The entry of
	// half-step h of sweep s is at index s·(half_steps(0)+1) + h. The entry with h = half_steps(s)
	// is for the end of the sweep.
	Flags counter;
	Log log;
#endif
#else
	// A half-step applies one reflector, and a wave is a set of independent half-steps, which one
	// dispatch runs. `wave` is the number of the wave of this dispatch. Half-step h of sweep s
	// belongs to wave stride·s + h.
	uint wave, stride;
	// A half-step applies one reflector. In a wave (a set of independent half-steps), workgroup i
	// runs a half-step of sweep `newest` − i. `count` is the number of workgroups that run a
	// half-step.
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

// band returns the address of element (row, col) of the matrix in the compact band.
uint64_t band(uint row, uint col) { return element(uint64_t(p.band), row + 2 * B - 1 + col * COLUMN, 0, 0); }

// A HalfStep is half-step h of sweep s. Its first row or column is r (see the picture at the top of
// this file). A line is a row or a column of a block. `len` is the number of elements of a line,
// and `low` is the number of lines of block C. In memory, `line` is the distance from one line to
// the next, and `along` the distance from one element of a line to the next, both in elements. This
// invocation is number `first` of cluster i, the LANES invocations that share a line. It holds
// elements first, first + LANES, … of the line.
struct HalfStep { uint s, h, r, len, low, line, along, i, first; };

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

// half_steps returns the number of half-steps of sweep s. A half-step applies one reflector to rows
// or to columns.
uint half_steps(uint s) { return (p.n - 1 - s + B - 1) / B * 2; }

// as_line converts an element z of a row or a column in memory to an element of a line, and back:
// the lines are the conjugates of columns if h is odd.
#define as_line(q, z) conjugated(z, q.h % 2 == 0 ? 0u : SIGN_BIT)

// a_at and c_at return the address of the first element that this invocation holds of line number
// q.i of block A and of block C. A line is a row or a column.
uint64_t a_at(HalfStep q) {
	uint row = q.h == 0 ? q.s : q.r - (q.h % 2 == 0 ? B : 0);
	return band(row, q.r) + SCALAR_BYTES * (q.i * q.line + q.first * q.along);
}

uint64_t c_at(HalfStep q) {
	return band(q.r, q.r + (q.h % 2 == 0 ? 0 : B)) + SCALAR_BYTES * (q.i * q.line + q.first * q.along);
}

// has_a tells whether block A has line number q.i. A line is a row or a column. In the first
// half-step of a sweep, A has only line 0, which is the vector x.
bool has_a(HalfStep q) { return q.h == 0 ? q.i == 0 : exists(q.i) && (q.h % 2 == 0 || q.i < q.len); }

// fetch starts loading this invocation's own elements of block C. Up to B lines and elements past
// the matrix are zero in memory, so fetch needs no other check at the end of the matrix.
void fetch(HalfStep q) {
	Band from = Band(c_at(q));
	if (q.low > 0 && exists(q.i)) {
		[[unroll]] for (uint m = 0; m < OWN; m++) c[m] = inside(q.first + m * LANES) ? as_line(q, work_t(from.at[m * LANES * q.along])) : work_t(0);
	}
}

// chase does a half-step: it computes the reflector and applies it to the blocks A and C. If
// `keeps` is true, C is stored to shared memory, in the array `tile` from index `to` on. Otherwise
// C is stored to memory.
void chase(HalfStep q, bool keeps, uint to) {
	Reflector h = reflect();
	work_t c_u = times(h, c), a_u = times(h, a);
	if (q.first == 0) u[0] = h.u0;

	uint row = to + q.i + q.first * LD;
	Band c_to = Band(c_at(q));
	if (exists(q.i) && (keeps || q.i < q.low)) {
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			work_t x = ROUNDED(mad(-c_u, conjugate(u[m]), c[m]));
			uint k = q.first + m * LANES;
			if (keeps && inside(k)) tile[row + m * LANES * LD] = x;
			if (!keeps && k < q.len) c_to.at[m * LANES * q.along] = scalar_t(as_line(q, x));
		}
	}
	if (VECTORS && q.first == 0 && q.i < q.len) {
		uint64_t v = uint64_t(q.h % 2 == 0 ? p.right : p.left);
		uint64_t at = uint64_t(q.s) * (p.n - 1) - (uint64_t(q.s) * q.s - q.s) / 2 + q.h / 2 * B;
		MatrixOut(element(v, at, 0, 0)).at[q.i] = scalar_t(q.i == 0 ? one() : mul(u_i, h.inverse));
	}
	if (VECTORS && gl_LocalInvocationIndex == 0) {
		uint64_t tau = uint64_t(q.h % 2 == 0 ? p.right_tau : p.left_tau);
		MatrixOut(element(tau, q.h / 2, q.s, half_steps(0) / 2)).at[0] = scalar_t(h.tau);
	}
	if (!has_a(q)) return;
	Band a_to = Band(a_at(q));
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		uint k = q.first + m * LANES;
		work_t y = q.i > 0 ? mad(-a_u, conjugate(u[m]), a[m]) : k == 0 ? h.beta : work_t(0);
		if (k < q.len) a_to.at[m * LANES * q.along] = STORED(as_line(q, y));
	}
}

#ifdef LOG
void note(uint s, uint h) { note(p.counter, p.log, s * (half_steps(0) + 1) + h); }
#endif

#ifdef FLAGS
// The publisher and the invocation number WAITER do not compute. While a half-step runs, they
// exchange flags with other sweeps: the publisher publishes the flag for the previous half-step,
// and number WAITER waits for the flag that the next half-step needs.
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
		if (t < B) tile[t] = conjugate(work_t(Band(band(s, s + 1)).at[t * COLUMN]));
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
#ifdef LOG
				note(s, h);
#endif
				if (h > 0) publish(p.flags, s, h); // half-step h−2 is stored, and the β of h−1
			} else if (t == WAITER && h + 1 < count) {
				go[(h + 1) % 2] = reaches(s, h + 2 + LEAD);
			}
			meet();
		}
		if (publisher()) {
#ifdef LOG
			note(s, count);
#endif
			publish(p.flags, s, FLAG_END);
		}
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
			if (inside(q.first + m * LANES)) tile[q.first + m * LANES + q.i * LD] = conjugate(as_line(q, work_t(from.at[m * LANES * q.along])));
		}
	}
	meet(); // chase stores to the memory of x, so all invocations must have read x before
	fetch(q);
	take(q.i, q.first, 0);
	chase(q, false, 0);
}
#endif
