package testdata

import (
	"os"
	"path/filepath"
)

const collectionVariable = "VKEVD_DATA"

// Collection returns the folder of a larger collection of matrices, which is not part of the
// repository: the value of the environment variable VKEVD_DATA, or the folder shared/data next to the
// repository, or "" if that does not exist. `asked` is true if VKEVD_DATA is set.
//
// The collection holds matrices in the folders mtx, tridiag and others. The folder ref holds their
// eigenvalues with more than double precision, in files such as ref/mtx/NAME.eig.txt.
func Collection() (folder string, asked bool) {
	if folder = os.Getenv(collectionVariable); folder != "" {
		return folder, true
	}
	root := Repository()
	if root == "" {
		return "", false
	}
	folder = filepath.Join(filepath.Dir(root), "shared", "data")
	if _, err := os.Stat(filepath.Join(folder, "ref")); err != nil {
		return "", false
	}
	return folder, false
}

// Repository returns the folder that contains go.mod: the working directory or a folder above it. A
// test runs in the folder of its package. The result is "" if there is no such folder, because a
// compiled test may run without its source.
func Repository() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return ""
}
