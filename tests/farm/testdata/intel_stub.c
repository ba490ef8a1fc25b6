// A replacement for Intel's driver in the Linux kernel (i915). It is a library to preload into a
// process. Mesa's Vulkan driver for Intel then finds a GPU whose PCI number is in the environment
// variable INTEL_STUB_DEVICE, as hexadecimal digits, and compiles for this GPU. Nothing runs: most
// requests succeed and do nothing.
//
// Structures and numbers are those of Linux' drm.h and i915_drm.h and of libdrm's xf86drm.h.
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PRIMARY, CONTROL, RENDER, NODES };

struct device {
	char **nodes;
	int available, bus;
	struct { uint16_t domain; uint8_t bus, dev, func; } *place;
	struct { uint16_t vendor, device, subvendor, subdevice; uint8_t revision; } *id;
};

struct version {
	int major, minor, patch;
	int name_len; char *name;
	int date_len; char *date;
	int desc_len; char *desc;
};

static char node[] = "/dev/dri/renderD128";
static int memory = -1; // a file in memory that replaces the node; its parts are mapped as buffers
static uint32_t handles;
static uint64_t place = 4096, sizes[1 << 16];

static int device_number(void) { return strtol(getenv("INTEL_STUB_DEVICE"), NULL, 16); }

static struct device *make(void) {
	static char *nodes[NODES] = {[RENDER] = node};
	struct device *d = calloc(1, sizeof *d);
	d->nodes = nodes;
	d->available = 1 << RENDER;
	d->place = calloc(1, sizeof *d->place);
	d->place->dev = 2;
	d->id = calloc(1, sizeof *d->id);
	d->id->vendor = 0x8086;
	d->id->device = device_number();
	return d;
}

int drmGetDevices2(uint32_t flags, struct device *list[], int most) {
	if (list && most > 0) list[0] = make();
	return 1;
}
int drmGetDevice2(int fd, uint32_t flags, struct device **d) { *d = make(); return 0; }
void drmFreeDevice(struct device **d) {}
void drmFreeDevices(struct device *list[], int count) {}

struct version *drmGetVersion(int fd) {
	static struct version v = {1, 6, 0, 4, "i915", 0, "", 0, ""};
	return &v;
}
void drmFreeVersion(struct version *v) {}

int open64(const char *path, int flags, ...) {
	va_list rest;
	va_start(rest, flags);
	int mode = va_arg(rest, int);
	va_end(rest);
	if (strcmp(path, node)) return syscall(SYS_openat, -100 /* AT_FDCWD */, path, flags, mode);
	if (memory < 0) {
		memory = memfd_create("i915", MFD_CLOEXEC);
		if (ftruncate(memory, 64LL << 30)) return -1;
	}
	return dup(memory);
}

int stat64(const char *path, struct stat64 *s) {
	const char *volatile given = path; // Mesa passes NULL, which stat's declaration excludes
	if (!given || strcmp(given, node)) return syscall(SYS_newfstatat, -100, given, s, 0);
	memset(s, 0, sizeof *s);
	s->st_mode = S_IFCHR | 0666;
	s->st_rdev = makedev(226, 128);
	return 0;
}

static int is_node(int fd) {
	struct stat a, b;
	return memory >= 0 && !fstat(fd, &a) && !fstat(memory, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

// parameter returns a parameter of a GPU with three subslices of eight units each.
static int parameter(int which) {
	switch (which) {
	case 4: return device_number();
	case 18: return 3;         // each process has its own page tables
	case 32: return 0;         // revision
	case 33: return 3;         // subslices
	case 34: return 24;        // units
	case 40: return 4;         // version of mapping
	case 41: return 31;        // scheduler
	case 47: return 7;         // mask of subslices
	case 51: return 12000000;  // ticks in a second
	}
	return 1;
}

int ioctl(int fd, unsigned long request, ...) {
	va_list rest;
	va_start(rest, request);
	void *arg = va_arg(rest, void *);
	va_end(rest);
	if (!is_node(fd)) return syscall(SYS_ioctl, fd, request, arg);
	uint32_t *w = arg;
	uint64_t *q = arg;
	switch (_IOC_NR(request)) {
	case 0x0c: q[1] = 1; break;                            // GET_CAP
	case 0xbf: w[0] = ++handles; break;                    // SYNCOBJ_CREATE
	case 0x46: *(int *)q[1] = parameter(w[0]); break;      // GETPARAM
	case 0x5b: w[2] = ++handles; sizes[handles & 0xffff] = q[0]; break; // GEM_CREATE
	case 0x63: q[0] = q[1] = 4LL << 30; break;             // GEM_GET_APERTURE
	case 0x64:                                             // GEM_MMAP_OFFSET
		q[1] = place;
		place += (sizes[w[0] & 0xffff] + 4095) & ~4095LL;
		break;
	case 0x6d: w[0] = ++handles; break;                    // GEM_CONTEXT_CREATE
	case 0x73: w[5] = ++handles; break;                    // GEM_USERPTR
	case 0x74: q[2] = 1LL << 48; break;                    // GEM_CONTEXT_GETPARAM
	case 0x79:                                             // QUERY: every item fails
		for (uint32_t i = 0; i < w[0]; i++) ((int32_t *)(q[1] + 24 * i))[2] = -EINVAL;
		break;
	case 0x7a: w[3] = ++handles; break;                    // GEM_VM_CREATE
	}
	return 0;
}
