// emulated_norms bounds the 2-norm of each row of a factor, for the scaling of emulated products.
//
// in:      a      element k of row r is a[r·step_row + k·step_inner]
// out:     norms  for each row, numbers q and e with ‖row‖₂² ≤ q·4^(e−12). Every element of the row
//                 is below 2^e in magnitude. A row of zeros has q = 0. A row with an infinity or
//                 NaN has e = NOT_FINITE
// in, out: peak   PEAK_BIAS + the largest ⌊log₂ of the bound of a norm⌋ of all rows that are finite
//                 and not zero. The host sets peak to 0 before the dispatch
//
// float64 only
//
// q is the sum of the integers ⌈|a|·2^(12−e)⌉² over the elements a of the row. A sum of integers
// does not depend on the order of its terms.
//
// Grid: x and y together number the workgroups. A workgroup has ROWS rows. Each row has
// LOCAL_SIZE/ROWS invocations, which read the row twice.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "shifts.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 256;
// ROWS is the number of rows of the factor that a workgroup processes, a divisor of LOCAL_SIZE.
layout(constant_id = 1) const uint ROWS = 32;
// SYMMETRIC tells whether the factor is symmetric. If the factor is symmetric, the kernel reads
// only its lower triangle, k ≤ r.
layout(constant_id = 2) const bool SYMMETRIC = false;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Bits { uint64_t at[]; };

layout(push_constant, scalar) uniform Push {
	Bits a;
	NormsOut norms;
	Counter peak;
	// step_row and step_inner are the distances in elements from one row to the next, and from one
	// element of a row to the next.
	uint64_t step_row, step_inner;
	// `rows` is the number of rows of the factor, at least 1. `inner` is the number of elements of
	// a row.
	uint rows, inner;
	// If SYMMETRIC is true, `before` is the number of rows of the symmetric matrix before the first
	// row of this dispatch. Then a is the address of element (0, 0), and not of the first row.
	uint before;
} p;

shared uint largest[LOCAL_SIZE];
shared uint64_t sums[LOCAL_SIZE];

const uint SLICES = LOCAL_SIZE / ROWS;

// bits returns element k of a row as the 64 bits of its double.
uint64_t bits(uint row, uint k) {
	if (SYMMETRIC) row += p.before;
	if (SYMMETRIC && k > row) return Bits(uint64_t(p.a) + 8 * (k * p.step_row + row * p.step_inner)).at[0];
	return Bits(uint64_t(p.a) + 8 * (row * p.step_row + k * p.step_inner)).at[0];
}

void main() {
	uint t = gl_LocalInvocationIndex, row = workgroup() * ROWS + t % ROWS, slice = t / ROWS;
	bool have = row < p.rows;

	// `biased` becomes the largest exponent field (biased exponent) of the elements of the row.
	// Subnormal numbers count with the exponent 1.
	uint biased = 1;
	for (uint k = slice; have && k < p.inner; k += SLICES) biased = max(biased, uint(bits(row, k) >> 52) & 0x7ff);
	largest[t] = biased;
	barrier();
	for (uint s = 0; s < SLICES; s++) biased = max(biased, largest[s * ROWS + t % ROWS]);

	uint64_t sum = 0;
	for (uint k = slice; have && k < p.inner; k += SLICES) {
		uint64_t x = bits(row, k);
		uint e = uint(x >> 52) & 0x7ff;
		uint64_t m = (x & 0xfffffffffffffUL) | (e == 0 ? 0UL : 1UL << 52);
		// The integer c is ⌈m·2^-r⌉, where m is the significand of the element. Every r ≥ 53 gives
		// the same c, because m is below 2^53. So r may be limited to 60.
		uint r = min(biased - max(e, 1) + 41, 60);
		uint64_t c = (m + (1UL << r) - 1) >> r;
		sum += c * c;
	}
	sums[t] = sum;
	barrier();
	if (slice != 0 || !have) return;
	sum = 0;
	for (uint s = 0; s < SLICES; s++) sum += sums[s * ROWS + t];
	int e = biased == 0x7ff ? NOT_FINITE : int(biased) - 1022;
	p.norms.at[row] = Norm(sum, e, 0);
	if (e != NOT_FINITE && sum != 0) atomicMax(p.peak.at[0], uint(e - 12 + half_log(sum) + PEAK_BIAS));
}
