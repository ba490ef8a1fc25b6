// promote turns real eigenvectors of T into those of a Hermitian tridiagonal matrix: X ← D·S, D =
// diag(1, …, 1, phase).
//
// float64 only
// variant: zpromote NUMBER=dvec2 BYTES=16
// variant: cpromote NUMBER=vec2 BYTES=8
//
// in:  s      rows×cols, lds ≥ rows: a vector in each row
//      phase  one number
// out: x      rows×cols, ldx ≥ rows. It must not overlap s
//
// cpromote rounds. The kernel multiplies column number `last` and those after it by the phase. So
// `last` is cols − 1, or more if the last component of the vectors is not among these columns.
//
// Grid: one invocation per element, rows rounded up to LOCAL_SIZE, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer Phase { dvec2 at[]; };
layout(buffer_reference, scalar, buffer_reference_align = BYTES) writeonly buffer Target { NUMBER at[]; };

layout(push_constant, scalar) uniform Push {
	MatrixIn s;
	Phase phase;
	Target x;
	// The real vectors S and the complex vectors X are rows×cols. The leading dimensions lds and
	// ldx are at least rows. `last` is the number of the first column that is multiplied by the
	// phase.
	uint rows, cols, lds, ldx, last;
} p;

void main() {
	uint tiles = (p.rows + LOCAL_SIZE - 1) / LOCAL_SIZE, group = workgroup();
	uint i = group % tiles * LOCAL_SIZE + gl_LocalInvocationIndex, j = group / tiles;
	if (j >= p.cols || i >= p.rows) return;
	double s = MatrixIn(element(uint64_t(p.s), i, j, p.lds)).at[0];
	Target x = Target(uint64_t(p.x) + BYTES * (uint64_t(j) * p.ldx + i));
	x.at[0] = NUMBER(j < p.last ? dvec2(s, 0) : s * p.phase.at[0]);
}
