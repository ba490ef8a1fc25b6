package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestDistributedHermitians solves Hermitian matrices that are divided among two and three devices,
// for all ways to return vectors. The values must be those of one device, up to rounding errors. If
// all vectors are computed, their errors must be small. Both triangles, by columns and by rows,
// must give the same bits.
func TestDistributedHermitians(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	d := [3]*vk.Device{device(t, vk.Options{}), device(t, vk.Options{}), device(t, vk.Options{})}
	for n, options := range map[int]map[string]evd.Options{
		1: {"all": {Vectors: true}}, 2: {"all": {Vectors: true}, "values": {}},
		5:  {"none": {Vectors: true, Select: evd.Index(2, 2)}},
		33: {"MRRR": {Vectors: true, Solver: evd.MRRR, RowMajor: true}, "sizes": {Vectors: true, Band: 6, Block: 18}},
		50: {"emulated": {Vectors: true, Products: evd.ProductsEmulated}},
		67: {
			"all": {Vectors: true}, "rows": {Vectors: true, RowMajor: true}, "overwrite": {Vectors: true, Overwrite: true},
			"part": {Vectors: true, Select: evd.Index(11, 40)}, "QR": {Vectors: true, Solver: evd.QR}, "waves": {Vectors: true, NoWaits: true},
			"values": {}, "verified": {Vectors: true, Verify: true}, "one block": {Vectors: true, Band: 10, Block: 70},
		},
	} {
		a := randomHermitian(n)
		for name, opt := range options {
			opt.Tuning = small()
			want := solved(t, d[0], n, a, opt)
			opt.Distribute = true
			for k := range 2 {
				t.Run(fmt.Sprintf("n = %d, %s, %d devices", n, name, k+2), func(t *testing.T) {
					if k == 0 {
						when.Skip(t, when.Validation, "three devices")
					}
					p := planOf[complex128](t, d[0], n, severally(opt, d[1:k+2]...))
					fromEachTriangle(t, p, n, a, opt, want)
				})
			}
		}
	}
}

func fromEachTriangle(t *testing.T, p *evd.Plan[complex128], n int, a []complex128, opt evd.Options, want *evd.Result[complex128]) {
	var first *evd.Result[complex128]
	for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
		for _, rowMajor := range []bool{false, true} {
			got, err := p.Solve(context.Background(), stored(n, n+2, a, uplo, rowMajor))
			if err != nil {
				t.Fatal(err)
			}
			if first != nil {
				agree(t, fmt.Sprintf("upper %v, row-major %v", uplo, rowMajor), got, first)
				continue
			}
			first = got
			if got.First != want.First || len(got.Values) != len(want.Values) || (got.Certificate == nil) == opt.Verify {
				t.Fatalf("%d values from %d on, certificate %v", len(got.Values), got.First, got.Certificate)
			}
			if r := ratio.Values(n, got.Values, want.Values, norm2(want.Values)); !(r < good) {
				t.Errorf("values differ by %g·n·ε·‖A‖", r)
			}
			if opt.Vectors && len(got.Values) == n {
				judge(t, n, a, byColumns(got))
			}
			if c := got.Certificate; c != nil && (c.Safe || !c.Passed()) {
				t.Errorf("certificate %+v", c)
			}
		}
	}
}

// TestDistributedRealInComplexStorage solves a real matrix as a complex one, divided among two
// devices. The values must be those of the real plan, and the vectors must be real.
func TestDistributedRealInComplexStorage(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	d, e := device(t, vk.Options{}), device(t, vk.Options{})
	const n = 45
	a := full(random(n))
	opt := severally(evd.Options{Vectors: true, Distribute: true, Tuning: small()}, e)
	want, got := solved(t, d, n, a, opt), solved(t, d, n, complexOf(a), opt)
	sameSpectrum(t, "complex storage", got.Values, want.Values)
	judge(t, n, complexOf(a), got)
	if slices.ContainsFunc(got.Vectors.Data, func(x complex128) bool { return imag(x) != 0 }) {
		t.Error("the vectors are not real")
	}
}

// TestScaledDistributedHermitians solves matrices with very large and very small elements, which
// are multiplied by powers of two.
func TestScaledDistributedHermitians(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	d, e := device(t, vk.Options{}), device(t, vk.Options{})
	const n = 21
	opt := severally(evd.Options{Vectors: true, Distribute: true, Verify: true, Tuning: small()}, e)
	p := planOf[complex128](t, d, n, opt)
	for _, scale := range []float64{0x1p900, 0x1p-900, 0x1p-1040} {
		a := randomHermitian(n)
		for i := range a {
			a[i] = complex(real(a[i])*scale, imag(a[i])*scale)
		}
		for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
			res, err := p.Solve(context.Background(), stored(n, n, a, uplo, true))
			if err != nil || res.Certificate.Safe || !res.Certificate.Passed() {
				t.Errorf("scale %g, upper %v: %v, %+v", scale, uplo, err, res)
			}
		}
	}
	_, err := p.Solve(context.Background(), evd.NewSym(n, []complex128{0: 1, n*n - 1: complex(math.Inf(1), 0)}, evd.Lower))
	if bad, ok := err.(*evd.NonFiniteError); !ok || bad.Row != n-1 || bad.Col != n-1 {
		t.Errorf("an infinity: %v", err)
	}
}

// TestComplexPlansDistributeByThemselves makes plans for devices that have too little memory for a
// solve on one device. Four of them must divide the matrix, and two with enough memory must not.
func TestComplexPlansDistributeByThemselves(t *testing.T) {
	const n = 16384
	card := vk.Info{Name: "NVIDIA H200", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 132, Memory: 1 << 40, Free: 1 << 40}
	for _, vectors := range []bool{false, true} {
		p, err := evd.NewPlan[complex128](vk.Dry(card), n, severally(evd.Options{Vectors: vectors}, vk.Dry(card)))
		if err != nil || p.Distributed() {
			t.Fatalf("vectors %v, enough memory: %v", vectors, err)
		}
		little := card
		little.Free = p.Bytes() * 9 / 10
		if _, err := evd.NewPlan[complex128](vk.Dry(little), n, evd.Options{Vectors: vectors}); !errors.As(err, new(*vk.OutOfMemoryError)) {
			t.Errorf("vectors %v, one device: %v", vectors, err)
		}
		p, err = evd.NewPlan[complex128](vk.Dry(little), n, severally(evd.Options{Vectors: vectors}, vk.Dry(little), vk.Dry(little), vk.Dry(little)))
		if err != nil || !p.Distributed() {
			t.Errorf("vectors %v, four devices: %v", vectors, err)
		}
	}
}
