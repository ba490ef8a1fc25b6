// stedc_deflate decides, for each merge of one level, which columns of Q are already eigenvectors
// of the merged block. It also rotates pairs of columns so that more columns become eigenvectors
// (LAPACK dlaed2). Such columns are called deflated.
//
// A merge consists of two solved blocks, n1 and n − n1 columns of Q. The eigenvalues of the blocks
// are in d. The buffer `order` has, for each block, the permutation that makes the eigenvalues of
// the block ascend. The torn element of T between the blocks is e[n1 − 1]. Package dc in
// stages/tridiag explains the algorithm (Deflate, Columns). The kernel does the same operations in
// the same order. So the results have the same bits if division and square root are exact to the
// last bit.
//
// A step makes one column of W. The steps of poles, and of columns that a rotation has deflated,
// come first, in ascending order of d. The steps of the other deflated columns follow.
//
// in:      e, order     an index of order that is too large counts as the last one of its block
// in, out: merges       before: lo, n1 and n. After: also k, upper, lower, from = 0 and to = k
//          d            before: eigenvalues of the blocks. After: eigenvalues of the deflated
//                       columns, from index k on
//          first, last  before: first and last row of each block's vectors. After: first and last
//                       row of the merged block, for the deflated columns, from index k on
// out:     numbers      five arrays of `stride` elements. The first four have, for each pole, the
//                       pole, its weight, and the first and the last row of W. In the fifth array,
//                       element i has the factor ρ of merge i
//          row          row of S for each pole
//          src, dst     for each step the column of Q that is read, and the column of W that is
//                       written
//          rotations    two arrays of `stride` elements: cosine and sine of each step
//          chains       element t has the chain that begins with step t. If no chain begins with
//                       step t, the element has first = end
// between: merges       between two dispatches, k is the number of candidates (see the function
//                       prepare), and upper the number of steps whose weight is not negligible
// scratch: reals        four arrays of `stride` elements
//          words        three arrays of `stride` elements
//
// In all these arrays the elements of a merge begin at lo. The only exception is the fifth array of
// `numbers`. No two buffers may overlap. A NaN gives undefined results, but no access out of
// bounds.
//
// One invocation computes all rotations of a merge, so a dispatch rotates at most STEPS steps. A
// merge with more columns needs several dispatches, in the order of p.portion. The scratch arrays
// and `merges` keep the state of a merge from one dispatch to the next. The results do not depend
// on STEPS.
//
// Invocations of a workgroup load elements of the scratch arrays, of `merges`, d, `first` and
// `last` that other invocations store. In the Vulkan memory model a barrier orders such accesses
// only if they are not private.
//
// Grid: one workgroup per merge, in x and y.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "numerics.glsl"
#include "merge.glsl"
#include "chain.glsl"
#include "range.glsl"
#include "ulp.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup: a power of two.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// STEPS is the number of steps of each merge whose rotations one dispatch computes, at least 1.
layout(constant_id = 1) const uint STEPS = 16384;

#include "prefix.glsl"
#include "reduce.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer SharedMerges { nonprivate Merge at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer SharedInts { nonprivate int at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer SharedReals { nonprivate real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer IntsOut { int at[]; };

layout(push_constant, scalar) uniform Push {
	SharedMerges merges;
	Reals e;
	SharedReals d, first, last;
	Ints order;
	RealsOut numbers;
	IntsOut row;
	IntsOut src;
	IntsOut dst;
	RealsOut rotations;
	ChainsOut chains;
	SharedReals reals;
	SharedInts words;
	// The dispatch deflates the merges [first_merge, end). `stride` is the number of rows of T, and
	// the length of each array in `numbers`, `rotations`, `reals` and `words`.
	uint first_merge, end, stride;
	// The dispatch computes the rotations of steps [portion·STEPS, (portion + 1)·STEPS). The first
	// dispatch of a merge also orders the steps, and the last one also writes the results.
	uint portion;
} p;

// These constants are the sets of rows in which a column of the rotated vectors can have nonzero
// elements: the rows of the upper block, all rows, and the rows of the lower block.
const uint UPPER_ROWS = 0, ALL_ROWS = 1, LOWER_ROWS = 2;
// A step processes one column of the two blocks, in ascending order of their eigenvalues. JOINED is a
// bit in the state of a step. It says that a rotation has combined the column of this step with the
// column of the previous step. Steps that are joined form a chain.
const uint JOINED = 4;

// meet is a barrier of the workgroup that also orders the invocations' accesses to buffers.
void meet() {
	const int what = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
	const int how = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, what, how);
}

// m is the merge of this workgroup. Each array has room for m.n elements. Element i of `state`,
// `src` and the arrays step_… belongs to step i. `sorted` has the columns in ascending order of
// their eigenvalues. `candidates` has, in ascending order, the numbers of the steps whose column
// may have to be rotated with the column of the step before.
Merge m;
SharedReals step_d, step_z, step_first, step_last;
SharedInts sorted, candidates, state; // state: the set of rows of a step, and JOINED
IntsOut src;                         // the column of Q that a step reads
real_t tolerance;                    // the largest magnitude of an element that counts as zero

// first_begin has one step for each invocation: the first step of its range that begins a chain, or
// m.n if there is none.
shared uint first_begin[LOCAL_SIZE];

real_t value(uint c) { return p.d.at[m.lo + c]; }

// column returns the column whose eigenvalue has i − `begin` smaller ones before it in the sorted
// block of columns [begin, end).
uint column(uint i, uint begin, uint end) { return min(begin + uint(p.order.at[m.lo + i]), end - 1); }

// rank returns how many eigenvalues of the block [begin, end) are less than x, or also equal to x
// if `equal` is true.
uint rank(real_t x, uint begin, uint end, bool equal) {
	uint low = begin, high = end;
	while (low < high) {
		uint mid = (low + high) / 2;
		real_t v = value(column(mid, begin, end));
		if (v < x || equal && v == x) low = mid + 1;
		else high = mid;
	}
	return low - begin;
}

// sort writes the columns of both blocks to `sorted`, in ascending order of their eigenvalues.
// Columns with equal eigenvalues keep their order.
void sort() {
	for (uint i = gl_LocalInvocationIndex; i < m.n; i += LOCAL_SIZE) sorted.at[i] = 0;
	meet(); // first every element gets a value, because a NaN may leave elements unwritten below
	for (uint i = gl_LocalInvocationIndex; i < m.n; i += LOCAL_SIZE) {
		bool upper = i < m.n1;
		uint c = upper ? column(i, 0, m.n1) : column(i, m.n1, m.n);
		uint others = upper ? rank(value(c), m.n1, m.n, false) : rank(value(c), 0, m.n1, true);
		sorted.at[(upper ? i : i - m.n1) + others] = int(c);
	}
}

// weight returns element c of the vector z in the rank-one matrix ρ·z·zᵀ of the merge. `rho` is the
// torn element of T between the two blocks. In the lower block, z gets the sign of `rho`.
real_t weight(uint c, real_t rho) {
	if (c < m.n1) return p.last.at[m.lo + c] * ROOT_HALF;
	bool minus = (SPLIT(rho).y >> 31) != 0;
	return p.first.at[m.lo + c] * (minus ? -ROOT_HALF : ROOT_HALF);
}

// Numbers has the numbers of a step, which belongs to one vector of the two blocks: its eigenvalue
// d, its weight z, its first and last row, and the state of the step.
struct Numbers {
	real_t d, z, first, last;
	uint state;
};

Numbers load(uint a) {
	return Numbers(step_d.at[a], step_z.at[a], step_first.at[a], step_last.at[a], uint(state.at[a]));
}

void store(uint a, Numbers x) {
	step_d.at[a] = x.d, step_z.at[a] = x.z, step_first.at[a] = x.first, step_last.at[a] = x.last;
	state.at[a] = int(x.state);
}

// closes tells whether the eigenvalues of two neighbouring steps a and c are so close that a
// rotation may make the column of a an eigenvector of the merged block. It returns the rotation,
// and the new weight r of step c.
bool closes(real_t da, real_t za, real_t dc, real_t zc, out real_t cs, out real_t sn, out real_t r) {
	cs = 1.0, sn = 0.0, r = 0.0;
	if (abs((dc - da) * za * zc) > 2.0 * tolerance * (za * za + zc * zc)) return false;
	real_t large = max(abs(za), abs(zc)), small = min(abs(za), abs(zc));
	real_t q = small / large;
	r = large * sqrt(1.0 + q * q);
	cs = zc / r, sn = -za / r;
	return !(abs((dc - da) * cs * sn) > tolerance);
}

// This form of `closes` takes the numbers of steps a and a + 1 from memory, and returns no
// rotation.
bool closes(uint a) {
	real_t cs, sn, r;
	return closes(step_d.at[a], step_z.at[a], step_d.at[a + 1], step_z.at[a + 1], cs, sn, r);
}

// turn applies a rotation to the columns of steps a and a + 1, with the numbers x and y. Then the
// column of step a is deflated, and step a + 1 belongs to the same chain. turn stores the numbers
// of step a and returns those of step a + 1.
Numbers turn(uint a, Numbers x, Numbers y, real_t cs, real_t sn, real_t r) {
	p.rotations.at[m.lo + a] = cs;
	p.rotations.at[p.stride + m.lo + a] = sn;
	uint set_x = x.state & 3, set_y = y.state & 3;
	Numbers after = Numbers(x.d * sn * sn + y.d * cs * cs, r, cs * y.first - sn * x.first, cs * y.last - sn * x.last,
		JOINED | (set_x != set_y ? ALL_ROWS : set_y));
	x.d = x.d * cs * cs + y.d * sn * sn;
	x.first = cs * x.first + sn * y.first;
	x.last = cs * x.last + sn * y.last;
	store(a, x);
	return after;
}

// first_candidate returns the index of the first candidate that is at least `step`, or `count`, the
// number of candidates, if there is none. A candidate is a step whose column may have to be rotated
// with the column of the step before.
uint first_candidate(uint step, uint count) {
	uint low = 0, high = count;
	while (low < high) {
		uint mid = (low + high) / 2;
		if (uint(candidates.at[mid]) < step) low = mid + 1;
		else high = mid;
	}
	return low;
}

// rotate goes in order through the steps of this dispatch whose number is less than `steps`. It
// rotates two neighbouring columns if this deflates one of them. The `count` candidates are the
// steps whose column could be rotated with the previous one before any rotation. A rotation
// changes the numbers of the next step. So rotate examines only the candidates and the steps that
// follow a rotation. The last rotation of the previous dispatch counts, too. Only one invocation
// calls rotate. The numbers of the last step of a chain stay in registers, and the next step is
// loaded before it is needed. Otherwise each rotation would wait for the memory.
void rotate(uint steps, uint count) {
	uint begin = p.portion * STEPS, end = min(begin + STEPS, steps);
	uint settled = begin; // steps before this one cannot continue a chain any more
	bool follows = begin > 0 && begin < end && (uint(state.at[begin - 1]) & JOINED) != 0;
	for (uint i = first_candidate(begin, count); follows || i < count; follows = false) {
		uint t = follows ? begin : uint(candidates.at[i++]);
		if (t >= end) break;
		if (t < settled) continue;
		Numbers x = load(t - 1), y = load(t);
		bool turned = false;
		real_t cs, sn, r;
		while (t < end && closes(x.d, x.z, y.d, y.z, cs, sn, r)) {
			Numbers next = load(min(t + 1, steps - 1));
			x = turn(t - 1, x, y, cs, sn, r);
			y = next;
			turned = true;
			t++;
		}
		if (turned) store(t - 1, x);
		settled = t + 1;
	}
}

// begins tells whether a chain begins with step i. The steps from number `steps` on have a
// negligible weight, and each of them is a chain.
bool begins(uint i, uint steps) { return i >= steps || (uint(state.at[i]) & JOINED) == 0; }

// prepare sorts the columns of the merge; a step is a column in the sorted order. Columns with a
// negligible weight go to the end, and `steps` gets the number of columns before them. The
// candidates are the steps whose column may have to be rotated with the column of the step before,
// and `count` gets their number. Most merges have few candidates. `torn` is the element of T
// between the two blocks. Each invocation processes the steps [begin, end).
void prepare(real_t torn, uint begin, uint end, out uint steps, out uint count) {
	real_t rho = 2.0 * abs(torn);
	uvec4 all;
	sort();
	meet();

	// A column with a negligible weight z is an eigenvector of the merged block without any
	// rotation. Such steps come last.
	uint kept = 0;
	for (uint i = begin; i < end; i++) kept += uint(!(rho * abs(weight(uint(sorted.at[i]), torn)) <= tolerance));
	kept = before(uvec4(kept, 0, 0, 0), all).x;
	steps = all.x;
	for (uint i = begin; i < end; i++) {
		uint c = uint(sorted.at[i]);
		real_t z = weight(c, torn);
		bool keeps = !(rho * abs(z) <= tolerance), upper = c < m.n1;
		uint to = keeps ? kept : steps + i - kept;
		kept += uint(keeps);
		src.at[to] = int(c);
		step_d.at[to] = value(c);
		step_z.at[to] = z;
		step_first.at[to] = upper ? p.first.at[m.lo + c] : 0.0;
		step_last.at[to] = upper ? 0.0 : p.last.at[m.lo + c];
		state.at[to] = int(upper ? UPPER_ROWS : LOWER_ROWS);
	}
	meet();

	uint found = 0;
	for (uint i = max(begin, 1u); i < min(end, steps); i++) found += uint(closes(i - 1));
	found = before(uvec4(found, 0, 0, 0), all).x;
	count = all.x;
	for (uint i = max(begin, 1u); i < min(end, steps); i++) {
		if (closes(i - 1)) candidates.at[found++] = int(i);
	}
	meet();
}

void main() {
	uint index = p.first_merge + workgroup(), t = gl_LocalInvocationIndex, done = p.portion * STEPS;
	if (index >= p.end) return;
	m = p.merges.at[index];
	if (p.portion > 0 && done >= m.n) return;
	uint64_t reals = uint64_t(p.reals) + REAL_BYTES * m.lo, words = uint64_t(p.words) + 4 * m.lo;
	uint64_t real_array = REAL_BYTES * uint64_t(p.stride), word_array = 4 * uint64_t(p.stride);
	step_d = SharedReals(reals), step_z = SharedReals(reals + real_array);
	step_first = SharedReals(reals + 2 * real_array), step_last = SharedReals(reals + 3 * real_array);
	sorted = SharedInts(words), candidates = SharedInts(words + word_array), state = SharedInts(words + 2 * word_array);
	src = IntsOut(uint64_t(p.src) + 4 * m.lo);

	real_t torn = p.e.at[m.lo + m.n1 - 1], rho = 2.0 * abs(torn), largest = 0.0;
	for (uint c = t; c < m.n; c += LOCAL_SIZE) largest = max(largest, max(abs(value(c)), abs(weight(c, torn))));
	tolerance = 8.0 * EPS * group_max(largest);
	// Each invocation processes a range of columns, or of steps, in ascending order.
	uint share = (m.n + LOCAL_SIZE - 1) / LOCAL_SIZE, begin = min(t * share, m.n), end = min(begin + share, m.n);
	uint steps = m.upper, count = m.k;
	if (p.portion == 0) prepare(torn, begin, end, steps, count);
	if (t == 0) rotate(steps, count);
	if (m.n - done > STEPS) { // the next dispatch rotates the remaining columns
		m.upper = steps, m.k = count;
		if (t == 0) p.merges.at[index] = m;
		return;
	}
	meet();

	// Number the columns of the rotated vectors W: first the poles, ordered by the rows in which
	// they can be nonzero (upper half, both halves, lower half), then the deflated columns.
	uvec4 sets = uvec4(0); // poles of each set of rows, and deflated columns
	for (uint i = begin; i < end; i++) {
		bool deflated = i >= steps || i + 1 < steps && (uint(state.at[i + 1]) & JOINED) != 0;
		sets[deflated ? 3 : uint(state.at[i]) & 3]++;
	}
	uvec4 all, at = before(sets, all);
	uint k = m.n - all.w;
	uvec3 base = uvec3(0, all.x, all.x + all.y);
	uint64_t numbers = uint64_t(p.numbers) + REAL_BYTES * m.lo;
	for (uint i = begin; i < end; i++) {
		bool deflated = i >= steps || i + 1 < steps && (uint(state.at[i + 1]) & JOINED) != 0;
		uint set = uint(state.at[i]) & 3;
		if (deflated) {
			uint to = k + at.w++;
			p.dst.at[m.lo + i] = int(to);
			p.d.at[m.lo + to] = step_d.at[i];
			p.first.at[m.lo + to] = step_first.at[i];
			p.last.at[m.lo + to] = step_last.at[i];
		} else {
			uint pole = i - at.w, to = base[set] + at[set]++;
			p.dst.at[m.lo + i] = int(to);
			p.row.at[m.lo + pole] = int(to);
			RealsOut(numbers).at[pole] = step_d.at[i];
			RealsOut(numbers + real_array).at[pole] = step_z.at[i];
			RealsOut(numbers + 2 * real_array).at[pole] = step_first.at[i];
			RealsOut(numbers + 3 * real_array).at[pole] = step_last.at[i];
		}
	}

	// For each chain, the following loops need the first step of the next chain, which is where the
	// chain ends. So an invocation goes through its range of steps from the end. `next` is the
	// first step of the chain after step i.
	uint next = m.n;
	for (uint i = end; i-- > begin;) {
		if (begins(i, steps)) next = i;
	}
	first_begin[t] = next;
	barrier();
	next = m.n;
	for (uint other = t + 1; other < LOCAL_SIZE && next == m.n; other++) next = first_begin[other];
	for (uint i = end; i-- > begin;) {
		bool first = begins(i, steps);
		p.chains.at[m.lo + i] = Chain(index, i, first ? next : i);
		if (first) next = i;
	}
	if (t > 0) return;
	RealsOut(uint64_t(p.numbers) + 4 * real_array).at[index] = rho;
	m.k = k, m.upper = all.x + all.y, m.lower = all.x, m.from = 0, m.to = k;
	p.merges.at[index] = m;
}
