package gonumlapack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/plancache"
	"github.com/vkevd/vkevd/vk"
)

// counted is a fake device. It has memory for a limited number of plans, and its plans solve
// nothing.
type counted struct {
	room, open int
	made       []string
	broken     error // the error that solve returns
}

type countedPlan struct {
	*counted
	closed bool
}

func (c *counted) make(j job) (plancache.Plan, error) {
	if c.open == c.room {
		return nil, &vk.OutOfMemoryError{What: "plan", Need: 1}
	}
	c.open++
	c.made = append(c.made, fmt.Sprint(j.cols, j.kind == eigenvectors))
	return &countedPlan{counted: c}, nil
}

func (p *countedPlan) Solve(_ context.Context, a evd.Sym[float64]) (*evd.Result[float64], error) {
	if p.closed {
		panic("use of a closed plan")
	}
	return &evd.Result[float64]{Values: make([]float64, a.N)}, p.broken
}

func (p *countedPlan) Bytes() uint64 { return 0 }

func (p *countedPlan) Close() {
	if p.closed {
		panic("closed twice")
	}
	p.closed = true
	p.open--
}

func on(c *counted) *Implementation {
	impl := &Implementation{}
	impl.plans.Most, impl.plans.Make = keptPlans, c.make
	return impl
}

// call asks Dsyev for the eigenvalues of the matrix diag(n, …, 1). It returns the result `ok` of
// Dsyev and the first value. This value is 0 if a fake plan (counted) got the matrix, and 1 if
// gonum solved it.
func call(impl *Implementation, n int, jobz lapack.EVJob) (ok bool, first float64) {
	a, w, work := make([]float64, n*n), make([]float64, n), make([]float64, 3*n)
	for i := range n {
		a[i*n+i] = float64(n - i)
	}
	ok = impl.Dsyev(jobz, blas.Upper, n, a, n, w, work, len(work))
	return ok, w[0]
}

func TestPlansAreKept(t *testing.T) {
	c := &counted{room: 100}
	impl := on(c)
	for _, n := range []int{2, 3, 2, 4, 5, 6, 3, 2} { // at 6 the least recent, 3, goes; then 2
		call(impl, n, lapack.EVNone)
	}
	call(impl, 2, lapack.EVCompute)
	want := []string{"2 false", "3 false", "4 false", "5 false", "6 false", "3 false", "2 false", "2 true"}
	if !slices.Equal(c.made, want) {
		t.Errorf("made %q, not %q", c.made, want)
	}
	if c.open != keptPlans {
		t.Errorf("%d plans hold memory, not %d", c.open, keptPlans)
	}
	impl.Close()
	if c.open != 0 {
		t.Errorf("%d plans hold memory after Close", c.open)
	}
}

// TestFullDevice makes plans until the device's memory is full of unused plans that were kept. A
// further plan must close kept plans to get memory. If the memory is still too small, gonum must
// solve the matrix.
func TestFullDevice(t *testing.T) {
	c := &counted{room: 2}
	impl := on(c)
	var reported []error
	impl.Report = func(err error) { reported = append(reported, err) }
	for n := 2; n < 8; n++ {
		if ok, first := call(impl, n, lapack.EVNone); !ok || first != 0 || reported != nil {
			t.Errorf("n = %d: %v, %g, %v", n, ok, first, reported)
		}
	}
	impl.Close()
	c.room = 0
	if ok, first := call(impl, 3, lapack.EVCompute); !ok || first != 1 || len(reported) != 1 {
		t.Errorf("no room at all: %v, %g, %v", ok, first, reported)
	}
}

// TestDeviceFails makes the fake device fail during a solve. Dsyev must return ok = false, the
// error must be reported, and the plan must be closed. After an error about the matrix the plan
// must stay open.
func TestDeviceFails(t *testing.T) {
	c := &counted{room: 9, broken: errors.New("device lost")}
	impl := on(c)
	var reported error
	impl.Report = func(err error) { reported = err }
	if ok, _ := call(impl, 3, lapack.EVCompute); ok || reported != c.broken || c.open != 0 {
		t.Errorf("%v, %v, %d plans open", ok, reported, c.open)
	}
	c.broken = &evd.NonFiniteError{}
	if ok, _ := call(impl, 3, lapack.EVCompute); ok || reported != c.broken || c.open != 1 {
		t.Errorf("not finite: %v, %v, %d plans open", ok, reported, c.open)
	}
}

// TestCrossover checks that gonum solves the matrices below the crossover, and no others. It also
// checks CrossoverFor for several devices.
func TestCrossover(t *testing.T) {
	c := &counted{room: 9}
	impl := on(c)
	impl.Crossover = Crossover{Values: 5, Vectors: 3}
	for n := range 8 {
		if n == 0 {
			continue
		}
		for jobz, from := range map[lapack.EVJob]int{lapack.EVNone: 5, lapack.EVCompute: 3} {
			if _, first := call(impl, n, jobz); (first == 0) != (n >= from) {
				t.Errorf("n = %d, %c: first value %g", n, jobz, first)
			}
		}
	}
	nvidia := Crossover{Values: 192, Vectors: 128, Singular: 512, SingularVectors: 256}
	for info, want := range map[[2]string]Crossover{
		{"unheard of", ""}: {512, 256, 1024, 512}, {"nvidia", ""}: nvidia, {"cpu", "llvmpipe"}: {1024, 512, 4096, 1024},
		{"nvidia", "NVIDIA H200"}: {96, 96, 512, 256}, {"nvidia", "NVIDIA GH200 480GB"}: nvidia, // its CPU was not measured
	} {
		if x := CrossoverFor(vk.Info{Family: info[0], Name: info[1]}); x != want {
			t.Errorf("%q: %+v, want %+v", info, x, want)
		}
	}
	var _ lapack.Float64 = gonum.Implementation{}
}

// TestWithoutFloat64 checks that gonum solves all problems if the device has no double precision,
// and that the reason is reported.
func TestWithoutFloat64(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Without: []string{"shaderFloat64"}})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	impl := New(dev)
	defer impl.Close()
	impl.Crossover = Crossover{}
	var reported error
	impl.Report = func(err error) { reported = err }
	a := []float64{2, 1, 1, 2}
	w, work := make([]float64, 2), make([]float64, 6)
	ok := impl.Dsyev(lapack.EVCompute, blas.Lower, 2, a, 2, w, work, len(work))
	var unsupported *vk.UnsupportedError
	if !ok || !(math.Abs(w[0]-1)+math.Abs(w[1]-3) <= 1e-14) || !errors.As(reported, &unsupported) || unsupported.Feature != "shaderFloat64" {
		t.Errorf("%v, values %v, reported %v", ok, w, reported)
	}
}
