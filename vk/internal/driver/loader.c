#include "shim.h"

#include <dlfcn.h>

// The versioned name is what distributions ship to users; the plain one comes with development packages only.
void *vke_open_loader(const char **error) {
	static const char *names[] = {"libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (lib) {
			void *entry = dlsym(lib, "vkGetInstanceProcAddr");
			if (entry) return entry;
		}
		*error = dlerror();
	}
	return NULL;
}
