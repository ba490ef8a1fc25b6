// This header has what the kernels sytrd and latrd share: both reduce a symmetric matrix column by
// column, and all workgroups exchange a vector for each column.
//
// Workgroups exchange numbers through slots, words of 64 bits in memory. All bits of an empty slot
// are set. No finite number has such bits, so a value is its own flag. A slot is written at most
// once. The accesses to slots are atomic and relaxed: a slot carries its value itself, and orders
// no other access.
//
// The columns of A are distributed to the invocations of each workgroup cyclically: invocation t
// has column t of every chunk of LOCAL_SIZE columns. Every workgroup has all columns.
//
// The kernel that includes this header must define what cluster_sums.glsl needs, and before that:
//
//	Slots            the type of an array of slots
//	LOCAL_SIZE       the number of invocations of a workgroup
//	CHUNKS           the number of chunks of columns
//	p.n              the order of A
//	p.info, p.abort_word, p.polls   see flags.glsl
//	given_up         in shared memory: 1 after some invocation has given up waiting, otherwise 0
//	shares_x, head_x in shared memory: one sum for each cluster, and one number
//	x, y, product    arrays of CHUNKS elements in each invocation, see the functions
#ifndef COLUMNS_GLSL
#define COLUMNS_GLSL
#include "cluster_sums.glsl"

// NOTHING is the content of a slot without a value. No finite number has the upper half of NOTHING.
const uint64_t NOTHING = ~uint64_t(0);

// column returns the index in A of this invocation's column in chunk c of the columns.
uint column(uint c) { return gl_LocalInvocationIndex + c * LOCAL_SIZE; }

// put stores `value` to slot i after the address `to`, for other workgroups. A separate flag is not
// needed, because the bits of the value differ from those of an empty slot.
void put(Slots to, uint i, acc_t value) {
	uvec2 halves = SPLIT(value);
	if (halves.y == ~0u) halves.y ^= 1u; // a NaN in A must not look like an empty slot
	atomicStore(to.at[i], pack64(halves), gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// peek loads slot i after the address `from`, through which workgroups exchange a number. The slot
// may still be empty.
uint64_t peek(Slots from, uint i) {
	return atomicLoad(from.at[i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// gives_up tells whether this invocation must stop waiting for the values of row i, after it has
// read a slot k times.
bool gives_up(uint i, uint k) {
	if (k % POLLS_A_LOOK != 0) return false;
	if (stopped(p.info, p.abort_word)) return true;
	if (k < p.polls) return false;
	atomicStore(p.info.at[0], i + 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	return true;
}

// missing tells whether a slot, a word through which workgroups exchange a number, was empty: then
// all bits of its upper half are set.
bool missing(uint64_t bits) { return unpack32(bits).y == ~0u; }

// receive waits until other workgroups have published two vectors: row i of A in the slots from
// `rows` on, and the product A·v in the slots from `products` on. The first slot belongs to column
// i. receive stores the elements in this invocation's columns to the arrays x and `product`. The
// elements of columns before i become zero. If there is no product, `products` is the same address
// as `rows`.
void receive(uint i, Slots rows, Slots products) {
	uint64_t bits[CHUNKS], bits_p[CHUNKS];
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		bool has = column(c) >= i && column(c) < p.n;
		bits[c] = has ? NOTHING : uint64_t(0);
		bits_p[c] = bits[c];
	}
	bool waits = true;
	for (uint k = 1; waits; k++) {
		// The loads for all chunks of columns are in flight at the same time.
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
			if (missing(bits_p[c])) bits_p[c] = peek(products, column(c) - i);
			if (missing(bits[c])) bits[c] = peek(rows, column(c) - i);
		}
		waits = false;
		[[unroll]] for (uint c = 0; c < CHUNKS; c++) waits = waits || missing(bits_p[c]) || missing(bits[c]);
		if (waits && gives_up(i, k)) {
			given_up = 1;
			waits = false;
		}
	}
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		x[c] = work_t(JOIN(unpack32(bits[c])));
		product[c] = acc_t(JOIN(unpack32(bits_p[c])));
	}
}

// reflect computes the reflector of column j of A. The array x has this invocation's elements of
// the column. The elements of the reflector's vector v go to the array y: v is zero before element
// j+1, which is 1. Every invocation must call reflect, which contains a barrier of the workgroup.
Reflector reflect(uint j) {
	acc_t square = acc_t(0);
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		if (column(c) == j + 1) head_x = acc_t(x[c]);
		square = column(c) > j + 1 ? fma(acc_t(x[c]), acc_t(x[c]), square) : square;
	}
	square = cluster_sum(square);
	if (gl_LocalInvocationIndex % LANES == 0) shares_x[gl_LocalInvocationIndex / LANES] = square;
	barrier(); // shares_x and head_x are complete
	TOTAL(tail, shares_x)
	acc_t head = head_x;
	bool turns = tail >= acc_t(power_of_two(TINY_EXPONENT));
	acc_t all = fma(head, head, tail);
	int e = exponent_of(real_t(all)) >> 1;
	acc_t down = acc_t(power_of_two(-e));
	Reflector h = reflector(head * down, all * down * down, e, head, turns);
	work_t unit = turns ? work_t(h.inverse * down) : work_t(0);
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		y[c] = column(c) > j + 1 ? x[c] * unit : work_t(column(c) == j + 1 ? 1 : 0);
	}
	return h;
}

#endif
