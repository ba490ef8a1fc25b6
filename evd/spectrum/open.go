package spectrum

import (
	"os"
	"path/filepath"

	"github.com/vkevd/vkevd/vk"
)

// OpenBest opens the best device for a function that solves one matrix, with a cache of compiled
// kernels: in the folder that the environment variable VKEVD_CACHE names, or else in vkevd in the
// user's cache folder. The command vkevd uses the same folder. An empty VKEVD_CACHE keeps none.
func OpenBest() (*vk.Device, error) { return vk.Open(vk.Options{CacheDir: cacheFolder()}) }

// cacheFolder is where compiled kernels are kept, or "" for nowhere.
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
