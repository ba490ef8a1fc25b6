/* Computes the eigenvalues of the n×n matrix with 2 on the diagonal and −1 beside it, which are
 * 2 − 2·cos(k·π/(n+1)), and the residual of its vectors, ‖A·Z − Z·W‖ in the largest element.
 *
 *     cc eigen.c -o eigen $(pkg-config --cflags --libs vkevd) -lm && ./eigen 200
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vkevd.h>

int main(int argc, char **argv) {
	int64_t n = argc > 1 ? atoi(argv[1]) : 200;
	vkevd_device device = 0;
	vkevd_plan plan = 0;
	vkevd_error error;
	vkevd_symmetric options = {0};
	if (n < 2) {
		fprintf(stderr, "usage: eigen N, with N at least 2\n");
		return 2;
	}
	double *a = calloc(n * n, sizeof *a), *z = malloc(n * n * sizeof *z), *w = malloc(n * sizeof *w);
	if (!a || !z || !w) {
		fprintf(stderr, "no memory for n = %d\n", (int)n);
		return 1;
	}
	for (int64_t i = 0; i < n; i++) {
		a[i + i * n] = 2;
		if (i + 1 < n)
			a[i + 1 + i * n] = -1; /* by columns; only the lower triangle is read */
	}
	options.vectors = 1;
	if (vkevd_open(NULL, &device, &error) ||
	    vkevd_symmetric_plan(device, n, &options, &plan, &error) ||
	    vkevd_symmetric_solve(plan, a, n, w, z, n, NULL, NULL, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	double worst = 0, residual = 0;
	for (int64_t k = 0; k < n; k++) {
		const double *v = z + k * n;
		worst = fmax(worst, fabs(w[k] - (2 - 2 * cos((k + 1) * acos(-1) / (n + 1)))));
		for (int64_t i = 0; i < n; i++) {
			double av = 2 * v[i] - (i > 0 ? v[i - 1] : 0) - (i + 1 < n ? v[i + 1] : 0);
			residual = fmax(residual, fabs(av - w[k] * v[i]));
		}
	}
	printf("n = %d, smallest %.12f, largest error of a value %.1e, residual %.1e\n", (int)n, w[0], worst, residual);
	vkevd_plan_close(plan, NULL);
	vkevd_close(device, NULL);
	free(a);
	free(z);
	free(w);
	return !(worst < 1e-12 && residual < 1e-12);
}
