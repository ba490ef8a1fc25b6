// This header reduces a small Hermitian matrix in shared memory to tridiagonal form, for
// syev_batch.
//
// syev_batch.comp includes this header after larfg.glsl, and after the declarations of its shared
// memory and of the function `entry`.
#ifndef SYTD2_GLSL
#define SYTD2_GLSL
#include "tridiag/range.glsl"

// square_sum returns the sum of |x|² of the rows [from, n) of column j of this invocation's matrix.
real_t square_sum(uint from, uint j) {
	real_t s0 = 0.0, s1 = 0.0;
	uint i = from;
	for (; i + 1 < n; i += 2) {
		scalar_t x0 = a[entry(i, j)], x1 = a[entry(i + 1, j)];
		s0 = real_of(mad_conj(x0, x0, of_real(s0))), s1 = real_of(mad_conj(x1, x1, of_real(s1)));
	}
	if (i < n) s0 = real_of(mad_conj(a[entry(i, j)], a[entry(i, j)], of_real(s0)));
	return s0 + s1;
}

// reduce computes T = QᴴAQ (LAPACK dsytd2, zhetd2). Reflector k is I − τ·v·vᴴ with v(k+1) = 1. The
// vector v is stored in column k of a below the diagonal. The factor τ is stored in element k of
// the second half of the matrix's part of t_sin, because nothing else uses this half during the
// functions `reduce` and `form`. For complex numbers, element n − 2 is the phase of the last
// off-diagonal element, which makes T real: Q is the product of the reflectors and of diag(1, …, 1,
// phase).
void reduce() {
	uint v = at_r, w = at_r + ORDER; // v and A·v are both in t_cos
	for (uint k = 0; k + 2 < most; k++) {
		bool live = k + 2 < n;
		scalar_t tau = scalar_t(0);
		if (live) {
#ifdef COMPLEX
			real_t beta;
			scalar_t scale;
			larfg(a[entry(k + 1, k)], square_sum(k + 2, k), beta, tau, scale);
#else
			real_t squares = square_sum(k + 2, k), alpha = a[entry(k + 1, k)], beta = alpha, scale = 0.0;
			// The elements below the subdiagonal are negligible if their norm is at most 2^-400,
			// because the largest entry of the matrix is near 1.
			if (squares > power_of_two(2 * TINY)) {
				beta = sqrt(fma(alpha, alpha, squares));
				if (alpha > 0.0) beta = -beta;
				tau = (beta - alpha) / beta;
				scale = 1.0 / (alpha - beta);
			}
#endif
			for (uint i = lane; i < n; i += TEAM) {
				if (i > k) t_cos[v + i] = i == k + 1 ? one() : mul(a[entry(i, k)], scale);
			}
			if (lane == 0) {
				t_d[at_t + k] = real_of(a[entry(k, k)]);
				t_e[at_t + k] = beta;
				t_sin[w + k] = tau;
			}
		}
		barrier();
		if (live) {
			for (uint i = lane; i < n; i += TEAM) {
				if (i <= k) continue;
				scalar_t s0 = scalar_t(0), s1 = scalar_t(0);
				uint j = k + 1;
				for (; j + 1 < n; j += 2) {
					s0 = mad(a[entry(i, j)], t_cos[v + j], s0);
					s1 = mad(a[entry(i, j + 1)], t_cos[v + j + 1], s1);
				}
				if (j < n) s0 = mad(a[entry(i, j)], t_cos[v + j], s0);
				t_cos[w + i] = mul(tau, s0 + s1);
				a[entry(i, k)] = t_cos[v + i];
			}
		}
		barrier();
		if (live) {
			scalar_t s0 = scalar_t(0), s1 = scalar_t(0);
			uint j = k + 1;
			for (; j + 1 < n; j += 2) {
				s0 = mad_conj(t_cos[w + j], t_cos[v + j], s0);
				s1 = mad_conj(t_cos[w + j + 1], t_cos[v + j + 1], s1);
			}
			if (j < n) s0 = mad_conj(t_cos[w + j], t_cos[v + j], s0);
			scalar_t half_ = mul(0.5 * tau, s0 + s1);
			for (uint i = lane; i < n; i += TEAM) {
				if (i <= k) continue;
				scalar_t vi = t_cos[v + i], wi = mad(-half_, vi, t_cos[w + i]);
				for (uint c = k + 1; c < n; c++) {
					scalar_t vc = t_cos[v + c], wc = mad(-half_, vc, t_cos[w + c]);
					uint at = entry(i, c);
					a[at] = real_if(i == c, mad(-vi, conjugate(wc), mad(-wi, conjugate(vc), a[at])));
				}
			}
		}
		barrier();
	}
	if (n > 0 && lane == 0) {
		t_d[at_t + n - 1] = real_of(a[entry(n - 1, n - 1)]);
		if (n > 1) {
			t_d[at_t + n - 2] = real_of(a[entry(n - 2, n - 2)]);
#ifdef COMPLEX
			scalar_t phase;
			t_e[at_t + n - 2] = polar(a[entry(n - 1, n - 2)], phase);
			t_sin[w + n - 2] = phase;
#else
			t_e[at_t + n - 2] = a[entry(n - 1, n - 2)];
#endif
		}
	}
	barrier();
}

#endif
