// This header defines the residues of integers modulo the moduli pᵢ (moduli.glsl), for emulated
// products.
//
// The kernels that compute residues include this header, after moduli.glsl. They need the extension
// GL_EXT_integer_dot_product. The header defines SUM_START, Reduction, reduction, residue_of_sum
// and residue.
#ifndef RESIDUE_GLSL
#define RESIDUE_GLSL

// MAGIC is the bit pattern of the float 1.5·2²³. Near this float, consecutive floats are
// consecutive integers. So for every integer t with |t| < 2²² the float 1.5·2²³ + t has the bit
// pattern MAGIC + t.
const float MAGIC_FLOAT = 12582912.0;
const int MAGIC = 0x4b400000;

// residue returns a number whose low byte is the residue of t modulo q. magic_t is MAGIC + t, where
// |t| < 2^19. `inverse` is 1/q with an error of some ulps. Adding 1.5·2²³ to the quotient t/q
// rounds it to an integer. For odd q, the distance of t/q from the middle between two integers is
// at least 1/(2·q), which is three times the error of the computed quotient. For q = 256, rounding
// up and rounding down give the same low byte. The low byte of q·MAGIC is 0.
uint residue(int magic_t, int q, float inverse) {
	float quotient = (intBitsToFloat(magic_t) - MAGIC_FLOAT) * inverse + MAGIC_FLOAT;
	return uint(magic_t - q * floatBitsToInt(quotient));
}

// The sums of a product begin with SUM_START instead of 0, and wrap around. Read as an unsigned
// number, a sum is then the true sum + 2³¹, which is never negative. So its four bytes can be
// multiplied by weights as unsigned bytes.
const int SUM_START = int(0x80000000u);

// Reduction holds the constants for residues modulo q of 32-bit sums that began with SUM_START. The
// four bytes of `weights` are the residues of 256ᵏ modulo q, for k = 0 to 3.
struct Reduction {
	int q, weights, offset;
	float inverse;
};

// reduction returns the constants for modulus number i. Sums begin with SUM_START, which is 2³¹ =
// 128·256³ as an unsigned number. So `offset` subtracts 128 times the residue of 256³. It also adds
// MAGIC, which the function `residue` expects.
Reduction reduction(uint i) {
	int weights = int(LEFT[2 * i]), q = MODULI[i];
	return Reduction(q, weights, MAGIC - 128 * (weights >> 24), 1.0 / float(q));
}

// residue_of_sum returns a number whose low byte is the residue modulo r.q of `sum` − SUM_START.
// The dot product of the bytes of `sum` with r.weights has the same residue as `sum`, and is small.
uint residue_of_sum(int sum, Reduction r) {
	return residue(dotPacked4x8EXT(uint(sum), r.weights) + r.offset, r.q, r.inverse);
}

#endif
