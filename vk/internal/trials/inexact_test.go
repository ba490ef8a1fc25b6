package trials

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestHermitiansWithInexactDivision solves complex matrices of every kind on a device whose
// divisions and square roots have the errors that Vulkan allows. Each matrix is solved once.
func TestHermitiansWithInexactDivision(t *testing.T) {
	when.Skip(t, when.Slow|when.Quick, "the same kernels with other numbers")
	rewriteKernels(t, spirv.InexactDivision)
	t.Run("complex128", func(t *testing.T) { inexactHermitians[complex128](t, 21, false) })
	t.Run("complex64", func(t *testing.T) { inexactHermitians[complex64](t, 21, false) })
}

// TestHermitiansInEveryArithmetic solves complex matrices of every kind. Their orders are near the
// sizes of bands, blocks and tiles. Matrices of order 20 are solved in all ways that
// inexactHermitians knows, and all others in one way. Divisions are those of the device, or
// inexact. The newer CPU driver of make test-second also replaces subnormal numbers by zero, and
// its fma() rounds once.
func TestHermitiansInEveryArithmetic(t *testing.T) {
	when.Long(t, "TestHermitiansWithInexactDivision, and the tests of Hermitian matrices in package evd")
	for name, rewrite := range map[string]func([]byte) ([]byte, error){"the device's division": driver.Rewrite, "inexact": spirv.InexactDivision} {
		t.Run(name, func(t *testing.T) {
			rewriteKernels(t, rewrite)
			for _, n := range []int{2, 3, 4, 5, 8, 9, 16, 17, 20, 33, 65} {
				t.Run(fmt.Sprintf("complex128/%d", n), func(t *testing.T) { inexactHermitians[complex128](t, n, n == 20) })
				t.Run(fmt.Sprintf("complex64/%d", n), func(t *testing.T) { inexactHermitians[complex64](t, n, n == 20) })
			}
		})
	}
}

// rewriteKernels lets all kernels that are compiled until the test ends have the code that the
// function `rewrite` returns.
func rewriteKernels(t *testing.T, rewrite func([]byte) ([]byte, error)) {
	before := driver.Rewrite
	driver.Rewrite = rewrite
	t.Cleanup(func() { driver.Rewrite = before })
}

// hermitianPlans holds two plans with the same options: one for eigenvectors, one for eigenvalues
// alone.
type hermitianPlans[T complex64 | complex128] struct {
	solver          evd.Solver
	vectors, values *evd.Plan[T]
}

// inexactHermitians solves Hermitian matrices of order n of every kind. There are twelve ways: each
// solver with waits between workgroups, without them, in one stage, and with the device's own
// tuning. If `all` is false, each matrix is solved in one way. The triangles alternate.
func inexactHermitians[T complex64 | complex128](t *testing.T, n int, all bool) {
	d := device(t, vk.Options{})
	small, oneStage := tuning.Smallest(), tuning.Smallest()
	oneStage.Sytrd = reduce.TridiagonalisationTuning{
		Values: 100, Vectors: 100, LocalSize: 16, Groups: 1, Rows: 1, Kept: 128, Polls: 1 << 24,
		Blocked: reduce.BlockedTuning{Left: 20, Columns: 8, LocalSize: 16, Groups: 1},
	}
	var plans []hermitianPlans[T]
	var names []string
	plan := func(opt evd.Options) *evd.Plan[T] {
		p, err := evd.NewPlan[T](d, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	for _, solver := range []evd.Solver{evd.DivideConquer, evd.MRRR, evd.QR} {
		for i, opt := range []evd.Options{{Tuning: &small}, {Tuning: &small, NoWaits: true}, {Tuning: &oneStage}, {}} {
			opt.Solver = solver
			values := plan(opt)
			opt.Vectors, opt.Verify = true, true
			plans = append(plans, hermitianPlans[T]{solver, plan(opt), values})
			names = append(names, fmt.Sprintf("%v/%s", solver, []string{"waits", "waves", "one stage", "tuned"}[i]))
		}
	}
	for k, kind := range matgen.Hermitians() {
		for i, p := range plans {
			if all || i == (k+n)%len(plans) {
				uplo := []evd.Uplo{evd.Lower, evd.Upper}[(k+i+n/2)%2]
				t.Run(fmt.Sprintf("%s/%s/upper %v", kind.Name(), names[i], uplo), func(t *testing.T) { p.solve(t, kind, n, uplo) })
			}
		}
	}
}

// solve solves one matrix. All ratios must be below 10, but orthogonality by MRRR has the bound that
// LAPACK and the tests of real matrices have for it.
func (p hermitianPlans[T]) solve(t *testing.T, kind matgen.HermitianKind, n int, uplo evd.Uplo) {
	entries, whole, unit := inPrecision[T](kind.Dense(n))
	a := widened(entries)
	in := evd.NewSym(n, entries, uplo)
	res, err := p.vectors.Solve(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := p.values.Solve(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if res.Certificate.Safe || !slices.IsSorted(res.Values) {
		t.Errorf("certificate %+v, values %g", res.Certificate, res.Values)
	}
	z, norm := widened(res.Vectors.Data), max(math.Abs(res.Values[0]), math.Abs(res.Values[n-1]))
	ratios := map[string]float64{
		"residual":      ratio.Residual(n, n, a, n, res.Values, z, n),
		"orthogonality": ratio.Orthogonality(n, n, z, n),
		"values alone":  ratio.Values(n, alone.Values, res.Values, norm),
	}
	if known, ok := kind.Eigenvalues(n); ok && whole {
		ratios["known spectrum"] = ratio.Values(n, res.Values, known, norm)
	}
	for what, r := range ratios {
		good := 10.0
		if p.solver == evd.MRRR && what == "orthogonality" {
			good = evd.Threshold
		}
		if !(r*unit < good) {
			t.Errorf("%s: %g", what, r*unit)
		}
	}
}

// inPrecision returns the matrix with numbers of type T. Package ratio returns errors in units of
// the ulp of doubles; the result `unit` is the factor that converts them to units of the ulp of T.
// A matrix that is not near the middle of complex64's range is multiplied by a power of two. Then
// `whole` is false.
func inPrecision[T complex64 | complex128](a []complex128) (entries []T, whole bool, unit float64) {
	scale := 1.0
	unit = 1
	if _, single := any(T(0)).(complex64); single {
		unit = 0x1p-52 / 0x1p-23
		top := 0.0
		for _, x := range a {
			top = max(top, math.Abs(real(x)), math.Abs(imag(x)))
		}
		if _, e := math.Frexp(top); e > 100 || e < -100 {
			scale = math.Ldexp(1, 100*e/max(e, -e)-e)
		}
	}
	for _, x := range a {
		entries = append(entries, T(complex(real(x)*scale, imag(x)*scale)))
	}
	return entries, scale == 1, unit
}

func widened[T complex64 | complex128](x []T) (z []complex128) {
	for _, x := range x {
		z = append(z, complex128(x))
	}
	return z
}
