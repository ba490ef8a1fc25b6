package spectrum

import (
	"os"
	"path/filepath"

	"github.com/vkevd/vkevd/vk"
)

// OpenBest opens the best device for a function that solves for one matrix. Compiled kernels are
// stored in the folder that the environment variable VKEVD_CACHE names, or else in the folder vkevd
// of the user's cache folder. The command vkevd uses the same folder. If VKEVD_CACHE is set but
// empty, nothing is stored.
func OpenBest() (*vk.Device, error) { return vk.Open(vk.Options{CacheDir: cacheFolder()}) }

// cacheFolder is the folder for compiled kernels, or "" if they are not stored.
func cacheFolder() string {
	if folder, set := os.LookupEnv("VKEVD_CACHE"); set {
		return folder
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "vkevd")
}
