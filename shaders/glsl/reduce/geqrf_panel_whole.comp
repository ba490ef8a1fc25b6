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
// workgroup has KEPT chunks at most.
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

const uint AT_ONCE = 8;       // partial results in flight for each invocation
const uint NOTHING = ~0u;     // the upper half of a slot to which nothing came: no finite number has it

shared acc_t heads[COLUMNS], inverse;
shared acc_t room[LOCAL_SIZE];  // shares of what was waited for; reduce_room has those of the next column
shared work_t weights[COLUMNS]; // τ·w
shared work_t tail[CHUNK];      // column j of the chunk, before it becomes v

layout(constant_id = 3) const uint KEPT = 1;

// This invocation's elements of a chunk, columns lane, lane + LANES, …, from a base on: those of
// chunk c, if all are kept, from c·PER_LANE.
work_t mine[KEPT * PER_LANE];

// slots_of is the place of what belongs to column j ≥ 1.
uint64_t slots_of(uint j) { return uint64_t(p.slots) + 8 * uint64_t((j - 1) * (1 + p.groups) * COLUMNS); }

void put(Slots to, uint i, double x) {
	uvec2 halves = unpackDouble2x32(x);
	if (halves.y == NOTHING) halves.y ^= 1u; // a NaN that came in must not make others wait
	atomicStore(to.at[i], pack64(halves), gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

uvec2 peek(Slots from, uint i) {
	return unpack32(atomicLoad(from.at[i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed));
}

// gives_up tells whether waiting for column j should end after k polls.
bool gives_up(uint j, uint k) {
	if (k % POLLS_A_LOOK != 0) return false;
	if (stopped(p.info, p.abort_word)) return true;
	if (k < p.polls) return false;
	atomicStore(p.info.at[0], j + 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	return true;
}

// first_share is what this invocation adds to the dot products of column 0; it also finds row 0.
acc_t first_share(int e) {
	uint t = gl_LocalInvocationIndex, column = t % COLUMNS;
	if (t < COLUMNS) heads[t] = acc_t(p.state.at[t]) * acc_t(power_of_two(-e));
	acc_t sum = acc_t(0);
	if (t < SEGMENTS * COLUMNS) {
		for (uint g = t / COLUMNS; g < p.groups; g += SEGMENTS) {
			sum += regauge(p.exponents, acc_t(p.state.at[COLUMNS * (1 + g) + column]), g, e);
		}
	}
	return sum;
}

// share is the same for column j ≥ 1: it waits for row j and the workgroups' parts.
acc_t share(uint j) {
	uint t = gl_LocalInvocationIndex, column = t % COLUMNS;
	acc_t sum = acc_t(0);
	if (column < j || t >= SEGMENTS * COLUMNS) return sum;
	Slots from = Slots(slots_of(j));
	for (uint g = t / COLUMNS; g < p.groups; g += AT_ONCE * SEGMENTS) {
		uvec2 bits[AT_ONCE], top = uvec2(0);
		bool waits = true;
		for (uint k = 1; waits; k++) {
			// All on their way at once; those past the last repeat the first.
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
				uint at = g + u * SEGMENTS;
				bits[u] = peek(from, COLUMNS * (1 + (at < p.groups ? at : g)) + column);
			}
			if (t < COLUMNS) top = peek(from, t);
			uint most = top.y;
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) most = max(most, bits[u].y);
			waits = most == NOTHING;
			if (waits && gives_up(j, k)) break;
		}
		if (t < COLUMNS) heads[t] = acc_t(packDouble2x32(top));
		[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
			sum += g + u * SEGMENTS < p.groups ? acc_t(packDouble2x32(bits[u])) : acc_t(0);
		}
	}
	return sum;
}

// total is column_total of what is in room.
acc_t total(uint column) {
	acc_t even = acc_t(0), odd = acc_t(0);
	for (uint s = 0; s < SEGMENTS; s += 2) {
		even += room[s * COLUMNS + column];
		if (s + 1 < SEGMENTS) odd += room[(s + 1) * COLUMNS + column];
	}
	return even + odd;
}

// fetch brings the chunk's rows, columns from j on, times a power of two.
void fetch(uint base, uint row, uint lane, uint j, work_t gauge) {
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		uint l = lane + u * LANES;
		mine[base + u] = row < p.m && l >= j && l < COLUMNS ? work_t(p.panel.at[row + l * p.ld]) * gauge : work_t(0);
	}
}

// put_tail makes column j of the chunk known to all who share its rows.
void put_tail(uint base, uint row_of, uint lane, uint j) {
	if (lane != j % LANES) return;
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		if (u == j / LANES) tail[row_of] = mine[base + u];
	}
}

// apply makes v of column j and applies the reflector to the columns behind it. The chunk is in
// mine and tail, the tile is free.
void apply(uint base, uint chunk, uint end, uint row_of, uint lane, uint j, bool last, bool kept, Slots next) {
	uint row = chunk + row_of;
	work_t v = row > j && inverse != acc_t(0) ? work_t(tail[row_of] * inverse) : work_t(row == j ? 1 : 0);
	if (lane == j % LANES && row < end) p.panel.at[row + j * p.ld] = real_t(v);
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		uint l = lane + u * LANES;
		if (l <= j || l >= COLUMNS) continue;
		work_t y = fma(-weights[l], v, mine[base + u]);
		mine[base + u] = y;
		tile[l * STRIDE + row_of] = row > j + 1 ? y : work_t(0);
	}
	if (kept && !last && row != j + 1) return;
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		uint l = lane + u * LANES;
		if (l <= j || l >= COLUMNS || row >= end) continue;
		if (last) p.panel.at[row + l * p.ld] = real_t(0);
		else if (!kept && row > j) p.panel.at[row + l * p.ld] = real_t(mine[base + u]);
		if (row == j + 1 && !last) put(next, l, double(mine[base + u]));
	}
}

// make_reflector is done by one invocation a column. Workgroup 0 stores the results.
void make_reflector(uint j, bool last, acc_t unscale) {
	uint t = gl_LocalInvocationIndex;
	if (t >= COLUMNS) return;
	Reflector h = reflector(heads[j], total(j));
	acc_t head = heads[t], weight = h.tau * fma(total(t), h.inverse, head);
	weights[t] = work_t(weight);
	if (t == 0) inverse = h.inverse;
	if (gl_WorkGroupID.x > 0) return;
	if (t >= j) p.r.at[j + t * p.ldr] = real_t((t == j ? h.beta : head - weight) * unscale);
	if (t == j || last && t > j) p.tau.at[t] = t == j ? real_t(h.tau) : real_t(0);
}

void main() {
	uint t = gl_LocalInvocationIndex, row_of = t % CHUNK, lane = t / CHUNK;
	uint begin = gl_WorkGroupID.x * p.rows, end = min(begin + p.rows, p.m);
	uint count = min(COLUMNS, p.m);
	uint chunks = (end - begin + CHUNK - 1) / CHUNK;
	bool kept = chunks <= KEPT;

	int e = common_exponent(p.exponents, p.groups);
	acc_t unscale = acc_t(power_of_two(e));
	work_t gauge = work_t(power_of_two(-e));
	[[unroll]] for (uint c = 0; c < KEPT; c++) {
		if (c == 0 || kept && c < chunks) fetch(c * PER_LANE, begin + c * CHUNK + row_of, lane, 0, gauge);
	}
	[[dont_unroll]] for (uint j = 0; j < count; j++) {
		bool last = j + 1 == count;
		if (j > 0 && !kept) fetch(0, begin + row_of, lane, j, gauge); // on its way while the sums are taken
		put_tail(0, row_of, lane, j);
		if (j == 0) room[t] = first_share(e);
		else room[t] = share(j);
		barrier(); // room, heads, tail are there
		make_reflector(j, last, unscale);
		barrier(); // weights, inverse are there

		// After a chunk the tile is full, and the tail free for the next one's; when that is there
		// nobody needs the tile any more.
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
			gauge = work_t(1); // what memory holds is scaled now
		}
		if (last) break;
		share_of(dots);
		barrier();
		if (t > j && t < COLUMNS) put(next, COLUMNS * (1 + gl_WorkGroupID.x) + t, double(column_total(t)));
	}
}
