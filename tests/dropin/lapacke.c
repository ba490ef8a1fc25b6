/* lapacke calls most of the drop-in's routines by LAPACKE's functions, in both layouts and
 * precisions, for real and complex numbers, and checks the results. */
#include <complex.h>
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

/* entry is an entry of a real matrix with known eigenvalues: 2 on the diagonal and −1 beside it. */
static double entry(int i, int j) { return i == j ? 2 : abs(i - j) == 1 ? -1 : 0; }

/* hermitian is an entry of a Hermitian matrix with the same eigenvalues. The triangles differ. */
static double complex hermitian(int i, int j) { return i == j ? 2 : abs(i - j) == 1 ? (i - j) * I : 0; }

static double eigenvalue(int k, int n) { return 2 - 2 * cos(M_PI * (k + 1) / (n + 1)); }

#define AT(x, ld, i, j) (x)[layout == LAPACK_ROW_MAJOR ? (i) * (ld) + (j) : (i) + (j) * (ld)]

/* FILL defines a function that sets a matrix to the entries that the function `of` returns. `p` is
 * the letter of LAPACK's routines. */
#define FILL(p, of, NUMBER)                                                                       \
	static void p##fill(int layout, int rows, NUMBER *a)                                          \
	{                                                                                             \
		for (int i = 0; i < rows; i++)                                                            \
			for (int j = 0; j < N; j++)                                                           \
				AT(a, layout == LAPACK_ROW_MAJOR ? N : rows, i, j) = of(i, j);                    \
	}

/* EIGEN defines the tests for one type of numbers. `sy` is a part of the names of LAPACK's
 * routines, REAL is the type of the eigenvalues, and `tolerance` is for numbers near 1. */
#define EIGEN(p, sy, of, NUMBER, REAL, tolerance)                                                 \
	FILL(p, of, NUMBER)                                                                           \
	/* A·Z = Z·diag(w) */                                                                         \
	static void p##check(int layout, const REAL *w, const NUMBER *z)                              \
	{                                                                                             \
		for (int k = 0; k < N; k++) {                                                             \
			CHECK(fabs(w[k] - eigenvalue(k, N)) < tolerance);                                     \
			for (int i = 0; i < N; i++) {                                                         \
				double complex sum = -w[k] * AT(z, N, i, k);                                      \
				for (int j = 0; j < N; j++)                                                       \
					sum += of(i, j) * AT(z, N, j, k);                                             \
				CHECK(cabs(sum) < tolerance);                                                     \
			}                                                                                     \
		}                                                                                         \
	}                                                                                             \
	static void p##two(int layout, NUMBER *b)                                                     \
	{                                                                                             \
		for (int i = 0; i < N; i++)                                                               \
			for (int j = 0; j < N; j++)                                                           \
				AT(b, N, i, j) = i == j ? 2 : 0;                                                  \
	}                                                                                             \
	static void p##symmetric(int layout)                                                          \
	{                                                                                             \
		NUMBER a[N * N], b[N * N], z[N * N];                                                      \
		REAL w[N], zero = 0;                                                                      \
		int found, ints[2 * N];                                                                   \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##sy##ev(layout, 'V', 'U', N, a, N, w) == 0);                            \
		p##check(layout, w, a);                                                                   \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##sy##evd(layout, 'V', 'L', N, a, N, w) == 0);                           \
		p##check(layout, w, a);                                                                   \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##sy##evr(layout, 'V', 'A', 'L', N, a, N, 0, 0, 0, 0, zero, &found, w,   \
				z, N, ints) == 0 && found == N);                                                  \
		p##check(layout, w, z);                                                                   \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##sy##evx(layout, 'N', 'I', 'U', N, a, N, 0, 0, 2, 4, zero, &found, w,   \
				z, N, ints) == 0 && found == 3);                                                  \
		CHECK(fabs(w[1] - eigenvalue(2, N)) < tolerance);                                         \
		p##two(layout, b); /* B = 2·I, which halves the values */                                 \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##sy##gv(layout, 1, 'N', 'L', N, a, N, b, N, w) == 0);                   \
		CHECK(fabs(w[5] - eigenvalue(5, N) / 2) < tolerance);                                     \
		CHECK(cabs(AT(b, N, 7, 7) - sqrt(2)) < tolerance);                                        \
		p##two(layout, b);                                                                        \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##sy##gvd(layout, 3, 'V', 'U', N, a, N, b, N, w) == 0);                  \
		CHECK(fabs(w[5] - eigenvalue(5, N) * 2) < tolerance);                                     \
		p##two(layout, b);                                                                        \
		p##fill(layout, N, a);                                                                    \
		CHECK(LAPACKE_##p##sy##gvx(layout, 2, 'V', 'I', 'L', N, a, N, b, N, 0, 0, 2, 4, zero,     \
				&found, w, z, N, ints) == 0 && found == 3 && ints[0] == 0);                       \
		CHECK(fabs(w[1] - eigenvalue(2, N) * 2) < tolerance);                                     \
		p##two(layout, b);                                                                        \
		AT(b, N, 8, 8) = -1;                                                                      \
		CHECK(LAPACKE_##p##sy##gvd(layout, 1, 'V', 'U', N, a, N, b, N, w) == N + 9);              \
		p##fill(layout, N, a);                                                                    \
		AT(a, N, 3, 2) = NAN;                                                                     \
		CHECK(LAPACKE_##p##sy##evd(layout, 'V', 'L', N, a, N, w) == -5); /* LAPACKE looks itself */ \
		CHECK(LAPACKE_##p##sy##evd(layout, 'V', 'X', N, a, N, w) < 0);                            \
	}

/* SINGULAR defines the tests of singular values for one precision. */
#define SINGULAR(p, of, NUMBER, REAL, tolerance)                                                              \
	static void p##singular(int layout, int by_gesdd)                                             \
	{                                                                                             \
		NUMBER a[M * N], u[M * M], vt[M * N];                                                     \
		REAL s[M], more[M];                                        \
		int lda = layout == LAPACK_ROW_MAJOR ? N : M, ldvt = lda, info;                           \
		p##fill(layout, M, a);                                                                    \
		if (by_gesdd)                                                                             \
			info = LAPACKE_##p##gesdd(layout, 'S', M, N, a, lda, s, u, M, vt, ldvt);              \
		else                                                                                      \
			info = LAPACKE_##p##gesvd(layout, 'S', 'S', M, N, a, lda, s, u, M, vt, ldvt, more);   \
		CHECK(info == 0);                                                                         \
		for (int i = 0; i < M; i++)                                                               \
			for (int j = 0; j < N; j++) {                                                         \
				double complex sum = -of(i, j);                                                   \
				for (int k = 0; k < M; k++)                                                       \
					sum += s[k] * AT(u, M, i, k) * AT(vt, ldvt, k, j);                            \
				CHECK(cabs(sum) < tolerance);                                                     \
			}                                                                                     \
	}

EIGEN(d, sy, entry, double, double, 1e-13)
EIGEN(s, sy, entry, float, float, 5e-5)
EIGEN(z, he, hermitian, double complex, double, 1e-13)
EIGEN(c, he, hermitian, float complex, float, 5e-5)
SINGULAR(d, entry, double, double, 1e-13)
SINGULAR(s, entry, float, float, 5e-5)
SINGULAR(z, hermitian, double complex, double, 1e-13)
SINGULAR(c, hermitian, float complex, float, 5e-5)

static void all(int layout)
{
	dsymmetric(layout);
	ssymmetric(layout);
	zsymmetric(layout);
	csymmetric(layout);
	for (int by_gesdd = 0; by_gesdd < 2; by_gesdd++) {
		dsingular(layout, by_gesdd);
		ssingular(layout, by_gesdd);
		zsingular(layout, by_gesdd);
		csingular(layout, by_gesdd);
	}
}

int main(void)
{
	all(LAPACK_COL_MAJOR);
	all(LAPACK_ROW_MAJOR);
	return 0;
}
