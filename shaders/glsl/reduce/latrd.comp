// latrd reduces the first columns of a Hermitian matrix to tridiagonal form in one dispatch, for a
// blocked reduction (LAPACK dlatrd, zlatrd).
//
// complex
//
// in, out: a             n×n, both triangles. Afterwards column j < columns is the vector v of
//                        reflector j, with v[j+1] = 1 and zeros above. Other columns do not change
// out:     panel         n×2·columns: column 2j is v of reflector j, column 2j+1 is w (see below)
//          t             T: d[j] at 2j, e[j] at 2j+1, j < columns
//          tau           factors τ of the reflectors
// in, out: slots         values that workgroups exchange, see below. All bits must be set before
//                        the dispatch
//          info          0 before the first dispatch; 1 + the row whose values did not arrive
// in:      abort_word    becomes nonzero when the host asks the kernel to stop
//
// Reflector j, H = I − τ·v·vᴴ, makes column j tridiagonal. In memory v replaces column j of A, and
// the other columns stay as they were before the dispatch. The columns of V and W are the vectors v
// and w of the reflectors so far. The current matrix is A − V·Wᴴ − W·Vᴴ. Let x be its current
// column, and v and τ the reflector of x. Then:
//
//	p = A·v − V·(Wᴴ·v) − W·(Vᴴ·v)     w = τ·p − ½·|τ|²·(vᴴ·p)·v.
//
// The caller must subtract V·Wᴴ + W·Vᴴ from the other columns afterwards. So each column costs one
// read of A, and no update of A. sytrd.comp updates A for each column, and needs A in registers.
//
// The requirements for the elements of A, and what happens to a NaN, are those of sytrd.comp. No
// two buffers may overlap. The order of all sums depends on n, LOCAL_SIZE and LANES alone, so the
// bits are the same on every run, and for any number of workgroups.
//
// Grid: `groups` workgroups.
//
// How it works:
//
// Rows of A are distributed to the workgroups as in sytrd.comp, cyclically and in blocks of BLOCK
// rows. Columns are distributed to the invocations, see columns.glsl. An invocation keeps its
// elements of the first KEPT chunks in registers, and reads the others in memory for each column.
// Each workgroup has its rows of V and W in shared memory.
//
// The 2j numbers Vᴴ·v and Wᴴ·v for reflector j are dot products of v with columns of the panel. The
// columns of the panel are dealt out to the workgroups: workgroup g has the columns g, g + groups,
// … . Workgroup g stores all of its columns, and also keeps the first one in registers. An
// invocation later reads only elements that it has stored itself.
//
// The workgroups exchange values twice for each column. For row i = j+1, the slots from
// first_slot(i) on have:
//
//	x[l], l < n              column i of A − V·Wᴴ − W·Vᴴ, before reflector j is applied
//	p[l], l < n              the product p for reflector j. For i = 0 there is no p
//	dots[2·COLUMNS·CLUSTERS] Vᴴ·v, then Wᴴ·v: CLUSTERS addends for each of COLUMNS numbers
//	heads[2·COLUMNS]         conjugates of row i of V, then of row i of W
//
// The dots and heads, the small values, come first. Workgroups publish them before they compute A·v
// and wait for them after that, so the wait is short. Each cluster of LANES invocations publishes
// its own addends of the dots, so no barrier is needed. The elements of x and p before row i are
// not used.
//
// All waits end if all workgroups run at the same time. Induction over j: a workgroup publishes its
// small values for reflector j before it waits for those of other workgroups. These values need
// only x and p of earlier reflectors. A workgroup also publishes its elements of x and p before it
// waits for those of other workgroups. These elements need only the small values for reflector j.
// The host dispatches at most one workgroup for each unit of the device. If a workgroup still does
// not run, the poll limit ends the kernel. Then INFO is set, and the results are undefined.
//
// Accesses to A and to the panel need no ordering between workgroups. Column j of A is read before
// the dispatch ends only by the workgroup that has row j: it publishes row 0, and it stores v when
// row j is done. An element of the panel is stored and read by the same invocation.
//
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
// elements an invocation keeps in registers, 0 to CHUNKS.
layout(constant_id = 3) const uint KEPT = 1;
// LANES is the number of neighbouring invocations of a subgroup that add up their sums by shuffles:
// a power of two, at most 32.
layout(constant_id = 4) const uint LANES = 32;
// The rows of A are dealt out to the workgroups in blocks. BLOCK is the number of neighbouring rows
// in a block, a divisor of ROWS.
layout(constant_id = 5) const uint BLOCK = 1;
// COLUMNS is the largest number of columns of A that a dispatch reduces.
layout(constant_id = 6) const uint COLUMNS = 32;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Slots { nonprivate uint64_t at[]; };

layout(push_constant, scalar) uniform Push {
	MatrixInOut a, panel;
	MatrixOut t, tau;
	Slots slots;
	Flags info, abort_word;
	// n        order of A, more than columns
	// ld       leading dimension of A, at least n. The leading dimension of the panel is n
	// columns  columns to reduce, 1 to COLUMNS
	// groups   number of workgroups
	// polls    poll limit: an invocation gives up waiting after so many loads of a slot
	uint n, ld, columns, groups, polls;
} p;

const uint CLUSTERS = LOCAL_SIZE / LANES;
// TEAM neighbouring invocations compute an element of x and an element of p together.
const uint TEAM = LANES < 8 ? LANES : 8;
// PASSES is the number of passes over the rows of this workgroup. In a pass, each team has one row.
const uint PASSES = (ROWS * TEAM + LOCAL_SIZE - 1) / LOCAL_SIZE;
// DOTS is the number of addends of Vᴴ·v and Wᴴ·v. Their slots come before the slots of the heads.
const uint DOTS = 2 * COLUMNS * CLUSTERS;
// STRIDE is the distance of two rows of V or W in shared memory. The padding lets a subgroup read
// several rows at the same time.
const uint STRIDE = COLUMNS + TEAM;
// The sums in cluster_sums.glsl halve the number of elements of an array repeatedly. R1 to R5 are
// the numbers of elements that are left of ROWS elements after one to five halvings.
const uint R1 = (ROWS + 1) / 2, R2 = (R1 + 1) / 2, R3 = (R2 + 1) / 2, R4 = (R3 + 1) / 2, R5 = (R4 + 1) / 2;

// shares_p, shares_x, shares_v   sums of each cluster of LANES invocations: of A·v, of ‖x‖², and
//                                of a dot product with v
// rows_v, rows_w                 rows of V and W: element (r, q) at r·STRIDE + q, where r is the
//                                number of a row in this workgroup
// small                          Vᴴ·v, Wᴴ·v, conjugates of row j+1 of V and of W, each COLUMNS
//                                numbers
// head_x, head_p                 elements j+1 of x and of p
// given_up                       1 after some invocation has given up waiting, otherwise 0
shared acc_t shares_p[CLUSTERS * ROWS];
shared real_t shares_x[CLUSTERS], shares_v[CLUSTERS];
shared work_t rows_v[ROWS * STRIDE], rows_w[ROWS * STRIDE];
shared acc_t small[4 * COLUMNS];
shared acc_t head_x, head_p;
shared uint given_up;

// An invocation has one column in each chunk of columns. `mine` holds those elements of A that the
// invocation keeps in registers: `mine[r + c·ROWS]` is the conjugate of the element in row r of
// this workgroup and in the invocation's column of chunk c. The elements of chunks KEPT to CHUNKS −
// 1 are in memory. The first chunks are kept, because A becomes smaller from dispatch to dispatch
// and loses its last chunks.
work_t mine[KEPT > 0 ? ROWS * KEPT : 1];
// An invocation has one column of A in each chunk of columns. These arrays have the elements of
// vectors that belong to these columns. x is the current column of A, y is the vector v of the
// reflector that is computed from x, and `product` is p. `own` is the first column of the panel
// that belongs to this workgroup.
work_t x[CHUNKS], y[CHUNKS], own[CHUNKS];
acc_t product[CHUNKS];
// share_of[r] is this invocation's share of the product A·y in row r of the workgroup. The last
// element pads an odd number of rows.
acc_t share_of[ROWS + 1];

#include "columns.glsl"

// row returns the index in A of row number r of this workgroup.
uint row(uint r) { return (gl_WorkGroupID.x + r / BLOCK * p.groups) * BLOCK + r % BLOCK; }

// owner returns the number of the workgroup that has row i of A. `position` returns the number of
// this row in that workgroup.
uint owner(uint i) { return i / BLOCK % p.groups; }
uint position(uint i) { return i / BLOCK / p.groups * BLOCK + i % BLOCK; }

// at_row returns the conjugate of the element of A in the given row and column. This conjugate is
// the mirrored element, because A is Hermitian. It is read because neighbouring invocations then
// read neighbouring elements.
work_t at_row(uint r, uint c) { return work_t(MatrixInOut(element(uint64_t(p.a), c, r, p.ld)).at[0]); }

// panel_at returns the address of element (l, u) of the panel.
MatrixInOut panel_at(uint l, uint u) { return MatrixInOut(element(uint64_t(p.panel), l, u, p.n)); }

// first_slot, first_product and first_small return addresses of slots for row i: of x[i], of p[i],
// and of the first small value.
Slots first_slot(uint i) { return Slots(uint64_t(p.slots) + SLOT_BYTES * (uint64_t(i) * (2 * p.n + DOTS + 2 * COLUMNS) + i)); }
Slots first_product(uint i) { return Slots(uint64_t(first_slot(i)) + SLOT_BYTES * uint64_t(p.n)); }
Slots first_small(uint i) { return Slots(uint64_t(first_slot(i)) + SLOT_BYTES * uint64_t(2 * p.n - i)); }

// load loads this invocation's elements of A into registers, and publishes column 0 of A for the
// other workgroups.
void load() {
	if (owner(0) == gl_WorkGroupID.x) {
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			if (column(c) < p.n) put(first_slot(0), column(c), acc_t(at_row(0, column(c))));
		}
	}
	[[unroll]] for (uint c = 0; c < KEPT; c++) {
		[[unroll]] for (uint r = 0; r < ROWS; r++) {
			uint l = column(c);
			mine[r + c * ROWS] = work_t(0);
			if (row(r) < p.n && l < p.n) mine[r + c * ROWS] = at_row(row(r), l);
		}
	}
}

// publish_dot publishes the addend of each cluster for the dot product of the vector y with column
// u of the panel. `share` is the addend of this invocation.
void publish_dot(Slots to, uint u, acc_t share) {
	share = cluster_sum(share);
	uint t = gl_LocalInvocationIndex;
	if (t % LANES == 0) put(to, (u % 2 * COLUMNS + u / 2) * CLUSTERS + t / LANES, share);
}

// publish_small publishes this workgroup's small values for the reflector of column j: the dot
// products of the vector y of this reflector with those columns of the panel that belong to this
// workgroup, and row j+1 of V and W if this workgroup has this row.
void publish_small(uint j) {
	Slots to = first_small(j + 1);
	if (gl_WorkGroupID.x < 2 * j) {
		acc_t dot = acc_t(0);
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) dot = mad_conj(acc_t(own[c]), acc_t(y[c]), dot);
		publish_dot(to, gl_WorkGroupID.x, dot);
	}
	[[dont_unroll]] for (uint u = gl_WorkGroupID.x + p.groups; u < 2 * j; u += p.groups) {
		acc_t dot = acc_t(0);
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			if (column(c) < p.n) dot = mad_conj(acc_t(panel_at(column(c), u).at[0]), acc_t(y[c]), dot);
		}
		publish_dot(to, u, dot);
	}
	if (owner(j + 1) == gl_WorkGroupID.x) {
		uint at = position(j + 1) * STRIDE;
		for (uint q = gl_LocalInvocationIndex; q < j; q += LOCAL_SIZE) {
			put(to, DOTS + q, conjugate(acc_t(rows_v[at + q])));
			put(to, DOTS + COLUMNS + q, conjugate(acc_t(rows_w[at + q])));
		}
	}
}

// multiply computes this invocation's part of the product A·y, for rows from row i on. Where this
// workgroup has no such row, it computes a number that is not used: a branch for each row would
// delay the loads.
void multiply(uint i) {
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		acc_t sum = acc_t(0);
		[[unroll]] for (uint c = 0; c < KEPT; c++) sum = mad_conj(acc_t(mine[r + c * ROWS]), acc_t(y[c]), sum);
		share_of[r] = sum;
	}
	[[unroll]] for (uint c = KEPT; c < CHUNKS; c++) {
		if (c * LOCAL_SIZE < p.n && (c + 1) * LOCAL_SIZE > i) { // otherwise y is zero in all columns of the chunk
			uint l = min(column(c), p.n - 1); // y is zero after column n−1
			[[unroll]] for (uint r = 0; r < ROWS; r++) {
				uint k = row(r) >= i && row(r) < p.n ? row(r) : p.n - 1;
				share_of[r] = mad_conj(acc_t(at_row(k, l)), acc_t(y[c]), share_of[r]);
			}
		}
	}
}

// receive_small waits until other workgroups have published the small values for the reflector of
// column j, and stores them to the shared array `small`.
void receive_small(uint j) {
	[[dont_unroll]] for (uint u = gl_LocalInvocationIndex; u < 4 * COLUMNS; u += LOCAL_SIZE) {
		if (u % COLUMNS >= j) continue;
		// A dot has CLUSTERS addends, which are in flight at the same time. A head has one.
		bool dot = u < 2 * COLUMNS;
		Slots from = Slots(uint64_t(first_small(j + 1)) + SLOT_BYTES * (dot ? u * CLUSTERS : DOTS + u - 2 * COLUMNS));
		content_t bits[CLUSTERS];
		[[unroll]] for (uint k = 0; k < CLUSTERS; k++) bits[k] = dot || k == 0 ? NOTHING : content_t(0);
		bool waits = true;
		for (uint polls = 1; waits; polls++) {
			waits = false;
			[[unroll]] for (uint k = 0; k < CLUSTERS; k++) {
				if (missing(bits[k])) bits[k] = peek(from, k);
			}
			[[unroll]] for (uint k = 0; k < CLUSTERS; k++) waits = waits || missing(bits[k]);
			if (waits && gives_up(j + 1, polls)) {
				given_up = 1;
				waits = false;
			}
		}
		acc_t sum = acc_t(VALUE(bits[0]));
		[[unroll]] for (uint k = 1; k < CLUSTERS; k++) sum += acc_t(VALUE(bits[k]));
		small[u] = sum;
	}
}

// publish publishes the elements of x and p in the rows of this workgroup: column j+1 of the
// current matrix, and the product for the reflector of column j. `ahead` has elements of column
// j+1 of A: one for each pass, in the row of the team.
void publish(uint j, work_t ahead[PASSES]) {
	uint i = j + 1, lane = gl_LocalInvocationIndex % TEAM;
	[[unroll]] for (uint pass = 0; pass < PASSES; pass++) {
		uint r = (pass * LOCAL_SIZE + gl_LocalInvocationIndex) / TEAM;
		bool has = r < ROWS && row(r) >= i && row(r) < p.n;
		acc_t sum = acc_t(0), next = lane == 0 ? acc_t(ahead[pass]) : acc_t(0);
		if (has) {
			for (uint k = lane; k < CLUSTERS; k += TEAM) sum += shares_p[k * ROWS + r];
			for (uint q = lane; q < j; q += TEAM) {
				acc_t v = acc_t(rows_v[r * STRIDE + q]), w = acc_t(rows_w[r * STRIDE + q]);
				sum = mad(-v, small[COLUMNS + q], mad(-w, small[q], sum));
				next = mad(-v, small[3 * COLUMNS + q], mad(-w, small[2 * COLUMNS + q], next));
			}
		}
		[[unroll]] for (uint m = 1; m < TEAM; m *= 2) {
			sum += subgroupShuffleXor(sum, m);
			next += subgroupShuffleXor(next, m);
		}
		if (has && lane == 0) put(first_product(i), row(r) - i, sum);
		if (has && lane == TEAM - 1) put(first_slot(i), row(r) - i, next);
	}
}

// store_column stores the vector v of reflector j, which is in y, as column j of `a`. It also
// stores τ and the off-diagonal element e[j] of T.
void store_column(uint j, Reflector h) {
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		if (column(c) < p.n) MatrixInOut(element(uint64_t(p.a), column(c), j, p.ld)).at[0] = scalar_t(y[c]);
	}
	if (gl_LocalInvocationIndex == 0) {
		p.tau.at[j] = scalar_t(h.tau);
		p.t.at[2 * j + 1] = scalar_t(h.beta);
	}
}

void main() {
	uint t = gl_LocalInvocationIndex, g = gl_WorkGroupID.x;
	uint same_row[CHUNKS]; // which row of this workgroup is the own column; ROWS if none is
	if (t == 0) given_up = 0;
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		same_row[c] = column(c) < p.n && owner(column(c)) == g ? position(column(c)) : ROWS;
		own[c] = work_t(0);
	}
	load();
	barrier(); // given_up is 0; all invocations have published
	receive(0, first_slot(0), first_slot(0));
	if (g == 0 && t == 0) p.t.at[0] = scalar_t(real_if(true, x[0]));

	[[dont_unroll]] for (uint j = 0; j < p.columns; j++) {
		uint i = j + 1;
		Reflector h = reflect(j); // after its barrier rows_v and rows_w are complete
		if (given_up != 0) return;
		publish_small(j);
		if (2 * j % p.groups == g) {
			[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
				if (column(c) < p.n) panel_at(column(c), 2 * j).at[0] = scalar_t(y[c]);
				own[c] = 2 * j == g ? y[c] : own[c];
			}
		}
		work_t ahead[PASSES];
		[[unroll]] for (uint pass = 0; pass < PASSES; pass++) {
			uint r = (pass * LOCAL_SIZE + t) / TEAM;
			ahead[pass] = work_t(0);
			if (r < ROWS && row(r) >= i && row(r) < p.n) ahead[pass] = conjugate(at_row(row(r), i));
		}
		multiply(i);
		store_shares();
		barrier(); // shares_p is complete; all invocations have published small values
		receive_small(j);
		barrier(); // `small` is complete
		publish(j, ahead);
		barrier(); // all invocations have published
		// Column j in memory is row j of this workgroup, see at_row. Nobody reads it again, so v may
		// replace it.
		if (g == owner(j)) store_column(j, h);

		receive(i, first_slot(i), first_product(i));
		real_t dot = real_t(0);
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			dot = real_of(mad_conj(acc_t(y[c]), product[c], of_real(dot)));
			if (column(c) == i) head_p = product[c];
		}
		dot = cluster_sum(dot);
		if (t % LANES == 0) shares_v[t / LANES] = dot;
		barrier(); // shares_v and head_p are complete
		TOTAL(vp, shares_v)
		real_t alpha = real_of(mul(real_t(-0.5) * conjugate(h.tau), h.tau * vp));
		work_t w_head = conjugate(work_t(mad(h.tau, head_p, of_real(alpha))));
		bool keeps = (2 * j + 1) % p.groups == g;
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			work_t w = work_t(mad(h.tau, product[c], alpha * acc_t(y[c])));
			x[c] = mad(-y[c], w_head, x[c] - w);
			if (same_row[c] < ROWS) {
				rows_v[same_row[c] * STRIDE + j] = y[c];
				rows_w[same_row[c] * STRIDE + j] = w;
				if (column(c) == i && i < p.columns) p.t.at[2 * i] = scalar_t(real_if(true, x[c]));
			}
			if (keeps && column(c) < p.n) panel_at(column(c), 2 * j + 1).at[0] = scalar_t(w);
			own[c] = 2 * j + 1 == g ? w : own[c];
		}
	}
}
