// This header defines the bounds of the norms of rows, and the exponents by which rows are scaled,
// for emulated products.
//
// The kernels that compute or use norms and shifts include this header. The header defines the
// struct Norm and the buffers of norms and shifts.
#ifndef SHIFTS_GLSL
#define SHIFTS_GLSL
#pragma host NOT_FINITE_BITS PEAK_BIAS

// NOT_FINITE is the exponent of the norm of a row with an infinity or NaN, and the shift of every
// row that cannot be scaled: the smallest 32-bit integer.
const uint NOT_FINITE_BITS = 0x80000000u;
const int NOT_FINITE = int(NOT_FINITE_BITS);
// PEAK_BIAS is added to the logarithm of the largest norm of a factor's rows, so that the stored
// number is positive.
const int PEAK_BIAS = 4096;

// Norm is an upper bound of the 2-norm of a row: ‖row‖₂² ≤ q·4^(e−12).
struct Norm {
	uint64_t q;
	int e;
	int unused;
};
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer NormsIn { Norm at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer NormsOut { Norm at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer ShiftsIn { int at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer ShiftsOut { int at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Peaks { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Counter { uint at[]; };

// half_log returns ⌊½·log₂ q⌋. q must not be 0.
int half_log(uint64_t q) {
	uint high = uint(q >> 32);
	return (high != 0 ? findMSB(high) + 32 : findMSB(uint(q))) >> 1;
}

#endif
