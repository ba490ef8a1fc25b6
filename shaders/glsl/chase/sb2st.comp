// sb2st reduces a symmetric band matrix to tridiagonal form by bulge chasing, B = Q2·T·Q2ᵀ (LAPACK
// dsytrd_sb2st), and a Hermitian one to B = Q2·T·Q2ᴴ (zhetrd_hb2st).
//
// complex: sb2st_chase sb2st_wave
//
// in, out: band  compact, 2·B rows per column: element (row, col) lies at
//                row + col·(2B−1). Rows past the band or the matrix are zero before and after.
//                Imaginary parts of the diagonal are not read
// out:     v     packed reflectors, see package stages; written only if VECTORS
//          tau   factors τ of the reflectors; written only if VECTORS
//
// variant: sb2st_chase FLAGS
// variant: sb2st_wave
// variant: sb2st_log FLAGS LOG
//
// sb2st_chase runs sweeps [first, last) in one dispatch. Each workgroup runs one sweep after
// another. sb2st_log does the same. It also logs which workgroup began which step, and the order in
// which the steps began; the log is for pictures. sb2st_wave runs one wave in one dispatch: the
// steps with stride·s + j = wave, one workgroup per step. All three variants give the same bits,
// because the order of each dot product depends on LANES and B alone.
//
// Step j of sweep s, written (s, j), acts on rows and columns r … r+len−1 with r = s+1+j·B:
//
//	        r−width   r       r+len
//	          ┌───┬─────┬────────┐          width = B, or 1 for j = 0
//	r         │ x │  A  │   D    │ len      x ← Hᴴ·x = β·e1   A ← Hᴴ·A
//	          └───┴─────┼────────┤          D ← Hᴴ·D·H        C ← C·H
//	r+len               │   C    │ low      C contains x and A of step j+1
//	                    └────────┘
//
// H = I − τ·v·vᴴ is the Householder reflector of the step, and e1 is the first unit vector. For
// real numbers, Hᴴ = H. β is real, so T is real except for its last off-diagonal element: no step
// has this element as its β.
//
// Which steps must wait for which. Step (s, j) reads and writes rows r … r+B−1 of columns from r−B
// on, and rows r+B … r+2B−1 of columns up to r+B−1. The blocks of sweep s−1 lie one row and one
// column before the blocks of sweep s. Therefore step (s, j) overlaps steps of sweep s−1 up to j+1.
// It overlaps step (s−1, j+2) in one element only, row r+2B−1 of column r+B−1. This element is the
// head of x in step (s−1, j+2), where that step stores its β. So step (s, j) may read D and C as
// soon as step (s−1, j+1) is complete and the β of step (s−1, j+2) is stored. Sweep s−1 does not
// touch D and C of step (s, j) afterwards.
//
// A flag counts the steps of a sweep whose β is stored. A sweep stores all of a step before its
// flag counts the β of the next step. So step (s, j) waits until flag(s−1) ≥ j+1+LEAD with LEAD =
// 2, or until sweep s−1 has ended. The first x of sweep s, in column s, lies one step before C of
// step (s, 0). So a workgroup may read this x when flag(s−1) ≥ LEAD. Sweep s−2 is ahead of sweep
// s−1 for the same reason. The variant sb2st_wave counts only whole steps: step (s−1, j+2) must be
// in an earlier wave than step (s, j), so stride = 1 + LEAD.
//
// Between its steps, sb2st_chase keeps C in shared memory. The elements of C in memory are then out
// of date, but no workgroup reads them: sweep s+1 reaches these elements in its step j, after step
// j+1 of sweep s has stored them as its A.
//
// Each step has one barrier. The chain x → reflector → C → next x is the critical path of a sweep,
// so all other work is kept off this chain. A row of C or D, or a column of A, belongs to a
// cluster. A cluster is LANES neighbouring invocations of one subgroup, which add up their dot
// product by shuffles. Every cluster computes the reflector for itself, from x in shared memory.
// Only D needs a sum over all clusters, uᵀDu. So D is finished in the next step, after the barrier
// that makes C visible.
//
// All blocks are in the registers of the same invocations. For this the band must be narrow;
// sb2st_teams is for wide bands. No two buffers may overlap. A NaN in the band makes results NaN,
// but no workgroup waits longer because of a NaN.
//
// The kernel assumes two properties of subgroups. First, subgroups are full; vk.Build asks for full
// subgroups. Second, invocations with neighbouring gl_LocalInvocationIndex are neighbours in a
// subgroup. Vulkan does not demand the second property, but every known device has it.
//
// Grid: with FLAGS as many workgroups in x as should run at the same time; otherwise one workgroup
// per step of the wave, in x and y.
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

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup. Without FLAGS it is WORK. With FLAGS it
// is larger than WORK by at least one subgroup and two invocations.
layout(constant_id = 0) const uint LOCAL_SIZE = 24;
// B is the half-bandwidth, at least 2.
layout(constant_id = 1) const uint B = 4;
// TILES is the number of tiles in shared memory, 1 or 2. A tile holds one block of a step: A, which
// the step reads, or C, which it makes for the next step. With 2 tiles, A and C each have a tile.
// With 1 tile, C is stored after all invocations have read A, which costs one more barrier.
layout(constant_id = 2) const uint TILES = 2;
// VECTORS tells whether the kernel stores the reflectors, from which eigenvectors or singular
// vectors are computed later.
layout(constant_id = 3) const bool VECTORS = true;
// LEAD is the number of steps by which sweep s−1 must be ahead of sweep s: 2.
layout(constant_id = 4) const uint LEAD = 2;
// LANES is the number of neighbouring invocations (a cluster) that share a row or a column of a
// block. It is a power of two, at most the size of a subgroup.
layout(constant_id = 5) const uint LANES = 2;
// WORK is the number of invocations that compute: at least B·LANES, and a multiple of the
// subgroup's size.
layout(constant_id = 6) const uint WORK = 8;
// RETAIN tells whether the diagonal block D of the previous step stays in registers together with
// the D of this step, which needs more registers. If RETAIN is false, the D of the previous step is
// stored before the D of this step is loaded.
layout(constant_id = 7) const bool RETAIN = true;

#include "chase.glsl"
#include "clusters.glsl"

// d_u holds the vectors γ·D·u of this step and of the previous step. D is the diagonal block of the
// step, and H = I − γ·u·uᴴ its reflector.
shared work_t d_u[2 * B];

// A Step is step j of sweep s. Its first row is r (see the picture at the top of this file). `len`
// is the number of rows of A and D, and `low` is the number of rows of C. This invocation is number
// `first` of cluster i, a set of LANES invocations that share a row or column. It holds elements
// first, first + LANES, … of the row or column.
struct Step { uint s, j, r, len, low, i, first; };

// d holds this invocation's elements of row i of the diagonal block D, where i is the number of its
// cluster (the LANES invocations that share the row).
work_t d[OWN];
work_t gamma;
// mirror[m] is the distance in memory, in elements, of this invocation's element m of the diagonal
// block D from the first element of D, as the function `mirrored` returns it.
uint mirror[OWN];
// These variables hold values of the previous step: late_d this invocation's elements of the
// diagonal block D, late_u its elements of the vector u of the reflector, and late_u_i element i of
// u.
work_t late_d[OWN], late_u[OWN], late_u_i;

Step step_of(uint s, uint j) {
	Step q;
	q.s = s;
	q.j = j;
	q.r = s + 1 + j * B;
	q.len = min(B, p.n - q.r);
	q.low = min(B, p.n - q.r - q.len);
	q.i = gl_LocalInvocationIndex / LANES;
	q.first = gl_LocalInvocationIndex % LANES;
	return q;
}

// prepare computes the array `mirror`, the places in memory of elements of the diagonal block D.
// The array is the same for all steps.
void prepare() {
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		mirror[m] = mirrored(gl_LocalInvocationIndex / LANES, gl_LocalInvocationIndex % LANES + m * LANES);
	}
}

// fetch_c starts loading the block C below the diagonal block of the step, and fetch_d starts
// loading the diagonal block D itself. D is Hermitian: fetch_d reads the stored lower triangle.
// Rows past n−1 are zero in memory, so a step needs no check of rows. Columns past n−1 are not in
// memory. fetch_c loads nothing if `low` is 0, so it never reads such a column.
void fetch_c(Step q) {
	Band rows = Band(band(q.r + q.i, q.r + q.first));
	if (q.low > 0 && exists(q.i)) {
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			c[m] = inside(q.first + m * LANES) ? rows.at[B + m * LANES * COLUMN] : work_t(0);
		}
	}
}

void fetch_d(Step q) {
	if (q.i < q.len) {
		Band corner = Band(band(q.r, q.r));
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			d[m] = inside(q.first + m * LANES) ? real_if(q.first + m * LANES == q.i,
				conjugated(corner.at[RETAIN ? mirror[m] : mirrored(q.i, q.first + m * LANES)], q.first + m * LANES > q.i ? SIGN_BIT : 0u)) : work_t(0);
		}
	}
}

// chase does a whole step except for the diagonal block D: it computes the reflector H and applies
// it to x, to the block A left of D, and to the block C below D. The function `finish` updates D
// after the next barrier. If `keeps` is true, C is stored to shared memory, in the array `tile`
// from index `to` on. Otherwise C is stored to memory. `slot` is 0 or 1: the half of the array d_u
// that the step uses.
void chase(Step q, bool keeps, uint to, uint slot) {
	Reflector h = reflect();
	gamma = h.gamma;
	work_t c_u = times(h, c), d_u_i = times(h, d), a_u = times(h, a);
	if (q.first == 0) u[0] = h.u0;

	uint row = to + q.i + q.first * LD;
	Band rows = Band(band(q.r + B + q.i, q.r + q.first));
	if (exists(q.i) && (keeps || q.low > 0)) {
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			work_t x = mad(-c_u, conjugate(u[m]), c[m]);
			if (inside(q.first + m * LANES)) {
				if (keeps) tile[row + m * LANES * LD] = x;
				else rows.at[m * LANES * COLUMN] = x;
			}
		}
	}
	u_i = q.i == 0 ? h.u0 : u_i;
	if (q.first == 0 && exists(q.i)) {
		d_u[slot * B + q.i] = q.i < q.len ? d_u_i : work_t(0); // zero if no row was loaded

		if (VECTORS && q.i < q.len) {
			MatrixOut(vectors(q.s, q.j)).at[q.i] = q.i == 0 ? one() : mul(u_i, h.inverse);
		}
	}
	if (VECTORS && gl_LocalInvocationIndex == 0) MatrixOut(factor(q.s, q.j)).at[0] = h.tau;
	if (q.i == 0) { // line 0 of A is the vector x
		Band column = Band(band(q.r + q.first, q.r - (q.j > 0 ? B : 1)));
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			if (inside(q.first + m * LANES)) column.at[m * LANES] = q.first + m == 0 ? h.beta : work_t(0);
		}
	} else if (q.j > 0 && exists(q.i)) {
		Band column = Band(band(q.r + q.first, q.r - B + q.i));
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			if (inside(q.first + m * LANES)) column.at[m * LANES] = conjugate(mad(-a_u, conjugate(u[m]), a[m]));
		}
	}
}

// retain copies the values of this step that the function `finish` needs in the next step to update
// the diagonal block D.
void retain() {
	if (!RETAIN) return;
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		late_d[m] = d[m];
		late_u[m] = u[m];
	}
	late_u_i = u_i;
}

// finish stores the diagonal block Hᴴ·D·H of step q. H = I − γ·u·uᴴ is the reflector of the step,
// and D is the block before the step. With w = γ·D·u and y = w − ½·(conj(γ)·uᴴ·w)·u, Hᴴ·D·H is D −
// u·yᴴ − y·uᴴ. If `any` is false, no such step exists, and finish stores nothing.
void finish(Step q, bool any, uint slot, work_t d[OWN], work_t u[OWN], work_t u_i) {
	work_t w[OWN];
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		uint k = q.first + m * LANES;
		w[m] = inside(k) ? d_u[slot * B + k] : work_t(0);
	}
	real_t half_ = real_of(mul(real_t(0.5) * conjugate(gamma), dot_conj(u, w)));
	work_t q_i = mad(of_real(-half_), u_i, d_u[slot * B + (exists(q.i) ? q.i : 0)]);
	Band rows = Band(band(q.r + q.i, q.r + q.first));
	int reach = any && q.i < q.len ? int(q.i) - int(q.first) : -1;
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		work_t q_k = mad(of_real(-half_), u[m], w[m]);
		work_t x = mad(-u_i, conjugate(q_k), mad(-q_i, conjugate(u[m]), d[m]));
		if (reach >= int(m * LANES)) rows.at[m * LANES * COLUMN] = real_if(reach == int(m * LANES), x);
	}
}

// finish_late calls `finish` for the previous step. If RETAIN is true, the D of the previous step
// is in late_d. Otherwise it is still in d.
void finish_late(Step q, bool any, uint slot) {
	if (RETAIN) finish(q, any, slot, late_d, late_u, late_u_i);
	else finish(q, any, slot, d, u, u_i);
}

#ifdef FLAGS
// The publisher and the invocation number WAITER do not compute. While a step runs, they exchange
// flags with other sweeps: the publisher publishes the flag for the previous step, and number
// WAITER waits for the flag that the next step needs.
const uint WAITER = LOCAL_SIZE - 1;
bool publisher() { return gl_LocalInvocationIndex == WORK; }

void main() {
	uint t = gl_LocalInvocationIndex;
	prepare();
	for (;;) {
		if (t == WAITER) claim();
		meet();
		uint s = sweep;
		if (s >= p.last) return;
		uint count = steps(s);
		if (t < B) tile[t] = Band(band(s + 1, s)).at[t];
		if (t == WAITER) go[0] = reaches(s, 1 + LEAD);
		meet();
		for (uint j = 0; j < count; j++) {
			if (!go[j % 2]) return;
			Step q = step_of(s, j);
			if (t < WORK) {
				fetch_c(q);
				if (!RETAIN) finish_late(step_of(s, j - 1), j > 0, (j + 1) % 2);
				fetch_d(q);
				take(q.i, q.first, j % TILES * TILE);
			}
			if (TILES == 1) barrier();
			if (t < WORK) {
				if (RETAIN) finish_late(step_of(s, j - 1), j > 0, (j + 1) % 2);
				chase(q, true, (j + 1) % TILES * TILE, j % 2);
				retain();
			} else if (publisher()) {
#ifdef LOG
				note(s, j);
#endif
				if (j > 0) publish(p.flags, s, j); // step j−2 is stored, and the β of step j−1
			} else if (t == WAITER && j + 1 < count) {
				go[(j + 1) % 2] = reaches(s, j + 2 + LEAD);
			}
			meet();
		}
		if (t < WORK) {
			finish_late(step_of(s, count - 1), true, (count + 1) % 2);
		} else if (publisher()) {
#ifdef LOG
			note(s, count);
#endif
			publish(p.flags, s, count);
		}
		meet();
		if (publisher()) publish(p.flags, s, FLAG_END);
	}
}
#else
void main() {
	uint i = workgroup();
	if (i >= p.count) return;
	uint s = p.newest - i;
	Step q = step_of(s, p.wave - p.stride * s);
	if (q.j > 0 && exists(q.i)) {
		Band column = Band(band(q.r + q.first, q.r - B + q.i));
		[[unroll]] for (uint m = 0; m < OWN; m++) {
			if (inside(q.first + m * LANES)) tile[q.first + m * LANES + q.i * LD] = column.at[m * LANES];
		}
	} else if (gl_LocalInvocationIndex < B) {
		tile[gl_LocalInvocationIndex] = Band(band(q.r, s)).at[gl_LocalInvocationIndex];
	}
	meet(); // chase stores to the memory of x, so all invocations must have read x before
	prepare();
	fetch_c(q);
	fetch_d(q);
	take(q.i, q.first, 0);
	chase(q, false, 0, 0);
	retain();
	meet(); // finish stores to the memory of D, so all invocations must have read D before
	finish_late(q, true, 0);
}
#endif
