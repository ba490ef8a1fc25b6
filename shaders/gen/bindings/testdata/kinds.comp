// kinds has every kind of parameter that a kernel may have,
// for the generator's test.
//
// Not part of the documentation.
// variant: kinds
// variant: kinds_f32 REAL=float Rotation=ShortRotation
// variant: kinds_deep DEPTH=3
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require

#ifndef REAL
#define REAL double
#endif
#ifndef DEPTH
#define DEPTH 1
#endif

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z = 2) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 3) const bool FMA_FUSED = true;
layout(constant_id = 4) const double EPS_LO = 1e-300lf;
layout(constant_id = 5) const float SHIFT = -0.1;
layout(constant_id = 6) const int K = -7;
layout(constant_id = 7) const uint64_t BIG = 0x123456789abcdefUL;

struct Rotation { REAL c, s; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer In { REAL at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Rotations { Rotation at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Words { uint next; uint error[2]; };
layout(buffer_reference, scalar, buffer_reference_align = 2) readonly buffer Halves { float16_t at[]; };

layout(push_constant, scalar) uniform Push {
	uint n;
	In a;
	Rotations rot;
	int ld_a;
	Words words;
	Halves h;
	double alpha;
	int64_t offset;
	uint tail;
} p;

void main() {
	double x = EPS_LO + double(p.h.at[0]) + SHIFT + (FMA_FUSED ? K : int(BIG));
	for (int i = 0; i < DEPTH; i++) x *= p.alpha;
	p.rot.at[int(p.offset)].c = p.a.at[p.ld_a] * REAL(x);
	p.words.next = p.n + p.tail;
}
