// column_signs makes the entry of largest magnitude of each column positive. If this entry is
// negative, the signs of the whole column change. If several entries have the largest magnitude,
// the first one decides. A column of zeros stays unchanged. The search for the entry ignores NaNs.
//
// complex
//
// For complex numbers, each column is multiplied by the number of modulus 1 that makes the entry z
// of largest |z|² real and positive. The imaginary part of this entry becomes 0. A column of real
// numbers changes its signs, or nothing.
//
// in, out: x        rows×cols, column-major, ldx ≥ rows
//          flipped  cols words, or null. With follow = 0 the kernel writes 1 for each column whose
//                   signs have changed, and 0 for every other column. With follow = 1 it reads the
//                   words, and changes the signs of the columns with 1, whatever their entries.
//                   For complex numbers the words are cols complex numbers, the phases z/|z|, by
//                   whose conjugates the columns are multiplied
//
// For singular vectors, a dispatch with follow = 0 decides the signs of the right vectors. A
// dispatch with follow = 1 then changes the signs of the left vectors in the same way.
//
// Grid: one workgroup per column, in x and y. rows = 0 must not be dispatched.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#ifdef COMPLEX
#include "polar.glsl"
#define decision_t scalar_t
#define decision(z) (z)
#define size_of(z) square(z)
layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer Phases { scalar_t at[]; };
#else
#define decision_t bool
#define decision(z) ((z) < scalar_t(0))
#define size_of(z) abs(z)
#endif

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a power of two.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer Column { scalar_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint at[]; };

layout(push_constant, scalar) uniform Push {
	Column x;
	Words flipped;
	// The shape of X is rows×cols, with rows at least 1. The leading dimension ldx is at least
	// rows. If `follow` is 0, the kernel chooses the signs itself. If `follow` is 1, it reads from
	// the buffer `flipped` which columns change their signs, and `flipped` must not be null.
	uint rows, cols, ldx, follow;
} p;

// `largest` and `place` have, for each invocation, the largest magnitude that the invocation has
// found (its square for complex numbers), and the row of the entry with this magnitude.
shared real_t largest[LOCAL_SIZE];
shared uint place[LOCAL_SIZE];

// decides returns whether the entry of largest magnitude of x is negative. For complex numbers
// decides returns this entry. After the call, place[0] is the row of this entry. All invocations of
// the workgroup must call decides.
decision_t decides(Column x, uint t) {
	real_t top = real_t(-1);
	uint at = 0;
	for (uint i = t; i < p.rows; i += LOCAL_SIZE) {
		real_t v = size_of(x.at[i]);
		if (v > top) {
			top = v;
			at = i;
		}
	}
	largest[t] = top;
	place[t] = at;
	barrier();
	for (uint width = LOCAL_SIZE / 2; width > 0; width /= 2) {
		if (t < width) {
			bool take = largest[t + width] > largest[t] || largest[t + width] == largest[t] && place[t + width] < place[t];
			if (take) {
				largest[t] = largest[t + width];
				place[t] = place[t + width];
			}
		}
		barrier();
	}
	decision_t flip = decision(x.at[place[0]]);
	barrier();
	return flip;
}

void main() {
	uint j = workgroup();
	if (j >= p.cols) return;
	uint t = gl_LocalInvocationID.x;
	Column x = Column(element(uint64_t(p.x), 0, j, p.ldx));
#ifdef COMPLEX
	Phases phases = Phases(uint64_t(p.flipped));
	scalar_t phase;
	if (p.follow != 0) {
		phase = phases.at[j];
		for (uint i = t; i < p.rows; i += LOCAL_SIZE) x.at[i] = mul(x.at[i], conjugate(phase));
	} else {
		real_t modulus = polar(decides(x, t), phase);
		if (uint64_t(p.flipped) != 0ul && t == 0) phases.at[j] = phase;
		for (uint i = t; i < p.rows; i += LOCAL_SIZE) {
			x.at[i] = i == place[0] ? of_real(modulus) : mul(x.at[i], conjugate(phase));
		}
	}
#else
	bool flip;
	if (p.follow != 0) {
		flip = p.flipped.at[j] != 0;
	} else {
		flip = decides(x, t);
		if (uint64_t(p.flipped) != 0ul && t == 0) p.flipped.at[j] = uint(flip);
	}
	if (flip) {
		for (uint i = t; i < p.rows; i += LOCAL_SIZE) x.at[i] = -x.at[i];
	}
#endif
}
