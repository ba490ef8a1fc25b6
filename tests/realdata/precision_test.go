package realdata

import (
	"context"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/tests/testdata"
	"github.com/vkevd/vkevd/vk"
)

const (
	// smallOrder is the largest order of the tests in single and mixed precision, unless
	// VKEVD_DATA_MAX is set. For singular values it is half of this order. The same code is tested
	// with larger orders in double precision.
	smallOrder = 100

	// shorter is the ε of double precision divided by the ε of single precision.
	shorter = 0x1p-52 / 0x1p-23

	smallSpectra, smallSingular = 40, 10 // smallest numbers of matrices with orders up to smallOrder
)

// smallest returns the largest order that a test solves: VKEVD_DATA_MAX if it is set, and otherwise
// the small order `usual`.
func smallest(t *testing.T, usual int) int {
	if os.Getenv("VKEVD_DATA_MAX") == "" {
		return usual
	}
	return largest(t)
}

// collectionOn returns the folder of the collection and the device. If there is no collection, the
// test is skipped.
func collectionOn(t *testing.T) (root string, d *vk.Device) {
	t.Helper()
	if root, _ = testdata.Collection(); root == "" {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return root, d
}

// TestCollectedPrecisions solves matrices of the collection in single precision and in mixed
// precision. Values and vectors must have the accuracy of float32, and in mixed precision that of
// double precision. The references belong to the matrix of doubles.
func TestCollectedPrecisions(t *testing.T) {
	root, d := collectionOn(t)
	most, solved, cold, worst := smallest(t, smallOrder), 0, 0, [2]float64{}
	for _, s := range collection(t, root) {
		n := len(s.want)
		if n > most || n == 0 {
			continue
		}
		solved++
		t.Run(s.name, func(t *testing.T) {
			a, err := s.read(n)
			if err != nil {
				t.Fatal(err)
			}
			norm := max(math.Abs(s.want[0]), math.Abs(s.want[n-1]))
			mixed := solveMixed(t, d, a)
			off := ratio.Values(n, mixed.Values, s.want, norm)
			r, o := mixed.Certificate.Residual, mixed.Certificate.Orthogonality
			if z := mixed.Vectors.Data; n <= onHost {
				r, o = ratio.Residual(n, n, a.Data, n, mixed.Values, z, n), ratio.Orthogonality(n, n, z, n)
			}
			if !(max(off, r, o) < good) {
				t.Errorf("mixed: values %g, residual %g, orthogonality %g, %+v", off, r, o, mixed.Refinement)
			}
			worst[0] = max(worst[0], off, r, o)
			if mixed.Refinement.Cold != "" {
				cold++
			}
			if norm > 0x1p100 || norm < 0x1p-100 && norm > 0 { // not in the range of float32
				return
			}
			single := solveSingle(t, d, a)
			off = shorter * ratio.Values(n, single, s.want, norm)
			if !(off < good) {
				t.Errorf("single: values %g", off)
			}
			worst[1] = max(worst[1], off)
		})
	}
	if most >= smallOrder && solved < smallSpectra {
		t.Errorf("only %d matrices, there should be %d", solved, smallSpectra)
	}
	t.Logf("%d solved; mixed: %d cold, ratios at most %.3g; single: values at most %.3g·n·ε·‖A‖", solved, cold, worst[0], worst[1])
}

func solveMixed(t *testing.T, d *vk.Device, a *matio.Dense) *evd.Result[float64] {
	t.Helper()
	p, err := evd.NewMixedPlan[float64](d, a.Rows, evd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Solve(context.Background(), evd.NewSym(a.Rows, a.Data, evd.Lower))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// solveSingle solves in single precision, checks the vectors, and returns the values.
func solveSingle(t *testing.T, d *vk.Device, a *matio.Dense) []float64 {
	t.Helper()
	p, err := evd.NewPlan[float32](d, a.Rows, evd.Options{Vectors: true, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Solve(context.Background(), evd.NewSym(a.Rows, singles(a), evd.Lower))
	if err != nil {
		t.Fatal(err)
	}
	if c := res.Certificate; !(max(c.Residual, c.Orthogonality) < good) || c.Safe {
		t.Errorf("single: %v", c)
	}
	return res.Values
}

func singles(a *matio.Dense) []float32 {
	return (&matio.Dense{Data: slices.Clone(a.Data)}).Singles()
}

// TestSingularInSingle computes singular values and vectors of matrices of the collection in single
// precision.
func TestSingularInSingle(t *testing.T) {
	when.Long(t, "TestFloat32Vectors of evd/svd; the collection in doubles")
	root, d := collectionOn(t)
	refs, most, solved, worst := filepath.Join(root, "ref"), smallest(t, smallOrder/2), 0, 0.0
	err := filepath.WalkDir(refs, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(file, singularOf) {
			return err
		}
		want, err := matio.ReadVectorFile(file)
		if err != nil || len(want) > most || len(want) == 0 || want[0] > 0x1p100 || want[0] < 0x1p-100 {
			return err
		}
		name, _ := filepath.Rel(refs, file)
		t.Run(name, func(t *testing.T) {
			a, err := readSingular(root, filepath.ToSlash(name), len(want))
			if err != nil {
				t.Fatal(err)
			}
			solved++
			worst = max(worst, singularInSingle(t, d, a, want))
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if most >= smallOrder/2 && solved < smallSingular {
		t.Errorf("only %d matrices, there should be %d", solved, smallSingular)
	}
	t.Logf("%d solved, at worst %.3g·max(m, n)·ε·σ₁", solved, worst)
}

// singularInSingle returns the largest error of a singular value, divided by max(m, n)·ε·σ₁, with
// the ε of single precision.
func singularInSingle(t *testing.T, d *vk.Device, a *matio.Dense, want []float64) (worst float64) {
	t.Helper()
	m, n := a.Rows, a.Cols
	p, err := svd.NewPlan[float32](d, m, n, svd.Options{U: svd.Thin, V: svd.Thin, Certify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	dense := evd.Dense[float32]{Rows: m, Cols: n, Ld: m, Data: singles(a)}
	res, err := p.Solve(context.Background(), dense)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Check(context.Background(), dense, res); err != nil || !(max(r.Residual, r.Left, r.Right) < good) || !res.Certificate.Passed() {
		t.Errorf("%d×%d: %v, %v, %v", m, n, r, res.Certificate, err)
	}
	unit := float64(max(m, n)) * 0x1p-23 * want[0]
	for i, w := range want {
		if worst = max(worst, math.Abs(float64(res.Values[i])-w)/unit); !(worst < good) {
			t.Fatalf("%d×%d: σ%d is %g, want %g", m, n, i+1, res.Values[i], w)
		}
	}
	return worst
}
