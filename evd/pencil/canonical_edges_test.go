package pencil

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
)

// TestCanonicalUnverified gives a plan another B after Factor, so that a result does not pass. The error
// must not speak of a safe path, which does not exist for the result of a pair.
func TestCanonicalUnverified(t *testing.T) {
	const n, more = 12, 2
	a, b := scaledBasis[float64](n, more, 0, 0)
	p := planFor[float64](t, n, Options{Vectors: true, Verify: true, Overlap: Overlap{Canonical: true}, Tuning: small()})
	if _, err := p.Factor(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	dense.Multiply(p.canonical.kept.b.Data, 2)
	var not *UnverifiedError
	_, err := p.Solve(context.Background(), a)
	if !errors.As(err, &not) || not.Certificates.Safe != nil || !(not.Certificates.First.Orthogonality > Threshold) || !(not.Condition > 1) {
		t.Fatalf("%v", err)
	}
	if text := err.Error(); strings.Contains(text, "safe path") || strings.Contains(text, "no result;") || !strings.Contains(text, "each must be below 10; B has the condition number ") {
		t.Error(text)
	}
	if text := not.Certificates.Error(); strings.Contains(text, "safe path") {
		t.Error(text)
	}
}

// TestCanonicalOrderOne checks that a pair of order 1 has the results and errors of larger ones.
func TestCanonicalOrderOne(t *testing.T) {
	ctx := context.Background()
	p := planFor[float32](t, 1, Options{Vectors: true, Overlap: Overlap{Canonical: true}})
	one := func(x float32) evd.Sym[float32] { return evd.NewSym(1, []float32{x}, evd.Lower) }
	for x, s := range map[float32]float64{0: 0, -4: -1} {
		var bad *IndefiniteError
		if _, err := p.Factor(ctx, one(x)); !errors.As(err, &bad) || bad.Smallest != s || bad.Largest != s {
			t.Errorf("B = %g: %v", x, err)
		}
		if _, err := p.Solve(ctx, one(3)); !errors.Is(err, ErrNoFactor) {
			t.Errorf("B = %g: Solve afterwards: %v", x, err)
		}
	}
	want := Dropping{Threshold: 0x1p-23, Kept: 1}
	f, err := p.Factor(ctx, one(4))
	if err != nil || f.Dropping != want {
		t.Fatalf("%+v, %v", f, err)
	}
	res, err := p.Solve(ctx, one(8))
	if err != nil || res.Dropping != want || res.Values[0] != 2 || res.Vectors.Data[0] != 0.5 {
		t.Errorf("%+v, %v", res, err)
	}
	var bad *evd.OptionError
	if err := p.CopyFactor(ctx, one(0)); !errors.As(err, &bad) {
		t.Errorf("CopyFactor: %v", err)
	}
}

// TestCanonicalThresholdUsed checks the threshold that results report: in single precision at least n·ε.
func TestCanonicalThresholdUsed(t *testing.T) {
	const n, more = 12, 2
	for threshold, want := range map[float64]float64{0: n * 0x1p-23, 1e-7: n * 0x1p-23, 1e-3: 1e-3} {
		a, b := scaledBasis[float32](n, more, 0, 0)
		p := planFor[float32](t, n, Options{Overlap: Overlap{Canonical: true, Threshold: threshold}, Tuning: small()})
		if res, err := p.SolvePair(context.Background(), a, b); err != nil || res.Threshold != want {
			t.Errorf("threshold %g: %+v, %v", threshold, res, err)
		}
	}
}
