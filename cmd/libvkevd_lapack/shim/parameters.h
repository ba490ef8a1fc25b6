/* parameters.h has the argument lists of LAPACK's routines, which are the same in both precisions.
 * INT is the integer type: int32_t, int64_t, or void for functions that only pass the pointers to
 * other functions. REAL is the type of the other numbers: double, float or void. A complex number
 * is two numbers of this type. Fortran compilers add the lengths of strings at the end of an
 * argument list. These lengths are left out, because callers in C do not pass them, and no routine
 * reads them.
 *
 * A routine for Hermitian matrices (he…) has the arguments of the routine for symmetric matrices
 * (sy…), and a real workspace after the complex one. One macro such as ev_parameters makes the
 * lists of both routines, and its last argument is the real workspace, or empty. */

#define ev_parameters(INT, REAL, ...)                                                             \
	const char *jobz, const char *uplo, const INT *n, REAL *a, const INT *lda, REAL *w,           \
		REAL *work, const INT *lwork, __VA_ARGS__ INT *info
#define ev_arguments(...) jobz, uplo, n, a, lda, w, work, lwork, __VA_ARGS__ info
#define syev_parameters(INT, REAL) ev_parameters(INT, REAL, )
#define syev_arguments ev_arguments()
#define heev_parameters(INT, REAL) ev_parameters(INT, REAL, REAL *rwork, )
#define heev_arguments ev_arguments(rwork, )

#define evd_parameters(INT, REAL, ...)                                                            \
	const char *jobz, const char *uplo, const INT *n, REAL *a, const INT *lda, REAL *w,           \
		REAL *work, const INT *lwork, __VA_ARGS__ INT *iwork, const INT *liwork, INT *info
#define evd_arguments(...)                                                                        \
	jobz, uplo, n, a, lda, w, work, lwork, __VA_ARGS__ iwork, liwork, info
#define syevd_parameters(INT, REAL) evd_parameters(INT, REAL, )
#define syevd_arguments evd_arguments()
#define heevd_parameters(INT, REAL)                                                               \
	evd_parameters(INT, REAL, REAL *rwork, const INT *lrwork, )
#define heevd_arguments evd_arguments(rwork, lrwork, )

#define evr_parameters(INT, REAL, ...)                                                            \
	const char *jobz, const char *range, const char *uplo, const INT *n, REAL *a,                 \
		const INT *lda, const REAL *vl, const REAL *vu, const INT *il, const INT *iu,             \
		const REAL *abstol, INT *m, REAL *w, REAL *z, const INT *ldz, INT *isuppz,                \
		REAL *work, const INT *lwork, __VA_ARGS__ INT *iwork, const INT *liwork, INT *info
#define evr_arguments(...)                                                                        \
	jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, isuppz, work, lwork,      \
		__VA_ARGS__ iwork, liwork, info
#define syevr_parameters(INT, REAL) evr_parameters(INT, REAL, )
#define syevr_arguments evr_arguments()
#define heevr_parameters(INT, REAL)                                                               \
	evr_parameters(INT, REAL, REAL *rwork, const INT *lrwork, )
#define heevr_arguments evr_arguments(rwork, lrwork, )

#define evx_parameters(INT, REAL, ...)                                                            \
	const char *jobz, const char *range, const char *uplo, const INT *n, REAL *a,                 \
		const INT *lda, const REAL *vl, const REAL *vu, const INT *il, const INT *iu,             \
		const REAL *abstol, INT *m, REAL *w, REAL *z, const INT *ldz, REAL *work,                 \
		const INT *lwork, __VA_ARGS__ INT *iwork, INT *ifail, INT *info
#define evx_arguments(...)                                                                        \
	jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, work, lwork,              \
		__VA_ARGS__ iwork, ifail, info
#define syevx_parameters(INT, REAL) evx_parameters(INT, REAL, )
#define syevx_arguments evx_arguments()
#define heevx_parameters(INT, REAL) evx_parameters(INT, REAL, REAL *rwork, )
#define heevx_arguments evx_arguments(rwork, )

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
