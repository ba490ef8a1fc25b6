package plan

import (
	"github.com/vkevd/vkevd/internal/environ"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// OpenBest opens the best device, for a function that solves for one matrix and then closes the
// device. Compiled kernels are stored in the folder that the environment variable VKEVD_CACHE
// names. Without this variable, they are stored in the folder vkevd of the user's cache folder,
// which the command vkevd also uses. If VKEVD_CACHE is set but empty, nothing is stored. Nothing is
// stored either in a program with raised rights, such as a set-user-ID program.
func OpenBest() (*vk.Device, error) { return OpenBestFor[float64]() }

// OpenBestFor is OpenBest for eigenvalues of matrices of type T. For float32 the device need not
// compute in double precision.
func OpenBestFor[T spirv.Scalar]() (*vk.Device, error) {
	return vk.Open(vk.Options{CacheDir: environ.CacheFolder(), Single: spirv.KindOf[T]() == spirv.Float32})
}
