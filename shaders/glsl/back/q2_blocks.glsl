// This header defines which team of ormtr_q2 works on which block at which time, and where an
// invocation finds its rows of a block in memory.
//
// ormtr_q2.comp includes this header after the declarations of its constants, its push block p and
// the variable `strip`. The top of ormtr_q2.comp explains groups, strips, blocks, row numbers ρ,
// and neighbours.
//
// PIPE teams of a workgroup work on the same vectors at the same time. Team q applies group q of
// PIPE consecutive groups, one block later than team q−1. At time t team q works on block j = t −
// q. If TRANSPOSED, it works on block J−1−t+q, where J is the number of blocks of team 0. A barrier
// separates two times.
//
// Proof that this order is right for Q2: let the group of team 0 begin with sweep s0. At the end of
// its block j, team 0 stores rows s0+1+j·B … s0+B+j·B. All rows that team 0 touches later, and all
// rows in its slots, have larger numbers. The group of team 1 begins with sweep s0−G. For its block
// j, team 1 loads rows ρ = G … G+B−1, which are exactly the rows that team 0 has stored. Before its
// first block, team 1 also loads rows ρ < G. Their row numbers are at most s0, and team 0 never
// touches them. The proof for teams q and q+1 is the same as for teams 0 and 1. The proof for Q2ᵀ
// is the same with reversed orders.
#ifndef Q2_BLOCKS_GLSL
#define Q2_BLOCKS_GLSL

// A workgroup consists of PIPE teams of invocations. `team` returns the number of this invocation's
// team, and the function `lane` returns the invocation's number in the team. If PIPE is 1, team is
// the constant 0, so that the compiler sees that all invocations of a workgroup take the same
// branches.
uint team() { return PIPE > 1 ? gl_LocalInvocationIndex / LANES : 0; }
uint lane() { return PIPE > 1 ? gl_LocalInvocationIndex % LANES : gl_LocalInvocationIndex; }

// A Place says which reflectors a team of invocations works on. q is the number of the first one of
// the PIPE consecutive groups of sweeps that the teams apply at the same time. t is the time, a
// step of the pipeline. c is the number of the chunk, the part of a block of reflectors that is in
// shared memory.
struct Place { uint q, t, c; };

// sweep_of returns the number of the first sweep in group q of the groups of sweeps that the
// dispatch applies.
uint sweep_of(uint q) { return (TRANSPOSED ? p.group + q : p.group - q) * G; }

// PIPE teams apply consecutive groups of sweeps at the same time. last_of returns the number of the
// last group that is applied at the same time as group q.
uint last_of(uint q) { return min(q + PIPE, p.groups) - 1; }

// count returns the number of blocks of reflectors that a team applies for a group of sweeps that
// begins with sweep s.
uint count(uint s) {
	uint end = steps_end(s);
	return end - min(steps_begin(), end);
}

// times returns the number of time steps that the teams of a workgroup need to apply the groups of
// sweeps number q to last_of(q).
uint times(uint q) { return max(count(sweep_of(q)), count(sweep_of(last_of(q)))) + last_of(q) - q; }

// A block is the reflectors of step j of all sweeps of a group. step_of returns the j of the block
// that this team applies at time at.t. If the team has no block at this time, the result has no
// meaning.
uint step_of(Place at) { return TRANSPOSED ? steps(sweep_of(at.q)) - 1 - at.t + team() : steps_begin() + at.t - team(); }

// works tells whether this team of invocations has a block of reflectors to apply at time at.t.
bool works(Place at) {
	return at.q + team() < p.groups && at.t >= team() && step_of(at) < steps_end(sweep_of(at.q + team()));
}

// base_of returns the first row, base = s0 + 1 + j·B, of the block of reflectors that this team
// applies. s0 is the first sweep of the group, and j is the step.
uint base_of(Place at) { return sweep_of(at.q + team()) + 1 + step_of(at) * B; }

// A chunk is the set of reflectors that are in shared memory at a time. next_chunk returns the
// chunk after the chunk `at`. The next chunk belongs to the same block of reflectors, to the block
// of the next time, or to the next groups of sweeps.
Place next_chunk(Place at) {
	if (at.c > 0) return Place(at.q, at.t, at.c - 1);
	if (at.t + 1 < times(at.q)) return Place(at.q, at.t + 1, G / CHUNK - 1);
	return Place(at.q + PIPE, 0, G / CHUNK - 1);
}

// row_of returns a row of the vectors: that of row ρ (the argument `rho`) of a block of reflectors
// that begins at row `base`. If TRANSPOSED, ρ counts from the other end.
uint row_of(uint base, uint rho) { return TRANSPOSED ? base + B + G - 2 - rho : base + rho; }

// neighbour returns this invocation's number among the SHARE invocations that share its vector.
uint neighbour() { return SHARE > 1 ? gl_LocalInvocationIndex % SHARE : 0; }

// vector returns the number of the vector on which this invocation works.
uint vector() { return strip * WIDTH + lane() / SHARE; }

// Rows says where `count` rows of an invocation's vector lie in memory. `at` is the address of the
// lowest one of these rows. `base` is the first row of the block of reflectors, and `first` is the
// number ρ of the first one of the `count` rows in this block.
struct Rows { uint64_t at; uint base, first, count; };

// rows returns where `count` rows of this invocation's vector lie in memory. `base` is the first
// row of the block of reflectors. The rows begin with the first row of this invocation whose number
// ρ in the block is at least `first`.
Rows rows(uint base, uint first, uint count) {
	first += neighbour();
	uint lowest = row_of(base, TRANSPOSED ? first + (count - 1) * SHARE : first);
	return Rows(element(origin(), vector(), lowest - top(), p.ld), base, first, count);
}

// inside tells whether all rows of a block of reflectors exist, and whether all vectors exist that
// the team works on. If so, the elements can be accessed without checks.
bool inside(uint base) { return base + B + G <= rows_end() && (strip + 1) * WIDTH <= vectors_end(); }

// exists tells whether row number k of the rows r is a row of the vectors, and whether this
// invocation has a vector.
bool exists(Rows r, uint k) { return row_of(r.base, r.first + k * SHARE) < rows_end() && vector() < vectors_end(); }

// place returns the distance in memory of row k of the rows r from the address r.at, in elements.
uint place(Rows r, uint k) { return (TRANSPOSED ? r.count - 1 - k : k) * SHARE * p.ld; }

// load and store access the element of this invocation's vector in row number k of the rows r. If
// the row does not exist, load_checked returns zero, and store_checked stores nothing.
work_t load(Rows r, uint k) { return Vectors(r.at).at[place(r, k)]; }

work_t load_checked(Rows r, uint k) { return exists(r, k) ? load(r, k) : work_t(0); }

void store(Rows r, uint k, work_t value) { Vectors(r.at).at[place(r, k)] = value; }

void store_checked(Rows r, uint k, work_t value) {
	if (exists(r, k)) store(r, k, value);
}

#ifdef SQUARES
// begin_columns stores the ones of the identity matrix in the columns of the strip. It also is a
// barrier of the workgroup, because other invocations load these elements.
void begin_columns() {
	if (team() == 0 && neighbour() == 0 && vector() < vectors_end()) {
		Vectors(element(origin(), vector(), vector(), p.ld)).at[0] = one();
	}
	const int what = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
	const int how = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, what, how);
}

// groups_begin returns the number of the first group of sweeps that changes a column of the strip.
// The teams take PIPE successive groups at a time, so some of the first of these groups may change
// no column of the strip.
uint groups_begin() {
	uint column = (strip + 1) * WIDTH - 1, last = p.groups - 1, q = last - min(column / G, last);
	for (; q < last && times(q) == last_of(q) - q; q += PIPE) {}
	return q;
}
#endif

#endif
