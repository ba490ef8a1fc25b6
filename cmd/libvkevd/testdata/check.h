// Functions for the tests of the C library. A test ends with its first failure, and prints only
// this failure.
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vkevd.h>

#define CHECK(truth)                                                                               \
	do {                                                                                           \
		if (!(truth)) {                                                                            \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #truth);                             \
			exit(1);                                                                               \
		}                                                                                          \
	} while (0)

// WANT checks that a call returns the code `expected`. The last argument of the call must be the
// address of a variable `error` of type vkevd_error.
#define WANT(expected, call)                                                                       \
	do {                                                                                           \
		int32_t got_ = (call);                                                                     \
		if (got_ != (expected) || error.code != got_ || (error.text[0] != 0) != (got_ != 0)) {      \
			fprintf(stderr, "%s:%d: code %d, want %d: %s\n", __FILE__, __LINE__, (int)got_,          \
			        (int)(expected), error.text);                                                  \
			exit(1);                                                                               \
		}                                                                                          \
	} while (0)

#define OK(call) WANT(VKEVD_OK, call)

// matrix is a matrix in the tests. Entry (i, j) is at[i + j·ld], or at[i·ld + j] if row_major is 1.
typedef struct {
	int rows, cols, ld, row_major;
	double *at;
} matrix;

static inline double *entry(matrix m, int i, int j) {
	return m.row_major ? &m.at[(size_t)i * m.ld + j] : &m.at[(size_t)j * m.ld + i];
}

// new_matrix makes a matrix whose entries are NaN. Its leading dimension is the smallest possible
// one plus pad.
static inline matrix new_matrix(int rows, int cols, int pad, int row_major) {
	matrix m = {rows, cols, (row_major ? cols : rows) + pad, row_major, NULL};
	if (m.ld == 0)
		m.ld = 1;
	size_t size = (size_t)m.ld * (row_major ? rows : cols) + 1;
	m.at = malloc(size * sizeof(double));
	CHECK(m.at != NULL);
	for (size_t i = 0; i < size; i++)
		m.at[i] = NAN;
	return m;
}

// reflect sets m to H(rows)·diag(d)·H(cols), where H(n) = I − 2·x·xᵀ/n and the entries of x are ±1.
// H is orthogonal and symmetric. The singular values of m are therefore |d|. If m is square, the
// eigenvalues of m are d.
static inline double sign_of(int i) { return i % 3 == 1 || i % 7 == 2 ? -1 : 1; }

static inline void reflect(matrix m, const double *d) {
	int k = m.rows < m.cols ? m.rows : m.cols;
	double sum = 0;
	for (int l = 0; l < k; l++)
		sum += d[l];
	for (int i = 0; i < m.rows; i++)
		for (int j = 0; j < m.cols; j++) {
			double x = sign_of(i), y = sign_of(j), r = 2.0 / m.rows, c = 2.0 / m.cols;
			double v = i == j ? d[i] : 0;
			v -= j < k ? r * x * sign_of(j) * d[j] : 0;
			v -= i < k ? c * d[i] * sign_of(i) * y : 0;
			v += r * c * x * y * sum;
			*entry(m, i, j) = v;
		}
}

// not_orthogonal is the largest entry of |QᵀQ − I|.
static inline double not_orthogonal(matrix q) {
	double worst = 0;
	for (int a = 0; a < q.cols; a++)
		for (int b = 0; b < q.cols; b++) {
			double s = a == b ? -1 : 0;
			for (int i = 0; i < q.rows; i++)
				s += *entry(q, i, a) * *entry(q, i, b);
			worst = fabs(s) > worst || isnan(s) ? fabs(s) : worst;
		}
	return worst;
}

// residual is the largest entry of |A·X − Y·diag(d)|, for the first `values` columns of X and Y.
static inline double residual(matrix a, matrix x, matrix y, const double *d, int values) {
	double worst = 0;
	for (int k = 0; k < values; k++)
		for (int i = 0; i < a.rows; i++) {
			double s = -*entry(y, i, k) * d[k];
			for (int j = 0; j < a.cols; j++)
				s += *entry(a, i, j) * *entry(x, j, k);
			worst = fabs(s) > worst || isnan(s) ? fabs(s) : worst;
		}
	return worst;
}
