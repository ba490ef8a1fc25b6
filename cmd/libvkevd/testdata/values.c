// Tests of the C library: eigenvalues, singular values and vectors of matrices with known spectra,
// in every storage order.
#include "check.h"
#include <complex.h>

static vkevd_device device;
static vkevd_error error;

enum { N = 70 };

// check_spectrum checks eigenvalues w and vectors z that were computed for the matrix a. They are
// those with the indices first, …, first + count − 1. The eigenvalues of a are known: 1, …, N.
static void check_spectrum(matrix a, const double *w, matrix z, int first, int count) {
	for (int k = 0; k < count; k++)
		CHECK(fabs(w[k] - (first + k + 1)) < 1e-11);
	if (z.at == NULL)
		return;
	z.cols = count;
	CHECK(not_orthogonal(z) < 1e-12);
	CHECK(residual(a, z, z, w, count) < 1e-11);
}

// symmetric solves one symmetric problem with one choice of storage order, triangle and padding.
// The padding, and the triangle that is not read, are NaN.
static void symmetric(vkevd_symmetric o, int pad, int in_place, int first, int count) {
	double d[N], w[N];
	for (int i = 0; i < N; i++)
		d[(i * 29) % N] = i + 1;
	matrix full = new_matrix(N, N, 0, 0), a = new_matrix(N, N, pad, o.a_row_major);
	reflect(full, d);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			if (o.upper ? i <= j : i >= j)
				*entry(a, i, j) = *entry(full, i, j);
	matrix z = {0, 0, 0, 0, NULL};
	if (o.vectors) {
		z = in_place ? a : new_matrix(N, N, pad + 3, o.vectors_row_major);
		z.row_major = o.vectors_row_major;
	}
	vkevd_plan plan;
	vkevd_found found = {-1, -1};
	OK(vkevd_symmetric_plan(device, N, &o, &plan, &error));
	OK(vkevd_symmetric_solve(plan, a.at, a.ld, w, z.at, z.ld, &found, NULL, &error));
	CHECK(found.first == first && found.count == count);
	check_spectrum(full, w, z, first, count);
	if (!in_place) // A is unchanged
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++)
				CHECK((o.upper ? i <= j : i >= j) ? *entry(a, i, j) == *entry(full, i, j) : isnan(*entry(a, i, j)));
	OK(vkevd_plan_close(plan, &error));
	if (!in_place)
		free(z.at);
	free(a.at);
	free(full.at);
}

static void all_symmetric(void) {
	for (int i = 0; i < 8; i++) {
		vkevd_symmetric o = {0};
		o.vectors = 1;
		o.upper = i & 1, o.a_row_major = i >> 1 & 1, o.vectors_row_major = i >> 2 & 1;
		symmetric(o, i % 3, 0, 0, N);
		symmetric(o, i % 3, 1, 0, N);
	}
	vkevd_symmetric o = {0};
	symmetric(o, 2, 0, 0, N);
	o.verify = o.vectors = 1;
	symmetric(o, 2, 0, 0, N);
	o.verify = 0;
	o.select = VKEVD_INDEX, o.from = 3, o.to = 9;
	symmetric(o, 1, 0, 3, 6);
	o.vectors_row_major = 1;
	symmetric(o, 1, 1, 3, 6);
	o.select = VKEVD_INTERVAL, o.above = 10, o.up_to = 13.5;
	symmetric(o, 1, 0, 10, 3);
	o.at_most = 4, o.above = 65.5, o.up_to = INFINITY;
	o.vectors = 0;
	o.above = 66.5;
	symmetric(o, 0, 0, 66, 4);
}

// place is the index of entry (i, j) of a matrix in memory.
static int place(int i, int j, int ld, int row_major) { return row_major ? i * ld + j : i + j * ld; }

// phase is the factor of row i of the Hermitian matrix of the tests. The conjugate is the factor of
// column i.
static double complex phase(int i) { return cexp(0.7 * i * I); }

// hermitian solves one Hermitian problem with the eigenvalues 1, …, N. The padding, the triangle that
// is not read and the imaginary parts of the diagonal are NaN.
static void hermitian(vkevd_symmetric o, int pad, int in_place, int first, int count) {
	enum { MOST = N * (N + 5) };
	static double complex a[MOST], z[MOST];
	static float complex as[MOST], zs[MOST];
	static double complex whole[N][N];
	int single = o.number == VKEVD_COMPLEX64, lda = N + pad, ldz = in_place ? lda : N + 3;
	double d[N], w[N], tolerance = single ? 1e-2 : 1e-11;
	float ws[N];
	for (int i = 0; i < N; i++)
		d[(i * 29) % N] = i + 1;
	matrix real = new_matrix(N, N, 0, 0);
	reflect(real, d);
	for (int i = 0; i < MOST; i++)
		a[i] = as[i] = NAN + NAN * I;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			whole[i][j] = phase(i) * *entry(real, i, j) * conj(phase(j));
			if (o.upper ? i <= j : i >= j)
				a[place(i, j, lda, o.a_row_major)] = whole[i][j];
			if (i == j)
				((double *)&a[place(i, j, lda, 0)])[1] = NAN;
		}
	for (int i = 0; i < MOST; i++)
		as[i] = (float complex)a[i];
	vkevd_plan plan;
	vkevd_found found = {-1, -1};
	OK(vkevd_symmetric_plan(device, N, &o, &plan, &error));
	void *vectors = !o.vectors ? NULL : single ? (in_place ? (void *)as : zs) : in_place ? (void *)a : z;
	if (single)
		OK(vkevd_symmetric_solve_complex64(plan, (float *)as, lda, ws, vectors, ldz, &found, NULL, &error));
	else
		OK(vkevd_symmetric_solve_complex128(plan, (double *)a, lda, w, vectors, ldz, &found, NULL, &error));
	CHECK(found.first == first && found.count == count);
	OK(vkevd_plan_close(plan, &error));
	for (int k = 0; k < count; k++) {
		double value = single ? ws[k] : w[k];
		CHECK(fabs(value - (first + k + 1)) < tolerance / 10);
		for (int i = 0; o.vectors && i < N; i++) {
			double complex sum = 0;
			for (int j = 0; j <= N; j++) { // the last term is −λ·z(i)
				int at = place(j < N ? j : i, k, ldz, o.vectors_row_major);
				double complex x = single ? ((float complex *)vectors)[at] : ((double complex *)vectors)[at];
				sum += (j < N ? whole[i][j] : -value) * x;
			}
			CHECK(cabs(sum) < tolerance);
		}
		for (int l = 0; o.vectors && l <= k; l++) {
			double complex sum = l == k ? -1 : 0;
			for (int i = 0; i < N; i++) {
				int p = place(i, k, ldz, o.vectors_row_major), q = place(i, l, ldz, o.vectors_row_major);
				if (single)
					sum += conj(((float complex *)vectors)[p]) * ((float complex *)vectors)[q];
				else
					sum += conj(((double complex *)vectors)[p]) * ((double complex *)vectors)[q];
			}
			CHECK(cabs(sum) < tolerance / 10);
		}
	}
	free(real.at);
}

// all_hermitian solves with both types of complex numbers and in mixed precision, in every storage
// order, and checks what is refused.
static void all_hermitian(void) {
	vkevd_plan plan;
	double w[N];
	static double a[2 * N * N];
	for (int i = 0; i < 8; i++) {
		vkevd_symmetric o = {0};
		o.vectors = 1, o.number = VKEVD_MIXED_COMPLEX;
		o.upper = i & 1, o.a_row_major = i >> 1 & 1, o.vectors_row_major = i >> 2 & 1;
		hermitian(o, i % 3, i % 3 == 1, 0, N);
	}
	for (int number = VKEVD_COMPLEX128; number <= VKEVD_COMPLEX64; number++) {
		for (int i = 0; i < 8; i++) {
			vkevd_symmetric o = {0};
			o.vectors = 1, o.number = number;
			o.upper = i & 1, o.a_row_major = i >> 1 & 1, o.vectors_row_major = i >> 2 & 1;
			hermitian(o, i % 3, i % 3 == 1, 0, N);
		}
		vkevd_symmetric o = {0};
		o.number = number;
		hermitian(o, 2, 0, 0, N);
		o.verify = o.vectors = 1;
		hermitian(o, 1, 0, 0, N);
		o.verify = 0;
		o.a_row_major = 1, o.select = VKEVD_INDEX, o.from = 3, o.to = 9;
		hermitian(o, 1, 0, 3, 6);
		o.select = VKEVD_INTERVAL, o.above = 10.5, o.up_to = 13.5, o.upper = 1;
		hermitian(o, 1, 0, 10, 3);
	}
	vkevd_symmetric o = {0};
	o.number = VKEVD_COMPLEX128;
	OK(vkevd_symmetric_plan(device, N, &o, &plan, &error));
	WANT(VKEVD_BAD_ARGUMENT, vkevd_symmetric_solve(plan, a, N, w, NULL, 0, NULL, NULL, &error));
	WANT(VKEVD_BAD_ARGUMENT, vkevd_symmetric_solve_complex64(plan, NULL, N, NULL, NULL, 0, NULL, NULL, &error));
	WANT(VKEVD_BAD_ARGUMENT, vkevd_symmetric_solve_complex128(plan, a, N - 1, w, NULL, 0, NULL, NULL, &error));
	WANT(VKEVD_BAD_ARGUMENT, vkevd_symmetric_solve_complex128(plan, a, INT64_MAX / 8 / N, w, NULL, 0, NULL, NULL, &error));
	a[2 * (7 + 4 * N) + 1] = INFINITY; // the imaginary part of entry (7, 4)
	WANT(VKEVD_NOT_FINITE, vkevd_symmetric_solve_complex128(plan, a, N, w, NULL, 0, NULL, NULL, &error));
	CHECK(error.row == 7 && error.column == 4);
	OK(vkevd_plan_close(plan, &error));
}

// put and get write and read number `at` of an array of one of the four types.
static void put(void *to, int number, int at, double complex x) {
	switch (number) {
	case VKEVD_FLOAT64: ((double *)to)[at] = creal(x); break;
	case VKEVD_FLOAT32: ((float *)to)[at] = (float)creal(x); break;
	case VKEVD_COMPLEX128: ((double complex *)to)[at] = x; break;
	default: ((float complex *)to)[at] = (float complex)x;
	}
}

static double complex get(const void *from, int number, int at) {
	switch (number) {
	case VKEVD_FLOAT64: return ((const double *)from)[at];
	case VKEVD_FLOAT32: return ((const float *)from)[at];
	case VKEVD_COMPLEX128: return ((const double complex *)from)[at];
	}
	return ((const float complex *)from)[at];
}

// The matrix T of the next tests has 1 on its diagonal and 1/4 above it.
enum { T, T_TRANSPOSED, T_INVERSE, T_INVERSE_TRANSPOSED };

// multiply sets x to the product of T, or of one of the others, and x.
static void multiply(int by, double complex *x) {
	for (int i = 0; by == T && i + 1 < N; i++)
		x[i] += x[i + 1] / 4;
	for (int i = N - 1; by == T_TRANSPOSED && i > 0; i--)
		x[i] += x[i - 1] / 4;
	for (int i = N - 2; by == T_INVERSE && i >= 0; i--)
		x[i] -= x[i + 1] / 4;
	for (int i = 1; by == T_INVERSE_TRANSPOSED && i < N; i++)
		x[i] -= x[i - 1] / 4;
}

// congruent sets m to Φ·F·m·Fᵀ·Φᴴ, where m is symmetric, F is T or one of the others, and Φ is 1 or
// the diagonal matrix of phases.
static void congruent(int f, double complex m[N][N], int phases) {
	for (int side = 0; side < 2; side++) {
		double complex x[N][N];
		for (int i = 0; i < N; i++) {
			memcpy(x[i], m[i], sizeof x[i]); // column i of m, which is symmetric at first, and then row i of F·m
			multiply(f, x[i]);
		}
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++)
				m[i][j] = x[j][i];
	}
	for (int i = 0; phases && i < N; i++)
		for (int j = 0; j < N; j++)
			m[i][j] *= phase(i) * conj(phase(j));
}

// put_triangle writes one triangle of a matrix to memory. All other numbers become NaN, also the
// imaginary parts of the diagonal.
static void put_triangle(double complex whole[N][N], void *to, int number, int ld, int upper, int row_major) {
	for (int i = 0; i < N * (N + 5); i++)
		put(to, number, i, NAN + NAN * I);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			if (upper ? i <= j : i >= j)
				put(to, number, place(i, j, ld, row_major), whole[i][j]);
	for (int i = 0; i < N; i++)
		if (number == VKEVD_COMPLEX128)
			((double *)to)[2 * place(i, i, ld, 0) + 1] = NAN;
		else if (number == VKEVD_COMPLEX64)
			((float *)to)[2 * place(i, i, ld, 0) + 1] = NAN;
}

// OF calls a function for pairs with the type of numbers of the options o.
#define OF(name, ...)                                                                              \
	(o.symmetric.number == VKEVD_FLOAT32      ? name##_float32(__VA_ARGS__)                         \
	 : o.symmetric.number == VKEVD_COMPLEX128 ? name##_complex128(__VA_ARGS__)                      \
	 : o.symmetric.number == VKEVD_COMPLEX64  ? name##_complex64(__VA_ARGS__)                       \
	                                          : name(__VA_ARGS__))

// pair solves one pair with the eigenvalues 1, …, N. If H is a symmetric matrix with these values and
// S = T·Φᴴ, then B is SᴴS. A is SᴴHS, or S⁻¹HS⁻ᴴ for a type with a product of A and B.
static void pair(vkevd_pencil o, int pad, int in_place, int first, int count) {
	static double complex whole[2][N][N], memory[5][N * (N + 5)], y[N][N];
	void *a = memory[0], *kept = memory[1], *b = memory[2], *z = in_place ? a : memory[3], *again = memory[4];
	int number = o.symmetric.number, single = number == VKEVD_FLOAT32 || number == VKEVD_COMPLEX64;
	int lda = N + pad, ldb = N + 2, ldz = in_place ? lda : N + 3, by_rows = o.symmetric.vectors_row_major;
	int real_type = single ? VKEVD_FLOAT32 : VKEVD_FLOAT64;
	double d[N], tolerance = single ? 1e-2 : 1e-11, condition = 0, residual = -1, orthogonality = -1;
	double values[N], values_again[N];
	void *w = values, *w_again = values_again;
	for (int i = 0; i < N; i++)
		d[(i * 29) % N] = i + 1;
	matrix h = new_matrix(N, N, 0, 0);
	reflect(h, d);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			whole[0][i][j] = *entry(h, i, j), whole[1][i][j] = i == j;
	free(h.at);
	congruent(o.type == VKEVD_AXLBX ? T_TRANSPOSED : T_INVERSE, whole[0], number >= VKEVD_COMPLEX128);
	congruent(T_TRANSPOSED, whole[1], number >= VKEVD_COMPLEX128);
	put_triangle(whole[0], a, number, lda, o.symmetric.upper, o.symmetric.a_row_major);
	put_triangle(whole[1], b, number, ldb, o.b_upper, o.b_row_major);
	memcpy(kept, a, sizeof memory[0]);

	vkevd_plan plan;
	vkevd_found found = {-1, -1};
	OK(vkevd_pencil_plan(device, N, &o, &plan, &error));
	OK(OF(vkevd_pencil_factor, plan, b, ldb, &condition, NULL, &error));
	CHECK(condition > 1 && condition < 3); // the singular values of T are between 3/4 and 5/4
	OK(OF(vkevd_pencil_solve, plan, a, lda, NULL, 0, w_again, o.symmetric.vectors ? again : NULL, N + 3, &found, NULL, &error));
	CHECK(found.first == first && found.count == count);
	OK(OF(vkevd_pencil_solve, plan, a, lda, b, ldb, w, o.symmetric.vectors ? z : NULL, ldz, &found, NULL, &error));
	CHECK(found.first == first && found.count == count);
	for (int k = 0; k < count; k++) {
		double value = creal(get(w, real_type, k));
		CHECK(fabs(value - (first + k + 1)) < tolerance / 10 && value == creal(get(w_again, real_type, k)));
		if (!o.symmetric.vectors)
			continue;
		double complex x[N], inner[N];
		for (int i = 0; i < N; i++) {
			x[i] = get(z, number, place(i, k, ldz, by_rows));
			CHECK(x[i] == get(again, number, place(i, k, N + 3, by_rows)));
			inner[i] = x[i];
			y[k][i] = number >= VKEVD_COMPLEX128 ? conj(phase(i)) * x[i] : x[i];
		}
		// T·Φᴴ·x is orthonormal, or its inverse adjoint
		multiply(o.type == VKEVD_BAXLX ? T_INVERSE_TRANSPOSED : T, y[k]);
		for (int l = 0; l <= k; l++) {
			double complex sum = l == k ? -1 : 0;
			for (int i = 0; i < N; i++)
				sum += conj(y[l][i]) * y[k][i];
			CHECK(cabs(sum) < tolerance / 10);
		}
		double complex ax[N], bx[N];
		for (int step = 0; step < 2; step++) { // A·x and B·x, or products with both matrices
			int m = o.type == VKEVD_ABXLX ? 1 - step : step;
			double complex *to = m ? bx : ax, *from = o.type == VKEVD_AXLBX ? x : inner;
			for (int i = 0; i < N; i++) {
				to[i] = 0;
				for (int j = 0; j < N; j++)
					to[i] += whole[m][i][j] * from[j];
			}
			memcpy(inner, to, sizeof inner);
		}
		for (int i = 0; i < N; i++)
			CHECK(cabs(o.type == VKEVD_AXLBX ? ax[i] - value * bx[i] : inner[i] - value * x[i]) < tolerance);
	}
	if (o.symmetric.vectors) {
		OK(OF(vkevd_pencil_check, plan, kept, lda, b, ldb, w, z, ldz, count, &residual, &orthogonality, NULL, &error));
		CHECK(residual > 0 && residual < 1 && orthogonality > 0 && orthogonality < 3);
		put(z, number, place(1, 0, ldz, by_rows), 9);
		OK(OF(vkevd_pencil_check, plan, kept, lda, b, ldb, w, z, ldz, count, &residual, &orthogonality, NULL, &error));
		CHECK(residual > 100 && orthogonality > 100);
	}
	OK(vkevd_plan_close(plan, &error));
}

// pencil_bytes returns the device memory of a plan for pairs.
static uint64_t pencil_bytes(vkevd_pencil o) {
	vkevd_plan plan;
	uint64_t bytes = 0;
	OK(vkevd_pencil_plan(device, N, &o, &plan, &error));
	OK(vkevd_plan_bytes(plan, &bytes, &error));
	OK(vkevd_plan_close(plan, &error));
	return bytes;
}

// all_pairs solves pairs of each type of problem and of numbers, in every storage order.
static void all_pairs(void) {
	const int32_t numbers[] = {VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_COMPLEX128, VKEVD_COMPLEX64};
	for (int i = 0; i < 32; i++) { // bit 0 to 4: storage orders and triangles
		vkevd_pencil o = {0};
		o.symmetric.vectors = 1, o.symmetric.number = numbers[(i + i / 4) % 4], o.type = i % 3;
		o.symmetric.upper = i & 1, o.symmetric.a_row_major = i >> 1 & 1, o.symmetric.vectors_row_major = i >> 2 & 1;
		o.b_upper = i >> 3 & 1, o.b_row_major = i >> 4 & 1;
		pair(o, i % 3, i % 5 == 0, 0, N);
	}
	for (int i = 0; i < 4; i++) {
		vkevd_pencil o = {0};
		o.symmetric.number = numbers[i], o.type = (i + 1) % 3;
		pair(o, 2, 0, 0, N);
		o.symmetric.vectors = 1;
		uint64_t without = pencil_bytes(o);
		o.symmetric.verify = 1;
		CHECK(pencil_bytes(o) > without); // a certificate needs B
		pair(o, 1, 0, 0, N);
		o.symmetric.verify = 0;
		o.type = VKEVD_AXLBX, o.refine = 1;
		CHECK(pencil_bytes(o) > without);
		pair(o, 1, i % 2, 0, N);
		o.refine = 0;
		o.symmetric.select = VKEVD_INDEX, o.symmetric.from = 3, o.symmetric.to = 9;
		pair(o, 1, 0, 3, 6);
		o.symmetric.select = VKEVD_INTERVAL, o.symmetric.above = 10.5, o.symmetric.up_to = 13.5;
		pair(o, 1, 0, 10, 3);
	}
}

// refined solves a pair without and with a refinement. B is Hilbert's matrix of order 8, whose
// condition number is 10¹⁰.
static void refined(void) {
	double a[64], b[64], w[8], z[64], residual[2], orthogonality[2];
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			a[i + 8 * j] = cos(3 * (i + j) + i * j), b[i + 8 * j] = 1. / (i + j + 1);
	for (int refine = 0; refine < 2; refine++) {
		vkevd_pencil o = {.refine = refine, .symmetric = {.vectors = 1}};
		vkevd_plan plan;
		OK(vkevd_pencil_plan(device, 8, &o, &plan, &error));
		OK(vkevd_pencil_solve(plan, a, 8, b, 8, w, z, 8, NULL, NULL, &error));
		OK(vkevd_pencil_check(plan, a, 8, b, 8, w, z, 8, 8, &residual[refine], &orthogonality[refine], NULL, &error));
		OK(vkevd_plan_close(plan, &error));
	}
	CHECK(residual[0] > 100 && residual[1] < 1 && orthogonality[1] < 1);
}

// mixed solves in mixed precision, in every storage order, and checks what it refuses.
static void mixed(void) {
	vkevd_symmetric o = {0};
	vkevd_plan plan;
	o.vectors = 1, o.number = VKEVD_MIXED;
	for (int i = 0; i < 8; i++) {
		o.upper = i & 1, o.a_row_major = i >> 1 & 1, o.vectors_row_major = i >> 2;
		symmetric(o, i % 3, 0, 0, N);
	}
	o.a_row_major = o.vectors_row_major = 0;
	symmetric(o, 2, 1, 0, N);
	o.verify = 1;
	symmetric(o, 0, 0, 0, N);
	o.vectors = 0;
	WANT(VKEVD_BAD_ARGUMENT, vkevd_symmetric_plan(device, N, &o, &plan, &error));
	o.vectors = 1, o.select = VKEVD_INDEX, o.to = 5;
	WANT(VKEVD_BAD_ARGUMENT, vkevd_symmetric_plan(device, N, &o, &plan, &error));
	o.select = VKEVD_ALL, o.number = 6;
	WANT(VKEVD_BAD_ARGUMENT, vkevd_symmetric_plan(device, N, &o, &plan, &error));
	CHECK(strstr(error.text, "VKEVD_COMPLEX64"));
	vkevd_svd p = {0};
	p.number = VKEVD_MIXED;
	WANT(VKEVD_BAD_ARGUMENT, vkevd_svd_plan(device, N, N, &p, &plan, &error));
}

// singles solves problems in single precision, with a symmetric plan and with a plan for singular
// values.
static void singles(void) {
	double d[N];
	static float a[N * N], z[N * N], w[N], u[N * N];
	matrix full = new_matrix(N, N, 0, 0), v = new_matrix(N, N, 0, 1);
	for (int i = 0; i < N; i++)
		d[(i * 29) % N] = i + 1;
	reflect(full, d);
	for (int i = 0; i < N * N; i++)
		a[i] = (float)full.at[i];
	vkevd_symmetric o = {0};
	vkevd_plan plan;
	o.vectors = o.vectors_row_major = 1, o.number = VKEVD_FLOAT32;
	OK(vkevd_symmetric_plan(device, N, &o, &plan, &error));
	WANT(VKEVD_BAD_ARGUMENT, vkevd_symmetric_solve(plan, full.at, N, d, full.at, N, NULL, NULL, &error));
	OK(vkevd_symmetric_solve_float32(plan, a, N, w, z, N, NULL, NULL, &error));
	OK(vkevd_plan_close(plan, &error));
	for (int i = 0; i < N; i++)
		CHECK(fabs(w[i] - (d[i] = i + 1)) < 1e-3);
	for (int i = 0; i < N * N; i++)
		v.at[i] = z[i];
	CHECK(not_orthogonal(v) < 1e-4 && residual(full, v, v, d, N) < 1e-2);

	vkevd_svd p = {0};
	p.u = VKEVD_THIN, p.number = VKEVD_FLOAT32, p.vectors_row_major = 1;
	OK(vkevd_svd_plan(device, N, N, &p, &plan, &error));
	OK(vkevd_svd_solve_float32(plan, a, N, w, u, N, NULL, 0, NULL, &error));
	OK(vkevd_plan_close(plan, &error));
	for (int i = 0; i < N; i++)
		CHECK(fabs(w[i] - (N - i)) < 1e-3);
	for (int i = 0; i < N * N; i++)
		v.at[i] = u[i];
	CHECK(not_orthogonal(v) < 1e-4);
	free(full.at), free(v.at);
}

// tridiagonal solves for the matrix with 2 on the diagonal and −1 beside it, whose eigenvalues are
// 2 − 2·cos(π·k/(N + 1)), in both precisions. The padding of z is NaN before and after.
static void tridiagonal(vkevd_symmetric o, int pad, int first, int count) {
	double d[N], e[N - 1], w[N], exact[N];
	float df[N], ef[N - 1], wf[N];
	matrix full = new_matrix(N, N, 0, 0), z = {0, 0, 0, 0, NULL};
	for (int k = 0; k < N * N; k++)
		full.at[k] = 0;
	for (int i = 0; i < N; i++) {
		*entry(full, i, i) = d[i] = df[i] = 2;
		exact[i] = 2 - 2 * cos(3.14159265358979323846 * (i + 1) / (N + 1));
		if (i > 0)
			*entry(full, i, i - 1) = *entry(full, i - 1, i) = e[i - 1] = ef[i - 1] = -1;
	}
	if (o.vectors)
		z = new_matrix(N, N, pad, o.vectors_row_major);
	for (int single = 0; single < 2; single++) {
		vkevd_plan plan;
		vkevd_found found = {-1, -1};
		o.number = single ? VKEVD_FLOAT32 : VKEVD_FLOAT64;
		OK(vkevd_tridiagonal_plan(device, N, &o, &plan, &error));
		if (single) {
			float *zf = o.vectors ? malloc((size_t)z.ld * N * sizeof(float)) : NULL;
			OK(vkevd_tridiagonal_solve_float32(plan, df, ef, wf, zf, z.ld, &found, NULL, &error));
			for (int k = 0; k < count; k++)
				w[k] = wf[k];
			for (int i = 0; i < N && o.vectors; i++)
				for (int k = 0; k < count; k++)
					*entry(z, i, k) = zf[o.vectors_row_major ? i * z.ld + k : i + k * z.ld];
			free(zf);
		} else {
			OK(vkevd_tridiagonal_solve(plan, d, e, w, z.at, z.ld, &found, NULL, &error));
		}
		OK(vkevd_plan_close(plan, &error));
		CHECK(found.first == first && found.count == count);
		double tolerance = single ? 1e-5 : 1e-13;
		for (int k = 0; k < count; k++)
			CHECK(fabs(w[k] - exact[first + k]) < tolerance);
		if (o.vectors) {
			matrix part = z;
			part.cols = count;
			CHECK(not_orthogonal(part) < tolerance && residual(full, part, part, w, count) < tolerance);
			for (int i = N; i < N + pad; i++)
				CHECK(isnan(z.at[i]) && isnan(z.at[i + z.ld]));
		}
	}
	free(z.at), free(full.at);
}

static void all_tridiagonal(void) {
	vkevd_symmetric o = {0};
	tridiagonal(o, 0, 0, N);
	o.vectors = 1;
	for (int pad = 0; pad < 3; pad++) {
		o.vectors_row_major = pad & 1;
		tridiagonal(o, pad, 0, N);
	}
	o.select = VKEVD_INDEX, o.from = 3, o.to = 9;
	tridiagonal(o, 2, 3, 6);
	o.select = VKEVD_INTERVAL, o.above = 0.5, o.up_to = 0.6, o.vectors_row_major = 1; // values 15 to 17: 0.481, 0.540, 0.602
	tridiagonal(o, 0, 16, 1);
	o.vectors = 0, o.above = 3, o.up_to = INFINITY;
	tridiagonal(o, 0, 47, 23);
}

// unitary tells whether the columns of a matrix of one of the four types are orthonormal.
static int unitary(const void *q, int number, int rows, int cols, int ld, int row_major, double tolerance) {
	for (int k = 0; k < cols; k++)
		for (int l = 0; l <= k; l++) {
			double complex sum = l == k ? -1 : 0;
			for (int i = 0; i < rows; i++)
				sum += conj(get(q, number, place(i, l, ld, row_major))) * get(q, number, place(i, k, ld, row_major));
			if (!(cabs(sum) < tolerance))
				return 0;
		}
	return 1;
}

// singular computes the singular values and vectors of one m×n matrix, with one choice of storage
// orders, padding and type of numbers. A complex matrix has another phase in each row and column.
static void singular(int m, int n, vkevd_svd o, int pad) {
	enum { MOST = 80 * 80 };
	static double complex memory[3][MOST];
	void *a = memory[0], *u = o.u ? memory[1] : NULL, *v = o.v ? memory[2] : NULL;
	int number = o.number, is_single = number == VKEVD_FLOAT32 || number == VKEVD_COMPLEX64;
	int k = m < n ? m : n, values = o.largest ? (int)o.largest : k;
	int us = o.u == VKEVD_FULL ? m : values, vs = o.v == VKEVD_FULL ? n : values;
	int lda = (o.a_row_major ? n : m) + pad, ldu = (o.vectors_row_major ? us : m) + pad;
	int ldv = (o.vectors_row_major ? vs : n) + pad + 1;
	double d[N], s[N], tolerance = is_single ? 1e-3 : 1e-12;
	for (int i = 0; i < k; i++)
		d[i] = (i % 2 ? -1 : 1) * (k - i);
	matrix real = new_matrix(m, n, 0, 0);
	reflect(real, d);
	for (int i = 0; i < MOST; i++)
		memory[0][i] = memory[1][i] = memory[2][i] = NAN;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			put(a, number, place(i, j, lda, o.a_row_major),
			    *entry(real, i, j) * (number >= VKEVD_COMPLEX128 ? phase(i + 2 * j) : 1));
	vkevd_plan plan;
	uint64_t bytes = 0;
	OK(vkevd_svd_plan(device, m, n, &o, &plan, &error));
	OK(vkevd_plan_bytes(plan, &bytes, &error));
	CHECK(bytes > (number == VKEVD_COMPLEX128 ? 16u : number == VKEVD_FLOAT32 ? 4u : 8u) * m * n);
	switch (number) {
	case VKEVD_FLOAT64: OK(vkevd_svd_solve(plan, a, lda, s, u, ldu, v, ldv, NULL, &error)); break;
	case VKEVD_FLOAT32: OK(vkevd_svd_solve_float32(plan, a, lda, (float *)s, u, ldu, v, ldv, NULL, &error)); break;
	case VKEVD_COMPLEX128: OK(vkevd_svd_solve_complex128(plan, a, lda, s, u, ldu, v, ldv, NULL, &error)); break;
	default: OK(vkevd_svd_solve_complex64(plan, a, lda, (float *)s, u, ldu, v, ldv, NULL, &error));
	}
	for (int i = 0; i < values; i++)
		CHECK(fabs(creal(get(s, is_single ? VKEVD_FLOAT32 : VKEVD_FLOAT64, i)) - (k - i)) < 10 * tolerance);
	CHECK(!o.u || unitary(u, number, m, us, ldu, o.vectors_row_major, tolerance));
	CHECK(!o.v || unitary(v, number, n, vs, ldv, o.vectors_row_major, tolerance));
	for (int l = 0; o.u && o.v && l < values; l++)
		for (int i = 0; i < m; i++) { // A·v − σ·u
			double complex sum = -(k - l) * get(u, number, place(i, l, ldu, o.vectors_row_major));
			for (int j = 0; j < n; j++)
				sum += get(a, number, place(i, j, lda, o.a_row_major)) * get(v, number, place(j, l, ldv, o.vectors_row_major));
			CHECK(cabs(sum) < 30 * tolerance);
		}
	OK(vkevd_plan_close(plan, &error));
	free(real.at);
}

// svd_bytes returns the device memory of a plan for 50×40 matrices.
static uint64_t svd_bytes(vkevd_svd o) {
	vkevd_plan plan;
	uint64_t bytes = 0;
	OK(vkevd_svd_plan(device, 50, 40, &o, &plan, &error));
	OK(vkevd_plan_bytes(plan, &bytes, &error));
	OK(vkevd_plan_close(plan, &error));
	return bytes;
}

static void all_singular(int number) {
	for (int i = 0; i < 4; i++) {
		vkevd_svd o = {0};
		o.number = number;
		o.u = o.v = i < 2 ? VKEVD_THIN : VKEVD_FULL;
		o.a_row_major = i & 1, o.vectors_row_major = i >> 1 & 1;
		singular(60, 43, o, i);
		singular(41, 66, o, i);
	}
	vkevd_svd o = {0};
	o.number = number;
	singular(50, 50, o, 0);
	o.u = VKEVD_THIN, o.largest = 5, o.vectors_row_major = 1;
	singular(50, 40, o, 1);
	uint64_t without = svd_bytes(o);
	o.verify = 1;
	singular(50, 40, o, 1);
	CHECK(svd_bytes(o) > without); // a certificate needs the vectors of both sides
	o.u = VKEVD_NONE, o.largest = 0;
	singular(50, 40, o, 0);
	o.verify = 2;
	vkevd_plan plan;
	WANT(VKEVD_BAD_ARGUMENT, vkevd_svd_plan(device, N, N, &o, &plan, &error));
}

// many solves a batch of matrices of the orders 0, …, 12. One matrix contains an infinity.
static void many(void) {
	enum { COUNT = 13, BAD = 7 };
	const double *a[COUNT];
	double *w[COUNT], *z[COUNT];
	matrix as[COUNT], zs[COUNT];
	int64_t n[COUNT], order = 0;
	int32_t codes[COUNT];
	for (int k = 0; k < COUNT; k++) {
		double d[COUNT];
		for (int i = 0; i < k; i++)
			d[i] = i - 2;
		n[k] = k;
		as[k] = new_matrix(k, k, 0, 1);
		reflect(as[k], d);
		for (int i = 0; i < k; i++)
			for (int j = 0; j < i; j++)
				*entry(as[k], i, j) = NAN;
		zs[k] = new_matrix(k, k, 0, 0);
		a[k] = as[k].at, z[k] = zs[k].at, w[k] = malloc(sizeof(double) * COUNT);
	}
	*entry(as[BAD], 2, 5) = INFINITY;
	OK(vkevd_batch_order(device, &order, &error));
	CHECK(order >= COUNT);
	vkevd_batch o = {0};
	o.vectors = o.upper = o.a_row_major = 1;
	vkevd_plan plan;
	OK(vkevd_batch_plan(device, COUNT, 5, &o, &plan, &error));
	OK(vkevd_batch_solve(plan, COUNT, n, a, w, z, codes, NULL, &error));
	for (int k = 0; k < COUNT; k++) {
		CHECK(codes[k] == (k == BAD ? VKEVD_NOT_FINITE : VKEVD_OK));
		for (int i = 0; i < k; i++)
			CHECK(k == BAD ? isnan(w[k][i]) : fabs(w[k][i] - (i - 2)) < 1e-12);
		CHECK(k == BAD || not_orthogonal(zs[k]) < 1e-12);
		for (int i = 0; i < k; i++) // for the residual
			for (int j = 0; j < i; j++)
				*entry(as[k], i, j) = *entry(as[k], j, i);
		CHECK(k == BAD || residual(as[k], zs[k], zs[k], w[k], k) < 1e-12);
	}
	WANT(VKEVD_NOT_FINITE, vkevd_batch_solve(plan, COUNT, n, a, w, z, NULL, NULL, &error));
	CHECK(error.row == 2 && error.column == 5);
	OK(vkevd_batch_solve(plan, 0, NULL, NULL, NULL, NULL, NULL, NULL, &error));
	OK(vkevd_plan_close(plan, &error));
	for (int k = 0; k < COUNT; k++)
		free(as[k].at), free(zs[k].at), free(w[k]);
}

// many_singles solves a batch in single precision. The orders are 0, 4 and 8, and the matrix of
// order 8 contains a NaN.
static void many_singles(void) {
	enum { COUNT = 3 };
	float as[COUNT][64], ws[COUNT][8], zs[COUNT][64];
	const float *a[COUNT] = {as[0], as[1], as[2]};
	float *w[COUNT] = {ws[0], ws[1], ws[2]}, *z[COUNT] = {zs[0], zs[1], zs[2]};
	int64_t n[COUNT] = {0, 4, 8};
	int32_t codes[COUNT];
	vkevd_batch o = {0};
	vkevd_plan plan;
	for (int i = 0; i < 16; i++) // the lower triangle is read
		as[1][i] = i % 4 == i / 4 ? 3 : i % 4 > i / 4 ? 1 : NAN;
	for (int i = 0; i < 64; i++)
		as[2][i] = i == 9 ? NAN : 1;
	o.vectors = 1, o.number = VKEVD_FLOAT32;
	OK(vkevd_batch_plan(device, 8, 2, &o, &plan, &error));
	WANT(VKEVD_BAD_ARGUMENT, vkevd_batch_solve(plan, 0, NULL, NULL, NULL, NULL, NULL, NULL, &error));
	OK(vkevd_batch_solve_float32(plan, COUNT, n, a, w, z, codes, NULL, &error));
	CHECK(codes[0] == VKEVD_OK && codes[1] == VKEVD_OK && codes[2] == VKEVD_NOT_FINITE);
	for (int i = 0; i < 4; i++) // 3 on the diagonal and 1 elsewhere
		CHECK(fabs(ws[1][i] - (i == 3 ? 6 : 2)) < 1e-5 && fabs(zs[1][12 + i] - 0.5) < 1e-5);
	CHECK(isnan(ws[2][0]) && isnan(zs[2][63]));
	WANT(VKEVD_NOT_FINITE, vkevd_batch_solve_float32(plan, COUNT, n, a, w, z, NULL, NULL, &error));
	CHECK(error.row == 1 && error.column == 1);
	OK(vkevd_plan_close(plan, &error));
	o.number = 2;
	WANT(VKEVD_BAD_ARGUMENT, vkevd_batch_plan(device, 8, 2, &o, &plan, &error));
}

// many_complex solves a batch with the matrix (2 −i; i 2), stored by columns or by rows. Its values
// are 1 and 3. For 3 the second component of the vector is i times the first one.
static void many_complex(int32_t row_major) {
	double a[8] = {2, NAN, 0, 1, 0, 1, 2, NAN}, w[2], z[8];
	float as[8], ws[2], zs[8];
	a[row_major ? 2 : 4] = a[row_major ? 3 : 5] = NAN; // the upper triangle is not read
	for (int i = 0; i < 8; i++)
		as[i] = (float)a[i];
	const double *const at = a;
	const float *const at_s = as;
	double *const to_w = w, *const to_z = z;
	float *const to_ws = ws, *const to_zs = zs;
	vkevd_batch o = {0};
	vkevd_plan plan;
	o.vectors = 1, o.a_row_major = row_major, o.number = VKEVD_COMPLEX128;
	OK(vkevd_batch_plan(device, 2, 1, &o, &plan, &error));
	WANT(VKEVD_BAD_ARGUMENT, vkevd_batch_solve(plan, 0, NULL, NULL, NULL, NULL, NULL, NULL, &error));
	OK(vkevd_batch_solve_complex128(plan, 1, NULL, &at, &to_w, &to_z, NULL, NULL, &error));
	CHECK(fabs(w[0] - 1) < 1e-14 && fabs(w[1] - 3) < 1e-14);
	CHECK(fabs(z[6] + z[5]) < 1e-14 && fabs(z[7] - z[4]) < 1e-14);
	OK(vkevd_plan_close(plan, &error));
	o.number = VKEVD_COMPLEX64;
	OK(vkevd_batch_plan(device, 2, 1, &o, &plan, &error));
	OK(vkevd_batch_solve_complex64(plan, 1, NULL, &at_s, &to_ws, &to_zs, NULL, NULL, &error));
	CHECK(fabs(ws[0] - 1) < 1e-6 && fabs(ws[1] - 3) < 1e-6);
	CHECK(fabs(zs[6] + zs[5]) < 1e-6 && fabs(zs[7] - zs[4]) < 1e-6);
	as[row_major ? 5 : 3] = INFINITY; // the imaginary part of entry (1, 0)
	WANT(VKEVD_NOT_FINITE, vkevd_batch_solve_complex64(plan, 1, NULL, &at_s, &to_ws, &to_zs, NULL, NULL, &error));
	CHECK(error.row == 1 && error.column == 0 && isnan(zs[7]));
	OK(vkevd_plan_close(plan, &error));
}

// overflow solves matrices whose entries are all the largest number, so that a value is beyond it. The
// error must name the value, and all results must be there.
static void overflow(int verify) {
	enum { n = 5 };
	double a[n * n], w[n], z[n * n], u[n * n];
	float as[n * n], ws[n];
	vkevd_symmetric o = {0};
	vkevd_svd of = {0};
	vkevd_batch many = {0};
	vkevd_plan plan;
	vkevd_found found = {9, 9};
	for (int i = 0; i < n * n; i++)
		a[i] = DBL_MAX, as[i] = FLT_MAX, z[i] = u[i] = NAN;
	o.vectors = 1, o.verify = verify;
	OK(vkevd_symmetric_plan(device, n, &o, &plan, &error));
	WANT(VKEVD_OVERFLOW, vkevd_symmetric_solve(plan, a, n, w, z, n, &found, NULL, &error));
	CHECK(error.row == n - 1 && error.column == -1 && strstr(error.text, "eigenvalue 4"));
	CHECK(found.first == 0 && found.count == n && isinf(w[n - 1]) && fabs(w[0]) < 1e-10 * DBL_MAX);
	for (int i = 0; i < n; i++)
		CHECK(fabs(z[i + (n - 1) * n] - 1 / sqrt(n)) < 1e-12);
	OK(vkevd_plan_close(plan, &error));

	o.vectors = 0, o.number = VKEVD_FLOAT32, o.select = VKEVD_INDEX, o.from = n - 1, o.to = n;
	OK(vkevd_symmetric_plan(device, n, &o, &plan, &error));
	WANT(VKEVD_OVERFLOW, vkevd_symmetric_solve_float32(plan, as, n, ws, NULL, 0, NULL, NULL, &error));
	CHECK(error.row == n - 1 && isinf(ws[0]) && strstr(error.text, "float32"));
	OK(vkevd_plan_close(plan, &error));

	of.u = of.v = VKEVD_THIN, of.verify = verify;
	OK(vkevd_svd_plan(device, n, n, &of, &plan, &error));
	WANT(VKEVD_OVERFLOW, vkevd_svd_solve(plan, a, n, w, u, n, z, n, NULL, &error));
	CHECK(error.row == 0 && isinf(w[0]) && w[1] < 1e-10 * DBL_MAX && strstr(error.text, "singular value 0"));
	for (int i = 0; i < n; i++)
		CHECK(fabs(u[i] - 1 / sqrt(n)) < 1e-12 && fabs(z[i] - 1 / sqrt(n)) < 1e-12);
	OK(vkevd_plan_close(plan, &error));

	const double *am[1] = {a};
	const float *ams[1] = {as};
	double *wm[1] = {w};
	float *wms[1] = {ws};
	int32_t code = -1;
	OK(vkevd_batch_plan(device, n, 1, &many, &plan, &error));
	OK(vkevd_batch_solve(plan, 1, NULL, am, wm, NULL, &code, NULL, &error));
	CHECK(code == VKEVD_OVERFLOW && isinf(w[n - 1]) && fabs(w[0]) < 1e-10 * DBL_MAX);
	WANT(VKEVD_OVERFLOW, vkevd_batch_solve(plan, 1, NULL, am, wm, NULL, NULL, NULL, &error));
	CHECK(error.row == n - 1 && strstr(error.text, "matrix 0"));
	OK(vkevd_plan_close(plan, &error));
	many.number = VKEVD_FLOAT32;
	OK(vkevd_batch_plan(device, n, 1, &many, &plan, &error));
	OK(vkevd_batch_solve_float32(plan, 1, NULL, ams, wms, NULL, &code, NULL, &error));
	CHECK(code == VKEVD_OVERFLOW && isinf(ws[n - 1]) && fabs(ws[0]) < 1e-4 * FLT_MAX);
	OK(vkevd_plan_close(plan, &error));
}

int main(void) {
	OK(vkevd_open(NULL, &device, &error));
	all_symmetric();
	all_hermitian();
	all_pairs();
	refined();
	all_tridiagonal();
	for (int number = VKEVD_FLOAT64; number <= VKEVD_COMPLEX64; number++)
		if (number != VKEVD_MIXED)
			all_singular(number);
	many();
	many_singles();
	many_complex(0);
	many_complex(1);
	singles();
	mixed();
	overflow(0);
	overflow(1);
	OK(vkevd_close(device, &error));
	return 0;
}
