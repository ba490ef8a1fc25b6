package realdata

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/tests/testdata"
	"github.com/vkevd/vkevd/vk"
)

// hermitianMatrices is the number of complex matrices with expected eigenvalues in the collection.
const hermitianMatrices = 7

// TestHermitianCollection solves the complex matrices of the collection on the device, from each
// triangle, and with package ref, in two stages with several half-bandwidths. The expected values
// were computed with 45 digits.
func TestHermitianCollection(t *testing.T) {
	root, _ := testdata.Collection()
	files, err := filepath.Glob(filepath.Join(root, "herm", "*"+valuesOf))
	if err != nil || root == "" || len(files) == 0 {
		t.Skip("no collection of complex matrices")
	}
	if len(files) < hermitianMatrices {
		t.Errorf("only %d complex matrices", len(files))
	}
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, file := range files {
		want, err := numbers(file)
		if err != nil {
			t.Fatal(err)
		}
		name, n := strings.TrimSuffix(file, valuesOf), len(want)
		a, err := readHermitian(name, n)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		judge := func(by string, values []float64, z []complex128) {
			v := ratio.Values(n, values, want, ratio.Norm1(n, n, a, n))
			r, o := ratio.Residual(n, n, a, n, values, z, n), ratio.Orthogonality(n, n, z, n)
			t.Logf("%s, n=%d, %s: values %.2g, residual %.2g, orthogonality %.2g", filepath.Base(name), n, by, v, r, o)
			if !(v < good) || !(r < good) || !(o < good) {
				t.Errorf("%s, %s: ratios %g, %g, %g", name, by, v, r, o)
			}
		}
		for _, b := range []int{4, 8, 32} {
			values, z := ref.Eigen(n, b, 2*b, slices.Clone(a), n)
			judge(fmt.Sprint("b=", b), values, z)
		}
		p, err := evd.NewPlan[complex128](d, n, evd.Options{Vectors: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
			res, err := p.Solve(context.Background(), evd.NewSym(n, slices.Clone(a), uplo))
			if err != nil {
				t.Fatal(err)
			}
			judge(fmt.Sprintf("device, upper %v", uplo), res.Values, res.Vectors.Data)
		}
		p.Close()
	}
}

// readHermitian reads the complex Hermitian matrix of order n with the given name, whose file has
// one of several endings, into full storage.
func readHermitian(name string, n int) ([]complex128, error) {
	a := make([]complex128, n*n)
	set := func(i, j int, x complex128) { a[i+j*n], a[j+i*n] = x, cmplx.Conj(x) }
	if data, err := os.ReadFile(name + ".npy"); err == nil { // <c16 in Fortran order
		data = data[len(data)-16*n*n:]
		part := func(k int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[8*k:])) }
		for k := range a {
			a[k] = complex(part(2*k), part(2*k+1))
		}
		return a, nil
	}
	var x []float64
	if text, err := os.ReadFile(name + ".mtx"); err == nil { // the size, then row, column and both parts
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "%") {
				continue
			}
			for _, w := range strings.Fields(line) {
				v, err := number(w)
				if err != nil {
					return nil, err
				}
				x = append(x, v)
			}
		}
		for x = x[3:]; len(x) >= 4; x = x[4:] {
			set(int(x[0])-1, int(x[1])-1, complex(x[2], x[3]))
		}
		return a, nil
	}
	// ABACUS: the order, then the upper triangle row by row as (re,im).
	folder, base := filepath.Split(name)
	text, err := os.ReadFile(filepath.Join(folder, "H-"+strings.TrimSuffix(base, "_H")+".dat"))
	if err != nil {
		return nil, err
	}
	words := strings.Fields(string(text))[1:]
	if len(words) != n*(n+1)/2 {
		return nil, fmt.Errorf("%d words for order %d", len(words), n)
	}
	for i := range n {
		for j := i; j < n; j++ {
			var re, im float64
			if _, err := fmt.Sscanf(words[0], "(%g,%g)", &re, &im); err != nil {
				return nil, err
			}
			set(i, j, complex(re, im))
			words = words[1:]
		}
	}
	return a, nil
}
