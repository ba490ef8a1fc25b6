/* parameters.h has the argument lists of LAPACK's routines, which are the same in both precisions.
 * INT is the integer type: int32_t, int64_t, or void for functions that only pass the pointers to
 * other functions. REAL is the type of the other numbers: double, float or void. Fortran compilers
 * add the lengths of strings at the end of an argument list. These lengths are left out, because
 * callers in C do not pass them, and no routine reads them. */

#define syev_parameters(INT, REAL)                                                                \
	const char *jobz, const char *uplo, const INT *n, REAL *a, const INT *lda, REAL *w,           \
		REAL *work, const INT *lwork, INT *info
#define syev_arguments jobz, uplo, n, a, lda, w, work, lwork, info

#define syevd_parameters(INT, REAL)                                                               \
	const char *jobz, const char *uplo, const INT *n, REAL *a, const INT *lda, REAL *w,           \
		REAL *work, const INT *lwork, INT *iwork, const INT *liwork, INT *info
#define syevd_arguments jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info

#define syevr_parameters(INT, REAL)                                                               \
	const char *jobz, const char *range, const char *uplo, const INT *n, REAL *a,                 \
		const INT *lda, const REAL *vl, const REAL *vu, const INT *il, const INT *iu,             \
		const REAL *abstol, INT *m, REAL *w, REAL *z, const INT *ldz, INT *isuppz,                \
		REAL *work, const INT *lwork, INT *iwork, const INT *liwork, INT *info
#define syevr_arguments                                                                           \
	jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, isuppz, work, lwork,      \
		iwork, liwork, info

#define syevx_parameters(INT, REAL)                                                               \
	const char *jobz, const char *range, const char *uplo, const INT *n, REAL *a,                 \
		const INT *lda, const REAL *vl, const REAL *vu, const INT *il, const INT *iu,             \
		const REAL *abstol, INT *m, REAL *w, REAL *z, const INT *ldz, REAL *work,                 \
		const INT *lwork, INT *iwork, INT *ifail, INT *info
#define syevx_arguments                                                                           \
	jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, work, lwork, iwork,       \
		ifail, info

#define stevd_parameters(INT, REAL)                                                               \
	const char *jobz, const INT *n, REAL *d, REAL *e, REAL *z, const INT *ldz,                    \
		REAL *work, const INT *lwork, INT *iwork, const INT *liwork, INT *info
#define stevd_arguments jobz, n, d, e, z, ldz, work, lwork, iwork, liwork, info

#define stevr_parameters(INT, REAL)                                                               \
	const char *jobz, const char *range, const INT *n, REAL *d, REAL *e, const REAL *vl,          \
		const REAL *vu, const INT *il, const INT *iu, const REAL *abstol, INT *m, REAL *w,        \
		REAL *z, const INT *ldz, INT *isuppz, REAL *work, const INT *lwork, INT *iwork,           \
		const INT *liwork, INT *info
#define stevr_arguments                                                                           \
	jobz, range, n, d, e, vl, vu, il, iu, abstol, m, w, z, ldz, isuppz, work, lwork, iwork,       \
		liwork, info

#define gesvd_parameters(INT, REAL)                                                               \
	const char *jobu, const char *jobvt, const INT *m, const INT *n, REAL *a, const INT *lda,     \
		REAL *s, REAL *u, const INT *ldu, REAL *vt, const INT *ldvt, REAL *work,                  \
		const INT *lwork, INT *info
#define gesvd_arguments jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info

#define gesdd_parameters(INT, REAL)                                                               \
	const char *jobz, const INT *m, const INT *n, REAL *a, const INT *lda, REAL *s,               \
		REAL *u, const INT *ldu, REAL *vt, const INT *ldvt, REAL *work, const INT *lwork,         \
		INT *iwork, INT *info
#define gesdd_arguments jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info
