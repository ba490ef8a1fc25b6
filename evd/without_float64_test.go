package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// singleOnly opens the device as one that lacks double precision, 64-bit atomic operations and the
// given features. vk.Build refuses each kernel that needs one of them, so a solve that succeeds
// uses none. TestNoImplicitFeatures of vk/spirv checks 64-bit shuffles.
func singleOnly(t *testing.T, without ...string) *vk.Device {
	t.Helper()
	return device(t, vk.Options{Without: append(without, "shaderFloat64", "shaderBufferInt64Atomics")})
}

// TestWithoutFloat64Types, TestWithoutFloat64Options and TestWithoutFloat64Tridiagonal run the
// tests of single precision on a device without double precision.
func TestWithoutFloat64Types(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	singleTypes[float32](t, singleOnly(t), matgen.Dense())
}

func TestWithoutFloat64Options(t *testing.T) {
	when.Skip(t, when.Quick, "a device without double precision")
	singleOptions[float32](t, singleOnly(t), full(random(45)))
}

func TestWithoutFloat64ComplexTypes(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	singleTypes[complex64](t, singleOnly(t), matgen.Hermitians())
}

func TestWithoutFloat64ComplexOptions(t *testing.T) {
	when.Skip(t, when.Quick, "a device without double precision")
	singleOptions[complex64](t, singleOnly(t), randomHermitian(45))
}

func TestWithoutFloat64Tridiagonal(t *testing.T) { float32Tridiagonal(t, singleOnly(t)) }

// TestWithoutFloat64Edges solves with half-bandwidths and ranks of updates around the order, with
// the smallest tuning and with the device's own.
func TestWithoutFloat64Edges(t *testing.T) {
	when.Skip(t, when.Quick, "a device without double precision")
	d := singleOnly(t)
	for _, c := range []struct{ n, band, block int }{
		{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 4, 4}, {9, 8, 8}, {33, 4, 8}, {40, 16, 32}, {47, 8, 40}, {17, 32, 32}, {65, 0, 0},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if c.n == 17 {
				when.Long(t, "other bands and blocks")
			}
			opt := evd.Options{Band: c.band, Block: c.block}
			if c.band > 0 || c.n < 3 {
				opt.Tuning = small()
			}
			q := singlePlan(t, d, c.n, opt)
			opt.Vectors = true
			solveSingle(t, singlePlan(t, d, c.n, opt), q, c.n, full(random(c.n)))
		})
	}
}

// TestWithoutFloat64Parts solves for parts of the spectrum by each solver, with vectors and
// without. Package ratio measures the vectors, and the values are those of the whole spectrum.
func TestWithoutFloat64Parts(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	d := singleOnly(t)
	const n = 60
	single, double := rounded[float32](full(random(n)))
	a := evd.NewSym(n, single, evd.Lower)
	whole, err := singlePlan(t, d, n, evd.Options{Tuning: small(), Solver: evd.Bisection}).Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := widened[float64](whole)
	between := evd.Interval((all[9]+all[10])/2, (all[29]+all[30])/2)
	for _, solver := range []evd.Solver{evd.Auto, evd.DivideConquer, evd.MRRR, evd.QR, evd.Bisection} {
		for _, c := range []struct {
			of       evd.Selection
			from, to int
		}{{evd.Selection{}, 0, n}, {evd.Index(7, 12), 7, 12}, {evd.Index(59, 60), 59, 60}, {evd.Index(4, 4), 4, 4}, {between, 10, 30}, {between.AtMost(25), 10, 30}, {evd.Interval(1e9, math.Inf(1)), n, n}} {
			for _, vectors := range []bool{false, solver.Vectors()} {
				res, err := singlePlan(t, d, n, evd.Options{Vectors: vectors, Select: c.of, Solver: solver, Tuning: small()}).Solve(context.Background(), a)
				if err != nil {
					t.Fatalf("%v %+v: %v", solver, c, err)
				}
				values, z := widened[float64](res)
				m := c.to - c.from
				if len(values) != m || m > 0 && (res.First != c.from || !(shorter*ratio.Values(n, values, all[c.from:c.to], norm2(all)) < good)) {
					t.Errorf("%v %+v: %d values from %d on: %g", solver, c, len(values), res.First, values)
				}
				if !vectors || m == 0 {
					continue
				}
				if r, o := shorter*ratio.Residual(n, m, double, n, values, z, n), shorter*ratio.Orthogonality(n, m, z, n); !(r < good && o < good) {
					t.Errorf("%v %+v: residual %g, orthogonality %g", solver, c, r, o)
				}
			}
		}
	}
	var many *evd.TooManyError
	if _, err := singlePlan(t, d, n, evd.Options{Select: between.AtMost(3), Tuning: small()}).Solve(context.Background(), a); !errors.As(err, &many) || many.Found != 20 {
		t.Errorf("too many values: %v", err)
	}
}

// TestWithoutFeatures hides each feature that a device may lack, besides double precision. A plan
// in single precision needs only the memory model. If this feature is hidden, the error must name
// it.
func TestWithoutFeatures(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	for _, f := range vk.Features() {
		if f.Required {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			d := device(t, vk.Options{Without: []string{"shaderFloat64", f.Name}})
			const n = 45
			p, err := evd.NewPlan[float32](d, n, evd.Options{Vectors: true, Tuning: small(), Verify: true})
			if f.Name == "vulkanMemoryModel" || f.Name == "vulkanMemoryModelDeviceScope" {
				var unsupported *vk.UnsupportedError
				if !errors.As(err, &unsupported) || !strings.HasPrefix(unsupported.Feature, f.Name+" of ") {
					t.Errorf("the error does not name the feature: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			res, err := p.Solve(context.Background(), evd.NewSym(n, singles(full(random(n))), evd.Lower))
			if err != nil || !res.Certificate.Passed() || res.Certificate.Safe {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
}

// TestWithoutFloat64Certificate checks that Check notices a wrong vector of a dense and of a
// tridiagonal matrix on a device without double precision. It also checks the counts of CountBelow,
// which the host computes there.
func TestWithoutFloat64Certificate(t *testing.T) {
	when.Skip(t, when.Quick, "a device without double precision")
	d := singleOnly(t)
	const n = 40
	p := singlePlan(t, d, n, evd.Options{Vectors: true, Tuning: small()})
	a := evd.NewSym(n, singles(full(random(n))), evd.Lower)
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	res.Vectors.Data[3] += 0.1
	if r, err := p.Check(context.Background(), a, res); err != nil || !(r.Residual >= good && r.Orthogonality >= good) {
		t.Errorf("a wrong vector passes: %+v, %v", r, err)
	}
	q, err := evd.NewTridiagonalPlan[float32](d, n, evd.Options{Vectors: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	diagonal, off := matgen.Toeplitz(2, -1).Tridiagonal(n)
	m := evd.Tridiagonal[float32]{D: singles(diagonal), E: singles(off)}
	of, err := q.Solve(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	values, z := widened[float64](of)
	r, o := shorter*ratio.TridiagonalResidual(diagonal, off, values, z, n), shorter*ratio.Orthogonality(n, n, z, n)
	if own, err := q.Check(context.Background(), m, of); err != nil || !(math.Abs(own.Residual-r) <= 0.1 && math.Abs(own.Orthogonality-o) <= 0.1) {
		t.Errorf("Check finds %+v, evd/ratio finds %g and %g, %v", own, r, o, err)
	}
	of.Vectors.Data[3] += 0.1
	if own, err := q.Check(context.Background(), m, of); err != nil || !(own.Residual >= good && own.Orthogonality >= good) {
		t.Errorf("a wrong vector of T passes: %+v, %v", own, err)
	}
	counts, err := q.CountBelow(context.Background(), m, math.Inf(-1), (values[4]+values[5])/2, math.Inf(1))
	if want := []int{0, 5, n}; err != nil || !slices.Equal(counts, want) {
		t.Errorf("counts %v, want %v, %v", counts, want, err)
	}
}

// TestWithoutFloat64Progress checks that progress never decreases and ends at the total, and that
// the host's part reports several times.
func TestWithoutFloat64Progress(t *testing.T) {
	when.Skip(t, when.Quick, "a device without double precision")
	when.Pick(t, when.Race)
	const n = 300
	var last evd.Progress
	inside := map[float64]bool{}
	p := singlePlan(t, singleOnly(t), n, evd.Options{Vectors: true, Solver: evd.DivideConquer, Progress: func(at evd.Progress) {
		if !(at.Done >= last.Done) {
			t.Errorf("%g operations in %q after %g in %q", at.Done, at.Stage, last.Done, last.Stage)
		}
		if at.Stage == stages.PhaseTridiagonal {
			inside[at.Done] = true
		}
		last = at
	}})
	if _, err := p.Solve(context.Background(), evd.NewSym(n, singles(full(random(n))), evd.Lower)); err != nil {
		t.Fatal(err)
	}
	if len(inside) < 3 || last.Done != last.Total || !(last.Total > 0) {
		t.Errorf("%d reports of the tridiagonal problem, the last report is %+v", len(inside), last)
	}
}

// TestWithoutFloat64Cancel cancels a solve while the host solves the tridiagonal problem. The plan
// can be used again.
func TestWithoutFloat64Cancel(t *testing.T) {
	when.Skip(t, when.Quick, "a device without double precision")
	when.Pick(t, when.Race)
	const n = 300
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var inside atomic.Int32
	d := singleOnly(t)
	p := singlePlan(t, d, n, evd.Options{Vectors: true, Solver: evd.DivideConquer, Progress: func(at evd.Progress) {
		if at.Stage == stages.PhaseTridiagonal && inside.Add(1) == 2 {
			cancel()
		}
	}})
	a := evd.NewSym(n, singles(full(random(n))), evd.Lower)
	if _, err := p.Solve(ctx, a); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled on the host: %v", err)
	}
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Check(context.Background(), a, res); err != nil || !(r.Residual < good && r.Orthogonality < good) {
		t.Errorf("after it: %+v, %v", r, err)
	}
}

// TestWithoutFloat64Refuses checks that each function that needs double precision returns an error,
// and that the error names the feature.
func TestWithoutFloat64Refuses(t *testing.T) {
	d, whole := singleOnly(t), device(t, vk.Options{})
	for name, made := range map[string]func() error{
		"dense":       func() error { _, err := evd.NewPlan[float64](d, 20, evd.Options{}); return err },
		"tridiagonal": func() error { _, err := evd.NewTridiagonalPlan[float64](d, 20, evd.Options{}); return err },
		"refinement":  func() error { _, err := evd.NewRefinePlan[float64](d, 20, evd.Options{}); return err },
		"emulated": func() error {
			_, err := evd.NewPlan[float64](d, 20, evd.Options{Products: evd.ProductsEmulated})
			return err
		},
		"the second device": func() error {
			_, err := evd.NewPlan[float32](whole, 20, evd.Options{Vectors: true, Devices: []*vk.Device{d}})
			return err
		},
		"the first device": func() error {
			_, err := evd.NewPlan[float32](d, 20, evd.Options{Vectors: true, Devices: []*vk.Device{whole}})
			return err
		},
	} {
		var unsupported *vk.UnsupportedError
		err := made()
		if !errors.As(err, &unsupported) || unsupported.Feature != "shaderFloat64" || strings.Contains(name, "device") != errors.As(err, new(*vk.DeviceError)) {
			t.Errorf("%s: %v", name, err)
		}
		if one := !strings.Contains(name, "device"); one && !strings.Contains(err.Error(), "float32") {
			t.Errorf("%s: the error does not say that float32 works: %v", name, err)
		}
	}
}

// TestHostVectors checks that the vectors of a part come in the rows and in the order that Part
// describes, for orders around the size of the tiles.
func TestHostVectors(t *testing.T) {
	for _, n := range []int{2, 63, 64, 65, 130} {
		for _, of := range []evd.Selection{{}, evd.Index(n/2, n/2+1), evd.Index(0, n/2)} {
			for _, solver := range []evd.Solver{evd.DivideConquer, evd.MRRR, evd.QR} {
				s := spectrum.NewOnHost(n, spectrum.Options{Vectors: true, Select: spectrum.Selection(of), Solver: spectrum.Solver(solver)})
				d, e := matgen.Toeplitz(2, -1).Tridiagonal(n)
				for i := range d {
					d[i] += float64(i) / 10 // without this term, an eigenvector in reverse order would be an eigenvector, too
				}
				c := &plan.Call{Ctx: context.Background(), Profile: vk.NewProfile()}
				p, err := s.Solve(c, spectrum.Tridiagonal{D: d, E: e}, 1, nil)
				if err != nil {
					t.Fatal(err)
				}
				rows, m := spectrum.HostVectors[float64](c, s), len(p.Values)
				if rows.Rows != m || rows.Cols != n || rows.Ld != m || p.Vectors.Rows != m || p.Vectors.Cols != n {
					t.Fatalf("%d×%d, %d values of order %d", rows.Rows, rows.Cols, m, n)
				}
				z := make([]float64, n*m)
				for i := range n {
					for k := range m {
						z[i+k*n] = rows.Data[k+i*m]
					}
				}
				if r, o := ratio.TridiagonalResidual(d, e, p.Values, z, n), ratio.Orthogonality(n, m, z, n); !(r < good && o < good) {
					t.Errorf("%v of order %d, %d vectors: residual %g, orthogonality %g", solver, n, m, r, o)
				}
			}
		}
	}
}
