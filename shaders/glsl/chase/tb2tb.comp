// tb2tb reduces an upper band matrix to a narrower upper band matrix by bulge chasing, B = Q·B′·Pᵀ,
// and a complex one to B = Q·B′·Pᴴ. It is one pass of successive band reduction, from STEP
// superdiagonals to STEP − (B−1).
//
// complex
//
// in, out: band  compact band: element (row, col) lies at row + col·(height−1) + above, with
//                above ≥ STEP+B−1 and height ≥ above+B. STEP+B−1 columns of zeros follow the
//                last column. Elements outside the matrix and its superdiagonals are zero
//                before and after
//
// variant: tb2tb_chase FLAGS
// variant: tb2tb_wave
//
// tb2tb_chase runs sweeps [first, last) in one dispatch. Each workgroup runs one sweep after
// another. tb2tb_wave runs one wave in one dispatch: the half-steps with stride·s + h = wave, one
// workgroup per half-step. Both variants give the same bits. The last pass, to one superdiagonal,
// is tb2bd.comp.
//
// Sweep s annihilates B−1 elements of row s. Step j of the sweep has two half-steps, with r = s +
// STEP−(B−1) + j·STEP and len = min(B, n−r):
//
//	               r … r+len−1    middle     r+STEP … r+STEP+B−1
//	row s, or    ┌─────────────┐
//	r−STEP …     │   G(j−1)    │
//	             ├─────────────┤
//	   middle    │             │
//	             ├─────────────┼───────────┬──────────────┐
//	r … r+len−1  │    D(j)     │           │     G(j)     │
//	             └─────────────┴───────────┴──────────────┘
//
//	h = 2j     a reflector R acts on the columns r … from the right: on G(j−1), on the STEP−B
//	           rows in the middle, and on D(j). It annihilates the first row of G(j−1), or row s
//	           for j = 0, except for one element
//	h = 2j+1   a reflector L acts on the rows r … from the left: on D(j), on the STEP−B columns in
//	           the middle, and on G(j). It annihilates the first column of D(j) except for one
//	           element
//
// clusters.glsl calls the first block of a half-step A, and the last one C. The lines of A and C
// are rows if h is even, and columns if h is odd. For complex numbers they are the conjugates of
// columns, as tb2bd.comp explains. The lines in the middle are loaded from memory to
// registers and stored to memory again.
//
// Which half-steps must wait for which. Sweep s lies one row and one column after sweep s−1. STEP
// is larger than B. So half-step (s, h) shares elements with half-steps of sweep s−1 up to h+1. It
// shares no element with block C of half-step (s−1, h+1). That block begins STEP columns or rows
// after block C of half-step (s−1, h−1), and half-step (s, h) touches only the first B + 1 of these
// columns or rows. The half-steps of sweep s−1 from h+2 on act on rows or columns that begin at
// least STEP after those of half-step (s, h). Half-step (s, h) may therefore begin when half-step
// (s−1, h+1) has stored its A and its middle lines.
//
// A flag counts the half-steps of a sweep that have stored A and the middle lines. All half-steps
// before the last counted one are then stored completely, because C of a half-step is A of the next
// half-step. So half-step (s, h) waits until flag(s−1) ≥ h+1+LEAD with LEAD = 1, or until sweep s−1
// has ended. The first x of sweep s, in row s, is a middle line of half-step (s−1, 0). So a
// workgroup may read this x when flag(s−1) ≥ LEAD. In the variant tb2tb_wave, half-step (s−1, h+1)
// must be in an earlier wave than half-step (s, h), so stride = 1 + LEAD.
//
// Between its half-steps, tb2tb_chase keeps C in shared memory. The elements of C in memory are
// then out of date, but no workgroup reads them before the next half-step has stored them as its A.
//
// A NaN in the band makes results NaN, but no workgroup waits longer because of a NaN. Subgroups
// must be full, and invocations with neighbouring gl_LocalInvocationIndex must be neighbours in a
// subgroup.
//
// Source: E. Ringoot et al., Accelerating Bidiagonalization of Banded Matrices through Memory-Aware
// Bulge-Chasing on GPUs (2025), Algorithms 1 and 2.
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
// B is the number of elements of a reflector, at least 2. A pass removes B−1 superdiagonals.
layout(constant_id = 1) const uint B = 4;
// TILES is the number of tiles in shared memory, 1 or 2. A tile holds one block of a half-step: A,
// which the half-step reads, or C, which it makes for the next one. With 2 tiles, A and C each have
// a tile. With 1 tile, C is stored after all invocations have read A, which costs one more barrier.
layout(constant_id = 2) const uint TILES = 2;
// STEP is the number of superdiagonals before the pass, at least B+1.
layout(constant_id = 3) const uint STEP = 8;
// A half-step applies one reflector. LEAD is the number of half-steps by which sweep s−1 must be
// ahead of sweep s: 1.
layout(constant_id = 4) const uint LEAD = 1;
// LANES is the number of neighbouring invocations (a cluster) that share a row or a column of a
// block. It is a power of two, at most the size of a subgroup.
layout(constant_id = 5) const uint LANES = 2;
// WORK is the number of invocations that compute: at least B·LANES, and a multiple of the
// subgroup's size.
layout(constant_id = 6) const uint WORK = 8;
// The middle lines are the rows or columns between the blocks A and C of a half-step. AHEAD is the
// number of middle lines that a cluster of invocations loads at the same time, at least 1.
layout(constant_id = 7) const uint AHEAD = 1;

layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer Band { nonprivate scalar_t at[]; };

layout(push_constant, scalar) uniform Push {
	// `band` is the compact band. It has `height` rows per column, and element (0, 0) lies at index
	// `above`.
	Band band;
	// n is the order of the band, at least STEP − B + 3.
	uint n, above, height;
#ifdef FLAGS
	// The dispatch runs the sweeps [first, last) of the bulge chasing.
	uint first, last;
	// polls is the poll limit: an invocation gives up waiting after so many loads of a flag.
	uint polls;
	// flags has one flag per sweep. A half-step applies one reflector to the blocks A and C and to
	// the rows or columns between them (the middle lines). A flag counts the half-steps of its
	// sweep that have stored A and the middle lines. All flags are zero before the first dispatch.
	Flags flags;
	// ticket is the counter from which workgroups claim sweeps: a workgroup gets the next sweep by
	// an atomic addition. ticket is zero before the dispatch.
	Flags ticket;
	// info is 0 if all waits succeeded. Otherwise it is s + 1: a wait for the flag of sweep s
	// reached the poll limit.
	Flags info;
	// abort_word becomes nonzero when the host asks the kernel to stop.
	Flags abort_word;
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

// MIDDLE is the number of rows or columns between the blocks A and C of a half-step, which applies
// one reflector to all of them.
const uint MIDDLE = STEP - B;

// band returns the address of element (row, col) of the matrix in the compact band.
uint64_t band(uint row, uint col) { return element(uint64_t(p.band), row + p.above + col * (p.height - 1), 0, 0); }

// A HalfStep is half-step h of sweep s. Its first row or column is r (see the picture at the top of
// this file). A line is a row or a column. `len` is the number of elements of a line, `between` is
// the number of lines between the blocks A and C, and `low` is the number of lines of C. In memory,
// `line` is the distance from one line to the next, and `along` the distance from one element of a
// line to the next, both in elements. This invocation is number `first` of cluster i, the LANES
// invocations that share a line. It holds elements first, first + LANES, … of the line.
struct HalfStep { uint s, h, r, len, between, low, line, along, i, first; };

HalfStep half_step(uint s, uint h) {
	HalfStep q;
	bool even = h % 2 == 0;
	q.s = s;
	q.h = h;
	q.r = s + MIDDLE + 1 + h / 2 * STEP;
	q.len = min(B, p.n - q.r);
	q.between = even ? MIDDLE : min(MIDDLE, p.n - q.r - q.len);
	q.low = even ? q.len : min(B, p.n - q.r - q.len - q.between);
	q.line = even ? 1 : p.height - 1;
	q.along = even ? p.height - 1 : 1;
	q.i = gl_LocalInvocationIndex / LANES;
	q.first = gl_LocalInvocationIndex % LANES;
	return q;
}

// half_steps returns the number of half-steps of sweep s. A half-step applies one reflector to rows
// or to columns. The last reflector may have only one element and then changes nothing, but the
// last half-step must still store its block A.
uint half_steps(uint s) { return ((p.n - 2 - s - MIDDLE) / STEP + 1) * 2; }

// as_line converts an element z of a row or a column in memory to an element of a line, and back:
// the lines are the conjugates of columns if h is odd.
#define as_line(q, z) conjugated(z, q.h % 2 == 0 ? 0u : SIGN_BIT)

// own returns the address of this invocation's first element of line number `line` (a row or a
// column) of a block. The first line of the block begins at element (row, col). The number of
// elements fits in 32 bits, but the number of bytes may not.
uint64_t own(HalfStep q, uint row, uint col, uint line) {
	return band(row, col) + uint64_t(SCALAR_BYTES) * (line * q.line + q.first * q.along);
}

uint64_t a_at(HalfStep q) {
	uint row = q.h == 0 ? q.s : q.r - (q.h % 2 == 0 ? STEP : 0);
	return own(q, row, q.r, q.i);
}

uint64_t middle_at(HalfStep q, uint line) {
	return q.h % 2 == 0 ? own(q, q.r - MIDDLE, q.r, line) : own(q, q.r, q.r + B, line);
}

uint64_t c_at(HalfStep q) { return own(q, q.r, q.r + (q.h % 2 == 0 ? 0 : STEP), q.i); }

// has_a tells whether block A has line number q.i. A line is a row or a column. In the first
// half-step of a sweep, A has only line 0, which is the vector x.
bool has_a(HalfStep q) { return q.h == 0 ? q.i == 0 : exists(q.i) && (q.h % 2 == 0 || q.i < q.len); }

// m holds this invocation's elements of AHEAD middle lines, which are rows or columns between the
// blocks A and C.
work_t m[AHEAD * OWN];

// has_middle tells whether middle line number `line` exists. The middle lines are the rows or
// columns between the blocks A and C.
bool has_middle(HalfStep q, uint line) { return exists(q.i) && line < q.between; }

// fetch starts loading this invocation's own elements of block C. Elements past the matrix are zero
// in memory, so fetch needs no other check at the end of the matrix.
void fetch(HalfStep q) {
	Band from = Band(c_at(q));
	if (q.low > 0 && exists(q.i)) {
		[[unroll]] for (uint k = 0; k < OWN; k++) c[k] = inside(q.first + k * LANES) ? as_line(q, work_t(from.at[k * LANES * q.along])) : work_t(0);
	}
}

// fetch_middle starts loading AHEAD middle lines, the rows or columns between the blocks A and C.
// Cluster i loads lines base + i, base + i + B, … A cluster is LANES invocations.
void fetch_middle(HalfStep q, uint base) {
	[[unroll]] for (uint l = 0; l < AHEAD; l++) {
		uint line = base + l * B + q.i;
		if (!has_middle(q, line)) continue;
		Band from = Band(middle_at(q, line));
		[[unroll]] for (uint k = 0; k < OWN; k++) {
			m[l * OWN + k] = inside(q.first + k * LANES) ? as_line(q, work_t(from.at[k * LANES * q.along])) : work_t(0);
		}
	}
}

// The middle lines are the rows or columns between the blocks A and C. apply_middle applies the
// reflector H = I − γ·u·uᵀ to those that fetch_middle has loaded, and stores them. The first
// element of u must already be set.
void apply_middle(HalfStep q, work_t gamma, uint base) {
	[[unroll]] for (uint l = 0; l < AHEAD; l++) {
		uint line = base + l * B + q.i;
		work_t y[OWN];
		[[unroll]] for (uint k = 0; k < OWN; k++) y[k] = m[l * OWN + k];
		work_t y_u = mul(gamma, dot(y, u)); // in uniform control flow: `dot` shuffles between all invocations of the cluster
		if (!has_middle(q, line)) continue;
		Band to = Band(middle_at(q, line));
		[[unroll]] for (uint k = 0; k < OWN; k++) {
			if (q.first + k * LANES < q.len) to.at[k * LANES * q.along] = STORED(as_line(q, mad(-y_u, conjugate(u[k]), y[k])));
		}
	}
}

// chase does a half-step: it computes the reflector and applies it to the blocks A and C and to the
// rows or columns between them. If `keeps` is true, C is stored to shared memory, in the array
// `tile` from index `to` on. Otherwise C is stored to memory.
void chase(HalfStep q, bool keeps, uint to) {
	Reflector h = reflect();
	work_t c_u = times(h, c), a_u = times(h, a);
	if (q.first == 0) u[0] = h.u0;

	uint row = to + q.i + q.first * LD;
	Band c_to = Band(c_at(q));
	if (exists(q.i) && (keeps || q.i < q.low)) {
		[[unroll]] for (uint k = 0; k < OWN; k++) {
			work_t x = ROUNDED(mad(-c_u, conjugate(u[k]), c[k]));
			uint at = q.first + k * LANES;
			if (keeps && inside(at)) tile[row + k * LANES * LD] = x;
			if (!keeps && at < q.len) c_to.at[k * LANES * q.along] = scalar_t(as_line(q, x));
		}
	}
	apply_middle(q, h.gamma, 0);
	for (uint base = AHEAD * B; base < MIDDLE; base += AHEAD * B) {
		fetch_middle(q, base);
		apply_middle(q, h.gamma, base);
	}
	if (!has_a(q)) return;
	Band a_to = Band(a_at(q));
	[[unroll]] for (uint k = 0; k < OWN; k++) {
		uint at = q.first + k * LANES;
		work_t y = q.i > 0 ? mad(-a_u, conjugate(u[k]), a[k]) : at == 0 ? h.beta : work_t(0);
		if (at < q.len) a_to.at[k * LANES * q.along] = STORED(as_line(q, y));
	}
}

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
		if (t < B) tile[t] = conjugate(work_t(Band(band(s, s + MIDDLE + 1)).at[t * (p.height - 1)]));
		if (t == WAITER) go[0] = reaches(s, 1 + LEAD);
		meet();
		for (uint h = 0; h < count; h++) {
			if (!go[h % 2]) return;
			HalfStep q = half_step(s, h);
			if (t < WORK) {
				fetch(q);
				fetch_middle(q, 0);
				take(q.i, q.first, h % TILES * TILE);
			}
			if (TILES == 1) barrier();
			if (t < WORK) {
				chase(q, true, (h + 1) % TILES * TILE);
			} else if (publisher()) {
				if (h > 0) publish(p.flags, s, h); // A and the middle of half-step h−1 are stored
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
		[[unroll]] for (uint k = 0; k < OWN; k++) {
			if (inside(q.first + k * LANES)) tile[q.first + k * LANES + q.i * LD] = conjugate(as_line(q, work_t(from.at[k * LANES * q.along])));
		}
	}
	meet(); // chase stores to the memory of x, so all invocations must have read x before
	fetch(q);
	fetch_middle(q, 0);
	take(q.i, q.first, 0);
	chase(q, false, 0);
}
#endif
