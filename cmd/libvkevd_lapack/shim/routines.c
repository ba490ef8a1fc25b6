/* routines.c has the exported functions: LAPACK's routines, in every spelling that programs use. */
#include "shim.h"

#include <ctype.h>
#include <string.h>

#include "parameters.h"

#define NAMES(double_, DOUBLE, single, SINGLE, driver) #double_, #single,
const char *const routine_names[ROUTINES] = {EACH_ROUTINE(NAMES)};

int is_single(enum routine r) { return routine_names[r][0] == 's' || routine_names[r][0] == 'c'; }

int is_complex(enum routine r) { return routine_names[r][0] == 'z' || routine_names[r][0] == 'c'; }

static int two_stage(enum routine r) { return strstr(routine_names[r], "_2stage") != NULL; }

/* number is memory for one number, real or complex, in the precision of the routine. */
union number {
	double d[2];
	float s[2];
};

/* number reads one real number, or the real part of a complex one, in the precision of the
 * routine. */
static double number(enum routine r, const void *x)
{
	return is_single(r) ? *(const float *)x : *(const double *)x;
}

/* raise_to sets the number at x to the number at y if that is larger. A complex number has the
 * imaginary part 0. */
static void raise_to(enum routine r, void *x, const void *y)
{
	if (number(r, x) >= number(r, y))
		return;
	if (is_single(r))
		*(float *)x = *(const float *)y;
	else
		*(double *)x = *(const double *)y;
}

/* without_b is the routine for one matrix that LAPACK's sygvd and hegvd call. */
static enum routine without_b(enum routine r)
{
	switch (r) {
	case DSYGVD:
		return DSYEVD;
	case SSYGVD:
		return SSYEVD;
	case ZHEGVD:
		return ZHEEVD;
	default:
		return CHEEVD;
	}
}

/* is compares letters without regard to case, as LAPACK's lsame does. */
static int is(const char *option, char letter) { return toupper((unsigned char)*option) == letter; }

static int job(const char *jobz) { return is(jobz, 'N') || is(jobz, 'V'); }

static int triangle(const char *uplo) { return is(uplo, 'L') || is(uplo, 'U'); }

static int singular_job(const char *o) { return is(o, 'A') || is(o, 'S') || is(o, 'O') || is(o, 'N'); }

static int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

static struct vkevd_problem symmetric(const char *uplo, int64_t n, const void *a, int64_t lda, void *w)
{
	return (struct vkevd_problem){
		.kind = VKEVD_SYMMETRIC, .upper = is(uplo, 'U'), .range = 'A', .n = n, .a = a, .lda = lda, .w = w,
	};
}

/* pair makes *p a problem of the pair A, B. It returns 0 if LAPACK would refuse these arguments. */
static int pair(struct vkevd_problem *p, int64_t itype, void *b, int64_t ldb)
{
	p->kind = VKEVD_PAIR;
	p->itype = itype;
	p->b = b;
	p->ldb = ldb;
	return 1 <= itype && itype <= 3 && ldb >= p->n;
}

/* in_place makes the eigenvectors replace A. */
static void in_place(struct vkevd_problem *p, void *a)
{
	p->z = a;
	p->ldz = p->lda;
}

/* left and right set the memory for left and right singular vectors. */
static void left(struct vkevd_problem *p, void *u, int64_t ldu, int64_t columns)
{
	p->z = u;
	p->ldz = ldu;
	p->zcolumns = columns;
}

static void right(struct vkevd_problem *p, void *vt, int64_t ldvt, int64_t rows)
{
	p->vt = vt;
	p->ldvt = ldvt;
	p->vtrows = rows;
}

/* fit tells whether the leading dimensions of the singular vectors are large enough. */
static int fit(const struct vkevd_problem *p)
{
	return (p->z == NULL || p->ldz >= p->m) && (p->vt == NULL || p->ldvt >= p->vtrows);
}

/* gesvd_least is the smallest size of the workspace that gesvd accepts, for real or complex
 * matrices. */
static int64_t gesvd_least(int complex, const char *jobu, const char *jobvt, int64_t m, int64_t n)
{
	int64_t few = m < n ? m : n, many = max(m, n);
	int narrow = many >= (int64_t)(few * 1.6) && is(m >= n ? jobu : jobvt, 'N');
	if (complex)
		return narrow ? 3 * few : 2 * few + many;
	return narrow ? 5 * few : max(3 * few + many, 5 * few);
}

/* gesdd_least is the smallest size of the workspace that gesdd accepts: MINWRK of its paths 1
 * to 5. */
static int64_t gesdd_least(const char *jobz, int64_t m, int64_t n)
{
	int64_t k = m < n ? m : n, many = max(m, n), inner = is(jobz, 'N') ? 7 * k : 3 * k * k + 4 * k;
	if (many < (int64_t)(k * 11.0 / 6.0))
		return 3 * k + max(many, is(jobz, 'O') ? k * k + inner : inner);
	switch (toupper((unsigned char)*jobz)) {
	case 'N':
		return inner + k;
	case 'O':
		return inner + 2 * k * k + 3 * k;
	case 'S':
		return inner + k * k + 3 * k;
	}
	return k * k + max(3 * k + inner, k + many);
}

/* complex_gesdd_least does the same for complex matrices. */
static int64_t complex_gesdd_least(const char *jobz, int64_t m, int64_t n)
{
	int64_t k = m < n ? m : n, many = max(m, n);
	if (many < (int64_t)(k * 17.0 / 9.0))
		return 2 * k + many + (is(jobz, 'O') ? k * k : 0);
	switch (toupper((unsigned char)*jobz)) {
	case 'N':
		return 3 * k;
	case 'O':
		return 2 * k * k + 3 * k;
	case 'S':
		return k * k + 3 * k;
	}
	return k * k + max(3 * k, k + many);
}

#define INT int32_t
#define SIZED(name) name##_32
#include "parts.h"
#include "drivers.h"
#undef INT
#undef SIZED
#define INT int64_t
#define SIZED(name) name##_64
#include "parts.h"
#include "drivers.h"
#undef INT
#undef SIZED

/* NO_NEXT_LIBRARY is the value of info if no library has the routine. LAPACK does not use this
 * number. */
enum { NO_NEXT_LIBRARY = -1000 };

static void fail(void *info, int wide)
{
	if (wide)
		*(int64_t *)info = NO_NEXT_LIBRARY;
	else
		*(int32_t *)info = NO_NEXT_LIBRARY;
}

#define PUBLIC __attribute__((visibility("default")))

/* EXPORT defines one exported function. If the next library has 64-bit integers under the plain
 * names, the function treats its integers as 64-bit integers, too. */
#define EXPORT(symbol, r, is_wide, driver)                                                        \
	PUBLIC void symbol(driver##_parameters(void, void))                                                 \
	{                                                                                             \
		struct next next = find_next(r, is_wide, __builtin_return_address(0));                    \
		if (next.function == NULL)                                                                \
			fail(info, is_wide);                                                                  \
		else if (next.wide)                                                                       \
			driver##_64(r, (driver##_next_64 *)next.function, driver##_arguments);                \
		else                                                                                      \
			driver##_32(r, (driver##_next_32 *)next.function, driver##_arguments);                \
	}

#define ALSO(target, symbol) PUBLIC extern __typeof__(target) symbol __attribute__((alias(#target)));

/* SPELLINGS exports a routine in all its spellings. next.c searches for the same spellings. */
#define SPELLINGS(name, r, driver)                                                                \
	EXPORT(name##_, r, 0, driver)                                                                 \
	ALSO(name##_, name)                                                                           \
	ALSO(name##_, scipy_##name##_)                                                                \
	EXPORT(name##_64_, r, 1, driver)                                                              \
	ALSO(name##_64_, name##64_)                                                                   \
	ALSO(name##_64_, name##_64)                                                                   \
	ALSO(name##_64_, scipy_##name##_64_)

#define BOTH_PRECISIONS(double_, DOUBLE, single, SINGLE, driver)                                   \
	SPELLINGS(double_, DOUBLE, driver)                                                            \
	SPELLINGS(single, SINGLE, driver)

EACH_ROUTINE(BOTH_PRECISIONS)
