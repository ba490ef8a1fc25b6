package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/tuning"
)

// Crossovers holds the orders from which another method is faster. 0 means the order of the device's
// tuning table.
type Crossovers struct {
	// OneStageValues and OneStageVectors are the largest orders that are reduced to tridiagonal form
	// in one stage, for solves without and with vectors. 1 means that no matrix is reduced in one
	// stage.
	OneStageValues  int `json:"one_stage_values,omitempty"`
	OneStageVectors int `json:"one_stage_vectors,omitempty"`

	// Conquer is the smallest order of the matrices of a batch whose vectors are computed by divide
	// and conquer, and not by QL iteration. It takes effect for whole rows of the tuning table: for
	// those whose largest order is at least Conquer.
	Conquer int `json:"batch_conquer_from,omitempty"`
}

// maxOrder is the largest order that Crossovers may have. Larger orders were never measured.
const maxOrder = 1 << 14

func (x Crossovers) check() error {
	for _, order := range []int{x.OneStageValues, x.OneStageVectors, x.Conquer} {
		if order < 0 || order > maxOrder {
			return fmt.Errorf("the order %d of a crossover is not between 0 and %d", order, maxOrder)
		}
	}
	return nil
}

// change replaces the orders of the tuning t by those of x that are not 0.
func (x Crossovers) change(t *tuning.Tuning) {
	if x.OneStageValues > 0 {
		t.Sytrd.Values = x.OneStageValues
	}
	if x.OneStageVectors > 0 {
		t.Sytrd.Vectors = x.OneStageVectors
	}
	if x.Conquer > 0 {
		t.Batch.Memory = slices.Clone(t.Batch.Memory) // the tables share the rows
		for i, row := range t.Batch.Memory {
			t.Batch.Memory[i].Conquer = int(row.Order) >= x.Conquer
		}
	}
}

// String lists the orders that are not those of the table. It begins with a comma, or is empty.
func (x Crossovers) String() (text string) {
	if x.OneStageValues > 0 {
		text += fmt.Sprintf(", values in one stage up to %d", x.OneStageValues)
	}
	if x.OneStageVectors > 0 {
		text += fmt.Sprintf(", vectors in one stage up to %d", x.OneStageVectors)
	}
	if x.Conquer > 0 {
		text += fmt.Sprintf(", divide and conquer in batches from %d", x.Conquer)
	}
	return text
}

// These are the orders at which a search compares one stage with two stages: the multiples of
// oneStageStep up to oneStageMost.
const oneStageStep, oneStageMost = 256, 4096

// crossovers searches the orders of Crossovers for the best sizes found so far. It measures whole
// solves. Crossovers that are the same as in the device's tuning table become 0.
func (s *search) crossovers(ctx context.Context, best *Result, t tuning.Tuning) {
	if t.Sytrd.LocalSize > 0 { // else there are no sizes for one stage
		best.OneStageValues = s.oneStage(ctx, best.Choice, "values", t.Sytrd.Values, func(x *Crossovers, n int) { x.OneStageValues = n })
		best.OneStageVectors = s.oneStage(ctx, best.Choice, "vectors", t.Sytrd.Vectors, func(x *Crossovers, n int) { x.OneStageVectors = n })
	}
	best.Conquer = s.conquer(ctx, best.Choice, t.Batch)
}

// oneStage returns the largest order for which the stage, a whole solve, is faster if the matrix is
// reduced in one stage. It halves the range of possible orders. The function `set` changes the order
// in the sizes `c`. The result is 0 if it is the order `now`, or if it was not measured.
func (s *search) oneStage(ctx context.Context, c Choice, stage string, now int, set func(x *Crossovers, n int)) int {
	const never = 1
	faster, slower := 0, oneStageMost/oneStageStep+1
	for slower-faster > 1 {
		half := (faster + slower) / 2
		n := half * oneStageStep
		one, two := c, c
		set(&one.Crossovers, n)
		set(&two.Crossovers, never)
		oneFaster, known := s.compare(ctx, n, stage, one, two, inOneStage)
		switch {
		case !known:
			s.leaves(fmt.Sprintf("%s in one stage", stage))
			return 0
		case oneFaster:
			faster = half
		default:
			slower = half
		}
	}
	return unless(now, max(faster*oneStageStep, never))
}

// inOneStage returns an error if the measured solve was not in one stage, for example because a wait
// between workgroups has failed before on this device. A reduction in one stage has the half-bandwidth
// 1.
func inOneStage(r bench.Row) error {
	if r.B != 1 {
		return fmt.Errorf("one stage is not possible for n = %d", r.N)
	}
	return nil
}

// leaves notes that a choice is not tried, if the reason is the time for the search. Other reasons
// were given to s.note.
func (s *search) leaves(what string) {
	if s.out {
		s.untried = append(s.untried, what)
	}
}

// conquer returns the smallest order from which divide and conquer is faster than QL iteration for
// the vectors of a batch. It compares both in the middle of the orders of each row of the table,
// from the last row down to the first row for which QL iteration is faster. The result is 0 if it is the order of the table, or if it was not measured.
func (s *search) conquer(ctx context.Context, c Choice, t batch.Tuning) int {
	const least = 32 // orders up to 32 are one leaf of divide and conquer
	now, from, wins := maxOrder, maxOrder, true
	for i := len(t.Memory) - 1; i >= 0; i-- {
		first, last := 1, int(t.Memory[i].Order)
		if i > 0 {
			first = int(t.Memory[i-1].Order) + 1
		}
		if first > last || last <= least {
			continue // no matrix uses the row
		}
		if t.Memory[i].Conquer {
			now = first
		}
		if !wins {
			continue
		}
		n := max((first+last)/2, least+1)
		ql, dc := c, c
		ql.Conquer, dc.Conquer = maxOrder, 1
		var known bool
		if wins, known = s.compare(ctx, n, "batch", dc, ql, nil); !known {
			s.leaves("divide and conquer in batches")
			return 0
		}
		if wins {
			from = first
		}
	}
	return unless(now, from)
}

func unless(now, order int) int {
	if order == now {
		return 0
	}
	return order
}

// compare measures a stage of order n with the sizes x and with the sizes y, and tells whether it is
// faster with x. If one of them was not measured, or if `check` returns an error for the result of x,
// `known` is false. check may be nil.
func (s *search) compare(
	ctx context.Context, n int, stage string, x, y Choice, check func(bench.Row) error,
) (faster, known bool) {
	seconds := [2]float64{math.Inf(1), math.Inf(1)}
	for i, c := range []Choice{x, y} {
		if err := s.mayMeasure(ctx); err != nil {
			return false, false
		}
		rows, err := s.measure(ctx, n, c, stage)
		if err == nil && len(rows) > 0 && i == 0 && check != nil {
			err = check(rows[0])
		}
		if err != nil || len(rows) == 0 {
			if err != nil && ctx.Err() == nil {
				s.note(fmt.Sprintf("%v: %v", c, err))
			}
			return false, false
		}
		s.row(c, rows[0])
		seconds[i] = rows[0].Median
	}
	return seconds[0] < seconds[1], true
}
