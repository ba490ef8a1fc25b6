// sb2st_teams reduces a band matrix to tridiagonal form by bulge chasing, as sb2st does. It is for
// wide bands: each block of a step has its own team, a group of invocations of the workgroup.
//
// in, out: band    as in sb2st
// out:     v, tau  as in sb2st
//
// variant: sb2st_teams FLAGS
// variant: sb2st_teams_log FLAGS LOG
//
// See sb2st.comp for steps, blocks, the order in which steps must wait, aliasing and NaN. A step of
// a wide band has many elements: an invocation cannot hold elements of all blocks, and shared
// memory cannot hold two tiles. If all invocations did all parts of a step in the same order,
// either the memory pipeline or the arithmetic pipeline would be idle at any time. So each block
// has its own team, and the teams do different parts of the step at the same time:
//
//	team     first half of the step                      second half of the step
//	C                                                    C·H to the tile
//	A        reads A from the tile                       H·A to memory
//	D        H·D·H of the previous step to memory        γ·D·u, for all clusters
//	head     x → reflector, β to memory                  v, τ to memory
//	spare                                                publish; wait for the next step
//
// The tile is a block in shared memory. The barrier between the halves makes the reflector visible
// to all teams. After this barrier, C may be stored to the tile. Before this barrier, the workgroup
// has stored the values that the next sweep waits for: D of the previous step, and β. So the flag
// counts a step when its first half has ended. C and D are loaded after the barrier, because the
// barrier might have to wait for loads that the first half issued.
//
// All teams use the same array for the elements that an invocation holds of its block. With one
// array for each team, a compiler might keep three arrays in registers, because it does not know
// that each invocation is in one team only.
//
// The bits of the results depend on B, LANES, LANES_A and HEAD alone.
//
// Grid: as many workgroups in x as should run at the same time.
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
// LOCAL_SIZE is the number of invocations of a workgroup, at least 3·TEAM + HEAD + 2.
layout(constant_id = 0) const uint LOCAL_SIZE = 40;
// B is the half-bandwidth, at least 2.
layout(constant_id = 1) const uint B = 4;
// A team works on one of the three blocks of a step: the diagonal block D, A left of it, or C below
// it. TEAM is the number of invocations of a team: a multiple of the subgroup's size.
layout(constant_id = 2) const uint TEAM = 8;
// VECTORS tells whether the kernel stores the reflectors, from which eigenvectors or singular
// vectors are computed later.
layout(constant_id = 3) const bool VECTORS = true;
// LEAD is the number of steps by which sweep s−1 must be ahead of sweep s: 2.
layout(constant_id = 4) const uint LEAD = 2;
// LANES is the number of invocations that share a row of the diagonal block D of a step, or of the
// block C below it: a power of two, at most the subgroup's size.
layout(constant_id = 5) const uint LANES = 2;
// LANES_A is the number of invocations that share a column of the block A of a step, which lies
// left of the diagonal block: a power of two, at most the subgroup's size.
layout(constant_id = 6) const uint LANES_A = 4;
// HEAD is the number of invocations of the team that computes the Householder reflector of a step:
// the subgroup's size.
layout(constant_id = 7) const uint HEAD = 8;

#include "chase.glsl"

// These constants distribute rows over invocations: those of the diagonal block D of a step and of
// the block C below it. A cluster is LANES neighbouring invocations. It has at most ROWS rows,
// which are CLUSTERS apart. An invocation has at most OWN elements of each row of its cluster.
const uint CLUSTERS = TEAM / LANES;
const uint ROWS = (B + CLUSTERS - 1) / CLUSTERS;
const uint OWN = (B + LANES - 1) / LANES;

// These constants distribute columns over invocations: those of the block A left of the diagonal
// block of a step. A cluster is LANES_A neighbouring invocations. It has at most COLUMNS columns,
// which are CLUSTERS_A apart. An invocation has at most OWN_A elements of each column of its
// cluster.
const uint CLUSTERS_A = TEAM / LANES_A;
const uint COLUMNS = (B + CLUSTERS_A - 1) / CLUSTERS_A;
const uint OWN_A = (B + LANES_A - 1) / LANES_A;

// The team `head` of invocations computes the reflector from the vector x. OWN_HEAD is the largest
// number of elements of x that one of its invocations has.
const uint OWN_HEAD = (B + HEAD - 1) / HEAD;

// Each team of invocations works on one of the three blocks of a step. SIZE is the largest number
// of elements of a block that an invocation of any team holds.
const uint SIZE = ROWS * OWN > COLUMNS * OWN_A ? ROWS * OWN : COLUMNS * OWN_A;

// LD is the leading dimension of the block in shared memory (the tile). The hardware serves the
// accesses of 16 invocations at the same time. With this LD, the rows and columns that they access
// lie in different banks.
const uint LD = (B + 15) / 16 * 16 + (LANES < 16 ? 16 / LANES : 1);

// `tile` is in shared memory. It holds the block A left of the diagonal block of the current step.
// Later it holds the block C below the diagonal block, which becomes the A of the next step.
shared work_t tile[B * LD];
// The arrays u and gamma hold the vector u and the factor γ of the reflector H = I − γ·u·uᵀ, for
// this step and for the previous step.
shared work_t u[2 * B], gamma[2];
// d_u is the vector γ·D·u. D is the diagonal block of the step, and H = I − γ·u·uᵀ is its
// reflector.
shared work_t d_u[B];

// `own` holds this invocation's elements of the block on which its team works. In the teams of the
// diagonal block D and of the block C below it, element m of row r is at r·OWN + m. In the team of
// the block A left of D, element m of column c is at c·OWN_A + m.
work_t own[SIZE];
// inverse_u0 is 1/u_0, where u_0 is the first element of u. `tau` is the factor τ of the reflector.
// Only invocations of the team that computes the reflector set these two variables.
work_t inverse_u0, tau;

// A Step is step j of sweep s, with r, `len` and `low` as in sb2st.comp. `slot` is the index in the
// array u at which the vector u of the step begins.
struct Step { uint s, j, r, len, low, slot; };

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

// sum_of returns the sum of x over `neighbours` neighbouring invocations. `neighbours` is a power
// of two.
work_t sum_of(uint neighbours, work_t x) {
	[[unroll]] for (uint m = 1; m < neighbours; m *= 2) x += subgroupShuffleXor(x, m);
	return x;
}

// An invocation has elements of several rows of the diagonal block D, or of the block C below it.
// `row` returns the index of the r-th of these rows, for invocation t of a team. The function
// `first` returns the index of the invocation's first element in a row; its elements are LANES
// apart.
uint row(uint t, uint r) { return t / LANES + r * CLUSTERS; }
uint first(uint t) { return t % LANES; }
bool whole() { return ROWS * CLUSTERS == B; } // false: some rows lie past the end
bool inside(uint k) { return B % LANES == 0 || k < B; }

// An invocation has elements of several columns of the block A left of the diagonal block. `column`
// returns the index of the c-th of these columns, for invocation t of the team. If the hardware
// serves two clusters of invocations at the same time, their columns are two apart, so that the
// columns lie in different banks.
uint column(uint t, uint c) {
	uint i = t / LANES_A;
	if (CLUSTERS_A % 4 == 0) i = i & ~3u | (i & 1) << 1 | i >> 1 & 1;
	return i + c * CLUSTERS_A;
}

// u_at returns element k of the vector u of the reflector, or zero if `has` is false, which means
// that the invocation has no such element.
work_t u_at(uint slot, uint k, bool has) { return has ? u[slot + k] : work_t(0); }

// times computes y_u = γ·yᵀu for each row y of which this invocation has elements. The rows belong
// to the diagonal block D or to the block C below it. The reflector is H = I − γ·u·uᵀ.
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

// fetch_c loads this invocation's elements of the rows of the block C below the diagonal block.
// Rows past n−1 are zero in memory, so a step needs no check of rows. Columns past n−1 are not in
// memory. fetch_c loads nothing if `low` is 0, so it never reads such a column.
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

// put_c stores C·H, the block below the diagonal block after the reflector H was applied, to the
// array `tile` in shared memory.
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

// take_a reads this invocation's elements of the columns of block A, left of the diagonal block,
// from the array `tile` in shared memory.
void take_a(uint t) {
	[[unroll]] for (uint c = 0; c < COLUMNS; c++) {
		uint k = COLUMNS * CLUSTERS_A == B || column(t, c) < B ? column(t, c) : 0;
		[[unroll]] for (uint m = 0; m < OWN_A; m++) {
			uint i = t % LANES_A + m * LANES_A;
			own[c * OWN_A + m] = inside_a(i) ? tile[i + k * LD] : work_t(0);
		}
	}
}

// put_a stores H·A to memory: the block A left of the diagonal block, after the reflector H was
// applied. It does not store column 0, which is the vector x.
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

#include "teams_diagonal.glsl"

// reflect computes the reflector H from the vector x, and stores H·x. It first scales x by a power
// of two that brings the largest element near one.
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

// put_v stores the vector v and the factor τ of the step's reflector, if VECTORS is true.
void put_v(Step q, uint t) {
	if (!VECTORS) return;
	MatrixOut v = MatrixOut(vectors(q.s, q.j));
	[[unroll]] for (uint m = 0; m < OWN_HEAD; m++) {
		uint k = t + m * HEAD;
		if (k < q.len) v.at[k] = k == 0 ? work_t(1) : u[q.slot + k] * inverse_u0;
	}
	if (t == 0) MatrixOut(factor(q.s, q.j)).at[0] = tau;
}

// A workgroup has a team for the block C below the diagonal block D, a team for A left of D, a team
// for D, a team `head` that computes the reflector, and a group of invocations without a team, in
// this order. FIRST_D, FIRST_HEAD and FIRST_SPARE are the numbers of the first invocation of the
// last three groups.
const uint FIRST_D = 2 * TEAM, FIRST_HEAD = 3 * TEAM, FIRST_SPARE = 3 * TEAM + HEAD;

// PUBLISHER and WAITER are invocations that belong to no team. While a step runs, they exchange
// flags with other sweeps: PUBLISHER publishes the flag for this step, and WAITER waits for the
// flag that the next step needs.
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
				// The block C below the diagonal takes the place of the block A in shared memory.
				// So the team of C does nothing until the team of A has read A.
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
