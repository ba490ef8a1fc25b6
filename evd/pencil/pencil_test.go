package pencil

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// The tests compute on the host with complex128 for every number type T. The matrices are first
// rounded to T.

// mostRatio is the bound of ratios for a B of small condition number. (They are largest for the
// orders 2 and 3, up to 1.5.)
const mostRatio = 4

func eachType(t *testing.T, doubles, singles, complexes, complexSingles func(t *testing.T)) {
	t.Run("float64", doubles)
	t.Run("float32", singles)
	stagetest.EachComplex(t, complexes, complexSingles)
}

// pair is a Hermitian matrix A and a positive definite matrix B with the factor L.
type pair struct {
	n       int
	a, b, l []complex128
}

// newPair returns a pair of numbers that T holds exactly. B has eigenvalues from 1 down to
// 1/condition. If `compatible` is true, A = L·M·Lᴴ with a random matrix M, and otherwise A is
// random.
func newPair[T evd.Number](n int, condition float64, compatible bool) pair {
	r := rand.New(rand.NewPCG(uint64(n), 36))
	rounded := func(x []complex128) []complex128 { return stagetest.Exactly(stagetest.Rounded[T](x)) }
	p := pair{n: n, a: make([]complex128, n*n), b: make([]complex128, n*n)}
	for j := range n {
		for i := range j + 1 {
			z := stagetest.RandomComplex(r)
			p.a[i+j*n], p.a[j+i*n] = z, cmplx.Conj(z)
		}
		p.a[j+j*n] = complex(real(p.a[j+j*n]), 0)
		p.b[j+j*n] = complex(math.Pow(condition, -float64(j)/float64(max(n-1, 1))), 0)
	}
	p.a = rounded(p.a)
	for range 2 { // B ← H·B·H for a reflector H = I − 2·v·vᴴ
		v, norm := make([]complex128, n), 0.0
		for i := range v {
			v[i] = stagetest.RandomComplex(r)
		}
		v = rounded(v)
		for _, z := range v {
			norm += real(z)*real(z) + imag(z)*imag(z)
		}
		h := make([]complex128, n*n)
		for j := range n {
			for i := range n {
				h[i+j*n] = -v[i] * cmplx.Conj(v[j]) * complex(2/norm, 0)
			}
			h[j+j*n]++
		}
		p.b = times(n, times(n, h, ref.NoTrans, p.b), ref.Adjoint, h)
	}
	p.b = rounded(p.b)
	p.factor()
	if compatible {
		p.a = rounded(times(n, times(n, p.l, ref.NoTrans, p.a), ref.Adjoint, p.l))
	}
	return p
}

// factor computes L.
func (p *pair) factor() {
	p.l = slices.Clone(p.b)
	if n := p.n; n > 0 {
		ref.Cholesky(n, 8, p.l, n)
		for j := range n {
			clear(p.l[j*n : j*n+j])
		}
	}
}

func times(n int, x []complex128, op ref.Op, y []complex128) []complex128 {
	z := make([]complex128, n*n)
	ref.Gemm(ref.NoTrans, op, n, n, n, 1, x, n, y, n, 0, z, n)
	return z
}

// given returns one triangle of a matrix with padding. All numbers that must not be read are NaN.
func given[T evd.Number](n int, m []complex128, uplo evd.Uplo, rowMajor bool) evd.Sym[T] {
	ld := n + 3
	data := stagetest.Triangle[T](n, ld, m, uplo == evd.Upper, rowMajor)
	return evd.Sym[T]{N: n, Ld: ld, Data: data, Uplo: uplo, RowMajor: rowMajor}
}

// ratios measures a result on the host. For AxLBx it returns the numbers of ratio.Pencil. For the
// other problems, `eta` is the Residual of Plan.Check. For ABxLx, `omega` is an upper bound of that
// of ratio.Pencil. For BAxLx it is 0, because it is not measured.
func (p pair) ratios(typ Type, values []float64, x []complex128, ulp float64) (eta, omega float64) {
	m := len(values)
	if typ == AxLBx {
		eta, omega = ratio.Pencil(p.n, m, p.a, p.n, p.b, p.n, values, x, p.n)
		return eta * 0x1p-52 / ulp, omega * 0x1p-52 / ulp
	}
	largest := 0.0
	for _, z := range p.a {
		largest = max(largest, cmplx.Abs(z))
	}
	if largest == 0 {
		return slices.Max(append(values, 0)), 0
	}
	_, e := math.Frexp(largest)
	p.a, values = slices.Clone(p.a), slices.Clone(values)
	for i, z := range p.a {
		p.a[i] = complex(math.Ldexp(real(z), -e), math.Ldexp(imag(z), -e))
	}
	for j, x := range values {
		values[j] = math.Ldexp(x, -e)
	}
	n, first, second := p.n, p.b, p.a
	if typ == BAxLx {
		first, second = p.a, p.b
	}
	y, z, g := make([]complex128, n*m), make([]complex128, n*m), make([]complex128, m*m)
	ref.Gemm(ref.NoTrans, ref.NoTrans, n, m, n, 1, first, n, x, n, 0, y, n)
	ref.Gemm(ref.NoTrans, ref.NoTrans, n, m, n, 1, second, n, y, n, 0, z, n)
	normA, normB := max(ratio.Norm1(n, n, p.a, n), math.Ldexp(ratio.SafeMin, -e)), ratio.Norm1(n, n, p.b, n)
	for j, value := range values {
		for i := range n {
			z[i+j*n] -= complex(value, 0) * x[i+j*n]
		}
		within := (normA*normB + math.Abs(value)) * ratio.Norm1(n, 1, x[j*n:], n)
		eta = max(eta, ratio.Norm1(n, 1, z[j*n:], n)/(within*float64(n)*ulp))
	}
	if typ == ABxLx {
		ref.Gemm(ref.Adjoint, ref.NoTrans, m, m, n, 1, x, n, y, n, 0, g, m)
		for j := range m {
			g[j+j*m]--
			for i := range m {
				length := ratio.Norm1(n, 1, x[j*n:], n) * ratio.Norm1(n, 1, x[i*n:], n)
				omega = max(omega, cmplx.Abs(g[i+j*m])/(length*normB*ulp)) // ‖x‖₁² ≤ n·‖x‖₂²
			}
		}
	}
	return eta, omega
}

func small() *tuning.Tuning {
	t := tuning.Smallest()
	return &t
}

// oneStage is `small` with a reduction to tridiagonal form in one stage.
func oneStage() *tuning.Tuning {
	t := tuning.Smallest()
	t.Sytrd = reduce.TridiagonalisationTuning{
		Values: 60, Vectors: 60, LocalSize: 16, Groups: 1, Rows: 1, Kept: 128, Polls: 1 << 24,
		Blocked: reduce.BlockedTuning{Left: 20, Columns: 8, LocalSize: 16, Groups: 1},
	}
	return &t
}

func planFor[T evd.Number](t *testing.T, n int, opt Options) *Plan[T] {
	t.Helper()
	p, err := NewPlan[T](stagetest.Device(t), n, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestTypes solves pairs of all three types, in each storage. The ratios must be small, Solve must
// have the same results as SolvePair, and the values must be nearly the same without vectors.
func TestTypes(t *testing.T) {
	eachType(t, testTypes[float64], testTypes[float32], testTypes[complex128], testTypes[complex64])
}

func testTypes[T evd.Number](t *testing.T) {
	ctx, ulp := context.Background(), stagetest.UlpOf[T]()
	for i, n := range []int{0, 1, 2, 3, 5, 17, 33, 45, 50} {
		for typ := AxLBx; typ <= BAxLx; typ++ {
			uplo, rowMajor := evd.Uplo((i+int(typ))%2 == 0), i%3 == 0
			where := fmt.Sprintf("type %d, n=%d, upper %v, row-major %v", typ, n, uplo, rowMajor)
			pr := newPair[T](n, 10, true)
			opt := Options{Type: typ, Vectors: true, Tuning: small(), RowMajor: i%2 == 0}
			if n == 45 {
				opt.Tuning = oneStage()
			}
			p := planFor[T](t, n, opt)
			if n > 1 && p.stages.Now.OneStage != (n == 45) {
				t.Errorf("%s: in one stage: %v", where, n != 45)
			}
			a, b := given[T](n, pr.a, uplo, rowMajor), given[T](n, pr.b, !uplo, !rowMajor)
			res, err := p.SolvePair(ctx, a, b)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			x := make([]complex128, 0, n*n)
			for j := range n {
				x = append(x, stagetest.Exactly(res.Vectors.Col(j))...)
			}
			eta, omega := pr.ratios(typ, res.Values, x, ulp)
			if !(eta < mostRatio) || !(omega < mostRatio) || !slices.IsSorted(res.Values) {
				t.Errorf("%s: eta %g, omega %g", where, eta, omega)
			}
			checked, err := p.Check(ctx, a, b, res)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			if !(checked.Residual < mostRatio) || !(checked.Orthogonality < mostRatio) {
				t.Errorf("%s: Check finds %+v, the host %g and %g", where, checked, eta, omega)
			}
			if again, err := p.Solve(ctx, a); err != nil || !slices.Equal(again.Values, res.Values) || n > 0 && !slices.Equal(again.Vectors.Data, res.Vectors.Data) {
				t.Errorf("%s: Solve has other results than SolvePair: %v", where, err)
			}
			opt.Vectors, opt.RowMajor = false, false
			alone, err := planFor[T](t, n, opt).SolvePair(ctx, a, b)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range alone.Values {
				if !(math.Abs(v-res.Values[j]) <= 10*float64(n)*ulp*10*slices.Max(append(alone.Values, -alone.Values[0]))) {
					t.Errorf("%s: value %d is %g without vectors, and %g with them", where, j, v, res.Values[j])
				}
			}
		}
	}
}

// TestNotPositive checks which minor the error names, and that the plan still solves the next pair.
// It also checks the errors for matrices that are not finite or have another order.
func TestNotPositive(t *testing.T) {
	const n = 40
	p := planFor[float64](t, n, Options{Tuning: small()})
	ctx, pr := context.Background(), newPair[float64](n, 10, true)
	a, good := given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false)
	if _, err := p.Solve(ctx, a); !errors.Is(err, ErrNoFactor) {
		t.Errorf("Solve before Factor: %v", err)
	}
	for _, k := range []int{0, 1, 7, 8, 16, 39} {
		if _, err := p.Factor(ctx, good); err != nil {
			t.Fatal(err)
		}
		b := given[float64](n, pr.b, evd.Lower, false)
		b.Data[k+k*b.Ld] = -1
		var not *NotPositiveError
		if _, err := p.Factor(ctx, b); !errors.As(err, &not) || not.Order != k+1 {
			t.Errorf("element %d of the diagonal is −1: %v", k, err)
		}
		if _, err := p.Solve(ctx, a); !errors.Is(err, ErrNoFactor) {
			t.Errorf("Solve after a Factor that failed: %v", err)
		}
	}
	if _, err := p.SolvePair(ctx, a, good); err != nil {
		t.Error(err)
	}
	var bad *evd.NonFiniteError
	var which *MatrixError
	a.Data[3+2*a.Ld] = math.NaN()
	if _, err := p.Solve(ctx, a); !errors.As(err, &bad) || !errors.As(err, &which) || which.Matrix != "A" || bad.Row != 3 || bad.Col != 2 {
		t.Errorf("NaN in A: %v", err)
	}
	good.Data[5+5*good.Ld] = math.Inf(1)
	if _, err := p.Factor(ctx, good); !errors.As(err, &bad) || !errors.As(err, &which) || which.Matrix != "B" || bad.Row != 5 {
		t.Errorf("Inf in B: %v", err)
	}
	if _, err := p.Factor(ctx, given[float64](n-1, make([]complex128, n*n), evd.Lower, false)); !errors.As(err, &which) || which.Matrix != "B" {
		t.Errorf("B of another order: %v", err)
	}
}

// TestScales multiplies A and B by powers of two. The values must be multiplied by the quotient or
// the product of these powers, and the vectors by the root of the scale of B or by its reciprocal.
func TestScales(t *testing.T) {
	const n = 20
	ctx, pr := context.Background(), newPair[float64](n, 10, true)
	for typ := AxLBx; typ <= BAxLx; typ++ {
		p := planFor[float64](t, n, Options{Type: typ, Vectors: true, Tuning: small(), Verify: true})
		solve := func(scaleA, scaleB int) *Result[float64] {
			a, b := given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false)
			dense.Multiply(a.Data, math.Ldexp(1, scaleA))
			dense.Multiply(b.Data, math.Ldexp(1, scaleB))
			res, err := p.SolvePair(ctx, a, b)
			if err != nil {
				t.Fatalf("type %d, scales %d and %d: %v", typ, scaleA, scaleB, err)
			}
			if r, err := p.Check(ctx, a, b, res); err != nil || !(r.Residual < 1) || !(r.Orthogonality < 3) {
				t.Errorf("type %d, scales %d and %d: Check finds %+v, %v", typ, scaleA, scaleB, r, err)
			}
			return res
		}
		want := solve(0, 0)
		for _, e := range [][2]int{{400, 300}, {-400, -300}, {300, -300}, {-900, 0}, {0, 900}, {-300, 500}} {
			got := solve(e[0], e[1])
			of, length := e[0]-e[1], -e[1]/2
			if typ != AxLBx {
				of = e[0] + e[1]
			}
			if typ == BAxLx {
				length = -length
			}
			for j := range n {
				value, first := math.Ldexp(got.Values[j], -of), math.Ldexp(got.Vectors.At(0, j), -length)
				if !(math.Abs(value-want.Values[j]) <= 1e-11*math.Abs(want.Values[j])) || !(math.Abs(first-want.Vectors.At(0, j)) <= 1e-9) {
					t.Fatalf("type %d, scales %v: value %d is %g, not %g; its vector begins with %g, not %g", typ, e, j, value, want.Values[j], first, want.Vectors.At(0, j))
				}
			}
		}
	}
}

// TestCondition compares the estimate with the condition numbers of diagonal matrices, of a Hilbert
// matrix, and of the second difference, whose smallest eigenvalue has a vector far from the axes.
func TestCondition(t *testing.T) {
	diagonal := func(of func(i int) float64) func(i, j int) float64 {
		return func(i, j int) float64 {
			if i != j {
				return 0
			}
			return of(i)
		}
	}
	for _, c := range []struct {
		name string
		n    int
		at   func(i, j int) float64
		want float64
	}{
		{"identity", 30, diagonal(func(int) float64 { return 1 }), 1},
		{"graded", 30, diagonal(func(i int) float64 { return math.Pow(10, -float64(i)/3) }), math.Pow(10, 29./3)},
		{"Hilbert", 8, func(i, j int) float64 { return 1 / float64(i+j+1) }, 2.45e10},
		{"second difference", 50, func(i, j int) float64 { return []float64{2, -1, 0}[min(i-j, 2)] }, 4 / (4 * math.Pow(math.Sin(math.Pi/102), 2))},
	} {
		b := evd.Sym[float64]{N: c.n, Data: make([]float64, c.n*c.n)}
		for j := range c.n {
			for i := j; i < c.n; i++ {
				b.Data[i+j*c.n] = c.at(i, j)
			}
		}
		f, err := planFor[float64](t, c.n, Options{Tuning: small()}).Factor(context.Background(), b)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if !(f.Condition >= c.want/3 && f.Condition <= c.want*1.01) {
			t.Errorf("%s: the condition number %g, not %g", c.name, f.Condition, c.want)
		}
	}
}

// TestPhasesAndMemory checks the names of the phases and of the memory that only a pair needs.
func TestPhasesAndMemory(t *testing.T) {
	const n = 20
	p, pr := planFor[float64](t, n, Options{Vectors: true, Verify: true, Tuning: small()}), newPair[float64](n, 10, true)
	res, err := p.SolvePair(context.Background(), given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Cholesky factor", "standard form", "triangular solve"} {
		if !slices.ContainsFunc(res.Profile.Phases, func(p vk.Timing) bool { return p.Name == name }) {
			t.Errorf("no phase %q", name)
		}
		if !slices.ContainsFunc(p.Costs(), func(c evd.StageCost) bool { return c.Stage == name && c.Flops > 0 }) {
			t.Errorf("no cost of %q", name)
		}
	}
	for _, name := range []string{"B, L", "L⁻¹, diagonal blocks", "B", "B of a check", "second residual", "weights", "column sums", "vectors of the condition"} {
		if !slices.ContainsFunc(p.Memory(), func(r vk.Placed) bool { return r.Name == name }) {
			t.Errorf("no memory %q", name)
		}
	}
}

func TestTexts(t *testing.T) {
	_, badType := NewPlan[float64](stagetest.Device(t), 3, Options{Type: 3})
	_, rows := NewPlan[float64](stagetest.Device(t), 3, Options{RowMajor: true})
	for err, want := range map[error]string{
		&NotPositiveError{Order: 17}: "B is not positive definite: its leading minor of order 17 is not",
		ErrNoFactor:                  "the plan has no factor of B: call Factor before Solve",
		&MatrixError{Matrix: "A", Err: errors.New("x")}:                                     "matrix A: x",
		&UnverifiedError{&evd.UnverifiedError{Safe: &evd.Certificate{Counts: 70}}, 100, ""}: "no result can be verified: no result; on the safe path: residual 0, orthogonality 0, Sturm counts 70, invariants 0; each must be below 10; B has the condition number 100",
		standard("D·B·D", 0, &evd.UnverifiedError{Safe: &evd.Certificate{Counts: 70}}):      "matrix D·B·D: no result can be verified: no result; on the safe path: residual 0, orthogonality 0, Sturm counts 70, invariants 0; each must be below 60",
		badType: "option Type: there is no problem 3",
		rows:    "option RowMajor: only vectors have rows",
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
}
