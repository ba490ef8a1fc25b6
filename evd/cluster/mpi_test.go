//go:build elpa

package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/matio"
)

// underMPI is a variable that Open MPI's mpirun sets in every process that it starts.
const underMPI = "OMPI_COMM_WORLD_SIZE"

// TestMain runs the tests. If mpirun started this process, TestMain runs the function `job`, in the
// main goroutine, as one process of the MPI job. Otherwise it runs the usual tests, and TestJobs
// starts such jobs.
func TestMain(m *testing.M) {
	if os.Getenv(underMPI) == "" {
		os.Exit(m.Run())
	}
	runtime.LockOSThread()
	os.Exit(job())
}

// TestJobs starts MPI jobs with 1, 3 and 4 processes. Each job solves all test problems. 3
// processes form no square grid. Some matrices have fewer blocks than the job has processes.
func TestJobs(t *testing.T) {
	for _, engine := range []Engine{ELPA, ScaLAPACK} {
		for _, processes := range []int{1, 3, 4} {
			t.Run(fmt.Sprintf("%s/%d", engine, processes), func(t *testing.T) {
				cmd := exec.Command("mpirun", "--oversubscribe", "-n", fmt.Sprint(processes), os.Args[0])
				cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMP_NUM_THREADS=1",
					"OPENBLAS_NUM_THREADS=1", "CLUSTER_ENGINE="+string(engine), "CLUSTER_FOLDER="+t.TempDir())
				out, err := cmd.CombinedOutput()
				if err != nil || !strings.Contains(string(out), "all cases passed") {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

// testSource is a matrix for tests: a Source whose elements are computed by a function.
type testSource struct {
	n  int
	at func(i, j int) float64
}

func (s testSource) Order() int { return s.n }
func (s testSource) ReadColumns(dst []float64, from, to int) error {
	for j := from; j < to; j++ {
		for i := range s.n {
			x := s.at(i, j)
			if x == unreadable {
				return errors.New("unreadable")
			}
			dst[(j-from)*s.n+i] = x
		}
	}
	return nil
}

// unreadable is an element that cannot be read, for tests. A testSource with such an element
// returns an error.
const unreadable = 12345.5

// job is the work of one process of an MPI job. It returns the exit status.
func job() int {
	w, err := Start(Engine(os.Getenv("CLUSTER_ENGINE")))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	failed := 0
	if err := oneFails(w); err != nil {
		fmt.Printf("rank %d: one process fails: %v\n", w.Rank(), err)
		failed = 1
	}
	for _, c := range cases() {
		if err := c.run(w); err != nil {
			fmt.Printf("rank %d: n = %d, %s: %v\n", w.Rank(), c.n, c.name, err)
			failed = 1
		}
	}
	x := []float64{float64(failed)}
	w.all.largest(x)
	if w.Rank() == 0 && x[0] == 0 {
		fmt.Println("all cases passed")
	}
	w.Close()
	return failed
}

// oneFails tests an error of one process. The last process cannot read the matrix, because its
// Source returns an error. This process must return the error of the Source. All other processes
// must return a *ProcessError.
func oneFails(w *World) error {
	last := w.Size() - 1
	source := testSource{200, random}
	if w.Rank() == last {
		source.at = func(i, j int) float64 { return unreadable }
	}
	_, err := Solve(context.Background(), w, source, Options{})
	var heard *ProcessError
	switch {
	case err == nil:
		return errors.New("no error")
	case errors.As(err, &heard) != (w.Rank() != last):
		return fmt.Errorf("the error is %T %v", err, err)
	}
	return nil
}

type testCase struct {
	name string
	testSource
	opt  Options
	want error // a value of the type of the error, or nil
}

// random returns element (i, j) of a symmetric matrix with entries in (−1, 1).
func random(i, j int) float64 {
	if i < j {
		i, j = j, i
	}
	x := math.Sin(float64(i*7919+j*104729+1)) * 43758.5453
	return 2*(x-math.Floor(x)) - 1
}

func cases() []testCase {
	var all []testCase
	for _, n := range []int{0, 1, 2, 15, 16, 33, 100, 257} {
		s := testSource{n, random}
		check := Options{Vectors: true, Check: true}
		all = append(all,
			testCase{"values", s, Options{Check: true}, nil},
			testCase{"vectors", s, check, nil})
		for _, p := range []Part{Index(0, n/3), Index(n/3, n/2), Index(n-n/3, n), Interval(-1, 0.5), Interval(1e6, 2e6)} {
			c := check
			c.Select = p
			all = append(all, testCase{fmt.Sprint("part ", p), s, c, nil},
				testCase{fmt.Sprint("values of part ", p), s, Options{Select: p}, nil})
		}
	}
	s := testSource{120, random}
	scaled := func(exponent int) testSource {
		return testSource{120, func(i, j int) float64 { return math.Ldexp(random(i, j), exponent) }}
	}
	// These matrices have only one triangle. The elements of the other one are NaN, so the test
	// fails if Solve reads them.
	lower := testSource{120, func(i, j int) float64 {
		if i < j {
			return math.NaN()
		}
		return random(i, j)
	}}
	upper := testSource{120, func(i, j int) float64 { return lower.at(j, i) }}
	check := Options{Vectors: true, Check: true}
	set := func(change func(*Options)) Options { o := check; change(&o); return o }
	one := func(i, j int, x float64) testSource {
		return testSource{120, func(k, l int) float64 {
			if k == i && l == j {
				return x
			}
			return random(k, l)
		}}
	}
	rounding := testSource{120, func(i, j int) float64 {
		if i < j {
			return random(i, j) * (1 + 4*ulp)
		}
		return random(i, j)
	}}
	identity := testSource{100, func(i, j int) float64 {
		if i == j {
			return 1
		}
		return 0
	}}
	zero := testSource{100, func(i, j int) float64 { return 0 }}
	return append(all,
		testCase{"huge", scaled(1016), check, nil},
		testCase{"tiny", scaled(-1010), check, nil},
		testCase{"zero", zero, check, nil},
		testCase{"identity", identity, check, nil},
		testCase{"lower", lower, set(func(o *Options) { o.Triangle = Lower }), nil},
		testCase{"upper", upper, set(func(o *Options) { o.Triangle = Upper }), nil},
		testCase{"rounding", rounding, check, nil},
		testCase{"symmetrise", one(3, 90, 7), set(func(o *Options) { o.Symmetrize = true }), nil},
		testCase{"not symmetric", one(3, 90, 7), check, &NotSymmetricError{90, 3, math.Abs(random(90, 3) - 7)}},
		testCase{"NaN", one(70, 70, math.NaN()), check, &NonFiniteError{70, 70}},
		testCase{"Inf", one(0, 119, math.Inf(-1)), check, &NonFiniteError{119, 0}},
		testCase{"unreadable", one(5, 60, unreadable), check, errors.New("unreadable")},
		testCase{"bad part", s, Options{Select: Index(0, 121)}, &OptionError{"Select", "0:121 is not within 0:120"}},
	)
}

// run solves the problem of the test case. It compares the eigenvalues with gonum's. If vectors are
// wanted, the method `stored` also checks them.
func (c testCase) run(w *World) error {
	res, err := Solve(context.Background(), w, c.testSource, c.opt)
	if c.want != nil {
		text := c.want.Error()
		if err == nil || err.Error() != text && !strings.HasSuffix(err.Error(), ": "+text) {
			return fmt.Errorf("error %v, want %v", err, c.want)
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer res.Close()
	a := c.dense()
	norm, err := c.compare(res, a)
	if err = w.Agree(err); err != nil || !c.opt.Vectors {
		return err
	}
	return c.stored(w, res, a, norm)
}

// dense returns the symmetric matrix whose spectrum Solve should find. Which triangle counts
// depends on the options of the test case.
func (c testCase) dense() *mat.SymDense {
	a := mat.NewSymDense(max(1, c.n), nil)
	for i := range c.n {
		for j := range i + 1 {
			x := c.at(i, j)
			if c.opt.Triangle == Upper {
				x = c.at(j, i)
			} else if c.opt.Symmetrize {
				x = (x + c.at(j, i)) / 2
			}
			a.SetSym(i, j, x)
		}
	}
	return a
}

// compare compares the computed eigenvalues with those that gonum computes for the matrix a. It
// returns the largest magnitude of an eigenvalue that gonum has found, ‖a‖₂.
func (c testCase) compare(res *Solution, a *mat.SymDense) (norm float64, err error) {
	largest := max(mat.Max(a), -mat.Min(a))
	_, exponent := math.Frexp(largest)
	var unit mat.SymDense
	unit.ScaleSym(math.Ldexp(1, -exponent), a) // gonum panics for huge elements
	var e mat.EigenSym
	if !e.Factorize(&unit, false) {
		return 0, errors.New("gonum did not converge")
	}
	want := e.Values(nil)[:c.n]
	for i, x := range want {
		want[i] = math.Ldexp(x, exponent)
	}
	first, last := 0, c.n
	switch p := c.opt.Select; p.kind {
	case byIndex:
		first, last = p.from, p.to
	case byInterval:
		first, last = 0, 0
		for _, x := range want {
			if x <= p.a {
				first++
			}
			if x <= p.b {
				last++
			}
		}
	}
	if res.First != first || len(res.Values) != last-first {
		return 0, fmt.Errorf("values %d to %d, want %d to %d", res.First, res.First+len(res.Values), first, last)
	}
	for _, x := range want {
		norm = max(norm, math.Abs(x))
	}
	for i, x := range res.Values {
		if !(math.Abs(x-want[first+i]) <= 10*float64(c.n)*ulp*norm) {
			return 0, fmt.Errorf("value %d is %v, want %v", first+i, x, want[first+i])
		}
	}
	if r := res.Ratios; c.opt.Check && last > first {
		if r == nil {
			return 0, errors.New("no ratios")
		}
		if c.opt.Vectors && !(r.Residual < 10 && r.Orthogonality < 10) || !c.opt.Vectors && !(r.Trace < 10 && r.Squares < 10) {
			return 0, fmt.Errorf("ratios %+v", *r)
		}
	}
	return norm, nil
}

// stored writes the computed vectors to a file. Then every process reads the file and checks the
// residual and the norm of each vector.
func (c testCase) stored(w *World, res *Solution, a *mat.SymDense, norm float64) error {
	path := filepath.Join(os.Getenv("CLUSTER_FOLDER"), "Q.npy")
	if err := res.StoreNPY(path, c.n); err != nil {
		return err
	}
	q, err := matio.ReadFile(path)
	if err = w.Agree(err); err != nil {
		return err
	}
	if q.Rows != c.n || q.Cols != len(res.Values) {
		return fmt.Errorf("the file has %d by %d elements", q.Rows, q.Cols)
	}
	for k, value := range res.Values {
		v := mat.NewVecDense(c.n, q.Data[k*c.n:(k+1)*c.n])
		var r mat.VecDense
		r.MulVec(a, v)
		r.AddScaledVec(&r, -value, v)
		if off := mat.Norm(&r, 2); !(off <= 10*float64(c.n)*ulp*norm) {
			return fmt.Errorf("vector %d has the residual %.3g", k, off)
		}
		if length := mat.Norm(v, 2); !(math.Abs(length-1) <= 10*float64(c.n)*ulp) {
			return fmt.Errorf("vector %d has the norm %v", k, length)
		}
	}
	return w.Agree(nil)
}
