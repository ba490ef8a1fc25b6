// Declarations that the C files and the Go files of this library share, in addition to vkevd.h.
#include "vkevd.h"

// vkevd_report calls a progress function. Go uses vkevd_report because Go cannot call a C function
// by its address. `call` is the number of the solve that reports. It is not 0.
int32_t vkevd_report(uint64_t call, vkevd_progress progress, void *user, const char *stage, double done,
                     double total);

// vkevd_reporting returns the number of the solve whose progress function the calling thread runs,
// or 0 if it runs none.
uint64_t vkevd_reporting(void);

// vkevd_has_memory tells whether this number of bytes can be allocated now.
int32_t vkevd_has_memory(uint64_t bytes);
