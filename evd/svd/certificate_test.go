package svd

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
)

// TestCertificate solves matrices of all families. The certificates must pass. Their number Counts
// must be near the smallest one that Sturm counts can prove.
func TestCertificate(t *testing.T) {
	small := tuning.Smallest()
	for _, shape := range [][3]int{{0, 3, 0}, {1, 1, 0}, {5, 1, 0}, {7, 9, 0}, {40, 40, 0}, {61, 37, 5}} {
		m, n := shape[0], shape[1]
		p, err := NewPlan[float64](testDevice(t), m, n, Options{Certify: true, Largest: shape[2], Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			a, _ := f.make(m, n, m < n)
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			c, what := res.Certificate, fmt.Sprintf("%d×%d %s", m, n, f.name)
			if c == nil || !c.Passed() || !(c.Counts <= 4*spectrum.Narrowest/float64(max(m, n, 1))) || !(c.Norm < 2) {
				t.Errorf("%s: %v", what, c)
			}
		}
		p.Close()
	}
}

// TestCertificateFindsErrors makes wrong results: a changed value, a value that occurs twice, a
// NaN, and a Golub-Kahan form T that does not belong to A. The certificate must fail for each of
// them.
func TestCertificateFindsErrors(t *testing.T) {
	when.Skip(t, when.Quick, "Verify")
	const m, n = 30, 20
	p, err := NewPlan[float64](testDevice(t), m, n, Options{Certify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a, _ := families[0].make(m, n, false)
	for name, c := range map[string]struct {
		spoil        func(part spectrum.Part, t spectrum.Tridiagonal)
		counts, norm bool // which numbers of the certificate must fail
	}{
		"nothing": {func(spectrum.Part, spectrum.Tridiagonal) {}, false, false},
		"moved":   {func(p spectrum.Part, _ spectrum.Tridiagonal) { p.Values[3] *= 1 + 1e-9 }, true, false},
		"doubled": {func(p spectrum.Part, _ spectrum.Tridiagonal) { p.Values[4] = p.Values[5] }, true, false},
		"NaN":     {func(p spectrum.Part, _ spectrum.Tridiagonal) { p.Values[0] = math.NaN() }, true, false},
		"T":       {func(_ spectrum.Part, t spectrum.Tridiagonal) { t.E[7] *= 1 + 1e-9 }, false, true},
		"T, NaN":  {func(_ spectrum.Part, t spectrum.Tridiagonal) { t.E[7] = math.NaN() }, true, true},
	} {
		s := &solve[float64]{&p.problem, p.path.Now, p.base.Begin(context.Background(), nil)}
		tri, err := s.reduce(a, 1)
		if err != nil {
			t.Fatal(err)
		}
		part, err := s.steps.values.Solve(s.Call, tri, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.spoil(part, tri)
		got, err := s.certify(a, 1, tri, part)
		if err != nil || (got.Counts >= 60) != c.counts || (got.Norm >= 60) != c.norm || got.Passed() == (c.counts || c.norm) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
