package gonumlapack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/plancache"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestGonumsSVD runs gonum's own test of Dgesvd with all pairs of jobs for five matrices of each
// shape. On a CPU device the matrices with more than 3 rows or columns would take too long. So only
// about one in 61 of them is solved on the device, or all of them if VKEVD_GONUM is set.
func TestGonumsSVD(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	const gonums = 1e-13 // the tolerance that gonum's test uses for gonum
	impl := always(t)
	s := &sampledSVD{Implementation: impl, every: 61}
	if os.Getenv("VKEVD_GONUM") != "" {
		s.every = 1
	}
	testlapack.DgesvdTest(t, s, gonums)
	if s.device < 1000 {
		t.Errorf("only %d calls on the device", s.device)
	}
}

// sampledSVD solves about one in `every` matrices with more than 3 rows or columns on the device,
// and the others with gonum. gonum's test compares the results of all jobs for a matrix, so either
// the device or gonum solves all jobs for this matrix.
type sampledSVD struct {
	*Implementation
	every  uint64
	device int
}

func (s *sampledSVD) Dgesvd(
	jobU, jobVT lapack.SVDJob, m, n int, a []float64, lda int, sigma, u []float64, ldu int,
	vt []float64, ldvt int, work []float64, lwork int,
) bool {
	use := s.Implementation.Dgesvd
	const most = 3
	if min(m, n) > 0 && max(m, n) > most && (math.Float64bits(a[0])>>16+uint64(31*m+n))%s.every != 0 {
		use = s.Implementation.Implementation.Dgesvd
	} else if lwork > 0 {
		s.device++
	}
	return use(jobU, jobVT, m, n, a, lda, sigma, u, ldu, vt, ldvt, work, lwork)
}

// general returns a random m×n matrix with stride lda. The padding is NaN.
func general(m, n, lda int, r *rand.Rand) []float64 {
	a := slices.Repeat([]float64{math.NaN()}, m*lda)
	for i := range m {
		for j := range n {
			a[i*lda+j] = r.NormFloat64()
		}
	}
	return a
}

// workFor returns a workspace for Dgesvd with an m×n matrix, of the smallest allowed size.
func workFor(m, n int) []float64 {
	return make([]float64, max(1, 5*min(m, n), 3*min(m, n)+max(m, n)))
}

// values calls Dgesvd for singular values without vectors.
func values(f testlapack.Dgesvder, m, n int, a []float64, lda int, s []float64) bool {
	work := workFor(m, n)
	return f.Dgesvd(lapack.SVDNone, lapack.SVDNone, m, n, a, lda, s, nil, 1, nil, 1, work, len(work))
}

// TestDgesvd compares values with gonum's for many shapes and strides. The input must not change.
func TestDgesvd(t *testing.T) {
	impl := always(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, shape := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {31, 33}, {66, 20}, {20, 66}, {40, 40}} {
		for _, pad := range []int{0, 3} {
			m, n := shape[0], shape[1]
			lda := n + pad
			a := general(m, n, lda, r)
			want, got := make([]float64, min(m, n)), make([]float64, min(m, n))
			if !values(gonum.Implementation{}, m, n, slices.Clone(a), lda, want) {
				t.Fatal("gonum fails")
			}
			a = a[:(m-1)*lda+n] // the shortest slice that is allowed
			before := slices.Clone(a)
			if !values(impl, m, n, a, lda, got) || !identical(a, before) {
				t.Errorf("%d×%d, lda = %d: not ok, or a was written to", m, n, lda)
			}
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= 10*float64(max(m, n))*0x1p-52*want[0]) {
					t.Errorf("%d×%d, lda = %d: σ%d is %g, want %g", m, n, lda, i+1, got[i], want[i])
				}
			}
		}
	}
}

// TestDgesvdLikeGonum checks that wrong arguments and queries have the same results as with gonum's
// Dgesvd.
func TestDgesvdLikeGonum(t *testing.T) {
	impl := always(t)
	const m, n, least = 4, 3, 15
	type call struct {
		u, v            lapack.SVDJob
		m, n, a, lda, s int // a and s are the lengths of the slices
		ldu, ldvt       int
		work, lwork     int
		panics          bool
	}
	good := call{lapack.SVDNone, lapack.SVDNone, m, n, m * n, n, n, 1, 1, least, least, false}
	with := func(change func(*call)) call { c := good; change(&c); return c }
	for _, c := range []call{
		with(func(c *call) { c.u, c.panics = 'X', true }),
		with(func(c *call) { c.v, c.panics = 'X', true }),
		with(func(c *call) { c.u, c.panics = lapack.SVDOverwrite, true }),
		with(func(c *call) { c.m, c.panics = -1, true }),
		with(func(c *call) { c.n, c.panics = -1, true }),
		with(func(c *call) { c.lda, c.panics = n-1, true }),
		with(func(c *call) { c.ldu, c.panics = 0, true }),
		with(func(c *call) { c.ldvt, c.panics = 0, true }),
		with(func(c *call) { c.lwork, c.panics = least-1, true }),
		with(func(c *call) { c.lwork, c.panics = -2, true }),
		with(func(c *call) { c.work, c.panics = least-1, true }),
		with(func(c *call) { c.a, c.panics = m*n-1, true }),
		with(func(c *call) { c.s, c.panics = n-1, true }),
		with(func(c *call) { c.lwork = -1 }),
		with(func(c *call) { c.m, c.a, c.s = 0, 0, 0 }),
		with(func(c *call) { c.n, c.a, c.s = 0, 0, 0 }),
		with(func(c *call) { c.v, c.panics = lapack.SVDOverwrite, true }),
		with(func(c *call) { c.u, c.ldu, c.panics = lapack.SVDStore, n-1, true }),
		with(func(c *call) { c.u, c.ldu, c.panics = lapack.SVDAll, m-1, true }),
		with(func(c *call) { c.v, c.ldvt, c.panics = lapack.SVDStore, n-1, true }),
	} {
		outcome := func(f testlapack.Dgesvder) string {
			a, s, work := make([]float64, c.a), make([]float64, c.s), make([]float64, c.work)
			for i := range a {
				a[i] = float64(i * i % 7)
			}
			u, vt := make([]float64, m*m), make([]float64, n*n)
			var ok bool
			said := func() (said any) {
				defer func() { said = recover() }()
				ok = f.Dgesvd(c.u, c.v, c.m, c.n, a, c.lda, s, u, c.ldu, vt, c.ldvt, work, c.lwork)
				return nil
			}()
			if (said != nil) != c.panics {
				t.Errorf("%+v: panics with %v", c, said)
			}
			return fmt.Sprint(said, ok, s, u, vt, work[:1])
		}
		if got, want := outcome(impl), outcome(gonum.Implementation{}); got != want {
			t.Errorf("%+v:\n got %s\nwant %s", c, got, want)
		}
	}
	if work := workFor(m, n); !impl.Dgesvd(lapack.SVDNone, lapack.SVDNone, m, n, make([]float64, m*n), n, make([]float64, n), nil, 1, nil, 1, work, len(work)) {
		t.Error("not ok")
	} else {
		query := workFor(m, n)
		gonum.Implementation{}.Dgesvd(lapack.SVDNone, lapack.SVDNone, m, n, make([]float64, m*n), n, make([]float64, n), nil, 1, nil, 1, query, -1)
		if work[0] != query[0] {
			t.Errorf("work[0] is %g, gonum's is %g", work[0], query[0])
		}
	}
}

// TestDgesvdVectors solves with every pair of jobs, for many shapes and strides. A must equal
// U·Σ·Vᵀ, and U and V must be orthogonal. The values must have the same bits for all jobs, and the
// padding must not change.
func TestDgesvdVectors(t *testing.T) {
	impl := always(t)
	r := rand.New(rand.NewPCG(5, 4))
	jobs := []lapack.SVDJob{lapack.SVDNone, lapack.SVDStore, lapack.SVDAll}
	for i, shape := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {31, 33}, {66, 20}, {20, 66}, {40, 40}} {
		m, n, few := shape[0], shape[1], min(shape[0], shape[1])
		lda := n + i%2
		a := general(m, n, lda, r)
		var first []float64
		for _, jobU := range jobs {
			for _, jobVT := range jobs {
				what := fmt.Sprintf("%d×%d, jobs %c and %c", m, n, jobU, jobVT)
				count := map[lapack.SVDJob][2]int{lapack.SVDStore: {few, few}, lapack.SVDAll: {m, n}}
				ucols, vrows := count[jobU][0], count[jobVT][1]
				ldu, ldvt := max(ucols, 1)+2, n+3
				u, vt := slices.Repeat([]float64{math.NaN()}, m*ldu), slices.Repeat([]float64{math.NaN()}, max(vrows, 1)*ldvt)
				s, work := make([]float64, few), workFor(m, n)
				before := slices.Clone(a)
				if !impl.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, len(work)) || !identical(a, before) {
					t.Fatalf("%s: not ok, or a was written to", what)
				}
				if first == nil {
					first = s
				} else if !slices.Equal(s, first) {
					t.Errorf("%s: other values", what)
				}
				view := func(x []float64, rows, cols, ld int) *mat.Dense {
					if rows == 0 || cols == 0 {
						return nil
					}
					d := mat.NewDense(rows, cols, nil)
					for i := range rows {
						d.SetRow(i, x[i*ld:i*ld+cols])
					}
					for i := range x {
						if inside := i/ld < rows && i%ld < cols; inside == math.IsNaN(x[i]) {
							t.Fatalf("%s: element %d is %g", what, i, x[i])
						}
					}
					return d
				}
				left, right := view(u, m, ucols, ldu), view(vt, vrows, n, ldvt)
				for _, z := range []mat.Matrix{left, right} {
					d := z.(*mat.Dense)
					if d == nil {
						continue
					}
					var g mat.Dense
					if d == right {
						g.Mul(d, d.T())
					} else {
						g.Mul(d.T(), d)
					}
					k, _ := g.Dims()
					for i := range k {
						g.Set(i, i, g.At(i, i)-1)
					}
					if off := mat.Norm(&g, math.Inf(1)); !(off < 1e-13*float64(m+n)) {
						t.Errorf("%s: not orthogonal by %g", what, off)
					}
				}
				if left == nil || right == nil {
					continue
				}
				var us, usv mat.Dense
				us.Mul(left.Slice(0, m, 0, few), mat.NewDiagDense(few, s))
				usv.Mul(&us, right.Slice(0, few, 0, n))
				for i := range m {
					for j := range n {
						if off := math.Abs(usv.At(i, j) - a[i*lda+j]); !(off < 1e-13*float64(m+n)) {
							t.Fatalf("%s: U·Σ·Vᵀ is off by %g at (%d, %d)", what, off, i, j)
						}
					}
				}
			}
		}
		impl.Close()
	}
}

// TestSVD checks mat.SVD on the device: the values must be the same with and without vectors, and
// U·Σ·Vᵀ must be A.
func TestSVD(t *testing.T) {
	impl := always(t)
	use(t, impl)
	r := rand.New(rand.NewPCG(1, 1))
	for _, shape := range [][2]int{{1, 1}, {5, 3}, {3, 5}, {70, 40}} {
		m, n := shape[0], shape[1]
		a := mat.NewDense(m, n, general(m, n, n, r))
		given := mat.DenseCopyOf(a)
		var alone, thin mat.SVD
		if !alone.Factorize(a, mat.SVDNone) || !thin.Factorize(a, mat.SVDThin) {
			t.Fatalf("%d×%d: not ok", m, n)
		}
		if !mat.Equal(a, given) {
			t.Errorf("%d×%d: the matrix was written to", m, n)
		}
		few := min(m, n)
		if !slices.Equal(alone.Values(nil)[:few], thin.Values(nil)[:few]) {
			t.Errorf("%d×%d: values differ without vectors", m, n)
		}
		var u, v, us, back mat.Dense
		thin.UTo(&u)
		thin.VTo(&v)
		us.Mul(&u, mat.NewDiagDense(few, thin.Values(nil)))
		back.Mul(&us, v.T())
		if !mat.EqualApprox(&back, a, 1e-14*float64(m+n)) {
			t.Errorf("%d×%d: U·Σ·Vᵀ is not A", m, n)
		}
	}
	if got := impl.plans.Count(); got != keptPlans {
		t.Errorf("%d plans are kept", got)
	}
}

// TestSVDNotFinite solves a matrix with a NaN or an infinity. The result `ok` must be false, and
// the reported error must have the row and the column of such an entry.
func TestSVDNotFinite(t *testing.T) {
	impl := always(t)
	for i, bad := range []float64{math.NaN(), math.Inf(-1), math.NaN()} {
		m := 5 - i%2 // for m = 4 the matrix is square
		a := general(m, 4, 4, rand.New(rand.NewPCG(5, 6)))
		a[3*4+1] = bad
		var reported error
		impl.Report = func(err error) { reported = err }
		s := []float64{7, 7, 7, 7}
		if values(impl, m, 4, a, 4, s) || !slices.Equal(s, []float64{7, 7, 7, 7}) {
			t.Errorf("%g: ok, or s was written to", bad)
		}
		if e, ok := reported.(*evd.NonFiniteError); !ok || e.Row != 3 || e.Col != 1 {
			t.Errorf("%g: reported %v", bad, reported)
		}
	}
}

// countedSVD is a fake plan for singular values: a countedPlan with the methods of such a plan.
type countedSVD struct{ *countedPlan }

func (p countedSVD) Solve(_ context.Context, a evd.Dense[float64]) (*svd.Result[float64], error) {
	return &svd.Result[float64]{Values: make([]float64, min(a.Rows, a.Cols))}, p.broken
}

// TestSVDPlans uses fake plans for singular values, on a fake device with memory for two plans. The
// crossover must apply to the smaller of rows and columns. If a solve fails, the result must be
// false. If a plan cannot be made, gonum must solve the matrix.
func TestSVDPlans(t *testing.T) {
	c := &counted{room: 2}
	impl := &Implementation{Crossover: Crossover{Singular: 4}}
	impl.plans.Most = keptPlans
	impl.plans.Make = func(j job) (plancache.Plan, error) {
		p, err := c.make(j)
		if err == nil && j.kind == singularValues {
			return countedSVD{p.(*countedPlan)}, nil
		}
		return p, err
	}
	call := func(m, n int) (ok, device bool) {
		a := make([]float64, m*n)
		a[0] = 1
		s := make([]float64, min(m, n))
		ok = values(impl, m, n, a, n, s)
		return ok, s[0] == 0
	}
	for _, shape := range [][2]int{{3, 9}, {4, 4}, {9, 3}, {4, 9}, {9, 4}, {30, 30}} {
		if ok, device := call(shape[0], shape[1]); !ok || device != (min(shape[0], shape[1]) >= 4) {
			t.Errorf("%v: ok %v, on the device %v", shape, ok, device)
		}
	}
	var reported error
	impl.Report = func(err error) { reported = err }
	c.broken = errors.New("device lost")
	if ok, _ := call(5, 5); ok || reported != c.broken {
		t.Errorf("a lost device: %v, %v", ok, reported)
	}
	impl.Close()
	c.room, c.broken = 0, nil
	var full *vk.OutOfMemoryError
	if ok, device := call(5, 6); !ok || device || !errors.As(reported, &full) {
		t.Errorf("no room: %v, on the device %v, %v", ok, device, reported)
	}
}

// BenchmarkDgesvd measures Dgesvd on the device and in gonum, for values without vectors and for
// all vectors.
func BenchmarkDgesvd(b *testing.B) {
	impl := always(b)
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{128, 256, 512, 1024, 2048} {
		for name, f := range map[string]testlapack.Dgesvder{"gonum": gonum.Implementation{}, "device": impl} {
			b.Run(fmt.Sprintf("vectors/n=%d/%s", n, name), func(b *testing.B) {
				given := general(n, n, n, r)
				a, s, work := make([]float64, n*n), make([]float64, n), make([]float64, 70*n)
				u, vt := make([]float64, n*n), make([]float64, n*n)
				call := func() {
					copy(a, given)
					f.Dgesvd(lapack.SVDAll, lapack.SVDAll, n, n, a, n, s, u, n, vt, n, work, len(work))
				}
				if f == testlapack.Dgesvder(impl) {
					call() // the first call makes the plan
				}
				for b.Loop() {
					call()
				}
			})
			b.Run(fmt.Sprintf("values/n=%d/%s", n, name), func(b *testing.B) {
				given := general(n, n, n, r)
				a, s, work := make([]float64, n*n), make([]float64, n), make([]float64, 70*n)
				call := func() {
					copy(a, given)
					f.Dgesvd(lapack.SVDNone, lapack.SVDNone, n, n, a, n, s, nil, 1, nil, 1, work, len(work))
				}
				if f == testlapack.Dgesvder(impl) {
					call() // the first call makes the plan
				}
				for b.Loop() {
					call()
				}
			})
		}
	}
}
