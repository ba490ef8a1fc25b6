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

// The versioned name is what distributions ship to users; the plain one comes with development packages only.
// MoltenVK alone, without a loader, is enough on macOS.
void *vke_open_loader(const char **error) {
	static const char *names[] = {"libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib", "libMoltenVK.dylib"};
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

#endif
