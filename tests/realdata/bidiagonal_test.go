package realdata

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/tests/testdata"
	"github.com/vkevd/vkevd/vk"
)

const usualBidiagonal = 29 // smallest number of bidiagonal matrices in the collection

// TestBidiagonalValues solves the bidiagonal matrices of the collection, which have orders up to
// 1000, by a plan for bidiagonal matrices. The error of each singular value must be at most
// 10·max(n/10, 1) units in its own last place. The smallest value is 1e-170 times the largest one
// of its matrix.
func TestBidiagonalValues(t *testing.T) {
	root, _ := testdata.Collection()
	if root == "" {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	refs, err := filepath.Glob(filepath.Join(root, "ref", "bidiag", "*"+singularOf))
	if err != nil {
		t.Fatal(err)
	}
	if len(refs) < usualBidiagonal {
		t.Errorf("only %d matrices, there should be %d", len(refs), usualBidiagonal)
	}
	worst, where := 0.0, ""
	for _, ref := range refs {
		name := strings.TrimSuffix(filepath.Base(ref), singularOf)
		t.Run(name, func(t *testing.T) {
			want, err := matio.ReadVectorFile(ref)
			if err != nil {
				t.Fatal(err)
			}
			a, err := readBidiagonal(filepath.Join(root, "bidiag", name), len(want))
			if err != nil {
				t.Fatal(err)
			}
			if off := digitsLost(t, d, a, want); off > worst || math.IsNaN(off) {
				worst, where = off, name
			}
		})
	}
	t.Logf("%d solved; at worst %.3g·max(n/10, 1)·ulp of a value itself (%s)", len(refs), worst, where)
}

// digitsLost computes the singular values of a bidiagonal matrix. It returns the largest error of a
// value in units of max(n/10, 1)·ulp of this value. The test fails if an error exceeds `good`.
func digitsLost(t *testing.T, d *vk.Device, a *matio.Dense, want []float64) (worst float64) {
	t.Helper()
	n := a.Rows
	p, err := svd.NewBidiagonalPlan[float64](d, n, svd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c := svd.Bidiagonal[float64]{D: make([]float64, n), E: make([]float64, n-1)}
	for i := range n {
		if c.D[i] = a.Data[i+i*n]; i < n-1 {
			c.E[i] = a.Data[i+(i+1)*n]
		}
	}
	res, err := p.Solve(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	// The reference is rounded once, and a zero value has no relative error. The solver finds zeros
	// as numbers below this multiple of the largest value.
	const zero = 0x1p-890
	for i, w := range want {
		off := math.Abs(res.Values[i]-w) / (max(float64(n)/10, 1) * 0x1p-52)
		switch {
		case w == 0 && res.Values[i] <= zero*want[0]:
		case !(off <= good*w):
			t.Errorf("σ%d is %g, want %g", i+1, res.Values[i], w)
		case w > 0:
			worst = max(worst, off/w)
		}
	}
	return worst
}
