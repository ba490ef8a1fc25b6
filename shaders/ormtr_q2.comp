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
// last sweep acts first; upwards if TRANSPOSED. The bits do not depend on any size
// but B. x must not overlap v or tau.
//
// A team of LANES invocations is at work on LANES vectors, an invocation on one.
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
// block as its rows ρ − B, the last to enter; until then they stay in shared memory, row
// B+k in slot k. So memory is read and written once a group. The batch that moves away
// from i fills the slots i … i+U−1, which it emptied when it came.
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
// blocks it has finished. It looks at the other's flag and sets its own once in STRIDE blocks, and
// so waits for what the last of these needs. Neither count need be a multiple of STRIDE: a group's end is
// FLAG_END, which is more than any need.
//
// With AHEAD a block brings the rows of the next one, some with each reflector, and keeps them
// in shared memory till then: ρ = G … G+B−1 of the next block, which are neither among the rows that
// this group has in registers or slots nor among those that it stores. So the group before must have
// finished one block more; the one after does not store them before this one has. Each invocation keeps what
// it finds there itself, and a group's first block takes nothing from there, whatever another group or
// strip has left. A team of several cannot do that, being one block behind.
//
// With OVERLAP a reflector's dot product runs over a row as soon as the reflector before it has
// been applied to that row. The order of operations on each number stays as it is.
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
layout(constant_id = 6) const uint STRIDE = 1;
#else
layout(constant_id = 6) const uint PIPE = 1;  // groups under way at the same time
#endif
layout(constant_id = 7) const bool OVERLAP = false;
layout(constant_id = 8) const bool AHEAD = false; // of PIPE = 1

// One team reads what another one has written.
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer Vectors { nonprivate real_t at[]; };

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
const uint WINDOW = B + U;                            // rows in registers
const uint PART = (B + G - 1) / G;                    // rows that come with a reflector, AHEAD

shared work_t chunk[PIPE * CHUNK * B];
shared work_t factor[PIPE * CHUNK];
shared work_t slot[G * LOCAL_SIZE];
shared work_t ahead[AHEAD ? B * LOCAL_SIZE : 1]; // rows of the next block

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

// vector is the number of this invocation's.
uint vector() { return strip * LANES + lane(); }

// Rows is where an invocation finds count rows of a block in memory, from ρ = first on.
struct Rows { uint64_t at; uint base, first, count; };

Rows rows(uint base, uint first, uint count) {
	uint lowest = row_of(base, TRANSPOSED ? first + count - 1 : first);
	return Rows(element(uint64_t(p.x), vector(), lowest, p.ld), base, first, count);
}

// inside tells whether all rows and vectors of a block exist: then nobody looks at each.
bool inside(uint base) { return base + B + G <= p.n && (strip + 1) * LANES <= p.m; }

bool exists(Rows r, uint k) { return row_of(r.base, r.first + k) < p.n && vector() < p.m; }

uint place(Rows r, uint k) { return (TRANSPOSED ? r.count - 1 - k : k) * p.ld; }

work_t load(Rows r, uint k) { return Vectors(r.at).at[place(r, k)]; }

work_t load_checked(Rows r, uint k) { return exists(r, k) ? load(r, k) : work_t(0); }

void store(Rows r, uint k, work_t value) { Vectors(r.at).at[place(r, k)] = value; }

void store_checked(Rows r, uint k, work_t value) {
	if (exists(r, k)) store(r, k, value);
}

uint slot_of(uint k) { return k * LOCAL_SIZE + gl_LocalInvocationIndex; }

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
		if (e < CHUNK * B) chunk[team() * CHUNK * B + e] = coming_v[a];
	}
	[[unroll]] for (uint a = 0; a < OWN_TAU; a++) {
		uint e = lane() + a * LANES;
		if (e < CHUNK) factor[team() * CHUNK + e] = coming_tau[a];
	}
	barrier();
}

// The rows that a block brings for the next one: none behind the last.
Rows next_rows;
bool next_exists, next_inside;

void begin_ahead(uint base, bool last) {
	next_exists = !last;
	if (!AHEAD || last) return;
	uint next = TRANSPOSED ? base - B : base + B;
	next_rows = rows(next, G, B);
	next_inside = inside(next);
}

// bring loads the rows that come with a block's reflector i; keep puts them where enter will find them.
void bring(uint i, out work_t part[PART]) {
	if (!AHEAD || !next_exists) return;
	[[unroll]] for (uint a = 0; a < PART; a++) {
		uint k = (G - 1 - i) * PART + a;
		if (B % G == 0 || k < B) part[a] = next_inside ? load(next_rows, k) : load_checked(next_rows, k);
	}
}

void keep(uint i, work_t part[PART]) {
	if (!AHEAD || !next_exists) return;
	[[unroll]] for (uint a = 0; a < PART; a++) {
		uint k = (G - 1 - i) * PART + a;
		if (B % G == 0 || k < B) ahead[slot_of(k)] = part[a];
	}
}

// v_of is where the chunk's reflector i begins, of this team's.
uint v_of(uint i) { return (team() * CHUNK + i) * B; }

// scale is what a reflector's v is multiplied with. Dot products run in four chains, added up
// without a loop: an array that a loop indexes may end in memory.
work_t scale(uint i, work_t dot[4]) { return -factor[team() * CHUNK + i] * ((dot[0] + dot[1]) + (dot[2] + dot[3])); }

// reflect applies the chunk's reflector i to rows w … w+B−1 of the window.
void reflect(uint i, uint w) {
	work_t v[B], dot[4];
	[[unroll]] for (uint q = 0; q < B; q++) v[q] = chunk[v_of(i) + q];
	[[unroll]] for (uint a = 0; a < 4; a++) dot[a] = 0;
	[[unroll]] for (uint q = 0; q < B; q++) dot[q % 4] = fma(v[q], x[w + q], dot[q % 4]);
	work_t s = scale(i, dot);
	[[unroll]] for (uint q = 0; q < B; q++) x[w + q] = fma(s, v[q], x[w + q]);
}

// reflect_batch applies the block's reflectors i+U−1 … i. (Here and below a loop counts upwards also where
// it goes down: Mesa's compiler does not unroll one that counts down, and then the window ends in memory.)
void reflect_batch(uint i) {
	[[unroll]] for (uint a = 1; a <= U; a++) {
		uint w = U - a;
		work_t part[PART];
		bring(i + w, part);
		reflect(i % CHUNK + w, w);
		keep(i + w, part);
	}
}

// reflect_overlapped does the same. While reflector w is applied to row after row, from w on, reflector
// w−1 follows it: its v takes the place of the other's.
void reflect_overlapped(uint i) {
	uint c = i % CHUNK;
	work_t v[B], dot[4];
	[[unroll]] for (uint a = 0; a < 4; a++) dot[a] = 0;
	[[unroll]] for (uint q = 0; q < B; q++) {
		v[q] = chunk[v_of(c + U - 1) + q];
		dot[q % 4] = fma(v[q], x[U - 1 + q], dot[q % 4]);
	}
	[[unroll]] for (uint a = 1; a < U; a++) {
		uint w = U - a;
		work_t part[PART];
		bring(i + w, part);
		work_t s = scale(c + w, dot), before;
		[[unroll]] for (uint k = 0; k < 4; k++) dot[k] = 0;
		[[unroll]] for (uint q = 0; q < B; q++) {
			if (q > 0) x[w - 1 + q] = fma(s, before, x[w - 1 + q]);
			before = v[q];
			v[q] = chunk[v_of(c + w - 1) + q];
			dot[q % 4] = fma(v[q], x[w - 1 + q], dot[q % 4]);
		}
		x[w - 1 + B] = fma(s, before, x[w - 1 + B]);
		keep(i + w, part);
	}
	work_t part[PART];
	bring(i, part);
	work_t s = scale(c, dot);
	[[unroll]] for (uint q = 0; q < B; q++) x[q] = fma(s, v[q], x[q]);
	keep(i, part);
}

// move lets the window go up from a batch that began at i: U rows in, U rows out.
void move(uint i) {
	work_t enters[U];
	[[unroll]] for (uint a = 0; a < U; a++) enters[a] = slot[slot_of(i - U + a)];
	[[unroll]] for (uint a = 0; a < U; a++) slot[slot_of(i + a)] = x[B + a];
	[[unroll]] for (uint a = 1; a <= B; a++) x[B - a + U] = x[B - a];
	[[unroll]] for (uint a = 0; a < U; a++) x[a] = enters[a];
}

// enter loads what the window needs at the begin of a block.
void enter(uint base, bool first) {
	// The rows that enter the first block last. Of Q2ᵀ they do not exist; those
	// that stay behind at the end do not exist of Q2.
	if (first) {
		Rows r = rows(base, 0, G);
		for (uint k = 0; k < G; k++) slot[slot_of(k)] = load_checked(r, k);
	}
	Rows r = rows(base, G, B);
	if (AHEAD && !first) {
		[[unroll]] for (uint w = 0; w < B; w++) x[U + w] = ahead[slot_of(w)];
	} else if (inside(base)) {
		[[unroll]] for (uint w = 0; w < B; w++) x[U + w] = load(r, w);
	} else {
		[[unroll]] for (uint w = 0; w < B; w++) x[U + w] = load_checked(r, w);
	}
	[[unroll]] for (uint w = 0; w < U; w++) x[w] = slot[slot_of(G - U + w)];
}

// leave stores what is finished at the end of a block.
void leave(uint base, bool last) {
	Rows r = rows(base, 0, B);
	if (inside(base)) {
		[[unroll]] for (uint w = 0; w < B; w++) store(r, w, x[w]);
	} else {
		[[unroll]] for (uint w = 0; w < B; w++) store_checked(r, w, x[w]);
	}
	[[unroll]] for (uint w = 0; w < U; w++) slot[slot_of(w)] = x[B + w];
	if (last) {
		r = rows(base, B, G);
		for (uint k = 0; k < G; k++) store_checked(r, k, slot[slot_of(k)]);
	}
}

// block applies the reflectors of one step of all sweeps of the group. All
// teams call it, also those that have no block at the time: there are barriers in it.
void block(Place at) {
	bool busy = works(at);
	uint j = step_of(at), blocks = busy ? steps(sweep_of(at.q + team())) : 1;
	bool first = j == (TRANSPOSED ? blocks - 1 : 0), last = j == (TRANSPOSED ? 0 : blocks - 1);
	uint base = base_of(at);
	if (busy) {
		enter(base, first);
		begin_ahead(base, last);
	}
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
			if (OVERLAP) reflect_overlapped(i);
			else reflect_batch(i);
			if (i > 0) move(i);
		}
	}
	if (busy) leave(base, last);
}

uint strips() { return (p.m + LANES - 1) / LANES; }

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
			if (at.t % STRIDE == 0) {
				if (t == 0) {
					uint need = q == 0 ? 0 : (TRANSPOSED ? steps(sweep_of(q - 1)) - step_of(at) : at.t + 1) + STRIDE - 1 + uint(AHEAD);
					if (seen < need) seen = await(p.flags, flag - all, need, p.info, p.abort_word, p.polls);
					go = seen >= need;
				}
				meet();
				if (!go) return;
			}
			block(at);
			if (at.t % STRIDE == STRIDE - 1 || at.t + 1 == end) {
				meet();
				if (t == 0) publish(p.flags, flag, at.t + 1 < end ? at.t + 1 : FLAG_END);
			}
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
