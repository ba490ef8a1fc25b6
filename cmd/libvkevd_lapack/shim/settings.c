/* settings.c reads the environment variables once, and prints the lines of VKEVD_VERBOSE. */
#define _GNU_SOURCE
#include "shim.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t crossover = CROSSOVER_UNSET;
static int verbose;

const char *variable(const char *name) { return secure_getenv(name); }

static void read_settings(void)
{
	const char *v = variable("VKEVD_VERBOSE"), *c = variable("VKEVD_CROSSOVER");
	char *end;

	verbose = v != NULL && strcmp(v, "1") == 0;
	if (c == NULL || *c == 0)
		return;
	crossover = strtoll(c, &end, 10);
	if (*end != 0 || crossover < 0) /* "off", or text that is not a number */
		crossover = CROSSOVER_OFF;
}

static void settings(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, read_settings);
}

int64_t crossover_setting(void)
{
	settings();
	return crossover;
}

/* say writes a line by one call of write, so that lines of different threads and processes do not
 * mix. */
void say(enum routine r, const struct vkevd_problem *p, const char *format, ...)
{
	char line[512];
	int n;
	va_list list;

	settings();
	if (!verbose)
		return;
	if (p->kind == VKEVD_SINGULAR)
		n = snprintf(line, sizeof line, "vkevd: %s m=%lld n=%lld → ", routine_names[r], (long long)p->m, (long long)p->n);
	else
		n = snprintf(line, sizeof line, "vkevd: %s n=%lld → ", routine_names[r], (long long)p->n);
	va_start(list, format);
	n += vsnprintf(line + n, sizeof line - n - 1, format, list);
	va_end(list);
	if (n > (int)sizeof line - 2)
		n = sizeof line - 2;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, n) < 0)
		return; /* the failure cannot be reported */
}
