package dense

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk/spirv"
)

func TestScanReadsOnlyTheReferencedTriangle(t *testing.T) {
	nan := math.NaN()
	// The matrix is 3×3, column-major, with leading dimension 4. Its lower triangle is finite. All
	// other elements are NaN or infinite, and the function under test must ignore them.
	a := Triangle[float64]{N: 3, Ld: 4, Data: []float64{1, -7, 2, nan, nan, 3, 4, nan, nan, math.Inf(1), 5}}
	if got, err := a.Largest(); err != nil || got != 7 {
		t.Errorf("Largest = %v, %v", got, err)
	}
	a.Upper = true
	var bad *NonFiniteError
	if _, err := a.Largest(); !errors.As(err, &bad) || bad.Row != 0 || bad.Col != 1 {
		t.Errorf("Largest of the upper triangle: %v", err)
	}
	if _, err := NewTriangle(3, 4, a.Data, false, true).Largest(); !errors.As(err, &bad) || bad.Row != 1 || bad.Col != 0 {
		t.Errorf("Largest of the lower triangle of a row-major matrix: %v", err)
	}
}

// TestHermitianScan checks that both parts of the entries count, except the imaginary parts of the
// diagonal, and that norms and invariants agree with those of the matrix.
func TestHermitianScan(t *testing.T) {
	nan := math.NaN()
	at := func(diagonal float64) complex128 { return complex(diagonal, nan) }
	none := complex(nan, nan)
	for _, upper := range []bool{false, true} {
		// A = [1 3−4i; 3+4i −2]
		a := Triangle[complex128]{N: 2, Ld: 3, Data: []complex128{at(1), 3 + 4i, none, none, at(-2)}, Upper: upper}
		if upper {
			a.Data = []complex128{at(1), none, none, 3 - 4i, at(-2)}
		}
		if got, err := a.Largest(); err != nil || got != 4 {
			t.Errorf("upper=%v: Largest = %v, %v", upper, got, err)
		}
		if got := a.Norm1(0.5); got != 3.5 {
			t.Errorf("upper=%v: Norm1 = %g", upper, got)
		}
		if got := a.Invariants(1, spectrum.Tridiagonal{D: []float64{1, -2}, E: []float64{5}}); !(got <= 1) {
			t.Errorf("upper=%v: the invariants of a similar matrix differ by %g", upper, got)
		}
		if got := a.Invariants(1, spectrum.Tridiagonal{D: []float64{1, -2}, E: []float64{3}}); !(got > 1e10) {
			t.Errorf("upper=%v: the invariants of another matrix differ by %g", upper, got)
		}
		off := 1
		if upper {
			off = 3
		}
		for _, bad := range []struct {
			at, row int
			entry   complex128
			want    float64
		}{
			{off, off % 3, complex(1, math.Inf(-1)), math.Inf(-1)}, {off, off % 3, complex(math.Inf(1), nan), math.Inf(1)},
			{4, 1, complex(math.Inf(1), 0), math.Inf(1)},
		} {
			b := a
			b.Data = slices.Clone(a.Data)
			b.Data[bad.at] = bad.entry
			var found *NonFiniteError
			if _, err := b.Largest(); !errors.As(err, &found) || found.Row != bad.row || found.Col != bad.at/3 || found.Value != bad.want {
				t.Errorf("upper=%v, %v at %d: %v", upper, bad.entry, bad.at, err)
			}
		}
	}
}

func TestScanNamesTheFirst(t *testing.T) {
	const n = 100
	a := Triangle[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	a.Data[70+60*n], a.Data[80+60*n], a.Data[99+98*n] = math.Inf(-1), math.NaN(), math.NaN()
	var bad *NonFiniteError
	if _, err := a.Largest(); !errors.As(err, &bad) || bad.Row != 70 || bad.Col != 60 || !math.IsInf(bad.Value, -1) {
		t.Errorf("Largest: %v", err)
	}
}

func TestScalingIsExactAndBringsIntoRange(t *testing.T) {
	for _, x := range []float64{5e-324, 1e-310, 1e-200, 1e-146, 1e-140, 1, 1e140, 1e150, 1e300, math.MaxFloat64} {
		s := Scaling[float64](x)
		if f, _ := math.Frexp(s); f != 0.5 {
			t.Errorf("Scaling(%g) = %g is no power of two", x, s)
		}
		if y := x * s; !(y >= 1e-147 && y <= 1e147) {
			t.Errorf("Scaling(%g)·%g = %g", x, x, y)
		}
	}
	if Scaling[float64](1) != 1 || Scaling[float64](0) != 1 || Scaling[float64](1e100) != 1 {
		t.Error("a matrix in range was scaled")
	}
}

// TestOneStageScalingIsNormal checks the factors of oneStageScaling for all exponents of the
// largest entry. No factor with which a device multiplies may be subnormal, because a device may
// replace it by zero. If the host multiplies a matrix of float32, the factor is a double that
// float32 need not hold.
func TestOneStageScalingIsNormal(t *testing.T) {
	for e := -1073; e <= 1024; e++ {
		if sigma := oneStageScaling[float64](e); !(sigma >= 0x1p-1022 && sigma <= 0x1p1023) {
			t.Errorf("float64, 2^%d: %g", e, sigma)
		}
	}
	for e := -148; e <= 128; e++ {
		if sigma := oneStageScaling[float32](e); !(scaledOnHost[float32](sigma) && sigma < 0x1p1000 || sigma >= 0x1p-126 && sigma < 0x1p127) {
			t.Errorf("float32, 2^%d: %g", e, sigma)
		}
	}
}

// TestHostScalesWhereSubnormalsMatter tries matrices of all magnitudes below 1. If the device
// multiplies by σ, every subnormal number that it may replace by zero must be below 2^-10 ulps of
// the largest entry. If the host multiplies, σ times the smallest subnormal number must be a normal
// number.
func TestHostScalesWhereSubnormalsMatter(t *testing.T) {
	t.Run("float64", hostScales[float64])
	t.Run("float32", hostScales[float32])
	t.Run("complex128", hostScales[complex128])
	t.Run("complex64", hostScales[complex64])
}

func hostScales[T spirv.Scalar](t *testing.T) {
	ulp, normal := precision.UlpOf[T](), precision.SafeMinOf[T]()
	for _, stages := range []bool{false, true} {
		common := &Common[T]{OneStage: stages}
		for x := normal * ulp; x < 1; x *= 2 {
			a := Triangle[T]{N: 1, Ld: 1, Data: spectrum.Unscale[T]([]float64{x}, 1)}
			sigma, err := common.Scale(a)
			if err != nil {
				t.Fatal(err)
			}
			if host := scaledOnHost[T](sigma); !host && !(normal <= 0x1p-10*ulp*x) || host && !(normal*ulp*sigma >= normal) {
				t.Errorf("largest entry %g, one stage %v: multiplied by %g, by the host: %v", x, stages, sigma, host)
			}
		}
	}
}
