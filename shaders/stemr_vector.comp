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

// factor leaves s̃ in s and U⁻ in u, and returns γ, the row of the twist, and
// the number of eigenvalues below λ.
void factor(Representation r, Column s, Column u_, work_t lambda, out work_t gamma, out uint twist, out uint below) {
	uint before = 0;
	work_t st = 0;
	Pair next[AHEAD];
	[[unroll]] for (uint u = 0; u < AHEAD; u++) next[u] = pair(r, u);
	for (uint i = 0; i < r.n; i += AHEAD) {
		Pair now[AHEAD] = next;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) next[u] = pair(r, i + AHEAD + u);
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			if (i + u < r.n) {
				work_t d = now[u].d, l = now[u].l;
				put(s, i + u, st);
				work_t dp = d + (st - lambda);
				if (dp < 0) before++;
				work_t lp = (l * d) / dp;
				st = (lp * l) * (st - lambda);
				if (lp == 0 || isnan(st)) st = l * (l * d);
			}
		}
	}
	uint after = 0;
	work_t q = 0, least = infinity();
	gamma = 0;
	twist = 0;
	below = 0;
	work_t nexts[AHEAD];
	[[unroll]] for (uint u = 0; u < AHEAD; u++) {
		uint row = r.n - 1 - min(u, r.n - 1);
		next[u] = pair(r, row);
		nexts[u] = get(s, row);
	}
	for (uint k = 0; k < r.n; k += AHEAD) {
		Pair now[AHEAD] = next;
		work_t nows[AHEAD] = nexts;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			uint row = r.n - 1 - min(k + AHEAD + u, r.n - 1);
			next[u] = pair(r, row);
			nexts[u] = get(s, row);
		}
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			if (k + u < r.n) {
				uint i = r.n - 1 - (k + u);
				work_t d = now[u].d, l = now[u].l;
				if (k + u == 0) {
					q = d - lambda;
				} else {
					work_t dm = l * (l * d) + q;
					if (dm < 0) after++;
					work_t v = d / dm;
					put(u_, i + 1, l * v);
					q = q * v - lambda;
					if (v == 0 || isnan(q)) q = d - lambda;
				}
				if (d + (nows[u] - lambda) < 0) before--;
				work_t g = nows[u] + q;
				if (abs(g) < least) {
					least = abs(g);
					gamma = g;
					twist = i;
					below = before + after + (g < 0 ? 1 : 0);
				}
			}
		}
	}
}

work_t coupling(Representation r, uint i) {
	Pair a = pair(r, i);
	return a.l * a.d;
}

// solve makes z with z = 1 at the twist, in z, which holds U⁻ below it, and returns zᵀ·z.
work_t solve(Representation r, Column s, Column z, work_t lambda, uint twist) {
	work_t norm2 = 1, z1 = 1, z2 = 0; // z of the last row, and of that before it
	Pair next[AHEAD];
	work_t nexts[AHEAD];
	put(z, twist, 1);
	[[unroll]] for (uint u = 0; u < AHEAD; u++) {
		uint row = r.n - 1 - min(u + 1, r.n - 1);
		next[u] = pair(r, row);
		nexts[u] = get(s, row);
	}
	for (uint k = 1; k < r.n; k += AHEAD) {
		Pair now[AHEAD] = next;
		work_t nows[AHEAD] = nexts;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			uint row = r.n - 1 - min(k + AHEAD + u, r.n - 1);
			next[u] = pair(r, row);
			nexts[u] = get(s, row);
		}
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			uint i = r.n - 1 - min(k + u, r.n - 1);
			if (k + u < r.n && i < twist) {
				work_t ldi = now[u].l * now[u].d;
				work_t lp = ldi / (now[u].d + (nows[u] - lambda));
				work_t v = -(lp * z1);
				if (z1 == 0 && i + 2 <= twist) v = -(coupling(r, i + 1) / ldi) * z2;
				put(z, i, v);
				norm2 += v * v;
				z2 = z1;
				z1 = v;
			}
		}
	}
	z1 = 1;
	z2 = 0;
	[[unroll]] for (uint u = 0; u < AHEAD; u++) nexts[u] = get(z, min(u + 1, r.n - 1));
	for (uint k = 0; k + 1 < r.n; k += AHEAD) {
		work_t nows[AHEAD] = nexts;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) nexts[u] = get(z, min(k + AHEAD + u + 1, r.n - 1));
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			uint i = k + u;
			if (i + 1 < r.n && i >= twist) {
				work_t v = -(nows[u] * z1);
				if (z1 == 0 && i >= twist + 1) v = -(coupling(r, i - 1) / coupling(r, i)) * z2;
				put(z, i + 1, v);
				norm2 += v * v;
				z2 = z1;
				z1 = v;
			}
		}
	}
	return norm2;
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
