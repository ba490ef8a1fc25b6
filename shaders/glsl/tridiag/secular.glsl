// This header computes differences between poles and roots of a secular equation (see
// stedc_secular).
//
// stedc_rows, stedc_vectors and stedc_weights include it, after merge.glsl. A root λ_j lies between
// the poles d_j and d_(j+1), or above the last pole. It is stored as mu, its offset from the nearer
// one of these poles. The header defines root_pole and delta.
#ifndef SECULAR_GLSL
#define SECULAR_GLSL

// root_pole returns the number of the pole from which the offset mu of root j is counted.
uint root_pole(double mu, uint j) { return mu < 0.0lf ? j + 1 : j; }

// delta returns d_i − λ_j to nearly full relative accuracy. The argument `di` is the pole d_i. The
// arguments d and `mu` are the arrays of poles and of offsets. The subtraction cancels no digits,
// because |mu| is at most half of the gap between the two poles next to the root.
double delta(Reals d, Reals mu, double di, uint j) {
	double offset_ = mu.at[j];
	return (di - d.at[root_pole(offset_, j)]) - offset_;
}

#endif
