// trsm_batch computes the vectors of many generalized eigenproblems from those of their standard
// forms, X = L⁻ᴴ·Z·2^(−e/2) (LAPACK dtrsm, ztrsm), and chooses their signs. One workgroup computes TILE
// vectors of one matrix.
//
// complex
//
// in:      matrices  the matrices from number `first` on
//          factors   the factors of potrf_batch, as for sygst_batch. `found` has their states, with the
//                    exponents e, and l their entries
//          states    the states of sygst_batch. If a status is not GOOD, nothing is done
// in, out: v         the vectors Z, n×(to − from) for each matrix, which X overwrites
//
// In each vector the component of largest magnitude is real and positive, or the first one if there
// are several. The bits depend on n and TILE.
//
// Grid: in x and y, `count` workgroups.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "polar.glsl"
#include "problem.glsl"
#include "meet.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, (TILE / EACH)².
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// TILE is the order of a block.
layout(constant_id = 1) const uint TILE = 16;
// An invocation has EACH rows and EACH columns of a block. TILE is a multiple of EACH.
layout(constant_id = 2) const uint EACH = 2;
#include "blocks.glsl"

layout(push_constant, scalar) uniform Push {
	Matrices matrices, factors;
	States states, found;
	SharedReals v, l;
	// stride       1 if each matrix has a factor of its own, and 0 if the first one is that of all
	// parts        number of workgroups for a matrix, enough for all vectors of each
	// from, count  the dispatch has the workgroups [from, from + count) of those of all matrices from
	//              `first` on
	uint first, stride, parts, from, count;
} p;

// most and place have, for each vector, the magnitude and the row of the largest component that each
// invocation with a part of it has found. The magnitude of a complex number is its square.
shared real_t most[TILE * SIDE];
shared uint place[TILE * SIDE];
#ifdef COMPLEX
#define size_of(x) square(x)
#else
#define size_of(x) abs(x)
#endif

void main() {
	if (workgroup() >= p.count) return;
	uint part = p.from + workgroup(), index = p.first + part / p.parts, second = index * p.stride;
	BatchMatrix m = p.matrices.at[index];
	uint j = part % p.parts * TILE, columns = m.to - m.from;
	if (j >= columns || p.states.at[index].status != GOOD || p.found.at[second].status != GOOD) return;
	begin_blocks(m.n);
	SharedReals v = SharedReals(element(uint64_t(p.v), long_(m.v), 0, 0));
	SharedReals l = SharedReals(element(uint64_t(p.l), long_(p.factors.at[second].a), 0, 0));
	real_t largest[EACH];
	uint where[EACH];
	[[unroll]] for (uint b = 0; b < EACH; b++) largest[b] = -1.0, where[b] = 0;
	uint blocks = (n + TILE - 1) / TILE;
	for (uint left = blocks; left > 0; left--) {
		uint i = (left - 1) * TILE;
		load(v, i, j, columns);
		for (uint k = i + TILE; k < n; k += TILE) {
			barrier();
			fetch(0, l, k, i, n, true);
			fetch(SECOND, v, k, j, columns, false);
			barrier();
			subtract(depth(k));
		}
		barrier();
		fetch(0, l, i, i, n, true);
		negate(SECOND);
		barrier();
		subtract(depth(i));
		store(v, i, j, columns, false);
		[[unroll]] for (uint b = 0; b < EACH; b++) {
			[[unroll]] for (uint a = 0; a < EACH; a++) {
				uint r = i + row_ + a * SIDE;
				real_t x = size_of(block[a + b * EACH]);
				if (r < n && (x > largest[b] || x == largest[b] && r < where[b])) largest[b] = x, where[b] = r;
			}
		}
		meet();
	}
	[[unroll]] for (uint b = 0; b < EACH; b++) {
		most[(col + b * SIDE) * SIDE + row_] = largest[b];
		place[(col + b * SIDE) * SIDE + row_] = where[b];
	}
	barrier();
	real_t scale = power_of_two(-p.found.at[second].exponent / 2);
	scalar_t by[EACH];
	[[unroll]] for (uint b = 0; b < EACH; b++) {
		uint c = col + b * SIDE, best = c * SIDE;
		for (uint q = c * SIDE + 1; q < (c + 1) * SIDE; q++) {
			if (most[q] > most[best] || most[q] == most[best] && place[q] < place[best]) best = q;
		}
		where[b] = place[best];
		scalar_t x = j + c < columns ? v.at[(j + c) * n + where[b]] : one();
#ifdef COMPLEX
		scalar_t phase;
		polar(x, phase);
		by[b] = scale * conjugate(phase);
#else
		by[b] = x < 0.0 ? -scale : scale;
#endif
	}
	meet(); // an invocation overwrites its own elements only, but others have read them
	for (uint i = 0; i < n; i += TILE) {
		load(v, i, j, columns);
		[[unroll]] for (uint b = 0; b < EACH; b++) {
			[[unroll]] for (uint a = 0; a < EACH; a++) {
				bool largest_ = i + row_ + a * SIDE == where[b];
				block[a + b * EACH] = real_if(largest_, mul(block[a + b * EACH], by[b]));
			}
		}
		store(v, i, j, columns, false);
	}
}
