package realdata

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matio"
)

// A spectrum is a matrix with its expected eigenvalues, in ascending order. The function `read`
// reads the matrix, whose order is n, from its file.
type spectrum struct {
	name, family string
	want         []float64
	read         func(n int) (*matio.Dense, error)
}

const valuesOf = ".eig.txt" // ending of a file of eigenvalues; the name of the matrix precedes it

// formats says how to read the matrices of the collection. It is a list of patterns and readers.
// The first pattern that matches the name of a matrix determines the reader. The order of the
// matrix is known from the file of eigenvalues, so readers need not find it.
var formats = []struct {
	matrix, suffix string
	read           func(file string, n int) (*matio.Dense, error)
}{
	{"mtx/*.mtx", valuesOf, readMatio},
	{"mtx/*.mat.txt", valuesOf, readTriplets},
	{"mtx/*.txt", valuesOf, readCompressedColumns},
	{"mtx/bcsstk16", valuesOf, readTriplets},
	{"dense/*.npy", valuesOf, readMatio},
	{"graph/*.mtx", ".adj" + valuesOf, adjacency(readTriplets)},
	{"graph/*.mtx", ".lap" + valuesOf, laplacian(readTriplets)},
	{"graph/*.gml", ".adj" + valuesOf, adjacency(readGML)},
	{"graph/*.gml", ".lap" + valuesOf, laplacian(readGML)},
	{"hess/*.txt", valuesOf, readSquare},
	{"hess/*/*.out", valuesOf, readSquare},
	{"pca/*", ".cov" + valuesOf, readCovariance},
	{"pca/eurodist.txt", valuesOf, readDistances},
	{"tridiag/*.dat", valuesOf, readTridiagonal},
	{"tridiag/*.data", valuesOf, readTridiagonal},
	{"tridiag/cuda_eigenvalues/*", valuesOf, readTwoDiagonals},
	{"gen/elsi/*.csc", valuesOf, readELSI},
}

// others are files of eigenvalues in the collection that this test does not use, each with the
// reason.
var others = []struct{ pattern, reason string }{
	{"mtx/Si2.mat" + valuesOf, "MATLAB's format; the same matrix is among the shipped ones"},
	{"*/*.geig.txt", "generalized problem"},
	{"*/*/*.geig.txt", "generalized problem"},
	{"*/*.sv.txt", "singular values, which TestSingularValues solves"},
	{"*", "belongs to no folder"},
}

// collection lists the matrices of the collection that have expected eigenvalues. It logs which
// files of eigenvalues are left out. A file of eigenvalues whose matrix has no reader is an error.
func collection(t *testing.T, root string) []spectrum {
	t.Helper()
	var all []spectrum
	left := map[string]int{}
	refs := filepath.Join(root, "ref")
	err := filepath.WalkDir(refs, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(refs, file)
		if err != nil {
			return err
		}
		name = strings.TrimSuffix(filepath.ToSlash(name), ".gz")
		if reason := noConcern(name); reason != "" {
			left[reason]++
			return nil
		}
		s, err := find(root, name)
		if err != nil {
			return err
		}
		if s.want, err = matio.ReadVectorFile(file); err != nil {
			return err
		}
		slices.Sort(s.want) // the eigenvalues of covariances are in descending order in their files
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		t.Logf("left out: %d, %s", left[reason], reason)
	}
	return all
}

func noConcern(ref string) string {
	for _, o := range others {
		if fits, _ := path.Match(o.pattern, ref); fits {
			return o.reason
		}
	}
	return ""
}

// find returns the matrix that belongs to the file of eigenvalues `ref`. The eigenvalues are not
// read yet.
func find(root, ref string) (spectrum, error) {
	for _, f := range formats {
		matrix, found := strings.CutSuffix(ref, f.suffix)
		matrix = strings.TrimSuffix(matrix, ".gz")
		if fits, _ := path.Match(f.matrix, matrix); !found || !fits {
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(matrix))
		family, _, _ := strings.Cut(matrix, "/")
		return spectrum{
			name: strings.TrimSuffix(ref, valuesOf), family: family,
			read: func(n int) (*matio.Dense, error) { return f.read(file, n) },
		}, nil
	}
	return spectrum{}, errors.New("ref/" + ref + " belongs to no format known here")
}
