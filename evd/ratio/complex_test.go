package ratio

import (
	"math"
	"math/cmplx"
	"testing"
)

// turnedLaplacian returns D·A·Dᴴ and D·Z for the matrix of laplacian, where D is diagonal with the
// elements e^{i·j²}.
func turnedLaplacian(n, ld, shift int) (a []complex128, values []float64, z []complex128) {
	real, _, _, values, vectors := laplacian(n, ld, shift)
	a, z = make([]complex128, n*ld), make([]complex128, n*ld)
	d := func(j int) complex128 { return cmplx.Rect(1, float64(j*j)) }
	for j := range n {
		for i := range ld {
			a[i+j*ld] = complex(real[i+j*ld], 0) * d(i) * cmplx.Conj(d(j))
			z[i+j*ld] = complex(vectors[i+j*ld], 0) * d(i)
		}
	}
	return a, values, z
}

func complexMeasures(n, ld int, a []complex128, values []float64, z []complex128) map[string]float64 {
	return map[string]float64{
		"Residual":       Residual(n, n, a, ld, values, z, ld),
		"Reconstruction": Reconstruction(n, a, ld, values, z, ld),
		"Orthogonality":  Orthogonality(n, n, z, ld),
	}
}

// TestComplexPairs measures known vectors of complex matrices. The conjugate vectors are
// orthogonal, too, but are no eigenvectors, and their residuals must be large.
func TestComplexPairs(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 17, 64} {
		for _, shift := range []int{0, 1018, -1000} {
			a, values, z := turnedLaplacian(n, n+3, shift)
			for name, r := range complexMeasures(n, n+3, a, values, z) {
				if !(r < 5) {
					t.Errorf("n=%d shift=%d: %s = %g", n, shift, name, r)
				}
			}
			for i := range z {
				z[i] = cmplx.Conj(z[i])
			}
			for name, r := range complexMeasures(n, n+3, a, values, z) {
				if n > 1 && (name == "Orthogonality") != (r < 5) {
					t.Errorf("n=%d shift=%d, conjugate vectors: %s = %g", n, shift, name, r)
				}
			}
		}
	}
}

// TestComplexMeasureIsTheFormula checks the measures for errors that are known: A = 4·I, and Z = [1
// iδ; 0 1], for which I − ZᴴZ = −[0 iδ; −iδ δ²].
func TestComplexMeasureIsTheFormula(t *testing.T) {
	const delta = 0x1p-40
	a, eye := []complex128{4, 0, 0, 4}, []complex128{1, 0, 0, 1}
	want := delta / 4 / (2 * Ulp)
	if got := Residual(2, 2, a, 2, []float64{4 - delta, 4}, eye, 2); got != want {
		t.Errorf("Residual = %g, formula gives %g", got, want)
	}
	if got := Reconstruction(2, a, 2, []float64{4 - delta, 4}, eye, 2); got != want {
		t.Errorf("Reconstruction = %g, formula gives %g", got, want)
	}
	if got, want := Orthogonality(2, 2, []complex128{1, 0, delta * 1i, 1}, 2), delta/(2*Ulp); !(math.Abs(got/want-1) <= 1e-10) {
		t.Errorf("Orthogonality = %g, formula gives %g", got, want)
	}
}

// TestNothingSlipsInEitherPart makes the real or the imaginary part of one element NaN or infinite.
// Numbers near overflow in both parts must not count as infinite.
func TestNothingSlipsInEitherPart(t *testing.T) {
	const n = 5
	for _, bad := range []complex128{
		complex(math.NaN(), 0), complex(0, math.NaN()), complex(0, math.Inf(1)), complex(math.Inf(-1), math.NaN()),
	} {
		for _, spoiled := range []string{"a", "z"} {
			a, values, z := turnedLaplacian(n, n, 0)
			clear(z)
			map[string][]complex128{"a": a, "z": z}[spoiled][2] = bad
			for name, r := range complexMeasures(n, n, a, values, z) {
				if reads := spoiled == "z" || name != "Orthogonality"; reads && !math.IsInf(r, 1) {
					t.Errorf("%v in %s: %s = %g", bad, spoiled, name, r)
				}
			}
		}
	}
	const big = 0.9 * math.MaxFloat64
	a := []complex128{0, complex(big, big), complex(big, -big), 0}
	if r := Residual(2, 1, a, 2, []float64{0}, []complex128{1, 0}, 2); math.IsInf(r, 1) {
		t.Errorf("entries near overflow count as infinite")
	}
}
