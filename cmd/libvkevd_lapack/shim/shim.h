/* shim.h declares the functions that several files of the shim use.
 *
 * 	routines.c    the exported functions, in all spellings
 * 	parameters.h  the argument lists of LAPACK's routines
 * 	drivers.h     check the arguments, and call the device or the next library; both integer types
 * 	symmetric.h   the part of drivers.h for symmetric and Hermitian matrices, and for pairs
 * 	singular.h    the part of drivers.h for singular values
 * 	parts.h       functions for some of the drivers
 * 	next.c        finds the routine of the next library
 * 	engine.c      starts the engine when it is first needed, and calls it
 * 	settings.c    environment variables, and the lines of VKEVD_VERBOSE
 * 	problem.h     the interface between the shim and the engine */
#ifndef VKEVD_SHIM_H
#define VKEVD_SHIM_H

#include <stddef.h>

#include "problem.h"

/* EACH_ROUTINE lists the intercepted routines. Each entry has the name in double precision and the
 * name in single precision, each also in capitals, and the list of arguments. */
#define EACH_ROUTINE(_)                                                                           \
	_(dsyev, DSYEV, ssyev, SSYEV, syev)                                                           \
	_(dsyevd, DSYEVD, ssyevd, SSYEVD, syevd)                                                      \
	_(dsyevr, DSYEVR, ssyevr, SSYEVR, syevr)                                                      \
	_(dsyevx, DSYEVX, ssyevx, SSYEVX, syevx)                                                      \
	_(dsyev_2stage, DSYEV_2STAGE, ssyev_2stage, SSYEV_2STAGE, syev)                               \
	_(dsyevd_2stage, DSYEVD_2STAGE, ssyevd_2stage, SSYEVD_2STAGE, syevd)                          \
	_(zheev, ZHEEV, cheev, CHEEV, heev)                                                           \
	_(zheevd, ZHEEVD, cheevd, CHEEVD, heevd)                                                      \
	_(zheevr, ZHEEVR, cheevr, CHEEVR, heevr)                                                      \
	_(zheevx, ZHEEVX, cheevx, CHEEVX, heevx)                                                      \
	_(zheev_2stage, ZHEEV_2STAGE, cheev_2stage, CHEEV_2STAGE, heev)                               \
	_(zheevd_2stage, ZHEEVD_2STAGE, cheevd_2stage, CHEEVD_2STAGE, heevd)                          \
	_(dsygv, DSYGV, ssygv, SSYGV, sygv)                                                           \
	_(dsygvd, DSYGVD, ssygvd, SSYGVD, sygvd)                                                      \
	_(dsygvx, DSYGVX, ssygvx, SSYGVX, sygvx)                                                      \
	_(dsygv_2stage, DSYGV_2STAGE, ssygv_2stage, SSYGV_2STAGE, sygv)                               \
	_(zhegv, ZHEGV, chegv, CHEGV, hegv)                                                           \
	_(zhegvd, ZHEGVD, chegvd, CHEGVD, hegvd)                                                      \
	_(zhegvx, ZHEGVX, chegvx, CHEGVX, hegvx)                                                      \
	_(zhegv_2stage, ZHEGV_2STAGE, chegv_2stage, CHEGV_2STAGE, hegv)                               \
	_(dstevd, DSTEVD, sstevd, SSTEVD, stevd)                                                      \
	_(dstevr, DSTEVR, sstevr, SSTEVR, stevr)                                                      \
	_(dgesvd, DGESVD, sgesvd, SGESVD, gesvd)                                                      \
	_(dgesdd, DGESDD, sgesdd, SGESDD, gesdd)                                                      \
	_(zgesvd, ZGESVD, cgesvd, CGESVD, complex_gesvd)                                              \
	_(zgesdd, ZGESDD, cgesdd, CGESDD, complex_gesdd)

#define NUMBERS(double_, DOUBLE, single, SINGLE, driver) DOUBLE, SINGLE,
enum routine { EACH_ROUTINE(NUMBERS) ROUTINES };
extern const char *const routine_names[ROUTINES]; /* "dsyev", "ssyev", … */
int is_single(enum routine r);
int is_complex(enum routine r);

/* A routine of the next library. `function` is null if there is none. `wide` is 1 if the routine's
 * integers have 64 bits. */
struct next {
	void *function;
	int wide;
};

/* find_next finds the routine that the program would call without the shim. wide is 1 if the
 * spelling of the called name stands for 64-bit integers. caller is the return address of the
 * call. */
struct next find_next(enum routine r, int wide, void *caller);

/* solve_on_device solves p on the device and returns 1. If the device cannot solve p,
 * solve_on_device returns 0 and changes no result. */
int solve_on_device(enum routine r, struct vkevd_problem *p);

/* variable returns the value of an environment variable of the drop-in. It returns NULL in a
 * program with raised rights, such as a set-user-ID program: the variable may come from a user who
 * has fewer rights than the program. */
const char *variable(const char *name);

/* crossover_setting returns the value of VKEVD_CROSSOVER, or one of these constants. */
enum { CROSSOVER_UNSET = -1, CROSSOVER_OFF = -2 };
int64_t crossover_setting(void);

/* say prints one line about a problem if VKEVD_VERBOSE is 1. */
void say(enum routine r, const struct vkevd_problem *p, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
