// stedc_leaves spreads the packed vectors of the leaves to the diagonal blocks
// of Q: leaf l holds rows and columns [lo, lo + n), its n×n vectors lie
// column-major at element from of packed. Outside of the leaves nothing is written.
//
// One element an invocation, one workgroup row (y, folded into z) a leaf.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "merge.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

struct Leaf { uint lo, n, from; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Leaves { Leaf at[]; };

layout(push_constant, scalar) uniform Push {
	Leaves leaves;
	Reals packed;
	RealsOut q;
	uint ld, count;
} p;

void main() {
	uint l = gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y;
	if (l >= p.count) return;
	Leaf leaf = p.leaves.at[l];
	for (uint e = gl_GlobalInvocationID.x; e < leaf.n * leaf.n; e += gl_NumWorkGroups.x * LOCAL_SIZE)
		RealsOut(element(uint64_t(p.q), leaf.lo + e % leaf.n, leaf.lo + e / leaf.n, p.ld)).at[0] = p.packed.at[leaf.from + e];
}
