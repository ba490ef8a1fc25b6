package stedc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// TestDivideConquerCollection solves a collection of tridiagonal matrices on which solvers have
// failed. The environment variable VKEVD_DATA names the folder of the collection. VKEVD_DATA_MAX is
// the largest order, 1000 by default. The error of the reference values is about one ulp of ‖T‖.
func TestDivideConquerCollection(t *testing.T) {
	when.Long(t, "tests of families of matrices; tests/realdata solves the collection")
	root := os.Getenv("VKEVD_DATA")
	if root == "" {
		t.Skip("VKEVD_DATA is not set to the folder of the collection")
	}
	most := 1000
	if s := os.Getenv("VKEVD_DATA_MAX"); s != "" {
		var err error
		if most, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(root, "tridiag", "*.dat"))
	if len(files) == 0 {
		t.Fatal("no matrices in " + root)
	}
	var worstR, worstO, worstV float64
	seen := 0
	for _, file := range files {
		name := filepath.Base(file)
		m, err := matio.ReadTridiagonalFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(m.D) > most {
			continue
		}
		seen++
		r, o := checkTridiagonal(t, name, TuningFor(stagetest.Device(t).Info()), m.D, m.E)
		worstR, worstO = max(worstR, r), max(worstO, o)
		want := readValues(t, filepath.Join(root, "ref", "tridiag", name+".eig.txt"))
		if want == nil {
			continue
		}
		values := solveTridiagonalValues(t, TuningFor(stagetest.Device(t).Info()), m.D, m.E)
		v := ratio.Values(len(m.D), values, want, ratio.NormTridiagonal(m.D, m.E))
		worstV = max(worstV, v)
		if !(v < 1) {
			t.Errorf("%s: values are %.3g·n·ulp·‖T‖ off", name, v)
		}
	}
	t.Logf("%d matrices: worst residual %.3g, orthogonality %.3g, values %.3g", seen, worstR, worstO, worstV)
}

// readValues returns the numbers in a file, or nil if the file cannot be read.
func readValues(t *testing.T, file string) (values []float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for _, word := range strings.Fields(string(text)) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		values = append(values, v)
	}
	return values
}
