package trials

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// A problem makes a plan on a device, solves, and returns the results: numbers and slices of
// numbers. `tune` is nil, or the tuning of the plan.
type problem struct {
	name  string
	solve func(d *vk.Device, n int, tune *tuning.Tuning) ([]any, error)
}

// memory is a plan of any kind, with the methods by which a test looks at its device memory.
type memory interface {
	Memory() []vk.Placed
	Close()
}

// splits returns an error if a region of the plan is larger than Info.MaxRegion, and no region is
// paged.
func splits(d *vk.Device, p memory) error {
	largest := uint64(0)
	for _, r := range p.Memory() {
		if r.Paged {
			return nil
		}
		largest = max(largest, r.Bytes)
	}
	if largest > d.Info().MaxRegion() {
		return errors.New("no region is paged")
	}
	return nil
}

// randomOf returns a random matrix for any type of numbers. Its lower triangle is the one that a
// solve reads.
func randomOf[T evd.Number](n int, seed uint64) evd.Sym[T] {
	re, im := random(n, seed), random(n, seed+1)
	a := evd.NewSym(n, make([]T, n*n), evd.Lower)
	for i, x := range re.Data {
		switch to := any(&a.Data[i]).(type) {
		case *float64:
			*to = x
		case *float32:
			*to = float32(x)
		case *complex128:
			*to = complex(x, im.Data[i])
		case *complex64:
			*to = complex64(complex(x, im.Data[i]))
		}
	}
	return a
}

// dense is a problem for an evd.Plan with the given options.
func dense[T evd.Number](opt evd.Options) func(*vk.Device, int, *tuning.Tuning) ([]any, error) {
	return func(d *vk.Device, n int, tune *tuning.Tuning) ([]any, error) {
		ctx, m := context.Background(), randomOf[T](n, 3)
		opt := opt
		opt.Tuning = tune
		p, err := evd.NewPlan[T](d, n, opt)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		res, err := p.Solve(ctx, m)
		if err != nil {
			return nil, err
		}
		if !opt.Vectors {
			return []any{res.Values}, splits(d, p)
		}
		checks, err := p.Check(ctx, m, res)
		return []any{res.Values, res.Vectors.Data, checks.Residual, checks.Orthogonality}, errors.Join(err, splits(d, p))
	}
}

var problems = []problem{
	{"divide and conquer", dense[float64](evd.Options{Vectors: true, Solver: evd.DivideConquer, Verify: true})},
	{"values", dense[float64](evd.Options{Solver: evd.Bisection})},
	{"MRRR", func(d *vk.Device, n int, tune *tuning.Tuning) ([]any, error) {
		return dense[float64](evd.Options{Vectors: true, Solver: evd.MRRR, Select: evd.Index(2, n/3)})(d, n, tune)
	}},
	{"wavefront", dense[float64](evd.Options{Vectors: true, NoWaits: true})},
	{"float32", dense[float32](evd.Options{Vectors: true})},
	{"Hermitian", dense[complex128](evd.Options{Vectors: true, Verify: true})},
	{"Hermitian, values", dense[complex128](evd.Options{})},
	{"Hermitian, wavefront", dense[complex128](evd.Options{Vectors: true, RowMajor: true, NoWaits: true})},
	{"complex64", dense[complex64](evd.Options{Vectors: true})},
	{"emulated", dense[float64](evd.Options{Vectors: true, Products: evd.ProductsEmulated})},
	{"svd", func(d *vk.Device, n int, tune *tuning.Tuning) ([]any, error) {
		p, err := svd.NewPlan[float64](d, n, n-7, svd.Options{U: svd.Thin, V: svd.Thin, Tuning: tune})
		if err != nil {
			return nil, err
		}
		defer p.Close()
		a := random(n, 4)
		res, err := p.Solve(context.Background(), evd.Dense[float64]{Rows: n, Cols: n - 7, Ld: n, Data: a.Data})
		if err != nil {
			return nil, err
		}
		return []any{res.Values, res.U.Data, res.V.Data}, splits(d, p)
	}},
	{"batch", func(d *vk.Device, n int, tune *tuning.Tuning) ([]any, error) {
		order := min(n, 40)
		p, err := batch.NewPlan[float64](d, order, 9, batch.Options{Vectors: true})
		if err != nil {
			return nil, err
		}
		defer p.Close()
		var stack []evd.Sym[float64]
		for i := range 20 {
			stack = append(stack, random(1+(order+i)%order, uint64(i)))
		}
		res, err := p.Solve(context.Background(), stack)
		if err != nil {
			return nil, err
		}
		var all []any
		for _, s := range res.Spectra {
			all = append(all, s.Values, s.Vectors.Data, s.Err)
		}
		return all, splits(d, p)
	}},
}

// Solves on a device with small buffers have the same bits as with one buffer. In buffers of 512
// bytes each matrix, and nearly every list, lies in many buffers. With the smallest sizes of
// kernels, small matrices reach every path.
func TestPagesSolveTheSame(t *testing.T) {
	when.Skip(t, when.Slow, "the same kernels in other memory")
	usual := map[string]bool{"divide and conquer": true, "values": true, "MRRR": true}
	small := tuning.Smallest()
	for _, c := range []struct {
		n     int
		limit uint64
		tune  *tuning.Tuning
	}{{40, 512, &small}, {300, 20 << 10, nil}} {
		plain, paged := device(t, vk.Options{}), device(t, vk.Options{MaxBuffer: c.limit})
		for _, p := range problems {
			t.Run(fmt.Sprintf("%d %s", c.n, p.name), func(t *testing.T) {
				if c.tune == nil && !usual[p.name] || p.name == "complex64" {
					when.Long(t, "order 40; the usual problems; TestTranslateCommitted of vk/spirv for each kernel")
				}
				samePaged(t, p, c.n, c.tune, plain, paged)
			})
		}
	}
}

// samePaged solves a problem on two devices and compares the results. The second device learns from
// the first how fast emulated products are: the matrices of the measurement do not fit its pages.
func samePaged(t *testing.T, p problem, n int, tune *tuning.Tuning, plain, paged *vk.Device) {
	want, err := p.solve(plain, n, tune)
	if errors.As(err, new(*vk.UnsupportedError)) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if f := emulated.Known[float64](plain); f.Right {
		f.Keep(paged)
	}
	got, err := p.solve(paged, n, tune)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("other bits")
	}
}

// The test compares solves of order 512, whose matrices lie in two buffers of 1 MiB, with solves in
// one buffer.
func TestOrder512InBuffersOfOneMiB(t *testing.T) {
	when.Pick(t, when.Race)
	if !everything() {
		t.Skip("VKEVD_FAULTS is not all")
	}
	plain, paged := device(t, vk.Options{}), device(t, vk.Options{MaxBuffer: 1 << 20})
	for _, p := range problems {
		t.Run(p.name, func(t *testing.T) { samePaged(t, p, 512, nil, plain, paged) })
	}
}

// With Options.DebugShaders, the check of each access and the translation of its address work
// together.
func TestPagesUnderDebugShaders(t *testing.T) {
	when.Skip(t, when.Slow, "the same kernels in other memory")
	const n = 23
	small := tuning.Smallest()
	plain, paged := device(t, vk.Options{}), device(t, vk.Options{DebugShaders: true, MaxBuffer: 4 << 10})
	for _, p := range problems {
		if p.name == "divide and conquer" || p.name == "MRRR" || p.name == "svd" || p.name == "Hermitian" {
			t.Run(p.name, func(t *testing.T) {
				if p.name != "MRRR" {
					when.Long(t, "MRRR; TestPagesSolveTheSame and TestDebugShadersSolveTheSame")
				}
				samePaged(t, p, n, &small, plain, paged)
			})
		}
	}
}
