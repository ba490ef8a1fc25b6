package evd_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

func mixedPlan(t *testing.T, d *vk.Device, n int, opt evd.Options) *evd.MixedPlan[float64] {
	t.Helper()
	p, err := evd.NewMixedPlan[float64](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestMixed solves matrices with well separated eigenvalues, with clusters, and with entries near
// the ends of the range of doubles, in mixed precision. The refinement must succeed in few steps.
func TestMixed(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	d := device(t, vk.Options{})
	for _, c := range []struct {
		kind                string
		n, exponent, steps  int
		rowMajor, emulation bool
	}{
		{"goe", 2, 0, 2, false, false}, {"goe", 50, 0, 3, true, false}, {"goe", 50, 1000, 3, false, false}, {"goe", 50, -1000, 3, false, false},
		{"triples", 50, 0, 3, false, false}, {"goe", 50, 0, 3, false, true},
	} {
		opt := evd.Options{Tuning: small(), RowMajor: c.rowMajor}
		if c.emulation {
			opt.Products = evd.ProductsEmulated
		}
		p := mixedPlan(t, d, c.n, opt)
		a := kindNamed(t, c.kind).Scaled(c.exponent).Dense(c.n)
		for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
			in := evd.NewSym(c.n, slices.Clone(a), uplo)
			for j := range c.n { // the other triangle must not be read
				for i := range j {
					if uplo == evd.Lower {
						in.Data[i+j*c.n] = math.NaN()
					} else {
						in.Data[j+i*c.n] = math.NaN()
					}
				}
			}
			res, err := p.Solve(context.Background(), in)
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			if c.rowMajor {
				z := columns(*res.Vectors)
				if z.Ld = c.n; res.Vectors.RowMajor {
					z.Data = packedColumns(*res.Vectors)
				}
				res.Vectors = &z
			}
			judge(t, c.n, a, res)
			if r := res.Refinement; r == nil || r.Cold != "" || r.Steps == 0 || r.Steps > c.steps {
				t.Errorf("%+v: %+v", c, r)
			}
			if res.Certificate == nil || !res.Certificate.Passed() {
				t.Errorf("%+v: %v", c, res.Certificate)
			}
		}
	}
}

func packedColumns(q evd.Dense[float64]) (data []float64) {
	for j := range q.Cols {
		data = append(data, q.Col(j)...)
	}
	return data
}

// TestMixedKinds solves all kinds of test matrices in mixed precision. Values and ratios must be
// those of double precision, whether the refinement has succeeded or a cold solve was needed.
func TestMixedKinds(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	mixedKinds(t, matgen.Dense())
}

func mixedKinds[T double, K interface {
	Name() string
	Dense(n int) []T
}](t *testing.T, kinds []K) {
	d := device(t, vk.Options{})
	const n = 30
	p, err := evd.NewMixedPlan[T](d, n, evd.Options{Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	q, cold := planOf[T](t, d, n, evd.Options{Tuning: small()}), 0
	for _, kind := range kinds {
		a := evd.NewSym(n, kind.Dense(n), evd.Lower)
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatalf("%s: %v", kind.Name(), err)
		}
		t.Run(kind.Name(), func(t *testing.T) { judge(t, n, a.Data, res) })
		if !res.Certificate.Passed() {
			t.Errorf("%s: %v", kind.Name(), res.Certificate)
		}
		alone, err := q.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if r := ratio.Values(n, res.Values, alone.Values, norm2(alone.Values)); !(r < good) {
			t.Errorf("%s: values differ from those of double precision by %g", kind.Name(), r)
		}
		if res.Refinement.Cold != "" {
			cold++
		}
	}
	t.Logf("%d of %d kinds were solved in double precision", cold, len(kinds))
	if cold > len(kinds)/2 {
		t.Errorf("the refinement failed for %d of %d kinds", cold, len(kinds))
	}
}

// TestMixedRefuses checks the errors for matrices and options that are not possible, and for a
// context that has ended. It also solves matrices of the orders 0 and 1.
func TestMixedRefuses(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d, ctx := device(t, vk.Options{}), context.Background()
	const n = 20
	p := mixedPlan(t, d, n, evd.Options{Tuning: small()})
	a := evd.NewSym(n, kindNamed(t, "goe").Dense(n), evd.Lower)
	bad := evd.NewSym(n, slices.Clone(a.Data), evd.Lower)
	bad.Data[7+3*n] = math.Inf(-1)
	var entry *evd.NonFiniteError
	if _, err := p.Solve(ctx, bad); !errors.As(err, &entry) || entry.Row != 7 || entry.Col != 3 {
		t.Errorf("an infinite entry: %v", err)
	}
	if _, err := p.Solve(ctx, evd.NewSym(n-1, a.Data, evd.Lower)); !errors.As(err, new(*evd.ShapeError)) {
		t.Errorf("another order: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.Solve(done, a); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	if res, err := p.Solve(ctx, a); err != nil || res.Refinement.Cold != "" {
		t.Errorf("after errors: %v", err)
	}
	for _, opt := range []evd.Options{{Select: evd.Index(0, 3)}, {Select: evd.Interval(0, 1)}, {Overwrite: true}, {Solver: evd.Bisection}} {
		if _, err := evd.NewMixedPlan[float64](d, n, opt); !errors.As(err, new(*evd.OptionError)) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	for order, want := range [][]float64{{}, {-3}} {
		res, err := mixedPlan(t, d, order, evd.Options{}).Solve(ctx, evd.NewSym(order, want, evd.Lower))
		if err != nil || !slices.Equal(res.Values, want) || res.Vectors.Cols != order {
			t.Errorf("order %d: %v, %v", order, res, err)
		}
	}
	p.Close()
	if _, err := p.Solve(ctx, a); !errors.Is(err, evd.ErrClosed) {
		t.Errorf("a closed plan: %v", err)
	}
}

// TestMixedMemory checks that both solves share memory, on a device that only makes forecasts.
func TestMixedMemory(t *testing.T) {
	dev := vk.Dry(vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024})
	const n = 8192
	mixed, err := evd.NewMixedPlan[float64](dev, n, evd.Options{Products: evd.ProductsNative})
	if err != nil {
		t.Fatal(err)
	}
	refine, err := evd.NewRefinePlan[float64](dev, n, evd.Options{Products: evd.ProductsNative})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f and %.1f bytes for each entry", float64(mixed.Bytes())/n/n, float64(refine.Bytes())/n/n)
	if mixed.Bytes() > refine.Bytes()+refine.Bytes()/10 || len(mixed.Costs()) < len(refine.Costs())+3 {
		t.Errorf("%d bytes, %d for a refinement, costs %v", mixed.Bytes(), refine.Bytes(), mixed.Costs())
	}
}

// TestMixedProgress checks that the progress of a solve in mixed precision does not reach its total
// before the refinement. (The end of the solve in single precision was once reported as the end.)
func TestMixedProgress(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Pick(t, when.Race)
	d, err := vk.Open(vk.Options{Device: evd.DeviceName(t), Batch: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	complete, last := map[string]bool{}, evd.Progress{}
	p := mixedPlan(t, d, 50, evd.Options{Tuning: small(), Progress: func(at evd.Progress) {
		if !(at.Done >= last.Done) {
			t.Errorf("%v after %v", at, last)
		}
		if last = at; at.Done == at.Total {
			complete[at.Stage] = true
		}
	}})
	a := kindNamed(t, "goe").Dense(50)
	if _, err := p.Solve(context.Background(), evd.NewSym(50, a, evd.Lower)); err != nil {
		t.Fatal(err)
	}
	if len(complete) != 1 || last.Done != last.Total {
		t.Errorf("complete in %v, the last report is %v", complete, last)
	}
}
