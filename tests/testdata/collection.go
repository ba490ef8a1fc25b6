package testdata

import (
	"os"
	"path/filepath"
)

// collectionVariable names the folder of the collection.
const collectionVariable = "VKEVD_DATA"

// Collection is the folder of a larger collection of matrices, which is not part of the repository:
// the one that VKEVD_DATA names, or else shared/data beside the repository in which a test runs.
// asked says that it was the variable. Without either the folder is "".
//
// The collection holds matrices in mtx, tridiag and more folders, and eigenvalues of more than
// double precision in ref, as ref/mtx/NAME.eig.txt.
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

// Repository is the folder with go.mod above the working directory, which is a package's own while
// its tests run; "" if there is none, as where a compiled test runs without its source.
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
