package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// densePlan makes a plan for values in the given storage. The test is skipped if the device cannot
// store numbers of the format.
func densePlan[T evd.Float](t *testing.T, m, n int, opt Options) *Plan[T] {
	t.Helper()
	if opt.Storage == Half && !testDevice(t).Info().HalfStorage() {
		t.Skip("no storage in half precision")
	}
	p, err := NewPlan[T](testDevice(t), m, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// denseErrors are the largest and the smallest relative errors ‖σ̂ − σ‖ / ‖σ‖ that are expected of
// dense matrices of order 20 to 130 in each format.
var denseErrors = map[Storage][2]float64{Single: {1e-6, 2e-9}, Half: {1e-3, 2e-5}}

// valuesWithError solves the matrix 2^scale·a. It returns the result, and the error ‖σ̂ − σ‖ / ‖σ‖
// of its values relative to those of gonum.
func valuesWithError[T evd.Float](t *testing.T, what string, p *Plan[T], a *mat.Dense, scale int) (*Result[T], float64) {
	t.Helper()
	m, n := a.Dims()
	x := evd.Dense[T]{Rows: m, Cols: n, Ld: n + 3, RowMajor: true, Data: slices.Repeat([]T{T(math.NaN())}, m*(n+3))}
	for i := range m {
		for j := range n {
			x.Data[i*x.Ld+j] = T(math.Ldexp(a.At(i, j), scale))
		}
	}
	res, err := p.Solve(context.Background(), x)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	seen := mat.DenseCopyOf(a) // the plan sees rounded subnormal entries, so gonum must get the same entries
	seen.Apply(func(i, j int, _ float64) float64 { return math.Ldexp(float64(x.Data[i*x.Ld+j]), -scale) }, seen)
	want := valuesByGonum(t, seen)
	got := make([]float64, len(res.Values))
	for i, x := range res.Values {
		got[i] = math.Ldexp(float64(x), -scale)
	}
	return res, floats.Distance(got, want[:len(got)], 2) / floats.Norm(want, 2)
}

// TestStorage solves dense matrices of several shapes in each format, for both number types, and
// compares the values with gonum's. Some matrices have entries near the largest and the smallest
// numbers of the type. The relative errors must be those of the format, and the certificates must
// pass. With the smallest tuning, a pass narrows the band of the larger matrices.
func TestStorage(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	t.Run("float64", func(t *testing.T) { testStorage[float64](t, 0, 1018, -1000, -1060) })
	t.Run("float32", func(t *testing.T) { testStorage[float32](t, 0, 122, -120) })
}

func testStorage[T evd.Float](t *testing.T, scales ...int) {
	narrowing := tuning.Smallest()
	narrowing.ValuesFrom, narrowing.Band, narrowing.Narrow.To = 60, 4*narrowing.Band, 3
	for storage, most := range denseErrors {
		for _, shape := range [][2]int{{37, 37}, {20, 45}, {130, 21}, {70, 64}} {
			m, n := shape[0], shape[1]
			if storage == Single && !fewerDigits[T](Options{Storage: Single}) {
				continue
			}
			p := densePlan[T](t, m, n, Options{Storage: storage, Certify: true, Tuning: &narrowing})
			a := randomRectangle(m, n)
			for _, scale := range scales {
				what := fmt.Sprintf("%v, %d×%d·2^%d", storage, m, n, scale)
				res, far := valuesWithError(t, what, p, a, scale)
				rounding := math.Ldexp(1, -1070-scale) // rounding error of results that are subnormal numbers
				if !(far <= max(most[0], rounding)) || !(far >= most[1]) && scale > -1050 {
					t.Errorf("%s: relative error %.3g", what, far)
				}
				if c := res.Certificate; !c.Passed() || c.Norm == 0 {
					t.Errorf("%s: %v", what, c)
				}
				if r := res.Rank(-1); r != min(m, n) && scale > -1050 {
					t.Errorf("%s: rank %d", what, r)
				}
			}
			if narrows := slices.ContainsFunc(p.Costs(), func(c evd.StageCost) bool { return c.Stage == "band narrowing" }); narrows != (min(m, n) >= 60) {
				t.Errorf("%d×%d: %v", m, n, p.Costs())
			}
		}
	}
}

func randomRectangle(m, n int) *mat.Dense {
	a, _ := families[0].make(m, n, false)
	full := mat.NewDense(m, n, nil)
	for j := range n {
		for i := range m {
			full.Set(i, j, a.Data[i+j*a.Ld])
		}
	}
	return full
}

// TestStorageErrorsOfLargerMatrices checks the errors for a matrix of order 200 with the default
// sizes: near 5·10⁻⁸ in single precision, and near 2·10⁻⁴ in half precision. Certificate.Norm must
// be the measured difference of the norms.
func TestStorageErrorsOfLargerMatrices(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	for storage, most := range map[Storage][2]float64{Single: {3e-7, 2e-8}, Half: {5e-4, 1e-4}} {
		p := densePlan[float64](t, 200, 200, Options{Storage: storage, Certify: true})
		a := randomRectangle(200, 200)
		res, far := valuesWithError(t, storage.String(), p, a, 0)
		unit := storage.Ulp()
		if storage == Single {
			unit *= 200
		}
		want := math.Abs(mat.Norm(a, 2)-floats.Norm(res.Values, 2)) / mat.Norm(a, 2) / unit
		if !(math.Abs(res.Certificate.Norm-want) <= 0.01) {
			t.Errorf("%v: the norms differ by %.3g units, the certificate says %.3g", storage, want, res.Certificate.Norm)
		}
		if !(far >= most[1] && far <= most[0]) || !res.Certificate.Passed() {
			t.Errorf("%v: relative error %.3g, %v", storage, far, res.Certificate)
		}
	}
}

// TestStorageOfUnevenMatrices solves matrices of low rank, with two equal columns, and with rows of
// very different sizes, and zeros. The errors relative to the norm must be those of the format, and
// Rank must not count rounding errors.
func TestStorageOfUnevenMatrices(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	small := tuning.Smallest()
	const m, n, rank = 40, 31, 25
	for storage, most := range denseErrors {
		p := densePlan[float64](t, m, n, Options{Storage: storage, Certify: true, Tuning: &small})
		low := mat.NewDense(m, n, nil)
		low.Mul(randomRectangle(m, rank), randomRectangle(rank, n))
		graded := randomRectangle(m, n)
		graded.Apply(func(i, _ int, x float64) float64 { return x * math.Pow(10, float64(-3*i)) }, graded)
		// Two columns of the same panel are equal. So a small diagonal entry of the band lies
		// between large ones, and rounding errors of the band hide that it should be 0.
		equal := randomRectangle(m, n)
		equal.SetCol(2, mat.Col(nil, 0, equal))
		ranks := map[string]int{"low rank": rank, "equal columns": n - 1}
		for what, a := range map[string]*mat.Dense{"low rank": low, "graded": graded, "equal columns": equal} {
			res, far := valuesWithError(t, what, p, a, 0)
			if !(far <= most[0]) || !res.Certificate.Passed() {
				t.Errorf("%v, %s: relative error %.3g, %v", storage, what, far, res.Certificate)
			}
			if r := res.Rank(-1); ranks[what] > 0 && r != ranks[what] {
				t.Errorf("%v, %s: rank %d: %v", storage, what, r, res.Values)
			}
		}
		zero, err := p.Solve(context.Background(), evd.Dense[float64]{Rows: m, Cols: n, Ld: m, Data: make([]float64, m*n)})
		if err != nil || floats.Norm(zero.Values, 1) != 0 || zero.Rank(-1) != 0 || !zero.Certificate.Passed() {
			t.Errorf("%v, zeros: %v, %v", storage, err, zero)
		}
	}
}

// TestStorageOptions checks that other options work with a format of fewer digits: a part of the
// values, verified results, progress, all sizes of matrices down to none, and a device without
// double precision.
func TestStorageOptions(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	small, a := tuning.Smallest(), randomRectangle(33, 24)
	for storage, most := range denseErrors {
		stages := 0
		p := densePlan[float64](t, 33, 24, Options{Storage: storage, Largest: 5, Verify: true, Tuning: &small, Progress: func(evd.Progress) { stages++ }})
		res, far := valuesWithError(t, "part", p, a, 3)
		if len(res.Values) != 5 || !(far <= most[0]*3) || res.Certificate == nil || res.Certificate.Safe || stages < 3 {
			t.Errorf("%v: %d values, error %.3g, %v, %d calls of Progress", storage, len(res.Values), far, res.Certificate, stages)
		}
		for _, shape := range [][2]int{{0, 0}, {0, 3}, {1, 1}, {2, 1}, {3, 3}, {1, 9}} {
			p := densePlan[float64](t, shape[0], shape[1], Options{Storage: storage, Tuning: &small})
			if shape[0] == 0 {
				if res, err := p.Solve(context.Background(), evd.Dense[float64]{Rows: 0, Cols: shape[1]}); err != nil || len(res.Values) != 0 || p.Costs() != nil {
					t.Errorf("%v, %v: %v", storage, shape, err)
				}
				continue
			}
			if _, far := valuesWithError(t, "small", p, randomRectangle(shape[0], shape[1]), 0); !(far <= most[0]) {
				t.Errorf("%v, %v: error %.3g", storage, shape, far)
			}
		}
		q, err := NewPlan[float64](singleOnly(t), 33, 24, Options{Storage: storage, Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		if _, far := valuesWithError(t, "without doubles", q, a, 900); !(far <= most[0]) {
			t.Errorf("%v without double precision: error %.3g", storage, far)
		}
		q.Close()
		if _, err := q.Solve(context.Background(), evd.Dense[float64]{Rows: 33, Cols: 24, Ld: 33, Data: make([]float64, 33*24)}); !errors.Is(err, evd.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	double, single, half := densePlan[float64](t, 300, 300, Options{}), densePlan[float64](t, 300, 300, Options{Storage: Single}), densePlan[float64](t, 300, 300, Options{Storage: Half})
	if d, s, h := double.Bytes(), single.Bytes(), half.Bytes(); !(s < d && h < d) || len(half.Memory()) == 0 || half.Band() == 0 || half.Block() == 0 {
		t.Errorf("%d bytes in double precision, %d in single, %d in half", d, s, h)
	}
}

// TestStorageRefuses checks the errors for vectors, emulated products, a format that does not
// exist, a device that cannot store half-precision numbers, a bidiagonal matrix, and matrices with
// a NaN or another shape. A plan for float32 is in single precision anyway, so it accepts Single
// with vectors.
func TestStorageRefuses(t *testing.T) {
	dev, option := testDevice(t), (*evd.OptionError)(nil)
	for what, opt := range map[string]Options{
		"Storage": {Storage: Half, U: Thin}, "Storage ": {Storage: Single, V: Full}, "Storage  ": {Storage: Half + 1}, "Storage   ": {Storage: -1},
		"Products": {Storage: Half, Products: evd.ProductsEmulated},
	} {
		if _, err := NewPlan[float64](dev, 30, 20, opt); !errors.As(err, &option) || option.Option != strings.TrimSpace(what) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	if _, err := NewPlan[float32](dev, 30, 20, Options{Storage: Half, V: Thin}); !errors.As(err, &option) {
		t.Errorf("half precision with vectors: %v", err)
	}
	if _, err := NewBidiagonalPlan[float64](dev, 30, Options{Storage: Half}); !errors.As(err, &option) {
		t.Errorf("bidiagonal: %v", err)
	}
	p, err := NewPlan[float32](dev, 30, 20, Options{Storage: Single, U: Thin})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	info := dev.Info()
	info.Features = slices.DeleteFunc(slices.Clone(info.Features), func(f string) bool { return f == "storageBuffer16BitAccess" })
	var lacks *vk.UnsupportedError
	if _, err := NewPlan[float64](vk.Dry(info), 30, 20, Options{Storage: Half}); !errors.As(err, &lacks) || !strings.HasPrefix(lacks.Feature, "storageBuffer16BitAccess") {
		t.Errorf("without 16-bit storage: %v", err)
	}
	half := densePlan[float64](t, 3, 2, Options{Storage: Half})
	bad := evd.Dense[float64]{Rows: 3, Cols: 2, Ld: 3, Data: []float64{1, 2, 3, 4, math.NaN(), 6}}
	var finite *evd.NonFiniteError
	if _, err := half.Solve(context.Background(), bad); !errors.As(err, &finite) || finite.Row != 1 || finite.Col != 1 {
		t.Errorf("NaN: %v", err)
	}
	var shape *ShapeError
	if _, err := half.Solve(context.Background(), evd.Dense[float64]{Rows: 2, Cols: 3, Ld: 2, Data: bad.Data}); !errors.As(err, &shape) {
		t.Errorf("another shape: %v", err)
	}
	if _, err := half.Check(context.Background(), bad, &Result[float64]{}); !errors.As(err, &option) {
		t.Errorf("a check without vectors: %v", err)
	}
}

// TestStorageSurvives makes a wait between workgroups of the reduction in half precision fail. The
// plan must solve again without waits, with the same bits.
func TestStorageSurvives(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	tune := tuning.Smallest()
	tune.ValuesFrom, tune.Band, tune.Narrow.To = 20, 4*tune.Band, 3
	a := randomRectangle(50, 40)
	for _, phase := range []string{stages.PhaseBandNarrowing, stages.PhaseBulgeChasing} {
		d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if !d.Info().HalfStorage() {
			t.Skip("no storage in half precision")
		}
		p, err := NewPlan[float64](d, 50, 40, Options{Storage: Half, Tuning: &tune})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		want, _ := valuesWithError(t, phase, p, a, 0)
		injected := 0
		p.single.base.BeforeInfo = func(rec *vk.Recorder, at string, word vk.Slice[uint32]) {
			if at == phase && injected == 0 {
				injected++
				vk.Fill(rec, word, 1)
			}
		}
		got, _ := valuesWithError(t, phase, p, a, 0)
		if injected != 1 || got.Retried == nil || got.Retried.Stage != phase || !slices.Equal(got.Values, want.Values) {
			t.Errorf("%s: injected %d, retried %v", phase, injected, got.Retried)
		}
	}
}
