// geqrf_panel_whole computes all reflectors of an m×COLUMNS panel in one dispatch. The kernels
// geqrf_panel_first and geqrf_panel_column compute the same bits with one dispatch per column,
// because they use the same arithmetic in the same order.
//
// complex
//
// The workgroups of geqrf_panel_whole run until the last column is finished. For each column they
// exchange values through memory. geqrf_panel_column passes the same values from one dispatch to
// the next.
//
// in, out: panel          as in geqrf_panel_column
// out:     r, tau         as in geqrf_panel_column
// in:      state          from geqrf_panel_start, for column 0
// in, out: slots          for each column j ≥ 1 a state (panel.glsl): row j, then the dot
//                         products of each workgroup. All bits must be set before the dispatch.
//                         The upper half of a slot without a value has all bits set. No finite
//                         number has such a half, so the value is its own flag. A number has
//                         one slot, except that a complex128 has one for each of its parts
// in:      exponents      from geqrf_panel_start
// in, out: info           0 before the dispatch; 1 + the column whose values did not arrive in time
// in:      abort_word     becomes nonzero when the host asks the kernel to stop
//
// All waits end, for this reason. In column j, every workgroup waits for values that the other
// workgroups compute in column j−1. So all workgroups must run at the same time. The host
// dispatches at most one workgroup for each unit (multiprocessor) of the device, and each unit can
// hold at least one. If the workgroups still do not all run, the poll limit ends the kernel. Then
// INFO is set, and the results are undefined.
//
// Each element of the panel belongs to one invocation, which keeps it in a register if the
// workgroup has at most KEPT chunks. The panel must be finite: a NaN delays no workgroup, but the
// results are then NaN. No two buffers may overlap.
//
// Grid: ⌈m / rows⌉ workgroups.
#version 460
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_control_flow_attributes : require
#include "panel.glsl"
#include "panel_reflector.glsl"
#include "flags.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Slots { nonprivate uint64_t at[]; };

layout(push_constant, scalar) uniform Push {
	MatrixInOut panel;
	MatrixIn state;
	Slots slots;
	Exponents exponents;
	MatrixOut r, tau;
	Flags info, abort_word;
	// m is the number of rows of the panel, at least 1. The leading dimensions ld and ldr are at
	// least m and COLUMNS. `rows` is the number of rows of a workgroup, a multiple of CHUNK, and
	// `groups` the number of workgroups. `polls` is the poll limit: after so many loads of a slot a
	// wait is given up.
	uint m, ld, ldr, rows, groups, polls;
} p;

// AT_ONCE is the number of partial dot products that each invocation has in flight while it reads
// the products of all workgroups. For complex128, half as many invocations read twice as many of
// them.
#ifdef SCALAR_C128
const uint AT_ONCE = 16;
#else
const uint AT_ONCE = 8;
#endif
// Workgroups exchange numbers through slots, words of 64 bits. NOTHING is the upper half of a slot
// without a value. No finite number has this upper half.
const uint NOTHING = ~0u;

// part_t is the type of the number, or of the part of a number, in one slot. HALVES(x) are the bits
// of the slot. For complex64 the lower half is the imaginary part. bits_t is the type of the bits
// of all slots of a number, and SLOTS is the number of these slots. UPPER(bits) is NOTHING if one
// of the slots has no value. VALUE(bits) is the number.
#if defined(SCALAR_C128)
#define part_t real_t
#define HALVES(x) SPLIT(x)
#define bits_t uvec4
#define UPPER(bits) max((bits).y, (bits).w)
#define VALUE(bits) acc_t(JOIN((bits).xy), JOIN((bits).zw))
#define SLOTS 2
#elif defined(SCALAR_C64)
#define part_t acc_t
#define HALVES(x) uvec2(SPLIT(imag_of(x)).y, SPLIT(real_of(x)).y)
#define bits_t uvec2
#define UPPER(bits) (bits).y
#define VALUE(bits) acc_t(JOIN(bits), JOIN((bits).yx))
#define SLOTS 1
#else
#define part_t acc_t
#define HALVES(x) SPLIT(x)
#define bits_t uvec2
#define UPPER(bits) (bits).y
#define VALUE(bits) JOIN(bits)
#define SLOTS 1
#endif

// `heads` holds row j of the panel. `inverse` is 1/(x0 − β), where x0 is the element in row j of
// column j and β its value after the reflector.
shared acc_t heads[COLUMNS], inverse;
// `room` has the invocations' partial sums of the current column's dot products. The partial sums
// of the next column are in reduce_room.
shared acc_t room[LOCAL_SIZE];
shared work_t weights[COLUMNS]; // τ·w, conj(τ)·w for complex numbers
shared work_t tail[CHUNK];      // column j of the chunk, before it becomes v

// A workgroup processes its rows of the panel in chunks. KEPT is the largest number of chunks that
// stay in registers, at least 1. The number of registers limits KEPT.
layout(constant_id = 3) const uint KEPT = 1;

// `mine` holds this invocation's elements of those chunks of rows that are in registers. An
// invocation has columns lane, lane + LANES, … of one row of each chunk. If all chunks of the
// workgroup stay in registers, the elements of chunk c begin at index c·PER_LANE. Otherwise `mine`
// holds only the current chunk, from index 0 on.
work_t mine[KEPT * PER_LANE];

// slots_of returns the address of the first slot of column j ≥ 1. A slot is a word of memory
// through which workgroups exchange a number.
uint64_t slots_of(uint j) { return uint64_t(p.slots) + 8 * SLOTS * uint64_t((j - 1) * (1 + p.groups) * COLUMNS); }

// put stores the value x to the slots of number i after the address `to`, for other workgroups. A
// separate flag is not needed, because the bits of x differ from those of an empty slot.
void put(Slots to, uint i, part_t x) {
	uvec2 halves = HALVES(x);
	if (halves.y == NOTHING) halves.y ^= 1u; // a NaN in the panel must not look like an empty slot
	atomicStore(to.at[i], pack64(halves), gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
#ifdef SCALAR_C128
void put(Slots to, uint i, acc_t x) {
	put(to, 2 * i, real_of(x));
	put(to, 2 * i + 1, imag_of(x));
}
#endif

// peek loads the slots of number i after the address `from`, through which workgroups exchange
// numbers. A slot may still be empty.
#ifdef SCALAR_C128
bits_t peek(Slots from, uint i) {
	uvec2 re = unpack32(atomicLoad(from.at[2 * i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed));
	return bits_t(re, unpack32(atomicLoad(from.at[2 * i + 1], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed)));
}
#else
bits_t peek(Slots from, uint i) {
	return unpack32(atomicLoad(from.at[i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed));
}
#endif

// gives_up tells whether this invocation must stop waiting for the values of column j, after it has
// read a slot k times. At the poll limit, gives_up sets INFO to j + 1.
bool gives_up(uint j, uint k) {
	if (k % POLLS_A_LOOK != 0) return false;
	if (stopped(p.info, p.abort_word)) return true;
	if (k < p.polls) return false;
	atomicStore(p.info.at[0], j + 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	return true;
}

// first_share returns this invocation's part of the dot product of column 0 and column t % COLUMNS,
// where t is the number of the invocation. It also stores row 0 to the array `heads`. e is the
// exponent of the power of two by which the whole panel is scaled.
acc_t first_share(int e) {
	uint t = gl_LocalInvocationIndex, column = t % COLUMNS;
	if (t < COLUMNS) heads[t] = acc_t(p.state.at[t]) * power_of_two(-e);
	acc_t sum = acc_t(0);
	if (t < SEGMENTS * COLUMNS) {
		for (uint g = t / COLUMNS; g < p.groups; g += SEGMENTS) {
			sum += regauge(p.exponents, acc_t(p.state.at[COLUMNS * (1 + g) + column]), g, e);
		}
	}
	return sum;
}

// share waits for row j of the panel and for the partial dot products of all workgroups. It stores
// row j to the array `heads`, and returns this invocation's part of the dot product of column j ≥ 1
// and column t % COLUMNS, where t is the number of the invocation.
acc_t share(uint j) {
	uint t = gl_LocalInvocationIndex, column = t % COLUMNS;
	acc_t sum = acc_t(0);
	if (column < j || t >= SEGMENTS * COLUMNS) return sum;
	Slots from = Slots(slots_of(j));
	for (uint g = t / COLUMNS; g < p.groups; g += AT_ONCE * SEGMENTS) {
		bits_t bits[AT_ONCE], top = bits_t(0);
		bool waits = true;
		for (uint k = 1; waits; k++) {
			// The loads of all AT_ONCE slots are in flight at the same time. Loads past the last
			// workgroup repeat the first load.
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
				uint at = g + u * SEGMENTS;
				bits[u] = peek(from, COLUMNS * (1 + (at < p.groups ? at : g)) + column);
			}
			if (t < COLUMNS) top = peek(from, t);
			uint most = UPPER(top);
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) most = max(most, UPPER(bits[u]));
			waits = most == NOTHING;
			if (waits && gives_up(j, k)) break;
		}
		if (t < COLUMNS) heads[t] = acc_t(VALUE(top));
		[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
			sum += g + u * SEGMENTS < p.groups ? acc_t(VALUE(bits[u])) : acc_t(0);
		}
	}
	return sum;
}

// total returns the sum of the invocations' partial sums for one column, which are in the array
// `room`. The order of the additions is that of the function column_total.
acc_t total(uint column) {
	acc_t even = acc_t(0), odd = acc_t(0);
	for (uint s = 0; s < SEGMENTS; s += 2) {
		even += room[s * COLUMNS + column];
		if (s + 1 < SEGMENTS) odd += room[(s + 1) * COLUMNS + column];
	}
	return even + odd;
}

// fetch loads this invocation's elements of one row of the current chunk of rows, in columns j and
// later, and multiplies them by the power of two `gauge`.
void fetch(uint base, uint row, uint lane, uint j, real_t gauge) {
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		uint l = lane + u * LANES;
		mine[base + u] = row < p.m && l >= j && l < COLUMNS ? work_t(p.panel.at[row + l * p.ld]) * gauge : work_t(0);
	}
}

// put_tail stores this invocation's element of column j to the array `tail` in shared memory. All
// invocations that have elements of the same row read it there.
void put_tail(uint base, uint row_of, uint lane, uint j) {
	if (lane != j % LANES) return;
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		if (u == j / LANES) tail[row_of] = mine[base + u];
	}
}

// apply stores the vector v of reflector j to column j, and applies the reflector to the later
// columns of a chunk of rows. Before the call, the chunk must be in the arrays `mine` and `tail`,
// and all invocations must have finished reading `tile`.
void apply(uint base, uint chunk, uint end, uint row_of, uint lane, uint j, bool last, bool kept, Slots next) {
	uint row = chunk + row_of;
	work_t v = row > j && inverse != acc_t(0) ? work_t(mul(tail[row_of], inverse)) : of_real(real_t(row == j ? 1 : 0));
	if (lane == j % LANES && row < end) p.panel.at[row + j * p.ld] = scalar_t(v);
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		uint l = lane + u * LANES;
		if (l <= j || l >= COLUMNS) continue;
		work_t y = mad(-weights[l], v, mine[base + u]);
		mine[base + u] = y;
		tile[l * STRIDE + row_of] = row > j + 1 ? y : work_t(0);
	}
	if (kept && !last && row != j + 1) return;
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		uint l = lane + u * LANES;
		if (l <= j || l >= COLUMNS || row >= end) continue;
		if (last) p.panel.at[row + l * p.ld] = scalar_t(0);
		else if (!kept && row > j) p.panel.at[row + l * p.ld] = scalar_t(mine[base + u]);
		if (row == j + 1 && !last) put(next, l, acc_t(mine[base + u]));
	}
}

// make_reflector computes reflector j. Invocation l computes the weight τ·w of column l, with which
// the reflector is applied to this column. Workgroup 0 stores row j of R, and τ.
void make_reflector(uint j, bool last, real_t unscale) {
	uint t = gl_LocalInvocationIndex;
	if (t >= COLUMNS) return;
	Reflector h = reflector(heads[j], real_of(total(j)));
	acc_t head = heads[t], weight = mul(conjugate(h.tau), mad(total(t), conjugate(h.inverse), head));
	weights[t] = work_t(weight);
	if (t == 0) inverse = h.inverse;
	if (gl_WorkGroupID.x > 0) return;
	if (t >= j) p.r.at[j + t * p.ldr] = scalar_t((t == j ? of_real(h.beta) : head - weight) * unscale);
	if (t == j || last && t > j) p.tau.at[t] = t == j ? scalar_t(h.tau) : scalar_t(0);
}

void main() {
	uint t = gl_LocalInvocationIndex, row_of = t % CHUNK, lane = t / CHUNK;
	uint begin = gl_WorkGroupID.x * p.rows, end = min(begin + p.rows, p.m);
	uint count = min(COLUMNS, p.m);
	uint chunks = (end - begin + CHUNK - 1) / CHUNK;
	bool kept = chunks <= KEPT;

	int e = common_exponent(p.exponents, p.groups);
	real_t unscale = power_of_two(e);
	real_t gauge = power_of_two(-e);
	[[unroll]] for (uint c = 0; c < KEPT; c++) {
		if (c == 0 || kept && c < chunks) fetch(c * PER_LANE, begin + c * CHUNK + row_of, lane, 0, gauge);
	}
	[[dont_unroll]] for (uint j = 0; j < count; j++) {
		bool last = j + 1 == count;
		// The loads that the function `fetch` starts here are in flight while the sums of dot
		// products are computed.
		if (j > 0 && !kept) fetch(0, begin + row_of, lane, j, gauge);
		put_tail(0, row_of, lane, j);
		if (j == 0) room[t] = first_share(e);
		else room[t] = share(j);
		barrier(); // room, heads and tail are complete
		make_reflector(j, last, unscale);
		barrier(); // weights and inverse are complete

		// The loop processes chunks of rows. After the first barrier of a chunk, `tile` is full,
		// and column j of the next chunk may be stored to `tail`. After the second barrier, `tail`
		// is complete, and all invocations have finished reading `tile`.
		Slots next = Slots(slots_of(j + 1));
		acc_t dots = acc_t(0);
		if (kept) {
			[[unroll]] for (uint c = 0; c < KEPT; c++) {
				if (c >= chunks) continue;
				apply(c * PER_LANE, begin + c * CHUNK, end, row_of, lane, j, last, kept, next);
				barrier();
				bool more = c + 1 < min(chunks, KEPT);
				if (more) put_tail((c + 1) % KEPT * PER_LANE, row_of, lane, j);
				if (!last) dots = add_dots(dots, j + 1);
				if (more) barrier();
			}
		} else {
			for (uint chunk = begin; chunk < end; chunk += CHUNK) {
				apply(0, chunk, end, row_of, lane, j, last, kept, next);
				bool more = chunk + CHUNK < end;
				if (more) fetch(0, chunk + CHUNK + row_of, lane, j, gauge);
				barrier();
				if (more) put_tail(0, row_of, lane, j);
				if (!last) dots = add_dots(dots, j + 1);
				if (more) barrier();
			}
			gauge = real_t(1); // memory now holds scaled values
		}
		if (last) break;
		share_of(dots);
		barrier();
		if (t > j && t < COLUMNS) put(next, COLUMNS * (1 + gl_WorkGroupID.x) + t, column_total(t));
	}
}
