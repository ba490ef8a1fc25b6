/* symmetric.h has the drivers for symmetric and for Hermitian matrices. drivers.h includes it
 * twice: with HERMITIAN = 0 for LAPACK's routines sy…, and with HERMITIAN = 1 for he…, which have a
 * real workspace rwork, too. EITHER(x, y) is x in the first case and y in the second. The
 * workspaces have at least the sizes that LAPACK's manual allows. */

#if HERMITIAN
#define DRIVER(name) SIZED(he##name)
#define PARAMETERS(name) he##name##_parameters(INT, void)
#define ARGUMENTS(name) he##name##_arguments
#define EITHER(real, complex) complex
#define RWORK(...) __VA_ARGS__,
#define RWORK_HOLDS(least) (*lrwork >= (least))
#else
#define DRIVER(name) SIZED(sy##name)
#define PARAMETERS(name) sy##name##_parameters(INT, void)
#define ARGUMENTS(name) sy##name##_arguments
#define EITHER(real, complex) real
#define RWORK(...)
#define RWORK_HOLDS(least) 1
#endif

typedef void DRIVER(ev_next)(PARAMETERS(ev), size_t, size_t);
typedef void DRIVER(evd_next)(PARAMETERS(evd), size_t, size_t);
typedef void DRIVER(evr_next)(PARAMETERS(evr), size_t, size_t, size_t);
typedef void DRIVER(evx_next)(PARAMETERS(evx), size_t, size_t, size_t);

static void DRIVER(ev)(enum routine r, DRIVER(ev_next) *next, PARAMETERS(ev))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && k > 1 && *lda >= k && *lwork >= EITHER(3, 2) * k - 1;
	struct vkevd_problem p = symmetric(uplo, k, a, *lda, w);

	if (ok && two_stage(r)) { /* the size of the workspace depends on the next library's block sizes */
		union number least = {0};
		INT code = 0;
		next(jobz, uplo, n, a, lda, w, &least, &query, RWORK(rwork) &code, 1, 1);
		ok = !vectors && code == 0 && *lwork >= number(r, &least);
	}
	if (vectors)
		in_place(&p, a);
	if (ok && solve_on_device(r, &p)) {
		lwork = &query;
		next(ARGUMENTS(ev), 1, 1);
		*info = 0;
		return;
	}
	next(ARGUMENTS(ev), 1, 1);
}

static void DRIVER(evd)(enum routine r, DRIVER(evd_next) *next, PARAMETERS(evd))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && k > 1 && *lda >= k &&
		*lwork >= (vectors ? EITHER(1 + 6 * k + 2 * k * k, 2 * k + k * k) : EITHER(2 * k, k) + 1) &&
		RWORK_HOLDS(vectors ? 1 + 5 * k + 2 * k * k : k) && *liwork >= (vectors ? 3 + 5 * k : 1);
	struct vkevd_problem p = symmetric(uplo, k, a, *lda, w);

	if (ok && two_stage(r)) {
		union number least[2] = {0}; /* of work and rwork */
		INT least_int = 0, code = 0;
		next(jobz, uplo, n, a, lda, w, &least[0], &query, RWORK(&least[1], &query) &least_int, &query,
			&code, 1, 1);
		ok = !vectors && code == 0 && *lwork >= number(r, &least[0]) &&
			RWORK_HOLDS(number(r, &least[1])) && *liwork >= least_int;
	}
	if (vectors)
		in_place(&p, a);
	if (ok && solve_on_device(r, &p)) {
		lwork = &query;
		next(ARGUMENTS(evd), 1, 1);
		*info = 0;
		return;
	}
	next(ARGUMENTS(evd), 1, 1);
}

static void DRIVER(evr)(enum routine r, DRIVER(evr_next) *next, PARAMETERS(evr))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && k > 1 && *lda >= k && *lwork >= EITHER(26, 2) * k &&
		RWORK_HOLDS(24 * k) && *liwork >= 10 * k && *ldz >= (vectors ? k : 1);
	struct vkevd_problem p = symmetric(uplo, k, a, *lda, w);

	ok = ok && SIZED(part)(r, &p, range, vl, vu, il, iu);
	if (vectors)
		p.z = z, p.ldz = *ldz;
	if (ok && solve_on_device(r, &p)) {
		lwork = &query;
		next(ARGUMENTS(evr), 1, 1, 1);
		*m = p.found;
		if (vectors)
			SIZED(support)(isuppz, &p);
		*info = 0;
		return;
	}
	next(ARGUMENTS(evr), 1, 1, 1);
}

static void DRIVER(evx)(enum routine r, DRIVER(evx_next) *next, PARAMETERS(evx))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && k > 1 && *lda >= k && *lwork >= EITHER(8, 2) * k &&
		*ldz >= (vectors ? k : 1);
	struct vkevd_problem p = symmetric(uplo, k, a, *lda, w);

	ok = ok && SIZED(part)(r, &p, range, vl, vu, il, iu);
	if (vectors)
		p.z = z, p.ldz = *ldz;
	if (ok && solve_on_device(r, &p)) {
		lwork = &query;
		next(ARGUMENTS(evx), 1, 1, 1);
		*m = p.found;
		for (int64_t i = 0; vectors && i < p.found; i++)
			ifail[i] = 0;
		*info = 0;
		return;
	}
	next(ARGUMENTS(evx), 1, 1, 1);
}

#undef DRIVER
#undef PARAMETERS
#undef ARGUMENTS
#undef EITHER
#undef RWORK
#undef RWORK_HOLDS
