// org2l_batch forms the orthogonal matrices Q = H(0)·H(1)⋯ from the reflectors H(k) of sytd2_batch
// (LAPACK dorg2l). One workgroup processes one matrix. A dispatch multiplies by the reflectors
// [from, to) of each matrix, the last one first. The next dispatch multiplies by reflectors with
// smaller numbers. The dispatch with from = 0 is the last one.
//
// in:      matrices  the matrices [first, first + count), of order 3 … ORDER
//          tau       the factors τ of a matrix, from element matrix.at on
// in, out: a         the reflectors, and the finished part of Qᵀ
// out:     z         Q, at the same place as the matrix in a; written when from = 0
//
// The finished part of the product replaces the used reflectors in a. The product is stored
// transposed: each invocation has one or several rows of it, and sums run along the row. NB
// reflectors are applied at a time, in two passes over the matrix.
//
// from must be a multiple of NB. a and z must not overlap. The bits depend on n and LOCAL_SIZE.
//
// Invocations of a workgroup load elements of a that other invocations store. In the Vulkan memory
// model a barrier orders such accesses only if they are not private. No workgroup accesses the data
// of another workgroup.
//
// Grid: in x and y, one workgroup for each matrix.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "problem.glsl"
#include "meet.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 256;
layout(constant_id = 1) const uint ORDER = 256;
// TOGETHER is the number of rows of the product that an invocation processes at the same time.
layout(constant_id = 2) const uint TOGETHER = 1;
#include "reduce.glsl"

// SharedReals has elements that the invocations of a workgroup exchange.
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer SharedReals { nonprivate real_t at[]; };

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	MatrixIn tau;
	SharedReals a;
	MatrixOut z;
	// first, count  the dispatch processes the matrices [first, first + count)
	// from, to      the dispatch multiplies by the reflectors [from, to)
	uint first, count, from, to;
} p;

#pragma host NB
const uint NB = 4;
// AHEAD is the number of columns that an invocation loads before it uses the first of them.
const uint AHEAD = TOGETHER > 1 ? 1 : 8;
const uint TILE = 16;

shared real_t v[NB * ORDER];
shared real_t tile[TILE * (TILE + 1)];

SharedReals a;
uint n, t;

// The kernel forms Qᵀ as a product of reflectors. rows_times multiplies the rows with the numbers
// r, r + LOCAL_SIZE, … of the product so far by the reflectors with the numbers k to k + NB − 1.
// These are at most TOGETHER rows. `tau` has the factors τ of these reflectors. `products` has the
// dot products of their vectors: element q·NB + s is that of v(q) and v(s), for q < s. The other
// elements are not used.
void rows_times(uint r, uint k, real_t tau[NB], real_t products[NB * NB]) {
	uint live = k + NB + 1; // the rows and columns before `live` are still those of the unit matrix
	bool formed[TOGETHER]; // whether the row is not that of the unit matrix
	real_t by[TOGETHER * NB];
	[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
		uint row = r + i * LOCAL_SIZE;
		formed[i] = row >= live && row < n;
		[[unroll]] for (uint q = 0; q < NB; q++) by[i * NB + q] = row < min(live, n) ? v[q * ORDER + row] : 0.0;
	}
	uint c = live;
	if (r + (TOGETHER - 1) * LOCAL_SIZE >= live) {
		for (; c + AHEAD <= n; c += AHEAD) {
			real_t x[TOGETHER * AHEAD];
			[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
				[[unroll]] for (uint s = 0; s < AHEAD; s++) {
					x[i * AHEAD + s] = formed[i] ? a.at[(c + s) * n + r + i * LOCAL_SIZE] : 0.0;
				}
			}
			[[unroll]] for (uint s = 0; s < AHEAD; s++) {
				[[unroll]] for (uint q = 0; q < NB; q++) {
					real_t vq = v[q * ORDER + c + s];
					[[unroll]] for (uint i = 0; i < TOGETHER; i++) by[i * NB + q] = fma(x[i * AHEAD + s], vq, by[i * NB + q]);
				}
			}
		}
		for (; c < n; c++) {
			[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
				real_t x = formed[i] ? a.at[c * n + r + i * LOCAL_SIZE] : 0.0;
				[[unroll]] for (uint q = 0; q < NB; q++) by[i * NB + q] = fma(x, v[q * ORDER + c], by[i * NB + q]);
			}
		}
	}
	// Of the NB reflectors, the last one acts first.
	[[unroll]] for (uint back = 0; back < NB; back++) {
		uint q = NB - 1 - back;
		[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
			[[unroll]] for (uint s = 0; s < NB; s++) {
				if (s > q) by[i * NB + q] = fma(-by[i * NB + s], products[q * NB + s], by[i * NB + q]);
			}
			by[i * NB + q] *= tau[q];
		}
	}
	for (c = k + 1; c < min(live, n); c++) {
		[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
			uint row = r + i * LOCAL_SIZE;
			real_t x = row == c ? real_t(1) : real_t(0);
			[[unroll]] for (uint q = 0; q < NB; q++) x = fma(-by[i * NB + q], v[q * ORDER + c], x);
			if (i == 0 || row < n) a.at[c * n + row] = x;
		}
	}
	for (; c + AHEAD <= n; c += AHEAD) {
		real_t x[TOGETHER * AHEAD];
		[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
			[[unroll]] for (uint s = 0; s < AHEAD; s++) {
				x[i * AHEAD + s] = formed[i] ? a.at[(c + s) * n + r + i * LOCAL_SIZE] : 0.0;
			}
		}
		[[unroll]] for (uint s = 0; s < AHEAD; s++) {
			[[unroll]] for (uint q = 0; q < NB; q++) {
				real_t vq = v[q * ORDER + c + s];
				[[unroll]] for (uint i = 0; i < TOGETHER; i++) x[i * AHEAD + s] = fma(-by[i * NB + q], vq, x[i * AHEAD + s]);
			}
			[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
				if (i == 0 || r + i * LOCAL_SIZE < n) a.at[(c + s) * n + r + i * LOCAL_SIZE] = x[i * AHEAD + s];
			}
		}
	}
	for (; c < n; c++) {
		[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
			real_t x = formed[i] ? a.at[c * n + r + i * LOCAL_SIZE] : 0.0;
			[[unroll]] for (uint q = 0; q < NB; q++) x = fma(-by[i * NB + q], v[q * ORDER + c], x);
			if (i == 0 || r + i * LOCAL_SIZE < n) a.at[c * n + r + i * LOCAL_SIZE] = x;
		}
	}
}

// times multiplies the finished part of Qᵀ by the reflectors k … k + NB − 1. Reflectors from n − 2
// on are the identity. `at` is the index of the factor τ of reflector 0.
void times(uint k, uint at) {
	real_t tau[NB], products[NB * NB];
	[[unroll]] for (uint q = 0; q < NB; q++) {
		bool real_ = k + q + 2 < n;
		tau[q] = real_ ? p.tau.at[at + k + q] : 0.0;
		for (uint i = t; i < n; i += LOCAL_SIZE) v[q * ORDER + i] = real_ && i > k + q ? a.at[(k + q) * n + i] : 0.0;
	}
	// The product begins as the identity, whose last diagonal element the first call stores here.
	if (k + NB + 2 >= n && t == 0 && k + NB + 1 < n) a.at[(n - 1) * n + n - 1] = 1.0;
	meet();
	[[unroll]] for (uint q = 0; q < NB; q++) {
		[[unroll]] for (uint s = 0; s < NB; s++) {
			real_t sum = 0.0;
			if (s > q) {
				for (uint i = t; i < n; i += LOCAL_SIZE) sum = fma(v[q * ORDER + i], v[s * ORDER + i], sum);
				sum = group_sum(sum);
			}
			products[q * NB + s] = sum;
		}
	}
	for (uint r = k + 1 + t; r < n; r += TOGETHER * LOCAL_SIZE) rows_times(r, k, tau, products);
	meet();
}

// transpose writes Q to z. Row 0 and column 0 of Q are those of the unit matrix.
void transpose(MatrixOut z) {
	uint tiles = (n + TILE - 1) / TILE;
	for (uint ti = 0; ti < tiles; ti++) {
		for (uint tj = 0; tj < tiles; tj++) {
			for (uint x = t; x < TILE * TILE; x += LOCAL_SIZE) {
				uint i = ti * TILE + x % TILE, j = tj * TILE + x / TILE;
				if (i >= n || j >= n) continue;
				real_t y = a.at[j * n + i];
				if (i == 0 || j == 0) y = i == j ? real_t(1) : real_t(0);
				tile[x / TILE * (TILE + 1) + x % TILE] = y;
			}
			barrier();
			for (uint x = t; x < TILE * TILE; x += LOCAL_SIZE) {
				uint i = tj * TILE + x % TILE, j = ti * TILE + x / TILE;
				if (i < n && j < n) z.at[j * n + i] = tile[x % TILE * (TILE + 1) + x / TILE];
			}
			barrier();
		}
	}
}

void main() {
	if (workgroup() >= p.count) return;
	BatchMatrix m = p.matrices.at[p.first + workgroup()];
	a = SharedReals(element(uint64_t(p.a), long_(m.a), 0, 0));
	n = m.n, t = gl_LocalInvocationIndex;
	uint blocks = (min(p.to, n - 2) + NB - 1) / NB;
	for (uint b = blocks; b > p.from / NB; b--) times((b - 1) * NB, m.at);
	if (p.from == 0) transpose(MatrixOut(element(uint64_t(p.z), long_(m.a), 0, 0)));
}
