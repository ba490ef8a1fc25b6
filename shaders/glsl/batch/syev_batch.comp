// syev_batch computes eigenvalues and eigenvectors of many small symmetric or Hermitian matrices, A
// = Q·diag(λ)·Qᴴ, each in the shared memory of one workgroup (LAPACK dsyev: dsytd2, dorg2l, dsteqr).
//
// variant: syev_batch
// variant: syev_batch_values VALUES
// complex
//
// in:      matrices  the matrices [first, first + count), of order ≤ ORDER
//          a         one triangle of each matrix is read
// in, out: states    status, exponent and, if QL iteration fails, the block [lo, hi]
// out:     values    the eigenvalues [from, to), ascending; NaN if the status is not GOOD
//          v         only syev_batch: the eigenvectors of these eigenvalues, by column. In each
//                    vector the component of largest magnitude is real and positive, or the first
//                    one if there are several. v is not written if the status is not GOOD. v may be
//                    the buffer a, if all eigenvectors are wanted and the offsets are the same
//
// A matrix is scaled by a power of two to entries below 1 in magnitude. If all entries of a column
// below the subdiagonal are negligible, they count as zero. A NaN or an infinity affects only its
// own matrix.
//
// A team of TEAM invocations solves one matrix. Invocation i of the team has the rows i, i + TEAM,
// … of A and of Q. A workgroup has MATRICES teams. One invocation per matrix computes the rotations
// of a sweep of QL iteration. It is called the generator. At the same time the team applies the
// rotations of the previous sweep. If the workgroup has invocations that are in no team, the
// generators are such invocations. Otherwise the generator is the first invocation of the team. The
// variant syev_batch_values uses bisection: each invocation finds different eigenvalues.
//
// One invocation computes each sum, in an order that depends on n alone. So the bits are the same
// for all specialization constants and all places in a batch.
//
// Grid: in x and y, one workgroup for MATRICES matrices.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "scale.glsl"
#include "larfg.glsl"
#include "scaling.glsl"
#include "tridiag/ulp.glsl"
#include "problem.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup. It is MATRICES·TEAM if the generators
// belong to the teams, otherwise at least MATRICES·TEAM + MATRICES.
layout(constant_id = 0) const uint LOCAL_SIZE = 32;
// ORDER is the largest order of a matrix, at least 2.
layout(constant_id = 1) const uint ORDER = 32;
// TEAM is the number of invocations that solve one matrix together.
layout(constant_id = 2) const uint TEAM = 32;
layout(constant_id = 3) const uint MATRICES = 1;

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	States states;
	MatrixIn a;
	RealsOut values;
#ifndef VALUES
	MatrixOut v;
#endif
	uint first, count;
} p;

// LD is the leading dimension of matrices in shared memory. It is odd, so that accesses to rows and
// to columns have no bank conflicts.
const uint LD = ORDER | 1;
shared scalar_t a[MATRICES * ORDER * LD];
// t_d and t_e are the diagonal and the off-diagonal of T. t_cos and t_sin have 2·ORDER elements for
// each matrix. In t_cos and t_sin, the reduction to T stores vectors, and QL iteration stores the
// rotations of two sweeps.
#ifdef COMPLEX
shared real_t t_d[MATRICES * ORDER], t_e[MATRICES * ORDER];
shared scalar_t t_cos[MATRICES * 2 * ORDER], t_sin[MATRICES * 2 * ORDER];
#else
shared real_t t_d[MATRICES * ORDER], t_e[MATRICES * ORDER], t_cos[MATRICES * 2 * ORDER], t_sin[MATRICES * 2 * ORDER];
#endif

// finite_max has, for each invocation, the largest magnitude of the entries that it has loaded, or
// −1 if one of these entries is not finite.
shared real_t finite_max[LOCAL_SIZE];
#ifdef VALUES
#include "sturm_batch.glsl"
#else
// put stores rotation k, for ql.glsl.
void put(uint k, real_t c, real_t s) { t_cos[k] = of_real(c), t_sin[k] = of_real(s); }
#include "ql.glsl"
// sweeps_ has the last two sweeps of each matrix. `ended` tells whether the iteration had already
// ended, so that a sweep has no rotations.
shared Sweep sweeps_[MATRICES * 2];
shared bool ended[MATRICES * 2];
#endif

// `mine` is the number of this invocation's matrix in the workgroup. `lane` is the invocation's
// number in its team, or TEAM or more if it is in no team.
uint mine, lane;
// n is the order of this invocation's matrix, or 0 if it has no matrix. `most` is the largest order
// in the workgroup.
uint n, most;
// at_a, at_t and at_r are the indices of this invocation's matrix: in a, in t_d and t_e, and in
// t_cos and t_sin.
uint at_a, at_t, at_r;

// entry returns the index in a of entry (i, j) of this invocation's matrix.
uint entry(uint i, uint j) { return at_a + j * LD + i; }

// load scales the stored triangle by 2^-e, copies it to both triangles of the array a, and returns
// e. If an entry is not finite, `good` becomes false and all entries of the copy are zero.
int load(BatchMatrix m, inout bool good) {
	MatrixIn from = MatrixIn(element(uint64_t(p.a), long_(m.a), 0, 0));
	real_t largest = 0.0;
	for (uint x = lane; x < n * n; x += TEAM) {
		uint i = x % n, j = x / n;
		if (upper_of(m) ? i > j : i < j) continue;
		scalar_t value = given(m, from.at[x], i, j);
		if (!finite(value)) good = false;
		largest = max(largest, entry_magnitude(value));
		a[entry(i, j)] = value;
		a[entry(j, i)] = conjugated(value, SIGN_BIT); // not -imag, which may be zero for a subnormal imag
	}
	if (n > 0) finite_max[mine * TEAM + lane] = good ? largest : -1.0;
	barrier();
	largest = 0.0;
	for (uint i = 0; n > 0 && i < TEAM; i++) {
		real_t other = finite_max[mine * TEAM + i];
		if (other < 0.0) good = false;
		largest = max(largest, other);
	}
	int exponent = exponent_for(largest);
	scale_t scale = scale_for(exponent);
	for (uint x = lane; x < n * n; x += TEAM) {
		uint at = entry(x % n, x / n);
		a[at] = good ? entry_scaled(a[at], scale) : scalar_t(0);
	}
	barrier();
	return exponent;
}

#include "sytd2.glsl"

#ifndef VALUES
// form replaces the reflectors in a by their product Q (LAPACK dorg2l), from the last one on. The
// columns of Q are dealt out to the invocations of the team.
void form() {
	uint v = at_r, taus = at_r + ORDER;
#ifdef COMPLEX
	if (n > 1 && lane == 0) a[entry(n - 1, n - 1)] = t_sin[taus + n - 2];
#else
	if (n > 0 && lane == 0) a[entry(n - 1, n - 1)] = 1.0; // no reflector begins in the last row
#endif
	barrier();
	for (uint step = 0; step + 2 < most; step++) {
		bool live = step + 2 < n;
		uint k = n - 3 - step;
		if (live) {
			for (uint i = lane; i < n; i += TEAM) {
				if (i > k) t_cos[v + i] = a[entry(i, k)];
			}
		}
		barrier();
		if (live) {
			scalar_t tau = t_sin[taus + k];
			for (uint j = lane; j < n; j += TEAM) {
				if (j <= k) continue;
				// Before reflector k is applied, column k + 1 of the product is a unit vector, and
				// the other columns are zero in row k + 1.
				scalar_t s0 = scalar_t(0), s1 = scalar_t(0);
				uint i = k + 2;
				if (j > k + 1) {
					for (; i + 1 < n; i += 2) {
						s0 = mad_conj(t_cos[v + i], a[entry(i, j)], s0);
						s1 = mad_conj(t_cos[v + i + 1], a[entry(i + 1, j)], s1);
					}
					if (i < n) s0 = mad_conj(t_cos[v + i], a[entry(i, j)], s0);
				}
				scalar_t by = j == k + 1 ? tau : mul(tau, s0 + s1);
				a[entry(k + 1, j)] = j == k + 1 ? one() - tau : -by;
				for (i = k + 2; i < n; i++) {
					scalar_t old = j == k + 1 ? scalar_t(0) : a[entry(i, j)];
					a[entry(i, j)] = mad(-by, t_cos[v + i], old);
				}
			}
		}
		barrier();
	}
	for (uint x = lane; x < n; x += TEAM) {
		a[entry(x, 0)] = x == 0 ? one() : scalar_t(0);
		a[entry(0, x)] = x == 0 ? one() : scalar_t(0);
	}
	barrier();
}

// rotated is r·a + b, for a real number r.
#ifdef COMPLEX
#define rotated(r, a, b) ((r) * (a) + (b))
#else
#define rotated(r, a, b) fma(r, a, b)
#endif

// turn applies a sweep to this invocation's rows of Q. `from` is the index of its first rotation in
// t_cos and t_sin.
void turn(Sweep s, uint from) {
	for (uint i = lane; i < n; i += TEAM) {
		uint at = entry(i, s.first), by = s.step * LD;
		scalar_t y = a[at];
		for (uint k = 0; k < s.count; k++, at += by) {
			scalar_t x = a[at + by];
			real_t c = real_of(t_cos[from + k]), sn = real_of(t_sin[from + k]);
			a[at] = rotated(c, y, sn * x);
			y = rotated(c, x, -(sn * y));
		}
		a[at] = y;
	}
}

// iterate makes T diagonal and Q the matrix of eigenvectors (LAPACK dsteqr). `generates` is the
// number of the matrix for which this invocation is the generator, or at least MATRICES. iterate
// returns the status of this matrix.
uint iterate(uint generates) {
	lo = 0, hi = 0, futile = 0, turned = false;
	bool going = generates < MATRICES;
	uint order = 0, status = GOOD, index = p.first + workgroup() * MATRICES + generates;
	if (going && workgroup() * MATRICES + generates < p.count) order = p.matrices.at[index].n;
	for (uint number = 0;; number++) {
		uint now = number % 2;
		if (generates < MATRICES) {
			Sweep s = Sweep(0, 0, 0);
			if (going) {
				if (!next_block(generates * ORDER, order)) going = false;
				else if (number == SWEEPS * order) going = false, status = FAILED;
				else s = sweep(generates * ORDER, (2 * generates + now) * ORDER);
			}
			sweeps_[2 * generates + now] = s;
			ended[2 * generates + now] = !going;
		}
		if (number > 0 && lane < TEAM) turn(sweeps_[2 * mine + 1 - now], at_r + (1 - now) * ORDER);
		barrier();
		bool over = true;
		for (uint g = 0; g < MATRICES; g++) over = over && ended[2 * g + now];
		if (over) break;
	}
	return status;
}
#endif

// finish writes the wanted eigenvalues in ascending order, and their eigenvectors with the chosen
// signs. In the variant syev_batch_values it finds the eigenvalues by bisection.
void finish(BatchMatrix m, int exponent, bool good) {
	real_t back = power_of_two(unscaling(exponent));
	RealsOut values = RealsOut(real_element(uint64_t(p.values), m.w));
	real_t nan = JOIN(uvec2(0u, 0x7ff80000u));
#ifdef VALUES
	int norm = norm_exponent(at_t, n);
	real_t down = power_of_two(-norm), up = power_of_two(norm);
	barrier();
	for (uint i = lane; i < n; i += TEAM) {
		t_d[at_t + i] *= down;
		if (i + 1 < n) {
			real_t e = t_e[at_t + i] * down;
			t_e[at_t + i] = max(e * e, power_of_two(STURM_LEAST));
		}
	}
	barrier();
	for (uint i = m.from + lane; i < m.to; i += TEAM) {
		real_t x = n == 1 ? t_d[at_t] : bisect(at_t, n, i);
		values.at[i - m.from] = good ? x * up * back : nan;
	}
#else
	// Now t_cos has the rank of each column's eigenvalue, and t_sin the factor 1 or −1 of the
	// eigenvector. For complex numbers the factor has modulus 1, and the imaginary part of t_cos is
	// the row of the component that becomes real.
	for (uint j = lane; j < n; j += TEAM) {
		uint rank = 0;
		real_t x = t_d[at_t + j];
		for (uint i = 0; i < n; i++) rank += uint(t_d[at_t + i] < x || t_d[at_t + i] == x && i < j);
#ifdef COMPLEX
		real_t largest = -1.0;
		uint row = 0;
		for (uint i = 0; i < n; i++) {
			real_t y = square(a[entry(i, j)]);
			if (y > largest) largest = y, row = i;
		}
		scalar_t phase;
		polar(a[entry(row, j)], phase);
		t_cos[at_r + j] = scalar_t(real_t(rank), real_t(row));
		t_sin[at_r + j] = conjugate(phase);
#else
		real_t largest = -1.0, sign_ = 1.0;
		for (uint i = 0; i < n; i++) {
			real_t y = a[entry(i, j)];
			if (abs(y) > largest) {
				largest = abs(y);
				sign_ = y < 0.0 ? real_t(-1) : real_t(1);
			}
		}
		t_cos[at_r + j] = real_t(rank);
		t_sin[at_r + j] = sign_;
#endif
		if (rank >= m.from && rank < m.to) values.at[rank - m.from] = good ? x * back : nan;
	}
	barrier();
	MatrixOut v = MatrixOut(element(uint64_t(p.v), long_(m.v), 0, 0));
	for (uint x = lane; good && x < n * n; x += TEAM) {
		uint i = x % n, j = x / n, rank = uint(real_of(t_cos[at_r + j]));
		if (rank >= m.from && rank < m.to) v.at[i + (rank - m.from) * n] = real_if(i == uint(imag_of(t_cos[at_r + j])), mul(t_sin[at_r + j], a[entry(i, j)]));
	}
#endif
}

void main() {
	uint t = gl_LocalInvocationIndex, begin = workgroup() * MATRICES;
	if (begin >= p.count) return;
	mine = t / TEAM, lane = t % TEAM;
	// Invocations that solve no matrix must reach every barrier, too. They have lane ≥ TEAM.
	if (mine >= MATRICES) mine = MATRICES - 1, lane = TEAM + t;
	uint index = p.first + begin + mine;
	BatchMatrix m = BatchMatrix(0, 0, 0, 0, 0, 0, uint[2](0, 0), uint[2](0, 0));
	if (lane < TEAM && begin + mine < p.count) m = p.matrices.at[index];
	n = m.n, most = 0;
	for (uint g = 0; g < MATRICES && begin + g < p.count; g++) most = max(most, p.matrices.at[p.first + begin + g].n);
	at_a = mine * ORDER * LD, at_t = mine * ORDER, at_r = mine * 2 * ORDER;
	bool good = true;
	int exponent = load(m, good);
	reduce();
	uint status = good ? GOOD : NONFINITE;
	bool failed = false;
#ifndef VALUES
	form();
	uint spare = t - TEAM * MATRICES; // large for the invocations of teams
	bool apart = LOCAL_SIZE > TEAM * MATRICES;
	uint generates = apart ? spare : lane == 0 ? mine : MATRICES;
	uint result = iterate(generates);
	if (generates < MATRICES && begin + generates < p.count) {
		uint g = p.first + begin + generates;
		p.states.at[g].lo = lo;
		p.states.at[g].hi = hi;
		finite_max[generates] = real_t(result);
	}
	barrier();
	if (good && finite_max[mine] != 0.0) good = false, status = FAILED;
#endif
	finish(m, exponent, good);
	if (n > 0 && lane == 0) {
		p.states.at[index].status = status;
		p.states.at[index].exponent = exponent;
	}
}
