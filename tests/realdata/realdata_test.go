// Package realdata solves matrices from applications, and compares the results with reference
// values of more than double precision.
//
//	VKEVD_DATA      folder of the collection; the default is shared/data next to the repository
//	VKEVD_DATA_MAX  largest order to solve; 100000 selects all matrices, for a GPU
//	VKEVD_PRODUCTS  how products are computed for the collection: auto, native or emulated
//	VKEVD_DEVICE    the device, as in the library's own tests
//
// A compiled test runs without its source:
//
//	go test -c -o realdata.test ./tests/realdata
//	VKEVD_DATA=~/data VKEVD_DATA_MAX=100000 ./realdata.test -test.v -test.timeout 30m
package realdata

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/tests/testdata"
)

const (
	// usualOrder is the largest order of the collection that the tests solve if VKEVD_DATA_MAX is
	// not set. The tests then take less than a minute on two cores, including the matrices of the
	// repository.
	usualOrder = 500

	shipped      = 10
	usualSpectra = 110 // smallest number of spectra with orders up to usualOrder
)

// long are shipped matrices that only TestShippedLong solves with emulated products. It is also the
// only test that solves the first of them with native products.
var long = []string{"bcsstk09", "jagmesh7", "Si2", "reorientation_1"}

// TestShipped solves the matrices that come with the repository, whatever their order, except the
// first of `long`.
func TestShipped(t *testing.T) {
	solveAll(t, named(shippedMatrices(t), false, long[:1]), shipped-1, evd.ProductsAuto)
}

// TestShippedEmulated solves the shipped matrices, except `long`, with products that emulate double
// precision on integer units, as vkevd solve --products emulated --check does. Products of every
// size are emulated.
func TestShippedEmulated(t *testing.T) {
	solveAll(t, named(shippedMatrices(t), false, long), shipped-len(long), evd.ProductsEmulated)
}

func TestShippedLong(t *testing.T) {
	when.Long(t, "TestShipped with another matrix that is as large, TestShippedEmulated with smaller ones")
	t.Run("native", func(t *testing.T) { solveAll(t, named(shippedMatrices(t), true, long[:1]), 1, evd.ProductsAuto) })
	t.Run("emulated", func(t *testing.T) {
		solveAll(t, named(shippedMatrices(t), true, long), len(long), evd.ProductsEmulated)
	})
}

// named returns the matrices whose names are in the list `names`, or all other matrices if `among`
// is false.
func named(all []spectrum, among bool, names []string) []spectrum {
	return slices.DeleteFunc(all, func(s spectrum) bool { return slices.Contains(names, s.name) != among })
}

func shippedMatrices(t *testing.T) (all []spectrum) {
	t.Helper()
	files, err := testdata.Matrices.ReadDir("matrices")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name, found := strings.CutSuffix(strings.TrimSuffix(f.Name(), ".gz"), ".mtx")
		if !found {
			continue
		}
		all = append(all, spectrum{
			name: name, family: "shipped",
			want: shippedValues(t, name),
			read: func(int) (*matio.Dense, error) { return shippedMatrix(f.Name()) },
		})
	}
	return all
}

func shippedMatrix(name string) (*matio.Dense, error) {
	f, err := testdata.Matrices.Open(path.Join("matrices", name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return matio.Read(f, name)
}

func shippedValues(t *testing.T, name string) []float64 {
	t.Helper()
	name += valuesOf
	f, err := testdata.Matrices.Open(path.Join("matrices", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	values, err := matio.ReadVector(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func TestCollected(t *testing.T) {
	root, _ := testdata.Collection()
	if root == "" {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	all, most, fewest := collection(t, root), largest(t), 1
	count := len(all)
	all = slices.DeleteFunc(all, func(s spectrum) bool { return len(s.want) > most })
	if len(all) < count {
		t.Logf("left out: %d, order above %d (VKEVD_DATA_MAX)", count-len(all), most)
	}
	if most >= usualOrder {
		fewest = usualSpectra
	}
	solveAll(t, all, fewest, wantedProducts(t))
}

func wantedProducts(t *testing.T) evd.Products {
	t.Helper()
	s := os.Getenv("VKEVD_PRODUCTS")
	if s == "" {
		return evd.ProductsAuto
	}
	p, err := evd.ParseProducts(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// largest is the largest order of a matrix that the tests solve.
func largest(t *testing.T) int {
	t.Helper()
	s := os.Getenv("VKEVD_DATA_MAX")
	if s == "" {
		return usualOrder
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal("VKEVD_DATA_MAX: ", err)
	}
	return n
}
