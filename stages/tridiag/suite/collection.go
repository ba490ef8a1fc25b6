package suite

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// LargestFile is the largest order of the matrices from files that tests solve.
const LargestFile = 1000

// BidiagonalCollection calls the function `use` for each bidiagonal matrix of the collection of
// difficult matrices in the folder `root`. It passes the singular values, which were computed with
// more than double precision. It skips the test if `root` is "" or has no such matrices, and in
// short tests. One of the matrices is from LAPACK's bug 255: dbdsdc lost orthogonality on this
// matrix until 2026.
func BidiagonalCollection(t *testing.T, root string, use func(name string, d, e, values []float64)) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	files, _ := filepath.Glob(filepath.Join(root, "bidiag", "*.dat"))
	if root == "" || len(files) == 0 {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	for _, file := range files {
		name := filepath.Base(file)
		d, e := ReadMatrix(t, file)
		values := ReadNumbers(t, filepath.Join(root, "ref", "bidiag", name+".sv.txt"))
		if values == nil {
			t.Errorf("%s has no reference", name)
			continue
		}
		use(strings.TrimSuffix(name, ".dat"), d, e, values)
	}
	t.Logf("%d matrices", len(files))
}

// ReadMatrix reads a tridiagonal matrix T from a file, which contains the order n and then n lines
// of index, d and e. The index is not used, because it is wrong in some files. The last e is not
// part of T.
func ReadMatrix(t *testing.T, file string) (d, e []float64) {
	x := ReadNumbers(t, file)
	if len(x) == 0 || len(x) != 1+3*int(x[0]) {
		t.Fatalf("%s: %d numbers", file, len(x))
	}
	for x = x[1:]; len(x) > 0; x = x[3:] {
		d, e = append(d, x[1]), append(e, x[2])
	}
	return d, e[:len(d)-1]
}

// ReadNumbers returns all numbers of a file, or nil if the file does not exist. Exponents may begin
// with the letter D, as in Fortran.
func ReadNumbers(t *testing.T, file string) (x []float64) {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	words := bufio.NewScanner(f)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		v, err := strconv.ParseFloat(strings.NewReplacer("D", "E", "d", "E").Replace(words.Text()), 64)
		if err != nil && !math.IsInf(v, 0) && v != 0 {
			t.Fatalf("%s: %v", file, err)
		}
		x = append(x, v)
	}
	return x
}
