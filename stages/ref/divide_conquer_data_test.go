package ref

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/tests/testdata"
)

// dcDataLimit is the largest order of the collected matrices that are tried.
const dcDataLimit = 1000

// The collection of tridiagonal matrices on which solvers have failed, where it is at
// hand. Its reference values are right to the last digit or so of ‖T‖.
func TestDivideConquerCollection(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	root, _ := testdata.Collection()
	files, _ := filepath.Glob(filepath.Join(root, "tridiag", "*.dat"))
	if len(files) == 0 {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	var worstR, worstO, worstV float64
	for _, file := range files {
		name := filepath.Base(file)
		d, e := dcReadMatrix(t, file)
		if len(d) > dcDataLimit {
			continue
		}
		values, r, o := dcCheck(t, name, d, e, DCOptions{})
		worstR, worstO = max(worstR, r), max(worstO, o)
		want := dcReadNumbers(t, filepath.Join(root, "ref", "tridiag", name+".eig.txt"))
		if want == nil {
			t.Logf("%s has no reference", name)
			continue
		}
		diff := dcDistance(d, e, values, want)
		worstV = max(worstV, diff)
		if !(diff < 1) {
			t.Errorf("%s: values are %.3g·n·ulp·‖T‖ off", name, diff)
		}
	}
	t.Logf("worst residual %.3g, orthogonality %.3g, values %.3g", worstR, worstO, worstV)
}

// dcReadMatrix reads n, then n lines of index, d and e. The index column is wrong in
// some files: order counts. The last e is not part of T.
func dcReadMatrix(t *testing.T, file string) (d, e []float64) {
	x := dcReadNumbers(t, file)
	if len(x) == 0 || len(x) != 1+3*int(x[0]) {
		t.Fatalf("%s: %d numbers", file, len(x))
	}
	for x = x[1:]; len(x) > 0; x = x[3:] {
		d, e = append(d, x[1]), append(e, x[2])
	}
	return d, e[:len(d)-1]
}

// dcReadNumbers returns all numbers of a file, or nil if there is none. Fortran's
// exponents may begin with D.
func dcReadNumbers(t *testing.T, file string) (x []float64) {
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
