// ormtr_q2 applies Q2, the product of a bulge chasing's reflectors, to vectors
// that are stored as rows: X ← Q2·X, or Q2ᵀ·X if TRANSPOSED (LAPACK dormtr, for
// the second stage).
//
// in/out: x   element row of vector c lies at x[c + row·ld], m vectors of length n
// in:     v, tau  as sb2st leaves them, see package stages
//
// variant: ormtr_q2_flags FLAGS
// variant: ormtr_q2_teams
//
// A dispatch takes groups groups of G sweeps, from group on: downwards, as the
// last sweep acts first; upwards if TRANSPOSED. The bits depend on no size but B and
// SHARE. x must not overlap v or tau.
//
// A team of LANES invocations is at work on LANES/SHARE vectors. SHARE neighbours hold every SHARE-th row of
// one each, and add up its dot products by shuffles.
//
// Reflector (i, j) of a group that begins with sweep s0 is step j of sweep s0+i and acts
// on rows
//
//	base + i … base + i + B−1,   base = s0 + 1 + j·B.
//
// Order. Q2 asks that of two reflectors which share rows the one of the later sweep acts
// first. Take i > i'. (i, j) and (i', j) may share rows; so may (i, j) and (i', j+1), as
// the latter begins B − (i−i') rows further down, and (i', j+2) if i−i' > B. But (i', j)
// and (i, j+1) cannot: the one ends with row base + i' + B−1, the other begins with base
// + i + B. So it is enough that i falls inside a block of equal j, and that j rises. Q2ᵀ
// is the reverse of all that. Seen from below, that is the same again: count rows and i
// from the other end, and j falls where it rose. So one code does both, on reversed rows
// ρ:
//
//	row(ρ) = base + ρ   or   base + B+G−2 − ρ,   0 ≤ ρ < B+G.
//
// A block's reflectors touch rows ρ < B+G−1. A batch of U of them, i … i+U−1, has the
// rows i … i+B+U−1 (the last of them untouched) in registers: a window that moves up by
// U rows after each batch. What remains in the window at the block's end, ρ < B, is done
// and goes to memory. Rows that left it on the way have ρ ≥ B and come back in the next
// block as its rows ρ − B, the last to enter; until then row B+k stays in slot k, in shared
// memory or, PRIVATE, in memory of the invocation's own. So x is read and written once a group.
// The batch that moves away from i fills the slots i … i+U−1, which it emptied when it came.
//
// Pipeline. PIPE teams work on the same vectors, team q on group q of PIPE that follow
// each other, one block behind the team before: at time t on block j = t − q, or J−1−t+q
// if TRANSPOSED, J being the number of the first team's blocks. That is right, for let
// the first team's group begin with sweep s0 and not be TRANSPOSED. At the end of its
// block j it stores the rows s0+1+j·B … s0+B+j·B; all that it touches from then on lies
// below, and what it keeps in slots too. The next team, whose group begins with s0−G,
// loads for its block j the rows ρ = G … G+B−1: these very rows. Before its first block
// it also loads ρ < G, rows up to s0, which the first team never touches. For TRANSPOSED
// all is reversed. A barrier stands between two times.
//
// With FLAGS there is one team to a workgroup, and the groups of a strip of vectors
// follow each other in different workgroups, by the same rule: each counts in a flag the
// blocks it has finished.
//
// Row ρ belongs to the ρ mod SHARE-th of the neighbours, as its (ρ div SHARE)-th. All numbers by which windows,
// batches and blocks move are multiples of SHARE, so this stays. Of a reflector that begins at a row that
// is not, those before have their rows one further on; all of them take one row more then, v being zero there.
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
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#ifdef FLAGS
#include "flags.glsl"
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64; // a multiple of PIPE
layout(constant_id = 1) const uint B = 4;
layout(constant_id = 2) const uint G = 4;     // sweeps of a group, a multiple of CHUNK
layout(constant_id = 3) const uint CHUNK = 4; // reflectors in shared memory at a time, a multiple of U
layout(constant_id = 4) const uint U = 2;     // reflectors of a batch
layout(constant_id = 5) const bool TRANSPOSED = false;
#ifdef FLAGS
const uint PIPE = 1;
#else
layout(constant_id = 6) const uint PIPE = 1;  // groups under way at the same time
#endif
layout(constant_id = 7) const uint SHARE = 1;       // invocations of a vector, a power of two that divides B, U and a team
layout(constant_id = 8) const bool PRIVATE = false; // slots in an invocation's own memory, not in shared memory

// One team reads what another one has written.
layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer Vectors { nonprivate scalar_t at[]; };

layout(push_constant, scalar) uniform Push {
	Vectors x;
	MatrixIn v, tau;
	uint n, m, ld;
	uint group, groups;
#ifdef FLAGS
	uint polls;  // before a wait is given up
	Flags flags; // one for each group and strip, all zero before the dispatch
	Flags ticket;
	Flags info;  // 0; 1 + the number of the flag that was waited for in vain
	Flags abort_word;
#endif
} p;

const uint LANES = LOCAL_SIZE / PIPE;
const uint BATCHES = G / U;
const uint OWN = (CHUNK * B + LANES - 1) / LANES;     // elements of a chunk that an invocation brings
const uint OWN_TAU = (CHUNK + LANES - 1) / LANES;     // and factors
const uint ROWS = B / SHARE, MOVE = U / SHARE, KEPT = G / SHARE; // of a reflector, a batch, a group, that are an invocation's own
const uint WINDOW = ROWS + MOVE;                      // rows in registers
const uint WIDTH = LANES / SHARE;                     // vectors of a team
const uint V = SHARE > 1 ? ROWS + 2 - ROWS % 2 : B;   // elements of v for each of the neighbours, even: two come at a time

shared work_t chunk[PIPE * CHUNK * SHARE * V];
shared work_t factor[PIPE * CHUNK];
shared work_t shared_slot[PRIVATE ? 1 : KEPT * LOCAL_SIZE];
work_t memory_slot[PRIVATE ? KEPT : 1];

uint strip; // of vectors, that the workgroup is at work on
work_t x[WINDOW]; // of the vector
work_t coming_v[OWN], coming_tau[OWN_TAU]; // of the chunk after this one

uint steps(uint s) { return s + 1 < p.n ? (p.n - 1 - s + B - 1) / B : 0; }

// The team of this invocation, and its place in it. Where there is one team only the compiler must see
// that all of a workgroup take the same way.
uint team() { return PIPE > 1 ? gl_LocalInvocationIndex / LANES : 0; }
uint lane() { return PIPE > 1 ? gl_LocalInvocationIndex % LANES : gl_LocalInvocationIndex; }

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

// neighbour is this invocation's place among those that share its vectors.
uint neighbour() { return SHARE > 1 ? gl_LocalInvocationIndex % SHARE : 0; }

// vector is the number of this invocation's.
uint vector() { return strip * WIDTH + lane() / SHARE; }

// Rows is where an invocation finds its count own rows of a block in memory, from ρ = first on.
struct Rows { uint64_t at; uint base, first, count; };

Rows rows(uint base, uint first, uint count) {
	first += neighbour();
	uint lowest = row_of(base, TRANSPOSED ? first + (count - 1) * SHARE : first);
	return Rows(element(uint64_t(p.x), vector(), lowest, p.ld), base, first, count);
}

// inside tells whether all rows and vectors of a block exist: then nobody looks at each.
bool inside(uint base) { return base + B + G <= p.n && (strip + 1) * WIDTH <= p.m; }

bool exists(Rows r, uint k) { return row_of(r.base, r.first + k * SHARE) < p.n && vector() < p.m; }

uint place(Rows r, uint k) { return (TRANSPOSED ? r.count - 1 - k : k) * SHARE * p.ld; }

work_t load(Rows r, uint k) { return Vectors(r.at).at[place(r, k)]; }

work_t load_checked(Rows r, uint k) { return exists(r, k) ? load(r, k) : work_t(0); }

void store(Rows r, uint k, work_t value) { Vectors(r.at).at[place(r, k)] = value; }

void store_checked(Rows r, uint k, work_t value) {
	if (exists(r, k)) store(r, k, value);
}

uint slot_of(uint k) { return k * LOCAL_SIZE + gl_LocalInvocationIndex; }

work_t slot(uint k) { return PRIVATE ? memory_slot[k] : shared_slot[slot_of(k)]; }

void set_slot(uint k, work_t value) {
	if (PRIVATE) memory_slot[k] = value;
	else shared_slot[slot_of(k)] = value;
}

// held is where this team's reflectors begin in shared memory, counted in reflectors.
uint held() { return team() * CHUNK; }

// v_of is where row w+q of the window finds its element of the chunk's reflector i, q being its place in v.
uint v_of(uint i, uint q) {
	uint after = i % SHARE + q;
	return ((held() + i) * SHARE + after % SHARE) * V + after / SHARE;
}

// clear makes those elements zero that stand for no row: no chunk brings them.
void clear() {
	for (uint e = gl_LocalInvocationIndex; e < PIPE * CHUNK * SHARE; e += LOCAL_SIZE) {
		uint after = e / SHARE % SHARE, h = e % SHARE;
		if (after > 0) chunk[e * V + (h < after ? 0 : ROWS)] = 0;
	}
}

// request starts loading a chunk's reflectors for this team. Element q of its
// reflector i is that of row ρ = c·CHUNK + i + q.
void request(Place at) {
	if (at.q >= p.groups || !works(at)) return;
	uint j = step_of(at), s0 = sweep_of(at.q + team());
	// Where the reflectors of sweep s0 begin; those of sweep s0+d do d·(n−1−s0) − d·(d−1)/2 further on.
	uint64_t begin = uint64_t(s0) * (p.n - 1) - (uint64_t(s0) * s0 - s0) / 2;
	MatrixIn v = MatrixIn(element(uint64_t(p.v), begin + j * B, 0, 0));
	[[unroll]] for (uint a = 0; a < OWN; a++) {
		uint e = lane() + a * LANES;
		uint i = at.c * CHUNK + e / B, q = TRANSPOSED ? B - 1 - e % B : e % B;
		uint d = TRANSPOSED ? G - 1 - i : i;
		coming_v[a] = 0;
		if (e < CHUNK * B && s0 + d + 2 < p.n && s0 + d + 1 + j * B + q < p.n) {
			coming_v[a] = v.at[d * (p.n - 1 - s0) - d * (d - 1) / 2 + q];
		}
	}
	MatrixIn tau = MatrixIn(element(uint64_t(p.tau), j, s0, steps(0)));
	[[unroll]] for (uint a = 0; a < OWN_TAU; a++) {
		uint e = lane() + a * LANES, i = at.c * CHUNK + e, d = TRANSPOSED ? G - 1 - i : i;
		coming_tau[a] = 0;
		if (e < CHUNK && s0 + d + 2 < p.n && s0 + d + 1 + j * B < p.n) coming_tau[a] = tau.at[d * steps(0)];
	}
}

// receive puts what was requested into shared memory.
void receive() {
	barrier(); // the chunk before is done with
	[[unroll]] for (uint a = 0; a < OWN; a++) {
		uint e = lane() + a * LANES;
		if (e < CHUNK * B) chunk[v_of(e / B, e % B)] = coming_v[a];
	}
	[[unroll]] for (uint a = 0; a < OWN_TAU; a++) {
		uint e = lane() + a * LANES;
		if (e < CHUNK) factor[held() + e] = coming_tau[a];
	}
	barrier();
}

// total is the sum of the neighbours' x, the same bits for each.
work_t total(work_t x) {
	[[unroll]] for (uint mask = 1; mask < SHARE; mask *= 2) x += subgroupShuffleXor(x, mask);
	return x;
}

// reflect applies the chunk's reflector i, which begins at row w of the window.
void reflect(uint i, uint w) {
	uint first = w / SHARE, count = ROWS + (w % SHARE > 0 ? 1 : 0), at = ((held() + i) * SHARE + neighbour()) * V;
	work_t v[ROWS + 1], dot[4];
	[[unroll]] for (uint q = 0; q < count; q++) v[q] = chunk[at + q];
	[[unroll]] for (uint a = 0; a < 4; a++) dot[a] = 0;
	[[unroll]] for (uint q = 0; q < count; q++) dot[q % 4] = fma(v[q], x[first + q], dot[q % 4]);
	// Added up without a loop: an array that a loop indexes may end in memory.
	work_t scale = -factor[held() + i] * total((dot[0] + dot[1]) + (dot[2] + dot[3]));
	[[unroll]] for (uint q = 0; q < count; q++) x[first + q] = fma(scale, v[q], x[first + q]);
}

// reflect_batch applies the block's reflectors i+U−1 … i. (Here and below a loop counts upwards also where
// it goes down: Mesa's compiler does not unroll one that counts down, and then the window ends in memory.)
void reflect_batch(uint i) {
	[[unroll]] for (uint a = 1; a <= U; a++) reflect(i % CHUNK + U - a, U - a);
}

// move lets the window go up from a batch that began at i: U rows in, U rows out.
void move(uint i) {
	uint at = i / SHARE;
	work_t enters[MOVE];
	[[unroll]] for (uint a = 0; a < MOVE; a++) enters[a] = slot(at - MOVE + a);
	[[unroll]] for (uint a = 0; a < MOVE; a++) set_slot(at + a, x[ROWS + a]);
	[[unroll]] for (uint a = 1; a <= ROWS; a++) x[ROWS - a + MOVE] = x[ROWS - a];
	[[unroll]] for (uint a = 0; a < MOVE; a++) x[a] = enters[a];
}

// enter loads what the window needs at the begin of a block.
void enter(uint base, bool first) {
	// The rows that enter the first block last. Of Q2ᵀ they do not exist; those
	// that stay behind at the end do not exist of Q2.
	if (first) {
		Rows r = rows(base, 0, KEPT);
		for (uint k = 0; k < KEPT; k++) set_slot(k, load_checked(r, k));
	}
	Rows r = rows(base, G, ROWS);
	if (inside(base)) {
		[[unroll]] for (uint w = 0; w < ROWS; w++) x[MOVE + w] = load(r, w);
	} else {
		[[unroll]] for (uint w = 0; w < ROWS; w++) x[MOVE + w] = load_checked(r, w);
	}
	[[unroll]] for (uint w = 0; w < MOVE; w++) x[w] = slot(KEPT - MOVE + w);
}

// leave stores what is finished at the end of a block.
void leave(uint base, bool last) {
	Rows r = rows(base, 0, ROWS);
	if (inside(base)) {
		[[unroll]] for (uint w = 0; w < ROWS; w++) store(r, w, x[w]);
	} else {
		[[unroll]] for (uint w = 0; w < ROWS; w++) store_checked(r, w, x[w]);
	}
	[[unroll]] for (uint w = 0; w < MOVE; w++) set_slot(w, x[ROWS + w]);
	if (last) {
		r = rows(base, B, KEPT);
		for (uint k = 0; k < KEPT; k++) store_checked(r, k, slot(k));
	}
}

// block applies the reflectors of one step of all sweeps of the group. All
// teams call it, also those that have no block at the time: there are barriers in it.
void block(Place at) {
	bool busy = PIPE == 1 || works(at); // one team always has a block
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
		// No continue: invocations that part meet again where a selection ends, and of a loop only
		// when all have left it; receive's barriers want all of them together.
		if (busy) {
			reflect_batch(i);
			if (i > 0) move(i);
		}
	}
	if (busy) leave(base, last);
}

uint strips() { return (p.m + WIDTH - 1) / WIDTH; }

#ifdef FLAGS
shared uint item;
shared bool go;

// Why no wait lasts for ever: the groups of a strip are claimed in order, and one waits only for the one
// before it. That was therefore claimed before, by a workgroup that is running; by induction that one
// comes to its end, as a dispatch's first group waits for none, and says FLAG_END. It takes a device that
// lets started workgroups go on.
//
// Between two writes of item or go stand barriers that all come to when they have read it: those of a block.
void main() {
	uint t = gl_LocalInvocationIndex, all = strips();
	clear();
	for (;;) {
		if (t == 0) {
			item = stopped(p.info, p.abort_word) ? p.groups * all
				: atomicAdd(p.ticket.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
		}
		barrier();
		uint flag = item, q = flag / all;
		if (q >= p.groups) return;
		strip = flag % all;
		uint seen = q == 0 ? FLAG_END : 0; // the flag of the group before, as last seen
		Place at = Place(q, 0, G / CHUNK - 1);
		request(at);
		uint end = steps(sweep_of(q));
		for (at.t = 0; at.t < end; at.t++) {
			if (t == 0) {
				uint need = q == 0 ? 0 : TRANSPOSED ? steps(sweep_of(q - 1)) - step_of(at) : at.t + 1;
				if (seen < need) seen = await(p.flags, flag - all, need, p.info, p.abort_word, p.polls);
				go = seen >= need;
			}
			meet();
			if (!go) return;
			block(at);
			meet();
			if (t == 0) publish(p.flags, flag, at.t + 1 < end ? at.t + 1 : FLAG_END);
		}
	}
}
#else
// between_times lets the next team see what this one has stored.
void between_times() {
	const int what = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
	const int how = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
	if (PIPE > 1) controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, what, how);
}

void main() {
	strip = workgroup();
	if (strip >= strips()) return;
	clear();
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
#endif
