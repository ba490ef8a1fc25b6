// geqrf_panel_column computes reflector j of an m×COLUMNS panel from the dot products of the
// previous dispatch, applies the reflector, and computes the dot products for the next dispatch
// (LAPACK dlarfg, dlarf).
//
// complex
//
// variant: geqrf_panel_first FIRST=1
// variant: geqrf_panel_column FIRST=0
//
// x0 is the element in row j of column j, and x is the vector of the elements below it. a0 and a
// are the same parts of a column l > j. Then:
//
//	β = −sign(x0)·√(x0² + x·x)     v = [1, x / (x0 − β)]     τ = (β − x0) / β
//	w = a0 + a·x / (x0 − β)        column l ← column l − τ·w·v
//
// For complex numbers β = −sign(Re x0)·√(|x0|² + xᴴ·x), w = a0 + xᴴ·a / conj(x0 − β), and conj(τ)·w
// takes the place of τ·w (LAPACK zlarfg). The test for zero, which is described below, then uses
// xᴴ·x + (Im x0)² in place of x·x.
//
// in:      from       row j in its first COLUMNS elements, then the partial dot products x·a
// out:     to         row j+1 and the partial dot products for reflector j+1, in the same order
// in, out: panel      columns l > j, rows below j: updated; column j: v, with zeros above it
// out:     r          R[j, l], l ≥ j, at r[j + l·ldr]
//          tau        τ of column j
// in, out: exponents  [0]: the panel is scaled by 2^-exponents[0], R and τ are not. The variant
//                     with FIRST=1 computes exponents[0] from the exponents of the workgroups,
//                     and scales the panel
//
// Workgroup g owns the rows [g·rows, min(m, (g+1)·rows)) of the panel, and accesses no other rows.
// A workgroup reads nothing that another workgroup writes in this dispatch. It reads row j from the
// buffer `from`, because the owner of row j changes this row in the panel. Each workgroup adds up
// all partial dot products in the same order, so all workgroups compute the same bits.
//
// If the sum of squares x·x is below 2^TINY_EXPONENT (in a panel scaled to below 4), x counts as
// zero. Then H = I, τ = 0, and x is dropped. This is an error of 2^(TINY_EXPONENT/2) times the
// largest entry of the panel. If x·x is larger, terms that underflowed are less than ε of the sum,
// even on a device that flushes subnormal numbers. So H is orthogonal.
//
// The dispatch for the last reflector, j+1 = min(COLUMNS, m), also writes zeros to the columns
// without a reflector and to their τ. Such columns exist if m < COLUMNS. The panel must be finite.
// No two buffers may overlap.
//
// Grid: ⌈m / rows⌉ workgroups, the same number in all dispatches.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#include "panel.glsl"
#include "panel_reflector.glsl"

layout(push_constant, scalar) uniform Push {
	MatrixInOut panel;
	MatrixIn from;
	MatrixOut to;
	Exponents exponents;
	MatrixOut r, tau;
	// m is the number of rows of the panel, at least 1. The leading dimensions ld and ldr are at
	// least m and COLUMNS. `rows` is the number of rows of a workgroup, a multiple of CHUNK, and
	// `groups` the number of workgroups. j is the number of the column, j < min(COLUMNS, m).
	uint m, ld, ldr, rows, groups, j;
} p;

// AT_ONCE is the number of loads that each invocation has in flight while it reads partial dot
// products of other workgroups.
const uint AT_ONCE = 16;

// `dots[l]` is a dot product of two columns below row j: of column j and column l.
shared acc_t dots[COLUMNS];
shared work_t weights[COLUMNS]; // τ·w, conj(τ)·w for complex numbers
shared work_t tail[CHUNK];      // column j of the chunk, before it becomes v

// A workgroup processes its rows in chunks. `fetched` and fetched_tail are this invocation's part
// of the next chunk, which is loaded into registers before it is needed (software pipelining).
// `fetched` has columns j+1+lane, j+1+lane+LANES, … of the invocation's row. fetched_tail has
// column j, in lane 0 only.
work_t fetched[PER_LANE];
work_t fetched_tail;

// fetch loads this invocation's part of a row of the panel, while column j is eliminated. For rows
// up to row j and for rows past the end, the result is zero.
void fetch(uint row, uint lane) {
	bool live = row > p.j && row < p.m;
	[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
		uint l = p.j + 1 + lane + u * LANES;
		fetched[u] = live && l < COLUMNS ? work_t(p.panel.at[row + l * p.ld]) : work_t(0);
	}
	fetched_tail = live && lane == 0 ? work_t(p.panel.at[row + p.j * p.ld]) : work_t(0);
}

// total returns, to each invocation t < COLUMNS, a dot product of two columns below row j: of
// column j and column t. e is the exponent of the power of two by which the whole panel is scaled.
// All invocations must call `total`.
acc_t total(int e) {
	uint t = gl_LocalInvocationIndex, column = t % COLUMNS;
	acc_t sum = acc_t(0);
	if (column >= p.j && t < SEGMENTS * COLUMNS) {
		for (uint g = t / COLUMNS; g < p.groups; g += AT_ONCE * SEGMENTS) {
			acc_t some[AT_ONCE];
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
				uint at = g + u * SEGMENTS;
				some[u] = at < p.groups ? acc_t(p.from.at[COLUMNS * (1 + at) + column]) : acc_t(0);
#if FIRST
				if (at < p.groups) some[u] = regauge(p.exponents, some[u], at, e);
#endif
			}
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) sum += some[u];
		}
	}
	share_of(sum);
	barrier();
	return t < COLUMNS ? column_total(t) : acc_t(0);
}

void main() {
	uint t = gl_LocalInvocationIndex, row_of = t % CHUNK, lane = t / CHUNK;
	uint begin = gl_WorkGroupID.x * p.rows, end = min(begin + p.rows, p.m);
	bool last = p.j + 1 == min(COLUMNS, p.m);

	fetch(begin + row_of, lane); // these loads are in flight while the sums are computed
	acc_t head = t < COLUMNS && t >= p.j ? acc_t(p.from.at[t]) : acc_t(0);
	acc_t x0 = acc_t(p.from.at[p.j]);
#if FIRST
	int e = common_exponent(p.exponents, p.groups);
	real_t scale = power_of_two(-e);
	head *= scale;
	x0 *= scale;
	if (gl_WorkGroupID.x == 0 && t == 0) p.exponents.at[0] = e;
#else
	int e = p.exponents.at[0];
#endif
	acc_t dot = total(e);
	if (t < COLUMNS) dots[t] = dot;
	if (lane == 0) tail[row_of] = fetched_tail;
	barrier();

	// Every invocation computes the reflector for itself, because the computation costs less than a
	// barrier.
	Reflector h = reflector(x0, real_of(dots[p.j]));
	acc_t weight = mul(conjugate(h.tau), mad(dot, conjugate(h.inverse), head));
	if (t < COLUMNS) weights[t] = work_t(weight);
	if (gl_WorkGroupID.x == 0) {
		real_t unscale = power_of_two(e);
		if (t >= p.j && t < COLUMNS) p.r.at[p.j + t * p.ldr] = scalar_t((t == p.j ? of_real(h.beta) : head - weight) * unscale);
		if (t == p.j || last && t > p.j && t < COLUMNS) p.tau.at[t] = t == p.j ? scalar_t(h.tau) : scalar_t(0);
	}
	barrier();

	acc_t share = acc_t(0);
	for (uint chunk = begin; chunk < end; chunk += CHUNK) {
		// Here the arrays `fetched` and `tail` hold the next chunk of rows, and all invocations
		// have finished reading the previous chunk from `tile`.
		uint row = chunk + row_of;
		work_t x = tail[row_of];
#if FIRST
		x *= scale;
#endif
		work_t v = row > p.j && h.inverse != acc_t(0) ? work_t(mul(x, h.inverse)) : of_real(real_t(row == p.j ? 1 : 0));
		if (lane == 0 && row < end) p.panel.at[row + p.j * p.ld] = scalar_t(v);
		[[unroll]] for (uint u = 0; u < PER_LANE; u++) {
			uint l = p.j + 1 + lane + u * LANES;
			if (l < COLUMNS) {
				work_t y = fetched[u];
#if FIRST
				y *= scale;
#endif
				y = mad(-weights[l], v, y);
				if (row < end && (row > p.j || last)) p.panel.at[row + l * p.ld] = last ? scalar_t(0) : scalar_t(y);
				if (row == p.j + 1 && row < end) p.to.at[l] = scalar_t(y);
				tile[l * STRIDE + row_of] = row > p.j + 1 ? y : work_t(0);
			}
		}
		bool more = chunk + CHUNK < end;
		if (more) fetch(row + CHUNK, lane);
		barrier(); // the tile is full, and no invocation needs the tail any more
		if (more && lane == 0) tail[row_of] = fetched_tail;
		if (!last) share = add_dots(share, p.j + 1);
		barrier(); // the next tail is stored, and no invocation needs the tile any more
	}
	if (!last) put_dots(p.to, share, p.j + 1);
}
