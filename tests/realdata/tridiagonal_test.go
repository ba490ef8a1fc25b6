package realdata

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/tests/testdata"
	"github.com/vkevd/vkevd/vk"
)

const (
	// usualTridiagonal is the largest order of tridiagonal matrices that the tests solve by all
	// solvers. If VKEVD_DATA is set, the value of VKEVD_DATA_MAX is used instead.
	usualTridiagonal = 64

	// onOneCore is the largest order for which the tests compute vectors by QR iteration, which
	// runs on one core of the host.
	onOneCore = 1000

	usualTridiagonals = 15 // smallest number of matrices with orders up to usualTridiagonal
)

// TestTridiagonals solves the tridiagonal matrices of a collection by every solver.
func TestTridiagonals(t *testing.T) {
	root, asked := testdata.Collection()
	if root == "" {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	most := usualTridiagonal
	if asked {
		most = largest(t)
	}
	all := slices.DeleteFunc(collection(t, root), func(s spectrum) bool {
		fits, _ := filepath.Match("tridiag/*.dat*", s.name)
		return !fits || len(s.want) > most
	})
	if most >= usualTridiagonal && len(all) < usualTridiagonals {
		t.Errorf("only %d matrices, there should be %d", len(all), usualTridiagonals)
	}
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	worst := map[string]*tridiagonalScores{}
	for _, s := range all {
		f, err := open(filepath.Join(root, filepath.FromSlash(s.name)))
		if err != nil {
			t.Fatal(err)
		}
		m, err := matio.ReadTridiagonal(f, s.name)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range evd.Solvers() {
			solver, _ := evd.ParseSolver(name)
			for _, vectors := range []bool{false, true} {
				if vectors && (!solver.Vectors() || solver == evd.QR && len(m.D) > onOneCore) {
					continue
				}
				label := fmt.Sprintf("%s, vectors %v", name, vectors)
				t.Run(s.name+"/"+label, func(t *testing.T) {
					got := everySolver(t, d, evd.Tridiagonal[float64]{D: m.D, E: m.E}, s.want, evd.Options{Solver: solver, Vectors: vectors})
					if worst[label] == nil {
						worst[label] = &tridiagonalScores{}
					}
					worst[label].add(got)
				})
			}
		}
	}
	for label, w := range worst {
		t.Logf("%-22s %3d solved; at worst values %.3g, certified to %.3g ulp·‖T‖, residual %.3g, orthogonality %.3g",
			label, w.count, w.values, w.certified, w.residual, w.orthogonality)
	}
}

// tridiagonalScores are the ratios of one matrix, or the largest ratios of many matrices. The ratio
// certified is in units of ulp·‖T‖.
type tridiagonalScores struct {
	count                                      int
	values, certified, residual, orthogonality float64
}

func (s *tridiagonalScores) add(o tridiagonalScores) {
	s.count++
	s.values, s.certified = max(s.values, o.values), max(s.certified, o.certified)
	s.residual, s.orthogonality = max(s.residual, o.residual), max(s.orthogonality, o.orthogonality)
}

// everySolver solves a tridiagonal matrix with the options `opt`. It compares the values with the
// reference values, and checks them with two implementations of Sturm counts, in evd and in
// evd/ratio. The method Check measures the vectors.
func everySolver(t *testing.T, d *vk.Device, m evd.Tridiagonal[float64], want []float64, opt evd.Options) (got tridiagonalScores) {
	t.Helper()
	ctx, n := context.Background(), m.N()
	p, err := evd.NewTridiagonalPlan[float64](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Solve(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	got.values = ratio.Values(n, res.Values, want, max(math.Abs(want[0]), math.Abs(want[n-1])))
	if !(got.values < good) {
		t.Errorf("values are off by %g·n·ε·‖T‖", got.values)
	}
	width := ratio.Within("bisection") // evd refines the values of other methods to this width
	if err := ratio.Sturm(m.D, m.E, res.Values, width*ratio.Ulp*ratio.NormTridiagonal(m.D, m.E)); err != nil {
		t.Error(err)
	}
	certified, err := p.Certify(ctx, m, res)
	got.certified = certified * float64(n)
	if err != nil || !(got.certified <= 4*width) {
		t.Errorf("certified to %g ulp·‖T‖, %v", got.certified, err)
	}
	if !opt.Vectors {
		return got
	}
	r, err := p.Check(ctx, m, res)
	got.residual, got.orthogonality = r.Residual, r.Orthogonality
	if err != nil || !(r.Residual < good && r.Orthogonality < good) {
		t.Errorf("%+v, %v", r, err)
	}
	return got
}
