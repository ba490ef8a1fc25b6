package realdata

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

const (
	// good is the limit of every ratio. LAPACK's own limit is evd.Threshold, which is larger.
	good = 10

	// onHost is the largest order whose results package evd/ratio measures on the host, because
	// this takes 4n³ operations of the CPU. For larger orders the method Check of package evd
	// measures the results on the device. Up to onHost, the test compares the results of both.
	onHost = 2000
)

// scores are the ratios of one matrix, or the largest ratios of many matrices.
type scores [len(scoreNames)]float64

const (
	values = iota
	valuesAlone
	residual
	orthogonality
)

var scoreNames = [...]string{
	values: "values", valuesAlone: "values without vectors", residual: "residual", orthogonality: "orthogonality",
}

// solveAll solves matrices in ascending order of their size, with and without vectors. It logs the
// largest error ratios of each family of matrices. If there are fewer than `fewest` matrices, the
// test fails, because a test without matrices would check nothing. `products` says how the products
// of the solves are computed.
func solveAll(t *testing.T, all []spectrum, fewest int, products evd.Products) {
	if len(all) < fewest {
		t.Errorf("only %d matrices, there should be %d", len(all), fewest)
	}
	slices.SortStableFunc(all, func(a, b spectrum) int { return cmp.Compare(len(a.want), len(b.want)) })
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	t.Logf("%s, %s %s", d.Info().Name, d.Info().Driver, d.Info().DriverVersion)

	opt := evd.Options{Products: products}
	if products == evd.ProductsEmulated { // all products, those of small matrices, too
		sizes := tuning.On(d.Info())
		sizes.Products.Emulated.Least = product.Shape{}
		opt.Tuning = &sizes
	}
	families := map[string]*tally{}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			began := time.Now()
			a, err := s.read(len(s.want))
			if err != nil {
				t.Fatal(err)
			}
			if err := belongs(a, s.want); err != nil {
				t.Fatal(err)
			}
			got := solve(t, d, a, s.want, opt)
			if families[s.family] == nil {
				families[s.family] = &tally{}
			}
			families[s.family].add(s.name, got, time.Since(began))
		})
	}
	for _, name := range slices.Sorted(maps.Keys(families)) {
		t.Logf("%s: %v", name, families[name])
	}
}

// solve solves one matrix with the options `opt` and returns its error ratios. A ratio that is too
// large fails the test.
func solve(t *testing.T, d *vk.Device, a *matio.Dense, want []float64, opt evd.Options) (got scores) {
	t.Helper()
	n := a.Rows
	norm := max(math.Abs(want[0]), math.Abs(want[n-1]))
	sym := evd.Sym[float64]{N: n, Ld: n, Data: a.Data, Uplo: evd.Lower}

	upper := sym // the other triangle
	upper.Uplo = evd.Upper
	alone := run(t, d, upper, opt, nil)
	got[valuesAlone] = ratio.Values(n, alone.Values, want, norm)
	opt.Vectors = true
	res := run(t, d, sym, opt, func(p *evd.Plan[float64], res *evd.Result[float64]) {
		got[residual], got[orthogonality] = measure(t, p, sym, res)
	})
	got[values] = ratio.Values(n, res.Values, want, norm)
	for i, x := range got {
		if !(x < good) {
			t.Errorf("order %d: ratio of %s is %g", n, scoreNames[i], x)
		}
	}
	return got
}

// run makes a plan, solves a matrix, and calls the function `then` with the plan. After that it
// closes the plan.
func run(t *testing.T, d *vk.Device, a evd.Sym[float64], opt evd.Options, then func(*evd.Plan[float64], *evd.Result[float64])) *evd.Result[float64] {
	t.Helper()
	p, err := evd.NewPlan[float64](d, a.N, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	if res.Retried != nil {
		t.Errorf("order %d was solved again: %v", a.N, res.Retried)
	}
	if then != nil {
		then(p, res)
	}
	return res
}

// measure returns two error ratios of a result, those of the residual and of the orthogonality.
func measure(t *testing.T, p *evd.Plan[float64], a evd.Sym[float64], res *evd.Result[float64]) (r, o float64) {
	t.Helper()
	own, err := p.Check(context.Background(), a, res)
	if err != nil {
		t.Fatal(err)
	}
	if a.N > onHost {
		return own.Residual, own.Orthogonality
	}
	z := res.Vectors
	r = ratio.Residual(a.N, a.N, a.Data, a.Ld, res.Values, z.Data, z.Ld)
	o = ratio.Orthogonality(a.N, a.N, z.Data, z.Ld)
	// The two measurements have rounding errors of their own. These are about as large as the
	// errors of a good solver, so the two results may differ by 1 plus half of the ratio.
	differ := func(x, y float64) bool { return !(math.Abs(x-y) <= 1+0.5*x) }
	if differ(r, own.Residual) || differ(o, own.Orthogonality) {
		t.Errorf("Check finds %+v, evd/ratio a residual of %g, orthogonality of %g", own, r, o)
	}
	return r, o
}

// belongs checks that the eigenvalues `want` belong to the matrix `a`. It compares two cheap sums:
// Σλ = Σa_ii and Σλ² = Σa_ij². A file that was read wrongly is then found here, and does not look
// like a defect of the solver.
func belongs(a *matio.Dense, want []float64) error {
	if len(want) == 0 || a.Rows != len(want) || !slices.IsSorted(want) {
		return fmt.Errorf("%d values, ascending %v, for order %d", len(want), slices.IsSorted(want), a.Rows)
	}
	if err := a.Symmetric(); err != nil {
		return err
	}
	var norm, trace, squares, allSquares float64
	for i, x := range want {
		norm = max(norm, math.Abs(x))
		trace += x - a.At(i, i)
		squares += x * x
	}
	for _, x := range a.Data {
		allSquares += x * x
	}
	const roundings = 1e-13
	if tolerance := roundings * float64(a.Rows); !(math.Abs(trace) <= tolerance*norm && math.Abs(squares-allSquares) <= tolerance*allSquares) {
		return fmt.Errorf("misread: Σλ − Σa_ii = %g, Σλ² = %g, Σa_ij² = %g", trace, squares, allSquares)
	}
	return nil
}

// A tally holds the largest value of each ratio, and the name of the matrix that had this value.
type tally struct {
	count int
	worst scores
	where [len(scoreNames)]string
	took  time.Duration
}

func (y *tally) add(name string, got scores, took time.Duration) {
	y.count++
	y.took += took
	for i, x := range got {
		if x >= y.worst[i] || math.IsNaN(x) {
			y.worst[i], y.where[i] = x, name
		}
	}
}

func (y *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d solved in %.1f s; at worst", y.count, y.took.Seconds())
	for i, name := range scoreNames {
		fmt.Fprintf(&b, ", %s %.3g (%s)", name, y.worst[i], y.where[i])
	}
	return b.String()
}
