package main

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/plancache"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// started returns an engine, the solver behind the LAPACK functions, on the device that
// VKEVD_DEVICE names. The engine has no cache of compiled kernels.
func started(t *testing.T) *engine {
	t.Helper()
	if os.Getenv("VKEVD_CACHE") == "" {
		t.Setenv("VKEVD_CACHE", "")
	}
	en, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		en.plans.Close()
		en.dev.Close()
	})
	return en
}

// inBoth runs two forms of one test: `double` in double precision, and `single` in single
// precision.
func inBoth(t *testing.T, double, single func(*testing.T)) {
	t.Run("float64", double)
	t.Run("float32", single)
}

// small is a bound for the rounding errors of a few operations on numbers near 1.
func small[T evd.Number]() float64 {
	if numberOf[T]().single {
		return 5e-5
	}
	return 1e-13
}

// `of` converts a complex number to type T. If T is real, the result is the real part.
func of[T evd.Number](x complex128) (y T) {
	switch y := any(&y).(type) {
	case *float32:
		*y = float32(real(x))
	case *float64:
		*y = real(x)
	case *complex64:
		*y = complex64(x)
	case *complex128:
		*y = x
	}
	return y
}

func complexOf[T evd.Number](x T) complex128 {
	switch x := any(x).(type) {
	case float32:
		return complex(float64(x), 0)
	case float64:
		return complex(x, 0)
	case complex64:
		return complex128(x)
	}
	return any(x).(complex128)
}

const unset = 99.5 // what LAPACK's memory holds before a solve

// memory is a matrix in column-major memory, as programs pass it to LAPACK.
type memory[T evd.Number] struct {
	rows, cols, ld int
	data           []T
}

func newMemory[T evd.Number](rows, cols int) memory[T] {
	ld := rows + 2
	return memory[T]{rows, cols, ld, slices.Repeat([]T{unset}, ld*cols)}
}

func (m memory[T]) columns() columns[T] {
	if len(m.data) == 0 {
		return columns[T]{}
	}
	return columns[T]{&m.data[0], m.ld}
}

func (m memory[T]) at(i, j int) complex128 { return complexOf(m.data[i+j*m.ld]) }

// orthonormal checks that the columns of m are orthonormal, or its rows if `rows` is true. It also
// checks that nothing was written to other elements of the memory.
func (m memory[T]) orthonormal(t *testing.T, what string, rows bool) {
	t.Helper()
	count, length := m.cols, m.rows
	at := m.at
	if rows {
		count, length = m.rows, m.cols
		at = func(i, j int) complex128 { return m.at(j, i) }
	}
	for j := range count {
		for k := range j + 1 {
			sum := 0i
			for i := range length {
				sum += cmplx.Conj(at(i, j)) * at(i, k)
			}
			if j == k {
				sum--
			}
			if !(cmplx.Abs(sum) < small[T]()) {
				t.Errorf("%s: product of vectors %d and %d is off by %g", what, j, k, sum)
			}
		}
	}
	for i, x := range m.data {
		if i%m.ld >= m.rows && x != unset {
			t.Errorf("%s: %v was written between columns", what, x)
		}
	}
}

// random returns a random matrix. If rows is 0, the matrix is symmetric or Hermitian, of order n.
func random[T evd.Number](rows, n int) memory[T] {
	r := rand.New(rand.NewPCG(7, uint64(100*rows+n)))
	m := newMemory[T](max(rows, n), n)
	if rows > 0 {
		m = newMemory[T](rows, n)
	}
	for j := range n {
		for i := range m.rows {
			x := complex(r.NormFloat64(), 0)
			if numberOf[T]().complex && i != j {
				x += complex(0, r.NormFloat64())
			}
			if rows == 0 && i < j {
				x = cmplx.Conj(m.at(j, i))
			}
			m.data[i+j*m.ld] = of[T](x)
		}
	}
	return m
}

func TestSymmetric(t *testing.T) {
	inBoth(t, testSymmetric[float64, float64], testSymmetric[float32, float32])
}

func TestHermitian(t *testing.T) {
	inBoth(t, testSymmetric[complex128, float64], testSymmetric[complex64, float32])
}

func testSymmetric[T evd.Number, R evd.Float](t *testing.T) {
	en := started(t)
	const n = 30
	full := random[T](0, n)
	all := make([]R, n)
	for _, upper := range []bool{false, true} {
		for _, p := range []part{{by: 'A'}, {by: 'I', il: 4, iu: 9}, {by: 'V', vl: -2, vu: 3}} {
			a := memory[T]{n, n, full.ld, slices.Clone(full.data)}
			for j := range n { // the other triangle and the imaginary parts of the diagonal must not be read
				for i := range n {
					switch {
					case i == j:
						a.data[i+j*a.ld] = of[T](complex(real(a.at(i, i)), math.NaN()))
					case i > j == upper:
						a.data[i+j*a.ld] = of[T](cmplx.NaN())
					}
				}
			}
			z, w := newMemory[T](n, n), slices.Repeat([]R{unset}, n)
			found, err := solve(en, problem[T]{kind: symmetric, n: n, ld: a.ld, upper: upper, a: a.data, part: p, w: reals[R](w), z: z.columns()})
			if err != nil {
				t.Fatal(err)
			}
			if p.by == 'A' {
				copy(all, w)
			}
			want := slices.DeleteFunc(slices.Clone(all), func(x R) bool {
				return p.by == 'V' && (float64(x) <= p.vl || float64(x) > p.vu)
			})
			if p.by == 'I' {
				want = all[p.il-1 : p.iu]
			}
			if found != len(want) || found < n && w[found] != unset {
				t.Errorf("%c: %d values, want %d", p.by, found, len(want))
			}
			z.cols = found
			z.orthonormal(t, string(p.by), false)
			for k := range found {
				if !(math.Abs(float64(w[k]-want[k])) < small[T]()*n) {
					t.Errorf("%c: value %d is %g, want %g", p.by, k, w[k], want[k])
				}
				for i := range n {
					sum := -complexOf(w[k]) * z.at(i, k)
					for j := range n {
						sum += full.at(i, j) * z.at(j, k)
					}
					if !(cmplx.Abs(sum) < small[T]()*n) {
						t.Errorf("%c: residual %g of vector %d", p.by, sum, k)
					}
				}
			}
		}
	}
}

func TestPair(t *testing.T) { inBoth(t, testPair[float64, float64], testPair[float32, float32]) }

func TestHermitianPair(t *testing.T) {
	inBoth(t, testPair[complex128, float64], testPair[complex64, float32])
}

// testPair solves pairs of all types. B is replaced by its factor. If B is not positive definite, or A is
// not finite, nothing is written, and the next problem has the same plan.
func testPair[T evd.Number, R evd.Float](t *testing.T) {
	en := started(t)
	const n = 30
	fullA, fullB := random[T](0, n), random[T](0, n)
	for i := range n { // makes B positive definite, with values between about 0.5 and 1.5
		for j := range n {
			fullB.data[i+j*fullB.ld] = of[T](fullB.at(i, j) / 25)
		}
		fullB.data[i+i*fullB.ld] = of[T](fullB.at(i, i) + 1)
	}
	product := func(x, y memory[T]) memory[T] {
		z := newMemory[T](n, y.cols)
		for j := range y.cols {
			for i := range n {
				sum := 0i
				for k := range n {
					sum += x.at(i, k) * y.at(k, j)
				}
				z.data[i+j*z.ld] = of[T](sum)
			}
		}
		return z
	}
	for itype := 1; itype <= 3; itype++ {
		for _, upper := range []bool{false, true} {
			a, b := memory[T]{n, n, fullA.ld, slices.Clone(fullA.data)}, memory[T]{n, n, fullB.ld, slices.Clone(fullB.data)}
			for j := range n { // the other triangles are not read
				for i := range n {
					if i > j == upper && i != j {
						a.data[i+j*a.ld], b.data[i+j*b.ld] = of[T](cmplx.NaN()), unset
					}
				}
			}
			z, w := newMemory[T](n, n), slices.Repeat([]R{unset}, n)
			p := problem[T]{
				kind: pair, itype: itype, n: n, ld: a.ld, upper: upper, a: a.data, b: slices.Clone(b.data), ldb: b.ld,
				part: part{by: 'I', il: 3, iu: 12}, w: reals[R](w), z: z.columns(),
			}
			bad := p
			bad.b[4+4*b.ld] = -1
			given := slices.Clone(bad.b)
			if _, err := solve(en, bad); !errors.As(err, new(*pencil.NotPositiveError)) || !slices.Equal(bad.b, given) || w[0] != unset || z.data[0] != unset {
				t.Fatalf("type %d: B is not positive definite: %v", itype, err)
			}
			if count := en.plans.Count(); count != itype {
				t.Errorf("%d plans are kept after %d types", count, itype)
			}
			bad.b, bad.a = slices.Clone(b.data), slices.Clone(a.data)
			bad.a[4+4*a.ld] = of[T](cmplx.NaN())
			if _, err := solve(en, bad); !errors.As(err, new(*evd.NonFiniteError)) || !slices.Equal(bad.b, b.data) {
				t.Fatalf("type %d: NaN in A: %v", itype, err)
			}
			p.b = b.data
			if found, err := solve(en, p); err != nil || found != 10 || w[10] != unset {
				t.Fatalf("type %d: %d values, %v", itype, found, err)
			}
			z.cols = 10
			left, right := product(fullA, z), product(fullB, z)
			switch itype {
			case 2:
				left, right = product(fullA, right), z
			case 3:
				left, right = product(fullB, left), z
			}
			for j := range z.cols {
				for i := range n {
					if diff := left.at(i, j) - complexOf(w[j])*right.at(i, j); !(cmplx.Abs(diff) < 10*n*small[T]()) {
						t.Fatalf("type %d, upper %v: residual %g of vector %d", itype, upper, diff, j)
					}
				}
			}
			factor := newMemory[T](n, n)
			for j := range n {
				for i := range n {
					switch z := b.at(i, j); {
					case i > j == upper && i != j:
						if factor.data[i+j*factor.ld] = 0; z != unset {
							t.Fatalf("type %d, upper %v: the other triangle of B was written", itype, upper)
						}
					default:
						factor.data[i+j*factor.ld] = of[T](z)
					}
				}
			}
			adjoint := newMemory[T](n, n)
			for j := range n {
				for i := range n {
					adjoint.data[i+j*adjoint.ld] = of[T](cmplx.Conj(factor.at(j, i)))
				}
			}
			again := product(factor, adjoint)
			if upper {
				again = product(adjoint, factor)
			}
			for j := range n {
				for i := range n {
					if diff := again.at(i, j) - fullB.at(i, j); !(cmplx.Abs(diff) < small[T]()) {
						t.Fatalf("type %d, upper %v: element (%d, %d) of the factors' product is off by %g", itype, upper, i, j, diff)
					}
				}
			}
		}
	}
}

func TestTridiagonal(t *testing.T) { inBoth(t, testTridiagonal[float64], testTridiagonal[float32]) }

func testTridiagonal[T evd.Float](t *testing.T) {
	const n = 25
	en := started(t)
	d, e, z := make([]T, n), slices.Repeat([]T{1}, n-1), newMemory[T](n, n)
	p := problem[T]{kind: tridiagonal, n: n, a: d, e: e, part: part{by: 'A'}, w: reals[T](d), z: z.columns()} // values replace the diagonal
	if found, err := solve(en, p); err != nil || found != n {
		t.Fatal(found, err)
	}
	for k := range n {
		if want := 2 * math.Cos(math.Pi*float64(n-k)/(n+1)); !(math.Abs(float64(d[k])-want) < small[T]()) {
			t.Errorf("value %d is %g, want %g", k, d[k], want)
		}
	}
	z.orthonormal(t, "tridiagonal", false)
}

// TestWantedVectors checks that no more singular vectors are computed than the caller wants. A call
// for values alone must not cost as much as one with vectors.
func TestWantedVectors(t *testing.T) {
	for vectors, want := range []svd.Vectors{svd.None, svd.Thin, svd.Thin, svd.Thin, svd.Full} {
		if got := wanted(vectors, 3); got != want {
			t.Errorf("%d vectors of 3 values: %v, not %v", vectors, got, want)
		}
	}
}

func TestSingular(t *testing.T) {
	inBoth(t, testSingular[float64, float64], testSingular[float32, float32])
}

func TestComplexSingular(t *testing.T) {
	inBoth(t, testSingular[complex128, float64], testSingular[complex64, float32])
}

func testSingular[T evd.Number, R evd.Float](t *testing.T) {
	en := started(t)
	for _, shape := range [][2]int{{40, 22}, {22, 40}, {24, 24}} {
		m, n, few := shape[0], shape[1], min(shape[0], shape[1])
		a := random[T](m, n)
		for _, jobs := range [][2]svd.Vectors{{svd.Thin, svd.Thin}, {svd.Full, svd.Full}, {svd.None, svd.Thin}, {svd.Thin, svd.None}} {
			count := func(v svd.Vectors, full int) int { return []int{0, few, full}[v] }
			u, vt := newMemory[T](m, count(jobs[0], m)), newMemory[T](count(jobs[1], n), n)
			w := make([]R, few)
			p := problem[T]{kind: singular, rows: m, n: n, ld: a.ld, a: a.data, part: part{by: 'A'}, u: jobs[0], v: jobs[1], w: reals[R](w), z: u.columns()}
			if jobs[1] != svd.None {
				p.vt = vt.columns()
			}
			if _, err := solve(en, p); err != nil {
				t.Fatal(err)
			}
			u.orthonormal(t, "U", false)
			if jobs[1] != svd.None {
				vt.orthonormal(t, "Vᴴ", true)
			}
			for i := range m {
				for j := 0; j < n && jobs[0] != svd.None && jobs[1] != svd.None; j++ {
					sum := -a.at(i, j)
					for k, x := range w {
						sum += complexOf(x) * u.at(i, k) * vt.at(k, j)
					}
					if !(cmplx.Abs(sum) < small[T]()*float64(m)) {
						t.Errorf("%d×%d, jobs %v: entry (%d, %d) is off by %g", m, n, jobs, i, j, sum)
					}
				}
			}
		}
	}
}

// TestNotFinite solves a matrix that contains a NaN. The engine must return an error and write no
// result.
func TestNotFinite(t *testing.T) { inBoth(t, testNotFinite[float64], testNotFinite[float32]) }

func testNotFinite[T evd.Float](t *testing.T) {
	const n = 10
	en := started(t)
	a, z, w := random[T](0, n), newMemory[T](n, n), slices.Repeat([]T{unset}, n)
	a.data[3] = T(math.NaN())
	var data *evd.NonFiniteError
	p := problem[T]{kind: symmetric, n: n, ld: a.ld, a: a.data, part: part{by: 'A'}, w: reals[T](w), z: z.columns()}
	if _, err := solve(en, p); !errors.As(err, &data) {
		t.Errorf("the error is %v", err)
	}
	p = problem[T]{kind: singular, rows: n, n: n, ld: a.ld, a: a.data, w: reals[T](w), u: svd.Thin, z: z.columns()}
	if _, err := solve(en, p); !errors.As(err, &data) {
		t.Errorf("singular values: the error is %v", err)
	}
	for _, x := range slices.Concat(w, z.data) {
		if x != unset {
			t.Fatalf("%g was written", x)
		}
	}
}

// TestBeyondTheLargestNumber solves a matrix whose largest value is beyond the largest number of
// the type. As in LAPACK, the value is infinite, and there is no error.
func TestBeyondTheLargestNumber(t *testing.T) {
	inBoth(t, testBeyond[float64], testBeyond[float32])
}

func testBeyond[T evd.Float](t *testing.T) {
	const n = 10
	en := started(t)
	most := math.MaxFloat64
	if unsafe.Sizeof(T(0)) == 4 {
		most = math.MaxFloat32
	}
	a, z, w := slices.Repeat([]T{T(most)}, n*n), newMemory[T](n, n), slices.Repeat([]T{unset}, n)
	p := problem[T]{kind: symmetric, n: n, ld: n, a: a, part: part{by: 'A'}, w: reals[T](w), z: z.columns()}
	if _, err := solve(en, p); err != nil || !math.IsInf(float64(w[n-1]), 1) {
		t.Errorf("symmetric: %v, %v", w, err)
	}
	z.orthonormal(t, "symmetric", false)
	p = problem[T]{kind: tridiagonal, n: n, a: a[:n], e: a[:n-1], part: part{by: 'A'}, w: reals[T](w), z: z.columns()}
	if _, err := solve(en, p); err != nil || !math.IsInf(float64(w[n-1]), 1) {
		t.Errorf("tridiagonal: %v, %v", w, err)
	}
	p = problem[T]{kind: singular, rows: n, n: n, ld: n, a: a, w: reals[T](w), u: svd.Thin, z: z.columns()}
	if _, err := solve(en, p); err != nil || !math.IsInf(float64(w[0]), 1) {
		t.Errorf("singular: %v, %v", w, err)
	}
}

func TestPanicIsAnError(t *testing.T) {
	if err := survive(func() error { panic("here") }); err == nil || err.Error() != "internal error: here" {
		t.Errorf("the error is %v", err)
	}
}

// TestWithoutFloat64 makes plans in single precision on a device without double precision. Problems
// in double precision are left to the next LAPACK.
func TestWithoutFloat64(t *testing.T) {
	t.Setenv("VKEVD_WITHOUT", "shaderFloat64")
	en, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer en.dev.Close()
	defer en.plans.Close()
	const n = 20
	for _, vectors := range []bool{false, true} {
		for _, j := range []job{
			{kind: symmetric, number: numberOf[float32](), n: n, vectors: vectors},
			{kind: symmetric, number: numberOf[complex64](), n: n, vectors: vectors},
			{kind: pair, itype: 1, number: numberOf[float32](), n: n, vectors: vectors},
			{kind: pair, itype: 3, number: numberOf[complex64](), n: n, vectors: vectors},
			{kind: singular, number: numberOf[float32](), rows: n, n: n, vectors: vectors},
			{kind: singular, number: numberOf[complex64](), rows: n, n: n, u: svd.Thin},
		} {
			if p, err := en.plan(j); err != nil {
				t.Errorf("%+v: %v", j, err)
			} else {
				p.Close()
			}
		}
		for _, j := range []job{
			{kind: symmetric, n: n, vectors: vectors}, {kind: symmetric, number: numberOf[complex128](), n: n, vectors: vectors}, {kind: tridiagonal, n: n, vectors: vectors},
			{kind: singular, rows: n, n: n}, {kind: singular, number: numberOf[complex128](), rows: n, n: n}, {kind: pair, itype: 2, n: n, vectors: vectors},
		} {
			if err := en.plans.With(j, func(plancache.Plan) error { return nil }); err == nil || !strings.Contains(err.Error(), "shaderFloat64") {
				t.Errorf("%+v: %v", j, err)
			}
		}
	}
	of, all, never := crossoverFor(vk.Info{Family: "intel", Features: []string{"shaderInt64"}}), tuning.Orders{Values: 2048, Vectors: 2048}, tuning.Orders{Values: math.MaxInt32, Vectors: math.MaxInt32}
	if of != ([4]tuning.Orders{all, never, never, all}) {
		t.Errorf("orders %v", of)
	}
}

// TestCrossoverOfAnH200 checks that only an H200 has the orders that were measured on it. A GH200
// has the same GPU, but another CPU.
func TestCrossoverOfAnH200(t *testing.T) {
	h200 := [4]tuning.Orders{{Values: 512, Vectors: 512}, {Values: 768, Vectors: 768}, {Values: 512, Vectors: 512}, {Values: 512, Vectors: 512}}
	others := [4]tuning.Orders{{Values: 2048, Vectors: 2048}, {Values: math.MaxInt32, Vectors: 4096}, {Values: 2048, Vectors: 1024}, {Values: 2048, Vectors: 2048}}
	for name, want := range map[string][4]tuning.Orders{"NVIDIA H200": h200, "NVIDIA H200 NVL": h200, "NVIDIA GH200 480GB": others} {
		info := vk.Info{Family: "nvidia", Name: name, Features: []string{"shaderFloat64"}}
		if got := crossoverFor(info); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestNeverBecause checks the reasons for which a device solves no order. A line of VKEVD_VERBOSE
// once named the crossover of a CPU, although no order is large enough for a CPU.
func TestNeverBecause(t *testing.T) {
	cpu := vk.Info{Family: "cpu", Features: []string{"shaderFloat64"}}
	single := vk.Info{Family: "intel", Features: []string{"shaderInt64"}}
	for _, c := range []struct {
		info vk.Info
		of   kind
		want string
	}{
		{cpu, symmetric, "is a CPU"}, {cpu, singular, "is a CPU"}, {single, singular, "has no double precision"}, {single, pair, "is not faster for this problem"},
		{vk.Info{Family: "amd", Features: []string{"shaderFloat64"}}, tridiagonal, "is not faster for this problem"},
	} {
		if got := neverBecause(c.info, c.of); got != c.want {
			t.Errorf("%s, kind %d: %q, want %q", c.info.Family, c.of, got, c.want)
		}
	}
}
