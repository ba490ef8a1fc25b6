// emulated_planes scales the rows of a factor by powers of two, rounds them to integers and stores
// the integers' residues modulo each of MODULI_COUNT moduli, for emulated products.
//
// in:  a       element k of row r at a[r·step_row + k·step_inner]
//      shifts  exponents of the rows. A row that cannot be scaled becomes zeros
// out: planes  residues, in the layout of planes.glsl. Two planes are plane_bytes apart. All of the
//              padded_rows × padded_inner bytes of a plane are written. Bytes past rows and inner
//              become zeros
//
// float64 only
//
// If RIGHT is true, the residues modulo pᵢ are multiplied by qᵢ, the inverse of P/pᵢ modulo pᵢ. An
// invocation has 16 elements of a row, or 8 if DEPTH is 8.
//
// Grid: x and y together number the workgroups. Neighbouring invocations have neighbouring parts of
// a row, and then neighbouring rows of the same block.
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
#include "moduli.glsl"
#include "planes.glsl"
#include "residue.glsl"
#include "shifts.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 128;
// The number of moduli, 13 to 16.
layout(constant_id = 3) const uint MODULI_COUNT = 14;
// RIGHT tells that the factor is the right factor of the product.
layout(constant_id = 4) const bool RIGHT = false;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Bits { uint64_t at[]; };

layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer Quads { uvec4 at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer Pairs { uvec2 at[]; };

layout(push_constant, scalar) uniform Push {
	Bits a;
	ShiftsIn shifts;
	PlanesOut planes;
	// Elements from row to row, and along a row.
	uint64_t step_row, step_inner;
	uint64_t plane_bytes;
	uint panel_bytes;
	// padded_rows is a multiple of PANEL, padded_inner one of DEPTH.
	uint rows, inner, padded_rows, padded_inner;
} p;

// PART is the number of elements of an invocation. PARTS is the number of invocations that share one
// row of a block.
const uint PART = DEPTH < 16 ? 8 : 16, PARTS = DEPTH / PART;

// magnitude[k] is the magnitude of integer k of the invocation. Bit k of negative is its sign.
uint64_t magnitude[PART];
uint negative;

// weight returns one of the two words that hold 256ᵏ·q modulo modulus i as signed bytes. q is 1 for
// a left factor. half_ = 0 has k = 0 to 3, and half_ = 1 has k = 4 to 7.
uint weight(uint i, uint half_) {
	if (!RIGHT) return LEFT[2 * i + half_];
	return MODULI_COUNT == 13 ? RIGHT_13[2 * i + half_] : MODULI_COUNT == 14 ? RIGHT_14[2 * i + half_]
	     : MODULI_COUNT == 15 ? RIGHT_15[2 * i + half_] : RIGHT_16[2 * i + half_];
}

void main() {
	uint index = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	uint row = index / PARTS % p.padded_rows;
	uint first = index / PARTS / p.padded_rows * DEPTH + index % PARTS * PART;
	if (first >= p.padded_inner) return;
	int s = row < p.rows ? p.shifts.at[row] : NOT_FINITE;
	uint64_t a = uint64_t(p.a) + 8 * (row * p.step_row + first * p.step_inner);
	negative = 0;
	[[unroll]] for (uint k = 0; k < PART; k++) {
		uint64_t x = s != NOT_FINITE && first + k < p.inner ? Bits(a + 8 * k * p.step_inner).at[0] : 0UL;
		int e = int(x >> 52) & 0x7ff;
		uint64_t m = (x & 0xfffffffffffffUL) | (e == 0 ? 0UL : 1UL << 52);
		// |x|·2^s = m·2^-r is rounded to the nearest integer. A half is rounded up. The result is
		// below 2^63.
		int r = 1075 - max(e, 1) - s;
		magnitude[k] = m == 0 ? 0UL : r <= 0 ? m << -r : r > 54 ? 0UL : (m + (1UL << (r - 1))) >> r;
		negative |= uint(x >> 63) << k;
	}
	[[dont_unroll]] for (uint i = 0; i < MODULI_COUNT; i++) {
		uint low = weight(i, 0), high = weight(i, 1);
		uint words[PART / 4];
		[[unroll]] for (uint w = 0; w < PART / 4; w++) {
			words[w] = 0;
			[[unroll]] for (uint b = 0; b < 4; b++) {
				uint k = 4 * w + b;
				// |t| < 2^18, so one step reduces t.
				int t = dotPacked4x8EXT(uint(magnitude[k]), int(low)) + dotPacked4x8EXT(uint(magnitude[k] >> 32), int(high));
				t = (negative >> k & 1) != 0 ? -t : t;
				words[w] |= (uint(nearer(t, MODULI[i], MULTIPLIERS[i])) & 255) << (8 * b);
			}
		}
		uint64_t at = uint64_t(p.planes) + i * p.plane_bytes;
		at += place_of(row, first, p.panel_bytes);
		// Neighbouring invocations store neighbouring parts of a row.
		if (PART == 8) Pairs(at).at[0] = uvec2(words[0], words[1]);
		else Quads(at).at[0] = uvec4(words[0], words[1], words[PART / 4 - 2], words[PART / 4 - 1]);
	}
}
