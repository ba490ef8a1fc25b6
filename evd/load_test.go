package evd

import (
	"errors"
	"math"
	"testing"
)

func TestScanReadsOnlyTheReferencedTriangle(t *testing.T) {
	nan := math.NaN()
	// The matrix is 3×3, column-major, with leading dimension 4. Its lower triangle is finite. All
	// other elements are NaN or infinite, and the function under test must ignore them.
	a := Sym[float64]{N: 3, Ld: 4, Uplo: Lower, Data: []float64{1, -7, 2, nan, nan, 3, 4, nan, nan, math.Inf(1), 5}}
	if got, err := scan(a); err != nil || got != 7 {
		t.Errorf("scan = %v, %v", got, err)
	}
	a.Uplo = Upper
	var bad *NonFiniteError
	if _, err := scan(a); !errors.As(err, &bad) || bad.Row != 0 || bad.Col != 1 {
		t.Errorf("scan of the upper triangle: %v", err)
	}
}

func TestScanNamesTheFirst(t *testing.T) {
	const n = 100
	a := Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	a.Data[70+60*n], a.Data[80+60*n], a.Data[99+98*n] = math.Inf(-1), math.NaN(), math.NaN()
	var bad *NonFiniteError
	if _, err := scan(a); !errors.As(err, &bad) || bad.Row != 70 || bad.Col != 60 || !math.IsInf(bad.Value, -1) {
		t.Errorf("scan: %v", err)
	}
}

func TestScalingIsExactAndBringsIntoRange(t *testing.T) {
	for _, x := range []float64{5e-324, 1e-310, 1e-200, 1e-146, 1e-140, 1, 1e140, 1e150, 1e300, math.MaxFloat64} {
		s := scaling[float64](x)
		if f, _ := math.Frexp(s); f != 0.5 {
			t.Errorf("scaling(%g) = %g is no power of two", x, s)
		}
		if y := x * s; !(y >= 1e-147 && y <= 1e147) {
			t.Errorf("scaling(%g)·%g = %g", x, x, y)
		}
	}
	if scaling[float64](1) != 1 || scaling[float64](0) != 1 || scaling[float64](1e100) != 1 {
		t.Error("a matrix in range was scaled")
	}
}
