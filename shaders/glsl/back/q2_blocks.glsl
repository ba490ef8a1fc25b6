// This header assigns blocks to the teams of ormtr_q2: it tells which team works on which block at
// which time, and where an invocation finds its rows of a block in memory.
//
// ormtr_q2.comp includes it, after its constants, its push block p, and the variable strip. That
// file explains groups, strips, blocks, and what SHARE neighbours share.
#ifndef Q2_BLOCKS_GLSL
#define Q2_BLOCKS_GLSL

// steps returns the number of steps of sweep s, which is also the number of blocks of a group that
// begins with sweep s. It is 0 past the last row.
uint steps(uint s) { return s + 1 < p.n ? (p.n - 1 - s + B - 1) / B : 0; }

// team returns the team of this invocation, and lane the invocation's number in the team. With one
// team it is written so that the compiler sees that all invocations of a workgroup take the same
// branches.
uint team() { return PIPE > 1 ? gl_LocalInvocationIndex / LANES : 0; }
uint lane() { return PIPE > 1 ? gl_LocalInvocationIndex % LANES : gl_LocalInvocationIndex; }

// A Place says what a team works on: group q is the first of the PIPE groups, t is the time, and c
// the chunk.
struct Place { uint q, t, c; };

// sweep_of returns the first sweep of group q of the dispatch.
uint sweep_of(uint q) { return (TRANSPOSED ? p.group + q : p.group - q) * G; }

// last_of returns the last of the groups that the teams work on at the same time as group q.
uint last_of(uint q) { return min(q + PIPE, p.groups) - 1; }

// times returns how many times (steps of the pipeline) the teams need for the groups from q on.
uint times(uint q) { return max(steps(sweep_of(q)), steps(sweep_of(last_of(q)))) + last_of(q) - q; }

// step_of returns the step j of this team's block. If the team has no block, the result is past the
// last step; this includes the case that the unsigned number wraps around.
uint step_of(Place at) { return TRANSPOSED ? steps(sweep_of(at.q)) - 1 - at.t + team() : at.t - team(); }

// works tells whether this team has a block at this time.
bool works(Place at) { return at.q + team() < p.groups && step_of(at) < steps(sweep_of(at.q + team())); }

// base_of returns the row number `base` of this team's block (see ormtr_q2.comp).
uint base_of(Place at) { return sweep_of(at.q + team()) + 1 + step_of(at) * B; }

// next_chunk returns the chunk after this one. It belongs to the same block, or else to the next
// time, or else to the next groups.
Place next_chunk(Place at) {
	if (at.c > 0) return Place(at.q, at.t, at.c - 1);
	if (at.t + 1 < times(at.q)) return Place(at.q, at.t + 1, G / CHUNK - 1);
	return Place(at.q + PIPE, 0, G / CHUNK - 1);
}

// row_of returns the row of X that has number ρ in the block.
uint row_of(uint base, uint rho) { return TRANSPOSED ? base + B + G - 2 - rho : base + rho; }

// neighbour is this invocation's number among those that share its vector.
uint neighbour() { return SHARE > 1 ? gl_LocalInvocationIndex % SHARE : 0; }

// vector is the number of this invocation's vector.
uint vector() { return strip * WIDTH + lane() / SHARE; }

// Rows describes where in memory an invocation finds `count` of its rows of a block, beginning with
// the row of the block that has number first.
struct Rows { uint64_t at; uint base, first, count; };

// rows returns where `count` rows of this invocation lie, for the block with this base.
Rows rows(uint base, uint first, uint count) {
	first += neighbour();
	uint lowest = row_of(base, TRANSPOSED ? first + (count - 1) * SHARE : first);
	return Rows(element(uint64_t(p.x), vector(), lowest, p.ld), base, first, count);
}

// inside tells whether all rows and vectors of a block exist, so that they can be accessed without
// checks.
bool inside(uint base) { return base + B + G <= p.n && (strip + 1) * WIDTH <= p.m; }

// exists tells whether the k-th row that this invocation holds exists, and its vector too.
bool exists(Rows r, uint k) { return row_of(r.base, r.first + k * SHARE) < p.n && vector() < p.m; }

// place returns the distance of this invocation's row k from r.at, in elements.
uint place(Rows r, uint k) { return (TRANSPOSED ? r.count - 1 - k : k) * SHARE * p.ld; }

// load and store access row k of this invocation's vector. The checked forms return zero, or store
// nothing, for rows that do not exist.
work_t load(Rows r, uint k) { return Vectors(r.at).at[place(r, k)]; }

work_t load_checked(Rows r, uint k) { return exists(r, k) ? load(r, k) : work_t(0); }

void store(Rows r, uint k, work_t value) { Vectors(r.at).at[place(r, k)] = value; }

void store_checked(Rows r, uint k, work_t value) {
	if (exists(r, k)) store(r, k, value);
}

#endif
