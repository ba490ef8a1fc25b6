// sytd2_batch reduces many symmetric or Hermitian matrices to tridiagonal form, T = QᴴAQ (LAPACK
// dsytd2, zhetd2). One workgroup processes one matrix. A dispatch eliminates the columns [from, to)
// of each matrix.
//
// complex
//
// in:      matrices  the matrices [first, first + count), of order 3 … ORDER
// in, out: a         before the first dispatch (from = 0) one triangle of each matrix. At the end,
//                    column k has below the diagonal the vector v of reflector k, I − τ·v·vᴴ, with
//                    v(k+1) = 1. The other elements are undefined
//          states    status and exponent, set by the first dispatch
// out:     d, e, tau from element matrix.at on: T, which is real, and the factors τ of the
//                    reflectors. For complex numbers, the last off-diagonal element is made real
//                    by its phase, which is element n − 2 of tau: Q is the product of the
//                    reflectors and of diag(1, …, 1, phase)
//
// A matrix is scaled by a power of two to entries below 1 in magnitude. A matrix with a NaN or an
// infinity becomes zero, and its status becomes NONFINITE. If all entries of a column below the
// subdiagonal are negligible, they count as zero.
//
// For each column the kernel makes one pass over both triangles of the trailing matrix, which
// computes the product A·v. The updates of rank two, A − v·wᴴ − w·vᴴ, are done for NB columns
// together, by the pass of the next column; until then, they are applied to each product (LAPACK
// dlatrd). An invocation has TOGETHER rows at a time, and every TEAMS-th column of them. The bits
// depend on n, LOCAL_SIZE, LANES, TEAMS and NB.
//
// Invocations of a workgroup load elements of a that other invocations store. In the Vulkan memory
// model a barrier orders such accesses only if they are not private. No workgroup accesses the data
// of another workgroup.
//
// Grid: in x and y, one workgroup for each matrix.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "numerics.glsl"
#include "index.glsl"
#include "scale.glsl"
#include "larfg.glsl"
#include "scaling.glsl"
#include "problem.glsl"
#include "tridiag/range.glsl"
#include "meet.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a multiple of TEAMS.
layout(constant_id = 0) const uint LOCAL_SIZE = 256;
layout(constant_id = 1) const uint ORDER = 256;
// TEAMS is the number of invocations that share a row of the matrix; each of them has every
// TEAMS-th column.
layout(constant_id = 2) const uint TEAMS = 1;
// TOGETHER is the number of rows of the trailing matrix that an invocation processes at the same
// time.
layout(constant_id = 3) const uint TOGETHER = 1;
// NB is the number of columns of a block, whose updates are done together.
layout(constant_id = 4) const uint NB = 1;
// LANES is the number of neighbouring invocations that add up numbers by shuffles: a power of two,
// at most the size of a subgroup. LOCAL_SIZE is a multiple of LANES.
layout(constant_id = 5) const uint LANES = 32;
#include "reduce_clusters.glsl"

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	States states;
	SharedReals a;
	RealsOut d, e;
	MatrixOut tau;
	// first, count  the dispatch processes the matrices [first, first + count)
	// from, to      the dispatch eliminates the columns [from, to), to ≤ largest order − 2. `from`
	//               is a multiple of NB
	uint first, count, from, to;
} p;

const uint ROWS = LOCAL_SIZE / TEAMS;
// AHEAD is the number of columns that an invocation loads before it uses the first of them.
const uint AHEAD = TOGETHER > 1 ? 1 : 8;
const uint TILE = 16;

// v and w have the vectors of a block of columns, ORDER elements each. The array v has one vector
// more, because the next block begins before the updates of this one are done. A team is the ROWS
// invocations that have the same columns of A. `parts` has one product A·v for each team, over the
// columns of the team. `dots` has products vᴴ·v(now) and wᴴ·v(now) of the vectors of the block:
// DOT_LANES partial sums of each, and `dot` the sums.
const uint DOT_LANES = 16;
shared scalar_t v[(NB + 1) * ORDER], w[NB * ORDER], parts[TEAMS * ORDER];
shared scalar_t dots[2 * NB * DOT_LANES], dot_[2 * NB];
shared scalar_t tile[TILE * (TILE + 1)];

SharedReals a;
uint n, t;

#ifdef COMPLEX
BatchMatrix m;
#endif

#include "triangle.glsl"

// prepare scales the matrix by a power of two, and copies its stored triangle to the other one.
void prepare(BatchMatrix m, uint index) {
	bool upper = upper_of(m);
	real_t most = largest(upper);
	int exponent = exponent_for(max(most, 0.0));
	mirror(upper, scale_for(exponent), most < 0.0);
	if (t == 0) {
		p.states.at[index].status = most < 0.0 ? NONFINITE : GOOD;
		p.states.at[index].exponent = exponent;
	}
}

// slot returns the index in v of vector q of the block whose first vector is at `base`.
uint slot(uint base, uint q) { return (base + q) % (NB + 1) * ORDER; }

// updated returns x, element (i, j) of the matrix in memory, after the updates of the first `count`
// columns of the block at `base`.
scalar_t updated(scalar_t x, uint i, uint j, uint base, uint count) {
	for (uint q = 0; q < count; q++) {
		uint at = slot(base, q);
		x = mad(-v[at + i], conjugate(w[q * ORDER + j]), mad(-w[q * ORDER + i], conjugate(v[at + j]), x));
	}
	return real_if(i == j, x);
}

// multiply multiplies the rows and columns of the matrix from k + 1 on by the vector at element
// `now` of v, and stores the partial products to `parts`.
void multiply(uint k, uint now) {
	uint team = t / ROWS, begin = (k + 1) / 16 * 16;
	for (uint first = begin + t % ROWS; first < n; first += TOGETHER * ROWS) {
		if (TOGETHER == 1 && first <= k) continue;
		bool live[TOGETHER]; // whether the row belongs to the trailing matrix
		scalar_t sum[TOGETHER];
		[[unroll]] for (uint r = 0; r < TOGETHER; r++) {
			uint i = first + r * ROWS;
			live[r] = TOGETHER == 1 || i > k && i < n;
			sum[r] = scalar_t(0);
		}
		uint j = k + 1 + team;
		for (; j + (AHEAD - 1) * TEAMS < n; j += AHEAD * TEAMS) {
			scalar_t x[TOGETHER * AHEAD];
			[[unroll]] for (uint q = 0; q < AHEAD; q++) {
				[[unroll]] for (uint r = 0; r < TOGETHER; r++) {
					x[q * TOGETHER + r] = live[r] ? a.at[(j + q * TEAMS) * n + first + r * ROWS] : scalar_t(0);
				}
			}
			[[unroll]] for (uint q = 0; q < AHEAD; q++) {
				scalar_t by = v[now + j + q * TEAMS];
				[[unroll]] for (uint r = 0; r < TOGETHER; r++) sum[r] = mad(x[q * TOGETHER + r], by, sum[r]);
			}
		}
		for (; j < n; j += TEAMS) {
			scalar_t by = v[now + j];
			[[unroll]] for (uint r = 0; r < TOGETHER; r++) {
				if (live[r]) sum[r] = mad(a.at[j * n + first + r * ROWS], by, sum[r]);
			}
		}
		[[unroll]] for (uint r = 0; r < TOGETHER; r++) {
			if (live[r]) parts[team * ORDER + first + r * ROWS] = sum[r];
		}
	}
}

// update is `multiply` after the updates of the NB columns of the block at `base`. Diagonal elements
// of complex matrices are real in the product, too, as they are after a load. So the bits do not
// depend on where a dispatch ends.
void update(uint k, uint base, uint now) {
	uint team = t / ROWS, begin = (k + 1) / 16 * 16;
	for (uint first = begin + t % ROWS; first < n; first += TOGETHER * ROWS) {
		if (TOGETHER == 1 && first <= k) continue;
		bool live[TOGETHER];
		scalar_t vi[TOGETHER * NB], wi[TOGETHER * NB], sum[TOGETHER];
		[[unroll]] for (uint r = 0; r < TOGETHER; r++) {
			uint i = first + r * ROWS;
			live[r] = TOGETHER == 1 || i > k && i < n;
			sum[r] = scalar_t(0);
			[[unroll]] for (uint b = 0; b < NB; b++) {
				vi[r * NB + b] = live[r] ? v[slot(base, b) + i] : scalar_t(0);
				wi[r * NB + b] = live[r] ? w[b * ORDER + i] : scalar_t(0);
			}
		}
		uint j = k + 1 + team;
		for (; j + (AHEAD - 1) * TEAMS < n; j += AHEAD * TEAMS) {
			scalar_t x[TOGETHER * AHEAD];
			[[unroll]] for (uint q = 0; q < AHEAD; q++) {
				[[unroll]] for (uint r = 0; r < TOGETHER; r++) {
					x[q * TOGETHER + r] = live[r] ? a.at[(j + q * TEAMS) * n + first + r * ROWS] : scalar_t(0);
				}
			}
			[[unroll]] for (uint q = 0; q < AHEAD; q++) {
				uint c = j + q * TEAMS;
				[[unroll]] for (uint b = 0; b < NB; b++) {
					scalar_t wc = conjugate(w[b * ORDER + c]), vc = conjugate(v[slot(base, b) + c]);
					[[unroll]] for (uint r = 0; r < TOGETHER; r++) {
						x[q * TOGETHER + r] = mad(-vi[r * NB + b], wc, mad(-wi[r * NB + b], vc, x[q * TOGETHER + r]));
					}
				}
				scalar_t by = v[now + c];
				[[unroll]] for (uint r = 0; r < TOGETHER; r++) {
					if (live[r]) a.at[c * n + first + r * ROWS] = real_if(c == first + r * ROWS, x[q * TOGETHER + r]);
					sum[r] = mad(real_if(c == first + r * ROWS, x[q * TOGETHER + r]), by, sum[r]);
				}
			}
		}
		for (; j < n; j += TEAMS) {
			scalar_t by = v[now + j];
			[[unroll]] for (uint r = 0; r < TOGETHER; r++) {
				if (!live[r]) continue;
				scalar_t x = updated(a.at[j * n + first + r * ROWS], first + r * ROWS, j, base, NB);
				a.at[j * n + first + r * ROWS] = x;
				sum[r] = mad(x, by, sum[r]);
			}
		}
		[[unroll]] for (uint r = 0; r < TOGETHER; r++) {
			if (live[r]) parts[team * ORDER + first + r * ROWS] = sum[r];
		}
	}
}

// eliminate makes column k tridiagonal, the column with the number `done` of the block at `base`.
// If `pending` is true, the updates of the previous block have not been done. `at` is the index of
// the first element of this matrix in d, e and tau.
void eliminate(uint k, uint done, uint base, bool pending, uint at) {
	uint now = slot(base, done), old = pending ? base + 1 : base, count = pending ? NB : done;
	real_t squares = 0.0;
	for (uint i = k + t; i < n; i += LOCAL_SIZE) {
		scalar_t x = updated(a.at[k * n + i], i, k, old, count);
		v[now + i] = x;
		if (i > k + 1) squares = real_of(mad_conj(x, x, of_real(squares)));
	}
	squares = real_of(group_sum(of_real(squares)));
#ifdef COMPLEX
	real_t beta;
	scalar_t tau, scale;
	larfg(v[now + k + 1], squares, beta, tau, scale);
#else
	real_t alpha = v[now + k + 1], beta = alpha, scale = 0.0, tau = 0.0;
	// The elements below the subdiagonal are negligible if their norm is at most 2^-400, because
	// the largest entry of the matrix is near 1.
	if (squares > power_of_two(2 * TINY)) {
		beta = sqrt(fma(alpha, alpha, squares));
		if (alpha > 0.0) beta = -beta;
		tau = (beta - alpha) / beta;
		scale = 1.0 / (alpha - beta);
	}
#endif
	if (t == 0) {
		p.d.at[at + k] = real_of(v[now + k]);
		p.e.at[at + k] = beta;
		p.tau.at[at + k] = tau;
	}
	barrier();
	for (uint i = k + 1 + t; i < n; i += LOCAL_SIZE) {
		scalar_t x = i == k + 1 ? one() : mul(v[now + i], scale);
		v[now + i] = x;
		a.at[k * n + i] = x;
	}
	barrier();
	for (uint x = t; x < 2 * done * DOT_LANES; x += LOCAL_SIZE) {
		uint q = x / DOT_LANES;
		scalar_t sum = scalar_t(0);
		for (uint i = k + 1 + x % DOT_LANES; i < n; i += DOT_LANES) {
			sum = mad_conj(q < done ? v[slot(base, q) + i] : w[(q - done) * ORDER + i], v[now + i], sum);
		}
		dots[x] = sum;
	}
	if (pending) update(k, old, now);
	else multiply(k, now);
	meet();
	for (uint q = t; q < 2 * done; q += LOCAL_SIZE) {
		scalar_t sum = dots[q * DOT_LANES];
		for (uint lane = 1; lane < DOT_LANES; lane++) sum += dots[q * DOT_LANES + lane];
		dot_[q] = sum;
	}
	if (done > 0) barrier();
	scalar_t product = scalar_t(0);
	for (uint i = k + 1 + t; i < n; i += LOCAL_SIZE) {
		scalar_t sum = parts[i];
		for (uint team = 1; team < TEAMS; team++) sum += parts[team * ORDER + i];
		for (uint q = 0; q < done; q++) {
			sum = mad(-v[slot(base, q) + i], dot_[done + q], mad(-w[q * ORDER + i], dot_[q], sum));
		}
		multiply_by(sum, tau);
		w[done * ORDER + i] = sum;
		product = mad_conj(sum, v[now + i], product);
	}
	product = group_sum(product);
	scalar_t half_ = mul(0.5 * tau, product);
	for (uint i = k + 1 + t; i < n; i += LOCAL_SIZE) w[done * ORDER + i] = mad(-half_, v[now + i], w[done * ORDER + i]);
	barrier();
}

// last writes the last two diagonal elements and the last off-diagonal element of T. The updates of
// the first `count` columns of the block at `base` have not been done. `at` is the index of the
// matrix's first element in d and e.
void last(uint base, uint count, uint at) {
	if (t > 2) return;
	uint i = t < 2 ? n - 2 + t : n - 1, j = t < 2 ? i : n - 2;
	scalar_t x = updated(a.at[j * n + i], i, j, base, count);
	if (t < 2) p.d.at[at + i] = real_of(x);
#ifdef COMPLEX
	scalar_t phase;
	if (t == 2) p.e.at[at + n - 2] = polar(x, phase), p.tau.at[at + n - 2] = phase;
#else
	else p.e.at[at + n - 2] = x;
#endif
}

void main() {
	if (workgroup() >= p.count) return;
	uint index = p.first + workgroup();
#ifdef COMPLEX
	m = p.matrices.at[index];
#else
	BatchMatrix m = p.matrices.at[index];
#endif
	a = SharedReals(element(uint64_t(p.a), long_(m.a), 0, 0));
	n = m.n, t = gl_LocalInvocationIndex;
	uint columns = n - 2;
	if (p.from >= columns) return;
	if (p.from == 0) prepare(m, index);
	meet();
	uint to = min(p.to, columns), base = 0, done = 0;
	for (uint k = p.from; k < to; k++) {
		bool pending = done == NB;
		if (pending) base = (base + NB) % (NB + 1), done = 0;
		eliminate(k, done++, base, pending, m.at);
	}
	if (to == columns) last(base, done, m.at);
	else update(to - 1, base, slot(base, 0));
}
