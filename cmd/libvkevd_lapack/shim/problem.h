/* problem.h declares the interface between the shim and the engine. */
#ifndef VKEVD_PROBLEM_H
#define VKEVD_PROBLEM_H

#include <stdint.h>

/* VKEVD_SYMMETRIC is for Hermitian matrices, too. VKEVD_PAIR is a generalized problem of two such
 * matrices. */
enum vkevd_kind { VKEVD_SYMMETRIC, VKEVD_TRIDIAGONAL, VKEVD_SINGULAR, VKEVD_PAIR, VKEVD_KINDS };

/* A problem for the device. Matrices are column-major. A result whose pointer is null is not
 * computed. */
struct vkevd_problem {
	int32_t kind;    /* a value of enum vkevd_kind */
	int32_t single;  /* A, e, w, z and vt are float, otherwise double */
	int32_t complex; /* entries of A, B, z and vt are two numbers each; symmetric, pair: A is Hermitian */
	int32_t upper;   /* symmetric, pair: 1 if upper triangles are stored, 0 if lower ones are */
	int32_t itype;   /* pair: 1: A·x = λ·B·x; 2: A·B·x = λ·x; 3: B·A·x = λ·x */
	int32_t range;   /* 'A': all values; 'I': values il to iu, from 1; 'V': values in (vl, vu] */
	int64_t m, n;    /* rows and columns of A; m is used for singular values only */
	const void *a;   /* A, or the diagonal of a tridiagonal matrix */
	int64_t lda;
	void *b;         /* pair: B, which the engine replaces by its factor, in the same triangle */
	int64_t ldb;
	const void *e;   /* the n−1 off-diagonal elements of a tridiagonal matrix */
	int64_t il, iu;
	double vl, vu;

	void *w;               /* eigenvalues, ascending, or singular values, descending */
	void *z;               /* eigenvectors, or left singular vectors: m or n rows */
	int64_t ldz, zcolumns; /* zcolumns is used for singular vectors only */
	void *vt;              /* right singular vectors, as rows of length n; complex: Vᴴ */
	int64_t ldvt, vtrows;
	int64_t found;         /* the engine sets it to the number of values */

	char failure[160]; /* if the engine fails: one line with the reason */
};

/* The device that the engine opened. */
struct vkevd_device {
	char name[160];
	int64_t crossover[VKEVD_KINDS][2]; /* smallest order for the device, without and with vectors */
	char never[VKEVD_KINDS][48]; /* why the device solves no order, as "is a CPU"; used for VKEVD_NEVER */
};

#define VKEVD_NEVER INT32_MAX /* as a crossover: larger than any order */

/* Functions of the engine. They return 0 for success. If vkevd_engine_solve fails, it writes only
 * the members `found` and `failure`, and no memory of the caller. */
typedef int vkevd_engine_open_t(struct vkevd_device *);
typedef int vkevd_engine_solve_t(struct vkevd_problem *);

#endif
