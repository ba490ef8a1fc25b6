package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// device returns an open device of VKEVD_DEVICE that no other test uses until this one ends.
func device(t testing.TB, opt vk.Options) *vk.Device {
	t.Helper()
	opt.DebugShaders = opt.DebugShaders || os.Getenv("VKEVD_DEBUG_SHADERS") != ""
	return evd.Lend(t, opt)
}

// good is the bound for ratios in these tests. It is smaller than LAPACK's bound, evd.Threshold.
const good = 10

// solve solves for the full matrix `a` twice, with vectors and without. The values of both solves
// must agree. Package ratio and the method Check measure the vectors.
func solve[T double](t *testing.T, d *vk.Device, n int, a []T, opt evd.Options) *evd.Result[T] {
	t.Helper()
	ctx := context.Background()
	in := slices.Clone(a)
	sym := evd.Sym[T]{N: n, Ld: max(n, 1), Data: in}
	opt.Vectors = true
	p, err := evd.NewPlan[T](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Solve(ctx, sym)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in, a) {
		t.Error("the input was written to")
	}
	judge(t, n, a, res)
	own, err := p.Check(ctx, sym, res)
	if err != nil {
		t.Fatal(err)
	}
	if r := ratio.Residual(n, n, a, max(n, 1), res.Values, res.Vectors.Data, max(n, 1)); !(math.Abs(own.Residual-r) <= 1+0.5*r) {
		t.Errorf("Check finds a residual of %g, evd/ratio of %g", own.Residual, r)
	}
	opt.Vectors = false
	values := valuesOnly(t, d, n, sym, opt)
	if r := ratio.Values(n, values, res.Values, norm2(res.Values)); !(r < good) {
		t.Errorf("values alone differ by %g·n·ε·‖A‖", r)
	}
	return res
}

func judge[T double](t *testing.T, n int, a []T, res *evd.Result[T]) {
	t.Helper()
	z, ld := res.Vectors.Data, max(n, 1)
	if !slices.IsSorted(res.Values) {
		t.Error("values do not ascend")
	}
	if r := ratio.Residual(n, n, a, ld, res.Values, z, ld); !(r < good) {
		t.Errorf("residual %g", r)
	}
	if r := ratio.Orthogonality(n, n, z, ld); !(r < good) {
		t.Errorf("orthogonality %g", r)
	}
	for j := range n {
		if v := res.Vectors.Col(j); !turned(v) {
			t.Errorf("vector %d: entry of largest magnitude is %v", j, largestEntry(v))
			break
		}
	}
}

// double is a number in double precision.
type double interface{ float64 | complex128 }

func largestEntry[T double](v []T) (top T) {
	for _, x := range v {
		if modulus(x) > modulus(top) || x != x {
			top = x
		}
	}
	return top
}

// turned reports whether the entry of largest magnitude of v is real and positive. If several
// entries of a complex vector have this magnitude up to rounding errors, one of them must be real
// and positive.
func turned[T double](v []T) bool {
	top := largestEntry(v)
	if _, real := any(top).(float64); real {
		return realPart(top) > 0
	}
	return slices.ContainsFunc(v, func(x T) bool {
		return modulus(x) >= modulus(top)*(1-0x1p-48) && x == ofReal[T](modulus(x))
	})
}

func modulus[T double](x T) float64 {
	if z, ok := any(x).(complex128); ok {
		return cmplx.Abs(z)
	}
	return math.Abs(realPart(x))
}

func realPart[T double](x T) float64 { return spectrum.Scale([]T{x}, 1)[0] }

func ofReal[T double](x float64) T { return spectrum.Unscale[T]([]float64{x}, 1)[0] }

// nan returns NaN, for a complex type in both parts.
func nan[T double]() T {
	x := T(0)
	return x / x
}

// randomHermitian returns a random Hermitian matrix with both triangles.
func randomHermitian(n int) []complex128 { return matgen.Hermitians()[0].Dense(n) }

func norm2(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return max(math.Abs(values[0]), math.Abs(values[len(values)-1]))
}

func valuesOnly[T double](t *testing.T, d *vk.Device, n int, a evd.Sym[T], opt evd.Options) []float64 {
	t.Helper()
	p, err := evd.NewPlan[T](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	if res.Vectors != nil {
		t.Error("vectors that nobody asked for")
	}
	return res.Values
}

// small returns the smallest tuning. With this tuning, matrices of order 50 or less reach all parts
// of the code.
func small() *tuning.Tuning {
	t := tuning.Smallest()
	return &t
}

func TestEveryKindOfMatrix(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	d := device(t, vk.Options{})
	for _, kind := range matgen.Dense() {
		for _, n := range []int{5, 21, 50} {
			t.Run(fmt.Sprintf("%s/%d", kind.Name(), n), func(t *testing.T) {
				res := solve(t, d, n, kind.Dense(n), evd.Options{Tuning: small()})
				if want, known := kind.Eigenvalues(n); known {
					if r := ratio.Values(n, res.Values, want, norm2(want)); !(r < good) {
						t.Errorf("values are off by %g·n·ε·‖A‖", r)
					}
				}
			})
		}
	}
}

// TestEveryKindOfHermitian solves complex matrices of every kind, each of one order.
func TestEveryKindOfHermitian(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	d := device(t, vk.Options{})
	orders := []int{5, 21, 50}
	for i, kind := range matgen.Hermitians() {
		n := orders[i%len(orders)]
		t.Run(fmt.Sprintf("%s/%d", kind.Name(), n), func(t *testing.T) {
			res := solve(t, d, n, kind.Dense(n), evd.Options{Tuning: small()})
			if want, known := kind.Eigenvalues(n); known {
				if r := ratio.Values(n, res.Values, want, norm2(want)); !(r < good) {
					t.Errorf("values are off by %g·n·ε·‖A‖", r)
				}
			}
		})
	}
}

func TestEverySize(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	everySize(t, func(n int) []float64 { return full(random(n)) }, 257)
}

func TestEverySizeOfHermitians(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	everySize(t, randomHermitian, 97)
}

func everySize[T double](t *testing.T, matrix func(n int) []T, largest int) {
	d := device(t, vk.Options{})
	const b, tile = 4, 8 // half-bandwidth and tile size of the smallest tuning
	sizes := []int{0, 1, 2, 3, b - 1, b, b + 1, 2*b - 1, 2 * b, 2*b + 1, tile - 1, tile + 1, 13, 20, 31, 32, 33, 47}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			solve(t, d, n, matrix(n), evd.Options{Tuning: small()})
		})
	}
	for _, n := range []int{1, 2, 15, 16, 17, 63, 65, 97, 127, 129, 257} {
		if n <= largest {
			t.Run(fmt.Sprintf("tuned/%d", n), func(t *testing.T) {
				solve(t, d, n, matrix(n), evd.Options{})
			})
		}
	}
}

// full copies the lower triangle of `a` to its upper triangle, and returns a.Data.
func full(a evd.Sym[float64]) []float64 {
	for j := range a.N {
		for i := range j {
			a.Data[i+j*a.N] = a.Data[j+i*a.N]
		}
	}
	return a.Data
}

func TestOrder512(t *testing.T) {
	when.Pick(t, when.Race)
	when.Skip(t, when.Quick, "smaller orders run the same kernels")
	solve(t, device(t, vk.Options{}), 512, full(random(512)), evd.Options{})
}

func TestBandsAndBlocks(t *testing.T) {
	d := device(t, vk.Options{})
	a := full(random(37))
	for _, o := range []evd.Options{{Band: 1, Block: 1}, {Band: 2, Block: 2}, {Band: 3, Block: 9}, {Band: 5, Block: 5}, {Band: 8, Block: 24}, {Band: 40, Block: 80}} {
		t.Run(fmt.Sprintf("%d,%d", o.Band, o.Block), func(t *testing.T) {
			if o.Band != 3 {
				when.Long(t, "3,9, whose band is no power of two either")
			}
			o.Tuning = small()
			solve(t, d, 37, a, o)
		})
	}
}

func TestSameBitsAgainAndAfterOthers(t *testing.T) {
	when.Pick(t, when.Race|when.GPUAV)
	ctx := context.Background()
	d := device(t, vk.Options{})
	const n = 60
	p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true, Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	first, err := p.Solve(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := p.Solve(ctx, evd.Sym[float64]{N: n, Ld: n, Data: matgen.Dense()[0].Dense(n)}); err != nil {
			t.Fatal(err)
		}
		again, err := p.Solve(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(first.Values, again.Values) || !slices.Equal(first.Vectors.Data, again.Vectors.Data) {
			t.Fatal("the same matrix gave other bits")
		}
	}
	for _, wave := range []bool{true} {
		opt := evd.Options{Vectors: true, Tuning: small(), NoWaits: wave}
		q, err := evd.NewPlan[float64](d, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		res, err := q.Solve(ctx, a)
		q.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(first.Vectors.Data, res.Vectors.Data) {
			t.Error("the wavefront form gave other bits")
		}
	}
}

func TestCancelledSolveReturnsAndThePlanGoesOn(t *testing.T) {
	when.Pick(t, when.Race)
	cancelledSolve(t, evd.NewSym(100, full(random(100)), evd.Lower))
}

func TestCancelledHermitianSolve(t *testing.T) {
	cancelledSolve(t, evd.NewSym(100, randomHermitian(100), evd.Lower))
}

func cancelledSolve[T double](t *testing.T, a evd.Sym[T]) {
	d, n := device(t, vk.Options{}), a.N
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	p, err := evd.NewPlan[T](d, n, evd.Options{Vectors: true, Tuning: small(), Progress: func(evd.Progress) {
		if calls++; calls == 2 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Solve(ctx, a); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled after %d reports of progress: %v", calls, err)
	}
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	judge(t, n, a.Data, res)
}

// TestSolvesUnderPermanentCollection solves while the garbage collector runs all the time. A use of
// memory that the collector has freed would crash a solve or change its bits.
func TestSolvesUnderPermanentCollection(t *testing.T) {
	when.Skip(t, when.Quick, "the solves of other tests")
	when.Skip(t, when.Validation, "the calls of other tests")
	when.Pick(t, when.Race)
	ctx := context.Background()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	defer func() { close(stop); <-done }()
	const n = 40
	a := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	var first *evd.Result[float64]
	for range 3 {
		d, err := vk.Open(vk.Options{Device: evd.DeviceName(t)})
		if err != nil {
			t.Fatal(err)
		}
		p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true, Tuning: small()})
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(ctx, a)
		p.Close()
		d.Close()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = res
		}
		if !slices.Equal(first.Values, res.Values) || !slices.Equal(first.Vectors.Data, res.Vectors.Data) {
			t.Fatal("other bits")
		}
	}
	judge(t, n, a.Data, first)
}
