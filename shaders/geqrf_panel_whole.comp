// geqrf_panel_whole makes all reflectors of an m×COLUMNS panel in one dispatch: what
// geqrf_panel_first and geqrf_panel_column do one after another, with the same
// arithmetic in the same order, hence the same bits. Workgroups stay; what one dispatch
// hands to the next there, they hand to each other here.
//
// panel, r, tau   as there
// state           of geqrf_panel_start, for column 0
// slots           for each column j ≥ 1 what a state is there: row j, and for each
//                 workgroup its dot products. All bits are set before; a value's arrival is its flag.
// exponents       of geqrf_panel_start
// info            0; 1 + the column that was waited for in vain
//
// Who waits for whom: in column j every workgroup waits for what every other has
// found in column j−1, so all must run at the same time. The host sees to that: there
// are no more workgroups than units of the device that each hold one at least.
//
// An element (row, l) belongs to one invocation, which keeps it in a register if the
// workgroup has one chunk only.
//
// Grid: ceil(m / rows) workgroups.
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
	uint m, ld, ldr, rows, groups, polls;
} p;

const uint AT_ONCE = 16;                          // partial results in flight for each invocation
const uint64_t EMPTY = 0xfffffffffffffffful;      // no finite number has these bits

shared acc_t dots[COLUMNS], heads[COLUMNS];
shared work_t weights[COLUMNS]; // τ·w
shared work_t tail[CHUNK];      // column j of the chunk, before it becomes v

work_t mine[PER_LANE]; // this invocation's elements of the chunk, columns lane, lane + LANES, …

// slots_of is the place of what belongs to column j ≥ 1.
Slots slots_of(uint j) { return Slots(uint64_t(p.slots) + 8 * uint64_t((j - 1) * (1 + p.groups) * COLUMNS)); }

void put(Slots to, uint i, double x) {
	uint64_t bits = doubleBitsToUint64(x);
	if (bits == EMPTY) bits ^= 1ul; // a NaN that came in must not make others wait
	atomicStore(to.at[i], bits, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

uint64_t peek(Slots from, uint i) { return atomicLoad(from.at[i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed); }

// gives_up tells whether waiting for column j should end after k polls.
bool gives_up(uint j, uint k) {
	if (k % POLLS_A_LOOK != 0) return false;
	if (stopped(p.info, p.abort_word)) return true;
	if (k < p.polls) return false;
	atomicStore(p.info.at[0], j + 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	return true;
}

// first_total returns, for t < COLUMNS, the dot product of column t with the tail of
// column 0, and finds row 0.
acc_t first_total(int e, out acc_t head) {
	uint t = gl_LocalInvocationIndex, column = t % COLUMNS;
	head = t < COLUMNS ? acc_t(p.state.at[t]) * acc_t(power_of_two(-e)) : acc_t(0);
	acc_t sum = acc_t(0);
	if (t < SEGMENTS * COLUMNS) {
		for (uint g = t / COLUMNS; g < p.groups; g += SEGMENTS) {
			sum += regauge(p.exponents, acc_t(p.state.at[COLUMNS * (1 + g) + column]), g, e);
		}
	}
	return column_sum(sum, COLUMNS);
}

// total is the same for column j ≥ 1: it waits for row j and all workgroups' parts.
acc_t total(uint j, out acc_t head) {
	uint t = gl_LocalInvocationIndex, column = t % COLUMNS;
	Slots from = slots_of(j);
	acc_t sum = acc_t(0);
	head = acc_t(0);
	if (column >= j && t < SEGMENTS * COLUMNS) {
		for (uint g = t / COLUMNS; g < p.groups; g += AT_ONCE * SEGMENTS) {
			uint64_t bits[AT_ONCE], top = 0ul;
			bool waits = true;
			for (uint k = 1; waits; k++) {
				// All on their way at once; those past the last repeat the first.
				[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
					uint at = g + u * SEGMENTS;
					bits[u] = peek(from, COLUMNS * (1 + (at < p.groups ? at : g)) + column);
				}
				if (t < COLUMNS) top = peek(from, t);
				waits = top == EMPTY;
				[[unroll]] for (uint u = 0; u < AT_ONCE; u++) waits = waits || bits[u] == EMPTY;
				if (waits && gives_up(j, k)) break;
			}
			head = acc_t(uint64BitsToDouble(top));
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
				sum += g + u * SEGMENTS < p.groups ? acc_t(uint64BitsToDouble(bits[u])) : acc_t(0);
			}
		}
	}
	return column_sum(sum, COLUMNS);
}

void fetch(uint row, uint lane, uint j) {
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		uint l = lane + u * LANES;
		mine[u] = row < p.m && l >= j && l < COLUMNS ? work_t(p.panel.at[row + l * p.ld]) : work_t(0);
	}
}

// put_tail makes column j of the chunk known to all who share its rows.
void put_tail(uint row_of, uint lane, uint j) {
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		if (lane + u * LANES == j) tail[row_of] = mine[u];
	}
}

void main() {
	uint t = gl_LocalInvocationIndex, row_of = t % CHUNK, lane = t / CHUNK;
	uint begin = gl_WorkGroupID.x * p.rows, end = min(begin + p.rows, p.m);
	uint count = min(COLUMNS, p.m);
	bool single = begin + CHUNK >= end;

	fetch(begin + row_of, lane, 0);
	int e = common_exponent(p.exponents, p.groups);
	acc_t unscale = acc_t(power_of_two(e));
	[[dont_unroll]] for (uint j = 0; j < count; j++) {
		bool last = j + 1 == count;
		work_t gauge = j == 0 ? work_t(power_of_two(-e)) : work_t(1);
		if (j > 0 && !single) fetch(begin + row_of, lane, j); // on its way while the sums are taken
		acc_t head, dot;
		if (j == 0) dot = first_total(e, head);
		else dot = total(j, head);
		if (t < COLUMNS) dots[t] = dot, heads[t] = head;
		barrier();

		// Every invocation makes the reflector: cheaper than a barrier.
		Reflector h = reflector(heads[j], dots[j]);
		acc_t weight = h.tau * fma(dot, h.inverse, head);
		if (t < COLUMNS) weights[t] = work_t(weight);
		put_tail(row_of, lane, j);
		if (gl_WorkGroupID.x == 0) {
			if (t >= j && t < COLUMNS) p.r.at[j + t * p.ldr] = real_t((t == j ? h.beta : head - weight) * unscale);
			if (t == j || last && t > j && t < COLUMNS) p.tau.at[t] = t == j ? real_t(h.tau) : real_t(0);
		}
		barrier();

		Slots next = slots_of(j + 1);
		acc_t share = acc_t(0);
		for (uint chunk = begin; chunk < end; chunk += CHUNK) {
			// Here `mine` and `tail` hold the chunk, and the tile is free.
			uint row = chunk + row_of;
			work_t x = tail[row_of] * gauge;
			work_t v = row > j && h.inverse != acc_t(0) ? work_t(x * h.inverse) : work_t(row == j ? 1 : 0);
			[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
				uint l = lane + u * LANES;
				if (l < j || l >= COLUMNS) continue;
				if (l == j) {
					if (row < end) p.panel.at[row + l * p.ld] = real_t(v);
					continue;
				}
				work_t y = fma(-weights[l], v, mine[u] * gauge);
				mine[u] = y;
				if (row < end && (last || !single && row > j)) p.panel.at[row + l * p.ld] = last ? real_t(0) : real_t(y);
				if (row == j + 1 && row < end && !last) put(next, l, double(y));
				tile[l * STRIDE + row_of] = row > j + 1 ? y : work_t(0);
			}
			bool more = chunk + CHUNK < end;
			if (more) fetch(row + CHUNK, lane, j);
			barrier(); // the tile is full, nobody needs the tail any more
			if (more) put_tail(row_of, lane, j);
			if (!last) share = add_dots(share, j + 1);
			barrier(); // the next tail is there, nobody needs the tile any more
		}
		if (last) break;
		acc_t sum = column_sum(share, COLUMNS);
		if (t > j && t < COLUMNS) put(next, COLUMNS * (1 + gl_WorkGroupID.x) + t, double(sum));
		barrier(); // nobody needs the room of the sums any more
	}
}
