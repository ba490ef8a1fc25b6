// This header multiplies blocks of the matrices of a batch.
//
// The kernels of batches that compute with blocks of TILE×TILE entries include this header after
// numerics.glsl, index.glsl and meet.glsl, and after the declarations of LOCAL_SIZE, TILE and EACH. The
// workgroup has (TILE/EACH)² invocations, which share one block, their result. Each of them has EACH
// rows and EACH columns of it in registers, SIDE rows and columns apart. The factors are in shared
// memory.
//
// All matrices have the leading dimension n, the order of the problem. Entries of a block outside of
// a matrix are zero. Every invocation of the workgroup must call the functions.
#ifndef BLOCKS_GLSL
#define BLOCKS_GLSL

const uint SIDE = TILE / EACH;
// LD is the leading dimension of a factor in shared memory, and SECOND the place of the second one.
const uint LD = TILE + 1, SECOND = TILE * LD;
shared scalar_t factors[2 * TILE * LD];

scalar_t block[EACH * EACH];
// n is the order, and t the number of this invocation. row_ and col are the first row and the first
// column of its part of the block.
uint n, t, row_, col;

void begin_blocks(uint order) {
	n = order, t = gl_LocalInvocationIndex;
	row_ = t % SIDE, col = t / SIDE;
}

// load loads the block of x that begins in row i and column j. x has `columns` columns.
void load(SharedReals x, uint i, uint j, uint columns) {
	[[unroll]] for (uint b = 0; b < EACH; b++) {
		[[unroll]] for (uint a = 0; a < EACH; a++) {
			uint r = i + row_ + a * SIDE, c = j + col + b * SIDE;
			block[a + b * EACH] = scalar_t(0);
			if (r < n && c < columns) block[a + b * EACH] = x.at[c * n + r];
		}
	}
}

// store stores the block to x. If `hermitian` is true, diagonal elements are real.
void store(SharedReals x, uint i, uint j, uint columns, bool hermitian) {
	[[unroll]] for (uint b = 0; b < EACH; b++) {
		[[unroll]] for (uint a = 0; a < EACH; a++) {
			uint r = i + row_ + a * SIDE, c = j + col + b * SIDE;
			if (r < n && c < columns) x.at[c * n + r] = real_if(hermitian && r == c, block[a + b * EACH]);
		}
	}
}

// fetch copies a block of x to the factor at `place`: F, or its adjoint.
void fetch(uint place, SharedReals x, uint i, uint j, uint columns, bool adjoint) {
	for (uint k = t; k < TILE * TILE; k += LOCAL_SIZE) {
		uint r = k % TILE, c = k / TILE;
		scalar_t value = scalar_t(0);
		if (i + r < n && j + c < columns) value = x.at[(j + c) * n + i + r];
		factors[place + (adjoint ? r * LD + c : c * LD + r)] = adjoint ? conjugate(value) : value;
	}
}

// subtract computes block ← block − F·G, for the factors F and G. They have their first `depth`
// columns and rows; the others are zero.
void subtract(uint depth) {
	for (uint k = 0; k < depth; k++) {
		scalar_t left[EACH], right[EACH];
		[[unroll]] for (uint a = 0; a < EACH; a++) {
			left[a] = -factors[k * LD + row_ + a * SIDE];
			right[a] = factors[SECOND + (col + a * SIDE) * LD + k];
		}
		[[unroll]] for (uint b = 0; b < EACH; b++) {
			[[unroll]] for (uint a = 0; a < EACH; a++) block[a + b * EACH] = mad(left[a], right[b], block[a + b * EACH]);
		}
	}
}

// negate moves −block to the factor at `place`. The block becomes zero.
void negate(uint place) {
	[[unroll]] for (uint b = 0; b < EACH; b++) {
		[[unroll]] for (uint a = 0; a < EACH; a++) {
			factors[place + (col + b * SIDE) * LD + row_ + a * SIDE] = -block[a + b * EACH];
			block[a + b * EACH] = scalar_t(0);
		}
	}
}

uint depth(uint k) { return min(TILE, n - k); }

#endif
