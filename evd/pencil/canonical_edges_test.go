package pencil

import (
	"context"
	"errors"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestCanonicalUnverified gives a plan another B after Factor, so that a result does not pass. The
// error must not speak of a safe path, which does not exist for the result of a pair.
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

// TestCanonicalNaNOfTheDevice damages V on the device, so that C has a NaN. The error must name C
// and the place, and the same plan must work for the next B.
func TestCanonicalNaNOfTheDevice(t *testing.T) {
	const n, more, bad = 12, 2, 3
	ctx := context.Background()
	a, b := scaledBasis[complex64](n, more, 0, 0)
	p := planFor[complex64](t, n, Options{Vectors: true, Overlap: Overlap{Canonical: true}, Tuning: small()})
	want, err := p.SolvePair(ctx, a, b)
	if err != nil {
		t.Fatal(err)
	}
	v := p.canonical.kept.v
	v.Data = slices.Clone(v.Data)
	v.Data[5+bad*v.Ld] = complex64(cmplx.NaN())
	if err := p.canonical.space.Now.Hold(p.base.Begin(ctx, nil), v); err != nil {
		t.Fatal(err)
	}
	var of *MatrixError
	var not *evd.NonFiniteError
	if _, err := p.Solve(ctx, a); !errors.As(err, &of) || of.Matrix != "C" || !errors.As(err, &not) || not.Row != bad || not.Col != 0 || !math.IsNaN(not.Value) {
		t.Errorf("%v", err)
	}
	if res, err := p.SolvePair(ctx, a, b); err != nil || !slices.Equal(res.Values, want.Values) {
		t.Errorf("%v, want %v, %v", res, want.Values, err)
	}
}

// TestCanonicalAvoidsEmulatedProducts lets emulated products refuse a factor, in each use of V. The
// plan must compute again with native products and keep V, and the result must name the reason.
func TestCanonicalAvoidsEmulatedProducts(t *testing.T) {
	t.Run("float64", avoidsEmulated[float64])
	t.Run("complex128", avoidsEmulated[complex128])
}

func avoidsEmulated[T evd.Number](t *testing.T) {
	const n, more = 70, 3
	ctx := context.Background()
	a, b := scaledBasis[T](n, more, 0, 0)
	opt := Options{Vectors: true, Verify: true, Products: evd.ProductsNative, Overlap: Overlap{Canonical: true}, Tuning: small()}
	want, err := planFor[T](t, n, opt).SolvePair(ctx, a, b)
	if err != nil {
		t.Fatal(err)
	}
	opt.Products = evd.ProductsEmulated
	for use := range 2 { // VᴴAV, V·Z
		p, err := NewPlan[T](stagetest.Device(t), n, opt)
		if err != nil {
			t.Skip(err)
		}
		defer p.Close()
		if _, err := p.Factor(ctx, b); err != nil {
			t.Fatal(err)
		}
		uses := map[*vk.Recorder]bool{}
		p.base.BeforeInfo = func(rec *vk.Recorder, _ string, word vk.Slice[uint32]) {
			if uses[rec] = true; len(uses) == use+1 {
				vk.Fill(rec, word, 1)
			}
		}
		for _, first := range []bool{true, false} {
			if p.Emulated() != first {
				t.Fatalf("use %d: emulated %v", use, p.Emulated())
			}
			res, err := p.Solve(ctx, a)
			if err != nil || (res.Retried != nil) != first || first && (res.Retried.Stage != stages.PhaseEmulated || res.Retried.Cause != stages.CauseRefused) {
				t.Fatalf("use %d: retried %+v, %v", use, res, err)
			}
			if res.Dropping.Dropped != more || res.Condition != p.factored.Condition || (res.Profile.Phase(stages.PhaseRefused) > 0) != first {
				t.Errorf("use %d: %+v, %v", use, res.Dropping, res.Profile.Phases)
			}
			for k, x := range res.Values {
				if !(math.Abs(x-want.Values[k]) <= 1e-12*math.Abs(want.Values[len(want.Values)-1])) {
					t.Fatalf("use %d: value %d is %g, want %g", use, k, x, want.Values[k])
				}
			}
		}
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

// TestCanonicalThresholdUsed checks the threshold that results report: in single precision at least
// n·ε.
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
