// float64 only
//
// stemr_vector computes eigenvectors of representations by twisted factorisations (LAPACK dlar1v,
// dlarrv). A dispatch does one step of a Rayleigh quotient iteration for each vector.
//
// in:      tasks, reps  representations with leading dimension ld
//          column       vector i < count is column column[i] of the result x
//          gap          distance of eigenvalue i from its neighbours
// in, out: lo, hi       an interval that contains the eigenvalue
//          lambda       before: the λ at which this step factors. With FRESH or LAST it is not
//                       read: the step factors at the middle of the interval. After: the λ of the
//                       next step, or the eigenvalue of a vector that is finished
//          done         not 0: the vector is finished, and the step skips it; not read with FRESH
// out:     residual     ‖(L·D·Lᵀ − λ·I)·z‖ of the finished vectors
//          x            component r of vector c at c + r·ldx, n components, 0 outside the block;
//                       undefined while the vector is not finished
// work:    s            count numbers for each row
//
// flags is the sum of FRESH (the first step), LAST (all vectors are finished after this step) and
// HALVES (the next λ is the middle of the interval). A vector is finished in three cases: its
// residual is too small to matter to its neighbours, or its λ cannot improve, or LAST is set.
//
// The time of a step is the latency of a chain of dependent divisions, down the rows and up again.
// So two neighbouring invocations share the chain of a vector. Invocation D goes down the rows with
// the stationary transform. Invocation U goes up the rows with the progressive transform. D and U
// meet in the middle. Then D goes on through the lower rows and U through the upper rows. Each of
// them finds there the numbers that its partner has stored, and looks for the row of the twist.
// From the twist, both go through the rows again, in opposite directions. Where D and U differ, the
// code selects between two values instead of branching. So D and U run in lockstep.
//
// This table says which invocation accesses which rows between two calls of exchanged(). approach,
// part, solve and normalise are the functions of these parts:
//
//	           s, rows < n/2   s, rows ≥ n/2        x (U⁻, then z)
//	approach   D writes        U writes             U writes rows > n/2
//	part       U reads         D reads, overwrites  U writes rows ≤ n/2
//	solve      D reads         D reads              D writes rows ≤ twist, U rewrites other rows
//	normalise                                       D has rows < n/2, U has other rows
//
// No invocation loads in advance a row that belongs to its partner, not even if it would ignore the
// loaded number. Both invocations read done, lo, hi and lambda at the beginning, and D writes them
// at the end. A barrier orders these reads before these writes only if both are nonprivate. With
// private accesses, a compiler may load the number again after the barrier.
//
// The invocations of a workgroup go through the rows together, so that accesses to neighbouring
// vectors are contiguous. A vector is undefined if its representation has a NaN. No two buffers may
// overlap.
//
// Grid: two invocations per vector, in x and y.
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "numerics_f64.glsl"
#include "representation.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup: an even number.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

// The elements are declared nonprivate, because two invocations share a vector: one of them reads
// elements that the other one has written.
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer Shared { nonprivate real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer SharedWords { nonprivate uint at[]; };

layout(push_constant, scalar) uniform Push {
	Tasks tasks;
	MatrixIn reps;
	Words column;
	MatrixIn gap;
	Shared lo, hi, lambda;
	MatrixOut residual;
	SharedWords done;
	Shared s, x;
	// ld is the leading dimension of reps, at least 2. lds is that of s, at least `count`. ldx is
	// that of x, at least the number of all vectors in x. n is the order of the matrix, and count
	// the number of vectors of this dispatch.
	uint ld, lds, ldx, n, count;
	uint flags;
} p;

// FRESH   is set in the first step of the vectors
// LAST    is set if all vectors are finished after this step
// HALVES  is set if the next λ is the middle of the interval
#pragma host FRESH LAST HALVES
const uint FRESH = 1, LAST = 2, HALVES = 4;

// A Column is a column of numbers in memory: the address `base` of its number in row 0, and the
// distance `stride` between rows in bytes.
struct Column { uint64_t base, stride; };

work_t get(Column c, uint i) { return Shared(c.base + c.stride * i).at[0]; }

void put(Column c, uint i, work_t v) { Shared(c.base + c.stride * i).at[0] = v; }

// A Found is the best candidate for the twist, the row with the smallest |γ|: `twist` is this row
// among the examined ones, `gamma` is its γ, `least` is |γ|, and `below` is the number of
// eigenvalues below λ.
struct Found { work_t gamma, least; uint twist, below; };

// These arrays pass values between the two invocations of a vector.
shared uint counted[LOCAL_SIZE];
shared work_t summed[LOCAL_SIZE];
shared Found found[LOCAL_SIZE];

// `self` is the number of this invocation in the workgroup, and `other` that of its partner. `down`
// is true for the invocation that goes down the rows.
uint self() { return gl_LocalInvocationIndex; }
uint other() { return self() ^ 1; }
bool down() { return self() % 2 == 0; }

// exchanged is a barrier that makes the data of an invocation visible to its partner. All
// invocations of a workgroup must call it.
void exchanged() {
	const int what = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
	const int how = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, what, how);
}

// row returns the k-th row that this invocation visits.
uint row(Representation r, uint k) { return down() ? k : r.n - 1 - k; }

// pair_of returns the k-th row of the representation that this invocation visits, or the last one
// if k is too large.
Pair pair_of(Representation r, uint k) { return pair(r, row(r, min(k, r.n - 1))); }

// A Walk is the state of a transform: a number t, and the number of negative pivots so far. On the
// way down, t is s̃ of the next row. On the way up, t is p of the row visited last.
struct Walk { work_t t; uint negative; };

// visit updates the transform w by the row a, the k-th row that this invocation visits. It returns
// the element of U⁻ for this row, which only the invocation that goes up uses.
work_t visit(inout Walk w, uint k, Pair a, work_t lambda) {
	work_t d = a.d, l = a.l, ld = l * d, lld = l * ld;
	bool top = down();
	work_t shifted = w.t - lambda;
	work_t pivot = top ? d + shifted : lld + w.t;
	work_t quotient = (top ? ld : d) / pivot;
	work_t next = top ? (quotient * l) * shifted : w.t * quotient - lambda;
	if (quotient == 0 || isnan(next)) next = top ? lld : d - lambda; // the pivot was infinite
	bool begins = !top && k == 0; // the way up begins in the last row, where there is no pivot yet
	w.t = begins ? d - lambda : next;
	if (!begins && pivot < 0) w.negative++;
	return l * quotient;
}

// approach runs the transform of this invocation from one end of the matrix to the middle row. The
// invocation that goes down runs the stationary transform over the first n/2 rows, rounded down. The
// invocation that goes up runs the progressive transform over the other rows.
void approach(Representation r, Column s, Column u_, work_t lambda, inout Walk w) {
	uint end = down() ? r.n / 2 : r.n - r.n / 2;
	Pair next[AHEAD];
	[[unroll]] for (uint u = 0; u < AHEAD; u++) next[u] = pair_of(r, u);
	for (uint k = 0; k < end; k += AHEAD) {
		Pair now[AHEAD] = next;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) next[u] = pair_of(r, k + AHEAD + u);
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			if (k + u < end) {
				uint i = row(r, k + u);
				work_t before = w.t, v = visit(w, k + u, now[u], lambda);
				put(s, i, down() ? before : w.t);
				if (!down() && k + u > 0) put(u_, i + 1, v);
			}
		}
	}
}

// part continues this invocation's transform through the partner's rows, where s holds the state of
// the partner's transform. It stores s̃ to s and U⁻ to u_. If two rows are equally good for the
// twist, the lower row is chosen. The invocation that goes up reaches the lower row first, and the
// invocation that goes down reaches it last.
//
// The number of eigenvalues below λ is the number of negative pivots of the twisted factorisation:
// the pivots of D⁺ above the twist, the pivots of D⁻ below the twist, and γ. At row i, w.negative
// counts the negative pivots on the side that this invocation comes from. The variable `others`
// counts the negative pivots on the other side. It starts as the partner's count at the middle.
// Each row that this invocation passes removes one of the partner's pivots. This pivot is computed
// again, from the same numbers by the same operations as in the function `visit`. So it has the
// same sign, even if it is NaN. On the way down, the pivot between rows i−1 and i is passed at row
// i. The pivot between rows n/2−1 and n/2 was never counted.
Found part(Representation r, Column s, Column u_, work_t lambda, inout Walk w, uint others) {
	Found best = Found(0, infinity(), 0, 0);
	uint begin = down() ? r.n / 2 : r.n - r.n / 2;
	work_t lld = 0; // l·l·d of the previous row
	Pair next[AHEAD];
	work_t nexts[AHEAD];
	[[unroll]] for (uint u = 0; u < AHEAD; u++) {
		next[u] = pair_of(r, begin + u);
		nexts[u] = begin + u < r.n ? get(s, row(r, begin + u)) : work_t(0);
	}
	for (uint k = begin; k < r.n; k += AHEAD) {
		Pair now[AHEAD] = next;
		work_t nows[AHEAD] = nexts;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			next[u] = pair_of(r, k + AHEAD + u);
			nexts[u] = k + AHEAD + u < r.n ? get(s, row(r, k + AHEAD + u)) : work_t(0);
		}
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			if (k + u < r.n) {
				uint i = row(r, k + u);
				work_t theirs = nows[u], mine = w.t;
				uint above = w.negative;
				work_t v = visit(w, k + u, now[u], lambda);
				// The partner's count contains the negative pivots of rows that this invocation
				// reaches only now. If the pivot of this row is negative, it must not count twice.
				work_t passed = down() ? lld + theirs : now[u].d + (theirs - lambda);
				if (passed < 0 && !(down() && k + u == begin)) others--;
				lld = now[u].l * (now[u].l * now[u].d);
				work_t gamma = down() ? mine + theirs : theirs + w.t;
				if (down()) put(s, i, mine);
				else if (k + u > 0) put(u_, i + 1, v);
				if (abs(gamma) < best.least || down() && abs(gamma) == best.least && best.least < infinity()) {
					best = Found(gamma, abs(gamma), i, (down() ? above : w.negative) + others + (gamma < 0 ? 1 : 0));
				}
			}
		}
	}
	return best;
}

work_t coupling(Representation r, uint i) {
	Pair a = pair(r, i);
	return a.l * a.d;
}

// solve computes the vector z with z = 1 at the twist. Before, z holds the elements of U⁻ below the
// twist. The invocation that goes down computes the rows above the twist, and its partner those
// below. solve returns the sum of squares of this invocation's elements.
work_t solve(Representation r, Column s, Column z, work_t lambda, uint twist) {
	work_t sum = 0, z1 = 1, z2 = 0; // z of the last computed row, and of the row computed before it
	bool above = down();
	Column from = above ? s : z;
	// Above the twist, step k computes z in row n−2−k from z in row n−1−k. Below the twist, step k
	// computes z in row k+1 from z in row k.
	Pair next[AHEAD];
	work_t nexts[AHEAD];
	if (r.n > 0 && above) put(z, twist, 1);
	[[unroll]] for (uint u = 0; u < AHEAD; u++) {
		uint i = above ? r.n - 2 - u : u;
		bool reads = u + 1 < r.n && (above ? i < twist : i >= twist);
		next[u] = pair(r, reads ? i : 0);
		nexts[u] = reads ? get(from, above ? i : i + 1) : work_t(0);
	}
	for (uint k = 0; k + 1 < r.n; k += AHEAD) {
		Pair now[AHEAD] = next;
		work_t nows[AHEAD] = nexts;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			uint l = k + AHEAD + u, i = above ? r.n - 2 - l : l;
			bool reads = l + 1 < r.n && (above ? i < twist : i >= twist);
			next[u] = pair(r, reads ? i : 0);
			nexts[u] = reads ? get(from, above ? i : i + 1) : work_t(0);
		}
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			uint i = above ? r.n - 2 - (k + u) : k + u;
			if (k + u + 1 < r.n && (above ? i < twist : i >= twist)) {
				work_t ldi = now[u].l * now[u].d;
				work_t lp = above ? ldi / (now[u].d + (nows[u] - lambda)) : nows[u];
				work_t v = -(lp * z1);
				if (z1 == 0 && (above ? i + 2 <= twist : i >= twist + 1)) {
					v = -(coupling(r, above ? i + 1 : i - 1) / ldi) * z2;
				}
				put(z, above ? i : i + 1, v);
				sum += v * v;
				z2 = z1;
				z1 = v;
			}
		}
	}
	return sum;
}

// normalise multiplies z by `scale` and sets the rows outside the block to zero. Each of the two
// invocations has one half of the rows.
void normalise(Task t, Column z, Column whole, work_t scale) {
	uint n = t.hi - t.lo, begin = down() ? 0 : n / 2, end = down() ? n / 2 : n;
	work_t nexts[AHEAD];
	[[unroll]] for (uint u = 0; u < AHEAD; u++) nexts[u] = begin + u < end ? get(z, begin + u) : work_t(0);
	for (uint k = begin; k < end; k += AHEAD) {
		work_t nows[AHEAD] = nexts;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) nexts[u] = k + AHEAD + u < end ? get(z, k + AHEAD + u) : work_t(0);
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			if (k + u < end) put(z, k + u, nows[u] * scale);
		}
	}
	begin = down() ? 0 : t.hi;
	end = down() ? t.lo : p.n;
	for (uint k = begin; k < end; k++) put(whole, k, 0);
}

void main() {
	uint i = workgroup() * (LOCAL_SIZE / 2) + self() / 2;
	bool fresh = (p.flags & FRESH) != 0, last = (p.flags & LAST) != 0;
	bool busy = i < p.count && (fresh || p.done.at[i] == 0);
	Task t = Task(0, 0, ROOT, 0, 0);
	uint column = 0;
	work_t lo = 0, hi = 0, lambda = 0;
	if (busy) {
		t = p.tasks.at[i];
		column = p.column.at[i];
		lo = p.lo.at[i];
		hi = p.hi.at[i];
		lambda = fresh || last ? work_t(0.5) * (lo + hi) : p.lambda.at[i];
	}
	Representation r = representation(uint64_t(p.reps), t, t.slot, p.ld);
	Column s = Column(element(uint64_t(p.s), i, t.lo, p.lds), uint64_t(p.lds) * REAL_BYTES);
	Column z = Column(element(uint64_t(p.x), column, t.lo, p.ldx), uint64_t(p.ldx) * REAL_BYTES);

	Walk w = Walk(0, 0);
	if (busy) approach(r, s, z, lambda, w);
	counted[self()] = w.negative;
	exchanged();
	if (busy) found[self()] = part(r, s, z, lambda, w, counted[other()]);
	exchanged();
	Found upper = found[self() | 1], best = found[self() & ~1];
	if (upper.least < best.least) best = upper;
	if (busy) summed[self()] = solve(r, s, z, lambda, best.twist);
	exchanged();
	if (!busy) return;

	work_t norm2 = (1 + summed[self() & ~1]) + summed[self() | 1];
	work_t correction = best.gamma / norm2, residual = abs(best.gamma) / sqrt(norm2);
	work_t next = lambda + correction;
	bool finished = residual <= 2 * ulp() * p.gap.at[i] || abs(correction) <= ulp() * abs(lambda) || last;
	if (finished) {
		if (lo <= next && next <= hi) lambda = next;
		lo = lambda;
		hi = lambda;
		normalise(t, z, Column(element(uint64_t(p.x), column, 0, p.ldx), z.stride), 1 / sqrt(norm2));
	} else {
		if (best.below > t.index) hi = lambda;
		else lo = lambda;
		if (!(lo <= next && next <= hi) || (p.flags & HALVES) != 0) next = work_t(0.5) * (lo + hi);
		lambda = next;
	}
	if (!down()) return;
	p.lo.at[i] = lo;
	p.hi.at[i] = hi;
	p.lambda.at[i] = lambda;
	p.done.at[i] = finished ? 1 : 0;
	if (finished) p.residual.at[i] = residual;
}
