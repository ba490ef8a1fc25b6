/* An engine that returns the eigenvalues 1, 2, 3, …, and of the vectors only the first elements: 5 in
 * z and 6 in vt. It installs signal handlers, as Go's runtime does. */
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../shim/problem.h"
#include "fake.h"

extern struct fake fake;

static void handle(int s) { (void)s; }

static void set(const struct vkevd_problem *p, void *to, int64_t i, double x)
{
	if (p->single)
		((float *)to)[i] = x;
	else
		((double *)to)[i] = x;
}

int vkevd_engine_open(struct vkevd_device *device)
{
	signal(SIGSEGV, handle);
	signal(SIGPIPE, handle);
	if (fake.meanwhile != NULL)
		fake.meanwhile();
	snprintf(device->name, sizeof device->name, "fake device");
	for (int kind = 0; kind < VKEVD_KINDS; kind++) {
		device->crossover[kind][0] = device->crossover[kind][1] = fake.cpu ? VKEVD_NEVER : 40;
		strcpy(device->never[kind], "is a CPU");
	}
	return 0;
}

int vkevd_engine_solve(struct vkevd_problem *p)
{
	int64_t few = p->kind == VKEVD_SINGULAR && p->m < p->n ? p->m : p->n;
	sigset_t mask;

	__atomic_fetch_add(&fake.solves, 1, __ATOMIC_RELAXED);
	fake.z = p->z, fake.vt = p->vt, fake.columns = p->zcolumns, fake.rows = p->vtrows, fake.upper = p->upper;
	fake.itype = p->itype, fake.b = p->b, fake.ldb = p->ldb;
	fake.single = p->single, fake.complex = p->complex, fake.vl = p->vl, fake.vu = p->vu;
	fake.trap = fegetexcept();
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	fake.unblocked = !sigismember(&mask, SIGTERM) || !sigismember(&mask, SIGCHLD);
	if (fake.fails) {
		snprintf(p->failure, sizeof p->failure, "it was told to fail");
		return 1;
	}
	p->found = few;
	if (p->range == 'I')
		p->found = p->iu - p->il + 1;
	for (int64_t i = 0; i < p->found; i++)
		set(p, p->w, i, i + 1);
	if (p->z != NULL)
		set(p, p->z, 0, 5);
	if (p->vt != NULL)
		set(p, p->vt, 0, 6);
	return 0;
}
