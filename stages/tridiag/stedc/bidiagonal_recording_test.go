package stedc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/bidiagonal"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// bidiagonalNumbers is a bidiagonal.Backend that prints the recordings (lists of device commands)
// of a solve, and does not execute them. The numerical results come from `host`, the back end in
// plain Go.
type bidiagonalNumbers struct {
	run  bidiagonalRun
	host *bidiagonal.Host
	text strings.Builder
}

// newBidiagonalNumbers prepares a solve for left and right singular vectors, without a device.
func newBidiagonalNumbers(t *testing.T, n int, tune Tables) *bidiagonalNumbers {
	t.Helper()
	dev := roomtest.Dry()
	ops, err := product.New[float64](dev, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewBidiagonalConquer(dev, n, ops, tune.Products, tune.DivideConquer)
	if err != nil {
		t.Fatal(err)
	}
	st, wt := vk.Reserve[float64]("S", n*n), vk.Reserve[float64]("W", n*n)
	ws, err := dev.NewArena(vk.Together(st, wt, s.Work(), ops.Work()))
	if err != nil {
		t.Fatal(err)
	}
	run := s.newRun(context.Background(), ws, 0, n, stages.NewMatrix(st.In(ws), n, n, n), stages.NewMatrix(wt.In(ws), n, n, n))
	b := &bidiagonalNumbers{host: bidiagonal.NewHost(n), run: run}
	b.run.printTo(t, &b.text)
	return b
}

func (b *bidiagonalNumbers) Leaves(tree dc.Tree, d, e []float64, rows dc.Rows) error {
	if err := b.run.Leaves(tree, d, e, rows); err != nil {
		return err
	}
	return b.host.Leaves(tree, d, e, rows)
}

func (b *bidiagonalNumbers) Roots(merges []*bidiagonal.Merge) error {
	if err := b.run.Roots(merges); err != nil {
		return err
	}
	return b.host.Roots(merges)
}

func (b *bidiagonalNumbers) Vectors(levels [][]*bidiagonal.Merge, order []int32) error {
	return b.run.Vectors(levels, order)
}

// TestBidiagonalConquerRecording compares the recorded commands of a solve with a golden file. The
// bidiagonal matrix C splits into two blocks. The block of 31 rows has a last merge that writes to
// the result, and its products are recorded one by one. The other block has 14 rows. The couplings
// (the elements of e) are so weak that some columns deflate. No number is close to the limit of
// deflation, so other rounding errors would not change the golden file.
func TestBidiagonalConquerRecording(t *testing.T) {
	const n = 45
	d, e := make([]float64, n), make([]float64, n-1)
	for i := range d {
		d[i] = 1 + float64(i%7)
	}
	for i := range e {
		e[i] = 1e-4
	}
	e[30] = 0
	tune := SmallestTuning()
	b := newBidiagonalNumbers(t, n, tune)
	opt := bidiagonal.Options{LeafSize: tune.DivideConquer.Leaf, To: n}
	if _, err := bidiagonal.SolveWith(b, d, e, opt); err != nil {
		t.Fatal(err)
	}
	stagetest.Golden(t, "bidiagonal_conquer.golden", b.text.String())
}

// TestBidiagonalConquerProgress checks that the reported progress of a solve grows with each level
// of merges, for left and for right vectors.
func TestBidiagonalConquerProgress(t *testing.T) {
	const n = 40
	d, e := stagetest.RandomTridiagonal(n, 4)
	tune := SmallestTuning()
	b := newBidiagonalNumbers(t, n, tune)
	opt := bidiagonal.Options{LeafSize: tune.DivideConquer.Leaf, To: n}
	if _, err := bidiagonal.SolveWith(b, d, e, opt); err != nil {
		t.Fatal(err)
	}
	var seen []float64
	for _, line := range strings.Split(b.text.String(), "\n") {
		var done, total float64
		if _, err := fmt.Sscanf(line, "phase "+stages.PhaseBidiagonal+" %g/%g", &done, &total); err == nil && total > 0 {
			seen = append(seen, done/total)
		}
	}
	distinct := slices.Compact(slices.Clone(seen))
	if len(distinct) < 8 || !slices.IsSorted(seen) || seen[0] != 0 || !(distinct[len(distinct)-1] >= 0.55) {
		t.Errorf("progress %v", seen)
	}
}
