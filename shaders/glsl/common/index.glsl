// This header computes addresses of matrix elements in memory, and numbers of workgroups in the
// grid.
//
// Every kernel that works on matrices includes this header, after a numerics header. It defines the
// buffer types MatrixIn, MatrixOut and MatrixInOut, and the functions element and workgroup. The
// kernel must enable GL_EXT_buffer_reference, GL_EXT_buffer_reference2, GL_EXT_scalar_block_layout
// and GL_EXT_shader_explicit_arithmetic_types_int64.
//
// Element (i, j) of a column-major matrix with leading dimension ld lies i + j·ld elements after
// the first one. For a square matrix this index passes 2³¹ at order 46341. Therefore a kernel calls
// element() for the 64-bit address of its tile or column, and computes 32-bit indices relative to
// this address. The last element of a tile must then lie less than 2³² elements after the first
// one. This is true for tiles of up to 256 columns if ld < 2²⁴.
#ifndef INDEX_GLSL
#define INDEX_GLSL

layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) readonly buffer MatrixIn { scalar_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) writeonly buffer MatrixOut { scalar_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer MatrixInOut { scalar_t at[]; };

// element returns the address of element (i, j) of the column-major matrix at address `base`. ld is
// the leading dimension in elements.
uint64_t element(uint64_t base, uint64_t i, uint64_t j, uint64_t ld) {
	return base + SCALAR_BYTES * (i + j * ld);
}

// workgroup returns the number of this workgroup in a grid that vk.Folded spread over x and y. The
// grid can have more workgroups than the kernel needs. So the kernel must compare the returned
// number with the number of workgroups that it needs, and return if the number is too large.
uint workgroup() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

#endif
