// emulated_norms bounds the 2-norm of each row of a factor, for the scaling of emulated products.
//
// in:      a      element k of row r is a[r·step_row + k·step_inner]
// out:     norms  for each row, numbers q and e with ‖row‖₂² ≤ q·4^(e−12). Every element of the row
//                 is below 2^e in magnitude. A row of zeros has q = 0. A row with an infinity or
//                 NaN has e = NOT_FINITE
// in, out: peak   PEAK_BIAS + the largest ⌊log₂ of the bound of a norm⌋ of all rows that are finite
//                 and not zero. The host sets peak to 0 before the dispatch
//
// variant: emulated_norms
// variant: emulated_norms_complex COMPLEX
//
// float64 only
//
// q is the sum of the integers ⌈|a|·2^(12−e)⌉² over the elements a of the row, or over both parts
// of complex elements. A sum of integers does not depend on the order of its terms.
//
// Grid: x and y together number the workgroups. A workgroup has `share` rows. Each row has
// LOCAL_SIZE/share invocations, which read the row twice. LOCAL_SIZE is a power of two.
//
// Consecutive invocations read what is contiguous in memory: elements of one row if step_inner is
// 1, and otherwise the same element of consecutive rows.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "entries.glsl"
#include "shifts.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 256;
// SYMMETRIC tells whether the factor is symmetric, or Hermitian if it is complex. Then only its
// lower triangle is read: the elements k ≤ r of row r, without the imaginary parts of the diagonal.
layout(constant_id = 1) const bool SYMMETRIC = false;

layout(push_constant, scalar) uniform Push {
	Bits a;
	NormsOut norms;
	Counter peak;
	// step_row and step_inner are the distances in elements from one row to the next, and from one
	// element of a row to the next.
	uint64_t step_row, step_inner;
	uint rows, inner;
	// With SYMMETRIC, `before` is the number of rows of the symmetric matrix before the first row
	// of this dispatch, and a is the address of element (0, 0), not of the first row.
	uint before;
	// `share` is the number of rows that a workgroup processes, a power of two, at most LOCAL_SIZE.
	uint share;
} p;

// Each row has several invocations, which are numbered from 0. In the arrays `largest` and `sums`,
// invocation number `slice` of row r has element slice·share + r.
shared uint largest[LOCAL_SIZE];
shared uint64_t sums[LOCAL_SIZE];

// UNROLL is the number of elements that an invocation loads before it uses them, so that the loads
// wait for memory at the same time.
const uint UNROLL = 4;

// bits returns element k of a row as the 64 bits of its double, or of its two doubles. A part may
// have the wrong sign, which does not change norms.
entry_t bits(uint row, uint k) {
	if (SYMMETRIC) row += p.before;
	if (SYMMETRIC && k > row) return Bits(uint64_t(p.a) + ENTRY_BYTES * (k * p.step_row + row * p.step_inner)).at[0];
#ifdef COMPLEX
	if (SYMMETRIC && k == row) return u64vec2(Bits(uint64_t(p.a) + ENTRY_BYTES * (row * p.step_row + k * p.step_inner)).at[0].x, 0);
#endif
	return Bits(uint64_t(p.a) + ENTRY_BYTES * (row * p.step_row + k * p.step_inner)).at[0];
}

void main() {
	uint t = gl_LocalInvocationIndex, slices = LOCAL_SIZE / p.share;
	bool contiguous = p.step_inner == 1;
	uint r = contiguous ? t / slices : t % p.share, slice = contiguous ? t % slices : t / p.share;
	uint row = workgroup() * p.share + r, place = slice * p.share + r;
	uint end = row < p.rows ? p.inner : 0;

	// `biased` becomes the largest biased exponent of the elements of the row. Subnormal numbers
	// count with the exponent 1. An element may be read twice.
	uint biased = 1;
	for (uint k = slice; k < end; k += UNROLL * slices) {
		entry_t x[UNROLL];
		[[unroll]] for (uint u = 0; u < UNROLL; u++) x[u] = bits(row, min(k + u * slices, end - 1));
		[[unroll]] for (uint u = 0; u < UNROLL; u++) EACH_PART biased = max(biased, uint(PART_OF(x[u]) >> 52) & 0x7ff);
	}
	largest[place] = biased;
	for (uint half_ = slices / 2; half_ > 0; half_ /= 2) {
		barrier();
		if (slice < half_) largest[place] = max(largest[place], largest[place + half_ * p.share]);
	}
	barrier();
	biased = largest[r];

	uint64_t sum = 0;
	for (uint k = slice; k < end; k += UNROLL * slices) {
		entry_t x[UNROLL];
		[[unroll]] for (uint u = 0; u < UNROLL; u++) x[u] = k + u * slices < end ? bits(row, k + u * slices) : ZERO_ENTRY;
		[[unroll]] for (uint u = 0; u < UNROLL; u++) EACH_PART {
			uint e = uint(PART_OF(x[u]) >> 52) & 0x7ff;
			uint64_t m = (PART_OF(x[u]) & 0xfffffffffffffUL) | (e == 0 ? 0UL : 1UL << 52);
			// The integer c is ⌈m·2^-q⌉, where m is the significand of the element. Every q ≥ 53
			// gives the same c, because m is below 2^53. So q may be limited to 60.
			uint q = min(biased - max(e, 1) + 41, 60);
			uint64_t c = (m + (1UL << q) - 1) >> q;
			sum += c * c;
		}
	}
	sums[place] = sum;
	for (uint half_ = slices / 2; half_ > 0; half_ /= 2) {
		barrier();
		if (slice < half_) sums[place] += sums[place + half_ * p.share];
	}
	if (slice != 0 || row >= p.rows) return;
	sum = sums[r];
	int e = biased == 0x7ff ? NOT_FINITE : int(biased) - 1022;
	p.norms.at[row] = Norm(sum, e, 0);
	if (e != NOT_FINITE && sum != 0) atomicMax(p.peak.at[0], uint(e - 12 + half_log(sum) + PEAK_BIAS));
}
