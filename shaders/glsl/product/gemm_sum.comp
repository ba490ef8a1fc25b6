// gemm_sum adds up the partial products P[0], P[1], … that gemm or symm left in a workspace (the
// second half of split-K): C ← α·(P[0] + P[1] + …) + β·C. The variant symm_columns_sum adds up
// those of symm_columns.
//
// complex
// variant: gemm_sum
// variant: symm_columns_sum OWN_COLUMNS
//
// in:      parts  for each member of the batch `splits` matrices P, each m×n without padding,
//                 one after another. The matrices of member z begin z·splits matrices after
//                 the first one
// in, out: c      m×n; member z begins z·stride_c elements after the first one. If β = 0,
//                 c is overwritten: it is not read and may hold NaN
//
// Each element of C is the sum of `splits` parts. symm_columns_sum adds up the parts from number 0
// on that symm_columns has stored, which may be fewer: parts of empty pieces are not stored. Their
// number depends on the row.
//
// `lanes` invocations compute one element. Invocation l of them, called lane l, adds up the parts
// l, l + lanes, …. Then the sums of the lanes are added in the order of l. So the bits of the
// result depend on the number of parts and on lanes alone. Neighbouring invocations compute
// neighbouring elements. The sums are short and bound by latency, so each invocation keeps AT_ONCE
// loads in flight.
//
// Grid: a workgroup computes LOCAL_SIZE/lanes successive elements, whose first is given by x and y
// together; z is the member of the batch. The number of elements may have any value. A NaN in a
// part makes its element of C NaN. C must not overlap the parts.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#ifdef OWN_COLUMNS
#include "own_columns.glsl"
#endif

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a multiple of lanes.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixIn parts;
	MatrixInOut c;
	// stride_c is the distance in elements from the result C of one member of the batch to that of
	// the next member.
	uint64_t stride_c;
	// alpha and beta are the factors α and β, any finite numbers.
	real_bits_t alpha, beta;
	// The shape of C is m×n. The leading dimension ldc is at least m.
	uint m, n, ldc;
	// `splits` is the number of parts to add up, at least 1. `lanes` is the number of invocations
	// for each element, a power of two that divides LOCAL_SIZE.
	uint splits, lanes;
#ifdef OWN_COLUMNS
	// These members are only for symm_columns_sum. own, top, passed and stretch are those of
	// symm_columns. `order`, `width` and `tile` are n, WIDTH and TILE_M of symm_columns.
	Words own;
	uint order, top, passed, stretch, width, tile;
#endif
} p;

// AT_ONCE is the number of loads from memory that one invocation has in flight.
const uint AT_ONCE = 8;

// `lanes` invocations share an element of C. They are called lanes, and are numbered from 0.
// `partial` has the partial sums of all elements of the workgroup: first those of lane 0, then
// those of lane 1, and so on.
shared acc_t partial[LOCAL_SIZE];

// parts_of returns the number of parts to add up for element number e of the result C.
uint parts_of(uint64_t e) {
#ifdef OWN_COLUMNS
	if (p.width % p.tile != 0) return p.splits;
	uint row = p.top + uint(e) % p.m; // of A; there are less than 2³² elements
	Inner x = inner(p.own, row / p.width, p.order, p.width, p.passed);
	return pieces_of(x.along + x.across, p.stretch);
#else
	return p.splits;
#endif
}

void main() {
	uint width = LOCAL_SIZE / p.lanes;
	uint t = gl_LocalInvocationIndex, lane = t / width;
	uint64_t size = uint64_t(p.m) * p.n, e = uint64_t(workgroup()) * width + t % width;
	if (e - t % width >= size) return; // the whole workgroup returns
	bool owner = e < size;

	acc_t sum = acc_t(0);
	if (owner) {
		uint64_t at = element(uint64_t(p.parts), e, uint64_t(gl_WorkGroupID.z) * p.splits, size);
		uint splits = parts_of(e);
		for (uint s = lane; s < splits; s += AT_ONCE * p.lanes) {
			acc_t some[AT_ONCE];
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
				uint part = s + u * p.lanes;
				some[u] = part < splits ? acc_t(MatrixIn(element(at, 0, part, size)).at[0]) : acc_t(0);
			}
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) sum += some[u];
		}
	}
	partial[t] = sum;
	barrier();
	if (!owner || lane > 0) return;
	for (uint l = 1; l < p.lanes; l++) sum += partial[l * width + t];

	uint j = uint(e / p.m), i = uint(e - uint64_t(j) * p.m);
	MatrixInOut c = MatrixInOut(element(uint64_t(p.c), gl_WorkGroupID.z * p.stride_c + i, j, p.ldc));
	acc_t x = REAL(p.alpha) * sum;
	if (REAL(p.beta) != 0) x += REAL(p.beta) * acc_t(c.at[0]);
	c.at[0] = scalar_t(x);
}
