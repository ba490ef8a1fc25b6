// This header computes differences between poles and roots of a secular equation (see
// stedc_secular).
//
// stedc_rows, stedc_vectors and stedc_weights include this header, after merge.glsl. A root λ_j
// lies between the poles d_j and d_(j+1), or above the last pole. The root is stored as mu, its
// offset from the nearer one of these poles. The header defines root_pole and delta.
#ifndef SECULAR_GLSL
#define SECULAR_GLSL

// root_pole returns the number of the nearest pole of root j: j if mu is positive, and j + 1 if mu
// is negative.
uint root_pole(real_t mu, uint j) { return mu < 0.0 ? j + 1 : j; }

// delta returns the difference d_i − λ_j of a pole and a root to nearly full relative accuracy.
// `di` is d_i, and d and `mu` are the arrays of the poles and of the offsets of roots. The
// subtraction cancels no digits, because |mu| is at most half of the gap between the two poles next
// to the root, or the root lies above all poles.
real_t delta(Reals d, Reals mu, real_t di, uint j) {
	real_t offset_ = mu.at[j];
	return (di - d.at[root_pole(offset_, j)]) - offset_;
}

#endif
