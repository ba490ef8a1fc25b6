package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// byRows returns the elements of the matrix z row by row, without gaps between the rows.
func byRows[T double](z *evd.Dense[T]) []T {
	rows := make([]T, 0, z.Rows*z.Cols)
	for i := range z.Rows {
		for j := range z.Cols {
			if z.RowMajor {
				rows = append(rows, z.Data[i*z.Ld+j])
			} else {
				rows = append(rows, z.Data[i+j*z.Ld])
			}
		}
	}
	return rows
}

func identical[T double](a, b []T) bool {
	return slices.EqualFunc(a, b, func(x, y T) bool { return bitsOf(x) == bitsOf(y) })
}

func bitsOf[T double](x T) [2]uint64 {
	if z, ok := any(x).(complex128); ok {
		return [2]uint64{math.Float64bits(real(z)), math.Float64bits(imag(z))}
	}
	return [2]uint64{math.Float64bits(realPart(x))}
}

// TestRowMajor compares row-major vectors with column-major ones. The bits must be the same. With
// Options.Overwrite, the vectors are in the memory of the input matrix, and the elements that they
// do not use must not change. Check must return the same ratios.
func TestRowMajor(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	testRowMajor(t, matgen.Dense())
}

func TestRowMajorVectorsOfHermitians(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	testRowMajor(t, matgen.Hermitians()[:12])
}

func testRowMajor[T double, K interface {
	Name() string
	Dense(n int) []T
}](t *testing.T, kinds []K) {
	ctx := context.Background()
	d := device(t, vk.Options{})
	for _, n := range []int{2, 21, 33} {
		for i, by := range []evd.Selection{{}, evd.Index(0, 1), evd.Index(n/3, n), evd.Index(1, 1), evd.Interval(math.Inf(-1), 0)} {
			t.Run(fmt.Sprintf("%d/%v", n, by), func(t *testing.T) {
				plan := func(opt evd.Options) *evd.Plan[T] {
					opt.Vectors, opt.Select, opt.Tuning = true, by, small()
					return planOf[T](t, d, n, opt)
				}
				columns, rows, over := plan(evd.Options{}), plan(evd.Options{RowMajor: true}), plan(evd.Options{RowMajor: true, Overwrite: true})
				for k := (i + n) % 6; k < len(kinds); k += 6 { // over all orders and parts, each kind is solved
					a := evd.Sym[T]{N: n, Ld: n, Data: kinds[k].Dense(n)}
					want, err := columns.Solve(ctx, a)
					if err != nil {
						t.Fatal(err)
					}
					got, err := rows.Solve(ctx, a)
					if err != nil {
						t.Fatal(err)
					}
					m, z := len(want.Values), got.Vectors
					if !identical(got.Values, want.Values) || !identical(byRows(z), byRows(want.Vectors)) {
						t.Errorf("%s: other bits", kinds[k].Name())
					}
					if !z.RowMajor || z.Rows != n || z.Cols != m || z.Ld != max(m, 1) || len(z.Data) != n*m {
						t.Errorf("%s: %d×%d, Ld %d, %d elements for %d vectors", kinds[k].Name(), z.Rows, z.Cols, z.Ld, len(z.Data), m)
					}
					ratios, err := columns.Check(ctx, a, want)
					if err != nil {
						t.Fatal(err)
					}
					results := []*evd.Result[T]{got}
					for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
						results = append(results, overwritten(t, over, a, uplo, want))
					}
					for _, p := range []*evd.Plan[T]{rows, columns} {
						for _, res := range results {
							if r, err := p.Check(ctx, a, res); err != nil || r != ratios {
								t.Errorf("%s: by rows %+v, by columns %+v; %v", kinds[k].Name(), r, ratios, err)
							}
						}
					}
				}
			})
		}
	}
}

// TestRowMajorMatrix solves a symmetric matrix that is stored by rows, with NaN in the triangle
// that is not read: by one device and by devices that divide it. The result must have the bits of
// the other storage, and a NaN must be found at its own indices.
func TestRowMajorMatrix(t *testing.T) {
	divided := severally(evd.Options{Distribute: true}, device(t, vk.Options{}))
	rowMajorMatrix(t, 21, full(random(21)), map[string]evd.Options{"one": {}, "verify": {Verify: true}, "divided": divided})
}

// TestRowMajorHermitian repeats TestRowMajorMatrix for a Hermitian matrix, whose transpose is its
// conjugate.
func TestRowMajorHermitian(t *testing.T) {
	rowMajorMatrix(t, 21, randomHermitian(21), map[string]evd.Options{"one": {}, "verify": {Verify: true}})
}

func rowMajorMatrix[T double](t *testing.T, n int, of []T, options map[string]evd.Options) {
	ctx := context.Background()
	d, ld := device(t, vk.Options{}), n+2
	solvers := map[string]func(evd.Sym[T]) (*evd.Result[T], error){}
	for name, opt := range options {
		opt.Vectors, opt.Tuning = true, small()
		p := planOf[T](t, d, n, opt)
		solvers[name] = func(a evd.Sym[T]) (*evd.Result[T], error) { return p.Solve(ctx, a) }
	}
	for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
		for name, solve := range solvers {
			want, err := solve(stored(n, ld, of, uplo, false))
			if err != nil {
				t.Fatal(name, err)
			}
			judge(t, n, of, want)
			a := stored(n, ld, of, uplo, true)
			got, err := solve(a)
			if err != nil || !identical(got.Values, want.Values) || !identical(got.Vectors.Data, want.Vectors.Data) {
				t.Errorf("%s, upper %v: other bits, %v", name, uplo, err)
			}
			row, col := 17, 4
			if uplo == evd.Upper {
				row, col = col, row
			}
			a.Data[at(a, row, col)] = ofReal[T](math.Inf(1))
			var bad *evd.NonFiniteError
			if _, err := solve(a); !errors.As(err, &bad) || bad.Row != row || bad.Col != col {
				t.Errorf("%s, upper %v: %v, not about element (%d, %d)", name, uplo, err, row, col)
			}
		}
	}
}

// `at` is the index of entry (i, j) in the memory of a.
func at[T double](a evd.Sym[T], i, j int) int {
	if a.RowMajor {
		return i*a.Ld + j
	}
	return i + j*a.Ld
}

// overwritten tests Options.Overwrite for row-major vectors. It solves for the triangle `uplo` of
// the matrix `a`, in memory that has no element more than needed. The vectors must be in this
// memory and must be equal to those of `want`, and no other element may change.
func overwritten[T double](t *testing.T, p *evd.Plan[T], a evd.Sym[T], uplo evd.Uplo, want *evd.Result[T]) *evd.Result[T] {
	t.Helper()
	n, ld, m := a.N, a.N+3, len(want.Values)
	in := evd.Sym[T]{N: n, Ld: ld, Uplo: uplo, Data: make([]T, (n-1)*ld+n)}
	for k := range in.Data {
		i, j := k%ld, k/ld
		in.Data[k] = nan[T]()
		if i == j || i < n && (i > j) == (uplo == evd.Lower) {
			in.Data[k] = a.Data[i+j*n]
		}
	}
	before := slices.Clone(in.Data)
	res, err := p.Solve(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	z := res.Vectors
	if &z.Data[0] != &in.Data[0] || z.Ld != ld || !z.RowMajor {
		t.Errorf("uplo %v: the vectors are not in the input's memory, or by columns", uplo)
	}
	if !identical(byRows(z), byRows(want.Vectors)) {
		t.Errorf("uplo %v: other bits in the input's memory", uplo)
	}
	for k, x := range in.Data {
		if k%ld >= m && bitsOf(x) != bitsOf(before[k]) {
			t.Errorf("uplo %v: row %d is written to beyond its %d components, at %d", uplo, k/ld, m, k%ld)
		}
	}
	return res
}

// TestRowMajorIsVerified solves with Options.Verify. A plan that returns row-major vectors must
// give the same certificate, and vectors with the same bits, as a plan that returns column-major
// vectors.
func TestRowMajorIsVerified(t *testing.T) {
	when.Skip(t, when.Quick, "Verify")
	when.Pick(t, when.Race)
	d := device(t, vk.Options{})
	const n = 21
	a := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	var results [2]*evd.Result[float64]
	for i, rowMajor := range []bool{false, true} {
		p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true, RowMajor: rowMajor, Verify: true, Select: evd.Index(2, 9), Tuning: small()})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if results[i], err = p.Solve(context.Background(), a); err != nil {
			t.Fatal(err)
		}
	}
	if *results[0].Certificate != *results[1].Certificate || !identical(byRows(results[0].Vectors), byRows(results[1].Vectors)) {
		t.Errorf("by columns %v, by rows %v", results[0].Certificate, results[1].Certificate)
	}
}

func TestRowMajorOfATridiagonal(t *testing.T) {
	ctx := context.Background()
	d := device(t, vk.Options{})
	const n = 21
	diagonal, off := matgen.GluedWilkinson(1e-3).Tridiagonal(n)
	m := evd.Tridiagonal[float64]{D: diagonal, E: off}
	for _, by := range []evd.Selection{{}, evd.Index(3, 8), evd.Index(3, 3)} {
		columns := tridiagonalPlan(t, d, n, evd.Options{Vectors: true, Select: by, Tuning: small()})
		rows := tridiagonalPlan(t, d, n, evd.Options{Vectors: true, Select: by, RowMajor: true, Tuning: small()})
		want, err := columns.Solve(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rows.Solve(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Vectors.RowMajor || !identical(got.Values, want.Values) || !identical(byRows(got.Vectors), byRows(want.Vectors)) {
			t.Errorf("%v: other bits, or by columns", by)
		}
		one, err := columns.Check(ctx, m, want)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []*evd.TridiagonalPlan[float64]{rows, columns} {
			if other, err := p.Check(ctx, m, got); err != nil || other != one {
				t.Errorf("%v: by rows %+v, by columns %+v; %v", by, other, one, err)
			}
		}
	}
}

// TestRowMajorOrdersZeroAndOne checks that results of the orders 0 and 1 are row-major, too. Such
// matrices are solved without the device.
func TestRowMajorOrdersZeroAndOne(t *testing.T) {
	d := device(t, vk.Options{})
	for _, c := range []struct {
		n, ld, m int
		over     bool
	}{{0, 0, 0, false}, {0, 2, 0, true}, {1, 1, 1, false}, {1, 3, 1, true}, {1, 3, 0, true}, {1, 1, 0, false}} {
		p, err := evd.NewPlan[float64](d, c.n, evd.Options{Vectors: true, Select: evd.Index(0, c.m), RowMajor: true, Overwrite: c.over})
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(context.Background(), evd.Sym[float64]{N: c.n, Ld: c.ld, Data: []float64{7, 8, 9}})
		p.Close()
		if err != nil {
			t.Fatal(err)
		}
		z := res.Vectors
		if !z.RowMajor || z.Rows != c.n || z.Cols != c.m || z.Ld < max(c.m, 1) || c.m > 0 && !slices.Equal(z.Col(0), []float64{1}) {
			t.Errorf("%+v: %+v", c, *z)
		}
		if rows, cols := z.ToGonum().Dims(); rows != c.m || cols != c.m {
			t.Errorf("%+v: gonum's is %d×%d", c, rows, cols)
		}
	}
}

// TestDense checks that At, Col and ToGonum return the same entries for row-major and column-major
// storage.
func TestDense(t *testing.T) {
	columns := evd.Dense[float64]{Rows: 2, Cols: 3, Ld: 4, Data: []float64{11, 21, 0, 0, 12, 22, 0, 0, 13, 23}}
	rows := evd.Dense[float64]{Rows: 2, Cols: 3, Ld: 5, Data: []float64{11, 12, 13, 0, 0, 21, 22, 23}, RowMajor: true}
	for _, d := range []evd.Dense[float64]{columns, rows} {
		g := d.ToGonum()
		if !mat.Equal(g, mat.NewDense(2, 3, []float64{11, 12, 13, 21, 22, 23})) {
			t.Errorf("row-major %v: gonum's is\n%v", d.RowMajor, mat.Formatted(g))
		}
		if _, dense := g.(*mat.Dense); dense != d.RowMajor {
			t.Errorf("row-major %v: gonum's is a %T", d.RowMajor, g)
		}
		for j := range 3 {
			column := d.Col(j)
			if !slices.Equal(column, mat.Col(nil, j, g)) || column[1] != d.At(1, j) {
				t.Errorf("row-major %v: column %d is %v", d.RowMajor, j, column)
			}
		}
		d.Data[0] = 5
		if g.At(0, 0) != 5 || d.At(0, 0) != 5 {
			t.Errorf("row-major %v: gonum's has memory of its own", d.RowMajor)
		}
	}
}

func TestRowMajorNeedsVectors(t *testing.T) {
	d := vk.Dry(vk.Info{SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 32})
	_, dense := evd.NewPlan[float64](d, 3, evd.Options{RowMajor: true})
	_, tridiagonal := evd.NewTridiagonalPlan[float64](d, 3, evd.Options{RowMajor: true})
	for _, err := range []error{dense, tridiagonal} {
		if option := (*evd.OptionError)(nil); !errors.As(err, &option) || option.Option != "RowMajor" {
			t.Errorf("rows of no vectors: %v", err)
		}
	}
}
