package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// shorter is 2⁻⁵²/2⁻²³, the ulp of float64 divided by the ulp of float32. Package ratio measures
// errors in units of float64's ulp. Multiplied by `shorter`, they are in units of float32's ulp.
const shorter = 0x1p-52 / 0x1p-23

// rounded returns the numbers of the list `a` in float32, and the rounded numbers as doubles. If
// the exponent of the largest number is beyond ±100, all numbers are first multiplied by a power of
// two that makes this exponent ±100. In float32 the square of the largest number still overflows or
// underflows.
func rounded[T single, D double](a []D) (single []T, double []D) {
	top := modulus(largestEntry(a))
	scale := 1.0
	if _, e := math.Frexp(top); top != 0 && (e > 100 || e < -100) {
		scale = math.Ldexp(1, 100*e/max(e, -e)-e)
	}
	single = make([]T, len(a))
	for i, x := range a {
		single[i] = converted[T](x * ofReal[D](scale))
		double = append(double, converted[D](single[i]))
	}
	return single, double
}

// single is a number in single precision.
type single interface{ float32 | complex64 }

// converted returns x in another precision. Both types must be real, or both complex.
func converted[To, From evd.Number](x From) (to To) {
	var z complex128
	plan.Parts([]From{x}, func(parts []float32, each int) {
		z = complex(float64(parts[0]), float64(parts[each-1]))
	}, func(parts []float64, each int) {
		z = complex(parts[0], parts[each-1])
	})
	switch to := any(&to).(type) {
	case *float32:
		*to = float32(real(z))
	case *float64:
		*to = real(z)
	case *complex64:
		*to = complex64(z)
	case *complex128:
		*to = z
	}
	return to
}

func singles(a []float64) []float32 {
	single := make([]float32, len(a))
	for i, x := range a {
		single[i] = float32(x)
	}
	return single
}

func widened[D double, T single](res *evd.Result[T]) (values []float64, vectors []D) {
	if res.Vectors != nil {
		for _, x := range res.Vectors.Data {
			vectors = append(vectors, converted[D](x))
		}
	}
	return res.Values, vectors
}

func singlePlan(t *testing.T, d *vk.Device, n int, opt evd.Options) *evd.Plan[float32] {
	t.Helper()
	return planOf[float32](t, d, n, opt)
}

// solveSingle solves for the full matrix `a` in single precision. The plan p computes vectors, and
// the plan q does not. solveSingle measures both results on the host, in double precision.
func solveSingle[T single, D double](t *testing.T, p, q *evd.Plan[T], n int, a []D) (values []float64) {
	t.Helper()
	ctx := context.Background()
	single, double := rounded[T](a)
	sym := evd.NewSym(n, slices.Clone(single), evd.Lower)
	res, err := p.Solve(ctx, sym)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sym.Data, single) {
		t.Error("the input was written to")
	}
	values, z := widened[D](res)
	if !slices.IsSorted(values) {
		t.Error("values do not ascend")
	}
	residual := shorter * ratio.Residual(n, n, double, n, values, z, n)
	if orthogonality := shorter * ratio.Orthogonality(n, n, z, n); !(residual < good && orthogonality < good) {
		t.Errorf("residual %g, orthogonality %g", residual, orthogonality)
	}
	if own, err := p.Check(ctx, sym, res); err != nil || !(math.Abs(own.Residual-residual) <= 1+0.5*residual) {
		t.Errorf("Check finds a residual of %g, evd/ratio of %g, %v", own.Residual, residual, err)
	}
	alone, err := q.Solve(ctx, sym)
	if err != nil {
		t.Fatal(err)
	}
	if again := alone.Values; !(shorter*ratio.Values(n, again, values, norm2(values)) < good) {
		t.Errorf("values alone differ: %g and %g", again, values)
	}
	return values
}

// TestFloat32Types solves LAPACK's test types, and other matrices with known spectra, in single
// precision.
func TestFloat32Types(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	singleTypes[float32](t, device(t, vk.Options{}), matgen.Dense())
}

func TestComplex64Types(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	singleTypes[complex64](t, device(t, vk.Options{}), matgen.Hermitians())
}

// kind is a family of test matrices.
type kind[D double] interface {
	Name() string
	Dense(n int) []D
	Eigenvalues(n int) ([]float64, bool)
}

func singleTypes[T single, D double, K kind[D]](t *testing.T, d *vk.Device, kinds []K) {
	orders := []int{5, 21, 50}
	var p, q [3]*evd.Plan[T]
	for i, n := range orders {
		p[i] = planOf[T](t, d, n, evd.Options{Vectors: true, Tuning: small()})
		q[i] = planOf[T](t, d, n, evd.Options{Tuning: small()})
	}
	for i, kind := range kinds {
		n := orders[i%3]
		t.Run(fmt.Sprintf("%s/%d", kind.Name(), n), func(t *testing.T) {
			values := solveSingle(t, p[i%3], q[i%3], n, kind.Dense(n))
			want, known := kind.Eigenvalues(n)
			if known && norm2(want) < 1e30 && norm2(want) > 1e-30 { // neither scaled by the test nor zero
				if r := shorter * ratio.Values(n, values, want, norm2(want)); !(r < good) {
					t.Errorf("values are off by %g·n·ε·‖A‖", r)
				}
			}
		})
	}
}

// TestNarrowedVectorsHaveAPhase checks that the conversion of the tridiagonal matrix's vectors to
// single precision is measured as a phase of its own.
func TestNarrowedVectorsHaveAPhase(t *testing.T) {
	const n = 21
	p := singlePlan(t, device(t, vk.Options{}), n, evd.Options{Vectors: true, Tuning: small()})
	a := evd.Sym[float32]{N: n, Ld: n, Data: make([]float32, n*n)}
	for i := range a.Data {
		a.Data[i] = float32(i*i%17) + 1
	}
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	if !(res.Profile.Phase(stages.PhaseNarrow) > 0) {
		t.Errorf("no time in %q", stages.PhaseNarrow)
	}
}

// TestFloat32Sizes solves matrices in single precision: orders around multiples of the tile sizes
// with the smallest tuning, and a few orders with the device's own tuning.
func TestFloat32Sizes(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Pick(t, when.Single)
	d := device(t, vk.Options{})
	for n, tune := range map[int]*tuning.Tuning{
		1: small(), 2: small(), 3: small(), 7: small(), 8: small(), 9: small(), 33: small(), 47: small(), 65: nil, 257: nil,
	} {
		p := singlePlan(t, d, n, evd.Options{Vectors: true, Tuning: tune})
		solveSingle(t, p, singlePlan(t, d, n, evd.Options{Tuning: tune}), n, full(random(n)))
	}
}

// TestFloat32Range solves matrices whose entries reach from the smallest to the largest float32.
// The squares of some entries overflow or underflow. Some matrices have only subnormal entries.
func TestFloat32Range(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Pick(t, when.Single)
	d := device(t, vk.Options{})
	const n = 16
	p := singlePlan(t, d, n, evd.Options{Vectors: true, Tuning: small()})
	q := singlePlan(t, d, n, evd.Options{Tuning: oneStage()}) // the reduction in one stage does not scale columns
	for i, of := range [][]float64{
		{0x1p-149}, {0x1p-149, 0x1p-126, 0}, {0x1p-126}, {1e-20, 1e-40}, {1, 0x1p-149}, {1e20, 1e-20, 1},
		{1e37, 1e-37, 0}, {math.MaxFloat32 / 32, 0x1p-149}, {math.MaxFloat32 / 32},
	} {
		t.Run(fmt.Sprint(of), func(t *testing.T) {
			a := scaledSym(n, of, uint64(i))
			single := evd.NewSym(n, singles(a), evd.Lower)
			res, err := p.Solve(context.Background(), single)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := q.Solve(context.Background(), single)
			if err != nil {
				t.Fatal(err)
			}
			values, z := widened[float64](res)
			again := alone.Values
			// If all eigenvalues are near the smallest float32, their error is about the smallest
			// float32, and not a multiple of ulp·norm.
			norm := max(norm2(values), 0x1p-126)
			residual := shorter * ratio.Residual(n, n, a, n, values, z, n)
			if top := largestEntry(a); math.Abs(top) < 0x1p-120 {
				residual *= math.Abs(top) / 0x1p-120
			}
			orthogonality := shorter * ratio.Orthogonality(n, n, z, n)
			if !(residual < good && orthogonality < good && shorter*ratio.Values(n, again, values, norm) < good) {
				t.Errorf("residual %g, orthogonality %g, values %g, alone %g", residual, orthogonality, values, again)
			}
			if own, err := p.Check(context.Background(), single, res); err != nil || !(own.Residual < good) {
				t.Errorf("Check: %+v, %v", own, err)
			}
		})
	}
	one := make([]float32, n*n)
	for i := range one {
		one[i] = math.MaxFloat32
	}
	res, err := p.Solve(context.Background(), evd.NewSym(n, one, evd.Lower))
	if err != nil || !(math.Abs(res.Values[n-1]-n*math.MaxFloat32) < n*math.MaxFloat32*1e-5) {
		t.Errorf("the largest value is not n·MaxFloat32: %v, %v", res, err)
	}
	one[5*n+2], one[7*n+9] = float32(math.NaN()), float32(math.Inf(-1))
	var bad *evd.NonFiniteError
	_, err = p.Solve(context.Background(), evd.NewSym(n, one, evd.Lower))
	if !errors.As(err, &bad) || bad.Row != 9 || bad.Col != 7 || !math.IsInf(bad.Value, -1) {
		t.Errorf("an infinity below the diagonal: %v", err)
	}
	_, err = p.Solve(context.Background(), evd.NewSym(n, one, evd.Upper))
	if !errors.As(err, &bad) || bad.Row != 2 || bad.Col != 5 {
		t.Errorf("a NaN above the diagonal: %v", err)
	}
}

// oneStage returns the smallest tuning, changed so that matrices are reduced in one stage.
func oneStage() *tuning.Tuning {
	t := small()
	t.Sytrd = reduce.TridiagonalisationTuning{
		Values: 60, Vectors: 60, LocalSize: 16, Groups: 1, Rows: 1, Kept: 128, Polls: 1 << 24,
		Blocked: reduce.BlockedTuning{Left: 20, Columns: 8, LocalSize: 16, Groups: 1},
	}
	return t
}

// TestFloat32Options solves in single precision with several options in turn, most of them with
// Verify. The results must agree, except for rounding errors, with the whole spectrum of the same
// matrix.
func TestFloat32Options(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	singleOptions[float32](t, device(t, vk.Options{}), full(random(45)))
}

func TestComplex64Options(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	singleOptions[complex64](t, device(t, vk.Options{}), randomHermitian(45))
}

// singleOptions does the same as TestFloat32Options for the number type T and a matrix of order 45.
func singleOptions[T single, D double](t *testing.T, d *vk.Device, matrix []D) {
	const n = 45
	rounded, _ := rounded[T](matrix)
	a := evd.NewSym(n, rounded, evd.Lower)
	whole, err := planOf[T](t, d, n, evd.Options{Vectors: true, Tuning: small()}).Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string]evd.Options{
		"verified": {Verify: true}, "safe": {Verify: true, NoWaits: true},
		"index":    {Select: evd.Index(3, 9), Verify: true},
		"interval": {Select: evd.Interval(-1, 1), Verify: true},
		"rows":     {RowMajor: true, Select: evd.Index(3, 9)}, "overwrite": {Overwrite: true},
		"mrrr": {Solver: evd.MRRR, Verify: true}, "qr": {Solver: evd.QR, Verify: true}, "one stage": {Tuning: oneStage(), Verify: true},
	} {
		opt.Vectors = true
		if opt.Tuning == nil {
			opt.Tuning = small()
		}
		in := evd.NewSym(n, slices.Clone(a.Data), evd.Lower)
		res, err := planOf[T](t, d, n, opt).Solve(context.Background(), in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c := res.Certificate; opt.Verify && (c == nil || !c.Passed() || c.Safe) {
			t.Errorf("%s: certificate %+v", name, c)
		}
		if opt.Overwrite != (&res.Vectors.Data[0] == &in.Data[0]) {
			t.Errorf("%s: the vectors are not in the expected memory", name)
		}
		for k, v := range res.Values {
			want := whole.Values[res.First+k]
			if !(math.Abs(v-want) <= 1e-4) {
				t.Errorf("%s: value %d is %g, want %g", name, res.First+k, v, want)
			}
			for i := range n {
				if !(modulus(converted[D](res.Vectors.At(i, k)-whole.Vectors.At(i, res.First+k))) <= 1e-2) {
					t.Errorf("%s: vector %d has an entry %v, want %v", name, k, res.Vectors.At(i, k), whole.Vectors.At(i, res.First+k))
					break
				}
			}
		}
	}
	var bad *evd.OptionError
	if _, err := evd.NewPlan[T](d, n, evd.Options{Products: evd.ProductsEmulated}); !errors.As(err, &bad) {
		t.Errorf("emulated products in single precision: %v", err)
	}
}

// TestFloat32Tridiagonal solves tridiagonal matrices of float32. The plan computes in double
// precision.
func TestFloat32Tridiagonal(t *testing.T) { float32Tridiagonal(t, device(t, vk.Options{})) }

func float32Tridiagonal(t *testing.T, d *vk.Device) {
	const n = 40
	p, err := evd.NewTridiagonalPlan[float32](d, n, evd.Options{Vectors: true, Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	diagonal, off := matgen.Toeplitz(2, -1).Tridiagonal(n)
	for _, scale := range []float64{1, 0x1p-140, 0x1p125} {
		m := evd.Tridiagonal[float32]{D: singles(spectrum.Scale(diagonal, scale)), E: singles(spectrum.Scale(off, scale))}
		res, err := p.Solve(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Check(context.Background(), m, res)
		if err != nil || !(r.Residual < good && r.Orthogonality < good && r.Orthogonality > 0) {
			t.Errorf("·%g: %+v, %v", scale, r, err)
		}
		if w, err := p.Certify(context.Background(), m, res); err != nil || !(w < good) {
			t.Errorf("·%g: values certified within %g, %v", scale, w, err)
		}
		res.Values[3] *= 1.1
		if w, err := p.Certify(context.Background(), m, res); scale == 1 && (err != nil || !(w >= good)) {
			t.Errorf("a wrong value is certified within %g, %v", w, err)
		}
	}
}
