package svd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/stages/tuning"
)

// bandTypes are the 15 types of matrices in LAPACK's test dchkbb. Each but the random ones has the
// singular values of a family of bidiagonal matrices. The band is diagonal, or a dense matrix with
// these values that was reduced to a band. `scale` is a factor of all entries.
var bandTypes = []struct {
	name, family string
	dense        bool
	scale        float64
}{
	{"1: zero", "dchkbd 1: zero", false, 1},
	{"2: identity", "dchkbd 2: identity", false, 1},
	{"3: diagonal, even", "dchkbd 3: diagonal, even", false, 1},
	{"4: diagonal, geometric", "dchkbd 4: diagonal, geometric", false, 1},
	{"5: diagonal, clustered", "dchkbd 5: diagonal, clustered", false, 1},
	{"6: diagonal, near √overflow", "dchkbd 3: diagonal, even", false, 0x1p510},
	{"7: diagonal, near √underflow", "dchkbd 3: diagonal, even", false, 0x1p-510},
	{"8: dense, even", "dchkbd 8: dense, even", true, 1},
	{"9: dense, geometric", "dchkbd 9: dense, geometric", true, 1},
	{"10: dense, clustered", "dchkbd 10: dense, clustered", true, 1},
	{"11: dense, near √overflow", "dchkbd 8: dense, even", true, 0x1p510},
	{"12: dense, near √underflow", "dchkbd 8: dense, even", true, 0x1p-510},
	{"13: random", "", true, 1},
	{"14: random, near √overflow", "", true, 0x1p510},
	{"15: random, near √underflow", "", true, 0x1p-510},
}

// bandOfType returns the band of order n with b superdiagonals of one of the bandTypes, multiplied
// by `scale`, and the same matrix without the factor for gonum. Unused elements are NaN.
func bandOfType(t *testing.T, family string, dense bool, n, b int, scale float64) (Band[float64], *mat.Dense) {
	t.Helper()
	full := mat.NewDense(n, n, nil)
	kept := min(b, n-1)
	switch {
	case family == "":
		r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
		full.Apply(func(i, j int, _ float64) float64 {
			if i > j || j > i+b {
				return 0
			}
			return 2*r.Float64() - 1
		}, full)
	default:
		var d, e []float64
		for _, f := range suite.BidiagonalFamilies {
			if f.Name == family {
				d, e = f.Make(n)
			}
		}
		if d == nil {
			t.Fatalf("no family %q", family)
		}
		if !dense || kept < 1 {
			for i, x := range d {
				full.Set(i, i, x)
			}
			break
		}
		a := turned(n, d, e, true)
		band, _, _ := ref.GeneralBandReduction(n, n, kept, kept, a.Data, n)
		for i := range n {
			for j := i; j < min(n, i+kept+1); j++ {
				full.Set(i, j, band[ref.BidiagonalBandAt(kept, i, j)])
			}
		}
	}
	x := Band[float64]{N: n, B: b, Ld: b + 1, Data: slices.Repeat([]float64{math.NaN()}, (b+1)*n)}
	for j := range n {
		for i := max(0, j-b); i <= j; i++ {
			x.Data[b+i-j+j*x.Ld] = full.At(i, j) * scale
		}
	}
	return x, full
}

// TestBandTypes solves all types of LAPACK's dchkbb with its numbers of superdiagonals, and at
// edges of the smallest tiles. The values are compared with gonum's, and the certificates must
// pass.
func TestBandTypes(t *testing.T) {
	when.Skip(t, when.Quick, "TestBandPlan, with other numbers")
	small := tuning.Smallest()
	for _, n := range []int{1, 2, 3, 10, 16, 20, 40} {
		for _, b := range []int{0, 1, 2, 3, 4, 5, 8, 9, 16} {
			p, err := NewBandPlan[float64](testDevice(t), n, b, BandOptions{Certify: true, Tuning: &small})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range bandTypes {
				what := fmt.Sprintf("n = %d, b = %d, type %s", n, b, c.name)
				band, full := bandOfType(t, c.family, c.dense, n, b, c.scale)
				res, err := p.Solve(context.Background(), band)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if !res.Certificate.Passed() {
					t.Errorf("%s: %v", what, res.Certificate)
				}
				nearScaled(t, what, res.Values, valuesByGonum(t, full), c.scale)
			}
			p.Close()
		}
	}
}
