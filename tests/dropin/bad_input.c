/* bad_input calls each routine of the drop-in with arguments that LAPACK refuses, and with matrices
 * that hold a NaN or an infinity. It prints what xerbla was told, info, and how many values are
 * NaN. With the drop-in it must print the same as without. -DWIDE is for a LAPACK with 64-bit
 * integers. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/libvkevd_lapack/shim/parameters.h"
#include "../../cmd/libvkevd_lapack/shim/shim.h"

#ifdef WIDE
typedef int64_t integer;
#else
typedef int32_t integer;
#endif

/* LAPACK's routines call the program's xerbla, not that of the library, which ends the program. */
void xerbla_(const char *name, const integer *argument, size_t length)
{
	printf(" xerbla: %.*s, argument %d;", (int)length, name, (int)*argument);
}

enum { N = 12 };

/* The arguments of a call. They have the names that LAPACK's manual gives them. */
static struct {
	const char *jobz, *range, *uplo, *jobu, *jobvt;
	integer itype, n, m, lda, ldb, ldz, ldu, ldvt, lwork, lrwork, liwork, il, iu;
	double vl, vu;
	double a[N][N], e[N]; /* A, or the diagonal in a[0], and the off-diagonal */
	double imaginary[N][N]; /* the imaginary part of A */
	double b[N][N]; /* B, also for complex A */
} in;

static void reset(void)
{
	in.jobz = in.jobu = in.jobvt = "V", in.range = "A", in.uplo = "L";
	in.itype = 1, in.n = in.m = in.lda = in.ldb = in.ldz = in.ldu = in.ldvt = N;
	in.lwork = in.lrwork = 1000 * N, in.liwork = 100 * N, in.il = 2, in.iu = 4, in.vl = 0, in.vu = 1;
	for (int j = 0; j < N; j++) {
		in.e[j] = 1;
		for (int i = 0; i < N; i++)
			in.a[j][i] = 1.0 / (1 + i + j), in.imaginary[j][i] = 0.1 * (i - j), in.b[j][i] = i == j ? 2 : 1.0 / N;
	}
}

/* CALL defines a function that calls one routine with the arguments in the variable `in`. */
#define CALL(REAL, routine, driver, size_of_m)                                                    \
	void routine##_(driver##_parameters(integer, REAL), size_t, size_t, size_t);                  \
	static void call_##routine(void)                                                              \
	{                                                                                             \
		static REAL a[2 * N * N], b[2 * N * N], e_[N], w_[N], z_[2 * N * N], u_[2 * N * N], vt_[2 * N * N];     \
		static REAL work_[2 * 1000 * N], rwork_[1000 * N];                                        \
		static integer iwork_[100 * N];                                                           \
		const char *jobz = in.jobz, *range = in.range, *uplo = in.uplo;                           \
		const char *jobu = in.jobu, *jobvt = in.jobvt;                                            \
		REAL *d = a, *e = e_, *w = w_, *s = w_, *z = z_, *u = u_, *vt = vt_, *work = work_;       \
		REAL *rwork = rwork_;                                                                     \
		REAL lower = in.vl, upper = in.vu, zero = 0, *vl = &lower, *vu = &upper, *abstol = &zero; \
		integer *n = &in.n, *lda = &in.lda, *ldz = &in.ldz, *ldu = &in.ldu, *ldvt = &in.ldvt;     \
		integer *itype = &in.itype, *ldb = &in.ldb;                                               \
		integer *lwork = &in.lwork, *lrwork = &in.lrwork, *liwork = &in.liwork;                   \
		integer *il = &in.il, *iu = &in.iu;                                                       \
		integer *iwork = iwork_, *isuppz = iwork_ + 60 * N, *ifail = iwork_ + 80 * N;             \
		integer found = 0, *m = size_of_m ? &in.m : &found, code = 0, *info = &code;              \
		int nans = 0, complex = #driver[0] == 'h' || #driver[0] == 'c';                          \
		(void)jobz, (void)range, (void)uplo, (void)jobu, (void)jobvt, (void)d, (void)e, (void)z;  \
		(void)u, (void)vt, (void)vl, (void)vu, (void)abstol, (void)lda, (void)ldz, (void)ldu;     \
		(void)ldvt, (void)liwork, (void)il, (void)iu, (void)iwork, (void)isuppz, (void)ifail;     \
		(void)m, (void)s, (void)rwork, (void)lrwork, (void)itype, (void)b, (void)ldb;             \
		for (int i = 0; i < N * N; i++) {                                                         \
			a[complex ? 2 * i : i] = in.a[i / N][i % N];                                          \
			b[complex ? 2 * i : i] = in.b[i / N][i % N];                                          \
			if (complex)                                                                          \
				a[2 * i + 1] = in.imaginary[i / N][i % N], b[2 * i + 1] = 0;                                        \
		}                                                                                         \
		for (int i = 0; i < N; i++)                                                               \
			e[i] = in.e[i], w[i] = -1;                                                            \
		routine##_(driver##_arguments, 1, 1, 1);                                                  \
		for (int i = 0; i < N; i++)                                                               \
			nans += isnan(w[i]) != 0;                                                             \
		printf(" info %d, found %d, %d values NaN\n", (int)code, (int)found, nans);               \
	}
#define syev_has_m 0
#define syevd_has_m 0
#define syevr_has_m 0
#define syevx_has_m 0
#define heev_has_m 0
#define heevd_has_m 0
#define heevr_has_m 0
#define heevx_has_m 0
#define sygv_has_m 0
#define sygvd_has_m 0
#define sygvx_has_m 0
#define hegv_has_m 0
#define hegvd_has_m 0
#define hegvx_has_m 0
#define stevd_has_m 0
#define stevr_has_m 0
#define gesvd_has_m 1
#define gesdd_has_m 1
#define complex_gesvd_has_m 1
#define complex_gesdd_has_m 1
#define BOTH(double_, DOUBLE, single, SINGLE, driver)                                             \
	CALL(double, double_, driver, driver##_has_m)                                                 \
	CALL(float, single, driver, driver##_has_m)
EACH_ROUTINE(BOTH)

#define ENTRIES(double_, DOUBLE, single, SINGLE, driver)                                          \
	{#double_, call_##double_}, {#single, call_##single},
static const struct {
	const char *name;
	void (*call)(void);
} routines[] = {EACH_ROUTINE(ENTRIES)};

/* WITH calls a routine after a change of its arguments. */
#define WITH(change)                                                                              \
	do {                                                                                          \
		reset();                                                                                  \
		in.jobz = strstr(routines[r].name, "gesdd") ? "A" : two_stages ? "N" : "V";               \
		in.jobu = in.jobvt = "A";                                                                 \
		change;                                                                                   \
		printf("%s, %s:", routines[r].name, #change);                                             \
		routines[r].call();                                                                       \
	} while (0)

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int r = 0; r < ROUTINES; r++) {
		int two_stages = strstr(routines[r].name, "2stage") != NULL;
		WITH((void)0); /* the device solves it */
		WITH(in.n = -1);
		WITH(in.m = -1);
		WITH(in.jobz = "X");
		WITH(in.jobu = "X");
		WITH(in.jobvt = "X");
		WITH(in.jobu = in.jobvt = "O");
		WITH(in.uplo = "X");
		WITH(in.range = "X");
		WITH(in.lda = N - 1);
		WITH(in.ldz = 0);
		WITH(in.ldu = N - 1);
		WITH(in.ldvt = N - 1);
		WITH(in.lwork = 1);
		WITH(in.lrwork = 1);
		WITH(in.liwork = 0);
		WITH((in.range = "I", in.il = 0));
		WITH((in.range = "I", in.iu = N + 1));
		WITH((in.range = "V", in.vu = -1));
		if (two_stages)
			WITH(in.jobz = "V");
		if (DSYGV <= r && r <= CHEGV_2STAGE) {
			WITH(in.itype = 0);
			WITH((in.itype = 3, in.ldb = N)); /* the device solves it */
			WITH(in.itype = 4);
			WITH(in.ldb = N - 1);
			WITH(in.b[0][0] = 0);
			WITH(in.b[7][7] = -1);
			WITH(in.b[N - 1][N - 1] = NAN);
			WITH(in.b[1][0] = NAN); /* above the diagonal */
		}
		WITH(in.a[1][0] = NAN); /* above the diagonal, which is not read */
		WITH(in.imaginary[1][0] = in.imaginary[3][3] = NAN); /* nor is this part of the diagonal */
		if (r == DSTEVR || r == SSTEVR)
			continue; /* LAPACK 3.11's own does not return */
		WITH(in.a[0][1] = NAN);
		WITH(in.imaginary[0][1] = NAN);
		WITH(in.a[N - 1][N - 1] = NAN);
		if (r < DGESVD) /* dgesvd and dgesdd do not return either */
			WITH(in.a[0][0] = INFINITY);
		WITH(in.e[2] = NAN);
	}
	return 0;
}
