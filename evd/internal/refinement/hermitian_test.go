package refinement

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// TestHermitianClusters measures the eigenvectors of the matrices of clusters, with distinct, equal
// and graded eigenvalues. The memory between the columns must not change.
func TestHermitianClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, m := range []int{1, 2, 3, 17, hostCluster} {
		for kind, grade := range map[string]func(i, j int) complex128{
			"random": func(int, int) complex128 { return stagetest.RandomComplex(r) },
			"equal":  func(i, j int) complex128 { return complex(3e-9*float64(m-max(i, j)), 0) * cmplx.Rect(1, float64(i-j)) },
			"near":   func(i, j int) complex128 { return 1e-14 * stagetest.RandomComplex(r) },
			"zero":   func(int, int) complex128 { return 0 },
		} {
			checkCluster(t, kind, m, grade)
		}
	}
}

// TestHermitianNearlyEqual measures eigenvectors of matrices that differ from the identity by a few
// rounding errors.
func TestHermitianNearlyEqual(t *testing.T) {
	for _, size := range []float64{1e-14, 1e-15, 3e-16, 1e-16} {
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 7))
			checkCluster(t, fmt.Sprintf("1 + %g", size), hostCluster, func(i, j int) complex128 { return complex(size, 0) * stagetest.RandomComplex(r) })
		}
	}
}

// checkCluster measures the eigenvectors of the matrix I + G of order m, where grade(i, j) are the
// elements of G.
func checkCluster(t *testing.T, kind string, m int, grade func(i, j int) complex128) {
	t.Helper()
	ld := m + 2
	block := slices.Repeat([]complex128{cmplx.NaN()}, ld*m)
	for j := range m {
		for i := range j + 1 {
			z := grade(i, j)
			if i == j {
				z = complex(real(z)+1, 0)
			}
			block[i+j*ld], block[j+i*ld] = z, cmplx.Conj(z)
		}
	}
	a, values := slices.Clone(block), make([]float64, m)
	if err := ritzOnHost(m, ld, block, values); err != nil {
		t.Fatal(err)
	}
	residual, orthogonality := ratio.Residual(m, m, a, ld, values, block, ld), ratio.Orthogonality(m, m, block, ld)
	if !(residual < 20) || !(orthogonality < 20) || !slices.IsSorted(values) || !cmplx.IsNaN(block[len(block)-1]) {
		t.Errorf("%s, order %d: residual %g, orthogonality %g", kind, m, residual, orthogonality)
	}
}
