/* guard.c is a library for LD_PRELOAD. It puts guard words before and behind each block of malloc
 * and its relatives, and checks them when the block is freed or resized, and at the end of the
 * process. A changed guard word ends the process with SIGABRT. */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* A block is a header, the caller's bytes, and guard bytes. The header ends where the caller's
 * bytes begin. Live blocks form a ring. */
enum { GUARD = 4096, HEADER = 128 };
struct header {
	struct header *next, *before;
	size_t size;
	void *memory; /* as the C library knows it */
	unsigned char guard[HEADER - 32];
};
_Static_assert(sizeof(struct header) == HEADER, "no padding");

static struct header blocks = {.next = &blocks, .before = &blocks};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const unsigned char mark = 0xA5;

/* outside tells whether a guard byte of a block has changed. If the guard bytes before the block
 * have changed, the size may be wrong, too, so they are compared first. */
static int outside(const struct header *h)
{
	const unsigned char *behind = (const unsigned char *)(h + 1);

	for (size_t i = 0; i < sizeof h->guard; i++)
		if (h->guard[i] != mark)
			return 1;
	for (int i = 0; i < GUARD; i++)
		if (behind[h->size + i] != mark)
			return 1;
	return 0;
}

/* complain ends the process. It allocates memory, so the lock must be free. */
static void complain(size_t size)
{
	char text[200];
	void *stack[40];

	snprintf(text, sizeof text, "guard: bytes outside of a block of %zu bytes were written\n", size);
	if (write(STDERR_FILENO, text, strlen(text)) > 0)
		backtrace_symbols_fd(stack, backtrace(stack, 40), STDERR_FILENO);
	abort();
}

static void *allocate(size_t alignment, size_t size)
{
	size_t before = HEADER > alignment ? HEADER : alignment;
	char *memory;
	struct header *h;

	if (size > PTRDIFF_MAX - 2 * before - GUARD || (memory = __libc_memalign(alignment, before + size + GUARD)) == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	h = (struct header *)(memory + before) - 1;
	memset(h->guard, mark, sizeof h->guard);
	memset(memory + before + size, mark, GUARD);
	h->size = size, h->memory = memory;
	pthread_mutex_lock(&lock);
	h->next = &blocks, h->before = blocks.before;
	h->next->before = h->before->next = h;
	pthread_mutex_unlock(&lock);
	return h + 1;
}

void *malloc(size_t size) { return allocate(16, size); }

void *memalign(size_t alignment, size_t size) { return allocate(alignment < 16 ? 16 : alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

void *valloc(size_t size) { return memalign(sysconf(_SC_PAGESIZE), size); }

int posix_memalign(void **to, size_t alignment, size_t size)
{
	void *p = memalign(alignment, size);
	if (p == NULL)
		return ENOMEM;
	*to = p;
	return 0;
}

void *calloc(size_t count, size_t size)
{
	size_t all;
	void *p = __builtin_mul_overflow(count, size, &all) ? NULL : allocate(16, all);
	if (p == NULL)
		errno = ENOMEM;
	else
		memset(p, 0, all);
	return p;
}

size_t malloc_usable_size(void *p) { return p == NULL ? 0 : ((struct header *)p - 1)->size; }

void free(void *p)
{
	struct header *h = (struct header *)p - 1;
	int kept = errno;

	if (p == NULL)
		return;
	if (outside(h))
		complain(h->size);
	pthread_mutex_lock(&lock);
	h->next->before = h->before, h->before->next = h->next;
	pthread_mutex_unlock(&lock);
	memset(h->guard, 0, sizeof h->guard); /* so that a second call of free is found */
	__libc_free(h->memory);
	errno = kept;
}

void *realloc(void *p, size_t size)
{
	size_t old = malloc_usable_size(p);
	void *q;

	if (p != NULL && size == 0)
		return free(p), NULL;
	if ((q = malloc(size)) == NULL || p == NULL)
		return q;
	memcpy(q, p, old < size ? old : size);
	free(p);
	return q;
}

static void hold(void) { pthread_mutex_lock(&lock); }
static void release(void) { pthread_mutex_unlock(&lock); }

__attribute__((constructor)) static void begin(void) { pthread_atfork(hold, release, release); }

__attribute__((destructor)) static void end(void)
{
	int bad = 0;
	size_t size = 0;

	hold();
	for (struct header *h = blocks.next; h != &blocks && !bad; h = h->next)
		bad = outside(h), size = h->size;
	release();
	if (bad)
		complain(size);
}
