// emulated_update computes C ← α·A·B + β·C from the residues of the product A·B, for emulated
// products. It uses the Chinese remainder theorem.
//
// in:      words        residues of the tiles (residue_tiles.glsl)
//          left, right  shifts of the rows and of the columns of the product. If one of the two
//                       shifts of an element is NOT_FINITE, the element becomes NaN
// in, out: c            (rows − skip)×cols. If β = 0, c is overwritten
//
// variant: emulated_update
// variant: emulated_update_complex COMPLEX
//
// float64 only
//
// Let C′ be the exact product of a scaled row with shift s and a scaled column with shift t. P is
// the product of the moduli pᵢ, and qᵢ is the inverse of P/pᵢ modulo pᵢ. The buffer words has the
// residues yᵢ of C′·qᵢ modulo pᵢ. The fraction C′/P is Σ yᵢ/pᵢ modulo 1. The kernel computes this
// sum as an integer of 80 bits in four limbs of 20 bits. An overflow of the highest limb is
// dropped, which reduces the sum modulo 1. The upper 64 bits of the sum are rounded once to a
// double d. Then C ← α·(d·P·2^(−64−s−t)) + β·C. All roundings are correct on every device, so the
// bits are the same on every device.
//
// A complex product A·B has two residues y and y′ of C′·½·qᵢ for each modulus (moduli.glsl): those
// of ½·qᵢ times Re C′ + ι·Im C′ and Re C′ − ι·Im C′. So y + y′ is a residue of Re C′·qᵢ, and ι·(y′
// − y) is one of Im C′·qᵢ. Both are reduced modulo pᵢ, because only then the bits of the sum do not
// depend on the way to them. The rest is the same for both parts. α and β are real.
//
// Grid: x and y together number the workgroups. TILE_WORDS/LOCAL_SIZE workgroups share a tile. An
// invocation computes the four elements whose residues are in one word.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#ifdef COMPLEX
#extension GL_EXT_integer_dot_product : require
#endif
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "entries.glsl"
#include "moduli.glsl"
#include "residue_tiles.glsl"
#ifdef COMPLEX
#include "residue.glsl"
#endif
#include "shifts.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup. It divides TILE_WORDS.
layout(constant_id = 0) const uint LOCAL_SIZE = 128;
layout(constant_id = 1) const uint MODULI_COUNT = 14;
// ORDER says where the elements of a fragment are. A fragment is an FRAG_M×FRAG_N block of a matrix
// unit's result. Bit i of an element's number in memory is bit (ORDER >> 4i & 15) of row +
// FRAG_M·column. FRAG_M and FRAG_N are powers of two.
layout(constant_id = 2) const uint ORDER = 0x76543210u;

layout(push_constant, scalar) uniform Push {
	WordsIn words;
	ShiftsIn left, right;
	MatrixInOut c;
	uint64_t modulus_words;
	// p_exponent and p_fraction are the product P of the moduli: P = 2^p_exponent·(1 +
	// p_fraction·2⁻⁵²).
	uint64_t p_fraction;
	scalar_t alpha, beta;
	int p_exponent;
	uint ldc;
	// The product has rows×cols elements. This dispatch computes the tiles [first, first + count).
	uint rows, cols, first, count;
	// `skip` is the number of rows at the beginning of the product that are not stored to the
	// result.
	uint skip;
	// If `lower` is not 0, only the lower triangle of C is updated. The part above the diagonal is
	// then neither read nor written. If it is HERMITIAN, the imaginary parts of the diagonal become
	// 0.
	uint lower;
} p;

#pragma host HERMITIAN
#ifdef COMPLEX
const uint HERMITIAN = 2;
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer ComplexInOut { dvec2 at[]; };
#define number_t dvec2
#define NumberInOut ComplexInOut
// DOUBLES(n) is the number of doubles of n elements.
#define DOUBLES(n) (2 * (n))
#define LIMBS(e) 4 * part + e
#else
#define number_t double
#define NumberInOut MatrixInOut
#define DOUBLES(n) (n)
#define LIMBS(e) e
#endif

// place returns row + FRAG_M·column for element number e of a fragment in memory.
uint place(uint e) {
	uint at = 0;
	[[unroll]] for (uint i = 0; i < 8; i++) at |= (e >> i & 1) << (ORDER >> (4 * i) & 15);
	return at;
}

// power returns the double 2^(e−1023)·(1 + fraction·2⁻⁵²).
double power(uint64_t fraction, int e) { return JOIN(uvec2(uint(fraction), uint(e) << 20 | uint(fraction >> 32))); }

// scaled returns x·P·2^(−64−s−t), where P is the product of the moduli. If f = P·2^(−64−s−t) is a
// normal number, x is multiplied by f. Otherwise x is multiplied by P·2^(h−1023) first, where h
// makes this number normal, and then by the power of two that is missing. If the missing power is
// below the smallest normal power of two, the result is 0, and the smallest normal power of two
// gives this result, too.
double scaled(double x, int s, int t) {
	int e = p.p_exponent - 64 - s - t + 1023;
	int h = e >= 1 && e <= 2046 ? e : clamp(e, 512, 1535);
	x *= power(p.p_fraction, h);
	return h == e ? x : x * power(0, clamp(e - h + 1023, 1, 2046));
}

// fraction returns the double nearest to 2⁶⁴·C′/P, where C′ is an element of the exact product and
// P is the product of the moduli pᵢ. `limbs` has the sum Σ yᵢ/pᵢ in units of 2⁻⁸⁰, where yᵢ is the
// residue of C′·qᵢ modulo pᵢ, and qᵢ is the inverse of P/pᵢ modulo pᵢ.
double fraction(int limbs[4]) {
	limbs[1] += limbs[0] >> 20;
	limbs[2] += limbs[1] >> 20;
	limbs[3] += limbs[2] >> 20;
	uint middle = uint(limbs[2]) & 0xfffff, lower = uint(limbs[1]) & 0xfffff;
	// The fraction is C′/P, where C′ is an element of the exact product and P is the product of the
	// moduli. `high` and `low` are its two 32-bit words, as an integer in units of 2⁻⁶⁴.
	uint high = uint(limbs[3]) << 12 | middle >> 8;
	uint low = middle << 24 | lower << 4 | (uint(limbs[0]) & 0xfffff) >> 16;
	// The upper word, with its sign bit flipped, is part of the mantissa of a double between 2⁸⁴
	// and 2⁸⁵. The lower word is part of the mantissa of a double between 2⁵² and 2⁵³. The number
	// 2⁸⁴ + 2⁶³ + 2⁵² is subtracted from the first double without a rounding error. Only the
	// addition in the last line rounds.
	double d = packDouble2x32(uvec2(high ^ 0x80000000u, 0x45300000u)) - packDouble2x32(uvec2(0x80100000u, 0x45300000u));
	return d + packDouble2x32(uvec2(low, 0x43300000u));
}

#ifdef COMPLEX
// reduced returns the residue of x modulo q, for an odd q > |x|.
int reduced(int x, int q) { return x - (2 * x > q ? q : 2 * x < -q ? -q : 0); }
#endif

void main() {
	const uint parts = TILE_WORDS / LOCAL_SIZE;
	uint tile = workgroup() / parts;
	if (tile >= p.count) return;
	uint index = workgroup() % parts * LOCAL_SIZE + gl_LocalInvocationIndex; // of the word in the tile
	uvec2 corner = tile_corner(p.first + tile, p.rows, p.cols, p.lower != 0);
	uint fragment = index / FRAG_WORDS, word = index % FRAG_WORDS;
	uint i0 = corner.x + fragment % (TILE_M / FRAG_M) * FRAG_M, j0 = corner.y + fragment / (TILE_M / FRAG_M) * FRAG_N;

	// The sums of the real parts of the four elements precede those of their imaginary parts.
	int limbs[4 * ENTRY_PARTS][4];
	[[unroll]] for (uint e = 0; e < 4 * ENTRY_PARTS; e++) {
		[[unroll]] for (uint l = 0; l < 4; l++) limbs[e][l] = 0;
	}
	uint64_t at = uint64_t(p.words) + 4 * (uint64_t(tile) * TILE_WORDS + index);
	[[unroll]] for (uint m = 0; m < MODULI_COUNT; m++) {
		int bytes = int(WordsIn(at + 4 * m * p.modulus_words).at[0]);
#ifdef COMPLEX
		int others = int(WordsIn(at + 4 * (2 * MODULI_COUNT - 1 - m) * p.modulus_words).at[0]);
#endif
		[[unroll]] for (uint e = 0; e < 4; e++) {
			int y = bitfieldExtract(bytes, int(8 * e), 8);
#ifdef COMPLEX
			int other = bitfieldExtract(others, int(8 * e), 8), turned = ROOTS[m] * (other - y);
			y = reduced(y + other, MODULI[m]);
			int imaginary = bitfieldExtract(int(residue(MAGIC + turned, MODULI[m], 1.0 / float(MODULI[m]))), 0, 8);
			[[unroll]] for (uint l = 0; l < 4; l++) limbs[4 + e][l] += imaginary * int(FRACTIONS[4 * m + l]);
#endif
			[[unroll]] for (uint l = 0; l < 4; l++) limbs[e][l] += y * int(FRACTIONS[4 * m + l]);
		}
	}

	bool plain = abs(p.alpha) == 1.0lf;
	[[unroll]] for (uint e = 0; e < 4; e++) {
		uint in_fragment = place(4 * word + e);
		uint i = i0 + in_fragment % FRAG_M, j = j0 + in_fragment / FRAG_M;
		if (i < p.skip || i >= p.rows || j >= p.cols || p.lower != 0 && i < j) continue;
		int s = p.left.at[i], t = p.right.at[j];
		number_t x;
		if (s == NOT_FINITE || t == NOT_FINITE) {
			x = number_t(packDouble2x32(uvec2(0, 0x7ff80000u)));
		} else {
			EACH_PART PART_OF(x) = scaled(fraction(limbs[LIMBS(e)]), s, t);
			x = plain ? p.alpha < 0 ? -x : x : p.alpha * x;
		}
		NumberInOut c = NumberInOut(element(uint64_t(p.c), DOUBLES(i - p.skip), j, DOUBLES(p.ldc)));
		if (p.beta == 1.0lf) x = c.at[0] + x;
		else if (p.beta != 0) x = p.beta * c.at[0] + x;
#ifdef COMPLEX
		if (p.lower == HERMITIAN && i == j) x.y = 0;
#endif
		c.at[0] = x;
	}
}
