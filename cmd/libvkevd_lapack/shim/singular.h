/* singular.h has the drivers for singular values. drivers.h includes it twice: with COMPLEX = 0 for
 * real matrices, and with COMPLEX = 1 for complex ones, whose routines have a real workspace rwork,
 * too. LAPACK's manual says how large rwork must be, and there is no argument with its size. */

#if COMPLEX
#define DRIVER(name) SIZED(complex_##name)
#define PARAMETERS(name) complex_##name##_parameters(INT, void)
#define ARGUMENTS(name) complex_##name##_arguments
#else
#define DRIVER(name) SIZED(name)
#define PARAMETERS(name) name##_parameters(INT, void)
#define ARGUMENTS(name) name##_arguments
#endif

typedef void DRIVER(gesvd_next)(PARAMETERS(gesvd), size_t, size_t);
typedef void DRIVER(gesdd_next)(PARAMETERS(gesdd), size_t);

static void DRIVER(gesvd)(enum routine r, DRIVER(gesvd_next) *next, PARAMETERS(gesvd))
{
	const INT query = -1;
	const int64_t rows = *m, cols = *n, few = rows < cols ? rows : cols;
	struct vkevd_problem p = {.kind = VKEVD_SINGULAR, .range = 'A', .m = rows, .n = cols, .a = a, .lda = *lda, .w = s};
	int ok = few > 0 && *lda >= rows && *ldu >= 1 && *ldvt >= 1 &&
		!(is(jobu, 'O') && is(jobvt, 'O')) && singular_job(jobu) && singular_job(jobvt) &&
		*lwork >= gesvd_least(COMPLEX, jobu, jobvt, rows, cols);

	if (is(jobu, 'A') || is(jobu, 'S'))
		left(&p, u, *ldu, is(jobu, 'A') ? rows : few);
	if (is(jobvt, 'A') || is(jobvt, 'S'))
		right(&p, vt, *ldvt, is(jobvt, 'A') ? cols : few);
	if (is(jobu, 'O'))
		left(&p, a, *lda, few);
	if (is(jobvt, 'O'))
		right(&p, a, *lda, few);
	if (ok && fit(&p) && solve_on_device(r, &p)) {
		lwork = &query;
		next(ARGUMENTS(gesvd), 1, 1);
		*info = 0;
		return;
	}
	next(ARGUMENTS(gesvd), 1, 1);
}

static void DRIVER(gesdd)(enum routine r, DRIVER(gesdd_next) *next, PARAMETERS(gesdd))
{
	const INT query = -1;
	const int64_t rows = *m, cols = *n, few = rows < cols ? rows : cols;
	struct vkevd_problem p = {.kind = VKEVD_SINGULAR, .range = 'A', .m = rows, .n = cols, .a = a, .lda = *lda, .w = s};
	int ok = few > 0 && *lda >= rows && *ldu >= 1 && *ldvt >= 1 && singular_job(jobz) &&
		*lwork >= (COMPLEX ? complex_gesdd_least : gesdd_least)(jobz, rows, cols);

	if (is(jobz, 'A') || is(jobz, 'S')) {
		left(&p, u, *ldu, is(jobz, 'A') ? rows : few);
		right(&p, vt, *ldvt, is(jobz, 'A') ? cols : few);
	} else if (is(jobz, 'O') && rows >= cols) {
		left(&p, a, *lda, cols);
		right(&p, vt, *ldvt, cols);
	} else if (is(jobz, 'O')) {
		left(&p, u, *ldu, rows);
		right(&p, a, *lda, rows);
	}
	if (ok && fit(&p) && solve_on_device(r, &p)) {
		lwork = &query;
		next(ARGUMENTS(gesdd), 1);
		*info = 0;
		return;
	}
	next(ARGUMENTS(gesdd), 1);
}

#undef COMPLEX
#undef DRIVER
#undef PARAMETERS
#undef ARGUMENTS
