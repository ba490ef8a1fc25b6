// emulated_norms bounds the 2-norm of each row of a factor, for the scaling of emulated products.
//
// in:      a      element k of row r at a[r·step_row + k·step_inner]
// out:     norms  ‖row‖₂² ≤ q·4^(e−12), where 2^e is above every element. A row of zeros has q = 0.
//                 A row with an infinity or NaN has e = NOT_FINITE
// in, out: peak   the largest ⌊log₂ of the bound of a norm⌋ + PEAK_BIAS of all finite rows that are
//                 not zero. The host sets peak to 0 before the dispatch
//
// float64 only
//
// q is the sum of the integers ⌈|a|·2^(12−e)⌉² over the elements a of the row. A sum of integers does
// not depend on the order of its terms.
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
// Rows of a workgroup, a divisor of LOCAL_SIZE.
layout(constant_id = 1) const uint ROWS = 32;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Bits { uint64_t at[]; };

layout(push_constant, scalar) uniform Push {
	Bits a;
	NormsOut norms;
	Counter peak;
	// Elements from row to row, and along a row.
	uint64_t step_row, step_inner;
	// Rows, at least 1, and elements of each.
	uint rows, inner;
} p;

shared uint largest[LOCAL_SIZE];
shared uint64_t sums[LOCAL_SIZE];

const uint SLICES = LOCAL_SIZE / ROWS;

void main() {
	uint t = gl_LocalInvocationIndex, row = workgroup() * ROWS + t % ROWS, slice = t / ROWS;
	bool have = row < p.rows;
	uint64_t a = uint64_t(p.a) + 8 * (have ? row : 0) * p.step_row;

	// biased becomes the largest biased exponent. The exponent of subnormal numbers counts as 1.
	uint biased = 1;
	for (uint k = slice; have && k < p.inner; k += SLICES) biased = max(biased, uint(Bits(a + 8 * k * p.step_inner).at[0] >> 52) & 0x7ff);
	largest[t] = biased;
	barrier();
	for (uint s = 0; s < SLICES; s++) biased = max(biased, largest[s * ROWS + t % ROWS]);

	uint64_t sum = 0;
	for (uint k = slice; have && k < p.inner; k += SLICES) {
		uint64_t x = Bits(a + 8 * k * p.step_inner).at[0];
		uint e = uint(x >> 52) & 0x7ff;
		uint64_t m = (x & 0xfffffffffffffUL) | (e == 0 ? 0UL : 1UL << 52);
		// c is ⌈m·2^-r⌉. Because m is below 2^53, every r of 53 or more gives the same c.
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
