package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/vkevd/vkevd/evd/bench"
)

// benchRows reads rows as bench --json and tune --json write them.
func (s *session) benchRows(ctx context.Context, files []string) ([]bench.Row, error) {
	var rows []bench.Row
	for _, file := range files {
		text, err := unlessDone(ctx, func() ([]byte, error) { return readAll(file, s.stdin) })
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(text))
		for {
			var r bench.Row
			err := d.Decode(&r)
			if err == io.EOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("%s: not rows in JSON; tune --json writes them", inputName(file))
			}
			if !(r.Median >= 0) || r.Median > 1e12 || r.B < 0 || r.K < 0 || r.N < 0 {
				return nil, fmt.Errorf("%s: a row that makes no sense: %+v", inputName(file), r)
			}
			rows = append(rows, r)
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s: no rows in it; tune --json writes them", inputName(file))
		}
	}
	return rows, nil
}

// bk is a half-bandwidth and a rank.
type bk struct{ b, k int }

// totals are the seconds of all stages that depend on b, over (b, k): those that do not
// depend on k count at each. Where one of them was not measured there is no total.
// Of a measurement taken twice the last counts.
func totals(rows []bench.Row) map[bk]float64 {
	at := map[string]map[bk]float64{} // k = 0: at each
	for _, r := range rows {
		if r.B == 0 || r.Stage == "symm" || r.Stage == "panel-qr" || r.Stage == "values" || r.Stage == "vectors" {
			continue // not a stage of its own, or all of them
		}
		if at[r.Stage] == nil {
			at[r.Stage] = map[bk]float64{}
		}
		at[r.Stage][bk{r.B, r.K}] = r.Median
	}
	points := map[bk]float64{}
	for _, stage := range at {
		for p := range stage {
			if p.k > 0 {
				points[p] = 0
			}
		}
	}
	for p := range points {
		for _, stage := range at {
			t, found := stage[p]
			if !found {
				t, found = stage[bk{p.b, 0}]
			}
			if !found {
				delete(points, p)
				break
			}
			points[p] += t
		}
	}
	return points
}

// tuneTimes draws the totals over k, a line for each b.
func (s *session) tuneTimes(ctx context.Context, files []string, order int) (*picture, error) {
	rows, err := s.benchRows(ctx, files)
	if err != nil {
		return nil, err
	}
	n, rows, err := ofOrder(rows, order)
	if err != nil {
		return nil, err
	}
	points := totals(rows)
	if len(points) == 0 {
		return nil, errors.New("no rows with b and k to draw; tune --json writes them, and bench --json of sy2sb")
	}
	title := fmt.Sprintf("Stages that depend on b and k, n = %d\n%s", n, printable(rows[0].Device))
	p := newPicture(title, "k, rank of an update", "seconds")
	p.X.Scale = plot.LogScale{}
	var bs, ks []int
	best := bk{}
	for at, t := range points {
		bs, ks = append(bs, at.b), append(ks, at.k)
		old, seen := points[best]
		if !seen || t < old || t == old && (at.b < best.b || at.b == best.b && at.k < best.k) {
			best = at
		}
	}
	slices.Sort(bs)
	slices.Sort(ks)
	ks = slices.Compact(ks)
	p.X.Tick.Marker = ticksAt(ks)
	for i, b := range slices.Compact(bs) {
		var line plotter.XYs
		for _, k := range ks {
			if t, found := points[bk{b, k}]; found {
				line = append(line, plotter.XY{X: float64(k), Y: t})
			}
		}
		if _, err := p.line(i, line, fmt.Sprintf("b = %d", b)); err != nil {
			return nil, err
		}
		if err := p.dots(i, line, 3); err != nil {
			return nil, err
		}
	}
	least := points[best]
	if err := p.texts(plotter.XYs{{X: float64(best.k), Y: least}}, []string{fmt.Sprintf("%.4g s at b = %d, k = %d", least, best.b, best.k)},
		vg.Points(-20), vg.Points(-14)); err != nil {
		return nil, err
	}
	most := 0.0
	for _, t := range points {
		most = math.Max(most, t)
	}
	p.Y.Min, p.Y.Max = 0, max(most*1.1, math.SmallestNonzeroFloat64)
	p.X.Min, p.X.Max = float64(ks[0])/1.3, float64(ks[len(ks)-1])*1.3
	p.Legend.Left = true
	p.Legend.Top = false
	return p, nil
}

// ofOrder are the rows of one order: the one that was asked for, or the only one.
func ofOrder(rows []bench.Row, order int) (int, []bench.Row, error) {
	var orders []int
	rows = slices.DeleteFunc(rows, func(r bench.Row) bool { return r.N == 0 || order > 0 && r.N != order })
	for _, r := range rows {
		orders = append(orders, r.N)
	}
	slices.Sort(orders)
	orders = slices.Compact(orders)
	switch len(orders) {
	case 0:
		return 0, nil, errors.New("no rows to draw")
	case 1:
		return orders[0], rows, nil
	}
	return 0, nil, fmt.Errorf("rows of orders %v; --n picks one", orders)
}
