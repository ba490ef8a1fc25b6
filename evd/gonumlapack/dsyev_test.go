package gonumlapack

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/vk"
)

var openOnce = sync.OnceValues(func() (*vk.Device, error) {
	return vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
})

// always returns an implementation that uses the device for all orders above one.
func always(t testing.TB) *Implementation {
	t.Helper()
	dev, err := openOnce()
	if err != nil {
		t.Fatal(err)
	}
	impl := New(dev)
	impl.Crossover = Crossover{}
	impl.Report = func(err error) { t.Error(err) }
	t.Cleanup(impl.Close)
	return impl
}

// TestGonums runs gonum's own test of Dsyev with ten matrices of each shape. On a CPU device order
// 100 would take too long. So only one in ten matrices of order 100 is solved on the device, or all
// of them if VKEVD_GONUM is set.
func TestGonums(t *testing.T) {
	impl := always(t)
	if os.Getenv("VKEVD_GONUM") != "" {
		testlapack.DsyevTest(t, impl)
		return
	}
	testlapack.DsyevTest(t, &sampled{Implementation: impl})
}

// sampled is an implementation of Dsyev for a slow device. It solves one in ten matrices of order
// 100 on the device, and the others with gonum. gonum's test calls Dsyev three times for each
// matrix.
type sampled struct {
	*Implementation
	large int
}

func (s *sampled) Dsyev(jobz lapack.EVJob, uplo blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) bool {
	const most, calls, of = 10, 3, 10
	if n > most {
		s.large++
		if (s.large-1)/calls%of != 0 {
			return s.Implementation.Implementation.Dsyev(jobz, uplo, n, a, lda, w, work, lwork)
		}
	}
	return s.Implementation.Dsyev(jobz, uplo, n, a, lda, w, work, lwork)
}

// random returns a matrix with stride lda for Dsyev. One triangle has random entries. All other
// elements are NaN.
func random(n, lda int, uplo blas.Uplo, r *rand.Rand) []float64 {
	a := make([]float64, n*lda)
	for i := range n {
		for j := range lda {
			a[i*lda+j] = math.NaN()
			if j < n && (j >= i) == (uplo == blas.Upper) || i == j {
				a[i*lda+j] = r.NormFloat64()
			}
		}
	}
	return a
}

// `whole` returns the symmetric n×n matrix with both triangles and without padding. `uplo` is the
// triangle of `a` that holds the entries.
func whole(n, lda int, uplo blas.Uplo, a []float64) []float64 {
	full := make([]float64, n*n)
	for i := range n {
		for j := range n {
			if (j >= i) == (uplo == blas.Upper) || i == j {
				full[i*n+j], full[j*n+i] = a[i*lda+j], a[i*lda+j]
			}
		}
	}
	return full
}

// TestDsyev checks LAPACK's ratios of the vectors and compares the values with gonum's, for both
// triangles and many strides. Dsyev must read only the given triangle and write only n columns.
func TestDsyev(t *testing.T) {
	impl := always(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{2, 31, 32, 33, 66} {
		for _, pad := range []int{0, 3} {
			for _, uplo := range []blas.Uplo{blas.Upper, blas.Lower} {
				lda := n + pad
				a := random(n, lda, uplo, r)
				full := whole(n, lda, uplo, a)
				lwork := 3*n - 1
				work := make([]float64, lwork)

				want := make([]float64, n)
				if !(gonum.Implementation{}).Dsyev(lapack.EVNone, uplo, n, slices.Clone(a), lda, want, work, lwork) {
					t.Fatal("gonum fails")
				}
				before := slices.Clone(a)
				alone := make([]float64, n)
				if !impl.Dsyev(lapack.EVNone, uplo, n, a, lda, alone, work, lwork) || !identical(a, before) {
					t.Errorf("n = %d, lda = %d, %c: values alone: not ok, or a was written to", n, lda, uplo)
				}
				w := make([]float64, n)
				a = a[:(n-1)*lda+n] // the shortest slice that is allowed
				if !impl.Dsyev(lapack.EVCompute, uplo, n, a, lda, w, work, lwork) {
					t.Fatalf("n = %d, lda = %d, %c: not ok", n, lda, uplo)
				}
				columns := make([]float64, n*n) // Z, which is row-major in a, in column-major order
				for i := range n {
					for j := range n {
						columns[i+j*n] = a[i*lda+j]
					}
					for j := n; j < lda && i < n-1; j++ {
						if !math.IsNaN(a[i*lda+j]) {
							t.Errorf("n = %d, lda = %d: row %d written beyond its end", n, lda, i)
						}
					}
				}
				norm := max(math.Abs(want[0]), math.Abs(want[n-1]))
				for name, x := range map[string]float64{
					"residual":       ratio.Residual(n, n, full, n, w, columns, n),
					"orthogonality":  ratio.Orthogonality(n, n, columns, n),
					"values":         ratio.Values(n, w, want, norm),
					"values, alone":  ratio.Values(n, alone, want, norm),
					"work[0] differ": work[0] - optimal(n, uplo),
				} {
					if !(x < 10) {
						t.Errorf("n = %d, lda = %d, %c: %s %g", n, lda, uplo, name, x)
					}
				}
			}
		}
	}
}

func identical(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// optimal returns the size of the workspace that gonum recommends for Dsyev and order n, the answer
// to a workspace query.
func optimal(n int, uplo blas.Uplo) float64 {
	work := make([]float64, 1)
	gonum.Implementation{}.Dsyev(lapack.EVCompute, uplo, n, nil, n, nil, work, -1)
	return work[0]
}

// TestLikeGonum calls Dsyev with wrong arguments, workspace queries and trivial problems. The
// results and panics must be those of gonum's Dsyev.
func TestLikeGonum(t *testing.T) {
	impl := always(t)
	const n = 4
	type call struct {
		jobz            lapack.EVJob
		uplo            blas.Uplo
		n, a, lda, w    int // a and w are the lengths of the slices
		work, lwork     int
		panics, queries bool
	}
	good := call{jobz: lapack.EVCompute, uplo: blas.Upper, n: n, a: n * n, lda: n, w: n, work: 3*n - 1, lwork: 3*n - 1}
	with := func(change func(*call)) call { c := good; change(&c); return c }
	for _, c := range []call{
		with(func(c *call) { c.jobz, c.panics = 'X', true }),
		with(func(c *call) { c.uplo, c.panics = 'X', true }),
		with(func(c *call) { c.uplo, c.panics = blas.All, true }),
		with(func(c *call) { c.n, c.panics = -1, true }),
		with(func(c *call) { c.lda, c.panics = n-1, true }),
		with(func(c *call) { c.lwork, c.panics = 3*n-2, true }),
		with(func(c *call) { c.lwork, c.panics = -2, true }),
		with(func(c *call) { c.work, c.panics = 3*n-2, true }),
		with(func(c *call) { c.work, c.lwork, c.panics = 0, -1, true }),
		with(func(c *call) { c.a, c.panics = n*n-1, true }),
		with(func(c *call) { c.w, c.panics = n-1, true }),
		with(func(c *call) { c.lwork, c.queries = -1, true }),
		with(func(c *call) { c.lwork, c.a, c.w, c.queries = -1, 0, 0, true }),
		with(func(c *call) { c.n, c.a, c.w = 0, 0, 0 }),
		with(func(c *call) { c.n, c.a, c.w, c.jobz = 0, 0, 0, lapack.EVNone }),
		with(func(c *call) { c.n = 1 }),
		with(func(c *call) { c.n, c.jobz = 1, lapack.EVNone }),
	} {
		outcome := func(f func(lapack.EVJob, blas.Uplo, int, []float64, int, []float64, []float64, int) bool) string {
			a, w, work := make([]float64, c.a), make([]float64, c.w), make([]float64, c.work)
			for i := range a {
				a[i] = 7
			}
			var ok bool
			said := func() (said any) {
				defer func() { said = recover() }()
				ok = f(c.jobz, c.uplo, c.n, a, c.lda, w, work, c.lwork)
				return nil
			}()
			if (said != nil) != c.panics {
				t.Errorf("%+v: panics with %v", c, said)
			}
			return fmt.Sprint(said, ok, a, w, work)
		}
		if got, want := outcome(impl.Dsyev), outcome(gonum.Implementation{}.Dsyev); got != want {
			t.Errorf("%+v:\n got %s\nwant %s", c, got, want)
		}
	}
}

// TestNotFinite solves matrices with a NaN or an infinity. The result `ok` must be false, the
// reported error must have the row and the column of this entry, and the matrix `a` must be
// unchanged.
func TestNotFinite(t *testing.T) {
	impl := always(t)
	const n = 6
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, jobz := range []lapack.EVJob{lapack.EVNone, lapack.EVCompute} {
			a := random(n, n, blas.Upper, rand.New(rand.NewPCG(5, 6)))
			a[1*n+4] = bad
			before := slices.Clone(a)
			var reported error
			impl.Report = func(err error) { reported = err }
			work := make([]float64, 3*n)
			if impl.Dsyev(jobz, blas.Upper, n, a, n, make([]float64, n), work, len(work)) {
				t.Errorf("%g: ok", bad)
			}
			e, ok := reported.(*evd.NonFiniteError)
			if !ok || e.Row != 1 || e.Col != 4 {
				t.Errorf("%g: reported %v", bad, reported)
			}
			if !identical(a, before) {
				t.Errorf("%g: a was written to", bad)
			}
		}
	}
}

// TestNoSecondMatrix checks that the vectors are downloaded in row-major form directly to the
// memory of the argument `a`. Dsyev must not allocate a second matrix.
func TestNoSecondMatrix(t *testing.T) {
	impl := always(t)
	const n, lda = 9, 11
	a := random(n, lda, blas.Upper, rand.New(rand.NewPCG(7, 8)))
	made, err := impl.plans.Make(job{rows: n, cols: n, kind: eigenvectors})
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	res, err := made.(solver).Solve(context.Background(), evd.Sym[float64]{N: n, Ld: lda, Data: a})
	if err != nil {
		t.Fatal(err)
	}
	if z := res.Vectors; &z.Data[0] != &a[0] || z.Ld != lda || !z.RowMajor {
		t.Error("the vectors have memory of their own, or lie by columns")
	}
}

// TestManyAtOnce solves matrices of several orders in many goroutines at the same time. The results
// must have the same bits as in one goroutine.
func TestManyAtOnce(t *testing.T) {
	impl := always(t)
	orders := []int{20, 21, 22, 23, 24, 25} // more orders than plans are kept
	solve := func(n int) []float64 {
		a := random(n, n, blas.Upper, rand.New(rand.NewPCG(uint64(n), 9)))
		w, work := make([]float64, n), make([]float64, 3*n)
		if !impl.Dsyev(lapack.EVCompute, blas.Upper, n, a, n, w, work, len(work)) {
			t.Error("not ok")
		}
		return append(a, w...)
	}
	want := map[int][]float64{}
	for _, n := range orders {
		want[n] = solve(n)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range orders {
				n := orders[(i+g)%len(orders)]
				if !slices.Equal(solve(n), want[n]) {
					t.Errorf("n = %d: other bits", n)
				}
			}
		}()
	}
	wg.Wait()
}

// BenchmarkDsyev measures the times of Dsyev on the device and in gonum. The orders
// tuning.Host.Gonum come from its results.
func BenchmarkDsyev(b *testing.B) {
	impl := always(b)
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048} {
		for _, jobz := range []lapack.EVJob{lapack.EVNone, lapack.EVCompute} {
			for name, f := range map[string]testlapack.Dsyever{"gonum": gonum.Implementation{}, "device": impl} {
				b.Run(fmt.Sprintf("n=%d/%c/%s", n, jobz, name), func(b *testing.B) {
					given := random(n, n, blas.Upper, r)
					a, w, work := make([]float64, n*n), make([]float64, n), make([]float64, 36*n)
					call := func() {
						copy(a, given)
						f.Dsyev(jobz, blas.Upper, n, a, n, w, work, len(work))
					}
					if f == impl {
						call() // the first call makes the plan
					}
					for b.Loop() {
						call()
					}
				})
			}
		}
	}
}
