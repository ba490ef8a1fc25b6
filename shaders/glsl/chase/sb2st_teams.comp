// sb2st_teams chases bulges as sb2st does, for wide bands: each block of a step has a team of
// invocations of its own.
//
// in, out: band    as in sb2st
// out:     v, tau  as in sb2st
//
// variant: sb2st_teams FLAGS
// variant: sb2st_teams_log FLAGS LOG
// See sb2st.comp for steps, blocks, which steps must wait for which, aliasing and NaN. A step of a
// wide band has many elements: an invocation cannot hold its share of all blocks, and shared memory
// cannot hold two tiles. Also, if one subgroup does everything in order, either the memory pipeline
// or the arithmetic pipeline is idle at any time. So each block has its team, and the teams are at
// different parts of the step at the same time:
//
//	         first half                              second half
//	C                                                C·H to the tile
//	A        reads A from the tile                   H·A to memory
//	D        H·D·H of the step before to memory      γ·D·u, for all clusters
//	head     x → reflector, β to memory              v, τ to memory
//	spare                                            publish; wait for the next step
//
// The barrier between the halves makes the reflector visible to all teams. At that barrier the tile
// has become free for C. Everything that the next sweep waits for is stored by then: D of the step
// before, and β. So the flag counts a step in the middle of the step. C and D are loaded after the
// barrier: if the first half issued their loads, the barrier might have to wait for them.
//
// The elements that an invocation holds of its block are one array for all teams. With an array for
// each team, a compiler that does not know that no invocation is in two teams would keep three
// arrays in registers.
//
// The bits depend on B, LANES, LANES_A and HEAD, and on nothing else.
//
// Grid: as many workgroups in x as are to run at the same time.
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
// LOCAL_SIZE is the number of invocations of a workgroup: 3·TEAM + HEAD, and at least two more.
layout(constant_id = 0) const uint LOCAL_SIZE = 40;
// B is the half-bandwidth, at least 2.
layout(constant_id = 1) const uint B = 4;
// TEAM is the number of invocations of the team of a block: a multiple of the subgroup's size.
layout(constant_id = 2) const uint TEAM = 8;
// VECTORS tells whether reflectors are stored.
layout(constant_id = 3) const bool VECTORS = true;
// LEAD is the number of steps by which the sweep before must be ahead: 2.
layout(constant_id = 4) const uint LEAD = 2;
// LANES is the number of invocations that share a row of C or D: a power of two, at most the
// subgroup's size.
layout(constant_id = 5) const uint LANES = 2;
// LANES_A is the number of invocations that share a column of A: a power of two, at most the
// subgroup's size.
layout(constant_id = 6) const uint LANES_A = 4;
// HEAD is the number of invocations of the team that makes the reflector from x: the subgroup's
// size.
layout(constant_id = 7) const uint HEAD = 8;

#include "chase.glsl"

// These constants distribute the rows of C and D. A cluster of LANES invocations has ROWS rows,
// which are CLUSTERS apart. An invocation has OWN elements of each of them.
const uint CLUSTERS = TEAM / LANES;
const uint ROWS = (B + CLUSTERS - 1) / CLUSTERS;
const uint OWN = (B + LANES - 1) / LANES;

// These constants distribute the columns of A. A cluster of LANES_A invocations has COLUMNS
// columns, which are CLUSTERS_A apart. An invocation has OWN_A elements of each of them.
const uint CLUSTERS_A = TEAM / LANES_A;
const uint COLUMNS = (B + CLUSTERS_A - 1) / CLUSTERS_A;
const uint OWN_A = (B + LANES_A - 1) / LANES_A;

// OWN_HEAD is the number of elements of x that an invocation of the team of x has.
const uint OWN_HEAD = (B + HEAD - 1) / HEAD;

// SIZE is the number of elements that an invocation of any team holds of its block.
const uint SIZE = ROWS * OWN > COLUMNS * OWN_A ? ROWS * OWN : COLUMNS * OWN_A;

// LD is the leading dimension of the tile. The hardware serves half a subgroup of 32 at once. LD
// distributes the rows and columns of C that such a half accesses over different banks.
const uint LD = (B + 15) / 16 * 16 + (LANES < 16 ? 16 / LANES : 1);

// tile holds the block A of the current step, and later the block C, which becomes A of the next step.
shared work_t tile[B * LD];
// u and gamma hold u and γ of this step and of the step before.
shared work_t u[2 * B], gamma[2];
// d_u is the vector γ·D·u.
shared work_t d_u[B];

// own holds the elements of this invocation's block. For C and D, element m of row r is at r·OWN +
// m.
work_t own[SIZE];
// inverse_u0 is 1/u_0, and tau is τ. They are set in the team of x.
work_t inverse_u0, tau;

// A Step is step j of sweep s, with r, len and low as in sb2st.comp. slot is the half of u that the
// step uses.
struct Step { uint s, j, r, len, low, slot; };

// step_of returns step j of sweep s.
Step step_of(uint s, uint j) {
	Step q;
	q.s = s;
	q.j = j;
	q.r = s + 1 + j * B;
	q.len = min(B, p.n - q.r);
	q.low = min(B, p.n - q.r - q.len);
	q.slot = j % 2 * B;
	return q;
}

// sum_of returns the sum over `neighbours` invocations, a power of two.
work_t sum_of(uint neighbours, work_t x) {
	[[unroll]] for (uint m = 1; m < neighbours; m *= 2) x += subgroupShuffleXor(x, m);
	return x;
}

// row returns the r-th row of C or D of the invocation with number t in its team. first returns
// where the invocation's own elements begin; they are LANES apart.
uint row(uint t, uint r) { return t / LANES + r * CLUSTERS; }
uint first(uint t) { return t % LANES; }
bool whole() { return ROWS * CLUSTERS == B; } // false: some rows lie past the end
bool inside(uint k) { return B % LANES == 0 || k < B; }

// column returns the c-th column of A of the invocation with number t in its team. If the hardware
// serves two clusters at once, their columns are two apart, and so in different banks.
uint column(uint t, uint c) {
	uint i = t / LANES_A;
	if (CLUSTERS_A % 4 == 0) i = i & ~3u | (i & 1) << 1 | i >> 1 & 1;
	return i + c * CLUSTERS_A;
}

// u_at returns element k of u, or zero if the invocation has no such element.
work_t u_at(uint slot, uint k, bool has) { return has ? u[slot + k] : work_t(0); }

// times computes γ·yᵀu for each row y that this invocation has a part of.
void times(Step q, uint t, out work_t y_u[ROWS]) {
	work_t odd[ROWS];
	[[unroll]] for (uint r = 0; r < ROWS; r++) y_u[r] = odd[r] = 0;
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		uint k = first(t) + m * LANES;
		work_t u_k = u_at(q.slot, k, inside(k));
		[[unroll]] for (uint r = 0; r < ROWS; r++) {
			if (m % 2 == 0) y_u[r] = fma(own[r * OWN + m], u_k, y_u[r]);
			else odd[r] = fma(own[r * OWN + m], u_k, odd[r]);
		}
	}
	work_t g = gamma[q.j % 2];
	[[unroll]] for (uint r = 0; r < ROWS; r++) y_u[r] = g * sum_of(LANES, y_u[r] + odd[r]);
}

// fetch_c loads this invocation's part of the rows of C. Below row n−1 memory holds zeros, so a
// step needs no other check at the end of the matrix. Right of column n−1 memory holds nothing.
void fetch_c(Step q, uint t) {
	if (q.low == 0) return;
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		Band y = Band(band(q.r + B + row(t, r), q.r + first(t)));
		if (whole() || row(t, r) < B) {
			[[unroll]] for (uint m = 0; m < OWN; m++) {
				own[r * OWN + m] = inside(first(t) + m * LANES) ? y.at[m * LANES * COLUMN] : work_t(0);
			}
		}
	}
}

// put_c stores C·H to the tile.
void put_c(Step q, uint t) {
	work_t c_u[ROWS];
	times(q, t, c_u);
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		if (whole() || row(t, r) < B) {
			[[unroll]] for (uint m = 0; m < OWN; m++) {
				uint k = first(t) + m * LANES;
				if (inside(k)) tile[row(t, r) + k * LD] = fma(-c_u[r], u_at(q.slot, k, true), own[r * OWN + m]);
			}
		}
	}
}

bool inside_a(uint i) { return B % LANES_A == 0 || i < B; }

// take_a reads this invocation's part of the columns of A from the tile.
void take_a(uint t) {
	[[unroll]] for (uint c = 0; c < COLUMNS; c++) {
		uint k = COLUMNS * CLUSTERS_A == B || column(t, c) < B ? column(t, c) : 0;
		[[unroll]] for (uint m = 0; m < OWN_A; m++) {
			uint i = t % LANES_A + m * LANES_A;
			own[c * OWN_A + m] = inside_a(i) ? tile[i + k * LD] : work_t(0);
		}
	}
}

// put_a stores H·A to memory, except its first column x.
void put_a(Step q, uint t) {
	work_t a_u[COLUMNS];
	[[unroll]] for (uint c = 0; c < COLUMNS; c++) a_u[c] = 0;
	[[unroll]] for (uint m = 0; m < OWN_A; m++) {
		uint i = t % LANES_A + m * LANES_A;
		work_t u_i = u_at(q.slot, i, inside_a(i));
		[[unroll]] for (uint c = 0; c < COLUMNS; c++) a_u[c] = fma(own[c * OWN_A + m], u_i, a_u[c]);
	}
	work_t g = gamma[q.j % 2];
	[[unroll]] for (uint c = 0; c < COLUMNS; c++) a_u[c] = g * sum_of(LANES_A, a_u[c]);
	if (q.j == 0) return;
	[[unroll]] for (uint c = 0; c < COLUMNS; c++) {
		uint k = column(t, c);
		Band y = Band(band(q.r + t % LANES_A, q.r - B + k));
		if (k > 0 && (COLUMNS * CLUSTERS_A == B || k < B)) {
			[[unroll]] for (uint m = 0; m < OWN_A; m++) {
				uint i = t % LANES_A + m * LANES_A;
				if (inside_a(i)) y.at[m * LANES_A] = fma(-a_u[c], u_at(q.slot, i, true), own[c * OWN_A + m]);
			}
		}
	}
}

// fetch_d loads this invocation's part of the rows of D, by symmetry.
void fetch_d(Step q, uint t) {
	Band corner = Band(band(q.r, q.r));
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		if (row(t, r) < q.len) {
			[[unroll]] for (uint m = 0; m < OWN; m++) {
				uint k = first(t) + m * LANES;
				own[r * OWN + m] = inside(k) ? corner.at[mirrored(row(t, r), k)] : work_t(0);
			}
		}
	}
}

// multiply_d stores γ·D·u to shared memory, where finish_d of all clusters reads it.
void multiply_d(Step q, uint t) {
	work_t y[ROWS];
	times(q, t, y);
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		// The result is zero if no row was loaded.
		if (first(t) == 0 && (whole() || row(t, r) < B)) d_u[row(t, r)] = row(t, r) < q.len ? y[r] : work_t(0);
	}
}

// finish_d stores D − u·wᵀ − w·uᵀ with w = γ·Du − ½γ·(γ·uᵀDu)·u. If `any` is false, there is no
// step q, and nothing is stored. (It has no branch: see reflector.) Each subgroup computes uᵀDu
// with all its invocations. If each row's cluster did, it would hold all its own elements of u and
// Du together with D, which are too many for the registers.
void finish_d(Step q, uint t, bool any) {
	work_t u_d_u = 0;
	[[unroll]] for (uint m = 0; m < OWN_HEAD; m++) {
		uint k = t % HEAD + m * HEAD;
		if (k < B) u_d_u = fma(d_u[k], u[q.slot + k], u_d_u);
	}
	work_t half_ = work_t(0.5) * gamma[q.j % 2] * sum_of(HEAD, u_d_u);
	work_t u_i[ROWS], w_i[ROWS];
	int reach[ROWS]; // own elements up to the diagonal
	[[unroll]] for (uint r = 0; r < ROWS; r++) {
		uint i = whole() || row(t, r) < B ? row(t, r) : 0;
		u_i[r] = u[q.slot + i];
		w_i[r] = fma(-half_, u_i[r], d_u[i]);
		reach[r] = any && row(t, r) < q.len ? int(row(t, r)) - int(first(t)) : -1;
	}
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		uint k = first(t) + m * LANES;
		work_t u_k = u_at(q.slot, k, inside(k)), w_k = fma(-half_, u_k, inside(k) ? d_u[k] : work_t(0));
		[[unroll]] for (uint r = 0; r < ROWS; r++) {
			work_t x = fma(-u_i[r], w_k, fma(-w_i[r], u_k, own[r * OWN + m]));
			if (reach[r] >= int(m * LANES)) Band(band(q.r + row(t, r), q.r + first(t))).at[m * LANES * COLUMN] = x;
		}
	}
}

// reflect computes H from x, scaled by a power of two that brings the largest element near one, and
// stores H·x.
void reflect(Step q, uint t) {
	work_t x[OWN_HEAD], head = tile[0], kept = head;
	uint top = 0;
	[[unroll]] for (uint m = 0; m < OWN_HEAD; m++) {
		uint k = t + m * HEAD;
		x[m] = k > 0 && k < B ? tile[k] : work_t(0);
		top = max(top, magnitude(x[m]));
	}
	[[unroll]] for (uint m = 1; m < HEAD; m *= 2) top = max(top, subgroupShuffleXor(top, m));
	int e = exponent_of(JOIN(uvec2(0, max(top, magnitude(head)))));
	work_t up = power_of_two(-e), square = 0;
	head *= up;
	[[unroll]] for (uint m = 0; m < OWN_HEAD; m++) {
		x[m] *= up;
		square = fma(x[m], x[m], square);
	}
	Reflector h = reflector(head, fma(head, head, sum_of(HEAD, square)), e, kept, top != 0);
	inverse_u0 = h.inverse;
	tau = h.tau;
	if (t == 0) gamma[q.j % 2] = h.gamma;
	Band y = Band(band(q.r, q.r - (q.j > 0 ? B : 1)));
	[[unroll]] for (uint m = 0; m < OWN_HEAD; m++) {
		uint k = t + m * HEAD;
		if (k < B) {
			u[q.slot + k] = k == 0 ? h.u0 : x[m];
			y.at[k] = k == 0 ? h.beta : work_t(0);
		}
	}
}

// put_v stores v and τ.
void put_v(Step q, uint t) {
	if (!VECTORS) return;
	MatrixOut v = MatrixOut(vectors(q.s, q.j));
	[[unroll]] for (uint m = 0; m < OWN_HEAD; m++) {
		uint k = t + m * HEAD;
		if (k < q.len) v.at[k] = k == 0 ? work_t(1) : u[q.slot + k] * inverse_u0;
	}
	if (t == 0) MatrixOut(factor(q.s, q.j)).at[0] = tau;
}

// These are the first invocations of the teams. The team of C begins with invocation 0, that of A
// with invocation TEAM.
const uint FIRST_D = 2 * TEAM, FIRST_HEAD = 3 * TEAM, FIRST_SPARE = 3 * TEAM + HEAD;

// While a step runs, two invocations that take no part in it exchange flags with other sweeps.
const uint PUBLISHER = FIRST_SPARE, WAITER = LOCAL_SIZE - 1;

void main() {
	uint t = gl_LocalInvocationIndex;
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
			if (t < TEAM) {
				// The team of C does nothing until the team of A has read A from the tile.
			} else if (t < FIRST_D) take_a(t - TEAM);
			else if (t < FIRST_HEAD) finish_d(step_of(s, j - 1), t - FIRST_D, j > 0);
			else if (t < FIRST_SPARE) reflect(q, t - FIRST_HEAD);
			meet();
			if (t < TEAM) {
				fetch_c(q, t);
				put_c(q, t);
			} else if (t < FIRST_D) put_a(q, t - TEAM);
			else if (t < FIRST_HEAD) {
				fetch_d(q, t - FIRST_D);
				multiply_d(q, t - FIRST_D);
			} else if (t < FIRST_SPARE) put_v(q, t - FIRST_HEAD);
			else if (t == PUBLISHER) {
#ifdef LOG
				note(s, j);
#endif
				publish(p.flags, s, j + 1); // step j−1 is stored, and the β of step j
			} else if (t == WAITER && j + 1 < count) go[(j + 1) % 2] = reaches(s, j + 2 + LEAD);
			meet();
		}
		if (FIRST_D <= t && t < FIRST_HEAD) finish_d(step_of(s, count - 1), t - FIRST_D, true);
#ifdef LOG
		if (t == PUBLISHER) note(s, count);
#endif
		meet();
		if (t == PUBLISHER) publish(p.flags, s, FLAG_END);
	}
}
