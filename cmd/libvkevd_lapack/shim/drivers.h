/* drivers.h has one function for each list of arguments, for both precisions. It is included twice.
 * INT is the integer type, and SIZED(name) adds the size of INT to a name.
 *
 * Each function passes these calls to the next library: queries for the size of the workspace,
 * calls with an argument that LAPACK would refuse, problems without entries, and eigenvalues of
 * order 1, for which LAPACK returns early with other sizes and without some results. The next
 * library therefore handles queries, info < 0 and xerbla. After the device has solved a
 * problem, the function makes a query to the next library. The query writes the size of the
 * workspace to work[0] and iwork[0], as LAPACK does at the end of each call. */

typedef void SIZED(syev_next)(syev_parameters(INT, void), size_t, size_t);
typedef void SIZED(syevd_next)(syevd_parameters(INT, void), size_t, size_t);
typedef void SIZED(syevr_next)(syevr_parameters(INT, void), size_t, size_t, size_t);
typedef void SIZED(syevx_next)(syevx_parameters(INT, void), size_t, size_t, size_t);
typedef void SIZED(stevd_next)(stevd_parameters(INT, void), size_t);
typedef void SIZED(stevr_next)(stevr_parameters(INT, void), size_t, size_t);
typedef void SIZED(gesvd_next)(gesvd_parameters(INT, void), size_t, size_t);
typedef void SIZED(gesdd_next)(gesdd_parameters(INT, void), size_t);

static void SIZED(syev)(enum routine r, SIZED(syev_next) *next, syev_parameters(INT, void))
{
	const INT query = -1;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && *n > 1 && *lda >= *n && *lwork >= 3 * (int64_t)*n - 1;
	struct vkevd_problem p = symmetric(uplo, *n, a, *lda, w);

	if (ok && two_stage(r)) { /* the size of the workspace depends on the next library's block sizes */
		union real least = {0};
		INT code = 0;
		next(jobz, uplo, n, a, lda, w, &least, &query, &code, 1, 1);
		ok = !vectors && code == 0 && *lwork >= number(r, &least);
	}
	if (vectors)
		in_place(&p, a);
	if (ok && solve_on_device(r, &p)) {
		next(jobz, uplo, n, a, lda, w, work, &query, info, 1, 1);
		*info = 0;
		return;
	}
	next(syev_arguments, 1, 1);
}

static void SIZED(syevd)(enum routine r, SIZED(syevd_next) *next, syevd_parameters(INT, void))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && k > 1 && *lda >= k &&
		*lwork >= (vectors ? 1 + 6 * k + 2 * k * k : 2 * k + 1) &&
		*liwork >= (vectors ? 3 + 5 * k : 1);
	struct vkevd_problem p = symmetric(uplo, k, a, *lda, w);

	if (ok && two_stage(r)) {
		union real least = {0};
		INT least_int = 0, code = 0;
		next(jobz, uplo, n, a, lda, w, &least, &query, &least_int, &query, &code, 1, 1);
		ok = !vectors && code == 0 && *lwork >= number(r, &least) && *liwork >= least_int;
	}
	if (vectors)
		in_place(&p, a);
	if (ok && solve_on_device(r, &p)) {
		next(jobz, uplo, n, a, lda, w, work, &query, iwork, &query, info, 1, 1);
		*info = 0;
		return;
	}
	next(syevd_arguments, 1, 1);
}

static void SIZED(syevr)(enum routine r, SIZED(syevr_next) *next, syevr_parameters(INT, void))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && k > 1 && *lda >= k && *lwork >= 26 * k &&
		*liwork >= 10 * k && *ldz >= (vectors ? k : 1);
	struct vkevd_problem p = symmetric(uplo, k, a, *lda, w);

	ok = ok && SIZED(part)(r, &p, range, vl, vu, il, iu);
	if (vectors)
		p.z = z, p.ldz = *ldz;
	if (ok && solve_on_device(r, &p)) {
		next(jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, isuppz, work,
			&query, iwork, &query, info, 1, 1, 1);
		*m = p.found;
		if (vectors)
			SIZED(support)(isuppz, &p);
		*info = 0;
		return;
	}
	next(syevr_arguments, 1, 1, 1);
}

static void SIZED(syevx)(enum routine r, SIZED(syevx_next) *next, syevx_parameters(INT, void))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && triangle(uplo) && k > 1 && *lda >= k && *lwork >= 8 * k &&
		*ldz >= (vectors ? k : 1);
	struct vkevd_problem p = symmetric(uplo, k, a, *lda, w);

	ok = ok && SIZED(part)(r, &p, range, vl, vu, il, iu);
	if (vectors)
		p.z = z, p.ldz = *ldz;
	if (ok && solve_on_device(r, &p)) {
		next(jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, work, &query,
			iwork, ifail, info, 1, 1, 1);
		*m = p.found;
		for (int64_t i = 0; vectors && i < p.found; i++)
			ifail[i] = 0;
		*info = 0;
		return;
	}
	next(syevx_arguments, 1, 1, 1);
}

static void SIZED(stevd)(enum routine r, SIZED(stevd_next) *next, stevd_parameters(INT, void))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && k > 1 && *ldz >= (vectors ? k : 1) &&
		*lwork >= (vectors ? 1 + 4 * k + k * k : 1) &&
		*liwork >= (vectors ? 3 + 5 * k : 1);
	struct vkevd_problem p = {.kind = VKEVD_TRIDIAGONAL, .range = 'A', .n = k, .a = d, .e = e, .w = d};

	if (vectors)
		p.z = z, p.ldz = *ldz;
	if (ok && solve_on_device(r, &p)) {
		next(jobz, n, d, e, z, ldz, work, &query, iwork, &query, info, 1);
		*info = 0;
		return;
	}
	next(stevd_arguments, 1);
}

static void SIZED(stevr)(enum routine r, SIZED(stevr_next) *next, stevr_parameters(INT, void))
{
	const INT query = -1;
	const int64_t k = *n;
	int vectors = is(jobz, 'V');
	int ok = job(jobz) && k > 1 && *lwork >= 20 * k && *liwork >= 10 * k && *ldz >= (vectors ? k : 1);
	struct vkevd_problem p = {.kind = VKEVD_TRIDIAGONAL, .n = k, .a = d, .e = e, .w = w};

	ok = ok && SIZED(part)(r, &p, range, vl, vu, il, iu);
	if (vectors)
		p.z = z, p.ldz = *ldz;
	if (ok && solve_on_device(r, &p)) {
		next(jobz, range, n, d, e, vl, vu, il, iu, abstol, m, w, z, ldz, isuppz, work, &query,
			iwork, &query, info, 1, 1);
		*m = p.found;
		if (vectors)
			SIZED(support)(isuppz, &p);
		*info = 0;
		return;
	}
	next(stevr_arguments, 1, 1);
}

static void SIZED(gesvd)(enum routine r, SIZED(gesvd_next) *next, gesvd_parameters(INT, void))
{
	const INT query = -1;
	const int64_t rows = *m, cols = *n, few = rows < cols ? rows : cols;
	struct vkevd_problem p = {.kind = VKEVD_SINGULAR, .range = 'A', .m = rows, .n = cols, .a = a, .lda = *lda, .w = s};
	int ok = few > 0 && *lda >= rows && *ldu >= 1 && *ldvt >= 1 &&
		!(is(jobu, 'O') && is(jobvt, 'O')) && singular_job(jobu) && singular_job(jobvt) &&
		*lwork >= gesvd_least(jobu, jobvt, rows, cols);

	if (is(jobu, 'A') || is(jobu, 'S'))
		left(&p, u, *ldu, is(jobu, 'A') ? rows : few);
	if (is(jobvt, 'A') || is(jobvt, 'S'))
		right(&p, vt, *ldvt, is(jobvt, 'A') ? cols : few);
	if (is(jobu, 'O'))
		left(&p, a, *lda, few);
	if (is(jobvt, 'O'))
		right(&p, a, *lda, few);
	if (ok && fit(&p) && solve_on_device(r, &p)) {
		next(jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, &query, info, 1, 1);
		*info = 0;
		return;
	}
	next(gesvd_arguments, 1, 1);
}

static void SIZED(gesdd)(enum routine r, SIZED(gesdd_next) *next, gesdd_parameters(INT, void))
{
	const INT query = -1;
	const int64_t rows = *m, cols = *n, few = rows < cols ? rows : cols;
	struct vkevd_problem p = {.kind = VKEVD_SINGULAR, .range = 'A', .m = rows, .n = cols, .a = a, .lda = *lda, .w = s};
	int ok = few > 0 && *lda >= rows && *ldu >= 1 && *ldvt >= 1 && singular_job(jobz) &&
		*lwork >= gesdd_least(jobz, rows, cols);

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
		next(jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, &query, iwork, info, 1);
		*info = 0;
		return;
	}
	next(gesdd_arguments, 1);
}
