// Package environ, internal to vkevd, reads environment variables and the user's folders. All
// packages that users run read them here and not with package os. In a program with raised rights,
// such as a set-user-ID program, a variable may come from a user who has fewer rights than the
// program. Such a program therefore has no variables and no folders of the user.
package environ

import (
	"errors"
	"os"
	"path/filepath"
)

// Lookup does the same as os.LookupEnv. In a program with raised rights no variable is set.
func Lookup(variable string) (value string, set bool) {
	if raised {
		return "", false
	}
	return os.LookupEnv(variable)
}

// Get does the same as os.Getenv. In a program with raised rights each variable is "".
func Get(variable string) string {
	value, _ := Lookup(variable)
	return value
}

// UserCacheDir does the same as os.UserCacheDir. In a program with raised rights it fails, because
// variables name the folder.
func UserCacheDir() (string, error) { return folder(os.UserCacheDir) }

// CacheFolder returns the folder for compiled kernels: the folder that the environment variable
// VKEVD_CACHE names, or the folder vkevd of the user's cache folder. It returns "" if kernels are
// not stored: if VKEVD_CACHE is set but empty, if there is no cache folder, and in a program with
// raised rights.
func CacheFolder() string {
	if folder, set := Lookup("VKEVD_CACHE"); set {
		return folder
	}
	folder, err := UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "vkevd")
}

// UserConfigDir does the same as os.UserConfigDir. In a program with raised rights it fails, too.
func UserConfigDir() (string, error) { return folder(os.UserConfigDir) }

func folder(usual func() (string, error)) (string, error) {
	if raised {
		return "", errRaised
	}
	return usual()
}

var errRaised = errors.New("a program with raised rights uses no folder of its user")

// raised tells whether this program has more rights than the user who started it. Tests change it.
var raised = hasRaisedRights()
