/* drivers.h has one function for each list of arguments, for both precisions. It is included twice.
 * INT is the integer type, and SIZED(name) adds the size of INT to a name.
 *
 * Each function passes these calls to the next library: queries for the size of the workspace,
 * calls with an argument that LAPACK would refuse, problems without entries, and eigenvalues of
 * order 1, for which LAPACK returns early with other sizes and without some results. The next
 * library therefore handles queries, info < 0 and xerbla. After the device has solved a
 * problem, the function makes a query to the next library. The query writes the size of the
 * workspace to work[0], rwork[0] and iwork[0], as LAPACK does at the end of each call. */

#define HERMITIAN 0
#define PAIR 0
#include "symmetric.h"
#define HERMITIAN 1
#define PAIR 0
#include "symmetric.h"
#define HERMITIAN 0
#define PAIR 1
#include "symmetric.h"
#define HERMITIAN 1
#define PAIR 1
#include "symmetric.h"
#define COMPLEX 0
#include "singular.h"
#define COMPLEX 1
#include "singular.h"

typedef void SIZED(stevd_next)(stevd_parameters(INT, void), size_t);
typedef void SIZED(stevr_next)(stevr_parameters(INT, void), size_t, size_t);

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
		lwork = &query;
		next(stevd_arguments, 1);
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
		lwork = &query;
		next(stevr_arguments, 1, 1);
		*m = p.found;
		if (vectors)
			SIZED(support)(isuppz, &p);
		*info = 0;
		return;
	}
	next(stevr_arguments, 1, 1);
}
