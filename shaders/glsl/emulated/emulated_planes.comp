// emulated_planes scales the rows of a factor by powers of two and rounds the elements to integers,
// for emulated products. It stores the residues of the integers modulo each of MODULI_COUNT moduli.
//
// in:  a       element k of row r is a[r·step_row + (k − from)·step_inner]
//      shifts  exponents of the powers of two. A row that cannot be scaled becomes zeros
// out: planes  residues, in the layout of planes.glsl, one plane for each modulus, or two planes if
//              the factor is complex (moduli.glsl). Two planes are plane_bytes apart. All
//              padded_rows × padded_inner bytes of a plane are written. Bytes past rows and inner
//              become zeros
//
// variant: emulated_planes
// variant: emulated_planes_complex COMPLEX
//
// float64 only
//
// If RIGHT is true, the residues modulo pᵢ are multiplied by qᵢ, or by ½·qᵢ if the factor is
// complex. pᵢ is modulus i, P is the product of the moduli, and qᵢ is the inverse of P/pᵢ modulo
// pᵢ.
//
// Grid: x and y together number the workgroups. Each invocation computes PART elements of a row.
// Consecutive invocations compute consecutive parts of one row of a block. They are followed by the
// invocations for the next row of the block.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_integer_dot_product : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "entries.glsl"
#include "moduli.glsl"
#include "planes.glsl"
#include "residue.glsl"
#include "shifts.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 128;
// MODULI_COUNT is the number of moduli: 6, 8, 10, or 13 to 16. It is 14 to 16 for complex numbers.
layout(constant_id = 3) const uint MODULI_COUNT = 14;
layout(constant_id = 4) const bool RIGHT = false;
// PART is the number of elements of a row that one invocation scales and rounds: 8, 16 or 32. It
// divides DEPTH, the number of residues of a row that are contiguous in memory.
layout(constant_id = 5) const uint PART = 16;
// SYMMETRIC tells whether the factor is symmetric, or Hermitian if it is complex. Then only its
// lower triangle is read: the elements k ≤ r of row r, without the imaginary parts of the diagonal.
layout(constant_id = 6) const bool SYMMETRIC = false;

layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer Quads { uvec4 at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer Pairs { uvec2 at[]; };

layout(push_constant, scalar) uniform Push {
	Bits a;
	ShiftsIn shifts;
	PlanesOut planes;
	// step_row and step_inner are the distances in elements from one row to the next, and from one
	// element of a row to the next.
	uint64_t step_row, step_inner;
	uint64_t plane_bytes;
	uint panel_bytes;
	// padded_rows is a multiple of PANEL, and padded_inner a multiple of DEPTH.
	uint rows, inner, padded_rows, padded_inner;
	// The elements before element `from` of each row count as zeros and are not read.
	uint from;
	// With SYMMETRIC, `before` is the number of rows of the symmetric matrix before the first row
	// of this dispatch. Then a is the address of element (0, 0), not of the first row, and `from`
	// is 0.
	uint before;
} p;

// PARTS is the number of invocations that share the DEPTH elements of one row in a block of
// residues (planes.glsl).
const uint PARTS = DEPTH / PART;

// `integers[k]` is the integer that the invocation has computed from element k, plus 2^63, as two
// words. The sum is not negative. A complex element has two integers, those of its parts.
#ifdef COMPLEX
uvec2 integers[2 * PART];
#define INTEGER(k, part) integers[2 * (k) + part]
// A complex element has two residues for each modulus. If the plane of the first residue is number
// i from the first plane, the plane of the second one is number i from the last plane.
#define EACH_RESIDUE [[unroll]] for (uint second = 0; second < 2; second++)
#define PLANE(i) (second == 0 ? i : 2 * MODULI_COUNT - 1 - i)
#else
uvec2 integers[PART];
#define INTEGER(k, part) integers[k]
#define EACH_RESIDUE
#define PLANE(i) i
#endif

// weight returns the residues of 256ᵏ·q modulo the modulus pᵢ as four signed bytes in a word: for k
// = 0 to 3 if half_ is 0, and for k = 4 to 7 if half_ is 1. q is 1 for a left factor. For a right
// factor q is the inverse of P/pᵢ modulo pᵢ, or half of it for complex numbers, where P is the
// product of the moduli.
#ifdef COMPLEX
uint weight(uint i, uint half_) {
	return RIGHT ? MODULI_COUNT == 14 ? RIGHT_14[2 * i + half_] : MODULI_COUNT == 15 ? RIGHT_15[2 * i + half_] : RIGHT_16[2 * i + half_]
	             : LEFT[2 * i + half_];
}

// turned returns the residues of ι·256ᵏ·q in the form of `weight`. ι is the integer with ι² ≡ −1
// modulo the modulus.
uint turned(uint i, uint half_) {
	return RIGHT ? MODULI_COUNT == 14 ? RIGHT_14_TURNED[2 * i + half_] : MODULI_COUNT == 15 ? RIGHT_15_TURNED[2 * i + half_] : RIGHT_16_TURNED[2 * i + half_]
	             : LEFT_TURNED[2 * i + half_];
}
#else
uint weight(uint i, uint half_) {
	if (!RIGHT) return LEFT[2 * i + half_];
	if (MODULI_COUNT == 6) return RIGHT_6[2 * i + half_];
	if (MODULI_COUNT == 8) return RIGHT_8[2 * i + half_];
	if (MODULI_COUNT == 10) return RIGHT_10[2 * i + half_];
	return MODULI_COUNT == 13 ? RIGHT_13[2 * i + half_] : MODULI_COUNT == 14 ? RIGHT_14[2 * i + half_]
	     : MODULI_COUNT == 15 ? RIGHT_15[2 * i + half_] : RIGHT_16[2 * i + half_];
}
#endif

// scaled returns |x|·2^s rounded to the nearest integer, a half upwards. m is the significand of x,
// and e is its biased exponent, at least 1. The result is below 2^63.
uint64_t scaled(uint64_t m, int e, int s) {
	int r = 1075 - e - s; // the result is m·2^-r
	if (r < -10) return m << -r; // only subnormal numbers are small enough for this
	// The significand m is below 2^53, so m·2^11 fits in 64 bits.
	uint64_t twice = r > 53 ? 0UL : m << 11 >> (r + 10);
	return (twice >> 1) + (twice & 1);
}

// bits returns element k of a row as the 64 bits of its double, or of its two doubles.
entry_t bits(uint row, uint k) {
	if (SYMMETRIC) row += p.before;
	if (SYMMETRIC && k > row) return conjugate_entry(Bits(uint64_t(p.a) + ENTRY_BYTES * (k * p.step_row + row * p.step_inner)).at[0]);
#ifdef COMPLEX
	if (SYMMETRIC && k == row) return u64vec2(Bits(uint64_t(p.a) + ENTRY_BYTES * (row * p.step_row + k * p.step_inner)).at[0].x, 0);
#endif
	return Bits(uint64_t(p.a) + ENTRY_BYTES * (row * p.step_row + (k - p.from) * p.step_inner)).at[0];
}

void main() {
	uint index = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	uint row = index / PARTS % p.padded_rows;
	uint first = index / PARTS / p.padded_rows * DEPTH + index % PARTS * PART;
	if (first >= p.padded_inner) return;
	int s = row < p.rows ? p.shifts.at[row] : NOT_FINITE;
	[[unroll]] for (uint k = 0; k < PART; k++) {
		entry_t x = s != NOT_FINITE && first + k >= p.from && first + k < p.inner ? bits(row, first + k) : ZERO_ENTRY;
		EACH_PART {
			int e = int(PART_OF(x) >> 52) & 0x7ff;
			uint64_t m = (PART_OF(x) & 0xfffffffffffffUL) | (e == 0 ? 0UL : 1UL << 52);
			uint64_t n = m == 0 ? 0UL : scaled(m, max(e, 1), s);
			n = int64_t(PART_OF(x)) < 0 ? -n : n;
			INTEGER(k, part) = uvec2(uint(n), uint(n >> 32) ^ 0x80000000u);
		}
	}
	[[dont_unroll]] for (uint i = 0; i < MODULI_COUNT; i++) {
		int low = int(weight(i, 0)), high = int(weight(i, 1)), q = MODULI[i];
		// The words hold the integer x plus 2^63 = 128·256⁷. The residue of 256⁷ is the upper byte
		// of `high`. So `offset` subtracts 128 times this byte, and adds MAGIC, the bit pattern of
		// 1.5·2²³.
		int offset = MAGIC + (high >> 24) * -128;
		float inverse = 1.0 / float(q);
#ifdef COMPLEX
		int low_turned = int(turned(i, 0)), high_turned = int(turned(i, 1)), offset_turned = (high_turned >> 24) * -128;
#endif
		EACH_RESIDUE {
			uint words[PART / 4];
			[[unroll]] for (uint w = 0; w < PART / 4; w++) {
				words[w] = 0;
				[[unroll]] for (uint b = 0; b < 4; b++) {
					uvec2 n = INTEGER(4 * w + b, 0);
					int magic_t = dotPacked4x8EXT(n.y, high) + (dotPacked4x8EXT(n.x, low) + offset);
#ifdef COMPLEX
					uvec2 imaginary = INTEGER(4 * w + b, 1);
					int t = dotPacked4x8EXT(imaginary.y, high_turned) + (dotPacked4x8EXT(imaginary.x, low_turned) + offset_turned);
					magic_t += second == 0 ? t : -t;
#endif
					words[w] |= (residue(magic_t, q, inverse) & 255) << (8 * b);
				}
			}
			uint64_t at = uint64_t(p.planes) + PLANE(i) * p.plane_bytes;
			at += place_of(row, first, p.panel_bytes);
			// Neighbouring invocations store neighbouring parts of a row, so the stores are
			// contiguous.
			if (PART == 8) {
				Pairs(at).at[0] = uvec2(words[0], words[1]);
			} else {
				[[unroll]] for (uint w = 0; w < PART / 4; w += 4) Quads(at).at[w / 4] = uvec4(words[w], words[w + 1], words[w + 2], words[w + 3]);
			}
		}
	}
}
