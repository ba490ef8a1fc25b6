/* engine.c starts the engine, libvkevd_engine.so, when it is first needed, and calls it.
 *
 * The engine is written in Go. Its threads and signal handlers exist only in processes that solve a
 * large problem. The caller's thread never runs code of the engine. Each call runs in its own
 * thread, in which all signals are blocked and floating-point exceptions do not trap. The engine's
 * threads inherit these two settings. The shim removes the signal handlers that the engine
 * installs.
 *
 * A child process of fork has only one thread, and cannot use the parent's device. If the engine
 * was started before the fork, the next library solves all problems of the child. Otherwise the
 * child can start its own engine. */
#define _GNU_SOURCE
#include "shim.h"

#include <dlfcn.h>
#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Starting the engine and its device takes 0.2 s on an H200. OpenBLAS takes about as long for the
 * eigenvalues of order 2048 on 16 cores. The next library therefore solves all problems until their
 * total work exceeds that of this example. The work of a problem is n³ times a weight. The weight
 * depends on the kind of the problem ([0] without vectors, [1] with vectors). OpenBLAS takes more
 * than three times as long for a complex matrix of order 1024 as for a real one. Problems that are
 * too small for every device do not count. */
static const int64_t weight[VKEVD_KINDS][2] = {
	[VKEVD_SYMMETRIC] = {1, 2},
	[VKEVD_TRIDIAGONAL] = {1, 1},
	[VKEVD_SINGULAR] = {3, 6},
	[VKEVD_PAIR] = {1, 2},
};
enum { COMPLEX_WEIGHT = 3 };
static const int64_t work_before_start = (int64_t)2048 * 2048 * 2048, smallest_crossover = 512;
static _Atomic int64_t work_so_far;

enum state { ASLEEP, STARTING, RUNNING, UNAVAILABLE };

static atomic_int state = ASLEEP;
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner; /* the process that started the engine */
static struct vkevd_device device;
static vkevd_engine_open_t *engine_open;
static vkevd_engine_solve_t *engine_solve;
static char why[200]; /* why the engine is unavailable */

/* call is a function that runs in its own thread. */
struct call {
	void (*function)(void *);
	void *argument;
};

static void *run_call(void *argument)
{
	struct call *c = argument;
	fesetenv(FE_DFL_ENV);
	c->function(c->argument);
	return NULL;
}

/* apart calls a function in a new thread and waits until the function has returned. It returns 0 if
 * no thread can be made. The waiting thread must not be cancelled, because the function uses the
 * memory of its stack. */
static int apart(void (*function)(void *), void *argument)
{
	struct call c = {function, argument};
	sigset_t all, before;
	pthread_t thread;
	int failed, cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&thread, NULL, run_call, &c);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failed)
		pthread_join(thread, NULL);
	pthread_setcancelstate(cancel, NULL);
	return !failed;
}

/* restore removes the engine's signal handlers. It keeps a handler outside of the engine, because
 * another thread of the program may have installed it in the meantime. It also keeps the flag
 * SA_ONSTACK, which the engine adds to the program's handlers, because the engine's threads have
 * small stacks. */
static void restore(const struct sigaction *before)
{
	Dl_info engine, object;

	if (engine_open == NULL || !dladdr((void *)engine_open, &engine))
		return;
	for (int s = 1; s < NSIG; s++) {
		struct sigaction now;
		if (sigaction(s, NULL, &now) == 0 && dladdr((void *)now.sa_sigaction, &object) &&
		    object.dli_fbase == engine.dli_fbase)
			sigaction(s, &before[s], NULL);
	}
}

/* load opens the engine, which is in the same folder as the shim, and opens a device. */
static void load(void *unused)
{
	static const char name[] = "libvkevd_engine.so";
	char path[PATH_MAX + sizeof name];
	Dl_info self;
	void *handle;

	(void)unused;
	if (!dladdr((void *)load, &self) || realpath(self.dli_fname, path) == NULL) {
		snprintf(why, sizeof why, "the shim's own file is not to be found");
		return;
	}
	strcpy(strrchr(path, '/') + 1, name);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (handle == NULL) {
		snprintf(why, sizeof why, "%s", dlerror());
		return;
	}
	engine_open = (vkevd_engine_open_t *)dlsym(handle, "vkevd_engine_open");
	engine_solve = (vkevd_engine_solve_t *)dlsym(handle, "vkevd_engine_solve");
	if (engine_open == NULL || engine_solve == NULL)
		snprintf(why, sizeof why, "%s is no engine", name);
	else if (engine_open(&device) != 0)
		snprintf(why, sizeof why, "%s", device.name);
	else
		owner = getpid();
}

/* forked runs in the child process after fork. It is registered when the shim is loaded. If it were
 * registered later, another thread could fork before that, while the mutex is locked. */
static void forked(void)
{
	pthread_mutex_init(&starting, NULL);
	if (atomic_load(&state) != ASLEEP) {
		atomic_store(&state, UNAVAILABLE);
		snprintf(why, sizeof why, "this process was forked after the device was opened");
	}
}

__attribute__((constructor)) static void register_forked(void) { pthread_atfork(NULL, NULL, forked); }

static void start(void)
{
	struct sigaction before[NSIG];

	pthread_mutex_lock(&starting);
	if (atomic_load(&state) == ASLEEP) {
		atomic_store(&state, STARTING);
		memset(before, 0, sizeof before);
		for (int s = 1; s < NSIG; s++)
			sigaction(s, NULL, &before[s]);
		if (!apart(load, NULL))
			snprintf(why, sizeof why, "there can be no more threads");
		restore(before);
		atomic_store(&state, owner != 0 ? RUNNING : UNAVAILABLE);
	}
	pthread_mutex_unlock(&starting);
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

struct solve {
	struct vkevd_problem *problem;
	int failed;
};

static void run_solve(void *argument)
{
	struct solve *s = argument;
	s->failed = engine_solve(s->problem);
}

static int wants_vectors(const struct vkevd_problem *p) { return p->z != NULL || p->vt != NULL; }

/* smallest is the smallest order for which the device solves a problem of this kind. As long as the
 * device is not known, it is the least crossover of all devices. */
static int64_t smallest(const struct vkevd_problem *p)
{
	int64_t set = crossover_setting();
	if (set == CROSSOVER_OFF)
		return INT64_MAX;
	if (set != CROSSOVER_UNSET)
		return set;
	return atomic_load(&state) == RUNNING ? device.crossover[p->kind][wants_vectors(p)] : smallest_crossover;
}

/* worth_starting tells whether to start the engine. With VKEVD_CROSSOVER any problem is enough.
 * Otherwise the total work so far must be large enough. The work of this problem is added to it. */
static int worth_starting(const struct vkevd_problem *p)
{
	int64_t k = p->n, small = p->kind == VKEVD_SINGULAR && p->m < k ? p->m : k;
	int64_t large = p->kind == VKEVD_SINGULAR && p->m > k ? p->m : k;
	int64_t factor = weight[p->kind][wants_vectors(p)] * (p->complex ? COMPLEX_WEIGHT : 1);
	double work = (double)small * small * large * factor;

	if (crossover_setting() != CROSSOVER_UNSET)
		return 1;
	if (work >= work_before_start)
		return 1;
	return atomic_fetch_add(&work_so_far, (int64_t)work) + (int64_t)work >= work_before_start;
}

/* say_small says why the order of a problem is too small for the device. */
static void say_small(enum routine r, const struct vkevd_problem *p)
{
	int64_t set = crossover_setting();

	if (set == CROSSOVER_OFF)
		say(r, p, "next library: VKEVD_CROSSOVER is off");
	else if (set != CROSSOVER_UNSET)
		say(r, p, "next library: the order is below %lld, the value of VKEVD_CROSSOVER", (long long)set);
	else if (smallest(p) == VKEVD_NEVER)
		say(r, p, "next library: %s %s", device.name, device.never[p->kind]);
	else if (atomic_load(&state) == RUNNING)
		say(r, p, "next library: the order is below %lld, the crossover of %s", (long long)smallest(p), device.name);
	else
		say(r, p, "next library: the order is below %lld, the least crossover of all devices", (long long)smallest(p));
}

int solve_on_device(enum routine r, struct vkevd_problem *p)
{
	int64_t order = p->kind == VKEVD_SINGULAR && p->m < p->n ? p->m : p->n;
	struct solve s = {p, 1};
	double before;

	p->single = is_single(r);
	p->complex = is_complex(r);
	if (order >= smallest(p) && atomic_load(&state) <= STARTING) {
		if (!worth_starting(p)) {
			say(r, p, "next library: too little work so far for starting the device");
			return 0;
		}
		start();
	}
	if (order < smallest(p)) {
		say_small(r, p);
		return 0;
	}
	if (atomic_load(&state) != RUNNING || owner != getpid()) {
		say(r, p, "next library: %s", why);
		return 0;
	}
	before = seconds();
	if (!apart(run_solve, &s))
		snprintf(p->failure, sizeof p->failure, "there can be no more threads");
	if (s.failed)
		say(r, p, "next library: %s", p->failure);
	else
		say(r, p, "%s %.3f s", device.name, seconds() - before);
	return !s.failed;
}
