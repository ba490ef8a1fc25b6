// emulated_order finds out which elements of a fragment each invocation of a subgroup holds, for
// emulated_product_matrix. A fragment is a matrix of FRAG_M×FRAG_N elements in the registers of a
// subgroup.
//
// out: order  FRAG_M·FRAG_N numbers, COMPONENTS = FRAG_M·FRAG_N/LOCAL_SIZE for each invocation.
//             Number l·COMPONENTS + e is row + FRAG_M·column, for the row and the column of
//             element e of invocation l. If the invocations do not hold COMPONENTS elements each,
//             the numbers are NO_ORDER
//
// float64 only
//
// Grid: one workgroup, of one subgroup.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_cooperative_matrix : require

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 32;
layout(constant_id = 1) const uint FRAG_M = 16;
layout(constant_id = 2) const uint FRAG_N = 16;

#pragma host NO_ORDER
const uint NO_ORDER = 0xffffffffu;
const uint COMPONENTS = FRAG_M * FRAG_N / LOCAL_SIZE;

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Order { uint at[]; };

layout(push_constant, scalar) uniform Push { Order order; } p;

shared int numbers[FRAG_M * FRAG_N];

void main() {
	for (uint e = gl_LocalInvocationIndex; e < FRAG_M * FRAG_N; e += LOCAL_SIZE) numbers[e] = int(e);
	barrier();
	coopmat<int, gl_ScopeSubgroup, FRAG_M, FRAG_N, gl_MatrixUseAccumulator> fragment;
	coopMatLoad(fragment, numbers, 0, FRAG_M, gl_CooperativeMatrixLayoutColumnMajor);
	bool even = fragment.length() == COMPONENTS;
	[[unroll]] for (uint e = 0; e < COMPONENTS; e++)
		p.order.at[gl_SubgroupInvocationID * COMPONENTS + e] = even ? uint(fragment[e]) : NO_ORDER;
}
