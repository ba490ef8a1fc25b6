/* A LAPACK that computes nothing. It returns QUERIED for queries, half of it for those of sygvd and
 * hegvd, and info = INFO for all other calls. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../shim/parameters.h"
#include "../shim/shim.h"
#include "fake.h"

#ifdef INFO /* a second such library in one process, which counts in the same data */
extern struct fake fake;
#else
#define INFO 77
struct fake fake;
#endif

#define FAKE(name, driver, INT, REAL)                                                             \
	void name(driver##_parameters(INT, REAL))                                                     \
	{                                                                                             \
		if (*lwork == -1) {                                                                       \
			work[0] = strstr(#name, "gvd") ? QUERIED / 2 : QUERIED;                               \
			*info = 0;                                                                            \
			return;                                                                               \
		}                                                                                         \
		fake.calls++;                                                                             \
		strcpy(fake.last, #name);                                                                 \
		fake.info = info;                                                                         \
		*info = INFO;                                                                             \
	}

#ifdef WIDE /* Debian's liblapack64 has 64-bit integers behind the plain names */
#define BOTH(name, driver, REAL) FAKE(name##_, driver, int64_t, REAL)
#else
#define BOTH(name, driver, REAL)                                                                  \
	FAKE(name##_, driver, int32_t, REAL)                                                          \
	FAKE(name##_64_, driver, int64_t, REAL)
#endif

#define ROUTINE(double_, DOUBLE, single, SINGLE, driver)                                          \
	BOTH(double_, driver, double)                                                                 \
	BOTH(single, driver, float)

EACH_ROUTINE(ROUTINE)
