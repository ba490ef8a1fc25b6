// traps has one variant for each mistake with complex numbers that spirv.CheckComplex must refuse,
// and one variant, sound, without a mistake.
//
// complex
// variant: sound OF=mad_conj(a,b,-c)+real_of(a)*conjugate(mul(b,c))-one()+scalar_t(0)
// variant: product OF=a*b
// variant: quotient OF=a/b
// variant: fused OF=fma(a,b,c)
// variant: absolute OF=abs(a)
// variant: largest OF=max(a,b)
// variant: root OF=sqrt(a)
// variant: inner OF=of_real(dot(a,b))
// variant: less OF=all(lessThan(a,b))?a:b
// variant: scalar OF=scalar_t(1)
// variant: doubled OF=scalar_t(r)
// variant: dropped OF=of_real(real_t(a))
// variant: part OF=of_real(p.a.at[1].y)
// variant: swapped OF=a.yx
// variant: indexed OF=of_real(a[p.n])
// variant: member OF=of_real(pair(a,b).second.x)
// variant: selected OF=mix(a,b,bvec2(p.n==0u,p.n==1u))
// variant: misaligned OF=a ALIGN=4
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"

layout(local_size_x = 8) in;

#ifndef ALIGN
#define ALIGN SCALAR_BYTES
#endif
layout(buffer_reference, scalar, buffer_reference_align = ALIGN) buffer Numbers { scalar_t at[]; };

layout(push_constant, scalar) uniform Push {
	Numbers a;
	uint n;
} p;

struct Pair { scalar_t first, second; };
Pair pair(scalar_t a, scalar_t b) { return Pair(a, b); }

void main() {
	scalar_t a = p.a.at[0], b = p.a.at[1], c = p.a.at[2];
	real_t r = real_of(b);
	p.a.at[3] = OF;
}
