/*
 * vkevd.h: eigenvalues and singular values of dense matrices on a GPU, through Vulkan.
 *
 *     A = Z·diag(w)·Zᵀ     A symmetric, w ascending,  ZᵀZ = I        vkevd_symmetric_…
 *     A = Z·diag(w)·Zᴴ     A complex Hermitian, the same             vkevd_symmetric_…
 *     A·x = λ·B·x          pairs of such matrices, and two others    vkevd_pencil_…
 *     T = Z·diag(w)·Zᵀ     T symmetric tridiagonal                   vkevd_tridiagonal_…
 *     A = U·diag(s)·Vᵀ     A of any shape, s descending, s ≥ 0       vkevd_svd_…
 *     A = U·diag(s)·Vᴴ     A complex, of any shape, the same         vkevd_svd_…
 *     A(k) = Z(k)·diag(w(k))·Z(k)ᴴ  for many small matrices          vkevd_batch_…
 *
 * A solve needs a device and a plan. A program makes a plan once for a shape and a set of options:
 *
 *     vkevd_device device;  vkevd_plan plan;  vkevd_error error;
 *     vkevd_symmetric options = {0};
 *     options.vectors = 1;
 *     if (vkevd_open(NULL, &device, &error) ||
 *         vkevd_symmetric_plan(device, n, &options, &plan, &error) ||
 *         vkevd_symmetric_solve(plan, a, n, w, z, n, NULL, NULL, &error))
 *             fprintf(stderr, "%s\n", error.text);
 *     vkevd_plan_close(plan, NULL);
 *     vkevd_close(device, NULL);
 *
 * Compile with: cc program.c $(pkg-config --cflags --libs vkevd)
 *
 * Errors. Each function returns a code, VKEVD_OK (0) or one of the codes below. The argument error
 * may be NULL. If it is not NULL, the function writes the code and a text to *error, also after
 * success. The library has no global error state. If a call fails, the arrays for its results hold
 * undefined numbers, and the handles for its results are 0.
 *
 * VKEVD_OVERFLOW is an exception: the results are there. An eigenvalue or singular value is beyond
 * the largest double, or float, and is +Inf or −Inf. All other values and all vectors are right.
 * With the option verify such a result has not passed its certificate.
 *
 * Handles. Devices, plans and tokens are numbers. 0 is never a valid handle. If a handle is closed,
 * or belongs to another kind of object, the function returns VKEVD_BAD_ARGUMENT and does not crash.
 * The number of a closed handle is never used again.
 *
 * Memory. Matrices are arrays of double, or of float for plans with the option number =
 * VKEVD_FLOAT32. Entry (i, j), counted from 0, of a column-major matrix with leading dimension ld
 * is at [i + j·ld], ld ≥ rows. In a row-major matrix it is at [i·ld + j], ld ≥ columns. A complex
 * entry is two numbers, the real part and the imaginary part, as in C's double complex. Leading
 * dimensions count entries. The library reads and writes the caller's memory only during the call.
 * Arrays must not overlap, except where a function says so.
 *
 * Threads. All functions may be called from all threads at any time. A plan solves one matrix at a
 * time: threads that share a plan wait for each other. vkevd_plan_close and vkevd_close wait until
 * solves in progress have ended.
 *
 * Processes. A child process of fork() cannot use the library if the parent process has loaded it,
 * because the library's threads and the connection to the GPU exist only in the parent. In such a
 * child every function returns VKEVD_FORKED without waiting. The library works in a child that
 * calls exec, or that loads the library itself.
 *
 * The library prints nothing and does not end the process, unless a defect crashes it. It contains
 * the runtime of Go. When the library is loaded, this runtime starts threads and installs handlers
 * for SIGSEGV, SIGBUS, SIGFPE, SIGPIPE and SIGURG. If a signal does not come from Go code, these
 * handlers call the previous handlers. The library stays loaded after dlclose().
 *
 * Environment variables. They are read when the library is loaded. VKEVD_DEVICE names the device
 * that vkevd_open(NULL, …) opens. VKEVD_CACHE names the folder for compiled kernels. If VKEVD_CACHE
 * is not set, the folder is vkevd in the user's cache folder. If it is empty, kernels are not
 * stored. A program with raised rights, such as a set-user-ID program, obeys no variable and stores
 * no kernels.
 */
#ifndef VKEVD_H
#define VKEVD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. The version of the library is vkevd_version(). */
#define VKEVD_VERSION "0.1.0"

/* Codes that functions return. */
enum {
	VKEVD_OK = 0,
	VKEVD_BAD_ARGUMENT = 1,   /* an argument has no meaning, or does not fit the plan */
	VKEVD_NOT_FINITE = 2,     /* the matrix holds a NaN or an infinity: error.row, error.column */
	VKEVD_NO_DEVICE = 3,      /* no Vulkan loader, no driver, or no device that can be used */
	VKEVD_UNSUPPORTED = 4,    /* the device lacks a feature; the text names it */
	VKEVD_OUT_OF_MEMORY = 5,  /* too little device memory: error.need, error.free */
	VKEVD_DEVICE_FAILED = 6,  /* the driver or a kernel reported a failure, or the device is lost */
	VKEVD_CANCELLED = 7,      /* vkevd_cancel or the progress function cancelled the solve */
	VKEVD_CLOSED = 8,         /* the device was closed, or the plan was closed during the call */
	VKEVD_TOO_MANY = 9,       /* an interval holds more eigenvalues than at_most */
	VKEVD_NO_CONVERGENCE = 10,/* an iteration did not end */
	VKEVD_UNVERIFIED = 11,    /* options.verify: the result failed its certificate, twice */
	VKEVD_FORKED = 12,        /* this process is a child of the process that loaded the library */
	VKEVD_INTERNAL = 13,      /* a defect of the library; the text may help to report it */
	VKEVD_OVERFLOW = 14,      /* a value of the result is infinite: error.row. The result is there */
	VKEVD_NOT_POSITIVE = 15   /* a leading minor of B is not positive definite: error.row. With
	                             VKEVD_CANONICAL: B has negative eigenvalues, row is −1 */
};

/* The error of one call. */
typedef struct vkevd_error {
	int32_t code;          /* the code that the function returned */
	int32_t reserved;
	int64_t row, column;   /* VKEVD_NOT_FINITE: indices of the first such entry, from 0.
	                          VKEVD_OVERFLOW: row is the index of the first such value, from 0, among
	                          all values of the matrix. VKEVD_NOT_POSITIVE: row is the order of the
	                          minor, from 1 on. Otherwise -1 */
	uint64_t need, free;   /* VKEVD_OUT_OF_MEMORY: bytes that are needed, and free. Otherwise 0 */
	char text[472];        /* one line of UTF-8 that ends in a zero byte; "" after success */
} vkevd_error;

typedef uint64_t vkevd_device; /* an open device */
typedef uint64_t vkevd_plan;   /* kernels and device memory for solves of one shape */
typedef uint64_t vkevd_token;  /* a token lets another thread cancel solves */

/* vkevd_version returns the version of the library, such as "0.1.0". The text is constant. */
const char *vkevd_version(void);

/* vkevd_code_text returns a constant text for a code, such as "no usable device". */
const char *vkevd_code_text(int32_t code);

/* ---- Devices ------------------------------------------------------------------------------- */

/* A device of this machine. Texts end in a zero byte. */
typedef struct vkevd_device_info {
	int32_t index;            /* the number that vkevd_open accepts */
	int32_t usable;           /* 1 if the device can be used, otherwise 0 */
	uint64_t memory, free;    /* bytes of device memory, and the driver's estimate of the free part */
	char type[16];            /* discrete, integrated, virtual, cpu or other */
	char family[16];          /* nvidia, amd, intel, apple, cpu or other */
	char name[256];
	char driver[256];         /* name and version of the driver */
	char problem[256];        /* why the device cannot be used, or "" */
} vkevd_device_info;

/*
 * vkevd_devices lists the devices of this machine, including devices that cannot be used. It writes
 * the number of devices to *count, and min(capacity, *count) descriptions to list. list may be NULL
 * if capacity is 0. vkevd_devices does not open a device. Errors: VKEVD_NO_DEVICE if there is no
 * Vulkan loader.
 */
int32_t vkevd_devices(vkevd_device_info *list, int64_t capacity, int64_t *count, vkevd_error *error);

/*
 * vkevd_open opens a device. name is the index of the device as decimal text, or a part of its
 * name, its type or its driver. If name is NULL or "", vkevd_open opens the device that
 * VKEVD_DEVICE names, or the best device. Opening takes a fraction of a second. Errors:
 * VKEVD_NO_DEVICE, VKEVD_DEVICE_FAILED.
 * A device without double precision is the last choice. On such a device plans for symmetric
 * matrices, pairs and singular values with number = VKEVD_FLOAT32 or VKEVD_COMPLEX64 work. Other
 * plans return VKEVD_UNSUPPORTED.
 */
int32_t vkevd_open(const char *name, vkevd_device *device, vkevd_error *error);

/* vkevd_describe describes an open device. */
int32_t vkevd_describe(vkevd_device device, vkevd_device_info *info, vkevd_error *error);

/* vkevd_close waits until the solves in progress on the device have ended, and closes the device.
 * Plans of the device can no longer solve, but the caller must still close them. */
int32_t vkevd_close(vkevd_device device, vkevd_error *error);

/* ---- Control of a solve -------------------------------------------------------------------- */

/*
 * A progress function is called repeatedly during a solve. stage is the name of the current stage.
 * done and total are numbers of floating-point operations: those that are completed, and those of
 * the whole solve. The function is called in another thread than the solve, one call at a time, and
 * never after the solve has returned. stage is valid only during the call. If the function returns
 * a number other than 0, the solve is cancelled. The function must not solve with the plan or close
 * it, nor close its device. These calls return VKEVD_BAD_ARGUMENT if the thread that makes them
 * runs the progress function. Other threads would wait for the end of the solve.
 */
typedef int32_t (*vkevd_progress)(void *user, const char *stage, double done, double total);

/* Progress function and token of one solve. */
typedef struct vkevd_control {
	vkevd_progress progress; /* or NULL */
	void *user;              /* first argument of progress; the library does not use it */
	vkevd_token token;       /* or 0 */
} vkevd_control;

/* vkevd_token_new makes a token. Any number of solves may use the same token in their
 * vkevd_control. */
int32_t vkevd_token_new(vkevd_token *token, vkevd_error *error);

/* vkevd_cancel cancels all solves with this token: solves in progress, and solves that begin later.
 * These solves return VKEVD_CANCELLED, usually within 0.2 s. Device and plan can be used again. */
int32_t vkevd_cancel(vkevd_token token, vkevd_error *error);

/* vkevd_token_free frees the token. Solves with this token continue, and can no longer be cancelled
 * by it. */
int32_t vkevd_token_free(vkevd_token token, vkevd_error *error);

/* ---- Plans --------------------------------------------------------------------------------- */

/* Values of the option number: the type of the numbers in matrices. The mixed types are only for
 * symmetric matrices, see vkevd_symmetric_plan. The matrices of VKEVD_MIXED have double precision,
 * and those of VKEVD_MIXED_COMPLEX are of VKEVD_COMPLEX128. The complex types are not for
 * tridiagonal matrices. */
enum {
	VKEVD_FLOAT64 = 0,
	VKEVD_FLOAT32 = 1,
	VKEVD_MIXED = 2,
	VKEVD_COMPLEX128 = 3, /* two doubles */
	VKEVD_COMPLEX64 = 4,  /* two floats */
	VKEVD_MIXED_COMPLEX = 5
};

/* vkevd_plan_bytes returns the size of the device memory that the plan has allocated, in bytes. */
int32_t vkevd_plan_bytes(vkevd_plan plan, uint64_t *bytes, vkevd_error *error);

/* vkevd_plan_close waits until the solve in progress has ended, and frees the plan's device
 * memory. */
int32_t vkevd_plan_close(vkevd_plan plan, vkevd_error *error);

/* ---- Symmetric matrices -------------------------------------------------------------------- */

/* Values of vkevd_symmetric.select: the eigenvalues to compute. */
enum {
	VKEVD_ALL = 0,
	VKEVD_INDEX = 1,    /* λ[from] … λ[to-1], counted from 0 at the smallest */
	VKEVD_INTERVAL = 2  /* above < λ ≤ up_to; either end may be infinite */
};

/* Options of a plan for symmetric matrices. With {0} the plan computes all eigenvalues, reads the
 * lower triangle, and expects column-major matrices. */
typedef struct vkevd_symmetric {
	int32_t vectors;           /* 1: compute eigenvectors, too */
	int32_t upper;             /* the triangle of A that is read. 0: i ≥ j, 1: i ≤ j */
	int32_t a_row_major;       /* 1: A is row-major */
	int32_t vectors_row_major; /* 1: Z is row-major */
	int32_t select;            /* VKEVD_ALL, VKEVD_INDEX or VKEVD_INTERVAL */
	int32_t verify;            /* 1: certify each result, see VKEVD_UNVERIFIED */
	int32_t number;            /* VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_MIXED, VKEVD_COMPLEX128 … */
	int32_t reserved0;         /* 0 */
	int64_t from, to;          /* for VKEVD_INDEX: 0 ≤ from ≤ to ≤ n */
	double above, up_to;       /* for VKEVD_INTERVAL */
	int64_t at_most;           /* for VKEVD_INTERVAL: largest number of values; 0: n */
	int64_t reserved[6];       /* 0 */
} vkevd_symmetric;

/* The position of the result of a solve in the spectrum. */
typedef struct vkevd_found {
	int64_t first; /* index of w[0] among all eigenvalues, from 0 at the smallest */
	int64_t count; /* number of values, and of vectors */
} vkevd_found;

/*
 * vkevd_symmetric_plan makes a plan for symmetric matrices of order n ≥ 0. It compiles kernels,
 * which may take seconds the first time, and allocates device memory: about 26·n² bytes with all
 * vectors, 13·n² bytes with a few vectors, and 8·n² bytes without vectors. Complex matrices need
 * about twice as many. Errors: VKEVD_BAD_ARGUMENT, VKEVD_UNSUPPORTED, VKEVD_OUT_OF_MEMORY,
 * VKEVD_DEVICE_FAILED, VKEVD_CLOSED.
 *
 * With number = VKEVD_MIXED the plan solves in single precision first, and then refines the result
 * to double precision. If the refinement does not succeed, the plan solves in double precision.
 * Each result has a certificate that has passed, as with verify = 1. This is meant for devices
 * whose double precision is slow. It needs vectors = 1, select = VKEVD_ALL, and about 40·n² bytes
 * of device memory. The device must have double precision. VKEVD_MIXED_COMPLEX is the same for
 * complex Hermitian matrices, which vkevd_symmetric_solve_complex128 solves, with twice the memory.
 *
 * With number = VKEVD_COMPLEX128 or VKEVD_COMPLEX64 the plan is for complex Hermitian matrices:
 * A(i, j) is the conjugate of A(j, i). The imaginary parts of the diagonal are not read. The
 * storage order matters: a column-major Hermitian matrix that is read as a row-major one is the
 * conjugate matrix, which has the same eigenvalues, and the conjugate vectors.
 */
int32_t vkevd_symmetric_plan(vkevd_device device, int64_t n, const vkevd_symmetric *options,
                             vkevd_plan *plan, vkevd_error *error);

/*
 * vkevd_symmetric_solve computes
 *
 *     A = Z·diag(w)·Zᵀ,  w ascending,
 *
 * or the part of this decomposition that the plan selects. Let m be the number of selected values:
 * n for VKEVD_ALL, to − from for VKEVD_INDEX, and at_most (or n if at_most is 0) for
 * VKEVD_INTERVAL.
 *
 *     a      n×n, leading dimension lda. Only the triangle that the options name is read.
 *     w      array of m numbers.
 *     z      n×m, leading dimension ldz: column k is the vector of w[k]. NULL without vectors.
 *     found  position and number of the values, or NULL. Required for VKEVD_INTERVAL.
 *
 * z may be equal to a, with ldz = lda. The vectors then replace A, which saves a copy of A on the
 * host. The component of largest magnitude of each vector is positive. On one device the same A
 * gives the same bits in every run.
 *
 * control may be NULL. Errors: VKEVD_BAD_ARGUMENT, VKEVD_NOT_FINITE, VKEVD_CANCELLED,
 * VKEVD_TOO_MANY, VKEVD_CLOSED, VKEVD_UNVERIFIED, VKEVD_OUT_OF_MEMORY, VKEVD_DEVICE_FAILED,
 * VKEVD_OVERFLOW.
 */
int32_t vkevd_symmetric_solve(vkevd_plan plan, const double *a, int64_t lda, double *w, double *z,
                              int64_t ldz, vkevd_found *found, const vkevd_control *control,
                              vkevd_error *error);

/*
 * vkevd_symmetric_solve_float32 is vkevd_symmetric_solve for a plan with number = VKEVD_FLOAT32.
 * The reductions and the back transformations are computed in single precision, so the results have
 * the errors of single precision.
 */
int32_t vkevd_symmetric_solve_float32(vkevd_plan plan, const float *a, int64_t lda, float *w, float *z,
                                      int64_t ldz, vkevd_found *found, const vkevd_control *control,
                                      vkevd_error *error);

/*
 * vkevd_symmetric_solve_complex128 is vkevd_symmetric_solve for a plan with number =
 * VKEVD_COMPLEX128. It computes A = Z·diag(w)·Zᴴ. The entries of a and z are pairs of numbers, and
 * w has single numbers. The component of largest magnitude of each vector is real and positive.
 */
int32_t vkevd_symmetric_solve_complex128(vkevd_plan plan, const double *a, int64_t lda, double *w, double *z,
                                         int64_t ldz, vkevd_found *found, const vkevd_control *control,
                                         vkevd_error *error);

/*
 * vkevd_symmetric_solve_complex64 is vkevd_symmetric_solve_complex128 for a plan with number =
 * VKEVD_COMPLEX64. As with VKEVD_FLOAT32, the results have the errors of single precision.
 */
int32_t vkevd_symmetric_solve_complex64(vkevd_plan plan, const float *a, int64_t lda, float *w, float *z,
                                        int64_t ldz, vkevd_found *found, const vkevd_control *control,
                                        vkevd_error *error);

/* ---- Pairs of symmetric matrices ------------------------------------------------------------- */

/* Values of vkevd_pencil.type: the problem. B is positive definite. Each value is LAPACK's itype
 * minus 1. */
enum {
	VKEVD_AXLBX = 0, /* A·x = λ·B·x,  XᴴBX = I */
	VKEVD_ABXLX = 1, /* A·B·x = λ·x,  XᴴBX = I */
	VKEVD_BAXLX = 2  /* B·A·x = λ·x,  XᴴB⁻¹X = I */
};

/* Values of vkevd_pencil.overlap: how B is used. VKEVD_CANONICAL is for a B that is singular or nearly
 * so, and only for VKEVD_AXLBX. It scales the diagonal of B to ones, and drops the directions of the
 * eigenvalues of B that are at most `threshold` times the largest. The values are those in the space
 * that remains: vkevd_found.count of them, fewer than n. vkevd_found must not be NULL. */
enum {
	VKEVD_CHOLESKY = 0, /* B = L·Lᴴ */
	VKEVD_CANONICAL = 1
};

/* Options of a plan for pairs. With {0} the plan computes all eigenvalues of A·x = λ·B·x, reads lower
 * triangles, and expects column-major matrices. */
typedef struct vkevd_pencil {
	vkevd_symmetric symmetric; /* A, the vectors and the selected values. Not VKEVD_MIXED */
	int32_t type;              /* VKEVD_AXLBX, VKEVD_ABXLX or VKEVD_BAXLX */
	int32_t b_upper;           /* the triangle of B that is read. 0: i ≥ j, 1: i ≤ j */
	int32_t b_row_major;       /* 1: B is row-major */
	int32_t overlap;           /* VKEVD_CHOLESKY or VKEVD_CANONICAL */
	double threshold;          /* of VKEVD_CANONICAL, less than 1; 0: 1e-7; at least n·ε is used */
	int32_t refine;            /* 1: improve values and vectors, see vkevd_pencil_solve */
	int32_t reserved0;         /* 0 */
	int64_t reserved[4];       /* 0 */
} vkevd_pencil;

/*
 * vkevd_pencil_plan makes a plan for pairs of symmetric or Hermitian matrices of order n ≥ 0. It
 * allocates the device memory of a plan for symmetric matrices, and n² numbers for the factor of B.
 * With verify = 1 or refine = 1 it allocates n² further numbers for B, and more for the refinement.
 * Errors are those of vkevd_symmetric_plan.
 */
int32_t vkevd_pencil_plan(vkevd_device device, int64_t n, const vkevd_pencil *options, vkevd_plan *plan,
                          vkevd_error *error);

/*
 * vkevd_pencil_factor computes the factor L of B = L·Lᴴ, which stays on the device until the next
 * call of vkevd_pencil_factor, or of vkevd_pencil_solve with a b. After an error the plan has no
 * factor.
 *
 *     b          n×n, leading dimension ldb. Only the triangle that the options name is read.
 *     condition  an estimate of the condition number of B, or NULL. The eigenvalues of A·x = λ·B·x
 *                have errors of about n·ε·‖A‖·‖B⁻¹‖, so small ones lose digits if it is large. If it
 *                is larger than 1/(n·ε), small values have no correct digit. With VKEVD_CANONICAL it
 *                is that of what was kept of B.
 *
 * The function has the ending _float32, _complex128 or _complex64 if the plan has this type of
 * numbers. So have the next two functions. Errors: VKEVD_NOT_POSITIVE, and those of
 * vkevd_symmetric_solve. The text of an error in a matrix names it, A or B. With VKEVD_CANONICAL, C is
 * the matrix of the standard problem: if it is not finite, the device has computed wrong numbers.
 */
int32_t vkevd_pencil_factor(vkevd_plan plan, const double *b, int64_t ldb, double *condition,
                            const vkevd_control *control, vkevd_error *error);
int32_t vkevd_pencil_factor_float32(vkevd_plan plan, const float *b, int64_t ldb, double *condition,
                                    const vkevd_control *control, vkevd_error *error);
int32_t vkevd_pencil_factor_complex128(vkevd_plan plan, const double *b, int64_t ldb, double *condition,
                                       const vkevd_control *control, vkevd_error *error);
int32_t vkevd_pencil_factor_complex64(vkevd_plan plan, const float *b, int64_t ldb, double *condition,
                                      const vkevd_control *control, vkevd_error *error);

/*
 * vkevd_pencil_solve computes the eigenvalues and vectors of the pair of A and B, or those that the
 * plan selects. Except for b, the arguments are those of vkevd_symmetric_solve, and z may be equal
 * to a, with ldz = lda.
 *
 *     b  n×n, leading dimension ldb, or NULL for the B of the last vkevd_pencil_factor. Results are
 *        the same for both.
 *
 * The vectors are not orthogonal: their lengths and products are those that vkevd_pencil.type says.
 * With verify = 1 both numbers of vkevd_pencil_check are less than 10.
 *
 * With refine = 1 all values and vectors are corrected after the solve, by one or two steps of
 * Newton's method, each with about 14·n³ operations. The result of a step is kept only if it is
 * better. This is worth it if vkevd_pencil_check gives a residual above 1, which happens if B is
 * ill-conditioned: the residual then becomes about 0.01, and small values gain digits. It needs
 * vectors = 1, VKEVD_ALL, VKEVD_AXLBX and VKEVD_CHOLESKY. verify = 1 refines by itself where these
 * hold and the residual is too large.
 *
 * Errors are those of vkevd_pencil_factor, and VKEVD_BAD_ARGUMENT if b is NULL and the plan has no
 * factor.
 */
int32_t vkevd_pencil_solve(vkevd_plan plan, const double *a, int64_t lda, const double *b, int64_t ldb,
                           double *w, double *z, int64_t ldz, vkevd_found *found,
                           const vkevd_control *control, vkevd_error *error);
int32_t vkevd_pencil_solve_float32(vkevd_plan plan, const float *a, int64_t lda, const float *b, int64_t ldb,
                                   float *w, float *z, int64_t ldz, vkevd_found *found,
                                   const vkevd_control *control, vkevd_error *error);
int32_t vkevd_pencil_solve_complex128(vkevd_plan plan, const double *a, int64_t lda, const double *b, int64_t ldb,
                                      double *w, double *z, int64_t ldz, vkevd_found *found,
                                      const vkevd_control *control, vkevd_error *error);
int32_t vkevd_pencil_solve_complex64(vkevd_plan plan, const float *a, int64_t lda, const float *b, int64_t ldb,
                                     float *w, float *z, int64_t ldz, vkevd_found *found,
                                     const vkevd_control *control, vkevd_error *error);

/*
 * vkevd_pencil_check measures the errors of eigenvalues and vectors of the pair of A and B, on the
 * device. The plan must have vectors = 1.
 *
 *     w, z           values and vectors, as from vkevd_pencil_solve.
 *     count          number of values and of vectors.
 *     residual       the largest ‖A·x − λ·B·x‖ / ((‖A‖ + |λ|·‖B‖)·‖x‖·n·ε) of a pair of a value and a
 *                    vector, or what corresponds to it for the other types. It is not small if B is
 *                    ill-conditioned, and A is not of the form L·M·Lᴴ with elements of M of one size.
 *                    With VKEVD_CANONICAL it is measured in the space of what was kept of B, which
 *                    the plan must have, and A and B are scaled as there.
 *     orthogonality  the largest sum of |xᵢᴴ·B·x − δ| / (‖xᵢ‖·‖x‖·‖B‖·n·ε) over all vectors xᵢ. For
 *                    VKEVD_BAXLX it has B⁻¹, and the plan must have the factor of B. δ is 1 if xᵢ is
 *                    x, and otherwise 0.
 *
 * residual and orthogonality may be NULL. Errors are those of vkevd_symmetric_solve.
 */
int32_t vkevd_pencil_check(vkevd_plan plan, const double *a, int64_t lda, const double *b, int64_t ldb,
                           const double *w, const double *z, int64_t ldz, int64_t count,
                           double *residual, double *orthogonality, const vkevd_control *control,
                           vkevd_error *error);
int32_t vkevd_pencil_check_float32(vkevd_plan plan, const float *a, int64_t lda, const float *b, int64_t ldb,
                                   const float *w, const float *z, int64_t ldz, int64_t count,
                                   double *residual, double *orthogonality, const vkevd_control *control,
                                   vkevd_error *error);
int32_t vkevd_pencil_check_complex128(vkevd_plan plan, const double *a, int64_t lda, const double *b, int64_t ldb,
                                      const double *w, const double *z, int64_t ldz, int64_t count,
                                      double *residual, double *orthogonality, const vkevd_control *control,
                                      vkevd_error *error);
int32_t vkevd_pencil_check_complex64(vkevd_plan plan, const float *a, int64_t lda, const float *b, int64_t ldb,
                                     const float *w, const float *z, int64_t ldz, int64_t count,
                                     double *residual, double *orthogonality, const vkevd_control *control,
                                     vkevd_error *error);

/* ---- Symmetric tridiagonal matrices ---------------------------------------------------------- */

/*
 * vkevd_tridiagonal_plan makes a plan for real symmetric tridiagonal matrices of order n ≥ 0. Of the
 * options it uses number (VKEVD_FLOAT64 or VKEVD_FLOAT32), vectors, vectors_row_major, select and the
 * members that belong to select. All others must be 0. The device memory grows with n only, unless
 * vectors = 1. Errors are those of vkevd_symmetric_plan.
 */
int32_t vkevd_tridiagonal_plan(vkevd_device device, int64_t n, const vkevd_symmetric *options, vkevd_plan *plan,
                               vkevd_error *error);

/*
 * vkevd_tridiagonal_solve computes T = Z·diag(w)·Zᵀ, w ascending, or the part that the plan selects.
 *
 *     d  array of n numbers, the diagonal of T.
 *     e  array of n-1 numbers: e[i] is T(i+1, i).
 *
 * The other arguments and the errors are those of vkevd_symmetric_solve. The function with the ending
 * _float32 is for a plan with number = VKEVD_FLOAT32.
 */
int32_t vkevd_tridiagonal_solve(vkevd_plan plan, const double *d, const double *e, double *w, double *z, int64_t ldz,
                                vkevd_found *found, const vkevd_control *control, vkevd_error *error);
int32_t vkevd_tridiagonal_solve_float32(vkevd_plan plan, const float *d, const float *e, float *w, float *z, int64_t ldz,
                                        vkevd_found *found, const vkevd_control *control, vkevd_error *error);

/* ---- Singular values ----------------------------------------------------------------------- */

/* Values of vkevd_svd.u and vkevd_svd.v: the vectors of one side to compute. */
enum {
	VKEVD_NONE = 0,
	VKEVD_THIN = 1, /* one vector for each selected singular value */
	VKEVD_FULL = 2  /* a square orthogonal (or unitary) matrix; vectors without a value come last */
};

/* Options of a plan for singular values. With {0} the plan computes all singular values and no
 * vectors, and expects column-major matrices. */
typedef struct vkevd_svd {
	int32_t u, v;              /* VKEVD_NONE, VKEVD_THIN or VKEVD_FULL */
	int32_t a_row_major;       /* 1: A is row-major */
	int32_t vectors_row_major; /* 1: U and V are row-major */
	int32_t number;            /* VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_COMPLEX128, VKEVD_COMPLEX64 */
	int32_t verify;            /* 1: certify each result, see VKEVD_UNVERIFIED */
	int64_t largest;           /* number of largest singular values; 0: all. Not with VKEVD_FULL */
	int64_t reserved[6];       /* 0 */
} vkevd_svd;

/*
 * vkevd_svd_plan makes a plan for m×n matrices, m ≥ 0, n ≥ 0. It allocates device memory: 9 to 17
 * bytes for each entry of A without vectors, about 38·n² bytes with all vectors of a large n×n
 * matrix. Complex matrices need about twice as many. Errors are those of vkevd_symmetric_plan.
 */
int32_t vkevd_svd_plan(vkevd_device device, int64_t m, int64_t n, const vkevd_svd *options,
                       vkevd_plan *plan, vkevd_error *error);

/*
 * vkevd_svd_solve computes
 *
 *     A = U·diag(s)·Vᵀ,  s descending, s ≥ 0,
 *
 * or the part of this decomposition that the plan selects. Let k be the option largest, or min(m,
 * n) if largest is 0.
 *
 *     a  m×n, leading dimension lda.
 *     s  array of k numbers.
 *     u  m×k (thin) or m×m (full), leading dimension ldu. NULL with VKEVD_NONE.
 *     v  n×k (thin) or n×n (full), leading dimension ldv. NULL with VKEVD_NONE.
 *
 * Column j of u, and of v, belongs to s[j].
 *
 * v receives V and not Vᵀ. A column-major V is a row-major Vᵀ in the same memory. In each column of
 * V the component of largest magnitude is positive. If V is not computed, this holds for the
 * columns of U.
 *
 * control may be NULL. Errors are those of vkevd_symmetric_solve, and VKEVD_NO_CONVERGENCE.
 */
int32_t vkevd_svd_solve(vkevd_plan plan, const double *a, int64_t lda, double *s, double *u, int64_t ldu,
                        double *v, int64_t ldv, const vkevd_control *control, vkevd_error *error);

/*
 * vkevd_svd_solve_float32 is vkevd_svd_solve for a plan with number = VKEVD_FLOAT32. The reductions
 * and the back transformations are computed in single precision, so the results have the errors of
 * single precision.
 */
int32_t vkevd_svd_solve_float32(vkevd_plan plan, const float *a, int64_t lda, float *s, float *u,
                                int64_t ldu, float *v, int64_t ldv, const vkevd_control *control,
                                vkevd_error *error);

/*
 * vkevd_svd_solve_complex128 is vkevd_svd_solve for a plan with number = VKEVD_COMPLEX128. It
 * computes A = U·diag(s)·Vᴴ. The entries of a, u and v are pairs of numbers, and s has single
 * numbers. v receives V. A column-major V is a row-major Vᵀ, whose conjugate is Vᴴ. In each column
 * of V, or of U without V, the component of largest magnitude is real and positive.
 */
int32_t vkevd_svd_solve_complex128(vkevd_plan plan, const double *a, int64_t lda, double *s, double *u,
                                   int64_t ldu, double *v, int64_t ldv, const vkevd_control *control,
                                   vkevd_error *error);

/*
 * vkevd_svd_solve_complex64 is vkevd_svd_solve_complex128 for a plan with number = VKEVD_COMPLEX64.
 * As with VKEVD_FLOAT32, the results have the errors of single precision.
 */
int32_t vkevd_svd_solve_complex64(vkevd_plan plan, const float *a, int64_t lda, float *s, float *u,
                                  int64_t ldu, float *v, int64_t ldv, const vkevd_control *control,
                                  vkevd_error *error);

/* ---- Many small symmetric or Hermitian matrices -------------------------------------------- */

/* Options of a plan for many small matrices. */
typedef struct vkevd_batch {
	int32_t vectors;     /* 1: eigenvectors, too */
	int32_t upper;       /* the triangle that is read. 0: i ≥ j, 1: i ≤ j */
	int32_t a_row_major; /* 1: the matrices are row-major */
	int32_t number;      /* VKEVD_FLOAT64, VKEVD_FLOAT32, VKEVD_COMPLEX128 or VKEVD_COMPLEX64 */
	int64_t reserved[6]; /* 0 */
} vkevd_batch;

/* vkevd_batch_order returns the largest order of a matrix in a batch on this device: some
 * hundreds. With number = VKEVD_COMPLEX128 it is smaller on devices with less than 32 KiB of shared
 * memory. */
int32_t vkevd_batch_order(vkevd_device device, int64_t *order, vkevd_error *error);

/*
 * vkevd_batch_plan makes a plan for matrices of order n or less. count ≥ 1 is the number of
 * matrices that are on the device at the same time. The device memory of the plan is at most
 * count·(28·n² + 300·n + 68) bytes, for complex numbers count·(48·n² + 300·n + 68) bytes. Errors
 * are those of vkevd_symmetric_plan.
 */
int32_t vkevd_batch_plan(vkevd_device device, int64_t n, int64_t count, const vkevd_batch *options,
                         vkevd_plan *plan, vkevd_error *error);

/*
 * vkevd_batch_solve computes A(k) = Z(k)·diag(w(k))·Z(k)ᵀ for k = 0 … count-1, count ≥ 0:
 *
 *     n      orders of the matrices, at most the order of the plan. NULL: all have the plan's order.
 *     a      addresses of the matrices, n[k]×n[k], leading dimension n[k].
 *     w      addresses of arrays for n[k] values each, ascending.
 *     z      addresses of arrays for n[k]×n[k] numbers each, column-major. NULL without vectors.
 *     codes  array of count codes: VKEVD_OK, or VKEVD_NOT_FINITE or VKEVD_NO_CONVERGENCE for a
 *            matrix whose results are NaN, or VKEVD_OVERFLOW for a matrix with an infinite value.
 *            NULL: the function returns the first such code.
 *
 * If one matrix fails, all other matrices are still solved. control may be NULL. Errors are those
 * of vkevd_symmetric_solve.
 */
int32_t vkevd_batch_solve(vkevd_plan plan, int64_t count, const int64_t *n, const double *const *a,
                          double *const *w, double *const *z, int32_t *codes,
                          const vkevd_control *control, vkevd_error *error);

/*
 * vkevd_batch_solve_float32 is vkevd_batch_solve for a plan with number = VKEVD_FLOAT32. Everything
 * is computed in single precision, also on devices without double precision. An eigenvalue beyond
 * the largest float is VKEVD_OVERFLOW.
 */
int32_t vkevd_batch_solve_float32(vkevd_plan plan, int64_t count, const int64_t *n, const float *const *a,
                                  float *const *w, float *const *z, int32_t *codes,
                                  const vkevd_control *control, vkevd_error *error);

/*
 * vkevd_batch_solve_complex128 is vkevd_batch_solve for a plan with number = VKEVD_COMPLEX128, for
 * complex Hermitian matrices A(k) = Z(k)·diag(w(k))·Z(k)ᴴ. vkevd_batch_solve_complex64 is the same
 * for VKEVD_COMPLEX64, in single precision.
 */
int32_t vkevd_batch_solve_complex128(vkevd_plan plan, int64_t count, const int64_t *n, const double *const *a,
                                     double *const *w, double *const *z, int32_t *codes,
                                     const vkevd_control *control, vkevd_error *error);
int32_t vkevd_batch_solve_complex64(vkevd_plan plan, int64_t count, const int64_t *n, const float *const *a,
                                    float *const *w, float *const *z, int32_t *codes,
                                    const vkevd_control *control, vkevd_error *error);

#ifdef __cplusplus
}
#endif

#endif
