package stedc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// hostNumbers is a dc.WholeBackend that prints the recordings (lists of device commands) of a
// solve, and does not execute them. The numerical results come from `host`, the back end in plain
// Go.
type hostNumbers struct {
	run  *divideConquerRun
	host dc.Rounds
	text strings.Builder
}

// newHostNumbers prepares a solve without a device. If `vectors` is true, the solve also forms
// eigenvectors.
func newHostNumbers(t *testing.T, n int, vectors bool, tune Tables) *hostNumbers {
	t.Helper()
	dev := roomtest.Dry()
	s, ops, err := newDivideConquer(dev, n, tune)
	if err != nil {
		t.Fatal(err)
	}
	x := vk.Reserve[float64]("X", n*n)
	ws, err := dev.NewArena(vk.Together(x, s.Work(), ops.Work()))
	if err != nil {
		t.Fatal(err)
	}
	b := &hostNumbers{host: dc.Rounds{Backend: dc.NewHost(n)}, run: newDivideConquerRun(context.Background(), ws, &s.values)}
	if vectors {
		b.run.vectors = &vectorsRun{pass: &s.Vectors, values: s.values.pass, ws: ws,
			xt: stages.NewMatrix(x.In(ws), n, n, max(n, 1)), turns: 1, deflated: true}
	}
	b.run.printTo(t, &b.text)
	return b
}

// printTo replaces the execution of a solve's recordings: they are printed to `text` and not
// executed. The test fails if a dispatch has no estimate of its cost.
func (r *recordings) printTo(t *testing.T, text *strings.Builder) {
	r.execute = func(_ context.Context, rec *vk.Recorder, _ func(vk.Progress)) (*vk.Profile, error) {
		text.WriteString("run\n")
		for i, cost := range rec.Estimates() {
			if !(cost > 0) {
				t.Errorf("dispatch %d of a recording has no estimate of its cost", i)
			}
		}
		_, err := rec.WriteTo(text)
		return vk.NewProfile(), err
	}
}

// Values returns the results of the back end in plain Go. It also calls the device's back end, but
// only to print its recording: nothing is executed, so the device's back end receives zeros instead
// of results.
func (b *hostNumbers) Values(tree dc.Tree, d, e []float64, order []int32) ([][]*dc.Merge, error) {
	if _, err := b.run.Values(tree, slices.Clone(d), e, order); err != nil {
		return nil, err
	}
	return b.host.Values(tree, d, e, order)
}

func (b *hostNumbers) Vectors(levels [][]*dc.Merge, order []int32) error {
	return b.run.Vectors(levels, order)
}

// TestDivideConquerRecording compares the recorded commands of divide and conquer with golden
// files. T splits into two blocks. The block of 31 rows has a last merge that writes to the result,
// and its products are recorded one by one. The other block has 14 rows. The couplings (the
// elements of e) are so weak that some columns deflate. No number is close to the limit of
// deflation, so other rounding errors would not change the golden files.
func TestDivideConquerRecording(t *testing.T) {
	const n = 45
	d, e := make([]float64, n), make([]float64, n-1)
	for i := range d {
		d[i] = float64(i % 7)
	}
	for i := range e {
		e[i] = 1e-4
	}
	e[30] = 0
	for name, vectors := range map[string]bool{"divide_conquer_values.golden": false, "divide_conquer.golden": true} {
		b := newHostNumbers(t, n, vectors, SmallestTuning())
		leaf := SmallestTuning().DivideConquer.Leaf
		if _, err := dc.SolveOn(b, d, e, dc.Options{LeafSize: leaf, ValuesOnly: !vectors}); err != nil {
			t.Fatal(err)
		}
		stagetest.Golden(t, name, b.text.String())
	}
}

// TestDivideConquerProgress checks that the reported progress grows with each level of merges while
// eigenvectors are formed.
func TestDivideConquerProgress(t *testing.T) {
	const n = 40
	d, e := stagetest.RandomTridiagonal(n, 4)
	b := newHostNumbers(t, n, true, SmallestTuning())
	if _, err := dc.SolveOn(b, d, e, dc.Options{LeafSize: SmallestTuning().DivideConquer.Leaf}); err != nil {
		t.Fatal(err)
	}
	var seen []float64
	text := b.text.String()
	for _, line := range strings.Split(text[strings.LastIndex(text, "run\n"):], "\n") {
		var done, total float64
		if _, err := fmt.Sscanf(line, "phase "+stages.PhaseTridiagonal+" %g/%g", &done, &total); err == nil && total > 0 {
			if !(done >= 0 && done < total) || len(seen) > 0 && !(done/total >= seen[len(seen)-1]) {
				t.Errorf("%g of %g after %v", done, total, seen)
			}
			seen = append(seen, done/total)
		}
	}
	// The last merge reports no progress. If no column is deflated, the cost of the last merge is
	// three quarters of the total.
	distinct := slices.Compact(slices.Clone(seen))
	if last := distinct[len(distinct)-1]; len(distinct) < 4 || !(last >= 0.15 && last <= 0.5) {
		t.Errorf("progress %v", seen)
	}
}
