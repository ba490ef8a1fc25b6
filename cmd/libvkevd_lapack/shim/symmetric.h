/* symmetric.h has the drivers for symmetric and for Hermitian matrices, and for pairs of them.
 * drivers.h includes it four times: with HERMITIAN = 0 for LAPACK's routines sy…, and with
 * HERMITIAN = 1 for he…, which have a real workspace rwork, too. EITHER(x, y) is x in the first
 * case and y in the second. With PAIR = 1 these are the routines sygv… and hegv…, which have the
 * further arguments itype, b and ldb. The workspaces have at least the sizes that LAPACK's manual
 * allows, which are the same for pairs. */

#if HERMITIAN && PAIR
#define DRIVER(name) SIZED(heg##name)
#define PARAMETERS(name) heg##name##_parameters(INT, void)
#define ARGUMENTS(name) heg##name##_arguments
#elif HERMITIAN
#define DRIVER(name) SIZED(hee##name)
#define PARAMETERS(name) hee##name##_parameters(INT, void)
#define ARGUMENTS(name) hee##name##_arguments
#elif PAIR
#define DRIVER(name) SIZED(syg##name)
#define PARAMETERS(name) syg##name##_parameters(INT, void)
#define ARGUMENTS(name) syg##name##_arguments
#else
#define DRIVER(name) SIZED(sye##name)
#define PARAMETERS(name) sye##name##_parameters(INT, void)
#define ARGUMENTS(name) sye##name##_arguments
#endif

#if HERMITIAN
#define EITHER(real, complex) complex
#define RWORK(...) __VA_ARGS__,
#define RWORK_HOLDS(least) (*lrwork >= (least))
#else
#define EITHER(real, complex) real
#define RWORK(...)
#define RWORK_HOLDS(least) 1
#endif

/* IF_PAIR is for arguments, and PAIR_FITS adds them to *p and tells whether they are right. */
#if PAIR
#define IF_PAIR(...) __VA_ARGS__,
#define PAIR_FITS(p) pair(p, *itype, b, *ldb)
#else
#define IF_PAIR(...)
#define PAIR_FITS(p) 1
#endif

typedef void DRIVER(v_next)(PARAMETERS(v), size_t, size_t);
typedef void DRIVER(vd_next)(PARAMETERS(vd), size_t, size_t);
typedef void DRIVER(vx_next)(PARAMETERS(vx), size_t, size_t, size_t);

static void DRIVER(v)(enum routine r, DRIVER(v_next) *next, PARAMETERS(v))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && k > 1 && *lda >= k && *lwork >= EITHER(3, 2) * k - 1;
	struct vkevd_problem p = symmetric(uplo, k, a, *lda, w);

	ok = PAIR_FITS(&p) && ok && !(vectors && two_stage(r));
	if (ok && two_stage(r)) { /* the size of the workspace depends on the next library's block sizes */
		union number least = {0};
		INT code = 0;
		next(IF_PAIR(itype) jobz, uplo, n, a, lda, IF_PAIR(b, ldb) w, &least, &query,
			RWORK(rwork) &code, 1, 1);
		ok = code == 0 && *lwork >= number(r, &least);
	}
	if (vectors)
		in_place(&p, a);
	if (ok && solve_on_device(r, &p)) {
		lwork = &query;
		next(ARGUMENTS(v), 1, 1);
		*info = 0;
		return;
	}
	next(ARGUMENTS(v), 1, 1);
}

#if PAIR
/* LAPACK's sygvd and hegvd call syevd and heevd, and return the larger sizes of both, although they
 * answer a query with their own. enlarge does so with the sizes that a query has written. It finds the
 * inner routine from the library of the routine `next`. */
static void DRIVER(vd_enlarge)(enum routine r, DRIVER(vd_next) *next, PARAMETERS(vd))
{
	const INT query = -1;
	union number size[2] = {0}; /* of work and rwork */
	INT size_int = 0, code = 0;
	struct next inner = find_next(without_b(r), sizeof(INT) == 8, (void *)next);
	EITHER(SIZED(syevd_next), SIZED(heevd_next)) *call = (void *)inner.function;

	(void)itype, (void)b, (void)ldb, (void)lwork, (void)liwork, (void)info;
#if HERMITIAN
	(void)lrwork;
#endif
	if (call == NULL || inner.wide != (sizeof(INT) == 8))
		return;
	call(jobz, uplo, n, a, lda, w, &size[0], &query, RWORK(&size[1], &query) &size_int, &query, &code, 1, 1);
	if (code != 0)
		return;
	raise_to(r, work, &size[0]);
#if HERMITIAN
	raise_to(r, rwork, &size[1]);
#endif
	if (*iwork < size_int)
		*iwork = size_int;
}
#endif

static void DRIVER(vd)(enum routine r, DRIVER(vd_next) *next, PARAMETERS(vd))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && k > 1 && *lda >= k &&
		*lwork >= (vectors ? EITHER(1 + 6 * k + 2 * k * k, 2 * k + k * k) : EITHER(2 * k, k) + 1) &&
		RWORK_HOLDS(vectors ? 1 + 5 * k + 2 * k * k : k) && *liwork >= (vectors ? 3 + 5 * k : 1);
	struct vkevd_problem p = symmetric(uplo, k, a, *lda, w);

	ok = PAIR_FITS(&p) && ok && !(vectors && two_stage(r));
	if (ok && two_stage(r)) {
		union number least[2] = {0}; /* of work and rwork */
		INT least_int = 0, code = 0;
		next(IF_PAIR(itype) jobz, uplo, n, a, lda, IF_PAIR(b, ldb) w, &least[0], &query,
			RWORK(&least[1], &query) &least_int, &query, &code, 1, 1);
		ok = code == 0 && *lwork >= number(r, &least[0]) &&
			RWORK_HOLDS(number(r, &least[1])) && *liwork >= least_int;
	}
	if (vectors)
		in_place(&p, a);
	if (ok && solve_on_device(r, &p)) {
		lwork = &query;
		next(ARGUMENTS(vd), 1, 1);
#if PAIR
		DRIVER(vd_enlarge)(r, next, ARGUMENTS(vd));
#endif
		*info = 0;
		return;
	}
	next(ARGUMENTS(vd), 1, 1);
}

#if !PAIR /* LAPACK has no sygvr */
typedef void DRIVER(vr_next)(PARAMETERS(vr), size_t, size_t, size_t);

static void DRIVER(vr)(enum routine r, DRIVER(vr_next) *next, PARAMETERS(vr))
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
		next(ARGUMENTS(vr), 1, 1, 1);
		*m = p.found;
		if (vectors)
			SIZED(support)(isuppz, &p);
		*info = 0;
		return;
	}
	next(ARGUMENTS(vr), 1, 1, 1);
}
#endif

static void DRIVER(vx)(enum routine r, DRIVER(vx_next) *next, PARAMETERS(vx))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && k > 1 && *lda >= k && *lwork >= EITHER(8, 2) * k &&
		*ldz >= (vectors ? k : 1);
	struct vkevd_problem p = symmetric(uplo, k, a, *lda, w);

	ok = PAIR_FITS(&p) && ok && SIZED(part)(r, &p, range, vl, vu, il, iu);
	if (vectors)
		p.z = z, p.ldz = *ldz;
	if (ok && solve_on_device(r, &p)) {
		lwork = &query;
		next(ARGUMENTS(vx), 1, 1, 1);
		*m = p.found;
		for (int64_t i = 0; vectors && i < p.found; i++)
			ifail[i] = 0;
		*info = 0;
		return;
	}
	next(ARGUMENTS(vx), 1, 1, 1);
}

#undef DRIVER
#undef PARAMETERS
#undef ARGUMENTS
#undef EITHER
#undef RWORK
#undef RWORK_HOLDS
#undef IF_PAIR
#undef PAIR_FITS
#undef HERMITIAN
#undef PAIR
