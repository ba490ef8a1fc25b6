package batch_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
)

// named is a test matrix of order n together with its name. `full` stores both triangles.
type named struct {
	name string
	n    int
	full []float64
}

// sample returns test matrices of the orders 0 to `most`, these included. Each order has some of
// the kinds of package matgen, and each kind has several orders. With VKEVD_BATCH_KINDS=all, each
// order has all kinds.
func sample(most int) (all []named) {
	for i, kind := range matgen.Dense() {
		for n := range most + 1 {
			if (i+n)%16 == 0 || os.Getenv("VKEVD_BATCH_KINDS") == "all" {
				all = append(all, named{fmt.Sprintf("%s, n = %d", kind.Name(), n), n, kind.Dense(n)})
			}
		}
	}
	return all
}

// symmetric returns the matrix for Solve, with only the entries of the triangle `uplo`. The other
// triangle is NaN, so that a test fails if Solve reads it.
func (m named) symmetric(uplo evd.Uplo) evd.Sym[float64] {
	a := slices.Clone(m.full)
	for j := range m.n {
		for i := range m.n {
			if uplo == evd.Upper && i > j || uplo == evd.Lower && i < j {
				a[i+j*m.n] = math.NaN()
			}
		}
	}
	return evd.NewSym(m.n, a, uplo)
}

func newPlan(t testing.TB, n, count int, opt batch.Options) *batch.Plan[float64] {
	t.Helper()
	p, err := batch.NewPlan[float64](stagetest.Device(t), n, count, opt)
	return ready(t, p, err)
}

// ready returns the plan p, which is closed at the end of the test, or ends the test with the error.
func ready[P interface{ Close() }](t testing.TB, p P, err error) P {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func solve(t testing.TB, p *batch.Plan[float64], a ...evd.Sym[float64]) *batch.Result[float64] {
	t.Helper()
	res, err := p.Solve(context.Background(), a)
	return solved(t, res, err)
}

// solved returns the result, or ends the test with the error.
func solved[T batch.Number](t testing.TB, res *batch.Result[T], err error) *batch.Result[T] {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// worst returns the larger one of LAPACK's two error ratios of the spectrum s, those of the
// residual and of the orthogonality. It returns +Inf if s has an error, unsorted values, or a wrong
// number of vectors.
func (m named) worst(s batch.Spectrum[float64]) float64 {
	cols := len(s.Values)
	if s.Err != nil || !slices.IsSorted(s.Values) || s.Vectors.Cols != cols {
		return math.Inf(1)
	}
	return max(ratio.Residual(m.n, cols, m.full, m.n, s.Values, s.Vectors.Data, s.Vectors.Ld),
		ratio.Orthogonality(m.n, cols, s.Vectors.Data, s.Vectors.Ld))
}

// conquering returns the tuning table of the device, changed so that divide and conquer solves all
// matrices that are too large for shared memory.
func conquering(t testing.TB) *tuning.Tuning {
	t.Helper()
	tune := tuning.On(stagetest.Device(t).Info())
	tune.Batch.Memory = slices.Clone(tune.Batch.Memory)
	for i := range tune.Batch.Memory {
		tune.Batch.Memory[i].Conquer = true
	}
	return &tune
}

// TestEveryOrder solves one batch with matrices of all orders up to 130. It checks LAPACK's error
// ratios of the vectors, and the signs of the vectors. It also compares the eigenvalues of a plan
// with vectors with those of a plan without vectors.
func TestEveryOrder(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	everyOrder(t, nil, 130, sample(130))
}

// TestEveryOrderByDivideAndConquer is TestEveryOrder for the orders above 16, but divide and
// conquer solves all matrices that are too large for shared memory. On a CPU it solves a third of
// the matrices. On a GPU it also solves matrices of orders up to 512.
func TestEveryOrderByDivideAndConquer(t *testing.T) {
	most, tune := 130, conquering(t)
	var all []named
	for i, m := range sample(130) {
		if m.n > 16 && (i%3 == 0 || stagetest.Info().Type != "cpu") {
			all = append(all, m)
		}
	}
	if stagetest.Info().Type != "cpu" {
		most = tune.Batch.Order()
		kinds := matgen.Dense()
		for i, n := range []int{191, 192, 193, 255, 256, 257, 300, 383, 384, 385, 511, 512} {
			for k := i; k < len(kinds) && n <= most; k += 6 {
				all = append(all, named{fmt.Sprintf("%s, n = %d", kinds[k].Name(), n), n, kinds[k].Dense(n)})
			}
		}
	}
	everyOrder(t, tune, most, all)
}

// everyOrder is TestEveryOrder with the given tuning and matrices of order `most` or less.
func everyOrder(t *testing.T, tune *tuning.Tuning, most int, all []named) {
	var a []evd.Sym[float64]
	for i, m := range all {
		a = append(a, m.symmetric(i%2 == 0))
	}
	vectors := solve(t, newPlan(t, most, 200, batch.Options{Vectors: true, Tuning: tune}), a...)
	values := solve(t, newPlan(t, most, len(all), batch.Options{Tuning: tune}), a...)
	ratios := make([][2]float64, len(all))
	var wait sync.WaitGroup
	for i, m := range all {
		wait.Go(func() {
			s, norm := vectors.Spectra[i], 0.0
			for _, x := range s.Values {
				norm = max(norm, math.Abs(x))
			}
			ratios[i] = [2]float64{m.worst(s), ratio.Values(m.n, values.Spectra[i].Values, s.Values, norm)}
		})
	}
	wait.Wait()
	worst := [2]float64{}
	for i, r := range ratios {
		if !(max(r[0], r[1]) < 10) {
			t.Errorf("%s: ratios %.3g, of values alone %.3g, %v", all[i].name, r[0], r[1], vectors.Spectra[i].Err)
		}
		worst[0], worst[1] = max(worst[0], r[0]), max(worst[1], r[1])
		checkSigns(t, all[i].name, vectors.Spectra[i].Vectors)
	}
	t.Logf("%d matrices: largest ratio %.3g, of values alone %.3g", len(all), worst[0], worst[1])
}

// checkSigns fails the test if the first component of largest magnitude of a vector is negative or
// NaN.
func checkSigns(t *testing.T, name string, v *evd.Dense[float64]) {
	t.Helper()
	for j := range v.Cols {
		largest := 0.0
		for _, x := range v.Col(j) {
			if math.Abs(x) > math.Abs(largest) || math.IsNaN(x) {
				largest = x
			}
		}
		if !(largest >= 0) {
			t.Errorf("%s: vector %d has the wrong sign", name, j)
			return
		}
	}
}

func ofSeveralOrders() (a []evd.Sym[float64]) {
	for k, n := range []int{1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 20, 21, 33, 64, 65, 70} {
		kind := matgen.Dense()[k*3]
		a = append(a, named{n: n, full: kind.Dense(n)}.symmetric(k%2 == 0))
	}
	return a
}

// TestSameBits solves each matrix alone, and in batches of two, of three, and of all matrices. It
// uses the usual tuning of the device, the smallest one, and one with divide and conquer. The bits
// of each result must always be the same.
func TestSameBits(t *testing.T) {
	when.Skip(t, when.Quick, "TestTridiagonalsSameBits")
	when.Pick(t, when.Race|when.GPUAV)
	smallest := tuning.Smallest()
	for _, tune := range []*tuning.Tuning{nil, &smallest, conquering(t)} {
		for _, vectors := range []bool{true, false} {
			a := ofSeveralOrders()
			p := newPlan(t, 70, len(a), batch.Options{Vectors: vectors, Tuning: tune})
			together := solve(t, p, a...)
			same(t, "a second time", together.Spectra, solve(t, p, a...).Spectra)
			for size := 1; size <= 3; size++ {
				for k := 0; k+size <= len(a); k += size {
					same(t, fmt.Sprintf("matrices %d to %d alone", k, k+size), together.Spectra[k:k+size], solve(t, p, a[k:k+size]...).Spectra)
				}
			}
			slices.Reverse(a)
			back := solve(t, p, a...).Spectra
			slices.Reverse(back)
			same(t, "in reverse order", together.Spectra, back)
		}
	}
}

// TestBitsInALargeBatch solves matrices in a batch of 1000. The bits of each result must be those
// in a small batch.
func TestBitsInALargeBatch(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	for _, vectors := range []bool{true, false} {
		a := ofSeveralOrders()
		few := solve(t, newPlan(t, 70, len(a), batch.Options{Vectors: vectors}), a...).Spectra
		many := slices.Repeat(a, 1000/len(a)+1)[:1000]
		large := newPlan(t, 70, len(many), batch.Options{Vectors: vectors})
		for k, s := range solve(t, large, many...).Spectra {
			same(t, "in a batch of 1000", few[k%len(a):][:1], []batch.Spectrum[float64]{s})
		}
	}
}

// same fails the test if two lists of results differ in a bit, or if one of them has an error.
func same(t *testing.T, what string, x, y []batch.Spectrum[float64]) {
	t.Helper()
	for k := range x {
		if x[k].Err != nil || y[k].Err != nil || !slices.Equal(x[k].Values, y[k].Values) {
			t.Errorf("%s: values of number %d differ, %v, %v", what, k, x[k].Err, y[k].Err)
		}
		if x[k].Vectors != nil && !slices.Equal(x[k].Vectors.Data, y[k].Vectors.Data) {
			t.Errorf("%s: vectors of number %d differ", what, k)
		}
	}
}
