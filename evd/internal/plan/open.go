package plan

import (
	"github.com/vkevd/vkevd/internal/environ"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Once opens the best device, makes a plan for one matrix of type T, calls the function `solve`
// with the plan, and closes both. Compiled kernels are stored in the folder that the environment
// variable VKEVD_CACHE names. Without this variable, they are stored in the folder vkevd of the
// user's cache folder, which the command vkevd also uses. If VKEVD_CACHE is set but empty, nothing
// is stored. Nothing is stored either in a program with raised rights, such as a set-user-ID
// program. For float32 the device need not compute in double precision.
func Once[T spirv.Scalar, P interface{ Close() }, R any](
	prepare func(dev *vk.Device) (P, error), solve func(p P) (R, error),
) (none R, err error) {
	dev, err := vk.Open(vk.Options{CacheDir: environ.CacheFolder(), Single: spirv.KindOf[T]() == spirv.Float32})
	if err != nil {
		return none, err
	}
	defer dev.Close()
	p, err := prepare(dev)
	if err != nil {
		return none, err
	}
	defer p.Close()
	return solve(p)
}
