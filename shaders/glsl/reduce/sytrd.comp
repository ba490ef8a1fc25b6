// sytrd reduces a symmetric matrix to tridiagonal form in one dispatch, A = Q·T·Qᵀ (LAPACK dsytrd,
// unblocked: dsytd2).
//
// in, out: a             n×n, both triangles; afterwards Y: column j holds v of reflector j, with
//                        v[j+1] = 1 and zeros above, and column n−1 is zero
// out:     t             T: d[j] at 2j, e[j] at 2j+1, j < n−1; d[n−1] at 2n−2
//          tau           factors τ of n−1 reflectors, the last of which is 0
// in, out: slots         what workgroups hand to each other, see below. All bits are set beforehand.
//                        No finite number has such bits, so a value is its own flag
// in, out: info          0 before; 1 + the row whose values did not arrive in time
// in:      abort_word    becomes nonzero when the host asks the kernel to stop
//
// Reflector j, H = I − τ·v·vᵀ, makes column j of A tridiagonal. The kernel computes
//
//	p = A·v     w = τ·p − ½·τ²·(vᵀ·p)·v     H·A·H = A − v·wᵀ − w·vᵀ.
//
// Rows of A are dealt to the workgroups in turn: workgroup g has rows g, g + groups, … . Within each
// workgroup, columns are dealt to the invocations in the same way, in chunks of LOCAL_SIZE columns.
// So each element belongs to one invocation. An invocation keeps the elements of the last KEPT chunks
// in registers. The elements of the chunks before stay in memory. Every workgroup has all of v and w:
// each invocation has the elements of its own columns. Every workgroup computes each reflector for
// itself, with the same bits.
//
// There is one exchange for each column. The next column follows from p: it is row j+1 of A before
// the update, less two multiples of v and w. So every workgroup publishes its part of p. The
// workgroup that has row j+1 publishes this row, too. For i = j+1, the slots from first_slot(i) on
// have:
//
//	c[l], i ≤ l < n    row i of A, before reflector j is applied
//	p[l], i ≤ l < n    A·v. For i = 0 there is no p
//
// No wait lasts for ever if all workgroups run at the same time: every workgroup publishes its values
// of a column before it waits for the values of the others. The host dispatches at most one workgroup
// for each unit (multiprocessor) of the device, and each unit can hold at least one. If a workgroup
// does not run all the same, the poll limit ends the kernel. Then INFO is set, and the results are
// undefined.
//
// The order of all sums depends on n, LOCAL_SIZE and LANES alone, so the bits are the same on every
// run, and for any number of workgroups.
//
// Arrays must stay in registers, because an array in memory is read again for each column. NVIDIA's
// compiler (580.159) keeps an array in registers only if each index is a sum or a product of
// constants after the loops are unrolled. An index with min, % or a choice between two indices moves
// the array to memory.
//
// The squares of the elements of A must neither overflow nor vanish. The tail of a column is its
// elements below the subdiagonal. A tail whose sum of squares is below 2^TINY_EXPONENT counts as
// zero. A NaN in A delays no workgroup, but the results are then NaN. No two buffers may overlap. The
// kernel assumes the same of subgroups as sb2st.comp.
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
// Invocations of a workgroup: a multiple of LANES.
layout(constant_id = 0) const uint LOCAL_SIZE = 128;
// Rows of a workgroup, at most.
layout(constant_id = 1) const uint ROWS = 4;
// Chunks of columns: LOCAL_SIZE·CHUNKS is at least n.
layout(constant_id = 2) const uint CHUNKS = 2;
// Chunks in registers, 1 to CHUNKS.
layout(constant_id = 3) const uint KEPT = 2;
// Neighbouring invocations of a subgroup that add up their shares by shuffles: a power of two, at
// most 32.
layout(constant_id = 4) const uint LANES = 32;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Slots { nonprivate uint64_t at[]; };

layout(push_constant, scalar) uniform Push {
	MatrixInOut a;
	MatrixOut t, tau;
	Slots slots;
	Flags info, abort_word;
	// n       order of A, at least 1
	// ld      leading dimension of A, at least n
	// groups  number of workgroups
	// polls   loads of a slot before a wait is given up
	uint n, ld, groups, polls;
} p;

// A slot without a value. No finite number has its upper half.
const uint64_t NOTHING = ~uint64_t(0);
const uint CLUSTERS = LOCAL_SIZE / LANES;
const uint SPILT = CHUNKS - KEPT; // chunks in memory
// Elements that are left of ROWS after one, two … halvings.
const uint R1 = (ROWS + 1) / 2, R2 = (R1 + 1) / 2, R3 = (R2 + 1) / 2, R4 = (R3 + 1) / 2, R5 = (R4 + 1) / 2;

// shares      of each cluster: of p, of ‖x‖² and of vᵀ·p
// row_v       elements of v and w in the rows of this workgroup
// head_x      x[j+1]; head_p is p[j+1]
// given_up    some invocation has given up waiting
shared acc_t shares_p[CLUSTERS * ROWS], shares_x[CLUSTERS], shares_v[CLUSTERS];
shared work_t row_v[ROWS], row_w[ROWS];
shared acc_t head_x, head_p;
shared uint given_up;

// mine[r + c·ROWS] holds an element of A in a register. The element lies in row g + r·groups of A,
// where g is the number of the workgroup and groups is how many there are. Its column is the one that
// belongs to this invocation in chunk SPILT + c. The first SPILT chunks are in memory.
work_t mine[ROWS * KEPT];
// These arrays have the elements of the own columns. x is the column to eliminate, y is the reflector
// computed from x, and product is A·y. v and w belong to the reflector before y.
work_t v[CHUNKS], w[CHUNKS], x[CHUNKS], y[CHUNKS];
acc_t product[CHUNKS];
// share_of[r] is this invocation's share of p in row r. The last element pads the halving of an odd
// number of rows.
acc_t share_of[ROWS + 1];

// column returns the column of chunk c that belongs to this invocation, its own column.
uint column(uint c) { return gl_LocalInvocationIndex + c * LOCAL_SIZE; }

// row returns row r of this workgroup.
uint row(uint r) { return gl_WorkGroupID.x + r * p.groups; }

// inside tells whether row r and the own column of chunk c exist.
bool inside(uint r, uint c) { return row(r) < p.n && column(c) < p.n; }

// place returns the place of element (row(r), column(c)) in A. A is symmetric, and its columns are
// contiguous.
MatrixInOut place(uint r, uint c) { return MatrixInOut(element(uint64_t(p.a), column(c), row(r), p.ld)); }

// first_slot returns the address of the slots of row i.
Slots first_slot(uint i) { return Slots(uint64_t(p.slots) + 8 * uint64_t(i * (2 * p.n - i + 1))); }

// put stores a value, which sets the slot's flag at the same time.
void put(Slots to, uint i, acc_t value) {
	uvec2 halves = SPLIT(value);
	if (halves.y == ~0u) halves.y ^= 1u; // a NaN in A must not look like an empty slot
	atomicStore(to.at[i], pack64(halves), gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// peek loads a slot, which may still be empty.
uint64_t peek(Slots from, uint i) {
	return atomicLoad(from.at[i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// gives_up tells whether to stop waiting for row i after k polls.
bool gives_up(uint i, uint k) {
	if (k % POLLS_A_LOOK != 0) return false;
	if (stopped(p.info, p.abort_word)) return true;
	if (k < p.polls) return false;
	atomicStore(p.info.at[0], i + 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	return true;
}

// missing tells whether a slot was empty.
bool missing(uint64_t bits) { return unpack32(bits).y == ~0u; }

// receive waits for row i and, unless i is 0, for p, and stores the elements of the own columns from
// i on to x and to product; others become zero.
void receive(uint i) {
	Slots from = first_slot(i);
	uint second = i > 0 ? p.n - i : 0; // first slot of p
	uint64_t bits[CHUNKS], bits_p[CHUNKS];
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		bool has = column(c) >= i && column(c) < p.n;
		bits[c] = has ? NOTHING : uint64_t(0);
		bits_p[c] = bits[c];
	}
	bool waits = true;
	for (uint k = 1; waits; k++) {
		// All loads are in flight at once.
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			if (missing(bits_p[c])) bits_p[c] = peek(from, second + column(c) - i);
			if (missing(bits[c])) bits[c] = peek(from, column(c) - i);
		}
		waits = false;
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) waits = waits || missing(bits_p[c]) || missing(bits[c]);
		if (waits && gives_up(i, k)) {
			given_up = 1;
			waits = false;
		}
	}
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		x[c] = work_t(JOIN(unpack32(bits[c])));
		product[c] = acc_t(JOIN(unpack32(bits_p[c])));
	}
}

#include "cluster_sums.glsl"

// multiply applies the last reflector to the own elements and adds the shares of A·y up. It stores
// the elements of row i to the slots.
void multiply(uint i) {
	[[unroll]] for (uint r = 0; r < ROWS; r++) share_of[r] = acc_t(0);
	work_t published[CHUNKS];
	uint wanted = i % p.groups == gl_WorkGroupID.x ? i / p.groups : ROWS; // row i
	[[unroll]] for (uint c = 0; c < SPILT; c++) {
		published[c] = work_t(0);
		if ((c + 1) * LOCAL_SIZE > i) { // otherwise its columns are done
			[[unroll]] for (uint r = 0; r < ROWS; r++) {
				if (inside(r, c) && row(r) >= i) {
					MatrixInOut at = place(r, c);
					work_t e = fma(-row_w[r], v[c], fma(-row_v[r], w[c], work_t(at.at[0])));
					at.at[0] = scalar_t(e);
					if (r == wanted) published[c] = e;
					share_of[r] = fma(acc_t(e), acc_t(y[c]), share_of[r]);
				}
			}
		}
	}
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		work_t v_r = row_v[r], w_r = row_w[r];
		acc_t sum = share_of[r];
		[[unroll]] for (uint c = 0; c < KEPT; c++) {
			work_t e = fma(-w_r, v[SPILT + c], fma(-v_r, w[SPILT + c], mine[r + c * ROWS]));
			mine[r + c * ROWS] = e;
			sum = fma(acc_t(e), acc_t(y[SPILT + c]), sum);
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

// store_column stores column j of Y, τ and e.
void store_column(uint j, Reflector h) {
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		if (column(c) < p.n) MatrixInOut(element(uint64_t(p.a), column(c), j, p.ld)).at[0] = scalar_t(y[c]);
	}
	if (gl_LocalInvocationIndex == 0) {
		p.tau.at[j] = scalar_t(h.tau);
		p.t.at[2 * j + 1] = scalar_t(h.beta);
	}
}

// load stores the own elements of A to the registers, and publishes row 0, which is column 0.
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
	uint last = g + (p.n - 1 - g) / p.groups * p.groups; // row of this workgroup
	uint same_row[CHUNKS]; // which row of this workgroup is the own column; ROWS if none is
	if (t == 0) given_up = 0;
	if (t < ROWS) row_v[t] = row_w[t] = work_t(0);
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		v[c] = w[c] = work_t(0);
		same_row[c] = column(c) < p.n && column(c) % p.groups == g ? column(c) / p.groups : ROWS;
	}
	load();
	barrier(); // given_up is 0
	receive(0);
	if (g == 0 && t == 0) p.t.at[0] = scalar_t(x[0]);

	[[dont_unroll]] for (uint j = 0; j + 1 < p.n; j++) {
		// The reflector of column j, which is in x.
		acc_t square = acc_t(0);
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			if (column(c) == j + 1) head_x = acc_t(x[c]);
			square = column(c) > j + 1 ? fma(acc_t(x[c]), acc_t(x[c]), square) : square;
		}
		square = cluster_sum(square);
		if (t % LANES == 0) shares_x[t / LANES] = square;
		barrier(); // shares_x, head_x, row_v and row_w are complete
		if (given_up != 0) return;
		TOTAL(tail, shares_x)
		acc_t head = head_x;
		bool turns = tail >= acc_t(power_of_two(TINY_EXPONENT));
		acc_t all = fma(head, head, tail);
		int e = exponent_of(real_t(all)) >> 1;
		acc_t down = acc_t(power_of_two(-e));
		Reflector h = reflector(head * down, all * down * down, e, head, turns);
		work_t unit = turns ? work_t(h.inverse * down) : work_t(0);
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			y[c] = column(c) > j + 1 ? x[c] * unit : work_t(column(c) == j + 1 ? 1 : 0);
		}
		// A becomes what it is before reflector j, and p is A·y.
		multiply(j + 1);
		store_shares();
		barrier(); // shares_p is complete
		if (t < ROWS && row(t) > j && row(t) < p.n) {
			acc_t sum = shares_p[t], odd = acc_t(0);
			[[unroll]] for (uint k = 1; k < CLUSTERS; k++) {
				if (k % 2 == 0) sum += shares_p[k * ROWS + t];
				else odd += shares_p[k * ROWS + t];
			}
			put(first_slot(j + 1), p.n - (j + 1) + row(t) - (j + 1), sum + odd);
		}
		// Invocations of another subgroup may have values of this workgroup, and a subgroup that waits
		// may keep them from running.
		if (ROWS > LANES) barrier();
		// Row j has no further use, so that the column of Y may take its place.
		if (g == j % p.groups) store_column(j, h);
		if (last <= j) return;

		receive(j + 1);
		acc_t dot = acc_t(0);
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			dot = fma(acc_t(y[c]), product[c], dot);
			if (column(c) == j + 1) head_p = product[c];
		}
		dot = cluster_sum(dot);
		if (t % LANES == 0) shares_v[t / LANES] = dot;
		barrier(); // shares_v and head_p are complete
		TOTAL(vp, shares_v)
		acc_t alpha = acc_t(-0.5) * h.tau * (h.tau * vp);
		work_t w_head = work_t(fma(h.tau, head_p, alpha));
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			v[c] = y[c];
			w[c] = work_t(fma(h.tau, product[c], alpha * acc_t(y[c])));
			x[c] = fma(-y[c], w_head, x[c] - w[c]);
			if (same_row[c] < ROWS) {
				row_v[same_row[c]] = v[c];
				row_w[same_row[c]] = w[c];
				if (column(c) == j + 1) p.t.at[2 * (j + 1)] = scalar_t(x[c]);
			}
		}
	}
	// Column n−1 of Y.
	if (last == p.n - 1) {
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			if (column(c) < p.n) MatrixInOut(element(uint64_t(p.a), column(c), p.n - 1, p.ld)).at[0] = scalar_t(0);
		}
	}
}
