// Differences of poles and roots of a secular equation. After merge.glsl.
#ifndef SECULAR_GLSL
#define SECULAR_GLSL

// root_pole is the pole that root j is counted from.
uint root_pole(double mu, uint j) { return mu < 0.0lf ? j + 1 : j; }

// delta is di − λ_j to nearly full relative accuracy: nothing cancels, as |mu| is at
// most half of the gap between the poles beside the root.
double delta(Reals d, Reals mu, double di, uint j) {
	double offset_ = mu.at[j];
	return (di - d.at[root_pole(offset_, j)]) - offset_;
}

#endif
