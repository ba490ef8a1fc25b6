// float64 only
//
// stebz_prepare scales a symmetric tridiagonal matrix T(d, e) for Sturm counts.
//
// in:  d, e   n diagonal and n−1 off-diagonal elements, finite; n ≥ 1
// out: rows   n pairs of the scaled matrix 2^−x·T, whose largest entry is in [½, 1): the diagonal
//             element, and the square of the off-diagonal element before it (0 in the first
//             row). Values below 2^-900 in magnitude are replaced by 0
//      start  lo, hi: an interval with all eigenvalues of 2^−x·T strictly inside; down: two
//             factors with product 2^−x; up: two factors with product 2^x
//
// The results have the same bits as those of NewSturm in package stages/ref, because the kernel
// uses only exact operations, minima, maxima and a few sums. The outputs must not overlap the
// inputs or each other.
//
// Grid: one workgroup.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "scale.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
#include "reduce.glsl"
#include "sturm.glsl"

layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) readonly buffer In { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) writeonly buffer RowsOut { Row at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) writeonly buffer StartOut { Start at[]; };

layout(push_constant, scalar) uniform Push {
	In d, e;
	RowsOut rows;
	StartOut start;
	// n is the order of T, at least 1.
	uint n;
} p;

// binary_exponent returns x with |`top`| = f·2^x, ½ ≤ f < 1, or 0 if `top` is zero.
int binary_exponent(work_t top) {
	if (top == 0) return 0;
	// Multiplication by 2 to the power `room` makes every subnormal number normal.
	const int room = 60;
	if (top < power_of_two(SCALE_LEAST)) return exponent_of(top * power_of_two(room)) - room;
	// The result of the function exponent_of is at most SCALE_MOST, so the largest numbers are
	// scaled down first.
	return top < power_of_two(SCALE_MOST) ? exponent_of(top) : exponent_of(top * power_of_two(-room)) + room;
}

work_t flushed(work_t x) { return abs(x) < power_of_two(-900) ? work_t(0) : x; }

void main() {
	uint t = gl_LocalInvocationIndex;
	work_t top = 0;
	for (uint i = t; i < p.n; i += LOCAL_SIZE) {
		top = max(top, abs(p.d.at[i]));
		if (i + 1 < p.n) top = max(top, abs(p.e.at[i]));
	}
	int x = binary_exponent(group_max(top));
	Start s;
	s.down[0] = power_of_two(-x / 2);
	s.down[1] = power_of_two(-x - -x / 2);
	s.up[0] = power_of_two(x / 2);
	s.up[1] = power_of_two(x - x / 2);

	work_t lo = 0, hi = 0;
	for (uint i = t; i < p.n; i += LOCAL_SIZE) {
		work_t before = i > 0 ? abs(scaled(p.e.at[i - 1], s.down)) : work_t(0);
		work_t after = i + 1 < p.n ? abs(scaled(p.e.at[i], s.down)) : work_t(0);
		Row row = Row(flushed(scaled(p.d.at[i], s.down)), flushed(before * before));
		work_t radius = before + after;
		lo = i == t ? row.d - radius : min(lo, row.d - radius);
		hi = i == t ? row.d + radius : max(hi, row.d + radius);
		p.rows.at[i] = row;
	}
	// Invocations without a row of T take row 0 again, which changes neither the minimum nor the
	// maximum.
	bool spare = t >= p.n;
	work_t first = flushed(scaled(p.d.at[0], s.down));
	lo = -group_max(spare ? -first : -lo);
	hi = group_max(spare ? first : hi);

	work_t norm = max(abs(lo), abs(hi));
	work_t room = 4 * (work_t(p.n) * ulp() * norm + pivmin());
	s.lo = lo - room;
	s.hi = hi + room;
	if (t == 0) p.start.at[0] = s;
}
