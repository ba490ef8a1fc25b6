// emulated_product_dot multiplies planes of residues with packed dot products, for devices without
// matrix units for bytes: words ← (A·Bᵀ + A2·B2ᵀ) modulo each modulus.
//
// in:  a, b    residues of the factors A and B (planes.glsl). Row i of A and row j of B give
//              element (i, j) of the result
//      a2, b2  residues of the factors A2 and B2. If there is no second pair, inner2 = 0
// out: words   residues of the result (residue_tiles.glsl). The residues of two consecutive
//              planes are modulus_words apart
//
// variant: emulated_product_dot
// variant: emulated_product_dot_complex COMPLEX
//
// float64 only
//
// An invocation computes 8×8 elements in 32-bit sums. The sums are exact, because
// inner + inner2 ≤ 131071.
//
// Grid: x and y together number the tiles [first, first + count); z is the number of the plane of
// residues (moduli.glsl).
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
#include "residue_tiles.glsl"
#include "residue.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is TILE_M/8 · TILE_N/8: one invocation for every 8×8 elements of the tile.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

#include "product_push.glsl"

int acc[64];

// multiply adds the product of one pair of factors, at the addresses a and b, to acc, the
// invocation's part of the result. `row` and `col` are those of the invocation's first element.
void multiply(uint64_t a, uint64_t b, uint inner, uint row, uint col) {
	uint64_t ra[8], rb[8];
	[[unroll]] for (uint r = 0; r < 8; r++) {
		ra[r] = a + place_of(row + r, 0, p.panel_bytes_a);
		rb[r] = b + place_of(col + r, 0, p.panel_bytes_b);
	}
	[[dont_unroll]] for (uint k = 0; k < inner; k += DEPTH) {
		[[dont_unroll]] for (uint h = 0; h < DEPTH; h += 4) {
			uint64_t at = k * PANEL + h;
			int left[8], right[8];
			[[unroll]] for (uint r = 0; r < 8; r++) {
				left[r] = int(PlanesIn(ra[r] + at).at[0]);
				right[r] = int(PlanesIn(rb[r] + at).at[0]);
			}
			[[unroll]] for (uint c = 0; c < 8; c++) {
				[[unroll]] for (uint r = 0; r < 8; r++) acc[8 * c + r] += dotPacked4x8EXT(left[r], right[c]);
			}
		}
	}
}

void main() {
	if (workgroup() >= p.count) return;
	uint modulus = gl_WorkGroupID.z, t = gl_LocalInvocationIndex;
	uvec2 corner = tile_corner(p.first + workgroup(), p.rows, p.cols, p.lower != 0);
	uint row = t % (TILE_M / 8) * 8, col = t / (TILE_M / 8) * 8;
	[[unroll]] for (uint e = 0; e < 64; e++) acc[e] = SUM_START;
	multiply(uint64_t(p.a) + modulus * p.plane_bytes_a, uint64_t(p.b) + modulus * p.plane_bytes_b, p.inner,
		corner.x + row, corner.y + col);
	multiply(uint64_t(p.a2) + modulus * p.plane_bytes_a, uint64_t(p.b2) + modulus * p.plane_bytes_b, p.inner2,
		corner.x + row, corner.y + col);

	// A word of the result holds the residues of four neighbouring rows of one column.
	Reduction reduce = reduction(modulus_of(modulus, p.moduli));
	WordsOut words = WordsOut(uint64_t(p.words) + 4 * (modulus * p.modulus_words + uint64_t(workgroup()) * TILE_WORDS));
	[[unroll]] for (uint c = 0; c < 8; c++) {
		[[unroll]] for (uint r = 0; r < 8; r += 4) {
			uint word = 0;
			[[unroll]] for (uint b = 0; b < 4; b++) word |= (residue_of_sum(acc[8 * c + r + b], reduce) & 255) << (8 * b);
			uint i = row + r, j = col + c;
			uint fragment = j / FRAG_N * (TILE_M / FRAG_M) + i / FRAG_M;
			words.at[fragment * FRAG_WORDS + (j % FRAG_N * FRAG_M + i % FRAG_M) / 4] = word;
		}
	}
}
