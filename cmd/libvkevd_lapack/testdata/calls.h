/* Calls of all routines, in both precisions and with both types of integers, for program.c. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shim/parameters.h"
#include "../shim/shim.h"
#include "fake.h"

extern struct fake fake;

#define N 2100 /* the device is started for one problem of this order */

/* The arguments of all routines have the same names, so one set of variables is enough for all
 * calls. */
static const char *jobz = "V", *range = "A", *uplo = "L", *jobu = "A", *jobvt = "A";
static void *a, *b, *d, *e, *z, *u, *vt, *work, *rwork;
static double w[N], bound[2] = {0, 1}, abstol[1];
static int64_t order = N, ld = N, size = 8 * N * N, rsize = 8 * N * N, isize = 20 * N, first = 1, last = 3, type = 1, ld_b = N, ints[20 * N], result, outcome;

/* is_s tells whether a routine is in single precision, and is_z whether its matrix is complex. */
static int is_s(int r) { return r % 2; }
static int is_z(int r) { return (ZHEEV <= r && r <= CHEEVD_2STAGE) || (ZHEGV <= r && r <= CHEGV_2STAGE) || ZGESVD <= r; }
static int is_gesvd(int r) { return r == DGESVD || r == SGESVD || r == ZGESVD || r == CGESVD; }
static int is_gesdd(int r) { return r == DGESDD || r == SGESDD || r == ZGESDD || r == CGESDD; }

static int is_evr(int r) { return r == DSYEVR || r == SSYEVR || r == ZHEEVR || r == CHEEVR; }
static int is_pair(int r) { return DSYGV <= r && r <= CHEGV_2STAGE; }
static int is_evx(int r)
{
	int base = r - is_s(r);
	return base == DSYEVX || base == ZHEEVX || base == DSYGVX || base == ZHEGVX;
}

#define VARIABLES(INT)                                                                            \
	INT *n = (INT *)&order, *lda = (INT *)&ld, *ldz = lda, *ldu = lda, *ldvt = lda;               \
	INT *lwork = (INT *)&size, *lrwork = (INT *)&rsize, *liwork = (INT *)&isize;                  \
	INT *il = (INT *)&first, *iu = (INT *)&last, *itype = (INT *)&type, *ldb = (INT *)&ld_b;      \
	INT *iwork = (INT *)ints, *isuppz = iwork, *ifail = iwork, *info = (INT *)&outcome;           \
	float lower = bound[0], upper = bound[1];                                                     \
	const void *vl = &bound[0], *vu = &bound[1];                                                  \
	double *s = w;                                                                                \
	if (is_s(r))                                                                                  \
		vl = &lower, vu = &upper;                                                                 \
	(void)n, (void)lda, (void)ldz, (void)ldu, (void)ldvt, (void)lwork, (void)lrwork, (void)liwork; \
	(void)il, (void)iu, (void)iwork, (void)isuppz, (void)ifail, (void)itype, (void)ldb, (void)vl, (void)vu, (void)s;

#define CHECK(condition)                                                                          \
	do {                                                                                          \
		if (!(condition)) {                                                                       \
			printf("program.c:%d: not true: %s (last %s, info %lld)\n", __LINE__, #condition, fake.last, (long long)outcome); \
			exit(1);                                                                              \
		}                                                                                         \
	} while (0)

/* CALLER defines a function that calls a routine with one list of arguments, for one integer type.
 * m is the number of rows for singular values, and a result for eigenvalues. */
#define CALLER(driver, INT, suffix, size_or_result)                                               \
	static void call_##driver##suffix(void *symbol, int r)                                        \
	{                                                                                             \
		VARIABLES(INT)                                                                            \
		INT *m = (INT *)&size_or_result;                                                          \
		(void)m;                                                                                  \
		outcome = -1;                                                                             \
		((void (*)(driver##_parameters(INT, void)))symbol)(driver##_arguments);                   \
		outcome = *info;                                                                          \
	}
#define CALLERS(driver, m)                                                                        \
	CALLER(driver, int32_t, _32, m)                                                               \
	CALLER(driver, int64_t, _64, m)
CALLERS(syev, result)
CALLERS(syevd, result)
CALLERS(syevr, result)
CALLERS(syevx, result)
CALLERS(heev, result)
CALLERS(heevd, result)
CALLERS(heevr, result)
CALLERS(heevx, result)
CALLERS(sygv, result)
CALLERS(sygvd, result)
CALLERS(sygvx, result)
CALLERS(hegv, result)
CALLERS(hegvd, result)
CALLERS(hegvx, result)
CALLERS(stevd, result)
CALLERS(stevr, result)
CALLERS(gesvd, order)
CALLERS(gesdd, order)
CALLERS(complex_gesvd, order)
CALLERS(complex_gesdd, order)

#define BOTH(double_, DOUBLE, single, SINGLE, driver)                                             \
	{#double_, {call_##driver##_32, call_##driver##_64}},                                         \
	{#single, {call_##driver##_32, call_##driver##_64}},
static struct {
	const char *name;
	void (*call[2])(void *, int);
} routines[] = {EACH_ROUTINE(BOTH)};

/* number is element i of an array in the precision of the routine. */
static double number(int r, const void *x, int i) { return is_s(r) ? ((float *)x)[i] : ((double *)x)[i]; }

static const char *const spellings[] = {"%s_", "%s", "scipy_%s_", "%s_64_", "%s64_", "%s_64", "scipy_%s_64_"};

static void *symbol(const char *format, int r)
{
	char name[64];
	snprintf(name, sizeof name, format, routines[r].name);
	void *found = dlsym(RTLD_DEFAULT, name);
	if (found == NULL)
		printf("%s is not exported\n", name), exit(1);
	return found;
}

static void call(const char *format, int r) { routines[r].call[strstr(format, "64") != NULL](symbol(format, r), r); }
