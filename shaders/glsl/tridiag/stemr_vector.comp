// float64 only
//
// stemr_vector finds eigenvectors of representations by twisted factorisations (LAPACK dlar1v,
// dlarrv): one step of a Rayleigh quotient iteration.
//
// in:      tasks, reps  reps with leading dimension ld
//          column       vector i < count is column column[i] of the result
//          gap          distance of eigenvalue i from its neighbours
// in, out: lo, hi       an interval with the eigenvalue inside
//          lambda       where this step factors; with FRESH and LAST it is the middle of the
//                       interval instead. After the step: where the next one factors, or the
//                       eigenvalue of a vector that is finished
//          done         not 0: the vector is finished, and is skipped; FRESH ignores it
// out:     residual     ‖(L·D·Lᵀ − λ·I)·z‖ of those that are finished
//          x            component r of vector c at c + r·ldx; n of them, 0 outside the block;
//                       undefined while the vector is not finished
// work:    s            count numbers for each row
//
// flags is the sum of FRESH (the first step), LAST (all vectors are finished after it) and HALVES
// (the next λ is the middle of the interval). A vector is finished if its residual is too small to
// matter to its neighbours, if its λ cannot improve, or with LAST.
//
// The time of a step is the latency of its rows: a chain of dependent divisions, down the rows and
// up again. So two neighbouring invocations share the chain of a vector. One goes down, with the
// stationary transform. The other goes up, with the progressive transform. They meet in the middle.
// Then each goes on through the rows where the other has been, finds there what the other has
// stored, and looks for the twist. From the twist they go on in both directions again. All that
// differs between the two is chosen by selection instead of branches, so that they run in lockstep.
//
// Which invocation accesses which rows, between two calls of exchanged(); D goes down, U goes up:
//
//	          s, rows < n/2   s, rows ≥ n/2        x (U⁻, then z)
//	approach  D writes        U writes             U writes rows > n/2
//	part      U reads         D reads, overwrites  U writes rows ≤ n/2
//	solve     D reads         D reads              D writes rows ≤ twist, U rewrites the rest
//	the end                                        D has rows < n/2, U the others
//
// No invocation loads rows ahead that belong to the other one, not even if it ignores them. Both
// invocations read done, lo, hi and lambda at first, and D writes them at the end. Such a read is
// ordered before such a write only if neither is private: otherwise a compiler may load the number
// again, after the barrier.
//
// The invocations of a workgroup go through the rows together, so that accesses to neighbouring
// vectors are contiguous. NaN: a vector of a representation with NaN is undefined. No two buffers
// may overlap.
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

// One invocation of a pair writes elements that the other one reads, so the elements are not
// private.
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
	// The leading dimension ld of reps is at least 2, lds of s at least count, and ldx of x at
	// least the number of all vectors. n is the order of the matrix, and count the number of
	// vectors of this dispatch.
	uint ld, lds, ldx, n, count;
	// flags is the sum of those constants FRESH, LAST and HALVES that apply.
	uint flags;
} p;

// FRESH   the first step of these vectors
// LAST    all vectors are finished after this step
// HALVES  the next λ is the middle of the interval
#pragma host FRESH LAST HALVES
const uint FRESH = 1, LAST = 2, HALVES = 4;

// A Column has the address of its number in row 0, and the distance from one row to the next in
// bytes (stride).
struct Column { uint64_t base, stride; };

// get and put load and store number i of a column.
work_t get(Column c, uint i) { return Shared(c.base + c.stride * i).at[0]; }

void put(Column c, uint i, work_t v) { Shared(c.base + c.stride * i).at[0] = v; }

// A Found is a candidate for the twist: among the rows that were examined, the row with the
// smallest |γ|, which is least. below is the number of eigenvalues below λ.
struct Found { work_t gamma, least; uint twist, below; };

// counted and the variables after it carry values between the two invocations of a pair.
shared uint counted[LOCAL_SIZE];
shared work_t summed[LOCAL_SIZE];
shared Found found[LOCAL_SIZE];

// self returns the number of this invocation in the workgroup, and other that of its partner in the
// pair. down is true for the invocation that goes down.
uint self() { return gl_LocalInvocationIndex; }
uint other() { return self() ^ 1; }
bool down() { return self() % 2 == 0; }

// exchanged makes the data that each invocation has stored visible to the other one of its pair.
// All invocations of a workgroup call it.
void exchanged() {
	const int what = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
	const int how = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, what, how);
}

// row returns the row that this invocation reaches as its k-th.
uint row(Representation r, uint k) { return down() ? k : r.n - 1 - k; }

// pair_of returns the k-th row of the representation, or its last if k is past it.
Pair pair_of(Representation r, uint k) { return pair(r, row(r, min(k, r.n - 1))); }

// A Walk is the state of a transform: the number t, and the number of negative pivots so far. Going
// down, t is s̃ of the next row. Going up, t is p of the progressive transform, of the row before.
struct Walk { work_t t; uint negative; };

// visit takes a transform over its k-th row, and returns U⁻ of that row, which only the invocation
// that goes up uses.
work_t visit(inout Walk w, uint k, Pair a, work_t lambda) {
	work_t d = a.d, l = a.l, ld = l * d, lld = l * ld;
	bool top = down();
	work_t shifted = w.t - lambda;
	work_t pivot = top ? d + shifted : lld + w.t;
	work_t quotient = (top ? ld : d) / pivot;
	work_t next = top ? (quotient * l) * shifted : w.t * quotient - lambda;
	if (quotient == 0 || isnan(next)) next = top ? lld : d - lambda; // the pivot was infinite
	bool begins = !top && k == 0; // in the last row there is no pivot yet
	w.t = begins ? d - lambda : next;
	if (!begins && pivot < 0) w.negative++;
	return l * quotient;
}

// approach takes the transforms to the middle, where they meet: n/2 rows, or one more for the
// invocation that goes up if n is odd.
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

// part goes on through the other invocation's rows, where s holds that one's state. It stores s̃ to
// s and U⁻ to u_. If two rows are equally good, the twist is the lower one: the invocation that
// goes up reaches that first, the one that goes down reaches it last.
//
// The number of eigenvalues below λ is the number of negative pivots of the twisted factorisation:
// of D⁺ above the row, of D⁻ below it, and γ. At row i of part, w counts those on the side that
// this invocation comes from: of rows < i, or after the visit of i those of rows > i. others starts
// as the other invocation's count, taken in the middle. Every row that is passed removes one pivot
// from it. That pivot is computed again, from the same numbers by the same operations as in visit,
// hence with the same sign, even if it is NaN. Going down, the pivot between rows i−1 and i is
// passed at row i; the one between n/2−1 and n/2 was never counted.
Found part(Representation r, Column s, Column u_, work_t lambda, inout Walk w, uint others) {
	Found best = Found(0, infinity(), 0, 0);
	uint begin = down() ? r.n / 2 : r.n - r.n / 2;
	work_t lld = 0; // l·l·d of the row before
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
				// The pivot that the other invocation counted on this side of the row is removed.
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

// coupling returns l·d of row i.
work_t coupling(Representation r, uint i) {
	Pair a = pair(r, i);
	return a.l * a.d;
}

// solve computes z with z = 1 at the twist. Before, z holds U⁻ below the twist. The invocation that
// goes down computes the rows above the twist, the other one those below. It returns the sum of
// squares of the elements that this invocation has computed.
work_t solve(Representation r, Column s, Column z, work_t lambda, uint twist) {
	work_t sum = 0, z1 = 1, z2 = 0; // z of the last row, and of the one before it
	bool above = down();
	Column from = above ? s : z;
	// Step k computes row n−2−k from the z of row n−1−k, or row k+1 from that of row k.
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

// normalise multiplies z by scale, each invocation one half, and sets the rows outside the block to
// zero.
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
