/* program CASE tests the shim with the fake LAPACK and the fake engine. Each case runs in its own
 * process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../shim/parameters.h"
#include "../shim/shim.h"
#include "calls.h"

static int engine_is_loaded(void) { return dlsym(RTLD_DEFAULT, "vkevd_engine_open") != NULL || fake.solves > 0; }

/* DSYEVD_THEN calls dsyevd, and checks that the condition holds afterwards. */
#define DSYEVD_THEN(condition)                                                                    \
	do {                                                                                          \
		call("%s_", DSYEVD);                                                                      \
		CHECK(condition);                                                                         \
	} while (0)

/* Each spelling of each routine calls the device. If the device fails, the shim calls the next
 * library's routine with the right type of integers. */
static void every_spelling(void)
{
	char next[64];
	for (int r = 0; r < ROUTINES; r++)
		for (unsigned i = 0; i < sizeof spellings / sizeof *spellings; i++) {
			void *values = r == DSTEVD || r == SSTEVD ? d : w;
			int solves = fake.solves, calls = fake.calls;
			jobz = strstr(routines[r].name, "2stage") ? "N" : is_gesdd(r) ? "s" : "v";
			memset(w, 0, sizeof w), memset(d, 0, 8 * N), memset(work, 0, 8);
			call(spellings[i], r);
			CHECK(fake.solves == solves + 1 && fake.calls == calls && outcome == 0);
			CHECK(fake.single == is_s(r) && fake.complex == is_z(r) && number(r, work, 0) == QUERIED && number(r, values, 2) == 3);
			fake.fails = 1;
			call(spellings[i], r);
			fake.fails = 0;
			snprintf(next, sizeof next, strstr(spellings[i], "64") ? "%s_64_" : "%s_", routines[r].name);
			CHECK(fake.calls == calls + 1 && outcome == 77 && strcmp(fake.last, next) == 0);
		}
}

static void small_stays(void)
{
	order = 300;
	for (int i = 0; i < 100000; i++)
		call("%s_", i % ROUTINES);
	CHECK(fake.calls == 100000 && !engine_is_loaded());
	order = N; /* now the engine starts, and its own crossovers count */
	DSYEVD_THEN(fake.calls == 100000 && fake.solves == 1);
	order = 40;
	DSYEVD_THEN(fake.calls == 100000 && fake.solves == 2);
	order = 39;
	DSYEVD_THEN(fake.calls == 100001 && fake.solves == 2);
}

/* Calls with arguments that LAPACK refuses, and queries, go to the next library. */
static void refused(void)
{
	int calls = 0;
#define REFUSED(r, variable, value)                                                               \
	do {                                                                                          \
		__typeof__(variable) kept = variable;                                                     \
		variable = value;                                                                         \
		call("%s_", r), call("%s_64_", r);                                                        \
		calls += 2;                                                                               \
		CHECK(fake.calls == calls && outcome == 77 && fake.solves == 0);                          \
		variable = kept;                                                                          \
	} while (0)
	for (int r = 0; r < ROUTINES; r++) {
		int base = is_s(r) ? r - 1 : r; /* the routine in double precision */
		int two_stages = strstr(routines[r].name, "2stage") != NULL;
		int symmetric = base <= ZHEGV_2STAGE, tridiagonal = base == DSTEVD || base == DSTEVR;
		int part = is_evr(base) || is_evx(base) || base == DSTEVR;
		jobz = two_stages ? "N" : is_gesdd(base) ? "A" : "V";
		if (!is_gesvd(base))
			REFUSED(r, jobz, "X");
		REFUSED(r, order, 0);
		REFUSED(r, order, -1);
		REFUSED(r, size, 1);
		if (base == ZHEEVD || base == ZHEEVD_2STAGE || base == ZHEEVR || base == ZHEGVD)
			REFUSED(r, rsize, 1);
		call("%s_", r); /* as it is, the device takes it */
		CHECK(fake.solves == 1 && outcome == 0);
		fake.solves = 0;
		if (symmetric)
			REFUSED(r, uplo, "X");
		if (is_pair(r)) {
			REFUSED(r, type, 0);
			REFUSED(r, type, 4);
			REFUSED(r, ld_b, N - 1);
		}
		if (two_stages) {
			REFUSED(r, size, QUERIED - 1);
			REFUSED(r, jobz, "V"); /* there are no vectors */
		}
		if (!tridiagonal)
			REFUSED(r, ld, N - 1);
		if (part) {
			REFUSED(r, range, "X");
			range = "I";
			REFUSED(r, first, 0);
			REFUSED(r, first, 4);
			REFUSED(r, last, N + 1);
			range = "V";
			REFUSED(r, bound[0], 1.0);
			REFUSED(r, bound[0], 0.0 / 0.0);
			range = "A";
		}
		if (is_gesvd(base)) {
			REFUSED(r, jobu, "X");
			REFUSED(r, jobvt, "X");
			jobu = "O";
			REFUSED(r, jobvt, "O");
			jobu = "A";
		}
		int64_t kept = size;
		size = -1, memset(work, 0, 8);
		call("%s_", r);
		CHECK(number(r, work, 0) == (strstr(routines[r].name, "gvd") ? QUERIED / 2 : QUERIED) && outcome == 0 && fake.calls == calls && fake.solves == 0);
		size = kept;
	}
}

static void parts(void)
{
	static const int with_parts[] = {
		DSYEVR, SSYEVR, DSYEVX, SSYEVX, ZHEEVR, CHEEVR, ZHEEVX, CHEEVX, DSTEVR, SSTEVR,
		DSYGVX, SSYGVX, ZHEGVX, CHEGVX,
	};
	for (unsigned i = 0; i < sizeof with_parts / sizeof *with_parts; i++)
		for (int wide = 0; wide < 2; wide++) {
			range = "I", first = 5, last = 9, result = -1;
			call(wide ? "%s_64_" : "%s_", with_parts[i]);
			CHECK(outcome == 0 && (wide ? result == 5 : (int32_t)result == 5));
			range = "V";
			call(wide ? "%s_64_" : "%s_", with_parts[i]);
			CHECK(outcome == 0 && fake.vl == 0 && fake.vu == 1);
			bound[1] = N; /* all values, but LAPACK sets isuppz only for range A, and for I with all indices */
			memset(ints, -1, sizeof ints);
			call(wide ? "%s_64_" : "%s_", with_parts[i]);
			CHECK(outcome == 0 && (int32_t)result == N);
			CHECK(ints[2] == -1 || is_evx(with_parts[i]));
			bound[1] = 1;
			range = i % 2 ? "A" : "I", first = 1, last = N;
			memset(ints, -1, sizeof ints);
			call(wide ? "%s_64_" : "%s_", with_parts[i]);
			if (is_evx(with_parts[i])) /* ifail */
				CHECK(wide ? ints[N - 1] == 0 : ((int32_t *)ints)[N - 1] == 0);
			else /* isuppz */
				CHECK(wide ? ints[2] == 1 && ints[3] == N : ((int32_t *)ints)[2] == 1 && ((int32_t *)ints)[3] == N);
		}
}

/* The shim translates LAPACK's options for the device: which triangle is stored, and the memory for
 * vectors. */
static void options(void)
{
	int64_t rows = N, cols = N / 2, ldvt = N / 2;
	int info = -1, n = cols, m = rows, ld_vt = ldvt, lwork = size;
	void (*dgesvd)(gesvd_parameters(int32_t, void)) = (void (*)(gesvd_parameters(int32_t, void)))symbol("%s_", DGESVD);
	void (*dgesdd)(gesdd_parameters(int32_t, void)) = (void (*)(gesdd_parameters(int32_t, void)))symbol("%s_", DGESDD);

	uplo = "u";
	DSYEVD_THEN(outcome == 0 && fake.upper && fake.z == a);
	uplo = "L";
	call("%s_", DSYEVR);
	CHECK(outcome == 0 && !fake.upper && fake.z == z);
	uplo = "u";
	call("%s_", ZHEEVD);
	CHECK(outcome == 0 && fake.upper && fake.z == a);
	uplo = "L";
	call("%s_", ZHEEVR);
	CHECK(outcome == 0 && !fake.upper && fake.z == z);
	for (type = 1; type <= 3; type++)
		for (int r = DSYGV; r <= CHEGV_2STAGE; r++) {
			uplo = r % 4 < 2 ? "u" : "L", ld_b = N + type;
			jobz = strstr(routines[r].name, "2stage") ? "N" : "V";
			call("%s_", r);
			CHECK(outcome == 0 && fake.itype == type && fake.b == b && fake.ldb == ld_b && fake.upper == (r % 4 < 2));
			CHECK(fake.z == (*jobz == 'N' ? NULL : is_evx(r) ? z : a));
		}
	jobz = "V";
	DSYEVD_THEN(outcome == 0 && fake.itype == 0 && fake.b == NULL);
#define SVD(ju, jv) dgesvd(ju, jv, &m, &n, a, &m, w, u, &m, vt, &ld_vt, work, &lwork, &info)
#define SDD(j) dgesdd(j, &m, &n, a, &m, w, u, &m, vt, &ld_vt, work, &lwork, (int32_t *)ints, &info)
	SVD("A", "N");
	CHECK(info == 0 && fake.z == u && fake.columns == rows && fake.vt == NULL && fake.rows == 0);
	SVD("O", "S");
	CHECK(info == 0 && fake.z == a && fake.columns == cols && fake.vt == vt && fake.rows == cols);
	SVD("S", "O");
	CHECK(info == 0 && fake.z == u && fake.columns == cols && fake.vt == a && fake.rows == cols);
	SDD("N");
	CHECK(info == 0 && fake.z == NULL && fake.vt == NULL);
	SDD("O"); /* m ≥ n: U takes the place of A */
	CHECK(info == 0 && fake.z == a && fake.columns == cols && fake.vt == vt && fake.rows == cols);
	int solves = fake.solves;
	ld_vt--;
	SDD("S");
	CHECK(info == 77 && fake.solves == solves);
	m = cols, ld_vt++;
	SDD("O"); /* and m = n */
	CHECK(info == 0 && fake.z == a && fake.columns == cols && fake.vt == vt && fake.rows == cols);
	n = rows;
	SDD("O"); /* m < n: Vᵀ does */
	CHECK(info == 0 && fake.z == u && fake.columns == cols && fake.vt == a && fake.rows == cols);
	ld_vt = n;
	SVD("N", "S"); /* the thin Vᵀ has fewer rows than the whole one */
	CHECK(info == 0 && fake.z == NULL && fake.vt == vt && fake.rows == cols);
	SVD("N", "A");
	CHECK(info == 0 && fake.z == NULL && fake.vt == vt && fake.rows == rows);
}

/* The device takes a complex problem with the smallest workspace that LAPACK accepts, and LAPACK gets
 * one with a smaller workspace. */
static void complex_workspaces(void)
{
	static const struct {
		char jobs[3]; /* two letters for zgesvd */
		int cols, least;
	} cases[] = {
		{"N", 1050, 3150}, {"S", 1050, 1050 * 1050 + 3150}, {"O", 1050, 2 * 1050 * 1050 + 3150},
		{"A", 1050, 1050 * 1050 + 3150}, {"N", 1130, 4360}, {"N", 1260, 4620}, {"S", 1260, 4620}, {"A", 1260, 4620},
		{"O", 1260, 4620 + 1260 * 1260}, {"NA", 1050, 3150}, {"SA", 1050, 4200}, {"NN", 1400, 4900}, {"AA", N, 3 * N},
	};
	void (*zgesvd)(complex_gesvd_parameters(int32_t, void)) = (void (*)(complex_gesvd_parameters(int32_t, void)))symbol("%s_", ZGESVD);
	void (*zgesdd)(complex_gesdd_parameters(int32_t, void)) = (void (*)(complex_gesdd_parameters(int32_t, void)))symbol("%s_", ZGESDD);

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int wide = 0; wide < 2; wide++)
			for (int less = 0; less < 2; less++) {
				int info = -1, solves = fake.solves, lwork = cases[i].least - less, most = N, few = cases[i].cols;
				int *m = wide ? &few : &most, *n = wide ? &most : &few;
				const char *jobs = cases[i].jobs;
				if (jobs[1])
					zgesvd(wide ? jobs + 1 : jobs, wide ? jobs : jobs + 1, m, n, a, m, w, u, m, vt, n, work, &lwork, rwork, &info);
				else
					zgesdd(jobs, m, n, a, m, w, u, m, vt, n, work, &lwork, rwork, (int32_t *)ints, &info);
				CHECK(fake.solves == solves + 1 - less && info == (less ? 77 : 0) && (less || fake.complex));
			}
}

static void ours(int s) { (void)s; }

static void install_ours(void) { signal(SIGUSR2, ours); }

static void signals(void)
{
	struct sigaction before[NSIG], after, set = {.sa_handler = ours};
	sigset_t mask, mask_after;

	sigaction(SIGUSR1, &set, NULL);
	sigaction(SIGSEGV, &set, NULL);
	for (int i = 1; i < NSIG; i++)
		sigaction(i, NULL, &before[i]);
	before[SIGUSR2].sa_handler = ours; /* installed while the engine starts */
	fake.meanwhile = install_ours;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	feenableexcept(FE_DIVBYZERO | FE_INVALID);
	DSYEVD_THEN(fake.solves == 1 && fake.trap == 0 && !fake.unblocked);
	CHECK(fegetexcept() == (FE_DIVBYZERO | FE_INVALID));
	pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
	CHECK(memcmp(&mask, &mask_after, sizeof mask) == 0);
	for (int i = 1; i < NSIG; i++)
		CHECK(sigaction(i, NULL, &after) != 0 || after.sa_handler == before[i].sa_handler);
}

/* in_child calls dsyevd in a child process. It returns the number of solves of the engine in the
 * child, plus 10 if the next library did not solve the problem. */
static int in_child(void)
{
	int status;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		sigset_t none;
		sigemptyset(&none);
		pthread_sigmask(SIG_SETMASK, &none, NULL);
		alarm(30); /* ends a child that waits for ever */
		fake.solves = 0;
		call("%s_", DSYEVD);
		_exit(fake.solves + (outcome == 77 ? 0 : 10));
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void fork_meanwhile(void) { CHECK(in_child() == 0); }

static void forks(void)
{
	CHECK(in_child() == 11); /* a device of its own */
	fake.meanwhile = fork_meanwhile;
	DSYEVD_THEN(fake.solves == 1);
	CHECK(in_child() == 0); /* the next library */
	DSYEVD_THEN(fake.solves == 2);
}

static void *one_thread(void *unused)
{
	double values[N], workspace[3 * N];
	int32_t n = N, lwork = 3 * N, info = -1;
	void (*dsyev)(syev_parameters(int32_t, void)) = (void (*)(syev_parameters(int32_t, void)))symbol("%s_", DSYEV);
	(void)unused;
	for (int i = 0; i < 50; i++) {
		dsyev("N", "L", &n, a, &n, values, workspace, &lwork, &info);
		CHECK(info == 0 && values[2] == 3);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[8];
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, one_thread, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	CHECK(fake.solves == 400 && fake.calls == 0);
}

/* The program is linked with a LAPACK whose plain names have 64-bit integers. */
static void wide_library(void)
{
	routines[DSYEVD].call[1](symbol("%s_", DSYEVD), DSYEVD);
	CHECK(fake.solves == 1 && outcome == 0);
	fake.fails = 1;
	routines[DSYEVD].call[1](symbol("%s_", DSYEVD), DSYEVD);
	CHECK(fake.calls == 1 && outcome == 77);
	routines[DSYEVD].call[1](symbol("%s_64_", DSYEVD), DSYEVD);
	CHECK(fake.calls == 2 && outcome == 77 && strcmp(fake.last, "dsyevd_") == 0);
}

/* The program is linked with a LAPACK whose plain names have 32-bit integers, although its file
 * name contains 64. */
static void narrow_library(void)
{
	order |= (int64_t)1 << 32; /* beyond a 32-bit integer */
	DSYEVD_THEN(fake.solves == 1 && outcome == 0);
}

/* The total work of eight problems of order 1024 without vectors is enough to start the device. */
static void work_adds_up(void)
{
	order = 1024, jobz = "N";
	for (int i = 1; i <= 9; i++)
		DSYEVD_THEN(i < 8 ? fake.calls == i && !engine_is_loaded() : fake.calls == 7 && fake.solves == i - 7);
}

/* The total work of three complex problems is enough. */
static void complex_work_adds_up(void)
{
	order = 1024, jobz = "N";
	for (int i = 1; i <= 3; i++) {
		call("%s_", ZHEEVD);
		CHECK(i < 3 ? fake.calls == i && !engine_is_loaded() : fake.calls == 2 && fake.solves == 1);
	}
}

static void off(void)
{
	DSYEVD_THEN(fake.calls == 1 && fake.solves == 0 && !engine_is_loaded());
}

static void below(void)
{
	order = 300;
	DSYEVD_THEN(fake.calls == 1);
	order = N;
	DSYEVD_THEN(fake.solves == 1);
	order = 39;
	DSYEVD_THEN(fake.calls == 2);
}

static void cpu(void)
{
	fake.cpu = 1;
	DSYEVD_THEN(fake.calls == 1 && fake.solves == 0);
}

static void always(void)
{
	for (order = 0; order < 2; order++) /* LAPACK itself returns early */
		for (int r = 0; r < DGESVD; r++) {
			int calls = fake.calls;
			call("%s_", r);
			CHECK(fake.calls == calls + 1 && fake.solves == 0);
		}
	fake.calls = 0;
	DSYEVD_THEN(fake.calls == 0 && fake.solves == 1);
}

/* As a set-user-ID program, this program obeys no variable of the drop-in. */
static void raised(void)
{
	if (getauxval(AT_SECURE) == 0)
		puts("no raised rights"), exit(0);
	DSYEVD_THEN(fake.calls == 0 && fake.solves == 1);
}

static void no_next(void)
{
	DSYEVD_THEN(outcome == -1000 && fake.solves == 0);
}

static void no_engine(void)
{
	DSYEVD_THEN(outcome == 77 && fake.calls == 1);
}

/* VKEVD_LAPACK names another library than the one with which the program is linked. */
static void other_next(void)
{
	DSYEVD_THEN(outcome == 78 && fake.calls == 1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{"every_spelling", every_spelling}, {"small_stays", small_stays}, {"refused", refused},
		{"parts", parts}, {"options", options}, {"complex_workspaces", complex_workspaces}, {"work_adds_up", work_adds_up}, {"complex_work_adds_up", complex_work_adds_up}, {"signals", signals}, {"forks", forks}, {"threads", threads},
		{"wide_library", wide_library}, {"narrow_library", narrow_library}, {"off", off}, {"below", below}, {"cpu", cpu}, {"always", always}, {"raised", raised}, {"no_next", no_next},
		{"no_engine", no_engine}, {"other_next", other_next},
	};
	a = calloc(N * N, 8), b = calloc(1, 8), z = calloc(N * N, 8), u = calloc(N * N, 8), vt = calloc(N * N, 8);
	d = calloc(N, 8), e = calloc(N, 8), work = calloc(N, 8), rwork = calloc(N, 8);
	for (unsigned i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			free(a), free(b), free(z), free(u), free(vt), free(d), free(e), free(work), free(rwork);
			puts("fine");
			return 0;
		}
	return 2;
}
