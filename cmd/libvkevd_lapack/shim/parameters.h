/* parameters.h has the argument lists of LAPACK's routines, which are the same in both precisions.
 * INT is the integer type: int32_t, int64_t, or void for functions that only pass the pointers to
 * other functions. REAL is the type of the other numbers: double, float or void. A complex number
 * is two numbers of this type. Fortran compilers add the lengths of strings at the end of an
 * argument list. These lengths are left out, because callers in C do not pass them, and no routine
 * reads them.
 *
 * A routine for Hermitian matrices (he…) has the arguments of the routine for symmetric matrices
 * (sy…), and a real workspace after the complex one. A routine for pairs (sygv, hegv) has the
 * arguments of the routine for one matrix, and itype, b and ldb. One macro such as ev_parameters
 * makes the lists of all four. Its first argument is `one` or `pair`, and its last argument is the
 * real workspace, or empty. zgesvd, cgesvd, zgesdd and cgesdd have the lists of complex_gesvd and
 * complex_gesdd, with a real workspace, too. */

#define one_type_parameter(INT)
#define one_type_argument
#define one_b_parameters(INT, REAL)
#define one_b_arguments
#define pair_type_parameter(INT) const INT *itype,
#define pair_type_argument itype,
#define pair_b_parameters(INT, REAL) REAL *b, const INT *ldb,
#define pair_b_arguments b, ldb,

#define ev_parameters(OF, INT, REAL, ...)                                                         \
	OF##_type_parameter(INT) const char *jobz, const char *uplo, const INT *n, REAL *a,           \
		const INT *lda, OF##_b_parameters(INT, REAL) REAL *w, REAL *work, const INT *lwork,       \
		__VA_ARGS__ INT *info
#define ev_arguments(OF, ...)                                                                     \
	OF##_type_argument jobz, uplo, n, a, lda, OF##_b_arguments w, work, lwork, __VA_ARGS__ info
#define syev_parameters(INT, REAL) ev_parameters(one, INT, REAL, )
#define syev_arguments ev_arguments(one, )
#define heev_parameters(INT, REAL) ev_parameters(one, INT, REAL, REAL *rwork, )
#define heev_arguments ev_arguments(one, rwork, )
#define sygv_parameters(INT, REAL) ev_parameters(pair, INT, REAL, )
#define sygv_arguments ev_arguments(pair, )
#define hegv_parameters(INT, REAL) ev_parameters(pair, INT, REAL, REAL *rwork, )
#define hegv_arguments ev_arguments(pair, rwork, )

#define evd_parameters(OF, INT, REAL, ...)                                                        \
	OF##_type_parameter(INT) const char *jobz, const char *uplo, const INT *n, REAL *a,           \
		const INT *lda, OF##_b_parameters(INT, REAL) REAL *w, REAL *work, const INT *lwork,       \
		__VA_ARGS__ INT *iwork, const INT *liwork, INT *info
#define evd_arguments(OF, ...)                                                                    \
	OF##_type_argument jobz, uplo, n, a, lda, OF##_b_arguments w, work, lwork,                    \
		__VA_ARGS__ iwork, liwork, info
#define syevd_parameters(INT, REAL) evd_parameters(one, INT, REAL, )
#define syevd_arguments evd_arguments(one, )
#define heevd_parameters(INT, REAL)                                                               \
	evd_parameters(one, INT, REAL, REAL *rwork, const INT *lrwork, )
#define heevd_arguments evd_arguments(one, rwork, lrwork, )
#define sygvd_parameters(INT, REAL) evd_parameters(pair, INT, REAL, )
#define sygvd_arguments evd_arguments(pair, )
#define hegvd_parameters(INT, REAL)                                                               \
	evd_parameters(pair, INT, REAL, REAL *rwork, const INT *lrwork, )
#define hegvd_arguments evd_arguments(pair, rwork, lrwork, )

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

#define evx_parameters(OF, INT, REAL, ...)                                                        \
	OF##_type_parameter(INT) const char *jobz, const char *range, const char *uplo,               \
		const INT *n, REAL *a, const INT *lda, OF##_b_parameters(INT, REAL)                       \
		const REAL *vl, const REAL *vu, const INT *il, const INT *iu, const REAL *abstol, INT *m, \
		REAL *w, REAL *z, const INT *ldz, REAL *work, const INT *lwork,                           \
		__VA_ARGS__ INT *iwork, INT *ifail, INT *info
#define evx_arguments(OF, ...)                                                                    \
	OF##_type_argument jobz, range, uplo, n, a, lda, OF##_b_arguments vl, vu, il, iu, abstol, m,  \
		w, z, ldz, work, lwork, __VA_ARGS__ iwork, ifail, info
#define syevx_parameters(INT, REAL) evx_parameters(one, INT, REAL, )
#define syevx_arguments evx_arguments(one, )
#define heevx_parameters(INT, REAL) evx_parameters(one, INT, REAL, REAL *rwork, )
#define heevx_arguments evx_arguments(one, rwork, )
#define sygvx_parameters(INT, REAL) evx_parameters(pair, INT, REAL, )
#define sygvx_arguments evx_arguments(pair, )
#define hegvx_parameters(INT, REAL) evx_parameters(pair, INT, REAL, REAL *rwork, )
#define hegvx_arguments evx_arguments(pair, rwork, )

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

#define svd_parameters(INT, REAL, ...)                                                            \
	const char *jobu, const char *jobvt, const INT *m, const INT *n, REAL *a, const INT *lda,     \
		REAL *s, REAL *u, const INT *ldu, REAL *vt, const INT *ldvt, REAL *work,                  \
		const INT *lwork, __VA_ARGS__ INT *info
#define svd_arguments(...)                                                                        \
	jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, __VA_ARGS__ info
#define gesvd_parameters(INT, REAL) svd_parameters(INT, REAL, )
#define gesvd_arguments svd_arguments()
#define complex_gesvd_parameters(INT, REAL) svd_parameters(INT, REAL, REAL *rwork, )
#define complex_gesvd_arguments svd_arguments(rwork, )

#define sdd_parameters(INT, REAL, ...)                                                            \
	const char *jobz, const INT *m, const INT *n, REAL *a, const INT *lda, REAL *s,               \
		REAL *u, const INT *ldu, REAL *vt, const INT *ldvt, REAL *work, const INT *lwork,         \
		__VA_ARGS__ INT *iwork, INT *info
#define sdd_arguments(...)                                                                        \
	jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, __VA_ARGS__ iwork, info
#define gesdd_parameters(INT, REAL) sdd_parameters(INT, REAL, )
#define gesdd_arguments sdd_arguments()
#define complex_gesdd_parameters(INT, REAL) sdd_parameters(INT, REAL, REAL *rwork, )
#define complex_gesdd_arguments sdd_arguments(rwork, )
