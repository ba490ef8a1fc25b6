// ormtr_q2 applies Q2, the product of a bulge chasing's reflectors, to vectors
// that are stored as rows: X ← Q2·X, or Q2ᵀ·X if TRANSPOSED (LAPACK dormtr, for
// the second stage).
//
// in/out: x   element row of vector c lies at x[c + row·ld], m vectors of length n
// in:     v, tau  as sb2st leaves them, see package stages
//
// A dispatch takes groups groups of G sweeps, from group on: downwards, as the
// last sweep acts first; upwards if TRANSPOSED. The bits do not depend on any size
// but B. x must not overlap v or tau.
//
// A workgroup owns LANES·COLS vectors and needs nobody else, an invocation COLS
// of them. Reflector (i, j) of a group that begins
// with sweep s0 is step j of sweep s0+i and acts on rows
//
//	base + i … base + i + B−1,   base = s0 + 1 + j·B.
//
// Order. Q2 asks that of two reflectors which share rows the one of the later sweep
// acts first. Take i > i'. (i, j) and (i', j) may share rows; so may (i, j) and
// (i', j+1), as the latter begins B − (i−i') rows further down, and (i', j+2) if
// i−i' > B. But (i', j) and (i, j+1) cannot: the one ends with row
// base + i' + B−1, the other begins with base + i + B. So it is enough that i falls
// inside a block of equal j, and that j rises. Q2ᵀ is the reverse of all that. Seen from
// below, that is the same again: count rows and i from the other end, and j
// falls where it rose. So one code does both, on reversed rows ρ:
//
//	row(ρ) = base + ρ   or   base + B+G−2 − ρ,   0 ≤ ρ ≤ B+G−2.
//
// A block needs B+G−1 rows, and holds B+U−1 of them in registers: a window that moves
// up by U rows after each batch of U reflectors. Rows that leave it with ρ < B are done; they are
// what remains in the window at the block's end and goes to memory. Those with ρ ≥ B come back in
// the next block as its rows ρ − B, the last to enter; until then they stay
// in shared memory, the row B+k in slot k. So memory is read and written once a group. A batch from i on
// reads slots i … i+U−1 and then fills i−1 … i+U−2, of which only slot i−1 is still to
// be read: the next batch's rows are read first.
//
// Pipeline. PIPE teams of LANES invocations work on the same vectors, team q on group q of
// PIPE that follow each other, one block behind the team before: at time t on block
// j = t − q, or J−1−t+q if TRANSPOSED, J being the number of the first team's blocks. That is right, for let
// the first team's group begin with sweep s0 and not be TRANSPOSED. Block j of the next
// group touches rows up to s0 + j·B + B−1. The first team changes none of these after its block j, at whose
// end it stores rows s0+1+j·B … s0+B+j·B; and what it keeps in slots lies below. It reads none that the
// next team writes: from block j on its rows begin with s0+1+j·B, while
// the next team's stores by then, at block j−1, end with row s0+j·B. For TRANSPOSED
// all is reversed. A barrier stands between two times.
//
// Reflectors that do not exist, past the last sweep or the last row, have τ = 0.
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64; // a multiple of PIPE
layout(constant_id = 1) const uint B = 4;
layout(constant_id = 2) const uint G = 4;     // sweeps of a group, a multiple of CHUNK
layout(constant_id = 3) const uint CHUNK = 4; // reflectors in shared memory at a time, a multiple of U
layout(constant_id = 4) const uint U = 2;     // reflectors of a batch
layout(constant_id = 5) const uint COLS = 1;  // vectors of an invocation: each v that is read from shared memory serves them all
layout(constant_id = 6) const bool AHEAD = false; // the next block's rows are fetched during this one
layout(constant_id = 7) const bool TRANSPOSED = false;
layout(constant_id = 8) const uint PIPE = 1;  // groups under way at the same time; not with AHEAD

// One team reads what another one of the same workgroup has written.
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer Vectors { workgroupcoherent real_t at[]; };

layout(push_constant, scalar) uniform Push {
	Vectors x;
	MatrixIn v, tau;
	uint n, m, ld;
	uint group, groups;
} p;

const uint LANES = LOCAL_SIZE / PIPE;
const uint BATCHES = G / U;
const uint FETCH = AHEAD ? (B + BATCHES - 1) / BATCHES : 1; // rows that a batch fetches
const uint OWN = (CHUNK * B + LANES - 1) / LANES;     // elements of a chunk that an invocation brings
const uint OWN_TAU = (CHUNK + LANES - 1) / LANES;     // and factors
const uint SLOTS = G > 1 ? G - 1 : 1;

shared work_t chunk[PIPE * CHUNK * B];
shared work_t factor[PIPE * CHUNK];
shared work_t slot[SLOTS * COLS * LOCAL_SIZE];
shared work_t fetched[(AHEAD ? B : 1) * COLS * LOCAL_SIZE];

work_t x[(B + U - 1) * COLS]; // row w of the window, vector h: x[w·COLS + h]
work_t coming_v[OWN], coming_tau[OWN_TAU]; // of the chunk after this one
work_t coming_x[FETCH * COLS];    // of the block after this one

uint steps(uint s) { return s + 1 < p.n ? (p.n - 1 - s + B - 1) / B : 0; }

// The team of this invocation, and its place in it.
uint team() { return gl_LocalInvocationIndex / LANES; }
uint lane() { return gl_LocalInvocationIndex % LANES; }

// Where a team has come to: the PIPE groups from group q of the dispatch on, time t, chunk c.
struct Place { uint q, t, c; };

uint sweep_of(uint q) { return (TRANSPOSED ? p.group + q : p.group - q) * G; }

// last_of is the last group of those that the teams work on from q on.
uint last_of(uint q) { return min(q + PIPE, p.groups) - 1; }

// times is how many it takes until all teams are through.
uint times(uint q) { return max(steps(sweep_of(q)), steps(sweep_of(last_of(q)))) + last_of(q) - q; }

// step_of is the j of this team's block, past its last or far beyond where it has none.
uint step_of(Place at) { return TRANSPOSED ? steps(sweep_of(at.q)) - 1 - at.t + team() : at.t - team(); }

bool works(Place at) { return at.q + team() < p.groups && step_of(at) < steps(sweep_of(at.q + team())); }

uint base_of(Place at) { return sweep_of(at.q + team()) + 1 + step_of(at) * B; }

Place next_chunk(Place at) {
	if (at.c > 0) return Place(at.q, at.t, at.c - 1);
	if (at.t + 1 < times(at.q)) return Place(at.q, at.t + 1, G / CHUNK - 1);
	return Place(at.q + PIPE, 0, G / CHUNK - 1);
}

uint row_of(uint base, uint rho) { return TRANSPOSED ? base + B + G - 2 - rho : base + rho; }

// vector is the number of this invocation's vector h.
uint vector(uint h) { return (workgroup() * COLS + h) * LANES + lane(); }

work_t load(uint row, uint h) {
	uint c = vector(h);
	if (row < p.n && c < p.m) return Vectors(element(uint64_t(p.x), c, row, p.ld)).at[0];
	return work_t(0);
}

void store(uint row, uint h, work_t value) {
	uint c = vector(h);
	if (row < p.n && c < p.m) Vectors(element(uint64_t(p.x), c, row, p.ld)).at[0] = value;
}

uint slot_of(uint k, uint h) { return (k * COLS + h) * LOCAL_SIZE + gl_LocalInvocationIndex; }

// request starts loading a chunk's reflectors for this team. Element q of its
// reflector i is that of row ρ = c·CHUNK + i + q.
void request(Place at) {
	if (at.q >= p.groups || !works(at)) return;
	uint j = step_of(at), s0 = sweep_of(at.q + team());
	[[unroll]] for (uint a = 0; a < OWN; a++) {
		uint e = lane() + a * LANES;
		uint i = at.c * CHUNK + e / B, q = e % B;
		uint s = s0 + (TRANSPOSED ? G - 1 - i : i), offset = j * B + (TRANSPOSED ? B - 1 - q : q);
		coming_v[a] = 0;
		if (e < CHUNK * B && s + 2 < p.n && s + 1 + offset < p.n) {
			uint64_t sweep = uint64_t(s) * (p.n - 1) - (uint64_t(s) * s - s) / 2;
			coming_v[a] = MatrixIn(element(uint64_t(p.v), sweep, 0, 0)).at[offset];
		}
	}
	[[unroll]] for (uint a = 0; a < OWN_TAU; a++) {
		uint e = lane() + a * LANES, i = at.c * CHUNK + e;
		uint s = s0 + (TRANSPOSED ? G - 1 - i : i);
		coming_tau[a] = 0;
		if (e < CHUNK && s + 2 < p.n && s + 1 + j * B < p.n)
			coming_tau[a] = MatrixIn(element(uint64_t(p.tau), j, s, steps(0))).at[0];
	}
}

// receive puts what was requested into shared memory.
void receive() {
	barrier(); // the chunk before is done with
	[[unroll]] for (uint a = 0; a < OWN; a++) {
		uint e = lane() + a * LANES;
		if (e < CHUNK * B) chunk[team() * CHUNK * B + e] = coming_v[a];
	}
	[[unroll]] for (uint a = 0; a < OWN_TAU; a++) {
		uint e = lane() + a * LANES;
		if (e < CHUNK) factor[team() * CHUNK + e] = coming_tau[a];
	}
	barrier();
}

// reflect applies the chunk's reflector i to rows w … w+B−1 of the window. Dot
// products run in four chains.
void reflect(uint i, uint w) {
	work_t v[B];
	[[unroll]] for (uint q = 0; q < B; q++) v[q] = chunk[(team() * CHUNK + i) * B + q];
	work_t dot[4 * COLS];
	[[unroll]] for (uint a = 0; a < 4 * COLS; a++) dot[a] = 0;
	[[unroll]] for (uint q = 0; q < B; q++) {
		[[unroll]] for (uint h = 0; h < COLS; h++) {
			uint a = q % 4 * COLS + h;
			dot[a] = fma(v[q], x[(w + q) * COLS + h], dot[a]);
		}
	}
	[[unroll]] for (uint h = 0; h < COLS; h++) {
		work_t s = -factor[team() * CHUNK + i] * ((dot[h] + dot[COLS + h]) + (dot[2 * COLS + h] + dot[3 * COLS + h]));
		[[unroll]] for (uint q = 0; q < B; q++) x[(w + q) * COLS + h] = fma(s, v[q], x[(w + q) * COLS + h]);
	}
}

// move lets the window go up from a batch that began at i: U rows in, U rows out.
void move(uint i) {
	work_t enters[U * COLS];
	[[unroll]] for (uint a = 0; a < U * COLS; a++) enters[a] = slot[slot_of(i - U + a / COLS, a % COLS)];
	[[unroll]] for (uint a = 0; a < U * COLS; a++) slot[slot_of(i - 1 + a / COLS, a % COLS)] = x[(B - 1) * COLS + a];
	[[unroll]] for (uint a = (B - 1) * COLS; a > 0; a--) x[a - 1 + U * COLS] = x[a - 1];
	[[unroll]] for (uint a = 0; a < U * COLS; a++) x[a] = enters[a];
}

// enter loads what the window needs at the begin of a block.
void enter(uint base, bool first) {
	[[unroll]] for (uint h = 0; h < COLS; h++) {
		if (first) {
			// The rows that enter the first block last. Of Q2ᵀ they do not exist; those
			// that stay behind at the end do not exist of Q2.
			for (uint k = 0; k + 1 < G; k++) slot[slot_of(k, h)] = load(row_of(base, k), h);
		}
		[[unroll]] for (uint w = 0; w < B; w++) {
			if (AHEAD && !first) x[(U - 1 + w) * COLS + h] = fetched[slot_of(w, h)];
			else x[(U - 1 + w) * COLS + h] = load(row_of(base, G - 1 + w), h);
		}
		[[unroll]] for (uint w = 0; w + 1 < U; w++) x[w * COLS + h] = slot[slot_of(G - U + w, h)];
	}
}

// leave stores what is finished at the end of a block.
void leave(uint base, bool last) {
	[[unroll]] for (uint h = 0; h < COLS; h++) {
		[[unroll]] for (uint w = 0; w < B; w++) store(row_of(base, w), h, x[w * COLS + h]);
		[[unroll]] for (uint w = 0; w + 1 < U; w++) slot[slot_of(w, h)] = x[(B + w) * COLS + h];
		if (last) {
			for (uint k = 0; k + 1 < G; k++) store(row_of(base, B + k), h, slot[slot_of(k, h)]);
		}
	}
}

// look_ahead fetches a batch's share of the next block's rows.
void look_ahead(uint base, uint batch) {
	[[unroll]] for (uint f = 0; f < FETCH; f++) {
		uint w = batch * FETCH + f;
		[[unroll]] for (uint h = 0; h < COLS; h++) {
			if (w < B) coming_x[f * COLS + h] = load(row_of(base, G - 1 + w), h);
		}
	}
}

void put_aside(uint batch) {
	[[unroll]] for (uint f = 0; f < FETCH; f++) {
		uint w = batch * FETCH + f;
		[[unroll]] for (uint h = 0; h < COLS; h++) {
			if (w < B) fetched[slot_of(w, h)] = coming_x[f * COLS + h];
		}
	}
}

// block applies the reflectors of one step of all sweeps of the group. All
// teams call it, also those that have no block at the time: there are barriers in it.
void block(Place at) {
	bool busy = works(at);
	uint j = step_of(at), blocks = busy ? steps(sweep_of(at.q + team())) : 1;
	bool first = j == (TRANSPOSED ? blocks - 1 : 0), last = j == (TRANSPOSED ? 0 : blocks - 1);
	uint base = base_of(at);
	if (busy) enter(base, first);
	for (uint batch = 0; batch < BATCHES; batch++) {
		uint i = G - U - batch * U;
		if (i % CHUNK == CHUNK - U) {
			receive();
			at.c = i / CHUNK;
			request(next_chunk(at));
		}
		if (!busy) continue;
		if (AHEAD && !last) look_ahead(TRANSPOSED ? base - B : base + B, batch);
		[[unroll]] for (uint w = U; w > 0; w--) reflect(i % CHUNK + w - 1, w - 1);
		if (AHEAD && !last) put_aside(batch);
		if (i > 0) move(i);
	}
	if (busy) leave(base, last);
}

// between_times lets the next team see what this one has stored.
void between_times() {
	if (PIPE > 1) controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}

void main() {
	if (workgroup() * LANES * COLS >= p.m) return;
	Place at = Place(0, 0, G / CHUNK - 1);
	request(at);
	for (; at.q < p.groups; at.q += PIPE) {
		uint end = times(at.q);
		for (at.t = 0; at.t < end; at.t++) {
			block(at);
			between_times();
		}
	}
}
