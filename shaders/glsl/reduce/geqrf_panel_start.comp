// geqrf_panel_start prepares the QR factorisation of an m×COLUMNS panel. It computes the scales of
// the workgroups, and the dot products of column 0.
//
// complex
//
// in:  panel      m×COLUMNS, finite
// out: state      row 0 of the panel, not scaled. Then for each workgroup g the dot products of
//                 column 0, below row 0, with every column. They are over the rows
//                 [g·rows, min(m, (g+1)·rows)) of workgroup g, scaled by 2^-exponents[1+g]
//      exponents  [1+g] for each workgroup g: its entries are below 2^exponents[1+g] in
//                 magnitude (below 4 times that if the exponent is SCALE_MOST). For complex
//                 numbers this is true of their real and imaginary parts
//      slots      the first `cleared` words with all bits set, as geqrf_panel_whole needs them
//
// With these scales no square overflows. The largest scaled entry is at least ½, unless all entries
// are zero or subnormal. So products that underflow are negligible. The next dispatch converts all
// dot products to one scale. The outputs must not overlap the panel or each other. m ≥ 1, ld ≥ m.
//
// Grid: ⌈m / rows⌉ workgroups.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#include "panel.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Exponents { int at[]; };

layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer Slots { uint64_t at[]; };

layout(push_constant, scalar) uniform Push {
	MatrixIn panel;
	MatrixOut state;
	Exponents exponents;
	Slots slots;
	// m is the number of rows of the panel, at least 1. The leading dimension ld is at least m.
	// `rows` is the number of rows of a workgroup, a multiple of CHUNK. `cleared` is the number of
	// slots to mark as empty. A slot is a 64-bit word through which workgroups of geqrf_panel_whole
	// exchange a number. `cleared` is 0 if geqrf_panel_whole does not follow.
	uint m, ld, rows, cleared;
} p;

void main() {
	uint t = gl_LocalInvocationIndex, row_of = t % CHUNK, lane = t / CHUNK;
	uint begin = gl_WorkGroupID.x * p.rows, end = min(begin + p.rows, p.m);

	for (uint i = gl_WorkGroupID.x * LOCAL_SIZE + t; i < p.cleared; i += gl_NumWorkGroups.x * LOCAL_SIZE) p.slots.at[i] = ~0ul;
	real_t largest = real_t(0);
	for (uint row = begin + row_of; row < end; row += CHUNK) {
		for (uint l = lane; l < COLUMNS; l += LANES) largest = max(largest, largest_part(work_t(p.panel.at[row + l * p.ld])));
	}
	int e = exponent_of(group_max(real_t(largest)));
	if (t == 0) p.exponents.at[1 + gl_WorkGroupID.x] = e;
	real_t scale = power_of_two(-e);

	acc_t share = acc_t(0);
	for (uint chunk = begin; chunk < end; chunk += CHUNK) {
		uint row = chunk + row_of;
		for (uint l = lane; l < COLUMNS; l += LANES) {
			work_t x = row < end ? work_t(p.panel.at[row + l * p.ld]) : work_t(0);
			if (row == 0) p.state.at[l] = scalar_t(x);
			tile[l * STRIDE + row_of] = row == 0 ? work_t(0) : x * scale;
		}
		barrier();
		share = add_dots(share, 0);
		barrier();
	}
	put_dots(p.state, share, 0);
}
