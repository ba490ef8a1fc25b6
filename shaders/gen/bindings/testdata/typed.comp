// typed has a type parameter, for the generator's test.
//
// variant: typed
// variant: typed_twice TWICE
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"

layout(local_size_x = 8) in;
layout(constant_id = 3) const uint STEP = 2;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Numbers { scalar_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };

layout(push_constant, scalar) uniform Push {
	uint n;
	Numbers x;
	scalar_t alpha;
	float beta;
	Words words;
	scalar_t gamma;
} p;

void main() {
	p.x.at[p.words.at[STEP]] = (p.alpha + p.gamma) * p.beta + p.n;
#ifdef TWICE
	p.x.at[0] *= scalar_t(2);
#endif
}
