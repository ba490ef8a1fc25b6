// emulated_product_matrix multiplies planes of residues with matrix units: words ← (A·Bᵀ + A2·B2ᵀ)
// modulo each modulus.
//
// in:  a, b    residues of the factors A and B (planes.glsl). Row i of A and row j of B give
//              element (i, j) of the result
//      a2, b2  residues of the factors A2 and B2. If there is no second pair, inner2 = 0
// out: words   residues of the result (residue_tiles.glsl). The residues of two consecutive
//              planes are modulus_words apart
//
// variant: emulated_product_matrix
// variant: emulated_product_matrix_narrow NARROW
// variant: emulated_product_matrix_complex COMPLEX
// variant: emulated_product_matrix_complex_narrow COMPLEX NARROW
//
// float64 only
//
// A workgroup computes one tile for TURNS planes of residues (moduli.glsl), one after another. Each
// subgroup computes SUB_M×SUB_N fragments of the tile in 32-bit sums. The sums are exact, because
// inner + inner2 ≤ 131071. Tiles of the factors pass through shared memory, STEP bytes of each row
// at a time. In shared memory two rows are PITCH bytes apart. If PITCH is an odd multiple of 16,
// and DEPTH is the number of bytes that an invocation loads and stores at a time, there are no bank
// conflicts: eight neighbouring invocations then store to the same bytes of eight rows.
//
// The device decides which elements of a fragment each invocation holds. The decision is the same
// for all fragments. The kernel stores the residues in the order of the device. emulated_order
// determines this order, and emulated_update needs it to find the elements.
//
// The variant with NARROW is for matrix units whose fragments have rows of 8 bytes.
//
// Grid: x and y together number the tiles [first, first + count); z numbers groups of TURNS planes.
// A subgroup must have LANES invocations.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_integer_dot_product : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "moduli.glsl"
#include "planes.glsl"
#include "residue_tiles.glsl"
#include "residue.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations: LANES, the size of a subgroup, times the number of
// subgroups that share a tile.
layout(constant_id = 0) const uint LOCAL_SIZE = 256;
// FRAG_K is the number of bytes along the inner dimension of a fragment, the block that a matrix
// unit multiplies.
layout(constant_id = 8) const uint FRAG_K = 32;
// A subgroup computes SUB_M×SUB_N fragments of the tile. A fragment is the block of the result that
// a matrix unit computes.
layout(constant_id = 9) const uint SUB_M = 4;
layout(constant_id = 10) const uint SUB_N = 2;
// STEP is the number of bytes of each row that are in shared memory at a time, a multiple of FRAG_K
// and DEPTH.
layout(constant_id = 11) const uint STEP = 64;
// PITCH is the number of bytes from one row of residues to the next in shared memory.
layout(constant_id = 12) const uint PITCH = 80;
layout(constant_id = 13) const uint LANES = 32;
layout(constant_id = 14) const uint TURNS = 1;

#include "product_push.glsl"

// A unit_t is UNIT successive bytes of a row of residues: 16, or 8 with NARROW. In this file it is
// called a unit. An invocation loads and stores one unit at a time.
#ifdef NARROW
#define unit_t uvec2
#else
#define unit_t uvec4
#endif
const uint UNIT = 4 * unit_t(0).length();
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Units { unit_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer PairOut { uvec2 at[]; };

// tile_a and tile_b are in shared memory. They hold STEP bytes of each row of the tiles of A and B,
// as units of UNIT bytes. next_a and next_b hold those units of the next STEP bytes that this
// invocation has loaded.
const uint UNITS_A = TILE_M * STEP / UNIT, UNITS_B = TILE_N * STEP / UNIT, ROW = PITCH / UNIT;
shared unit_t tile_a[TILE_M * ROW];
shared unit_t tile_b[TILE_N * ROW];
const uint FETCH_A = (UNITS_A + LOCAL_SIZE - 1) / LOCAL_SIZE, FETCH_B = (UNITS_B + LOCAL_SIZE - 1) / LOCAL_SIZE;
unit_t next_a[FETCH_A], next_b[FETCH_B];

const uint COMPONENTS = FRAG_M * FRAG_N / LANES;
coopmat<int, gl_ScopeSubgroup, FRAG_M, FRAG_N, gl_MatrixUseAccumulator> acc[SUB_M * SUB_N];

// spot returns two numbers for unit number `index` (UNIT bytes) of a tile of `tile` rows: its row,
// and its first byte within the step, which is the STEP bytes of each row that are in shared
// memory. The units are numbered in the order of memory: block by block, and row by row in a block.
uvec2 spot(uint index, uint tile) {
	uint block = index / (tile * DEPTH / UNIT), rest = index % (tile * DEPTH / UNIT);
	return uvec2(rest / (DEPTH / UNIT), block * DEPTH + rest % (DEPTH / UNIT) * UNIT);
}

// distance_of returns the distance in memory from the first byte of a tile to unit number `index`,
// in bytes. A unit is UNIT bytes. A tile of PANEL rows is contiguous in memory, and a smaller tile
// is a part of a panel.
uint distance_of(uint index, uint tile) {
	if (tile == PANEL) return index * UNIT;
	uvec2 at = spot(index, tile);
	return place_in_panel(at.x, at.y);
}

// fetch loads this invocation's units (of UNIT bytes) of one step to next_a and next_b. A step is
// STEP bytes of each row, and begins at byte k of the inner dimension. a and b are the addresses of
// the tile's first row in A and in B.
void fetch(uint64_t a, uint64_t b, uint k) {
	uint t = gl_LocalInvocationIndex;
	a += k * PANEL + distance_of(t, TILE_M);
	b += k * PANEL + distance_of(t, TILE_N);
	[[unroll]] for (uint s = 0; s < FETCH_A; s++) {
		if (UNITS_A % LOCAL_SIZE == 0 || t + s * LOCAL_SIZE < UNITS_A)
			next_a[s] = Units(a + (distance_of(t + s * LOCAL_SIZE, TILE_M) - distance_of(t, TILE_M))).at[0];
	}
	[[unroll]] for (uint s = 0; s < FETCH_B; s++) {
		if (UNITS_B % LOCAL_SIZE == 0 || t + s * LOCAL_SIZE < UNITS_B)
			next_b[s] = Units(b + (distance_of(t + s * LOCAL_SIZE, TILE_N) - distance_of(t, TILE_N))).at[0];
	}
}

// put stores the units that fetch has loaded, next_a and next_b, to the tiles in shared memory.
void put() {
	uint t = gl_LocalInvocationIndex;
	[[unroll]] for (uint s = 0; s < FETCH_A; s++) {
		uvec2 at = spot(t + s * LOCAL_SIZE, TILE_M);
		if (UNITS_A % LOCAL_SIZE == 0 || t + s * LOCAL_SIZE < UNITS_A) tile_a[at.x * ROW + at.y / UNIT] = next_a[s];
	}
	[[unroll]] for (uint s = 0; s < FETCH_B; s++) {
		uvec2 at = spot(t + s * LOCAL_SIZE, TILE_N);
		if (UNITS_B % LOCAL_SIZE == 0 || t + s * LOCAL_SIZE < UNITS_B) tile_b[at.x * ROW + at.y / UNIT] = next_b[s];
	}
}

// multiply adds the products of one step to acc. `row` and `col` are the first row and column of
// the subgroup's part of the tile.
void multiply(uint row, uint col) {
	coopmat<int8_t, gl_ScopeSubgroup, FRAG_M, FRAG_K, gl_MatrixUseA> left[SUB_M];
	coopmat<int8_t, gl_ScopeSubgroup, FRAG_K, FRAG_N, gl_MatrixUseB> right;
	[[unroll]] for (uint k = 0; k < STEP; k += FRAG_K) {
		[[unroll]] for (uint i = 0; i < SUB_M; i++)
			coopMatLoad(left[i], tile_a, (row + i * FRAG_M) * ROW + k / UNIT, ROW, gl_CooperativeMatrixLayoutRowMajor);
		[[unroll]] for (uint j = 0; j < SUB_N; j++) {
			coopMatLoad(right, tile_b, (col + j * FRAG_N) * ROW + k / UNIT, ROW, gl_CooperativeMatrixLayoutColumnMajor);
			[[unroll]] for (uint i = 0; i < SUB_M; i++) acc[j * SUB_M + i] = coopMatMulAdd(left[i], right, acc[j * SUB_M + i]);
		}
	}
}

// finish stores the residues of the subgroup's part of the tile, which begins at `row` and `col`.
// `words` is the address of the residues of the tile. r has the constants of the modulus.
void finish(uint64_t words, uint row, uint col, Reduction r) {
	uint lane = gl_SubgroupInvocationID;
	[[unroll]] for (uint f = 0; f < SUB_M * SUB_N; f++) {
		uint fragment = (col / FRAG_N + f / SUB_M) * (TILE_M / FRAG_M) + row / FRAG_M + f % SUB_M;
		uint word[COMPONENTS / 4];
		[[unroll]] for (uint w = 0; w < COMPONENTS / 4; w++) {
			uint y[4];
			[[unroll]] for (uint e = 0; e < 4; e++) y[e] = residue_of_sum(acc[f][4 * w + e], r);
			word[w] = pack32(u8vec4(y[0], y[1], y[2], y[3]));
		}
		uint64_t at = words + 4 * (fragment * FRAG_WORDS + lane * (COMPONENTS / 4));
		if (COMPONENTS == 8) PairOut(at).at[0] = uvec2(word[0], word[COMPONENTS / 4 - 1]);
		else {
			[[unroll]] for (uint w = 0; w < COMPONENTS / 4; w++) WordsOut(at).at[w] = word[w];
		}
	}
}

void main() {
	if (workgroup() >= p.count) return;
	uvec2 corner = tile_corner(p.first + workgroup(), p.rows, p.cols, p.lower != 0);
	// Each subgroup computes one part of the tile. The parts are numbered column by column, and
	// `down` is the number of parts in a column.
	const uint down = TILE_M / (SUB_M * FRAG_M);
	uint subgroup = gl_SubgroupID;
	uint row = subgroup % down * SUB_M * FRAG_M, col = subgroup / down * SUB_N * FRAG_N;
	uint modulus = gl_WorkGroupID.z * TURNS, last = min(modulus + TURNS, p.moduli);
	uint64_t tile_rows = place_of(corner.x, 0, p.panel_bytes_a), tile_cols = place_of(corner.y, 0, p.panel_bytes_b);
	uint64_t words = uint64_t(p.words) + 4 * uint64_t(workgroup()) * TILE_WORDS;

	uint64_t a = uint64_t(p.a) + tile_rows + modulus * p.plane_bytes_a;
	uint64_t b = uint64_t(p.b) + tile_cols + modulus * p.plane_bytes_b;
	uint end = p.inner + p.inner2;
	fetch(a, b, 0);
	[[dont_unroll]] for (; modulus < last; modulus++) {
		[[unroll]] for (uint f = 0; f < SUB_M * SUB_N; f++)
			acc[f] = coopmat<int, gl_ScopeSubgroup, FRAG_M, FRAG_N, gl_MatrixUseAccumulator>(SUM_START);
		[[dont_unroll]] for (uint k = 0; k < end; k += STEP) {
			put();
			barrier();
			// The next step is the following step of the same pair of factors, or the first step of
			// the second pair, or the first step of the next modulus.
			uint next = k + STEP;
			if (next == end) {
				a = uint64_t(p.a) + tile_rows + (modulus + 1) * p.plane_bytes_a;
				b = uint64_t(p.b) + tile_cols + (modulus + 1) * p.plane_bytes_b;
				next = 0;
			} else if (next == p.inner) {
				// The inner dimensions of the two pairs of factors follow one another. Position k,
				// past the first pair, is byte k − `inner` in the residues of the second pair.
				a = uint64_t(p.a2) + tile_rows + modulus * p.plane_bytes_a - p.inner * PANEL;
				b = uint64_t(p.b2) + tile_cols + modulus * p.plane_bytes_b - p.inner * PANEL;
			}
			if (next != 0 || modulus + 1 < last) fetch(a, b, next);
			multiply(row, col);
			barrier();
		}
		finish(words + 4 * modulus * p.modulus_words, row, col, reduction(modulus_of(modulus, p.moduli)));
	}
}
