// float64 only
//
// stemr_place copies the eigenvectors of one block to their places among the eigenvectors of the
// whole matrix.
//
// in:  z       rows×count, column-major without padding; row i of z is row lo + i of the matrix
//      column  for each column of z the number c of its vector in x
// out: x       component r of vector c at c + r·ldx, 0 ≤ r < n; zero outside the block
//
// Values are copied unchanged. x must not overlap the inputs.
//
// Grid: one invocation for each of the n×count elements, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };

layout(push_constant, scalar) uniform Push {
	MatrixIn z;
	Words column;
	MatrixOut x;
	// The block has the rows [lo, lo + rows) of a matrix of order n. `count` is the number of
	// vectors to copy. ldx is at least the number of all vectors in x.
	uint lo, rows, n, count, ldx;
} p;

void main() {
	uint64_t e = uint64_t(workgroup()) * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (e >= uint64_t(p.n) * p.count) return;
	uint r = uint(e / p.count), j = uint(e % p.count);
	real_t v = real_t(0);
	if (r >= p.lo && r < p.lo + p.rows) v = MatrixIn(element(uint64_t(p.z), r - p.lo, j, p.rows)).at[0];
	MatrixOut(element(uint64_t(p.x), p.column.at[j], r, p.ldx)).at[0] = v;
}
