package evd_test

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
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// nearlyHermitian returns the eigenvectors of a matrix that differs from the matrix `a` by about
// `change`·‖A‖. If `single` is true, the vectors are rounded to single precision. Each vector has
// another phase than those of a result.
func nearlyHermitian(t *testing.T, d *vk.Device, n int, a []complex128, change float64, single bool) evd.Dense[complex128] {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(n)))
	near, size := slices.Clone(a), change*cmplx.Abs(largestEntry(a))/2
	for j := range n {
		for i := j; i < n; i++ {
			near[i+j*n] += complex(size*r.NormFloat64(), size*r.NormFloat64())
		}
	}
	res := solved(t, d, n, near, evd.Options{Vectors: true, RowMajor: true, Tuning: small()})
	q, phases := *res.Vectors, matgen.Phases(n, r)
	for i, x := range q.Data {
		if q.Data[i] = x * phases[i%n]; single {
			q.Data[i] = complex128(complex64(q.Data[i] * complex(1+0x1p-22*r.NormFloat64(), 0x1p-23*r.NormFloat64())))
		}
	}
	return q
}

// TestRefineHermitians repeats TestRefine for Hermitian matrices. Both triangles, by columns and by
// rows, must give the same bits.
func TestRefineHermitians(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	d := device(t, vk.Options{})
	for _, c := range []struct {
		kind         string
		n, exponent  int
		single, warm int // largest allowed numbers of steps, from single precision and from a changed matrix
		clusters     bool
		cold         string
		products     evd.Products
	}{
		{"gue", 2, 0, 2, 3, false, "", evd.ProductsNative},
		{"gue", 60, 0, 2, 3, false, "", evd.ProductsNative},
		{"gue", 20, 1000, 2, 3, false, "", evd.ProductsNative},
		{"gue", 20, -1000, 2, 3, false, "", evd.ProductsNative},
		{"gue", 20, -1050, 2, 3, false, "", evd.ProductsNative},
		{"unitary-triples", 20, -440, 2, 3, true, "", evd.ProductsNative},
		{"zero·phases", 20, 0, 2, 2, false, "", evd.ProductsNative},
		{"unitary-triples", 60, 0, 2, 3, true, "", evd.ProductsNative},
		{"unitary-two-clusters", 132, 0, 2, 2, true, "", evd.ProductsNative},
		{"gue", 70, 0, 2, 3, false, "", evd.ProductsEmulated},
		{"all-ones·phases", 20, 0, 1, 1, true, evd.ColdCluster, evd.ProductsNative},
	} {
		a := named(t, matgen.Hermitians(), c.kind).Dense(c.n)
		for i, x := range a {
			a[i] = complex(math.Ldexp(real(x), c.exponent), math.Ldexp(imag(x), c.exponent))
		}
		p := planOfRefinements[complex128](t, d, c.n, evd.Options{Tuning: small(), Verify: true, Products: c.products})
		for _, single := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%d/%d/%v/%v", c.kind, c.n, c.exponent, single, c.products), func(t *testing.T) {
				steps, change := c.warm, 1e-4
				if single {
					steps, change = c.single, 3*0x1p-23
				}
				q := nearlyHermitian(t, d, c.n, a, change, single)
				var first *evd.Result[complex128]
				for k := range 4 {
					start := q
					if k%2 == 1 {
						start = columns(q)
					}
					res, err := p.Refine(context.Background(), stored(c.n, c.n+1, a, evd.Uplo(k/2 == 1), k%2 == 1), start)
					if err != nil {
						t.Fatal(err)
					}
					if first != nil {
						agree(t, fmt.Sprint("storage ", k), res, first)
						continue
					}
					first = res
					judge(t, c.n, a, res)
					r := res.Refinement
					if r.Cold != c.cold || r.Steps > steps || r.Steps == 0 || (r.Clusters > 0) != c.clusters {
						t.Errorf("%+v, want at most %d steps, cold %q", r, steps, c.cold)
					}
					if !res.Certificate.Passed() {
						t.Errorf("%v", res.Certificate)
					}
				}
			})
		}
	}
}

func planOfRefinements[T evd.Double](t *testing.T, d *vk.Device, n int, opt evd.Options) *evd.RefinePlan[T] {
	t.Helper()
	p, err := evd.NewRefinePlan[T](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestRefineTurnedMatrices refines the vectors of a matrix A, those of conj(A), and those of a real
// matrix in complex storage. The results must be those of other solves: the conjugate vectors, and
// the real vectors.
func TestRefineTurnedMatrices(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	d, ctx := device(t, vk.Options{}), context.Background()
	const n = 33
	p := planOfRefinements[complex128](t, d, n, evd.Options{Tuning: small()})
	refined := func(a []complex128, q evd.Dense[complex128]) *evd.Result[complex128] {
		res, err := p.Refine(ctx, evd.NewSym(n, a, evd.Lower), q)
		if err != nil || res.Refinement.Cold != "" {
			t.Fatal(res, err)
		}
		judge(t, n, a, res)
		return res
	}
	a := randomHermitian(n)
	q := nearlyHermitian(t, d, n, a, 1e-6, false)
	want, other := refined(a, q), q
	other.Data = conjugated(q.Data)
	conj := refined(conjugated(a), other)
	sameSpectrum(t, "conj(A)", conj.Values, want.Values)
	for k := range n {
		if !parallel(conj.Vectors.Col(k), conjugated(want.Vectors.Col(k))) {
			t.Errorf("conj(A): vector %d is another one", k)
		}
	}
	cold := solve(t, d, n, a, evd.Options{Tuning: small()})
	sameSpectrum(t, "a solve", want.Values, cold.Values)
	for k := range n {
		if !parallel(want.Vectors.Col(k), cold.Vectors.Col(k)) {
			t.Errorf("vector %d is not that of a solve", k)
		}
	}
	symmetric := full(random(n))
	near := nearly(t, n, symmetric, 1e-6, false)
	wantReal, err := refinePlan(t, d, n, evd.Options{Tuning: small()}).Refine(ctx, evd.NewSym(n, symmetric, evd.Lower), near)
	if err != nil {
		t.Fatal(err)
	}
	got := refined(complexOf(symmetric), evd.Dense[complex128]{Rows: n, Cols: n, Ld: near.Ld, Data: complexOf(near.Data), RowMajor: near.RowMajor})
	sameSpectrum(t, "complex storage", got.Values, wantReal.Values)
	if slices.ContainsFunc(got.Vectors.Data, func(x complex128) bool { return imag(x) != 0 }) {
		t.Error("the vectors of a real matrix are not real")
	}
}

// TestRefineHermitiansRefuses calls Refine with approximate vectors that do not help, or that are
// not finite.
func TestRefineHermitiansRefuses(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d, ctx := device(t, vk.Options{}), context.Background()
	const n = 30
	a := randomHermitian(n)
	p := planOfRefinements[complex128](t, d, n, evd.Options{Tuning: small()})
	q := nearlyHermitian(t, d, n, a, 1e-6, false)
	for name, change := range map[string]func(x []complex128){
		"zero":      func(x []complex128) { clear(x) },
		"huge":      func(x []complex128) { x[5] = 1e300i },
		"conjugate": func(x []complex128) { copy(x, conjugated(x)) },
	} {
		bad := q
		bad.Data = slices.Clone(q.Data)
		change(bad.Data)
		res, err := p.Refine(ctx, evd.NewSym(n, a, evd.Lower), bad)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if res.Refinement.Cold == "" {
			t.Errorf("%s: no cold solve: %+v", name, res.Refinement)
		}
		judge(t, n, a, res)
	}
	infinite := q
	infinite.Data = slices.Clone(q.Data)
	infinite.Data[7*n+2] = complex(1, math.Inf(-1))
	for _, q := range []evd.Dense[complex128]{infinite, columns(infinite)} {
		var start *evd.InitialVectorsError
		if _, err := p.Refine(ctx, evd.NewSym(n, a, evd.Lower), q); !errors.As(err, &start) || start.Row != 7 || start.Col != 2 || !math.IsInf(start.Value, -1) {
			t.Errorf("an infinity, row-major %v: %v", q.RowMajor, err)
		}
	}
	bad := evd.NewSym(n, slices.Clone(a), evd.Lower)
	bad.Data[3] = complex(0, math.Inf(1))
	if _, err := p.Refine(ctx, bad, q); !errors.As(err, new(*evd.NonFiniteError)) {
		t.Errorf("an infinite matrix: %v", err)
	}
	for order := range 2 {
		p := planOfRefinements[complex128](t, d, order, evd.Options{})
		res, err := p.Refine(ctx, evd.NewSym(order, []complex128{3, 1}[:order], evd.Lower), evd.Dense[complex128]{Rows: order, Cols: order, Ld: 1, Data: make([]complex128, order)})
		if err != nil || len(res.Values) != order || order == 1 && res.Values[0] != 3 {
			t.Errorf("order %d: %+v, %v", order, res, err)
		}
	}
}

// TestMixedHermitians repeats TestMixed for Hermitian matrices, whose first solve is in complex64.
func TestMixedHermitians(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	d := device(t, vk.Options{})
	for _, c := range []struct {
		kind                string
		n, exponent, steps  int
		rowMajor, emulation bool
	}{
		{"gue", 2, 0, 2, false, false}, {"gue", 50, 0, 3, true, false}, {"gue", 50, 1000, 3, false, false}, {"gue", 50, -1000, 3, false, false},
		{"unitary-triples", 50, 0, 3, false, false}, {"gue", 50, 0, 3, false, true},
	} {
		opt := evd.Options{Tuning: small(), RowMajor: c.rowMajor}
		if c.emulation {
			opt.Products = evd.ProductsEmulated
		}
		p, err := evd.NewMixedPlan[complex128](d, c.n, opt)
		if err != nil {
			t.Fatal(err)
		}
		a := named(t, matgen.Hermitians(), c.kind).Dense(c.n)
		for i, x := range a {
			a[i] = complex(math.Ldexp(real(x), c.exponent), math.Ldexp(imag(x), c.exponent))
		}
		var first *evd.Result[complex128]
		for k := range 4 {
			res, err := p.Solve(context.Background(), stored(c.n, c.n+1, a, evd.Uplo(k/2 == 1), k%2 == 1))
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			if r := res.Refinement; r == nil || r.Cold != "" || r.Steps == 0 || r.Steps > c.steps {
				t.Errorf("%+v: %+v", c, r)
			}
			if res.Certificate == nil || !res.Certificate.Passed() {
				t.Errorf("%+v: %v", c, res.Certificate)
			}
			if first != nil {
				agree(t, fmt.Sprintf("%+v, storage %d", c, k), res, first)
				continue
			}
			first = res
			judge(t, c.n, a, byColumns(res))
		}
		p.Close()
	}
}

// TestMixedKindsOfHermitians repeats TestMixedKinds for Hermitian matrices.
func TestMixedKindsOfHermitians(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	mixedKinds(t, matgen.Hermitians())
}
