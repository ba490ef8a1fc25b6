// steqr_batch computes the rotations of implicit QL iteration for many tridiagonal matrices, T =
// V·diag(λ)·Vᵀ (LAPACK dsteqr). lasr_batch applies the rotations. One invocation computes all
// rotations of a matrix. A dispatch ends for a matrix when the memory of the rotations is full. The
// next dispatch continues.
//
// variant: steqr_batch
// variant: steqr_batch_pairs PAIRS
//
// For steqr_batch_pairs, the given matrices are complex, and T is real.
//
// in:      matrices   the matrices [first, first + count), of order 3 … ORDER
// in, out: d, e       from element matrix.at on: T before, λ in d after, in no order
//          states     status becomes DONE when the iteration has ended, or FAILED if it did not
//                     converge. The other members say where the iteration is
// out:     rotations  from element ⌊matrix.a/2^shift⌋ on: cosine and sine of each rotation, at most
//                     min((n² − 1)/4, most) rotations. For complex matrices, matrix.a counts pairs
//          sweeps     from element matrix.at on: the sweeps of this dispatch, see rotations.glsl
//
// The bits do not depend on where a dispatch ends, because d and e are stored and loaded unchanged.
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
#include "tridiag/ulp.glsl"
#include "problem.glsl"
#include "rotations.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, at least MATRICES. All of them load T.
layout(constant_id = 0) const uint LOCAL_SIZE = 32;
layout(constant_id = 1) const uint ORDER = 256;
layout(constant_id = 2) const uint MATRICES = 1;

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	States states;
	MatrixInOut d, e;
	MatrixOut rotations;
	SweepsOut sweeps;
	// first, count  the dispatch processes the matrices [first, first + count)
	// most          largest number of rotations of a matrix in this dispatch, at least ORDER
	uint first, count, most, shift;
} p;

// LD is the distance of two matrices in t_d and t_e. It is odd, so that accesses to the same row of
// several matrices have no bank conflicts.
const uint LD = ORDER | 1;
shared real_t t_d[MATRICES * LD], t_e[MATRICES * LD];

MatrixOut rotations; // of this invocation's matrix

// put stores rotation k, for ql.glsl.
void put(uint k, real_t c, real_t s) { rotations.at[2 * k] = c, rotations.at[2 * k + 1] = s; }
#include "ql.glsl"

// solve computes rotations of the matrix with the number `index` in the table.
void solve(uint index, uint base) {
	BatchMatrix m = p.matrices.at[index];
	BatchState state = p.states.at[index];
	rotations = MatrixOut(element(uint64_t(p.rotations), rows_of(long_(m.a)) >> p.shift, 0, 0));
	lo = state.lo, hi = state.hi, futile = state.futile, turned = (state.turned & 1) != 0;
	// `found` tells whether [lo, hi] is already the block of the next sweep.
	bool found = (state.turned & 2) != 0;
	uint most = min(p.most, (m.n * m.n - 1) / 4), stored = 0, number = 0, status = state.status;
	while (status == GOOD) {
		if (!found && !next_block(base, m.n)) status = DONE;
		else if (state.sweeps + number >= SWEEPS * m.n) status = FAILED;
		else {
			found = true;
			if (stored + hi - lo > most || number == m.n) break;
			found = false;
			Sweep s = sweep(base, stored);
			p.sweeps.at[m.at + number] = packed(s);
			stored += s.count, number++;
		}
	}
	if (number < m.n) p.sweeps.at[m.at + number] = 0;
	if (state.status != GOOD) return;
	p.states.at[index] = BatchState(status, state.exponent, lo, hi, (turned ? 1 : 0) + (found ? 2 : 0), futile, state.sweeps + number);
}

void main() {
	uint begin = workgroup() * MATRICES, t = gl_LocalInvocationIndex;
	if (begin >= p.count) return;
	uint here = min(MATRICES, p.count - begin); // matrices of this workgroup
	for (uint g = 0; g < here; g++) {
		BatchMatrix m = p.matrices.at[p.first + begin + g];
		for (uint i = t; i < m.n; i += LOCAL_SIZE) {
			t_d[g * LD + i] = p.d.at[m.at + i];
			t_e[g * LD + i] = i + 1 < m.n ? p.e.at[m.at + i] : 0.0;
		}
	}
	barrier();
	if (t < here) solve(p.first + begin + t, t * LD);
	barrier();
	for (uint g = 0; g < here; g++) {
		BatchMatrix m = p.matrices.at[p.first + begin + g];
		for (uint i = t; i < m.n; i += LOCAL_SIZE) {
			p.d.at[m.at + i] = t_d[g * LD + i];
			if (i + 1 < m.n) p.e.at[m.at + i] = t_e[g * LD + i];
		}
	}
}
