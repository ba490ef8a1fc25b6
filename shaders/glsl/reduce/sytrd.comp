// sytrd reduces a Hermitian matrix to tridiagonal form in one dispatch, A = Q·T·Qᴴ (LAPACK dsytrd,
// zhetrd, unblocked: dsytd2, zhetd2).
//
// complex
//
// in, out: a             n×n, both triangles; afterwards Y: column j holds v of reflector j, with
//                        v[j+1] = 1 and zeros above, and column n−1 is zero
// out:     t             T: d[j] at 2j, e[j] at 2j+1, j < n−1; d[n−1] at 2n−2
//          tau           factors τ of n−1 reflectors. The last of them is 0 for real numbers. For
//                        complex numbers it makes the last e real
// in, out: slots         values that workgroups exchange, see below. All bits must be set before
//                        the dispatch. No finite number has such bits, so a value is its own flag
// in, out: info          0 before the dispatch; 1 + the row whose values did not arrive in time
// in:      abort_word    becomes nonzero when the host asks the kernel to stop
//
// Reflector j, H = I − τ·v·vᴴ, makes column j of A tridiagonal. The kernel computes
//
//	p = A·v     w = τ·p − ½·|τ|²·(vᴴ·p)·v     Hᴴ·A·H = A − v·wᴴ − w·vᴴ.
//
// vᴴ·p is real.
//
// Rows of A are distributed to the workgroups cyclically, in blocks of BLOCK neighbouring rows:
// workgroup g has the blocks g, g + groups, … . Within each workgroup, columns are distributed to
// the invocations cyclically: invocation t has column t of every chunk of LOCAL_SIZE columns. So
// each element belongs to one invocation. An invocation keeps its elements of the last KEPT chunks
// in registers. Its elements of the earlier chunks stay in memory. Every workgroup has all of v and
// w: each invocation has the elements of its own columns. Every workgroup computes each reflector
// for itself, with the same bits.
//
// The workgroups exchange values once for each column. The next column follows from p: it is row
// j+1 of A before the update, minus multiples of v and w. So every workgroup publishes its part of
// p. The workgroup that has row j+1 also publishes this row: its conjugate, which is the column.
// For i = j+1, the slots from first_slot(i) on have:
//
//	c[l], i ≤ l < n    column i of A, before reflector j is applied
//	p[l], i ≤ l < n    A·v. For i = 0 there is no p
//
// Workgroups poll slots while other workgroups still store. A store to a cache line that other
// workgroups poll is slow, so a workgroup should store to few lines. With BLOCK neighbouring rows,
// it stores BLOCK values of p to the same line.
//
// All waits end if all workgroups run at the same time: every workgroup publishes its values of a
// column before it waits for the values of the other workgroups. The host dispatches at most one
// workgroup for each unit (multiprocessor) of the device, and each unit can hold at least one. If a
// workgroup still does not run, the poll limit ends the kernel. Then INFO is set, and the results
// are undefined.
//
// The order of all sums depends on n, LOCAL_SIZE and LANES alone, so the bits are the same on every
// run, and for any number of workgroups.
//
// Arrays must stay in registers, because an array in memory is read again for each column. NVIDIA's
// compiler (580.159) keeps an array in registers only if each index is a sum or a product of
// constants after the loops are unrolled. An index with min, % or a choice between two indices
// moves the array to memory.
//
// The squares of the elements of A must neither overflow nor vanish. The tail of a column is its
// elements below the subdiagonal. A tail whose sum of squares is below 2^TINY_EXPONENT counts as
// zero. A NaN in A delays no workgroup, but the results are then NaN. No two buffers may overlap.
// The kernel makes the same assumptions about subgroups as sb2st.comp.
//
// Grid: min(n, groups) workgroups.
#version 460
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "numerics.glsl"
#include "index.glsl"
#include "reflector.glsl"
#include "flags.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a multiple of LANES.
layout(constant_id = 0) const uint LOCAL_SIZE = 128;
// ROWS is the largest number of rows of A that a workgroup has.
layout(constant_id = 1) const uint ROWS = 4;
// CHUNKS is the number of chunks of columns. A chunk is LOCAL_SIZE columns, one for each
// invocation. LOCAL_SIZE·CHUNKS is at least n.
layout(constant_id = 2) const uint CHUNKS = 2;
// A chunk is LOCAL_SIZE columns, one for each invocation. KEPT is the number of chunks whose
// elements an invocation keeps in registers, 1 to CHUNKS.
layout(constant_id = 3) const uint KEPT = 2;
// LANES is the number of neighbouring invocations of a subgroup that add up their sums by shuffles:
// a power of two, at most 32.
layout(constant_id = 4) const uint LANES = 32;
// The rows of A are dealt out to the workgroups in blocks. BLOCK is the number of neighbouring rows
// in a block, a divisor of ROWS.
layout(constant_id = 5) const uint BLOCK = 1;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Slots { nonprivate uint64_t at[]; };

layout(push_constant, scalar) uniform Push {
	MatrixInOut a;
	MatrixOut t, tau;
	Slots slots;
	Flags info, abort_word;
	// n       order of A, at least 1
	// ld      leading dimension of A, at least n
	// groups  number of workgroups
	// polls   poll limit: an invocation gives up waiting after so many loads of a slot
	uint n, ld, groups, polls;
} p;

const uint CLUSTERS = LOCAL_SIZE / LANES;
const uint SPILT = CHUNKS - KEPT; // number of chunks whose elements are in memory
// The sums in cluster_sums.glsl halve the number of elements of an array repeatedly. R1 to R5 are
// the numbers of elements that are left of ROWS elements after one to five halvings.
const uint R1 = (ROWS + 1) / 2, R2 = (R1 + 1) / 2, R3 = (R2 + 1) / 2, R4 = (R3 + 1) / 2, R5 = (R4 + 1) / 2;

// shares_p, shares_x, shares_v   sums of each cluster of LANES invocations: of p, of ‖x‖², of vᴴ·p
// row_v, row_w                   conjugates of the elements of v and w in this workgroup's rows
// head_x, head_p                 elements j+1 of x and of p
// given_up                       1 after some invocation has given up waiting, otherwise 0
shared acc_t shares_p[CLUSTERS * ROWS];
shared real_t shares_x[CLUSTERS], shares_v[CLUSTERS];
shared work_t row_v[ROWS], row_w[ROWS];
shared acc_t head_x, head_p;
shared uint given_up;

// An invocation has one column in each chunk of columns. `mine` holds those elements of A that the
// invocation keeps in registers: `mine[r + c·ROWS]` is the conjugate of the element in row r of
// this workgroup and in the invocation's column of chunk SPILT + c. The elements of chunks 0 to
// SPILT − 1 are in memory.
work_t mine[ROWS * KEPT];
// An invocation has one column of A in each chunk of columns. These arrays have the elements of
// vectors that belong to these columns. x is the column of A to eliminate, y is the vector of the
// reflector that is computed from x, and `product` is A·y. v and w are the vectors of the update A
// − v·wᴴ − w·vᴴ for the previous reflector.
work_t v[CHUNKS], w[CHUNKS], x[CHUNKS], y[CHUNKS];
acc_t product[CHUNKS];
// share_of[r] is this invocation's share of the product p = A·y in row r of the workgroup. The last
// element pads an odd number of rows.
acc_t share_of[ROWS + 1];

#include "columns.glsl"

// row returns the index in A of row number r of this workgroup.
uint row(uint r) { return (gl_WorkGroupID.x + r / BLOCK * p.groups) * BLOCK + r % BLOCK; }

// owner returns the number of the workgroup that has row i of A. `position` returns the number of
// this row in that workgroup.
uint owner(uint i) { return i / BLOCK % p.groups; }
uint position(uint i) { return i / BLOCK / p.groups * BLOCK + i % BLOCK; }

// inside tells whether row r of this workgroup and this invocation's column of chunk c are inside
// A.
bool inside(uint r, uint c) { return row(r) < p.n && column(c) < p.n; }

// place returns the address of the conjugate of an element of A: the element in row r of this
// workgroup and in this invocation's column of chunk c. The conjugate is the mirrored element,
// because A is Hermitian. It is used because neighbouring invocations then access neighbouring
// elements.
MatrixInOut place(uint r, uint c) { return MatrixInOut(element(uint64_t(p.a), column(c), row(r), p.ld)); }

// first_slot returns the address of the first slot of row i. A slot is a word of memory through
// which workgroups exchange a number.
Slots first_slot(uint i) { return Slots(uint64_t(p.slots) + SLOT_BYTES * uint64_t(i * (2 * p.n - i + 1))); }

// first_product returns the address of the first slot of the product A·v for row i > 0.
Slots first_product(uint i) { return Slots(uint64_t(first_slot(i)) + SLOT_BYTES * uint64_t(p.n - i)); }

// multiply applies the previous reflector to this invocation's elements of A, and adds up the
// invocation's part of the product A·y. If this workgroup has row i of A, multiply also publishes
// the elements of row i, conjugated, for the other workgroups.
void multiply(uint i) {
	[[unroll]] for (uint r = 0; r < ROWS; r++) share_of[r] = acc_t(0);
	work_t published[CHUNKS];
	uint wanted = owner(i) == gl_WorkGroupID.x ? position(i) : ROWS; // number of row i in this workgroup, or ROWS
	[[unroll]] for (uint c = 0; c < SPILT; c++) {
		published[c] = work_t(0);
		if ((c + 1) * LOCAL_SIZE > i) { // otherwise all columns of the chunk are reduced already
			[[unroll]] for (uint r = 0; r < ROWS; r++) {
				if (inside(r, c) && row(r) >= i) {
					MatrixInOut at = place(r, c);
					work_t e = mad(-row_w[r], v[c], mad(-row_v[r], w[c], work_t(at.at[0])));
					at.at[0] = scalar_t(e);
					if (r == wanted) published[c] = e;
					share_of[r] = mad_conj(acc_t(e), acc_t(y[c]), share_of[r]);
				}
			}
		}
	}
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		work_t v_r = row_v[r], w_r = row_w[r];
		acc_t sum = share_of[r];
		[[unroll]] for (uint c = 0; c < KEPT; c++) {
			work_t e = mad(-w_r, v[SPILT + c], mad(-v_r, w[SPILT + c], mine[r + c * ROWS]));
			mine[r + c * ROWS] = e;
			sum = mad_conj(acc_t(e), acc_t(y[SPILT + c]), sum);
		}
		share_of[r] = sum;
	}
	if (wanted < ROWS) {
		Slots next = first_slot(i);
		[[unroll]] for (uint c = 0; c < SPILT; c++) {
			if (column(c) >= i && column(c) < p.n) put(next, column(c) - i, acc_t(published[c]));
		}
		[[unroll]] for (uint c = 0; c < KEPT; c++) {
			work_t e = mine[c * ROWS];
			[[unroll]] for (uint r = 1; r < ROWS; r++) e = r == wanted ? mine[r + c * ROWS] : e;
			uint l = column(SPILT + c);
			if (l >= i && l < p.n) put(next, l - i, acc_t(e));
		}
	}
}

// store_column stores the vector y of reflector j as column j of the result Y. It also stores the
// factor τ and the off-diagonal element e[j] of T.
void store_column(uint j, Reflector h) {
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		if (column(c) < p.n) MatrixInOut(element(uint64_t(p.a), column(c), j, p.ld)).at[0] = scalar_t(y[c]);
	}
	if (gl_LocalInvocationIndex == 0) {
		p.tau.at[j] = scalar_t(h.tau);
		p.t.at[2 * j + 1] = scalar_t(h.beta);
	}
}

// load loads this invocation's elements of A into registers, and publishes column 0 of A for the
// other workgroups.
void load() {
	Slots first = first_slot(0);
	[[unroll]] for (uint c = 0; c < SPILT; c++) {
		if (row(0) == 0 && inside(0, c)) put(first, column(c), acc_t(place(0, c).at[0]));
	}
	[[unroll]] for (uint c = 0; c < KEPT; c++) {
		[[unroll]] for (uint r = 0; r < ROWS; r++) {
			work_t e = work_t(0);
			if (inside(r, SPILT + c)) e = work_t(place(r, SPILT + c).at[0]);
			if (r == 0 && row(0) == 0 && inside(0, SPILT + c)) put(first, column(SPILT + c), acc_t(e));
			mine[r + c * ROWS] = e;
		}
	}
}

void main() {
	uint t = gl_LocalInvocationIndex, g = gl_WorkGroupID.x;
	uint last = 0; // index in A of the last row of this workgroup
	[[unroll]] for (uint r = 0; r < ROWS; r++) last = row(r) < p.n ? row(r) : last;
	uint same_row[CHUNKS]; // which row of this workgroup is the own column; ROWS if none is
	if (t == 0) given_up = 0;
	if (t < ROWS) row_v[t] = row_w[t] = work_t(0);
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		v[c] = w[c] = work_t(0);
		same_row[c] = column(c) < p.n && owner(column(c)) == g ? position(column(c)) : ROWS;
	}
	load();
	barrier(); // given_up is 0
	receive(0, first_slot(0), first_slot(0));
	if (g == 0 && t == 0) p.t.at[0] = scalar_t(real_if(true, x[0]));

	[[dont_unroll]] for (uint j = 0; j + 1 < p.n; j++) {
		// The array x has this invocation's elements of column j. After the barrier in reflect,
		// row_v and row_w are complete, too.
		Reflector h = reflect(j);
		if (given_up != 0) return;
		// Apply the previous reflector to A, and compute this invocation's part of the product p =
		// A·y.
		multiply(j + 1);
		store_shares();
		barrier(); // shares_p is complete
		if (t < ROWS && row(t) > j && row(t) < p.n) {
			acc_t sum = shares_p[t], odd = acc_t(0);
			[[unroll]] for (uint k = 1; k < CLUSTERS; k++) {
				if (k % 2 == 0) sum += shares_p[k * ROWS + t];
				else odd += shares_p[k * ROWS + t];
			}
			put(first_product(j + 1), row(t) - (j + 1), sum + odd);
		}
		// If ROWS > LANES, invocations of several subgroups publish values of p. A subgroup that
		// waits in the function `receive` may keep another subgroup of the workgroup from running.
		// So all subgroups publish before any of them waits.
		if (ROWS > LANES) barrier();
		// Row j of A is no longer needed, so column j of Y may replace it.
		if (g == owner(j)) store_column(j, h);
		if (last <= j) return;

		receive(j + 1, first_slot(j + 1), first_product(j + 1));
		real_t dot = real_t(0);
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			dot = real_of(mad_conj(acc_t(y[c]), product[c], of_real(dot)));
			if (column(c) == j + 1) head_p = product[c];
		}
		dot = cluster_sum(dot);
		if (t % LANES == 0) shares_v[t / LANES] = dot;
		barrier(); // shares_v and head_p are complete
		TOTAL(vp, shares_v)
		real_t alpha = real_of(mul(real_t(-0.5) * conjugate(h.tau), h.tau * vp));
		work_t w_head = conjugate(work_t(mad(h.tau, head_p, of_real(alpha))));
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			v[c] = y[c];
			w[c] = work_t(mad(h.tau, product[c], alpha * acc_t(y[c])));
			x[c] = mad(-y[c], w_head, x[c] - w[c]);
			if (same_row[c] < ROWS) {
				row_v[same_row[c]] = conjugate(v[c]);
				row_w[same_row[c]] = conjugate(w[c]);
				if (column(c) == j + 1) p.t.at[2 * (j + 1)] = scalar_t(real_if(true, x[c]));
			}
		}
	}
	// Column n−1 of Y is zero.
	if (last == p.n - 1) {
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			if (column(c) < p.n) MatrixInOut(element(uint64_t(p.a), column(c), p.n - 1, p.ld)).at[0] = scalar_t(0);
		}
	}
}
