package mrrr

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// ratioLimit is the largest accepted value of LAPACK's ratios for residual and orthogonality.
// LAPACK's tests of dstemr have the same limit.
const ratioLimit = 60

// check solves a tridiagonal matrix by MRRR, and checks all properties of the result that can be
// checked without another solver.
func check(t *testing.T, name string, d, e []float64, opt Options) (values []float64, r result) {
	t.Helper()
	n := len(d)
	dIn, eIn := slices.Clone(d), slices.Clone(e)
	values, z, c, err := Solve(d, e, opt)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil, r
	}
	if !slices.Equal(d, dIn) || !slices.Equal(e, eIn) {
		t.Errorf("%s: the input was changed", name)
	}
	opt = opt.defaults(n)
	m := opt.To - opt.From
	if len(values) != m || len(z) != n*m || !slices.IsSorted(values) {
		t.Errorf("%s: %d values, %d elements of Z, ascending %v", name, len(values), len(z), slices.IsSorted(values))
		return values, r
	}
	r.counters = c
	r.residual = ratio.TridiagonalResidual(d, e, values, z, max(n, 1))
	r.orthogonality = ratio.Orthogonality(n, m, z, max(n, 1))
	if !(r.residual < ratioLimit && r.orthogonality < ratioLimit) {
		t.Errorf("%s: residual %.3g, orthogonality %.3g, %+v", name, r.residual, r.orthogonality, c)
	}
	method := "mrrr"
	if c.Fallback > 0 {
		method = "dc"
	}
	width := ratio.Within(method) * ratio.Ulp * ratio.NormTridiagonal(d, e)
	if err := ratio.SturmRange(d, e, opt.From, values, width); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return values, r
}

type result struct {
	residual, orthogonality float64
	counters                Counters
}

func (r *result) worst(x result) {
	r.residual, r.orthogonality = max(r.residual, x.residual), max(r.orthogonality, x.orthogonality)
	r.counters.Depth = max(r.counters.Depth, x.counters.Depth)
	r.counters.Blocks += x.counters.Blocks
	r.counters.Clusters += x.counters.Clusters
	r.counters.Retried += x.counters.Retried
	r.counters.Fallback += x.counters.Fallback
}

func (r result) String() string {
	return fmt.Sprintf("residual %.3g, orthogonality %.3g, %+v", r.residual, r.orthogonality, r.counters)
}

func TestMRRRSmall(t *testing.T) {
	for _, f := range suite.Families {
		var worst result
		for n := 0; n <= 64; n++ {
			d, e := f.Make(n)
			_, r := check(t, fmt.Sprintf("%s n=%d", f.Name, n), d, e, Options{})
			worst.worst(r)
		}
		t.Logf("%s: %v", f.Name, worst)
	}
}

func TestMRRRLarger(t *testing.T) {
	for _, f := range suite.Families {
		for _, n := range []int{127, 128, 129} {
			d, e := f.Make(n)
			_, r := check(t, fmt.Sprintf("%s n=%d", f.Name, n), d, e, Options{})
			t.Logf("%s n=%d: %v", f.Name, n, r)
		}
	}
}

// TestMRRRThousand solves random matrices, and fifty weakly coupled copies of Wilkinson's matrix, a
// classical difficult case. No cluster may need divide and conquer.
func TestMRRRThousand(t *testing.T) {
	when.Pick(t, when.Race)
	orders := []int{300}
	glues := []float64{1e-8}
	if os.Getenv("VKEVD_DATA") != "" {
		orders, glues = []int{300, 1000, 2000}, []float64{1e-14, 1e-8, 1e-3}
	}
	for _, n := range orders {
		d, e := suite.Random(n)
		_, r := check(t, fmt.Sprintf("random n=%d", n), d, e, Options{})
		t.Logf("random n=%d: %v", n, r)
		if r.counters.Fallback > 0 {
			t.Error("divide and conquer was needed")
		}
	}
	for _, glue := range glues {
		d, e := suite.Glued(1050, glue)
		_, r := check(t, fmt.Sprintf("glued %g", glue), d, e, Options{})
		t.Logf("glued %g: %v", glue, r)
		if r.counters.Fallback > 0 {
			t.Error("divide and conquer was needed")
		}
	}
}

// TestMRRRKinds solves the kinds of matrices of package matgen by MRRR. Some have elements near the
// ends of the range of doubles, some have off-diagonal elements so small that their squares
// underflow, and some have known eigenvalues.
func TestMRRRKinds(t *testing.T) {
	for _, kind := range matgen.Tridiagonals() {
		var worst result
		for _, n := range []int{1, 2, 3, 7, 50, 100} {
			d, e := kind.Tridiagonal(n)
			_, r := check(t, fmt.Sprintf("%s n=%d", kind.Name(), n), d, e, Options{})
			worst.worst(r)
		}
		t.Logf("%s: %v", kind.Name(), worst)
	}
}

// TestMRRRSplits solves a matrix with one or two zeros in the off-diagonal, which split the matrix
// into blocks, for all places of the zeros.
func TestMRRRSplits(t *testing.T) {
	const n = 16
	for i := range n - 1 {
		for j := i; j < n-1; j++ {
			d, e := suite.Random(n)
			e[i], e[j] = 0, 0
			_, r := check(t, fmt.Sprintf("split at %d and %d", i, j), d, e, Options{})
			if want := 2 + min(1, j-i); r.counters.Blocks != want {
				t.Errorf("split at %d and %d: %d blocks", i, j, r.counters.Blocks)
			}
		}
	}
}

// TestMRRRRanges solves for many ranges of eigenvalues, for matrices with clusters of eigenvalues.
// Many ranges divide a cluster. One matrix has one block, one has two, and one is solved with
// Distrust, so that divide and conquer finds all its vectors.
func TestMRRRRanges(t *testing.T) {
	const n = 42
	wilkinson := func() (d, e []float64) {
		return suite.Build(n, func(i int) float64 { return math.Abs(float64(i) - 20.5) },
			func(int) float64 { return 1 })
	}
	halves := func() (d, e []float64) { return suite.Glued(n, 0) }
	glued := func() (d, e []float64) { return suite.Glued(n, 1e-3) }
	for name, make := range map[string]func() (d, e []float64){"one block": wilkinson, "two blocks": halves,
		"glued": glued} {
		d, e := make()
		distrust := name == "glued"
		all, r := check(t, name, d, e, Options{Distrust: distrust})
		t.Logf("%s: %v", name, r)
		if (r.counters.Fallback == n) != distrust {
			t.Errorf("%s: divide and conquer found %d vectors", name, r.counters.Fallback)
		}
		for from := 0; from < n; from += 3 {
			for to := from + 1; to <= n; to += 4 {
				name := fmt.Sprintf("%s, [%d, %d)", name, from, to)
				values, _ := check(t, name, d, e, Options{From: from, To: to, Distrust: distrust})
				if diff := ratio.Values(n, values, all[from:to], ratio.NormTridiagonal(d, e)); !(diff < 2) {
					t.Errorf("%s: values differ by %g", name, diff)
				}
			}
		}
	}
}

func TestMRRRNonFinite(t *testing.T) {
	d, e := suite.Random(5)
	e[2] = math.NaN()
	_, _, _, err := Solve(d, e, Options{})
	var bad *tridiag.NonFiniteError
	if !errors.As(err, &bad) || bad.Row != 3 || bad.Col != 2 {
		t.Errorf("got %v", err)
	}
}

// liar is a back end of MRRR that calls `spoil` after the first `attempts` calls of Level that find
// vectors. `spoil` makes one of their results wrong.
type liar struct {
	*Host
	attempts int
	spoil    func(l *Level, b *Host)
}

func (b *liar) Level(l *Level) error {
	err := b.Host.Level(l)
	if len(l.Vectors) > 0 && b.attempts > 0 {
		b.attempts--
		b.spoil(l, b.Host)
	}
	return err
}

// TestMRRRCheck uses a back end that returns a wrong vector, value or residual. The solver must
// detect this, and must solve the block again by another attempt or by divide and conquer.
func TestMRRRCheck(t *testing.T) {
	const n = 40
	d, e := suite.Build(n, func(int) float64 { return 0 }, // Clement's: all are singletons of the root
		func(i int) float64 { return math.Sqrt(float64((i + 1) * (n - 1 - i))) })
	for name, spoil := range map[string]func(l *Level, b *Host){
		"two vectors the same": func(l *Level, b *Host) { copy(b.column(7), b.column(8)) },
		"a vector of NaN":      func(l *Level, b *Host) { b.column(3)[5] = math.NaN() },
		"slightly askew": func(l *Level, b *Host) {
			for i, x := range b.column(11) {
				b.column(12)[i] += 1e-12 * x
			}
		},
		"a wrong value":      func(l *Level, b *Host) { l.Lambda[5] += 1e-10 },
		"an honest residual": func(l *Level, b *Host) { l.Residual[5] = 1e-10 },
		"no residual":        func(l *Level, b *Host) { l.Residual[5] = math.NaN() },
	} {
		for attempts := range 3 {
			b := &liar{NewHost(n, n), attempts, spoil}
			values, counters, err := SolveWith(b, d, e, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if want := (Counters{Blocks: 1, Depth: 1, Retried: min(attempts, 1),
				Fallback: n * (attempts / 2)}); counters != want {
				t.Errorf("%s, %d times: %+v", name, attempts, counters)
			}
			r, o := ratio.TridiagonalResidual(d, e, values, b.z, n), ratio.Orthogonality(n, n, b.z, n)
			if !(r < ratioLimit && o < ratioLimit) {
				t.Errorf("%s, %d times: residual %.3g, orthogonality %.3g", name, attempts, r, o)
			}
		}
	}
}

// TestMRRRCollection solves the collection of tridiagonal matrices on which solvers have failed.
// The environment variable VKEVD_DATA names the folder of the collection.
func TestMRRRCollection(t *testing.T) {
	root := os.Getenv("VKEVD_DATA")
	files, _ := filepath.Glob(filepath.Join(root, "tridiag", "*.dat"))
	if root == "" || len(files) == 0 {
		t.Skip("no data in $VKEVD_DATA")
	}
	var all result
	for _, file := range files {
		name := filepath.Base(file)
		d, e := suite.ReadMatrix(t, file)
		if len(d) > suite.LargestFile {
			continue
		}
		values, r := check(t, name, d, e, Options{})
		t.Logf("%s n=%d: %v", name, len(d), r)
		all.worst(r)
		if want := suite.ReadNumbers(t, filepath.Join(root, "ref", "tridiag", name+".eig.txt")); want != nil {
			if diff := suite.Distance(d, e, values, want); !(diff < 10) {
				t.Errorf("%s: values are %.3g·n·ulp·‖T‖ off", name, diff)
			}
		}
	}
	t.Logf("all: %v", all)
}

// straying is a back end of MRRR that moves the interval of one eigenvalue of a cluster out of the
// cluster.
type straying struct{ *Host }

func (b straying) Level(l *Level) error {
	err := b.Host.Level(l)
	if len(l.Members) > 0 {
		l.MemberLo[0] -= 100
		l.MemberHi[0] -= 100
	}
	return err
}

// TestSolveNoticesAMemberThatLeavesItsCluster checks a representation L·D·Lᵀ that does not
// determine an eigenvalue of its cluster. The solver must give up this representation immediately:
// it may process no further level of the tree, and divide and conquer must find all vectors of the
// block.
func TestSolveNoticesAMemberThatLeavesItsCluster(t *testing.T) {
	const n = 21 // Wilkinson's matrix has pairs of close eigenvalues
	d, e := suite.Glued(n, 0)
	if _, _, c, err := Solve(d, e, Options{Attempts: 1}); err != nil || c.Depth != 2 || c.Fallback != 0 {
		t.Fatalf("%+v: nothing is tested (%v)", c, err)
	}
	b := NewHost(n, n)
	values, c, err := SolveWith(straying{b}, d, e, Options{Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	if c.Depth != 1 || c.Fallback != n {
		t.Errorf("%+v", c)
	}
	if r := ratio.TridiagonalResidual(d, e, values, b.z, n); !(r < ratioLimit) {
		t.Errorf("residual %g", r)
	}
}
