package batch_test

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestRefusals compares the whole text of each refusal of a plan, and accepts the last value before
// each limit.
func TestRefusals(t *testing.T) {
	info := vk.Info{Name: "dry", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40}
	dev, other := vk.Dry(info), vk.Dry(info)
	var rows []stagetest.Refusal
	add := func(text string, call func() error) {
		rows = append(rows, stagetest.Refusal{Text: text, Call: call})
	}
	both := func(text string, n, count int, opt batch.Options) {
		add(text, func() error { _, err := batch.NewPlan[float64](dev, n, count, opt); return err })
		add(text, func() error { _, err := batch.NewTridiagonalPlan[float64](dev, n, count, opt); return err })
	}
	both("order -1 is negative", -1, 1, batch.Options{})
	both("", 0, 1, batch.Options{})
	both("option Select: an interval has another number of eigenvalues in each matrix", 4, 1, batch.Options{Select: evd.Interval(0, 1)})
	both("option count: must be at least 1", 4, 0, batch.Options{})
	both("option count: must be at least 1", 4, -1, batch.Options{})
	both("option count: must be at most 715827882 for order 3", 3, 715827883, batch.Options{})
	both("option Index: [2, 5) is not a range of 4 values", 4, 1, batch.Options{Select: evd.Index(2, 5)})
	both("", 4, 1, batch.Options{Select: evd.Index(0, 4)})
	both("option AtMost: only an interval needs a limit", 4, 1, batch.Options{Select: evd.Index(0, 1).AtMost(1)})
	both("option Devices: there is a nil device", 4, 1, batch.Options{Devices: []*vk.Device{nil}})
	both("option Devices: a device is twice in the list, or is the plan's first one", 4, 1, batch.Options{Devices: []*vk.Device{other, other}})
	both("", 4, 1, batch.Options{Devices: []*vk.Device{other}})
	most, lines := batch.MaxOrder(dev, batch.Options{}), batch.MaxTridiagonalOrder(dev, batch.Options{})
	add("order 513 is too large, at most 512", func() error { _, err := batch.NewPlan[float64](dev, most+1, 1, batch.Options{}); return err })
	add("", func() error { _, err := batch.NewPlan[float64](dev, most, 1, batch.Options{}); return err })
	add("order 513 is too large, at most 512", func() error {
		_, err := batch.NewTridiagonalPlan[float64](dev, lines+1, 1, batch.Options{})
		return err
	})
	add("", func() error { _, err := batch.NewTridiagonalPlan[float64](dev, lines, 1, batch.Options{}); return err })
	stagetest.Refusals(t, rows)
}

// TestSolvesRefuse compares the text of each refusal of a matrix or a result, by each method of
// both plans, also after Close. The bad matrix is the second of the batch.
func TestSolvesRefuse(t *testing.T) {
	ctx := context.Background()
	p := newPlan(t, 3, 2, batch.Options{Vectors: true, Select: evd.Index(0, 2)})
	plain := newPlan(t, 3, 2, batch.Options{})
	q, err := batch.NewTridiagonalPlan[float64](stagetest.Device(t), 3, 2, batch.Options{Vectors: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var rows []stagetest.Refusal
	add := func(text string, call func() error) {
		rows = append(rows, stagetest.Refusal{Text: text, Call: call})
	}
	good := evd.NewSym(3, []float64{1, 0, 0, 0, 2, 0, 0, 0, 3}, evd.Lower)
	line := evd.Tridiagonal[float64]{D: []float64{1, 2, 3}, E: []float64{1, 1}}
	dense, err := p.Solve(ctx, []evd.Sym[float64]{good, good})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := q.Solve(ctx, []evd.Tridiagonal[float64]{line, line})
	if err != nil {
		t.Fatal(err)
	}
	solves := func(text string, a evd.Sym[float64]) {
		all := []evd.Sym[float64]{good, a}
		add(text, func() error { _, err := p.Solve(ctx, all); return err })
		add(text, func() error { _, err := p.SolveInto(ctx, all, dense.Spectra); return err })
		if text != closed {
			add(text, func() error { _, err := p.Check(ctx, all, dense.Spectra); return err })
		}
	}
	solves("", good)
	solves("order 4 is too large, at most 3", evd.NewSym(4, make([]float64, 16), evd.Lower))
	solves("order 3 with leading dimension 3 does not fit 8 elements", evd.NewSym(3, make([]float64, 8), evd.Lower))
	solves("order 3 with leading dimension 2 does not fit 9 elements", evd.Sym[float64]{N: 3, Ld: 2, Data: make([]float64, 9)})
	solves("option Index: [0, 2) is not a range of 1 values", evd.NewSym(1, make([]float64, 1), evd.Lower))
	tridiagonal := func(text string, of evd.Tridiagonal[float64]) {
		all := []evd.Tridiagonal[float64]{line, of}
		add(text, func() error { _, err := q.Solve(ctx, all); return err })
		add(text, func() error { _, err := q.SolveInto(ctx, all, lines.Spectra); return err })
		if text != closed {
			add(text, func() error { _, err := q.Check(ctx, all, lines.Spectra); return err })
		}
	}
	tridiagonal("", line)
	tridiagonal("order 4 is too large, at most 3", evd.Tridiagonal[float64]{D: make([]float64, 4), E: make([]float64, 3)})
	tridiagonal("order 3 with 1 off-diagonal elements", evd.Tridiagonal[float64]{D: make([]float64, 3), E: make([]float64, 1)})

	out := func(text string, s batch.Spectrum[float64]) {
		all, into := []evd.Sym[float64]{good, good}, []batch.Spectrum[float64]{dense.Spectra[0], s}
		add(text, func() error { _, err := p.SolveInto(ctx, all, into); return err })
		add(text, func() error { _, err := p.Check(ctx, all, into); return err })
	}
	vectors := func(rows, cols, ld, length int) *evd.Dense[float64] {
		return &evd.Dense[float64]{Rows: rows, Cols: cols, Ld: ld, Data: make([]float64, length)}
	}
	out("order 2 with leading dimension 1 does not fit 3 elements", batch.Spectrum[float64]{Values: make([]float64, 3), Vectors: vectors(3, 2, 3, 6)})
	out("order 3 with leading dimension 0 does not fit 0 elements", batch.Spectrum[float64]{Values: make([]float64, 2)})
	out("order 3 with leading dimension 2 does not fit 4 elements", batch.Spectrum[float64]{Values: make([]float64, 2), Vectors: vectors(2, 2, 2, 4)})
	out("order 3 with leading dimension 3 does not fit 9 elements", batch.Spectrum[float64]{Values: make([]float64, 2), Vectors: vectors(3, 3, 3, 9)})
	out("order 3 with leading dimension 3 does not fit 5 elements", batch.Spectrum[float64]{Values: make([]float64, 2), Vectors: vectors(3, 2, 3, 5)})
	out("", batch.Spectrum[float64]{Values: make([]float64, 2), Vectors: vectors(3, 2, 3, 6)})
	few := func(call func() error) { add("order 2 with leading dimension 0 does not fit 1 elements", call) }
	few(func() error {
		_, err := p.SolveInto(ctx, []evd.Sym[float64]{good, good}, dense.Spectra[:1])
		return err
	})
	few(func() error { _, err := p.Check(ctx, []evd.Sym[float64]{good, good}, dense.Spectra[:1]); return err })
	few(func() error {
		_, err := q.SolveInto(ctx, []evd.Tridiagonal[float64]{line, line}, lines.Spectra[:1])
		return err
	})
	add("option Vectors: a check needs them, in the plan and in the result", func() error {
		_, err := plain.Check(ctx, []evd.Sym[float64]{good, good}, dense.Spectra)
		return err
	})
	stagetest.Refusals(t, rows)

	rows = nil
	p.Close()
	q.Close()
	solves(closed, good)
	tridiagonal(closed, line)
	stagetest.Refusals(t, rows)
}

const closed = "the plan is closed"
