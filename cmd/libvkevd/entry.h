// Declarations that the C files and the Go files of this library share, in addition to vkevd.h.
#include "vkevd.h"

// vkevd_report calls a progress function. Go uses vkevd_report because Go cannot call a C function
// by its address.
int32_t vkevd_report(vkevd_progress progress, void *user, const char *stage, double done, double total);
