package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

func device(t testing.TB, opt vk.Options) *vk.Device {
	t.Helper()
	opt.Device, opt.DebugShaders = os.Getenv("VKEVD_DEVICE"), opt.DebugShaders || os.Getenv("VKEVD_DEBUG_SHADERS") != ""
	d, err := vk.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// good is the bound of ratios in these tests; LAPACK's is evd.Threshold.
const good = 10

// solve solves the full matrix a twice: with vectors, which evd/ratio and Check measure, and without
// vectors, where values must agree.
func solve(t *testing.T, d *vk.Device, n int, a []float64, opt evd.Options) *evd.Result[float64] {
	t.Helper()
	ctx := context.Background()
	in := slices.Clone(a)
	sym := evd.Sym[float64]{N: n, Ld: max(n, 1), Data: in}
	opt.Vectors = true
	p, err := evd.NewPlan[float64](d, n, opt)
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
	if r := ratio.Residual(n, n, a, max(n, 1), res.Values, res.Vectors.Data, max(n, 1)); math.Abs(own.Residual-r) > 1+0.5*r {
		t.Errorf("Check finds a residual of %g, evd/ratio of %g", own.Residual, r)
	}
	opt.Vectors = false
	values := valuesOnly(t, d, n, sym, opt)
	if r := ratio.Values(n, values, res.Values, norm2(res.Values)); !(r < good) {
		t.Errorf("values alone differ by %g·n·ε·‖A‖", r)
	}
	return res
}

func judge(t *testing.T, n int, a []float64, res *evd.Result[float64]) {
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
		if top := largestEntry(res.Vectors.Col(j)); !(top > 0) {
			t.Errorf("vector %d: entry of largest magnitude is %g", j, top)
			break
		}
	}
}

func largestEntry(v []float64) float64 {
	top := 0.0
	for _, x := range v {
		if math.Abs(x) > math.Abs(top) {
			top = x
		}
	}
	return top
}

func norm2(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return max(math.Abs(values[0]), math.Abs(values[len(values)-1]))
}

func valuesOnly(t *testing.T, d *vk.Device, n int, a evd.Sym[float64], opt evd.Options) []float64 {
	t.Helper()
	p, err := evd.NewPlan[float64](d, n, opt)
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

// small is the smallest tuning: matrices of order 50 and less take every path with it.
func small() *stages.Tuning {
	t := stages.SmallestTuning()
	return &t
}

func TestEveryKindOfMatrix(t *testing.T) {
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

func TestEverySize(t *testing.T) {
	d := device(t, vk.Options{})
	const b, tile = 4, 8 // of the smallest tuning
	sizes := []int{0, 1, 2, 3, b - 1, b, b + 1, 2*b - 1, 2 * b, 2*b + 1, tile - 1, tile + 1, 13, 31, 32, 33, 47}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			a := full(random(n))
			solve(t, d, n, a, evd.Options{Tuning: small()})
		})
	}
	for _, n := range []int{1, 2, 15, 16, 17, 63, 65, 127, 129, 257} {
		t.Run(fmt.Sprintf("tuned/%d", n), func(t *testing.T) {
			solve(t, d, n, full(random(n)), evd.Options{})
		})
	}
}

// full mirrors the lower triangle.
func full(a evd.Sym[float64]) []float64 {
	for j := range a.N {
		for i := range j {
			a.Data[i+j*a.N] = a.Data[j+i*a.N]
		}
	}
	return a.Data
}

func TestOrder512(t *testing.T) {
	solve(t, device(t, vk.Options{}), 512, full(random(512)), evd.Options{})
}

func TestBandsAndBlocks(t *testing.T) {
	d := device(t, vk.Options{})
	a := full(random(37))
	for _, o := range []evd.Options{{Band: 1, Block: 1}, {Band: 2, Block: 2}, {Band: 3, Block: 9}, {Band: 5, Block: 5}, {Band: 8, Block: 24}, {Band: 40, Block: 80}} {
		t.Run(fmt.Sprintf("%d,%d", o.Band, o.Block), func(t *testing.T) {
			o.Tuning = small()
			solve(t, d, 37, a, o)
		})
	}
}

// The triangle that is not read, and memory between columns, may hold anything.
func TestTrianglesAndLeadingDimensions(t *testing.T) {
	ctx := context.Background()
	d := device(t, vk.Options{})
	const n, ld = 19, 23
	a := full(random(n))
	want := solve(t, d, n, a, evd.Options{Tuning: small()})
	for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
		sym := evd.Sym[float64]{N: n, Ld: ld, Uplo: uplo, Data: make([]float64, n*ld)}
		for i := range sym.Data {
			sym.Data[i] = math.NaN()
		}
		for j := range n {
			for i := range n {
				if i == j || (i > j) == (uplo == evd.Lower) {
					sym.Data[i+j*ld] = a[i+j*n]
				}
			}
		}
		p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true, Overwrite: true, Tuning: small()})
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(ctx, sym)
		p.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(res.Values, want.Values) {
			t.Errorf("uplo %v: other values", uplo)
		}
		for j := range n {
			if !slices.Equal(res.Vectors.Col(j), want.Vectors.Col(j)) {
				t.Errorf("uplo %v: other vector %d", uplo, j)
			}
			for i := n; i < ld; i++ {
				if !math.IsNaN(sym.Data[i+j*ld]) {
					t.Errorf("uplo %v: padding (%d, %d) was written", uplo, i, j)
				}
			}
		}
	}
}

func TestSameBitsAgainAndAfterOthers(t *testing.T) {
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
		opt := evd.Options{Vectors: true, Tuning: small(), Wavefront: wave}
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

func TestBadInput(t *testing.T) {
	ctx := context.Background()
	d := device(t, vk.Options{})
	p, err := evd.NewPlan[float64](d, 3, evd.Options{Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var shape *evd.ShapeError
	for _, a := range []evd.Sym[float64]{
		{N: 2, Ld: 2, Data: make([]float64, 4)}, {N: 3, Ld: 2, Data: make([]float64, 9)},
		{N: 3, Ld: 3, Data: make([]float64, 8)}, {N: -1, Ld: 3}, {N: 3, Data: make([]float64, 8)}, {N: 3, Ld: -3, Data: make([]float64, 9)},
		{N: 3, Ld: 1 << 62, Data: make([]float64, 9)}, {N: 3, Ld: math.MaxInt, Data: make([]float64, 9)}, // times 2 they are less than nothing
	} {
		if _, err := p.Solve(ctx, a); !errors.As(err, &shape) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if _, err := evd.NewPlan[float64](d, -1, evd.Options{}); !errors.As(err, &shape) || err.Error() != "order -1 is negative" {
		t.Errorf("order −1: %v", err)
	}
	for _, n := range []int{1 << 24, 1 << 32, math.MaxInt} {
		if _, err := evd.NewPlan[float64](d, n, evd.Options{}); !errors.As(err, &shape) || err.Error() != fmt.Sprintf("order %d is too large, at most 16777215", n) {
			t.Errorf("order %d: %v", n, err)
		}
	}
	var bad *evd.NonFiniteError
	a := evd.Sym[float64]{N: 3, Ld: 3, Data: []float64{1, 2, 3, 0, 4, math.Inf(1), 0, 0, 5}}
	if _, err := p.Solve(ctx, a); !errors.As(err, &bad) || bad.Row != 2 || bad.Col != 1 {
		t.Errorf("infinity: %v", err)
	}
	var option *evd.OptionError
	for _, o := range []evd.Options{{Band: -1}, {Band: 4, Block: 6}, {Overwrite: true}} {
		if _, err := evd.NewPlan[float64](d, 3, o); !errors.As(err, &option) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	var memory *vk.OutOfMemoryError
	if _, err := evd.NewPlan[float64](d, 900_000, evd.Options{Vectors: true}); !errors.As(err, &memory) {
		t.Errorf("order 900000: %v", err)
	}
	var unsupported *vk.UnsupportedError
	if _, err := evd.NewPlan[float64](d, 1<<20, evd.Options{Vectors: true}); !errors.As(err, &memory) && !errors.As(err, &unsupported) {
		t.Errorf("order 2^20: %v", err)
	}
}

func TestCancelledSolveReturnsAndThePlanGoesOn(t *testing.T) {
	d := device(t, vk.Options{})
	const n = 100
	a := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true, Tuning: small(), Progress: func(evd.Progress) {
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

func TestGonumsSymmetric(t *testing.T) {
	ctx := context.Background()
	const n = 8
	a := full(random(n))
	res, err := evd.Eigen(ctx, mat.NewSymDense(n, a))
	if err != nil {
		t.Fatal(err)
	}
	judge(t, n, a, res)
	values, err := evd.EigenValues(ctx, mat.NewDiagDense(3, []float64{3, 1, 2}))
	if err != nil || ratio.Values(3, values, []float64{1, 2, 3}, 3) > 1 {
		t.Errorf("diagonal: %v, %v", values, err)
	}
}

// The bindings free C memory in finalizers. If the collector runs all the time, a use after free would
// crash a solve or change its bits.
func TestSolvesUnderPermanentCollection(t *testing.T) {
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
		d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
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

// Check refuses a result that the plan cannot have made, and does not read out of bounds.
func TestCheckRefusesWhatIsNotThePlans(t *testing.T) {
	ctx := context.Background()
	d := device(t, vk.Options{})
	const n = 3
	a := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	one := &evd.Result[float64]{Values: make([]float64, 1), Vectors: &evd.Dense[float64]{Rows: 1, Cols: 1, Ld: 1, Data: make([]float64, 1)}}
	for _, vectors := range []bool{false, true} {
		p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: vectors, Tuning: small()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Check(ctx, a, one)
		var option *evd.OptionError
		var shape *evd.ShapeError
		if !vectors && !errors.As(err, &option) || vectors && !errors.As(err, &shape) {
			t.Errorf("plan with vectors %v: %v", vectors, err)
		}
		p.Close()
	}
}

// Check refuses vectors whose shape and memory do not fit together, and does not panic.
func TestCheckOfVectorsThatDoNotFit(t *testing.T) {
	ctx := context.Background()
	d := device(t, vk.Options{})
	const n = 3
	a := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true, Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	tp := tridiagonalPlan(t, d, n, evd.Options{Vectors: true, Tuning: small()})
	for _, z := range []evd.Dense[float64]{
		{Rows: n, Cols: n, Ld: 1, Data: make([]float64, 9)}, {Rows: n, Cols: n, Ld: n, Data: make([]float64, 8)},
		{Rows: n, Cols: n, Ld: 2, Data: make([]float64, 9), RowMajor: true}, {Rows: n, Cols: 2, Ld: 2, Data: make([]float64, 5), RowMajor: true},
		{Rows: n, Cols: -1, Ld: n}, {Rows: n, Cols: n, Ld: math.MaxInt, Data: make([]float64, 9)},
	} {
		res := &evd.Result[float64]{Values: make([]float64, max(z.Cols, 0)), Vectors: &z}
		_, dense := p.Check(ctx, a, res)
		_, tridiagonal := tp.Check(ctx, evd.Tridiagonal[float64]{D: make([]float64, n), E: make([]float64, n-1)}, res)
		for _, err := range []error{dense, tridiagonal} {
			if shape := (*evd.ShapeError)(nil); !errors.As(err, &shape) {
				t.Errorf("%+v: %v", z, err)
			}
		}
	}
}
