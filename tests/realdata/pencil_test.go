package realdata

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/tests/testdata"
	"github.com/vkevd/vkevd/vk"
)

// pairs are generalized problems of the collection: files of A and B, how to read them, and the file
// of the values of A·x = λ·B·x. If `more` is a file, A is the sum of two matrices.
var pairs = []struct {
	a, more, b, want string
	read             func(file string, n int) (realOrComplex, error)
}{
	{"mtx/lund_a.mtx", "", "mtx/lund_b.mtx", "ref/gen/lund_a-lund_b.geig.txt", readEither},
	{"gen/elses/ELSES_MATRIX_BNZ30_A.mtx", "", "gen/elses/ELSES_MATRIX_BNZ30_B.mtx", "ref/gen/elses/BNZ30_A-B.geig.txt", readEither},
	{"gen/crawford_h2o_STO-3G/t.dat", "gen/crawford_h2o_STO-3G/v.dat", "gen/crawford_h2o_STO-3G/s.dat", "ref/gen/crawford_h2o_STO-3G/tplusv-s.geig.txt", readLower},
	{"gen/crawford_h2o_DZ/t.dat", "gen/crawford_h2o_DZ/v.dat", "gen/crawford_h2o_DZ/s.dat", "ref/gen/crawford_h2o_DZ/tplusv-s.geig.txt", readLower},
	{"gen/crawford_ch4_STO-3G/t.dat", "gen/crawford_ch4_STO-3G/v.dat", "gen/crawford_ch4_STO-3G/s.dat", "ref/gen/crawford_ch4_STO-3G/tplusv-s.geig.txt", readLower},
	{"gen/abacus_Si2/H-GammaOnly-Si2.dat", "", "gen/abacus_Si2/S-GammaOnly-Si2.dat", "ref/gen/abacus_Si2/H-S.geig.txt", readUpperRows},
	{"gen/elsi/B_real.csc", "", "gen/elsi/A_real.csc", "ref/gen/elsi/B_real-A_real.geig.txt", readSparse},
	{"herm/si2_k1_H.mtx", "", "herm/si2_k1_S.mtx", "herm/si2_k1.geig.txt", readEither},
	{"herm/si2_k2_H.mtx", "", "herm/si2_k2_S.mtx", "herm/si2_k2.geig.txt", readEither},
	{"herm/si8_k1_H.npy", "", "herm/si8_k1_S.npy", "herm/si8_k1.geig.txt", readEither},
}

// realOrComplex is a matrix by columns, in one of its two fields. The other field is nil.
type realOrComplex struct {
	real    []float64
	complex []complex128
}

func readEither(file string, _ int) (r realOrComplex, err error) {
	d, z, err := matio.Options{}.ReadEitherFile(file)
	if z != nil {
		r.complex = z.Data
	} else if d != nil {
		r.real = d.Data
	}
	return r, err
}

func readSparse(file string, n int) (realOrComplex, error) {
	d, err := readELSI(file, n)
	if err != nil {
		return realOrComplex{}, err
	}
	return realOrComplex{real: d.Data}, nil
}

// readLower reads lines of row, column and value of the lower triangle, with numbers from 1.
func readLower(file string, n int) (realOrComplex, error) {
	rows, err := table(file, 3)
	a := make([]float64, n*n)
	for _, r := range rows {
		i, j := int(r[0])-1, int(r[1])-1
		a[i+j*n], a[j+i*n] = r[2], r[2]
	}
	return realOrComplex{real: a}, err
}

// readUpperRows reads the order, and then the upper triangle row by row.
func readUpperRows(file string, n int) (realOrComplex, error) {
	x, err := numbers(file)
	if err == nil && len(x) != 1+n*(n+1)/2 {
		err = fmt.Errorf("%s: %d numbers for order %d", file, len(x), n)
	}
	if err != nil {
		return realOrComplex{}, err
	}
	a := make([]float64, n*n)
	for i := range n {
		for j := i; j < n; j++ {
			a[i+j*n], a[j+i*n] = x[1], x[1]
			x = x[1:]
		}
	}
	return realOrComplex{real: a}, nil
}

// TestPencils solves the pairs of the collection. Their values were computed with more than double
// precision.
func TestPencils(t *testing.T) {
	root, _ := testdata.Collection()
	if root == "" {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, p := range pairs {
		t.Run(p.want, func(t *testing.T) {
			want, err := matio.ReadVectorFile(filepath.Join(root, p.want))
			if err != nil {
				t.Fatal(err)
			}
			n := len(want)
			a, errA := p.read(filepath.Join(root, p.a), n)
			b, errB := p.read(filepath.Join(root, p.b), n)
			if err := errors.Join(errA, errB); err != nil {
				t.Fatal(err)
			}
			if p.more != "" {
				v, err := p.read(filepath.Join(root, p.more), n)
				if err != nil {
					t.Fatal(err)
				}
				for k, x := range v.real {
					a.real[k] += x
				}
			}
			if a.complex != nil {
				solvePair(t, d, n, a.complex, b.complex, want)
			} else {
				solvePair(t, d, n, a.real, b.real, want)
			}
		})
	}
}

// solvePair solves a pair of matrices from one triangle without vectors, and from the other
// triangle with vectors. Values have errors of about n·ε·‖A‖·‖B⁻¹‖, so the ratio is relative to
// this.
func solvePair[T float64 | complex128](t *testing.T, d *vk.Device, n int, a, b []T, want []float64) {
	for _, vectors := range []bool{false, true} {
		plan, err := pencil.NewPlan[T](d, n, pencil.Options{Vectors: vectors, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer plan.Close()
		uplo := evd.Uplo(vectors)
		res, err := plan.SolvePair(context.Background(), evd.NewSym(n, slices.Clone(a), uplo), evd.NewSym(n, slices.Clone(b), uplo))
		if err != nil {
			t.Fatal(err)
		}
		inverse := res.Condition / ratio.Norm1(n, n, b, n)
		v := ratio.Values(n, res.Values, want, max(math.Abs(want[0]), math.Abs(want[n-1]), ratio.Norm1(n, n, a, n)*inverse))
		eta, omega := 0.0, 0.0
		if vectors {
			eta, omega = ratio.Pencil(n, n, a, n, b, n, res.Values, res.Vectors.Data, n)
		}
		t.Logf("n=%d, condition %.2g, values %.2g, eta %.2g, omega %.2g", n, res.Condition, v, eta, omega)
		if !(v < 1) || !(eta < 1) || !(omega < 1) || res.Certificate.Safe {
			t.Errorf("ratios %g, %g, %g, %v", v, eta, omega, res.Certificate)
		}
	}
}
