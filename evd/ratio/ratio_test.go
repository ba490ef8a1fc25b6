package ratio

import (
	"math"
	"testing"
)

// laplacian returns the matrix 2^shift·tridiag(−1, 2, −1) of order n twice: as a full matrix a with
// leading dimension ld, padded with NaN, and as diagonals d and e. It also returns the eigenvalues
// and eigenvectors by their formula.
func laplacian(n, ld, shift int) (a, d, e, values, z []float64) {
	nan := func(k int) []float64 {
		x := make([]float64, k)
		for i := range x {
			x[i] = math.NaN()
		}
		return x
	}
	s := math.Ldexp(1, shift)
	a, z = nan(n*ld), nan(n*ld)
	d, e, values = make([]float64, n), make([]float64, max(0, n-1)), make([]float64, n)
	for j := range n {
		angle := float64(j+1) * math.Pi / float64(n+1)
		half := math.Sin(angle / 2)
		values[j] = 4 * half * half * s
		for i := range n {
			a[i+j*ld] = 0
			turn := (i + 1) * (j + 1) % (2 * (n + 1)) // sin of a large angle is only as good as the angle
			z[i+j*ld] = math.Sqrt(2/float64(n+1)) * math.Sin(float64(turn)*math.Pi/float64(n+1))
		}
		a[j+j*ld], d[j] = 2*s, 2*s
	}
	for j := range n - 1 {
		a[j+1+j*ld], a[j+(j+1)*ld], e[j] = -s, -s, -s
	}
	return a, d, e, values, z
}

// measures returns the measures of one decomposition by name, all but Values. The measure Sturm is
// 0 if the test passes and +Inf if it fails.
func measures(n, m, ld int, a, d, e, values, z []float64) map[string]float64 {
	sturm := 0.0
	if Sturm(d, e, values, 4*float64(n)*Ulp*NormTridiagonal(d, e)) != nil {
		sturm = math.Inf(1)
	}
	return map[string]float64{
		"Residual":            Residual(n, m, a, ld, values[:m], z, ld),
		"Reconstruction":      Reconstruction(n, a, ld, values, z, ld),
		"Orthogonality":       Orthogonality(n, m, z, ld),
		"TridiagonalResidual": TridiagonalResidual(d, e, values[:m], z, ld),
		"Sturm":               sturm,
	}
}

func TestKnownPairsPass(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 17, 64, 100} {
		for _, shift := range []int{0, 1018, -1000, -1070} {
			for _, m := range []int{n, (n + 1) / 2, 0} {
				a, d, e, values, z := laplacian(n, n+3, shift)
				for name, r := range measures(n, m, n+3, a, d, e, values, z) {
					if !(r < 5) {
						t.Errorf("n=%d m=%d shift=%d: %s = %g", n, m, shift, name, r)
					}
				}
			}
		}
	}
}

// TestMeasureIsTheFormula checks every measure for an error that is known: A = 4·I has order 2, and
// the first eigenvalue in Λ is wrong by δ. Each measure must have the value of its formula.
func TestMeasureIsTheFormula(t *testing.T) {
	const delta = 0x1p-40
	a := []float64{4, 0, 0, 4}
	eye := []float64{1, 0, 0, 1}
	values := []float64{4 - delta, 4}
	want := delta / 4 / (2 * Ulp)
	for name, got := range map[string]float64{
		"Residual":            Residual(2, 2, a, 2, values, eye, 2),
		"Reconstruction":      Reconstruction(2, a, 2, values, eye, 2),
		"TridiagonalResidual": TridiagonalResidual([]float64{4, 4}, []float64{0}, values, eye, 2),
		"Values":              Values(2, values, []float64{4, 4}, 4),
	} {
		if got != want {
			t.Errorf("%s = %g, formula gives %g", name, got, want)
		}
	}
	// For Z = [1 δ; 0 1] the formula gives I − ZᵀZ = −[0 δ; δ δ²].
	if got, want := Orthogonality(2, 2, []float64{1, 0, delta, 1}, 2), delta/(2*Ulp); !(math.Abs(got/want-1) <= 1e-10) {
		t.Errorf("Orthogonality = %g, formula gives %g", got, want)
	}
}

// TestSingularResidual compares the residual of a known error with the formula. It also checks
// matrices without rows, lists without values, and numbers that are not finite.
func TestSingularResidual(t *testing.T) {
	const delta = 0x1p-40
	a := []float64{0, 0, 4, 2, 0, 0} // 3×2: a(2, 0) = 4, a(0, 1) = 2
	u, v := []float64{0, 0, 1, 1, 0, 0}, []float64{1, 0, 0, 1}
	if got := SingularResidual(3, 2, 2, a, 3, []float64{4, 2}, u, 3, v, 2); got != 0 {
		t.Errorf("exact vectors: %g", got)
	}
	if got, want := SingularResidual(3, 2, 2, a, 3, []float64{4 - delta, 2}, u, 3, v, 2), delta/4/(3*Ulp); got != want {
		t.Errorf("a value off by δ: %g, formula gives %g", got, want)
	}
	if got := SingularResidual(3, 2, 1, a, 3, []float64{4}, u, 3, v, 2); got != 0 {
		t.Errorf("one triplet: %g", got)
	}
	if SingularResidual[float64](0, 2, 0, nil, 1, nil, nil, 1, nil, 2) != 0 {
		t.Error("of nothing the residual is not 0")
	}
	for name, x := range map[string][]float64{"A": a, "U": u, "V": v} {
		kept := x[1]
		x[1] = math.NaN()
		if got := SingularResidual(3, 2, 2, a, 3, []float64{4, 2}, u, 3, v, 2); !math.IsInf(got, 1) {
			t.Errorf("a NaN in %s: %g", name, got)
		}
		x[1] = kept
	}
	if got := SingularResidual(3, 2, 2, a, 3, []float64{4}, u, 3, v, 2); !math.IsInf(got, 1) {
		t.Errorf("too few values: %g", got)
	}
}

// TestNothingSlips makes one input of the measures at a time NaN or infinite. Every measure that
// reads this input must then be +Inf, even if a product multiplies the NaN by zero.
func TestNothingSlips(t *testing.T) {
	const n, ld = 5, 6
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for spoiled, readers := range map[string][]string{
			"a":      {"Residual", "Reconstruction"},
			"d":      {"TridiagonalResidual", "Sturm"},
			"e":      {"TridiagonalResidual", "Sturm"},
			"values": {"Residual", "Reconstruction", "TridiagonalResidual", "Sturm"},
			"z":      {"Residual", "Reconstruction", "Orthogonality", "TridiagonalResidual"},
		} {
			a, d, e, values, z := laplacian(n, ld, 0)
			clear(z) // zero vectors are wrong, but they make every product vanish
			in := map[string][]float64{"a": a, "d": d, "e": e, "values": values, "z": z}
			in[spoiled][2] = bad
			got := measures(n, n, ld, a, d, e, values, z)
			for _, name := range readers {
				if !math.IsInf(got[name], 1) {
					t.Errorf("%g in %s: %s = %g", bad, spoiled, name, got[name])
				}
			}
		}
		for i, r := range []float64{
			Values(2, []float64{0, bad}, []float64{0, 1}, 1),
			Values(2, []float64{0, 1}, []float64{bad, 1}, 1),
			Values(2, []float64{0, 1}, []float64{0, 1}, math.Abs(bad)),
			Values(2, []float64{0}, []float64{0, 1}, 1),
		} {
			if !math.IsInf(r, 1) {
				t.Errorf("%g: Values case %d = %g", bad, i, r)
			}
		}
	}
}

func TestZeroMatrix(t *testing.T) {
	const n = 4
	zero := make([]float64, n*n)
	z := make([]float64, n*n)
	for j := range n {
		z[j+j*n] = 1
	}
	for name, r := range measures(n, n, n, zero, zero[:n], zero[:n-1], zero[:n], z) {
		if r != 0 {
			t.Errorf("%s = %g for the zero matrix", name, r)
		}
	}
	if r := Residual(n, n, zero, n, []float64{0, 0, 0, 1e-100}, z, n); !(r > 1e100) {
		t.Errorf("a value of 1e-100 for the zero matrix: ratio %g", r)
	}
}

// TestSturmNamesTheCulprit moves one eigenvalue up or down by more than the allowed distance. The
// value is either alone or one of several equal values. Sturm must then return an error. SturmRange
// must return one for indices shifted by one and for a wrong number of values.
func TestSturmNamesTheCulprit(t *testing.T) {
	d, e := []float64{1, 2, 2, 5}, []float64{0, 0, 0}
	const width = 1e-9
	if err := Sturm(d, e, d, width); err != nil {
		t.Error(err)
	}
	for k := range d {
		for _, move := range []float64{-3 * width, 3 * width} {
			values := append([]float64(nil), d...)
			values[k] += move
			if Sturm(d, e, values, width) == nil {
				t.Errorf("value %d moved by %g passed", k, move)
			}
		}
	}
	if err := SturmRange(d, e, 2, []float64{2, 5}, width); err != nil {
		t.Error(err)
	}
	if SturmRange(d, e, 1, []float64{2, 5}, width) == nil {
		t.Error("indices shifted by one passed")
	}
	if Sturm(d, e, []float64{1, 2, 5}, width) == nil || SturmRange(d, e, 3, []float64{2, 5}, width) == nil {
		t.Error("wrong number of values passed")
	}
}

// TestSingularResidualOfNoSVD uses values and vectors for which A·V = U·Σ holds exactly, but the
// values are negative, ascending or missing. The residual must be +Inf.
func TestSingularResidualOfNoSVD(t *testing.T) {
	a, v := []float64{0, 0, 4, 2, 0, 0}, []float64{1, 0, 0, 1} // 3×2: a(2, 0) = 4, a(0, 1) = 2
	for name, c := range map[string]struct{ values, u, v []float64 }{
		"all negative": {[]float64{-4, -2}, []float64{0, 0, -1, -1, 0, 0}, v},
		"one negative": {[]float64{4, -2}, []float64{0, 0, 1, -1, 0, 0}, v},
		"rising":       {[]float64{2, 4}, []float64{1, 0, 0, 0, 0, 1}, []float64{0, 1, 1, 0}},
		"none":         {nil, nil, nil},
	} {
		if got := SingularResidual(3, 2, len(c.values), a, 3, c.values, c.u, 3, c.v, 2); !math.IsInf(got, 1) {
			t.Errorf("%s: %g", name, got)
		}
	}
}
