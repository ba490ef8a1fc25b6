package farm

import (
	"os"

	"github.com/vkevd/vkevd/vk"
)

// variant is one of several drivers for the same chip. The properties that the driver reports
// determine which tuning tables of stages/tuning the device uses.
type variant struct {
	name, what string

	// describe changes the description of the device, so that the device seems to have this driver.
	describe func(*vk.Info)
}

// variants are the tested drivers. Together they use each row of AMD's tuning tables, and the table
// for all devices.
var variants = []variant{
	{"amd", "AMD's table; Mesa's driver gives a workgroup 64 KiB of shared memory", func(*vk.Info) {}},
	{"amd 32K", "AMD's table; AMD's own drivers give 32 KiB", func(i *vk.Info) { i.SharedBytes = 32 << 10 }},
	{"any", "the last table, on a device with the chip's limits", func(i *vk.Info) { i.Family = "other" }},
	{"any 16K", "the last table, with Vulkan's smallest limits: 16 KiB, 128 invocations", func(i *vk.Info) {
		i.Family, i.SharedBytes, i.MaxLocal = "other", 16<<10, 128
	}},
}

// compileAll compiles all kernels of the library for the GPU that the environment names.
func compileAll() (r report, err error) {
	list := variants
	if os.Getenv(firstVariable) != "" {
		list = list[:1]
	}
	// The variants have many kernels in common. The cache of one process keeps what was compiled
	// for the variants before.
	cache, err := os.MkdirTemp("", "vkevd-farm-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(cache)
	for _, v := range list {
		made, err := compile(v, cache, &r)
		if err != nil {
			return r, err
		}
		r.Variants = append(r.Variants, made)
	}
	return r, nil
}

// compile compiles all kernels of the library for a GPU with one of several drivers. `cache` is the
// folder of kernels that this process has compiled.
func compile(v variant, cache string, r *report) (made compiled, err error) {
	dev, err := vk.OpenCompiler(vk.Options{Statistics: true, CacheDir: cache}, v.describe)
	if err != nil {
		return made, err
	}
	defer dev.Close()
	info := dev.Info()
	r.Driver, r.Device, r.Subgroup = info.Driver+" "+info.DriverVersion, info.Name, info.Subgroup
	if err := buildAll(dev); err != nil {
		return made, err
	}
	made.Limit = info.SharedBytes
	if made.Kernels, err = dev.Statistics(); err != nil || os.Getenv(pagedVariable) == "" {
		return made, err
	}
	made.Paged, err = dev.PagedStatistics()
	return made, err
}
