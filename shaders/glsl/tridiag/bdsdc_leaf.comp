// float64 only
//
// bdsdc_leaf solves the leaves of the bidiagonal divide and conquer by QR iteration (LAPACK dlasdq
// and dbdsqr). A leaf is the block of rows and columns [lo, lo + n), n ≤ LEAF, of a bidiagonal
// matrix with elements of magnitude below 1. For the block C of each leaf the kernel computes C =
// S·diag(σ)·Wᵀ.
//
// in:      leaves       the leaves (leaf.glsl)
//          e            the superdiagonal of the bidiagonal matrix
// in, out: d            the diagonal before; the singular values after, ascending, or NaN if the
//                       iteration did not converge
// out:     first, last  the first and the last row of W, by column
//          w, s         W and S, n×n, from element `at` of the leaf on; not written if the address
//                       is null
//
// If the last element of d is zero, the last row of the leaf is torn out (see package
// stages/bidiagonal). The singular triplet of this row comes first. Its left vector is the last
// unit vector.
//
// One invocation iterates. When it has computed the rotations of a sweep, each invocation applies
// them to its own rows of W and S. The outputs must not overlap each other or the inputs. The
// inputs must be finite: the host checks this.
//
// Grid: one workgroup per leaf, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "merge.glsl"
#include "leaf.glsl"
#include "ulp.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 32;
// LEAF is the largest order of a leaf, at least 1.
layout(constant_id = 1) const uint LEAF = 32;

layout(push_constant, scalar) uniform Push {
	Leaves leaves;
	RealsInOut d;
	Reals e;
	RealsOut first, last, w, s;
	uint count;
} p;

// NEGLIGIBLE is the limit up to which an element of the superdiagonal e counts as zero, in units of
// 2^-53 times the largest element of C. The deflation of merges uses the same limit. With a smaller
// limit, the iteration might not end if singular values are equal.
const double NEGLIGIBLE = 8.0lf;

const uint RIGHT = 0, LEFT = 1;

// d and e are the diagonal and the superdiagonal of the leaf's C. cos_ and sin_ are the rotations
// of a QR sweep: LEAF elements for the right vectors W, and then LEAF elements for the left vectors
// S. Rotation i rotates columns i and i + 1.
shared work_t d[LEAF], e[LEAF], cos_[2 * LEAF], sin_[2 * LEAF];

// `vectors` has the right vectors W, and then the left vectors S. Both are column-major with
// leading dimension LEAF.
shared work_t vectors[2 * LEAF * LEAF];

// lo and hi are the first and the last row of the block of the next QR sweep. The singular values
// of rows after hi are final. `state` tells whether the iteration has ended (DONE), continues
// (GOING) or did not converge (FAILED).
shared uint lo, hi, state;
const uint DONE = 0, GOING = 1, FAILED = 2;

// keep stores the cosine c and the sine s of rotation i of a sweep, for the vectors of one side: 0
// for the right vectors, 1 for the left ones.
void keep(uint side, uint i, double c, double s) {
	cos_[side * LEAF + i] = c;
	sin_[side * LEAF + i] = s;
}

// annihilate_last makes column `rows` of C, the last one, zero. Row `rows` of C is zero already. A
// rotation of columns `rows` − 1 and `rows` annihilates the last element of e. The same rotation
// makes the element above it, in the last column, nonzero. Rotations with columns `rows` − 2 … 0
// then annihilate the last column, one row after another.
void annihilate_last(uint rows) {
	double fill = e[rows - 1];
	e[rows - 1] = 0.0lf;
	for (uint i = rows; i-- > 0;) {
		double c, s, r;
		rotation(d[i], fill, c, s, r);
		d[i] = r;
		keep(RIGHT, i, c, s);
		if (i > 0) {
			fill = -s * e[i - 1];
			e[i - 1] *= c;
		}
	}
}

// turn_last applies the rotations of annihilate_last to one row of the right singular vectors.
void turn_last(uint rows, uint row) {
	double y = vectors[rows * LEAF + row];
	for (uint i = rows; i-- > 0;) {
		double x = vectors[i * LEAF + row], c = cos_[i], s = sin_[i];
		vectors[i * LEAF + row] = c * x + s * y;
		y = c * y - s * x;
	}
	vectors[rows * LEAF + row] = y;
}

// next sets lo and hi to the last block of rows in which no element of e is zero, or returns false
// if there is none.
bool next() {
	while (hi > 0 && e[hi - 1] == 0.0lf) hi--;
	if (hi == 0) return false;
	lo = hi - 1;
	while (lo > 0 && e[lo - 1] != 0.0lf) lo--;
	return true;
}

// shift returns a singular value of the last two rows and columns of the block, for the next sweep.
// Let f, g and h be the elements of these rows and columns: f and h on the diagonal, g above h.
// shift returns the singular value that is nearer to |h|: the larger one if |h| > |f|, else the
// smaller one (dlas2). The sum of the two singular values is √((|f| + |h|)² + g²), their difference
// is √((|f| − |h|)² + g²), and their product is |f·h|. If a diagonal element of the block is zero,
// a singular value is zero, and shift returns 0.
//
// The smaller singular value would not always be a good shift. If the block has two equal values
// and a smaller third value, the element of e next to the equal values would never become smaller.
double shift() {
	for (uint i = lo; i <= hi; i++) if (d[i] == 0.0lf) return 0.0lf;
	double f = abs(d[hi - 1]), g = e[hi - 1], h = abs(d[hi]);
	double sum = sqrt((f + h) * (f + h) + g * g), difference = sqrt((f - h) * (f - h) + g * g);
	return h > f ? 0.5lf * (sum + difference) : 2.0lf * f * h / (sum + difference);
}

// sweep does one step of implicit QR iteration on CᵀC − shift²·I, where C is the bidiagonal matrix
// of the leaf. A rotation of columns makes a bulge below the diagonal of C. A rotation of rows
// annihilates this bulge and makes a bulge above the superdiagonal. Further rotations move the
// bulge down to row hi, where it leaves the block.
void sweep(double shift_) {
	double di = d[lo], ei = e[lo];
	double f = (abs(di) - shift_) * (abs(di) + shift_), g = di * ei;
	for (uint i = lo; i < hi; i++) {
		double c, s, r, below = d[i + 1], right = e[i + 1]; // right is not used in row hi − 1
		rotation(f, g, c, s, r);
		keep(RIGHT, i, c, s);
		if (i > lo) e[i - 1] = r;
		f = c * di + s * ei;
		ei = c * ei - s * di;
		g = s * below;
		below = c * below;
		rotation(f, g, c, s, r);
		keep(LEFT, i, c, s);
		d[i] = r;
		f = c * ei + s * below;
		di = c * below - s * ei;
		g = s * right;
		ei = c * right;
	}
	d[hi] = di;
	e[hi - 1] = f;
}

// sweep_without_shift does a QR step with a shift of zero, in a form without subtractions (Demmel
// and Kahan 1990). If a diagonal element is zero, this step makes d[hi] and e[hi − 1] zero.
void sweep_without_shift() {
	double c = 1.0lf, c_left = 1.0lf, s_left = 0.0lf;
	for (uint i = lo; i < hi; i++) {
		double s, r, rr;
		rotation(d[i] * c, e[i], c, s, r);
		keep(RIGHT, i, c, s);
		if (i > lo) e[i - 1] = s_left * r;
		rotation(c_left * r, d[i + 1] * s, c_left, s_left, rr);
		keep(LEFT, i, c_left, s_left);
		d[i] = rr;
	}
	double last = d[hi] * c;
	d[hi] = last * c_left;
	e[hi - 1] = last * s_left;
}

// turn applies the rotations of a sweep to one row of the vectors of one side.
void turn(uint side, uint row) {
	uint at = side * LEAF * LEAF + row, rotations = side * LEAF;
	double x = vectors[at + lo * LEAF];
	for (uint i = lo; i < hi; i++) {
		double y = vectors[at + (i + 1) * LEAF], c = cos_[rotations + i], s = sin_[rotations + i];
		vectors[at + i * LEAF] = c * x + s * y;
		x = c * y - s * x;
	}
	vectors[at + hi * LEAF] = x;
}

void main() {
	uint index = workgroup(), t = gl_LocalInvocationIndex;
	if (index >= p.count) return;
	Leaf leaf = p.leaves.at[index];
	uint n = leaf.n;
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		d[i] = p.d.at[leaf.lo + i];
		e[i] = i + 1 < n ? p.e.at[leaf.lo + i] : 0.0lf;
		for (uint c = 0; c < n; c++) {
			vectors[c * LEAF + i] = c == i ? 1.0lf : 0.0lf;
			vectors[LEAF * LEAF + c * LEAF + i] = c == i ? 1.0lf : 0.0lf;
		}
	}
	barrier();
	double roundoff = 0.0lf; // 2^-53 times the largest element
	for (uint i = 0; i < n; i++) roundoff = max(roundoff, EPS * max(abs(d[i]), abs(e[i])));
	bool torn = d[n - 1] == 0.0lf;
	uint rows = torn ? n - 1 : n; // rows that are not torn out
	barrier();
	if (torn && rows > 0) {
		if (t == 0) annihilate_last(rows);
		barrier();
		for (uint row = t; row < n; row += LOCAL_SIZE) turn_last(rows, row);
	}
	if (t == 0) hi = max(rows, 1u) - 1;
	barrier();
	for (uint sweeps = 0;; sweeps++) {
		for (uint i = t; i < n; i += LOCAL_SIZE) {
			if (abs(d[i]) <= roundoff) d[i] = 0.0lf;
			if (abs(e[i]) <= NEGLIGIBLE * roundoff) e[i] = 0.0lf;
		}
		barrier();
		if (t == 0) {
			state = DONE;
			if (next()) {
				state = sweeps == SWEEPS * n ? FAILED : GOING;
				if (state == GOING) {
					double shift_ = shift();
					if (shift_ == 0.0lf) sweep_without_shift();
					else sweep(shift_);
				}
			}
		}
		barrier();
		if (state != GOING) break;
		for (uint x = t; x < 2 * n; x += LOCAL_SIZE) turn(x / n, x % n);
		barrier();
	}
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		// If the host has torn out the last row of the leaf, the singular triplet of this row comes
		// first, with rank 0. Then `rows` is the number of this row.
		uint rank = i < rows ? n - rows : 0;
		for (uint j = 0; j < rows && i < rows; j++)
			rank += uint(abs(d[j]) < abs(d[i]) || abs(d[j]) == abs(d[i]) && j < i);
		if (state == FAILED) rank = i;
		p.d.at[leaf.lo + rank] = state == FAILED ? packDouble2x32(uvec2(0u, 0x7ff80000u)) : abs(d[i]);
		p.first.at[leaf.lo + rank] = vectors[i * LEAF];
		p.last.at[leaf.lo + rank] = vectors[i * LEAF + n - 1];
		cos_[i] = double(rank);
	}
	barrier();
	RealsOut w = RealsOut(element(uint64_t(p.w), wide(leaf.at), 0, 0));
	RealsOut s = RealsOut(element(uint64_t(p.s), wide(leaf.at), 0, 0));
	for (uint x = t; x < n * n; x += LOCAL_SIZE) {
		uint c = x / n, row = x % n, at = row + uint(cos_[c]) * n;
		if (uint64_t(p.w) != 0ul) w.at[at] = vectors[c * LEAF + row];
		double y = vectors[LEAF * LEAF + c * LEAF + row];
		if (uint64_t(p.s) != 0ul) s.at[at] = d[c] < 0.0lf ? -y : y;
	}
}
