// This header has what the kernels sytrd and latrd share: both reduce a Hermitian matrix column by
// column, and all workgroups exchange a vector for each column.
//
// Workgroups exchange numbers through slots, words of 64 bits in memory. All bits of an empty slot
// are set. No finite number has such bits, so a value is its own flag. A slot is written at most
// once. The accesses to slots are atomic and relaxed: a slot carries its value itself, and orders
// no other access. A number has one slot. Only a complex128 has two neighbouring slots, one for
// each part, and the number has arrived when both have a value.
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

// slot_t is the type of the number in one slot, and HALVES(x) are the bits of the slot. For
// complex64 the lower half is the imaginary part. content_t is the type of the bits of all slots of
// a number, SLOT_BYTES is their size, and VALUE(bits) is the number.
#if defined(SCALAR_C128)
#define slot_t real_t
#define HALVES(x) SPLIT(x)
#define content_t u64vec2
#define SLOT_BYTES 16
#define VALUE(bits) acc_t(JOIN(unpack32((bits).x)), JOIN(unpack32((bits).y)))
#elif defined(SCALAR_C64)
#define slot_t acc_t
#define HALVES(x) uvec2(SPLIT(imag_of(x)).y, SPLIT(real_of(x)).y)
#define content_t uint64_t
#define SLOT_BYTES 8
#define VALUE(bits) acc_t(JOIN(unpack32(bits)), JOIN(unpack32(bits).yx))
#else
#define slot_t acc_t
#define HALVES(x) SPLIT(x)
#define content_t uint64_t
#define SLOT_BYTES 8
#define VALUE(bits) JOIN(unpack32(bits))
#endif

// NOTHING is the content of slots without a value. No finite number has the upper half of NOTHING.
const content_t NOTHING = content_t(~uint64_t(0));

// column returns the index in A of this invocation's column in chunk c of the columns.
uint column(uint c) { return gl_LocalInvocationIndex + c * LOCAL_SIZE; }

// put stores `value` to the slots of number i after the address `to`, for other workgroups. A
// separate flag is not needed, because the bits of the value differ from those of an empty slot.
void put(Slots to, uint i, slot_t value) {
	uvec2 halves = HALVES(value);
	if (halves.y == ~0u) halves.y ^= 1u; // a NaN in A must not look like an empty slot
	atomicStore(to.at[i], pack64(halves), gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
#ifdef SCALAR_C128
void put(Slots to, uint i, acc_t value) {
	put(to, 2 * i, real_of(value));
	put(to, 2 * i + 1, imag_of(value));
}
#endif

// peek loads the slots of number i after the address `from`, through which workgroups exchange
// numbers. A slot may still be empty.
content_t peek(Slots from, uint i) {
#ifdef SCALAR_C128
	uint64_t re = atomicLoad(from.at[2 * i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	return u64vec2(re, atomicLoad(from.at[2 * i + 1], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed));
#else
	return atomicLoad(from.at[i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
#endif
}

// gives_up tells whether this invocation must stop waiting for the values of row i, after it has
// read a slot k times. At the poll limit, gives_up sets INFO to i + 1.
bool gives_up(uint i, uint k) {
	if (k % POLLS_A_LOOK != 0) return false;
	if (stopped(p.info, p.abort_word)) return true;
	if (k < p.polls) return false;
	atomicStore(p.info.at[0], i + 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	return true;
}

// missing tells whether a slot had no value yet: then all bits of its upper half are set.
bool missing(uint64_t bits) { return unpack32(bits).y == ~0u; }
#ifdef SCALAR_C128
bool missing(u64vec2 bits) { return missing(bits.x) || missing(bits.y); }
#endif

// receive waits until other workgroups have published two vectors. Column i of A, which is the
// conjugate of row i, is in the slots from `rows` on. The product A·v is in the slots from
// `products` on. In both cases, the first slot is for element i. receive stores the elements in
// this invocation's columns to the arrays x and `product`. The elements of columns before i become
// zero. If there is no product, `products` is the same address as `rows`. If the invocation gives
// up waiting, receive sets given_up to 1.
void receive(uint i, Slots rows, Slots products) {
	content_t bits[CHUNKS], bits_p[CHUNKS];
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		bool has = column(c) >= i && column(c) < p.n;
		bits[c] = has ? NOTHING : content_t(0);
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
		x[c] = work_t(VALUE(bits[c]));
		product[c] = acc_t(VALUE(bits_p[c]));
	}
}

// reflect computes the reflector of column j of A. The array x has this invocation's elements of
// the column. The elements of the reflector's vector v go to the array y: v is zero before element
// j+1, which is 1. Every invocation must call reflect, which contains a barrier of the workgroup.
Reflector reflect(uint j) {
	real_t square = real_t(0);
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		if (column(c) == j + 1) head_x = acc_t(x[c]);
		square = column(c) > j + 1 ? real_of(mad_conj(acc_t(x[c]), acc_t(x[c]), of_real(square))) : square;
	}
	square = cluster_sum(square);
	if (gl_LocalInvocationIndex % LANES == 0) shares_x[gl_LocalInvocationIndex / LANES] = square;
	barrier(); // shares_x and head_x are complete
	TOTAL(tail, shares_x)
	acc_t head = head_x;
#ifdef COMPLEX
	tail = fma(imag_of(head), imag_of(head), tail); // β is real, so the reflector annihilates this part, too
#endif
	bool turns = tail >= real_t(power_of_two(TINY_EXPONENT));
	real_t all = fma(real_of(head), real_of(head), tail);
	int e = exponent_of(real_t(all)) >> 1;
	real_t down = real_t(power_of_two(-e));
	Reflector h = reflector(head * down, all * down * down, e, head, turns);
	work_t unit = turns ? work_t(h.inverse * down) : work_t(0);
	[[unroll]] for (uint c = 0; c < CHUNKS; c++) {
		y[c] = column(c) > j + 1 ? mul(x[c], unit) : of_real(real_t(column(c) == j + 1 ? 1 : 0));
	}
	return h;
}

#endif
