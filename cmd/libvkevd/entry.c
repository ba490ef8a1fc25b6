// The functions of vkevd.h. Each function that uses Go first checks that this process has loaded the
// library. A child process after fork() has none of the threads of Go's runtime, so a call into Go
// might wait forever. Then the function calls a function in Go, such as goOpen for vkevd_open.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "_cgo_export.h"

// A child is recognised in two ways. A program may make a child by a system call, without the
// handlers of pthread_atfork. A child may have the number of the process that loaded the library: in a
// PID namespace of its own, or if that process has ended and its number is used again.
static pid_t loaded_by;
static int is_child;

static void after_fork(void) { is_child = 1; }

__attribute__((constructor)) static void remember_process(void) {
	loaded_by = getpid();
	pthread_atfork(NULL, NULL, after_fork);
}

static int32_t forked(vkevd_error *error) {
	if (error != NULL) {
		memset(error, 0, sizeof *error);
		error->code = VKEVD_FORKED;
		error->row = error->column = -1;
		strcpy(error->text, "this process was forked after libvkevd was loaded, and cannot use it; "
		                    "load it in the child, or start the child with exec (in Python: spawn)");
	}
	return VKEVD_FORKED;
}

#define ENTER(error)                                                                               \
	if (is_child || getpid() != loaded_by)                                                         \
		return forked(error)

const char *vkevd_version(void) { return VKEVD_VERSION; }

const char *vkevd_code_text(int32_t code) {
	static const char *const texts[] = {
		"success", "bad argument", "the matrix holds a NaN or an infinity", "no usable device",
		"not supported by the device", "out of device memory", "the device failed", "cancelled",
		"closed", "more eigenvalues than allowed", "no convergence", "the result is not verified",
		"forked process", "defect of the library", "a value of the result overflows",
		"B is not positive definite",
	};
	if (code < 0 || code >= (int32_t)(sizeof texts / sizeof *texts))
		return "unknown code";
	return texts[code];
}

int32_t vkevd_devices(vkevd_device_info *list, int64_t capacity, int64_t *count, vkevd_error *error) {
	ENTER(error);
	return goDevices(list, capacity, count, error);
}

int32_t vkevd_open(const char *name, vkevd_device *device, vkevd_error *error) {
	ENTER(error);
	return goOpen((char *)name, device, error);
}

int32_t vkevd_describe(vkevd_device device, vkevd_device_info *info, vkevd_error *error) {
	ENTER(error);
	return goDescribe(device, info, error);
}

int32_t vkevd_close(vkevd_device device, vkevd_error *error) {
	ENTER(error);
	return goClose(device, error);
}

int32_t vkevd_token_new(vkevd_token *token, vkevd_error *error) {
	ENTER(error);
	return goTokenNew(token, error);
}

int32_t vkevd_cancel(vkevd_token token, vkevd_error *error) {
	ENTER(error);
	return goCancel(token, error);
}

int32_t vkevd_token_free(vkevd_token token, vkevd_error *error) {
	ENTER(error);
	return goTokenFree(token, error);
}

int32_t vkevd_plan_bytes(vkevd_plan plan, uint64_t *bytes, vkevd_error *error) {
	ENTER(error);
	return goPlanBytes(plan, bytes, error);
}

int32_t vkevd_plan_close(vkevd_plan plan, vkevd_error *error) {
	ENTER(error);
	return goPlanClose(plan, error);
}

int32_t vkevd_symmetric_plan(vkevd_device device, int64_t n, const vkevd_symmetric *options,
                             vkevd_plan *plan, vkevd_error *error) {
	ENTER(error);
	return goSymmetricPlan(device, n, (vkevd_symmetric *)options, plan, error);
}

int32_t vkevd_symmetric_solve(vkevd_plan plan, const double *a, int64_t lda, double *w, double *z,
                              int64_t ldz, vkevd_found *found, const vkevd_control *control,
                              vkevd_error *error) {
	ENTER(error);
	return goSymmetricSolve(plan, VKEVD_FLOAT64, (double *)a, lda, w, z, ldz, found, (vkevd_control *)control, error);
}

int32_t vkevd_symmetric_solve_float32(vkevd_plan plan, const float *a, int64_t lda, float *w, float *z,
                                      int64_t ldz, vkevd_found *found, const vkevd_control *control,
                                      vkevd_error *error) {
	ENTER(error);
	return goSymmetricSolve(plan, VKEVD_FLOAT32, (float *)a, lda, w, z, ldz, found, (vkevd_control *)control, error);
}

int32_t vkevd_symmetric_solve_complex128(vkevd_plan plan, const double *a, int64_t lda, double *w, double *z,
                                         int64_t ldz, vkevd_found *found, const vkevd_control *control,
                                         vkevd_error *error) {
	ENTER(error);
	return goSymmetricSolve(plan, VKEVD_COMPLEX128, (double *)a, lda, w, z, ldz, found, (vkevd_control *)control, error);
}

int32_t vkevd_symmetric_solve_complex64(vkevd_plan plan, const float *a, int64_t lda, float *w, float *z,
                                        int64_t ldz, vkevd_found *found, const vkevd_control *control,
                                        vkevd_error *error) {
	ENTER(error);
	return goSymmetricSolve(plan, VKEVD_COMPLEX64, (float *)a, lda, w, z, ldz, found, (vkevd_control *)control, error);
}

int32_t vkevd_pencil_plan(vkevd_device device, int64_t n, const vkevd_pencil *options, vkevd_plan *plan,
                          vkevd_error *error) {
	ENTER(error);
	return goPencilPlan(device, n, (vkevd_pencil *)options, plan, error);
}

// PENCIL has the functions for pairs with one type of numbers, whose names have the same ending.
#define PENCIL(number, real, ending)                                                               \
	int32_t vkevd_pencil_factor##ending(vkevd_plan plan, const real *b, int64_t ldb, double *condition, \
	                                    const vkevd_control *control, vkevd_error *error) {         \
		ENTER(error);                                                                              \
		return goPencilFactor(plan, number, (real *)b, ldb, condition, (vkevd_control *)control, error); \
	}                                                                                              \
	int32_t vkevd_pencil_solve##ending(vkevd_plan plan, const real *a, int64_t lda, const real *b,   \
	                                   int64_t ldb, real *w, real *z, int64_t ldz, vkevd_found *found, \
	                                   const vkevd_control *control, vkevd_error *error) {          \
		ENTER(error);                                                                              \
		return goPencilSolve(plan, number, (real *)a, lda, (real *)b, ldb, w, z, ldz, found,         \
		                     (vkevd_control *)control, error);                                      \
	}                                                                                              \
	int32_t vkevd_pencil_check##ending(vkevd_plan plan, const real *a, int64_t lda, const real *b,   \
	                                   int64_t ldb, const real *w, const real *z, int64_t ldz,       \
	                                   int64_t count, double *residual, double *orthogonality,      \
	                                   const vkevd_control *control, vkevd_error *error) {          \
		ENTER(error);                                                                              \
		return goPencilCheck(plan, number, (real *)a, lda, (real *)b, ldb, (real *)w, (real *)z, ldz, \
		                     count, residual, orthogonality, (vkevd_control *)control, error);      \
	}

PENCIL(VKEVD_FLOAT64, double, )
PENCIL(VKEVD_FLOAT32, float, _float32)
PENCIL(VKEVD_COMPLEX128, double, _complex128)
PENCIL(VKEVD_COMPLEX64, float, _complex64)

int32_t vkevd_tridiagonal_plan(vkevd_device device, int64_t n, const vkevd_symmetric *options, vkevd_plan *plan,
                               vkevd_error *error) {
	ENTER(error);
	return goTridiagonalPlan(device, n, (vkevd_symmetric *)options, plan, error);
}

int32_t vkevd_tridiagonal_solve(vkevd_plan plan, const double *d, const double *e, double *w, double *z, int64_t ldz,
                                vkevd_found *found, const vkevd_control *control, vkevd_error *error) {
	ENTER(error);
	return goTridiagonalSolve(plan, VKEVD_FLOAT64, (double *)d, (double *)e, w, z, ldz, found, (vkevd_control *)control, error);
}

int32_t vkevd_tridiagonal_solve_float32(vkevd_plan plan, const float *d, const float *e, float *w, float *z, int64_t ldz,
                                        vkevd_found *found, const vkevd_control *control, vkevd_error *error) {
	ENTER(error);
	return goTridiagonalSolve(plan, VKEVD_FLOAT32, (float *)d, (float *)e, w, z, ldz, found, (vkevd_control *)control, error);
}

int32_t vkevd_svd_plan(vkevd_device device, int64_t m, int64_t n, const vkevd_svd *options,
                       vkevd_plan *plan, vkevd_error *error) {
	ENTER(error);
	return goSvdPlan(device, m, n, (vkevd_svd *)options, plan, error);
}

// SVD has the function for singular values with one type of numbers, whose name has this ending.
#define SVD(number, real, ending)                                                                  \
	int32_t vkevd_svd_solve##ending(vkevd_plan plan, const real *a, int64_t lda, real *s, real *u,   \
	                                int64_t ldu, real *v, int64_t ldv, const vkevd_control *control, \
	                                vkevd_error *error) {                                           \
		ENTER(error);                                                                              \
		return goSvdSolve(plan, number, (real *)a, lda, s, u, ldu, v, ldv, (vkevd_control *)control, error); \
	}

SVD(VKEVD_FLOAT64, double, )
SVD(VKEVD_FLOAT32, float, _float32)
SVD(VKEVD_COMPLEX128, double, _complex128)
SVD(VKEVD_COMPLEX64, float, _complex64)

int32_t vkevd_batch_order(vkevd_device device, int64_t *order, vkevd_error *error) {
	ENTER(error);
	return goBatchOrder(device, order, error);
}

int32_t vkevd_batch_plan(vkevd_device device, int64_t n, int64_t count, const vkevd_batch *options,
                         vkevd_plan *plan, vkevd_error *error) {
	ENTER(error);
	return goBatchPlan(device, n, count, (vkevd_batch *)options, plan, error);
}

int32_t vkevd_batch_solve(vkevd_plan plan, int64_t count, const int64_t *n, const double *const *a,
                          double *const *w, double *const *z, int32_t *codes,
                          const vkevd_control *control, vkevd_error *error) {
	ENTER(error);
	return goBatchSolve(plan, VKEVD_FLOAT64, count, (int64_t *)n, (void *)a, (void *)w, (void *)z, codes,
	                    (vkevd_control *)control, error);
}

int32_t vkevd_batch_solve_complex128(vkevd_plan plan, int64_t count, const int64_t *n, const double *const *a,
                                     double *const *w, double *const *z, int32_t *codes,
                                     const vkevd_control *control, vkevd_error *error) {
	ENTER(error);
	return goBatchSolve(plan, VKEVD_COMPLEX128, count, (int64_t *)n, (void *)a, (void *)w, (void *)z, codes,
	                    (vkevd_control *)control, error);
}

int32_t vkevd_batch_solve_complex64(vkevd_plan plan, int64_t count, const int64_t *n, const float *const *a,
                                    float *const *w, float *const *z, int32_t *codes,
                                    const vkevd_control *control, vkevd_error *error) {
	ENTER(error);
	return goBatchSolve(plan, VKEVD_COMPLEX64, count, (int64_t *)n, (void *)a, (void *)w, (void *)z, codes,
	                    (vkevd_control *)control, error);
}

int32_t vkevd_batch_solve_float32(vkevd_plan plan, int64_t count, const int64_t *n, const float *const *a,
                                  float *const *w, float *const *z, int32_t *codes,
                                  const vkevd_control *control, vkevd_error *error) {
	ENTER(error);
	return goBatchSolve(plan, VKEVD_FLOAT32, count, (int64_t *)n, (void *)a, (void *)w, (void *)z, codes,
	                    (vkevd_control *)control, error);
}

static __thread uint64_t reporting;

int32_t vkevd_report(uint64_t call, vkevd_progress progress, void *user, const char *stage, double done,
                     double total) {
	uint64_t outer = reporting;
	reporting = call;
	int32_t answer = progress(user, stage, done, total);
	reporting = outer;
	return answer;
}

uint64_t vkevd_reporting(void) { return reporting; }

int32_t vkevd_has_memory(uint64_t bytes) {
	void *volatile memory = malloc(bytes); // volatile, or compilers leave the call out
	free(memory);
	return memory != NULL;
}
