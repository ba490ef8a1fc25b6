package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// nearly returns the eigenvectors of a matrix that differs from the matrix `a` by about
// `change`·‖A‖. If `single` is true, the vectors are rounded to single precision.
func nearly(t *testing.T, n int, a []float64, change float64, single bool) evd.Dense[float64] {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(n)))
	near := mat.NewSymDense(n, nil)
	_, exponent := math.Frexp(largestEntry(a))
	for i := range n {
		for j := i; j < n; j++ {
			near.SetSym(i, j, math.Ldexp(a[i+j*n], -exponent)) // gonum refuses tiny entries
		}
	}
	var solved mat.EigenSym
	solved.Factorize(near, false)
	values := solved.Values(nil)
	size := change * max(math.Abs(values[0]), math.Abs(values[n-1])) / (2 * math.Sqrt(float64(n)))
	for i := range n {
		for j := i; j < n; j++ {
			near.SetSym(i, j, near.At(i, j)+size*r.NormFloat64())
		}
	}
	if !solved.Factorize(near, true) {
		t.Fatal("gonum did not converge")
	}
	var z mat.Dense
	solved.VectorsTo(&z)
	q := evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: slices.Clone(z.RawMatrix().Data), RowMajor: true}
	for i, x := range q.Data {
		if single {
			q.Data[i] = float64(float32(x * (1 + 0x1p-22*r.NormFloat64())))
		}
	}
	return q
}

// columns returns the matrix q in column-major storage. The padding between columns is NaN.
func columns[T double](q evd.Dense[T]) evd.Dense[T] {
	c := evd.Dense[T]{Rows: q.Rows, Cols: q.Cols, Ld: q.Rows + 3, Data: slices.Repeat([]T{nan[T]()}, (q.Rows+3)*q.Cols)}
	for j := range q.Cols {
		for i := range q.Rows {
			c.Data[i+j*c.Ld] = q.At(i, j)
		}
	}
	return c
}

func refinePlan(t *testing.T, d *vk.Device, n int, opt evd.Options) *evd.RefinePlan[float64] {
	t.Helper()
	return planOfRefinements[float64](t, d, n, opt)
}

// named returns the kind of test matrices with the given name.
func named[K interface{ Name() string }](t *testing.T, kinds []K, name string) K {
	t.Helper()
	i := slices.IndexFunc(kinds, func(k K) bool { return k.Name() == name })
	if i < 0 {
		t.Fatalf("no kind %q", name)
	}
	return kinds[i]
}

func kindNamed(t *testing.T, name string) matgen.DenseKind {
	t.Helper()
	return named(t, matgen.Dense(), name)
}

// TestRefine refines vectors that were rounded to single precision, and vectors of a matrix that
// differs by 10⁻⁴ of its norm. Some matrices have simple eigenvalues or pairs. Others have clusters
// of close eigenvalues: small ones, which the host solves, larger ones, which a plan solves, and
// one that is too large. The entries of some matrices are near the ends of the range of doubles.
func TestRefine(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	d := device(t, vk.Options{})
	for _, c := range []struct {
		kind         string
		n            int
		single, warm int // largest allowed numbers of steps, from single precision and from a changed matrix
		clusters     bool
		cold         string
		products     evd.Products
	}{
		{"goe", 2, 2, 3, false, "", evd.ProductsNative},
		{"goe", 60, 2, 3, false, "", evd.ProductsNative},
		{"goe·2^1000", 20, 2, 3, false, "", evd.ProductsNative},
		{"goe·2^-1000", 20, 2, 3, false, "", evd.ProductsNative},
		{"goe·2^-1050", 20, 2, 3, false, "", evd.ProductsNative},
		{"triples·2^-440", 20, 2, 3, true, "", evd.ProductsNative},
		{"identity", 20, 2, 2, false, "", evd.ProductsNative},
		{"zero", 20, 2, 2, false, "", evd.ProductsNative},
		{"cycle-graph", 40, 3, 4, true, "", evd.ProductsNative},
		{"triples", 60, 2, 3, true, "", evd.ProductsNative},
		{"two-clusters", 132, 2, 2, true, "", evd.ProductsNative},
		{"goe", 70, 2, 3, false, "", evd.ProductsEmulated},
		{"two-clusters", 132, 2, 2, true, "", evd.ProductsEmulated},
		{"all-ones", 20, 1, 1, true, evd.ColdCluster, evd.ProductsNative},
	} {
		p := refinePlan(t, d, c.n, evd.Options{Tuning: small(), Verify: true, Products: c.products})
		name, exponent, _ := strings.Cut(c.kind, "·2^")
		scale, _ := strconv.Atoi(exponent)
		a := kindNamed(t, name).Scaled(scale).Dense(c.n)
		for _, single := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%d/%v/%v", c.kind, c.n, single, c.products), func(t *testing.T) {
				steps, change := c.warm, 1e-4
				if single {
					steps, change = c.single, 3*0x1p-23
				}
				q := nearly(t, c.n, a, change, single)
				res, err := p.Refine(context.Background(), evd.NewSym(c.n, a, evd.Lower), q)
				if err != nil {
					t.Fatal(err)
				}
				judge(t, c.n, a, res)
				r := res.Refinement
				if r.Cold != c.cold || r.Steps > steps || r.Steps == 0 || (r.Clusters > 0) != c.clusters {
					t.Errorf("%+v, want at most %d steps, cold %q", r, steps, c.cold)
				}
				if !res.Certificate.Passed() {
					t.Errorf("%v", res.Certificate)
				}
				again, err := p.Refine(context.Background(), evd.NewSym(c.n, a, evd.Upper), columns(q))
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(again.Values, res.Values) || !slices.Equal(again.Vectors.Data, res.Vectors.Data) {
					t.Error("columns of the same vectors give other bits")
				}
			})
		}
	}
}

// TestRefinePlanNeedsUnitsForEmulatedProducts asks for emulated products on a device that has no
// units for them. The error must be a *vk.UnsupportedError.
func TestRefinePlanNeedsUnitsForEmulatedProducts(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	d := device(t, vk.Options{Without: []string{"shaderIntegerDotProduct"}})
	p, err := evd.NewRefinePlan[float64](d, 40, evd.Options{Tuning: small(), Products: evd.ProductsEmulated})
	if !errors.As(err, new(*vk.UnsupportedError)) {
		t.Errorf("%v", err)
	}
	if err == nil {
		p.Close()
	}
}

// TestRefineRefuses calls Refine with approximate vectors that do not help. Some of them must give
// an error. For the others, Refine must solve without them and report this.
func TestRefineRefuses(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d, ctx := device(t, vk.Options{}), context.Background()
	const n = 30
	a := kindNamed(t, "goe").Dense(n)
	sym := evd.NewSym(n, a, evd.Lower)
	reports := 0
	p := refinePlan(t, d, n, evd.Options{Tuning: small(), RowMajor: true, Progress: func(evd.Progress) { reports++ }})
	good := nearly(t, n, a, 1e-6, false)
	change := func(f func(q *evd.Dense[float64])) evd.Dense[float64] {
		q := good
		q.Data = slices.Clone(q.Data)
		f(&q)
		return q
	}
	for name, f := range map[string]func(q *evd.Dense[float64]){
		"zero": func(q *evd.Dense[float64]) { clear(q.Data) },
		"huge": func(q *evd.Dense[float64]) { q.Data[5] = 1e300 },
		"doubled": func(q *evd.Dense[float64]) {
			for i := range q.Data {
				q.Data[i] *= 2
			}
		},
		"one twice": func(q *evd.Dense[float64]) {
			for i := range n {
				q.Data[i*n+3] = q.Data[i*n+4]
			}
		},
		"reversed": func(q *evd.Dense[float64]) {
			for i := range n {
				slices.Reverse(q.Data[i*n : (i+1)*n])
			}
		},
	} {
		res, err := p.Refine(ctx, sym, change(f))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if res.Refinement.Cold == "" {
			t.Errorf("%s: no cold solve: %+v", name, res.Refinement)
		}
		if r := ratio.Residual(n, n, a, n, res.Values, columns(*res.Vectors).Data, n+3); !(r < 10) {
			t.Errorf("%s: residual %g", name, r)
		}
	}
	infinite := change(func(q *evd.Dense[float64]) { q.Data[7*n+2] = math.Inf(-1) })
	for _, q := range []evd.Dense[float64]{infinite, columns(infinite)} {
		var start *evd.InitialVectorsError
		if _, err := p.Refine(ctx, sym, q); !errors.As(err, &start) || start.Row != 7 || start.Col != 2 || !math.IsInf(start.Value, -1) {
			t.Errorf("an infinity, row-major %v: %v", q.RowMajor, err)
		}
	}
	var shape *evd.InitialShapeError
	if _, err := p.Refine(ctx, sym, change(func(q *evd.Dense[float64]) { q.Cols = n - 1 })); !errors.As(err, &shape) {
		t.Errorf("one column too few: %v", err)
	}
	short := change(func(q *evd.Dense[float64]) { q.Data = q.Data[:n*n-1] })
	if _, err := p.Refine(ctx, sym, short); !errors.As(err, new(*evd.ShapeError)) {
		t.Errorf("one element too few: %v", err)
	}
	for _, x := range []evd.Sym[float64]{{N: n, Ld: n, Data: a[:n*n-1]}, {N: n, Ld: n - 1, Data: a}, {N: n - 1, Ld: n, Data: a}} {
		if _, err := p.Refine(ctx, x, good); !errors.As(err, new(*evd.ShapeError)) {
			t.Errorf("order %d, leading dimension %d, %d elements: %v", x.N, x.Ld, len(x.Data), err)
		}
	}
	bad := evd.NewSym(n, slices.Clone(a), evd.Lower)
	bad.Data[3] = math.Inf(1)
	reports = 0 // the matrix is refused before the device works
	if _, err := p.Refine(ctx, bad, good); !errors.As(err, new(*evd.NonFiniteError)) || reports > 0 {
		t.Errorf("an infinite matrix: %v after %d reports", err, reports)
	}
	if res, err := p.Refine(ctx, sym, good); err != nil || res.Refinement.Cold != "" {
		t.Errorf("after all that: %v", err)
	}
	if _, err := evd.NewRefinePlan[float64](d, n, evd.Options{Overwrite: true}); !errors.As(err, new(*evd.OptionError)) {
		t.Errorf("Overwrite: %v", err)
	}
	if _, err := evd.NewRefinePlan[float64](d, n, evd.Options{Select: evd.Index(0, 3)}); !errors.As(err, new(*evd.OptionError)) {
		t.Errorf("Select: %v", err)
	}
	p.Close()
	if _, err := p.Refine(ctx, sym, good); !errors.Is(err, evd.ErrClosed) {
		t.Errorf("a closed plan: %v", err)
	}
}
