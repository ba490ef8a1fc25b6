// float64 only
//
// stedc_leaf solves the leaves of divide and conquer by implicit QL iteration (LAPACK dsteqr): T =
// V·diag(λ)·Vᵀ for rows [lo, lo + n) of T, n ≤ LEAF, whose norm is about 1.
//
// in:      leaves, e
// in, out: d            the diagonal before, the eigenvalues after, ascending. NaN if the
//                       iteration did not converge, which was never seen
// out:     first, last  the first and the last row of V, by column
//          q            V, n×n, from element `at` of the leaf on; not written if q is null
//
// One invocation iterates. When the rotations of a sweep are known, each invocation applies them to
// rows of its own. The order of the operations is that of package dc in stages/tridiag, which
// explains them. The outputs must not overlap each other or the inputs. The inputs must be finite:
// the host refuses others.
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
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 32;
// LEAF is the largest order of a leaf, at least 1.
layout(constant_id = 1) const uint LEAF = 32;

layout(push_constant, scalar) uniform Push {
	Leaves leaves;
	RealsInOut d;
	Reals e;
	RealsOut first, last, q;
	// count is the number of leaves.
	uint count;
} p;

const uint PATIENCE = 8; // sweeps without an eigenvalue, before the direction changes

// d and e are the leaf's T. cos_ and sin_ are the rotations of a sweep.
shared work_t d[LEAF], e[LEAF], cos_[LEAF], sin_[LEAF];
shared work_t v[LEAF * LEAF]; // column-major, leading dimension LEAF

// [lo, hi] is the block that the iteration works on. turned says that the block converges at hi
// instead of at lo.
shared uint lo, hi, state;
shared bool turned;
const uint DONE = 0, GOING = 1, FAILED = 2;

// at and off return the index of diagonal element i and of off-diagonal element i of the block.
// They count from the end of the block at which the iteration converges.
uint at(uint i) { return turned ? hi - i : lo + i; }
uint off(uint i) { return turned ? hi - i - 1 : lo + i; }

// negligible tells whether off-diagonal element i is zero to working precision.
bool negligible(uint i) {
	double x = abs(e[i]);
	return x <= tiny() || x * x <= (EPS * abs(d[i])) * (EPS * abs(d[i + 1]));
}

// next finds the first unreduced block, and chooses its direction. It returns false if there is
// none.
bool next(uint n, inout uint futile) {
	uint a = lo;
	while (a + 1 < n && negligible(a)) a++;
	if (a + 1 >= n) return false;
	uint b = a + 1;
	while (b + 1 < n && !negligible(b)) b++;
	futile++;
	if (a != lo || b != hi) {
		turned = abs(d[b]) + abs(e[b - 1]) < abs(d[a]) + abs(e[a]);
		futile = 0;
	} else if (futile % PATIENCE == 0) turned = !turned;
	lo = a, hi = b;
	return true;
}

// sweep does one implicit QL step with Wilkinson's shift.
void sweep() {
	uint last = hi - lo;
	double first = e[off(0)];
	double g = (d[at(1)] - d[at(0)]) / (2.0lf * first);
	double r = sqrt(g * g + 1.0lf);
	if (g < 0.0lf) r = -r;
	g = (d[at(last)] - d[at(0)]) + first / (g + r);
	double s = 1.0lf, c = 1.0lf, shift = 0.0lf;
	for (uint i = last; i-- > 0;) {
		double f = s * e[off(i)], b = c * e[off(i)];
		rotation(g, f, c, s, r);
		if (i + 1 < last) e[off(i + 1)] = r;
		g = d[at(i + 1)] - shift;
		r = (d[at(i)] - g) * s + 2.0lf * c * b;
		shift = s * r;
		d[at(i + 1)] = g + shift;
		g = c * r - b;
		cos_[i] = c, sin_[i] = s;
	}
	d[at(0)] -= shift;
	e[off(0)] = g;
}

// turn applies the rotations of a sweep to one row of V.
void turn(uint row) {
	uint last = hi - lo;
	double y = v[at(last) * LEAF + row];
	for (uint i = last; i-- > 0;) {
		double x = v[at(i) * LEAF + row], c = cos_[i], s = sin_[i];
		v[at(i + 1) * LEAF + row] = c * y + s * x;
		y = c * x - s * y;
	}
	v[at(0) * LEAF + row] = y;
}

void main() {
	uint index = workgroup(), t = gl_LocalInvocationIndex;
	if (index >= p.count) return;
	Leaf leaf = p.leaves.at[index];
	uint n = leaf.n;
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		d[i] = p.d.at[leaf.lo + i];
		if (i + 1 < n) e[i] = p.e.at[leaf.lo + i];
		for (uint c = 0; c < n; c++) v[c * LEAF + i] = c == i ? 1.0lf : 0.0lf;
	}
	if (t == 0) lo = 0, hi = 0, turned = false;
	uint futile = 0;
	barrier();
	for (uint sweeps = 0;; sweeps++) {
		if (t == 0) {
			state = DONE;
			if (next(n, futile)) {
				state = sweeps == SWEEPS * n ? FAILED : GOING;
				if (state == GOING) sweep();
			}
		}
		barrier();
		if (state != GOING) break;
		for (uint row = t; row < n; row += LOCAL_SIZE) turn(row);
		barrier();
	}
	uint64_t q = uint64_t(p.q);
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		uint rank = 0;
		for (uint j = 0; j < n; j++) rank += uint(d[j] < d[i] || d[j] == d[i] && j < i);
		if (state == FAILED) rank = i;
		p.d.at[leaf.lo + rank] = state == FAILED ? packDouble2x32(uvec2(0u, 0x7ff80000u)) : d[i];
		p.first.at[leaf.lo + rank] = v[i * LEAF];
		p.last.at[leaf.lo + rank] = v[i * LEAF + n - 1];
		cos_[i] = double(rank);
	}
	if (q == 0ul) return;
	barrier();
	RealsOut out_ = RealsOut(element(q, wide(leaf.at), 0, 0));
	for (uint x = t; x < n * n; x += LOCAL_SIZE) out_.at[x % n + uint(cos_[x / n]) * n] = v[x / n * LEAF + x % n];
}
