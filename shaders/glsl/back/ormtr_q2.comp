// ormtr_q2 applies Q2, the product of the reflectors of bulge chasing, to vectors that are stored
// as rows: X ← Q2·X, or X ← Q2ᴴ·X if TRANSPOSED (LAPACK dormtr and zunmtr, for the second stage).
//
// complex
//
// in, out: x       m vectors of length n; element `row` of vector c lies at x[c + row·ld]
// in:      v, tau  as sb2st stores them, see package stages
//
// variant: ormtr_q2_flags FLAGS
// variant: ormtr_q2_teams
// variant: orgtr_q2 SQUARES
//
// A dispatch applies `groups` groups of G consecutive sweeps, beginning with group number `group`.
// For Q2 the numbers of the groups descend, because the last sweep acts first. For Q2ᵀ they ascend.
// The bits depend on B and SHARE, and on no other size. n and m may have any value. A NaN in x
// makes its vector NaN, and no other vector. x must not overlap v or tau.
//
// Grid: with FLAGS as many workgroups in x as should run at the same time; otherwise ⌈m /
// (LANES/SHARE)⌉ workgroups, in x and y. With SQUARES, each of the squares [first, end) has so many
// workgroups.
//
// A team is LANES invocations. It works on LANES/SHARE vectors, which are called a strip. SHARE
// neighbouring invocations share one vector: each of them holds every SHARE-th row of the vector,
// and they add up its dot products by shuffles.
//
// Reflector (i, j) of a group that begins with sweep s0 is step j of sweep s0+i. It acts on rows
//
//	base + i … base + i + B−1,   base = s0 + 1 + j·B.
//
// Order of the reflectors. If two reflectors (i, j) and (i', j') share rows, the reflector of the
// later sweep must act first. A block is the set of the reflectors with the same j. The kernel
// applies the blocks with increasing j, and the reflectors of a block with decreasing i. Proof that
// this order is right: let i > i'. Then (i, j) must act before each (i', j') with which it shares
// rows. If j' ≥ j, the kernel applies (i, j) first. If j' < j, they share no rows: (i', j') ends at
// the latest with row s0 + i' + j·B, and (i, j) begins with row s0 + 1 + i + j·B.
//
// Q2ᴴ needs the reverse order. If TRANSPOSED, the kernel counts rows and i from the other end. Then
// i decreases as for Q2, and j decreases instead of increasing. So the same code applies Q2 and
// Q2ᵀ. It uses row numbers ρ:
//
//	row(ρ) = base + ρ   or, if TRANSPOSED,   base + B+G−2 − ρ,   0 ≤ ρ < B+G.
//
// Window. The reflectors of a block touch rows ρ < B+G−1. A batch is U reflectors i … i+U−1 of a
// block. For a batch, rows i … i+B+U−1 are in registers; the batch does not touch the last of them.
// These rows are the window. After each batch the window moves up by U rows, to smaller ρ. At the
// end of the block, the rows ρ < B that remain in the window are finished and are stored to memory.
// The rows that left the window before have ρ ≥ B. In the next block they are rows ρ − B, and they
// enter the window last. Until then, row B+k waits in slot k. The slots are in shared memory or, if
// PRIVATE, in the invocation's own memory. So x is read and written once per group. When the window
// moves away from a batch that begins with i, slots i … i+U−1 are filled. These slots became empty
// when the window moved to i.
//
// Pipeline. PIPE teams of a workgroup work on the same vectors at the same time, each on another
// group. q2_blocks.glsl explains which team works on which block at which time.
//
// With FLAGS a workgroup has one team. Different workgroups apply the groups of a strip, one group
// after another, by the rule of the pipeline. Each workgroup counts its finished blocks in a flag
// for its group and strip.
//
// Shared vectors. The SHARE invocations that share a vector are called neighbours. Row ρ belongs to
// neighbour ρ mod SHARE, where it has the number ρ div SHARE. Windows, batches and blocks move by
// multiples of SHARE, so a row always belongs to the same neighbour. A reflector may begin at a row
// ρ that is not a multiple of SHARE. Then its first row has a larger number, by one, for the
// neighbours before ρ mod SHARE than for the other neighbours. So every neighbour processes one
// more row than the reflector has for it, and v is zero in the extra row.
//
// Reflectors past the last sweep or past the last row do not exist. The kernel uses τ = 0 for them.
//
// Squares. With SQUARES the kernel does not apply reflectors to vectors of a caller. It multiplies
// them out (LAPACK dorgtr, for the second stage). q2_squares.glsl has the contract.
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
// LOCAL_SIZE is the number of invocations of a workgroup: a multiple of PIPE (teams) times SHARE
// (invocations for each vector).
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// B is the half-bandwidth, at least 2.
layout(constant_id = 1) const uint B = 4;
// G is the number of sweeps in a group. The reflectors of a group are applied in one pass over the
// vectors. G is a multiple of CHUNK, the number of reflectors in shared memory.
layout(constant_id = 2) const uint G = 4;
// CHUNK is the number of reflectors that a team has in shared memory at the same time, a multiple
// of U, the number of reflectors in a batch.
layout(constant_id = 3) const uint CHUNK = 4;
// U is the number of reflectors in a batch. While a batch is applied, the same rows of the vectors
// stay in registers.
layout(constant_id = 4) const uint U = 2;
// TRANSPOSED tells whether Q2ᴴ (for real numbers Q2ᵀ) is applied instead of Q2.
layout(constant_id = 5) const bool TRANSPOSED = false;
#ifdef FLAGS
const uint PIPE = 1;
#else
// PIPE is the number of teams of invocations in a workgroup, at least 1. At the same time, each
// team applies another group of sweeps to the same vectors.
layout(constant_id = 6) const uint PIPE = 1;
#endif
// SHARE is the number of invocations that share a vector: a power of two that divides the
// half-bandwidth B, the batch size U, and the number LANES of invocations of a team.
layout(constant_id = 7) const uint SHARE = 1;
// PRIVATE chooses the memory of the slots. A slot keeps a row of a vector from one block of
// reflectors to the next. If PRIVATE is true, slots are in the invocation's own memory, otherwise
// in shared memory.
layout(constant_id = 8) const bool PRIVATE = false;

// The elements are declared nonprivate, because one team of invocations reads elements that another
// team has written.
layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer Vectors { nonprivate scalar_t at[]; };

layout(push_constant, scalar) uniform Push {
	Vectors x;
	MatrixIn v, tau;
	// n is the order of Q2, m the number of vectors, at least 1, and ld the leading dimension of x,
	// at least m.
	uint n, m, ld;
	// The sweeps of the bulge chasing are divided into groups. This dispatch applies `groups` of
	// these groups, at least one. The first of them has the number `group`.
	uint group, groups;
#ifdef SQUARES
	// A square is the product of the reflectors of `height` successive steps of all groups.
	// `squares` is the number of squares, at least 1. The last one has all further steps. This
	// dispatch computes the squares from number `first` to number `end` − 1.
	uint height, squares, first, end;
#endif
#ifdef FLAGS
	// polls is the poll limit: an invocation gives up waiting after so many loads of a flag.
	uint polls;
	// A strip is the set of vectors that a team works on at a time. `flags` has one flag for each
	// pair of a group of sweeps and a strip. All flags are zero before the dispatch.
	Flags flags;
	// ticket is a counter, which is zero before the dispatch. It counts the pairs of a group of
	// sweeps and a strip of vectors that workgroups have claimed.
	Flags ticket;
	// info is 0 if all waits succeeded. Otherwise info is 1 + the number of a flag: a wait for this
	// flag reached the poll limit.
	Flags info;
	// abort_word becomes nonzero when the host asks the kernel to stop.
	Flags abort_word;
#endif
} p;

const uint LANES = LOCAL_SIZE / PIPE; // invocations of a team
const uint BATCHES = G / U;
// A chunk is the set of reflectors that a team has in shared memory at a time. To fill it, each
// invocation loads at most OWN elements of the vectors v and at most OWN_TAU factors τ.
const uint OWN = (CHUNK * B + LANES - 1) / LANES;
const uint OWN_TAU = (CHUNK + LANES - 1) / LANES;
// The rows of a vector that are in registers are called the window. For one invocation, ROWS is the
// number of rows of a reflector, and MOVE is the number of rows by which the window moves after a
// batch of reflectors. KEPT is the number of slots, which keep rows for the next block.
const uint ROWS = B / SHARE, MOVE = U / SHARE, KEPT = G / SHARE;
const uint WINDOW = ROWS + MOVE; // rows in registers
const uint WIDTH = LANES / SHARE; // vectors of a strip
// SHARE invocations share a vector. V is the number of elements of a reflector's vector v that
// shared memory has for each of them: B if SHARE is 1, and otherwise ROWS + 1 rounded up to an even
// number, because elements are loaded two at a time.
const uint V = SHARE > 1 ? ROWS + 2 - ROWS % 2 : B;

// Each team has some reflectors (a chunk) in shared memory: their vectors in `chunk`, and their
// factors τ in `factor`. The slots keep rows of vectors for the next block. They are in shared_slot
// if PRIVATE is false, and in memory_slot if PRIVATE is true.
shared work_t chunk[PIPE * CHUNK * SHARE * V];
shared work_t factor[PIPE * CHUNK];
shared work_t shared_slot[PRIVATE ? 1 : KEPT * LOCAL_SIZE];
work_t memory_slot[PRIVATE ? KEPT : 1];

uint strip; // the strip that the workgroup works on
work_t x[WINDOW]; // the window, of this invocation's vector
work_t coming_v[OWN], coming_tau[OWN_TAU]; // elements of the next chunk, in flight

#include "q2_squares.glsl"

#include "q2_blocks.glsl"

#include "q2_chunks.glsl"

// total returns the sum of x over the SHARE neighbouring invocations that share a vector. All of
// them get the same bits.
work_t total(work_t x) {
	[[unroll]] for (uint mask = 1; mask < SHARE; mask *= 2) x += subgroupShuffleXor(x, mask);
	return x;
}

// reflect applies reflector i of those in shared memory to the rows in registers (the window). The
// reflector begins at row w of the window.
void reflect(uint i, uint w) {
	uint first = w / SHARE, count = ROWS + (w % SHARE > 0 ? 1 : 0), at = ((held() + i) * SHARE + neighbour()) * V;
	work_t v[ROWS + 1], dot[4];
	[[unroll]] for (uint q = 0; q < count; q++) v[q] = chunk[at + q];
	[[unroll]] for (uint a = 0; a < 4; a++) dot[a] = work_t(0);
	[[unroll]] for (uint q = 0; q < count; q++) dot[q % 4] = mad_conj(v[q], x[first + q], dot[q % 4]);
	// The four partial sums are added without a loop. If a loop indexed the array of sums, a
	// compiler might put the array into memory.
	work_t scale = mul(-factor[held() + i], total((dot[0] + dot[1]) + (dot[2] + dot[3])));
	[[unroll]] for (uint q = 0; q < count; q++) x[first + q] = mad(scale, v[q], x[first + q]);
}

// reflect_batch applies a batch of U reflectors to the rows in registers (the window), in the order
// i+U−1 … i. (All loops in this file count upwards. Mesa's compiler does not unroll a loop that
// counts down, and would put the window into memory.)
void reflect_batch(uint i) {
	[[unroll]] for (uint a = 1; a <= U; a++) reflect(i % CHUNK + U - a, U - a);
}

// The window is the rows of a vector that are in registers. A batch has U reflectors. After the
// batch that begins with reflector i, `move` moves the window up: U rows enter it and U rows leave
// it.
void move(uint i) {
	uint at = i / SHARE;
	work_t enters[MOVE];
	[[unroll]] for (uint a = 0; a < MOVE; a++) enters[a] = slot(at - MOVE + a);
	[[unroll]] for (uint a = 0; a < MOVE; a++) set_slot(at + a, x[ROWS + a]);
	[[unroll]] for (uint a = 1; a <= ROWS; a++) x[ROWS - a + MOVE] = x[ROWS - a];
	[[unroll]] for (uint a = 0; a < MOVE; a++) x[a] = enters[a];
}

// enter loads the rows of vectors that must be in registers at the beginning of a block of
// reflectors.
void enter(uint base, bool first) {
	// The slots hold rows that come into the registers at the end of a block. For the first block
	// these rows are loaded from x. For Q2ᵀ at most one of them exists. For Q2, the rows that
	// remain in the slots after the last block lie outside the matrix.
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

// leave stores those rows of vectors to memory that are finished at the end of a block of
// reflectors. The other rows in registers go to slots. After the last block of a group (`last`),
// leave also stores the rows in all slots to memory.
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

// block applies a block of reflectors: those of one step of all sweeps of a group. The function
// contains barriers. So all teams of the workgroup must call it, also a team that has nothing to do
// at this time.
void block(Place at) {
	bool busy = PIPE == 1 || works(at); // a single team always has a block
	uint j = step_of(at), end = busy ? steps_end(sweep_of(at.q + team())) : 1;
	bool first = j == (TRANSPOSED ? end - 1 : steps_begin()), last = j == (TRANSPOSED ? 0 : end - 1);
	uint base = base_of(at);
	if (busy) enter(base, first);
	for (uint batch = 0; batch < BATCHES; batch++) {
		uint i = G - U - batch * U;
		if (i % CHUNK == CHUNK - U) {
			receive();
			at.c = i / CHUNK;
			request(next_chunk(at));
		}
		// A `continue` must not be used in this loop. After a `continue`, the invocations of a
		// workgroup need not run together before the end of the loop. But the barriers in the
		// function `receive` need all invocations.
		if (busy) {
			reflect_batch(i);
			if (i > 0) move(i);
		}
	}
	if (busy) leave(base, last);
}

// strips returns the number of strips. A strip is the WIDTH vectors that a team works on at the
// same time.
uint strips() { return (p.m + WIDTH - 1) / WIDTH; }

#ifdef FLAGS
// `item` is the number of the work that the workgroup has claimed, one group of sweeps on one strip
// of vectors: group·strips + strip. `item` is also the number of the workgroup's flag. `go` tells
// whether the next block of reflectors can begin.
shared uint item;
shared bool go;

// Every wait ends, for this reason. A workgroup claims one group of sweeps on one strip of vectors.
// The groups of a strip are claimed in order, and each group waits only for the previous group.
// Some workgroup has claimed the previous group earlier, so that workgroup has started. The first
// group of a dispatch waits for no other group. So by induction every workgroup reaches its end and
// sets FLAG_END, if the device lets workgroups that have started make progress.
//
// The variables `item` and `go` are written again only after a barrier. All invocations reach this
// barrier after they have read the variable. The function `block` contains these barriers.
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
		uint seen = q == 0 ? FLAG_END : 0; // last loaded flag of the previous group
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
// between_times is a barrier of the workgroup if it has several teams. It makes the data that each
// team has stored visible to the next team.
void between_times() {
	const int what = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
	const int how = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
	if (PIPE > 1) controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, what, how);
}

void main() {
#ifdef SQUARES
	if (!begin_square(workgroup())) return;
	clear();
	begin_columns();
	Place at = Place(groups_begin(), 0, G / CHUNK - 1);
#else
	strip = workgroup();
	if (strip >= strips()) return;
	clear();
	Place at = Place(0, 0, G / CHUNK - 1);
#endif
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
