/* next.c finds the routine that the program would call without the shim. It searches in this order:
 *
 * 	1. the library that VKEVD_LAPACK names; if the variable is set, no other library is searched;
 * 	2. libraries after the shim in the search order of the program's symbols;
 * 	3. libraries with which the calling code was linked, such as an extension of Python;
 * 	4. all loaded libraries;
 * 	5. liblapack.so.3, which next.c then loads. */
#define _GNU_SOURCE
#include "shim.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Spellings of a name for 32-bit integers [0] and for 64-bit integers [1]. routines.c exports the
 * same spellings. */
static const char *const spellings[2][4] = {
	{"%s_", "scipy_%s_", "%s", NULL},
	{"%s_64_", "scipy_%s_64_", "%s64_", "%s_64"},
};

static const void *base_of(const void *address)
{
	Dl_info object;
	return dladdr(address, &object) ? object.dli_fbase : NULL;
}

/* usable tells whether a symbol is outside of the shim. It refuses a symbol of libblastrampoline,
 * which forwards calls to the library that Julia has chosen. Julia must have chosen the shim, since
 * a call has reached it. So libblastrampoline would call the shim again. */
static int usable(void *symbol)
{
	Dl_info object;
	if (symbol == NULL || !dladdr(symbol, &object) || object.dli_fbase == base_of((void *)find_next))
		return 0;
	return strstr(object.dli_fname, "libblastrampoline") == NULL;
}

/* wide_library tells whether functions with plain names have 64-bit integers in a library. This
 * holds for Debian's liblapack64.so.3 and libopenblas64.so.0: the library's name has a 64 before
 * the first dot or hyphen. A name with lp64, such as libmkl_intel_lp64.so, means 32 bits, and a
 * name with ilp64 means 64 bits. */
static int wide_library(void *symbol)
{
	Dl_info object;
	const char *name, *found;
	if (!dladdr(symbol, &object))
		return 0;
	name = strrchr(object.dli_fname, '/');
	name = name == NULL ? object.dli_fname : name + 1;
	found = strstr(name, "lp64");
	if (found != NULL)
		return found > name && found[-1] == 'i';
	found = strstr(name, "64");
	return found != NULL && found < name + strcspn(name, ".-");
}

static struct next look_up(void *handle, enum routine r, int wide)
{
	char name[64];
	for (int i = 0; i < 4 && spellings[wide][i] != NULL; i++) {
		snprintf(name, sizeof name, spellings[wide][i], routine_names[r]);
		void *symbol = dlsym(handle, name);
		if (usable(symbol))
			return (struct next){symbol, wide || wide_library(symbol)};
	}
	if (wide) { /* plain names with 64-bit integers */
		snprintf(name, sizeof name, "%s_", routine_names[r]);
		void *symbol = dlsym(handle, name);
		if (usable(symbol) && wide_library(symbol))
			return (struct next){symbol, 1};
	}
	return (struct next){NULL, wide};
}

/* in_library searches a library, given by its path, and the libraries with which it was linked. If
 * the routine is found, the library stays open, so that the routine remains valid. */
static struct next in_library(const char *path, int flags, enum routine r, int wide)
{
	struct next next = {NULL, wide};
	void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL | flags);
	if (handle == NULL)
		return next;
	next = look_up(handle, r, wide);
	if (next.function == NULL)
		dlclose(handle);
	return next;
}

static struct next in_callers_library(enum routine r, int wide, void *caller)
{
	Dl_info object;
	if (!dladdr(caller, &object) || object.dli_fname == NULL || object.dli_fname[0] == 0)
		return (struct next){NULL, wide};
	return in_library(object.dli_fname, RTLD_NOLOAD, r, wide);
}

/* paths are the paths of the loaded libraries. They are collected first, because dlopen must not be
 * called inside of dl_iterate_phdr. */
struct paths {
	char *path[1024];
	int count;
};

static int add_path(struct dl_phdr_info *info, size_t size, void *data)
{
	struct paths *all = data;
	(void)size;
	if (info->dlpi_name == NULL || info->dlpi_name[0] != '/' || all->count == 1024)
		return 0;
	all->path[all->count] = strdup(info->dlpi_name);
	all->count += all->path[all->count] != NULL;
	return 0;
}

static struct next in_any_library(enum routine r, int wide)
{
	struct next next = {NULL, wide};
	struct paths all;
	all.count = 0;
	dl_iterate_phdr(add_path, &all);
	for (int i = 0; i < all.count; i++) {
		if (next.function == NULL)
			next = in_library(all.path[i], RTLD_NOLOAD, r, wide);
		free(all.path[i]);
	}
	return next;
}

static struct next search(enum routine r, int wide, void *caller)
{
	const char *chosen = variable("VKEVD_LAPACK");
	struct next next;
	if (chosen != NULL && *chosen != 0)
		return in_library(chosen, 0, r, wide);
	next = look_up(RTLD_NEXT, r, wide);
	if (next.function == NULL)
		next = in_callers_library(r, wide, caller);
	if (next.function == NULL)
		next = in_any_library(r, wide);
	if (next.function == NULL)
		next = in_library(wide ? "liblapack64.so.3" : "liblapack.so.3", 0, r, wide);
	return next;
}

struct next find_next(enum routine r, int wide, void *caller)
{
	/* The last result is stored for each routine, because a program calls a routine from few
	 * places, and a search takes microseconds. */
	static __thread struct {
		void *caller;
		struct next next;
	} last[ROUTINES][2];

	if (last[r][wide].caller != caller || last[r][wide].next.function == NULL) {
		last[r][wide].next = search(r, wide, caller);
		last[r][wide].caller = caller;
	}
	return last[r][wide].next;
}
