// Where things lie: matrices in memory, workgroups in the grid.
//
// Element (i, j) of a column-major matrix with leading dimension ld is i + j·ld
// elements behind its first, which passes 2³¹ at order 46341. So a kernel
// asks element() for the 64-bit address of its tile or column, and indexes from
// there in 32 bits: a tile's last element must be less than 2³² elements away,
// which any ld below 2²⁴ keeps for tiles of up to 256 columns.
//
// After a numerics header; the includer enables GL_EXT_buffer_reference,
// GL_EXT_buffer_reference2, GL_EXT_scalar_block_layout and
// GL_EXT_shader_explicit_arithmetic_types_int64.
#ifndef INDEX_GLSL
#define INDEX_GLSL

layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) readonly buffer MatrixIn { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) writeonly buffer MatrixOut { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer MatrixInOut { real_t at[]; };

// element is the address of element (i, j) of the matrix at base.
uint64_t element(uint64_t base, uint64_t i, uint64_t j, uint64_t ld) {
	return base + REAL_BYTES * (i + j * ld);
}

// workgroup is the number of this workgroup in a grid that vk.Folded made of x
// and y. It may be past the count that was asked for.
uint workgroup() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

#endif
