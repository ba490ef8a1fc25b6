// stemr_vector finds eigenvectors of representations by twisted factorisations (LAPACK
// dlar1v, dlarrv): one step of a Rayleigh quotient iteration.
//
// in:     tasks, reps (leading dimension ld), gap  by lane i < count
//         column   lane i's vector is column column[i] of the result
// in/out: lo, hi   the eigenvalue's interval; lambda: where this step factors, unless
//                  fresh ≠ 0, which begins in the middle
//         done     lanes whose word is not 0 have finished; fresh clears it
// out:    lambda, residual = ‖(L·D·Lᵀ − λ·I)·z‖ of lanes that have finished
//         x        component r of vector c at c + r·ldx: n of them, 0 outside of the block;
//                  garbage while the lane has not finished
// work:   s        count numbers for each row
//
// A lane finishes when its residual cannot be felt by its neighbours or its λ could not be better,
// or if last ≠ 0. halve ≠ 0 makes the next λ the middle of the interval.
//
// Lanes walk the rows side by side, so that consecutive columns are read and written together.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "numerics_f64.glsl"
#include "representation.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	Tasks tasks;
	MatrixIn reps;
	Words column;
	MatrixIn gap;
	MatrixInOut lo, hi, lambda;
	MatrixOut residual;
	WordsInOut done;
	MatrixInOut s, x;
	uint ld, lds, ldx, n, count;
	uint flags;
} p;

const uint FRESH = 1, LAST = 2, HALVES = 4;

// A Column is a column of numbers, one a row.
struct Column { uint64_t base, stride; };

work_t get(Column c, uint i) { return MatrixInOut(c.base + c.stride * i).at[0]; }

void put(Column c, uint i, work_t v) { MatrixInOut(c.base + c.stride * i).at[0] = v; }

// factor leaves s̃ in s and U⁻ in u, and returns γ, the row of the twist, and the number of eigenvalues
// below λ. The factorisation from above, of row i, and that from below, of row j, go side by side: neither
// waits for the other. Until they meet, s keeps s̃ of the upper half and p of the lower one.
void factor(Representation r, Column s, Column u_, work_t lambda, out work_t gamma, out uint twist, out uint below) {
	work_t st = 0, q = 0, least = infinity();
	gamma = 0;
	twist = 0;
	below = 0;
	uint half_ = r.n / 2;
	Pair nextd[AHEAD], nextu[AHEAD];
	work_t nexti[AHEAD], nextj[AHEAD];
	for (uint part = 0; part < 2; part++) {
		uint from = part == 0 ? 0 : half_, to = part == 0 ? half_ : r.n;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			uint k = min(from + u, r.n - 1);
			nextd[u] = pair(r, k);
			nextu[u] = pair(r, r.n - 1 - k);
			nexti[u] = get(s, k);
			nextj[u] = get(s, r.n - 1 - k);
		}
		for (uint k0 = from; k0 < to; k0 += AHEAD) {
			Pair nowd[AHEAD] = nextd, nowu[AHEAD] = nextu;
			work_t nowi[AHEAD] = nexti, nowj[AHEAD] = nextj;
			[[unroll]] for (uint u = 0; u < AHEAD; u++) {
				uint k = min(k0 + AHEAD + u, r.n - 1);
				nextd[u] = pair(r, k);
				nextu[u] = pair(r, r.n - 1 - k);
				nexti[u] = get(s, k);
				nextj[u] = get(s, r.n - 1 - k);
			}
			[[unroll]] for (uint u = 0; u < AHEAD; u++) {
				uint i = k0 + u, j = r.n - 1 - i;
				if (i < to) {
					work_t d = nowu[u].d, l = nowu[u].l;
					if (i == 0) {
						q = d - lambda;
					} else {
						work_t v = d / (l * (l * d) + q);
						put(u_, j + 1, l * v);
						q = q * v - lambda;
						if (v == 0 || isnan(q)) q = d - lambda;
					}
					if (part == 0) {
						put(s, j, q);
					} else {
						work_t g = st + (i == j ? q : nowi[u]);
						if (abs(g) < least) {
							least = abs(g);
							gamma = g;
							twist = i;
						}
						g = nowj[u] + q;
						if (i != j && abs(g) < least) {
							least = abs(g);
							gamma = g;
							twist = j;
						}
					}
					put(s, i, st);
					d = nowd[u].d;
					l = nowd[u].l;
					work_t dp = d + (st - lambda);
					if (dp < 0) below++;
					work_t lp = (l * d) / dp;
					st = (lp * l) * (st - lambda);
					if (lp == 0 || isnan(st)) st = l * (l * d);
				}
			}
		}
	}
}

work_t coupling(Representation r, uint i) {
	Pair a = pair(r, i);
	return a.l * a.d;
}

// solve makes z with z = 1 at the twist, in z, which holds U⁻ below it, and returns zᵀ·z. Again, what
// is above the twist and what is below go side by side.
work_t solve(Representation r, Column s, Column z, work_t lambda, uint twist) {
	work_t up = 0, up1 = 1, up2 = 0; // the sum of squares, the last z, and that before it
	work_t down = 0, down1 = 1, down2 = 0;
	Pair next[AHEAD];
	work_t nexts[AHEAD], nextz[AHEAD];
	put(z, twist, 1);
	[[unroll]] for (uint u = 0; u < AHEAD; u++) {
		uint row = r.n - 1 - min(u + 1, r.n - 1);
		next[u] = pair(r, row);
		nexts[u] = get(s, row);
		nextz[u] = get(z, min(u + 1, r.n - 1));
	}
	for (uint k0 = 1; k0 < r.n; k0 += AHEAD) {
		Pair now[AHEAD] = next;
		work_t nows[AHEAD] = nexts, nowz[AHEAD] = nextz;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			uint k = min(k0 + AHEAD + u, r.n - 1);
			next[u] = pair(r, r.n - 1 - k);
			nexts[u] = get(s, r.n - 1 - k);
			nextz[u] = get(z, k);
		}
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			uint k = k0 + u, i = r.n - 1 - k;
			if (k < r.n && i < twist) {
				work_t ldi = now[u].l * now[u].d;
				work_t lp = ldi / (now[u].d + (nows[u] - lambda));
				work_t v = -(lp * up1);
				if (up1 == 0 && i + 2 <= twist) v = -(coupling(r, i + 1) / ldi) * up2;
				put(z, i, v);
				up += v * v;
				up2 = up1;
				up1 = v;
			}
			if (k < r.n && k > twist) {
				work_t v = -(nowz[u] * down1);
				if (down1 == 0 && k >= twist + 2) v = -(coupling(r, k - 2) / coupling(r, k - 1)) * down2;
				put(z, k, v);
				down += v * v;
				down2 = down1;
				down1 = v;
			}
		}
	}
	return 1 + up + down;
}

void main() {
	uint i = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (i >= p.count) return;
	bool fresh = (p.flags & FRESH) != 0;
	if (!fresh && p.done.at[i] != 0) return;
	Task t = p.tasks.at[i];
	Representation r = representation(uint64_t(p.reps), t, t.slot, p.ld);
	uint column = p.column.at[i];
	Column s = Column(element(uint64_t(p.s), i, t.lo, p.lds), uint64_t(p.lds) * REAL_BYTES);
	Column z = Column(element(uint64_t(p.x), column, t.lo, p.ldx), uint64_t(p.ldx) * REAL_BYTES);
	work_t lo = p.lo.at[i], hi = p.hi.at[i];
	work_t lambda = fresh || (p.flags & LAST) != 0 ? work_t(0.5) * (lo + hi) : p.lambda.at[i];

	work_t gamma;
	uint twist, below;
	factor(r, s, z, lambda, gamma, twist, below);
	work_t norm2 = solve(r, s, z, lambda, twist);
	work_t correction = gamma / norm2, residual = abs(gamma) / sqrt(norm2);
	work_t next = lambda + correction;
	bool inside = lo <= next && next <= hi;
	bool finished = residual <= 2 * ulp() * p.gap.at[i] || abs(correction) <= ulp() * abs(lambda) || (p.flags & LAST) != 0;
	if (!finished) {
		if (below > t.index) hi = lambda;
		else lo = lambda;
		if (!(lo <= next && next <= hi) || (p.flags & HALVES) != 0) next = work_t(0.5) * (lo + hi);
		p.lo.at[i] = lo;
		p.hi.at[i] = hi;
		p.lambda.at[i] = next;
		p.done.at[i] = 0;
		return;
	}
	if (inside) lambda = next;
	p.lo.at[i] = lambda;
	p.hi.at[i] = lambda;
	p.lambda.at[i] = lambda;
	p.residual.at[i] = residual;
	p.done.at[i] = 1;
	work_t scale = 1 / sqrt(norm2);
	work_t nexts[AHEAD];
	[[unroll]] for (uint u = 0; u < AHEAD; u++) nexts[u] = get(z, min(u, r.n - 1));
	for (uint k = 0; k < r.n; k += AHEAD) {
		work_t nows[AHEAD] = nexts;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) nexts[u] = get(z, min(k + AHEAD + u, r.n - 1));
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			if (k + u < r.n) put(z, k + u, nows[u] * scale);
		}
	}
	Column whole = Column(element(uint64_t(p.x), column, 0, p.ldx), z.stride);
	for (uint k = 0; k < t.lo; k++) put(whole, k, 0);
	for (uint k = t.hi; k < p.n; k++) put(whole, k, 0);
}
