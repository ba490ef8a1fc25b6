#include "shim.h"

#ifdef _WIN32

#include <windows.h>

// vke_open_loader opens the Vulkan loader. On Windows the loader has only one file name, and the
// graphics drivers install it.
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

// vke_open_loader opens the Vulkan loader, by the first file name that exists. Distributions
// install the loader under a name with a version; the name without a version comes only with
// development packages. On macOS the driver MoltenVK is enough, without a loader. If no file can be
// opened, the error is about the name with a version, because users can install this file.
void *vke_open_loader(const char **error) {
#ifdef __APPLE__
	static const char *names[] = {"libvulkan.1.dylib", "libMoltenVK.dylib"};
#else
	static const char *names[] = {"libvulkan.so.1", "libvulkan.so"};
#endif
	static char first[256]; // a copy, because the next call overwrites the text of dlerror; only one thread calls this function
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
