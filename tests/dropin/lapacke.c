/* lapacke calls the drop-in's routines by LAPACKE's functions, in both layouts and precisions, and checks
 * the results. */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40, M = 30 };

#define CHECK(condition)                                                                          \
	do {                                                                                          \
		if (!(condition)) {                                                                       \
			printf("lapacke.c:%d: not true: %s\n", __LINE__, #condition);                         \
			exit(1);                                                                              \
		}                                                                                         \
	} while (0)

/* entry is an entry of a matrix with known eigenvalues: 2 on the diagonal and −1 beside it. */
static double entry(int i, int j) { return i == j ? 2 : abs(i - j) == 1 ? -1 : 0; }

static double eigenvalue(int k, int n) { return 2 - 2 * cos(M_PI * (k + 1) / (n + 1)); }

#define AT(x, ld, i, j) (x)[layout == LAPACK_ROW_MAJOR ? (i) * (ld) + (j) : (i) + (j) * (ld)]

/* TESTS defines the tests for one precision: p is the letter, and tolerance is for numbers near 1. */
#define TESTS(p, REAL, tolerance)                                                                 \
	static void p##fill(int layout, int rows, REAL *a)                                            \
	{                                                                                             \
		for (int i = 0; i < rows; i++)                                                            \
			for (int j = 0; j < N; j++)                                                           \
				AT(a, layout == LAPACK_ROW_MAJOR ? N : rows, i, j) = entry(i, j);                 \
	}                                                                                             \
	/* A·Z = Z·diag(w) */                                                                         \
	static void p##check(int layout, const REAL *w, const REAL *z)                                \
	{                                                                                             \
		for (int k = 0; k < N; k++) {                                                             \
			CHECK(fabs(w[k] - eigenvalue(k, N)) < tolerance);                                     \
			for (int i = 0; i < N; i++) {                                                         \
				double sum = -w[k] * AT(z, N, i, k);                                              \
				for (int j = 0; j < N; j++)                                                       \
					sum += entry(i, j) * AT(z, N, j, k);                                          \
				CHECK(fabs(sum) < tolerance);                                                     \
			}                                                                                     \
		}                                                                                         \
	}                                                                                             \
	static void p##symmetric(int layout)                                                          \
	{                                                                                             \
		REAL a[N * N], z[N * N], w[N], zero = 0;                                                  \
		int found, ints[2 * N];                                                                   \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##syev(layout, 'V', 'U', N, a, N, w) == 0);                              \
		p##check(layout, w, a);                                                                   \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##syevd(layout, 'V', 'L', N, a, N, w) == 0);                             \
		p##check(layout, w, a);                                                                   \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##syevr(layout, 'V', 'A', 'L', N, a, N, 0, 0, 0, 0, zero, &found, w, z,  \
				N, ints) == 0 && found == N);                                                     \
		p##check(layout, w, z);                                                                   \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##syevx(layout, 'N', 'I', 'U', N, a, N, 0, 0, 2, 4, zero, &found, w, z,  \
				N, ints) == 0 && found == 3);                                                     \
		CHECK(fabs(w[1] - eigenvalue(2, N)) < tolerance);                                         \
		p##fill(layout, N, a);                                                                    \
		AT(a, N, 3, 2) = NAN;                                                                     \
		CHECK(LAPACKE_##p##syevd(layout, 'V', 'L', N, a, N, w) == -5); /* LAPACKE looks itself */ \
		CHECK(LAPACKE_##p##syevd(layout, 'V', 'X', N, a, N, w) < 0);                              \
	}                                                                                             \
	static void p##singular(int layout, int by_gesdd)                                             \
	{                                                                                             \
		REAL a[M * N], u[M * M], vt[M * N], s[M], more[M];                                        \
		int lda = layout == LAPACK_ROW_MAJOR ? N : M, ldvt = lda, info;                           \
		p##fill(layout, M, a);                                                                    \
		if (by_gesdd)                                                                             \
			info = LAPACKE_##p##gesdd(layout, 'S', M, N, a, lda, s, u, M, vt, ldvt);              \
		else                                                                                      \
			info = LAPACKE_##p##gesvd(layout, 'S', 'S', M, N, a, lda, s, u, M, vt, ldvt, more);   \
		CHECK(info == 0);                                                                         \
		for (int i = 0; i < M; i++)                                                               \
			for (int j = 0; j < N; j++) {                                                         \
				double sum = -entry(i, j);                                                        \
				for (int k = 0; k < M; k++)                                                       \
					sum += s[k] * AT(u, M, i, k) * AT(vt, ldvt, k, j);                            \
				CHECK(fabs(sum) < tolerance);                                                     \
			}                                                                                     \
	}                                                                                             \
	static void p##all(int layout)                                                                \
	{                                                                                             \
		p##symmetric(layout);                                                                     \
		p##singular(layout, 0);                                                                   \
		p##singular(layout, 1);                                                                   \
	}
TESTS(d, double, 1e-13)
TESTS(s, float, 5e-5)

int main(void)
{
	dall(LAPACK_COL_MAJOR);
	dall(LAPACK_ROW_MAJOR);
	sall(LAPACK_COL_MAJOR);
	sall(LAPACK_ROW_MAJOR);
	return 0;
}
