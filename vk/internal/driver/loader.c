#include "shim.h"

#ifdef _WIN32

#include <windows.h>

// Windows has one name for it, which comes with the graphics drivers.
void *vke_open_loader(const char **error) {
	HMODULE lib = LoadLibraryA("vulkan-1.dll");
	if (!lib) {
		*error = "vulkan-1.dll is not there; it comes with the graphics driver";
		return NULL;
	}
	*error = "vulkan-1.dll has no vkGetInstanceProcAddr";
	return (void *)GetProcAddress(lib, "vkGetInstanceProcAddr");
}

#else

#include <dlfcn.h>
#include <stdio.h>

// The versioned name is what distributions ship to users; the plain one comes with development packages only.
// MoltenVK alone, without a loader, is enough on macOS. The error is about the first name, which users can get.
void *vke_open_loader(const char **error) {
#ifdef __APPLE__
	static const char *names[] = {"libvulkan.1.dylib", "libMoltenVK.dylib"};
#else
	static const char *names[] = {"libvulkan.so.1", "libvulkan.so"};
#endif
	static char first[256]; // dlerror's own is gone with the next call; ours are under a lock
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (lib) {
			void *entry = dlsym(lib, "vkGetInstanceProcAddr");
			if (entry) return entry;
		}
		const char *why = dlerror();
		if (i == 0) snprintf(first, sizeof first, "%s", why ? why : "cannot be used");
	}
	*error = first;
	return NULL;
}

#endif
