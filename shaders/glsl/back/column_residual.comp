// column_residual computes sums[j] = Σ_i |x_ij − λ_j·y_ij| for each column j.
//
// complex
//
// in:  x, y     rows×cols, column-major, ldx and ldy ≥ rows
//      lambda   the real numbers λ_j, one per column. If lambda is null, X is compared with
//               columns of the identity: sums[j] = Σ_i |x_ij − δ(i, first + j)|·w_i. The weights
//               w_i are the real numbers at y, one per row, and all are 1 if y is null
// out: sums     cols elements
//
// The order of the additions depends on LOCAL_SIZE alone. A NaN makes the sum of its column NaN.
// sums must not overlap the inputs.
//
// Grid: one workgroup per column, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#ifdef COMPLEX
#include "polar.glsl"
#else
#define modulus(z) abs(z)
#endif

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a power of two.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) readonly buffer Column { scalar_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) writeonly buffer Sums { scalar_t at[]; };

layout(push_constant, scalar) uniform Push {
	Column x, y, lambda;
	Sums sums;
	// The shape of X is rows×cols. The leading dimensions ldx and ldy are at least rows. If
	// `lambda` is null, column 0 of X is compared with column number `first` of the identity
	// matrix, and y has weights or is null.
	uint rows, cols, ldx, ldy, first;
} p;

// `partial` holds one sum for each invocation, over the rows that the invocation has processed.
shared real_t partial[LOCAL_SIZE];

void main() {
	uint j = workgroup();
	if (j >= p.cols) return;
	uint t = gl_LocalInvocationID.x;
	Column x = Column(element(uint64_t(p.x), 0, j, p.ldx));
	Column y = Column(element(uint64_t(p.y), 0, j, p.ldy));
	bool identity = uint64_t(p.lambda) == 0ul;
	real_t sum = real_t(0);
	if (identity) {
		bool weighted = uint64_t(p.y) != 0ul;
		for (uint i = t; i < p.rows; i += LOCAL_SIZE) {
			real_t weight = weighted ? real_of(p.y.at[i]) : real_t(1);
			sum += weight * modulus(x.at[i] - (i == p.first + j ? one() : acc_t(0)));
		}
	} else {
		real_t lambda = real_of(p.lambda.at[j]);
		for (uint i = t; i < p.rows; i += LOCAL_SIZE) sum += modulus(x.at[i] - lambda * y.at[i]);
	}
	partial[t] = sum;
	barrier();
	for (uint half_ = LOCAL_SIZE / 2; half_ > 0; half_ /= 2) {
		if (t < half_) partial[t] += partial[t + half_];
		barrier();
	}
	if (t == 0) p.sums.at[j] = of_real(partial[0]);
}
