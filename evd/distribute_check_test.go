package evd_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestCheckOfDistributedVectors compares the measures of Plan.Check with Distribute to those of one
// device, for vectors with errors far above rounding errors: for all vectors and for a part, for
// both triangles, for row-major vectors, for columns and rows with gaps, and for a matrix that is
// scaled by a power of two. Without these errors the measures must be small.
func TestCheckOfDistributedVectors(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	t.Run("symmetric", func(t *testing.T) {
		checkOfDistributed(t, []int{2, 33, 67, 300}, func(n int) []float64 { return full(random(n)) })
	})
	t.Run("Hermitian", func(t *testing.T) { checkOfDistributed(t, []int{2, 67}, randomHermitian) })
}

func checkOfDistributed[T double](t *testing.T, orders []int, of func(n int) []T) {
	d := [3]*vk.Device{device(t, vk.Options{}), device(t, vk.Options{}), device(t, vk.Options{})}
	ctx := context.Background()
	for _, n := range orders {
		for name, opt := range map[string]evd.Options{
			"all": {}, "rows": {RowMajor: true}, "part": {Select: evd.Index(n/4, n/2)}, "MRRR": {Solver: evd.MRRR},
		} {
			for _, scale := range []float64{1, 0x1p600} {
				if n == 300 && (scale != 1 || name != "all" && name != "part") {
					continue // the sums of smaller orders, in more blocks
				}
				opt.Vectors, opt.Tuning = true, small()
				data := slices.Clone(of(n))
				for i := range data {
					data[i] *= ofReal[T](scale)
				}
				a := stored(n, n+1, data, evd.Uplo(name != "part"), name == "rows" || name == "MRRR")
				one := planOf[T](t, d[0], n, opt)
				res, err := one.Solve(ctx, a)
				if err != nil {
					t.Fatal(err)
				}
				for _, others := range [][]*vk.Device{d[1:2], d[1:]} {
					several := severally(opt, others...)
					several.Distribute = true
					what := fmt.Sprintf("n = %d, %s, scale %g, %d devices", n, name, scale, len(others)+1)
					p := planOf[T](t, d[0], n, several)
					if good, err := p.Check(ctx, a, res); err != nil || !(max(good.Residual, good.Orthogonality) < 10) {
						t.Errorf("%s: %+v, %v", what, good, err)
					}
					bad := *res
					vectors := *res.Vectors
					vectors.Data = slices.Clone(vectors.Data)
					if name == "MRRR" || name == "rows" {
						vectors = apart(vectors)
					}
					for i := range vectors.Data {
						vectors.Data[i] += ofReal[T](1e-3 * math.Sin(float64(i)))
					}
					bad.Vectors = &vectors
					want, err := one.Check(ctx, a, &bad)
					if err != nil {
						t.Fatal(err)
					}
					got, err := p.Check(ctx, a, &bad)
					if err != nil || !near(got.Residual, want.Residual) || !near(got.Orthogonality, want.Orthogonality) {
						t.Errorf("%s: %+v, %v, not %+v", what, got, err, want)
					}
				}
			}
		}
	}
}

// apart returns a copy of a matrix with three elements of NaN between its columns, or between its
// rows if it is row-major.
func apart[T double](d evd.Dense[T]) evd.Dense[T] {
	length, lines := d.Rows, d.Cols
	if d.RowMajor {
		length, lines = lines, length
	}
	copied := d
	copied.Ld, copied.Data = length+3, slices.Repeat([]T{nan[T]()}, (length+3)*lines)
	for j := range lines {
		copy(copied.Data[j*copied.Ld:], d.Data[j*d.Ld:j*d.Ld+length])
	}
	return copied
}

// near tells whether y is a large ratio, above 1000, and x is the same up to rounding errors.
func near(x, y float64) bool { return y > 1e3 && math.Abs(x-y) <= 1e-8*y }

func mustPlan(t *testing.T, d *vk.Device, n int, opt evd.Options) *evd.Plan[float64] {
	t.Helper()
	return planOf[float64](t, d, n, opt)
}

func planOf[T evd.Number](t *testing.T, d *vk.Device, n int, opt evd.Options) *evd.Plan[T] {
	t.Helper()
	p, err := evd.NewPlan[T](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestCheckOfDistributedSingles certifies the result of a distributed solve in single precision.
// Then it makes a vector wrong, and Check must notice this.
func TestCheckOfDistributedSingles(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d, e := device(t, vk.Options{}), device(t, vk.Options{})
	const n = 45
	a := evd.NewSym(n, singles(full(random(n))), evd.Lower)
	for _, part := range []evd.Selection{{}, evd.Index(3, 20)} {
		opt := severally(evd.Options{Vectors: true, Distribute: true, Tuning: small(), Select: part, Verify: true}, e)
		p := singlePlan(t, d, n, opt)
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if c := res.Certificate; c == nil || c.Safe || !c.Passed() || c.Residual == 0 || c.Orthogonality == 0 {
			t.Errorf("certificate %v", c)
		}
		res.Vectors.Data[n] += 0.1
		if r, err := p.Check(context.Background(), a, res); err != nil || r.Passed() {
			t.Errorf("a wrong vector: %+v, %v", r, err)
		}
	}
}

// TestVerifyDistributedVectors solves with Distribute and Verify. The first result must pass its
// certificate.
func TestVerifyDistributedVectors(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	when.Pick(t, when.Race)
	d := [3]*vk.Device{device(t, vk.Options{}), device(t, vk.Options{}), device(t, vk.Options{})}
	for _, n := range []int{1, 2, 5, 67} {
		for _, solver := range []evd.Solver{evd.Auto, evd.MRRR} {
			opt := severally(evd.Options{Vectors: true, Distribute: true, Verify: true, Solver: solver, Tuning: small()}, d[1:]...)
			res := solved(t, d[0], n, full(random(n)), opt)
			if c := res.Certificate; c == nil || c.Safe || !c.Passed() || n > 2 && c.Residual == 0 {
				t.Errorf("n = %d, %v: certificate %v", n, solver, c)
			}
		}
	}
}
