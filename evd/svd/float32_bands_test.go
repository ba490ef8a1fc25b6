package svd

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/stages/tuning"
)

// TestFloat32Bands solves upper bands in single precision: narrow ones, and wide ones that become
// narrower in several passes.
func TestFloat32Bands(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Pick(t, when.Single)
	small := tuning.Smallest()
	for _, c := range []struct {
		n, b, largest int
		scale         float64
	}{{1, 0, 0, 1}, {2, 1, 0, 1}, {20, 0, 0, 1}, {20, 1, 0, 1}, {30, 5, 7, 1}, {37, 13, 0, 1}, {33, 8, 0, 0x1p110}, {33, 8, 0, 0x1p-110}} {
		p, err := NewBandPlan[float32](testDevice(t), c.n, c.b, BandOptions{Largest: c.largest, Certify: true, Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		wide, _ := randomBand(c.n, c.b, c.scale)
		band := Band[float32]{N: wide.N, B: wide.B, Ld: wide.Ld, Data: spectrum.Unscale[float32](wide.Data, 1)}
		full := mat.NewDense(c.n, c.n, nil)
		for j := range c.n {
			first, entries := band.column(j)
			for i, x := range entries {
				full.Set(first+i, j, float64(x)/c.scale)
			}
		}
		res, err := p.Solve(context.Background(), band)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if !res.Certificate.Passed() {
			t.Errorf("%+v: %v", c, res.Certificate)
		}
		want := valuesByGonum(t, full)
		for i, x := range res.Values {
			if far := math.Abs(float64(x)/c.scale - want[i]); !(far <= 2*float64(c.n)*ulp32*want[0]) {
				t.Errorf("%+v: value %d is %g, want %g", c, i, float64(x)/c.scale, want[i])
			}
		}
		p.Close()
	}
}

// TestFloat32Bidiagonal solves bidiagonal matrices of float32. The plan computes in double
// precision. So each value may differ from that of gonum's Dbdsqr by one unit in its own last place
// (of float32), plus 2⁻¹⁰⁰ of the largest value and the smallest float32.
func TestFloat32Bidiagonal(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Pick(t, when.Single)
	small, n := tuning.Smallest(), 40
	opt := Options{U: Thin, V: Thin, Certify: true, Tuning: &small}
	p, err := NewBidiagonalPlan[float32](testDevice(t), n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, f := range suite.BidiagonalFamilies {
		d, e := f.Make(n)
		if top := suite.Scale(d, e); top > 0x1p100 || top < 0x1p-100 {
			continue
		}
		c := Bidiagonal[float32]{spectrum.Unscale[float32](d, 1), spectrum.Unscale[float32](e, 1)}
		d, e = spectrum.Scale(c.D, 1), spectrum.Scale(c.E, 1)
		res, err := p.Solve(context.Background(), c)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if !res.Certificate.Passed() {
			t.Errorf("%s: %v", f.Name, res.Certificate)
		}
		g := mat.NewDense(n, n, nil)
		for i, x := range d {
			if g.Set(i, i, x); i+1 < n {
				g.Set(i, i+1, e[i])
			}
		}
		decomposedIn(t, f.Name, g, opt, widened(res), ulp32)
		if r, err := p.Check(context.Background(), c, res); err != nil || !r.Passed() {
			t.Errorf("%s: %v, %v", f.Name, r, err)
		}
		want := valuesByQR(t, d, e)
		for i, x := range res.Values {
			if far := math.Abs(float64(x) - want[i]); !(far <= ulp32*want[i]+0x1p-100*want[0]+0x1p-149) {
				t.Errorf("%s: value %d is %g, want %g", f.Name, i, x, want[i])
			}
		}
	}
}
