// lasrt_batch sorts the eigenvalues of many matrices, copies the wanted eigenvalues and their
// eigenvectors, and chooses the signs of the eigenvectors (LAPACK dlasrt). One workgroup processes
// one matrix.
//
// complex
//
// in:      matrices  the matrices [first, first + count), of order ≤ ORDER
//          d         from element matrix.at on: the eigenvalues in any order, scaled
//          z         the eigenvectors, by column, at the same place as the matrix
//          leaves    from element matrix.at on: the eigenvalues of the leaves of divide and
//                    conquer. An eigenvalue is NaN if QL iteration did not converge on its leaf
//          info      from element matrix.at on: one word for each row. A word other than 0xffffffff
//                    means that a root of a secular equation was not found. Without divide and
//                    conquer, leaves and info are null
// in, out: states    exponent: the eigenvalues are multiplied by 2^exponent. status: a matrix whose
//                    status is not DONE has no eigenvalues. Its values are NaN, and its
//                    eigenvectors are not written. The status becomes FAILED, and [lo, hi] all
//                    rows, if leaves or info say that divide and conquer failed
// out:     values    from element matrix.w on: the eigenvalues [from, to), ascending
//          v         the eigenvectors of these eigenvalues. The component of largest magnitude of
//                    each vector is real and positive. If several components have this magnitude,
//                    the first one decides the sign, or the factor of modulus 1
//
// No two buffers may overlap.
//
// Grid: in x and y, one workgroup for each matrix.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "scale.glsl"
#ifdef COMPLEX
#include "polar.glsl"
#endif
#include "scaling.glsl"
#include "problem.glsl"
#ifdef COMPLEX
#define size_of(x) square(x)
real_t positive_zero(real_t x) { return x == 0.0 ? real_t(0) : x; }
#else
#define size_of(x) (x)
#endif

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a multiple of TEAM.
layout(constant_id = 0) const uint LOCAL_SIZE = 256;
layout(constant_id = 1) const uint ORDER = 256;
// TEAM is the number of invocations that copy one eigenvector.
layout(constant_id = 2) const uint TEAM = 32;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	States states;
	RealsIn d;
	MatrixIn z;
	RealsIn leaves;
	Words info;
	RealsOut values;
	MatrixOut v;
	uint first, count;
} p;

shared real_t value[ORDER];
// `column[r]` is the column of the eigenvector whose eigenvalue has rank r, counted from 0 at the
// smallest. `place` and `found` have the row and the value of the component of largest magnitude
// that each invocation has found; for complex numbers, the square of its magnitude.
shared uint column[ORDER], place[LOCAL_SIZE];
shared real_t found[LOCAL_SIZE];
shared uint failed;

// conquered sets `failed` if divide and conquer has failed for the matrix. Every invocation must
// call conquered, and a barrier must follow.
void conquered(BatchMatrix m) {
	if (uint64_t(p.leaves) == 0ul) return;
	for (uint i = gl_LocalInvocationIndex; i < m.n; i += LOCAL_SIZE) {
		if (!finite(p.leaves.at[m.at + i]) || p.info.at[m.at + i] != ~0u) atomicOr(failed, 1u);
	}
}

void main() {
	if (workgroup() >= p.count) return;
	uint index = p.first + workgroup(), t = gl_LocalInvocationIndex;
	BatchMatrix m = p.matrices.at[index];
	uint n = m.n, team = t / TEAM, lane = t % TEAM;
	bool good = p.states.at[index].status == DONE;
	if (t == 0) failed = 0;
	barrier();
	conquered(m);
	// 2^exponent may be too large for a double, so the eigenvalues are multiplied by it in two
	// steps.
	int exponent = unscaling(p.states.at[index].exponent);
	real_t back = power_of_two(exponent / 2), again = power_of_two(exponent - exponent / 2);
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		value[i] = p.d.at[m.at + i];
		column[i] = 0;
	}
	barrier();
	if (good && failed != 0) {
		good = false;
		if (t == 0) p.states.at[index].status = FAILED, p.states.at[index].lo = 0, p.states.at[index].hi = n - 1;
	}
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		real_t x = value[i];
		uint rank = 0;
		for (uint j = 0; j < n; j++) rank += uint(value[j] < x || value[j] == x && j < i);
		column[rank] = i;
	}
	barrier();
	for (uint i = m.from + t; i < m.to; i += LOCAL_SIZE) {
		p.values.at[m.w + i - m.from] = good ? value[column[i]] * back * again : JOIN(uvec2(0u, 0x7ff80000u));
	}
	if (!good) return;
	MatrixIn z = MatrixIn(element(uint64_t(p.z), long_(m.a), 0, 0));
	MatrixOut v = MatrixOut(element(uint64_t(p.v), long_(m.v), 0, 0));
	const uint AT_ONCE = LOCAL_SIZE / TEAM;
	for (uint begin = m.from; begin < m.to; begin += AT_ONCE) {
		uint k = begin + team, j = k < m.to ? column[k] : 0;
		real_t largest = lane < n ? size_of(z.at[j * n + lane]) : 0.0;
		uint row = lane;
		for (uint i = lane + TEAM; i < n; i += TEAM) {
			real_t x = size_of(z.at[j * n + i]);
			if (abs(x) > abs(largest)) largest = x, row = i;
		}
		found[t] = largest, place[t] = row;
		barrier();
		uint best = team * TEAM;
		for (uint q = 1; q < min(TEAM, n); q++) {
			uint other = team * TEAM + q;
			bool more = abs(found[other]) > abs(found[best]);
			if (more || abs(found[other]) == abs(found[best]) && place[other] < place[best]) best = other;
		}
#ifdef COMPLEX
		scalar_t phase;
		polar(z.at[j * n + place[best]], phase);
		for (uint i = lane; i < n && k < m.to; i += TEAM) {
			scalar_t x = mul(conjugate(phase), z.at[j * n + i]);
			real_t imaginary = i == place[best] ? 0.0 : imag_of(x);
			v.at[(k - m.from) * n + i] = scalar_t(positive_zero(real_of(x)), positive_zero(imaginary));
		}
#else
		real_t sign_ = found[best] < 0.0 ? real_t(-1) : real_t(1);
		for (uint i = lane; i < n && k < m.to; i += TEAM) {
			real_t x = sign_ * z.at[j * n + i];
			v.at[(k - m.from) * n + i] = x == 0.0 ? real_t(0) : x; // the sign of a zero has no meaning in z
		}
#endif
		barrier();
	}
}
