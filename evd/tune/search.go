package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/stages/tuning"
)

type Result struct {
	Choice          // the fastest sizes that were found
	Seconds float64 // of the stages whose time depends on the sizes, with the fastest ones

	Table  Choice  // the sizes of the device's tuning table
	Before float64 // seconds of the same stages with these sizes

	// Complete says that the search has tried all sizes. Otherwise its time ran out, and Untried lists
	// what was not tried, such as "b = 64".
	Complete bool
	Untried  []string
}

// target is the device whose fastest sizes are searched. Tests have a fake one.
type target interface {
	// refused returns an error if kernels with the sizes c spill registers, except those that also
	// spill with the sizes of the tuning table.
	refused(c Choice) error

	// measure returns a row with the median time of each stage for order n with the sizes c.
	measure(ctx context.Context, n int, c Choice, stages ...string) ([]bench.Row, error)

	table() tuning.Tuning
}

// search is the state of a search for the fastest sizes. It begins with the sizes of the device's
// tuning table and changes one size after another. The size with the largest effect comes first:
// the half-bandwidth b, then the rank k for the best and for the second best b, then the tile of
// the update. At last it searches the orders from which other methods are faster (Crossovers).
type search struct {
	target
	n int // order of the matrices

	budget time.Duration // time that the search may take
	clock  func() time.Time
	began  time.Time

	row  func(Choice, bench.Row) // gets the result of each measurement
	note func(string)            // gets each choice that is not measured, with the reason

	// ofBand has measured times, in seconds, of stages that depend on b but not on k, so that each
	// is measured only once for each b.
	ofBand map[stageOfBand]float64

	last    time.Time     // when the last measurement began, of one choice of sizes
	longest time.Duration // of a measurement so far
	begun   bool          // the search has measured at least once
	out     bool          // the time for the search has run out
	untried []string      // becomes Result.Untried
}

type stageOfBand struct {
	stage string
	band  int
}

// errTime is the error for sizes that were not measured.
var errTime = errors.New("the time is up")

// dependent lists the stages whose times depend on the sizes. The search minimises the sum of their
// times.
var dependent = []string{"sy2sb", "sb2st", "apply-q2", "apply-q1"}

// run returns the fastest sizes that it found, even if the time has run out. It returns an error if
// the sizes of the device's tuning table cannot be measured.
func (s *search) run(ctx context.Context, table Choice) (Result, error) {
	s.last, s.ofBand = s.began, map[stageOfBand]float64{}
	r := Result{Choice: table, Table: table}
	seconds, err := s.try(ctx, table, dependent...)
	if err != nil {
		return r, fmt.Errorf("with the table's sizes: %w", err)
	}
	r.Before, r.Seconds = seconds, seconds
	best := &r
	// patience says how long a search may take in all: at most this multiple of its budget. A
	// measurement that has begun within the budget may end later, but not much later.
	const patience = 5. / 4
	steps, done := context.WithTimeout(ctx, time.Duration(patience*float64(s.budget))-s.clock().Sub(s.began))
	defer done()
	outer := ctx
	ctx = steps
	second := s.band(ctx, best)
	s.block(ctx, best, best.Choice)
	s.block(ctx, best, second)
	s.tile(ctx, best)
	s.crossovers(ctx, best, s.table())
	r.Complete, r.Untried = !s.out && ctx.Err() == nil, s.untried
	return r, outer.Err()
}

// tile tries other tile sizes for the product Syr2k, which updates the trailing matrix. It first
// measures this product alone.
func (s *search) tile(ctx context.Context, best *Result) {
	choice, least := best.Choice, math.Inf(1)
	for _, t := range append([]Choice{best.Choice}, withTiles(best.Choice)...) {
		seconds, err := s.try(ctx, t, "syr2k")
		if err == nil && seconds < least {
			choice, least = t, seconds
		}
		if s.ranOut(ctx, err) && t.RankTwoK != best.RankTwoK {
			s.untried = append(s.untried, fmt.Sprintf("a %v", t.RankTwoK))
		}
	}
	// The tile is chosen only if all stages together are faster with it, too.
	if choice != best.Choice {
		s.better(ctx, best, choice, fmt.Sprintf("a %v", choice.RankTwoK))
	}
}

func withTiles(c Choice) (all []Choice) {
	for _, t := range tiles {
		if t != c.RankTwoK {
			d := c
			d.RankTwoK = t
			all = append(all, d)
		}
	}
	return all
}

// band tries half-bandwidths, the nearest to that of the tuning table first. It returns the sizes
// with the second best one.
func (s *search) band(ctx context.Context, best *Result) (second Choice) {
	from := best.Choice
	second = from
	runnerUp := math.Inf(1)
	distance := func(b int) int { return int(math.Abs(math.Log2(float64(b)/float64(from.Band))) * 16) }
	list := slices.Clone(bands)
	slices.SortStableFunc(list, func(x, y int) int {
		return distance(x) - distance(y)
	})
	for _, b := range list {
		if b == from.Band || b > s.n/4 {
			continue
		}
		c := from
		c.Band, c.Block = b, max(from.Block/b, 1)*b
		before, old := best.Choice, best.Seconds
		seconds := s.better(ctx, best, c, fmt.Sprintf("b = %d", b))
		switch {
		case best.Choice != before:
			second, runnerUp = before, old
		case seconds < runnerUp:
			second, runnerUp = c, seconds
		}
	}
	return second
}

func (s *search) block(ctx context.Context, best *Result, from Choice) {
	for _, k := range blocks {
		if c := from; k%from.Band == 0 && k != from.Block && k <= s.n/2 {
			c.Block = k
			s.better(ctx, best, c, fmt.Sprintf("k = %d with b = %d", k, from.Band))
		}
	}
}

func (s *search) ranOut(ctx context.Context, err error) bool {
	return errors.Is(err, errTime) || err != nil && ctx.Err() != nil
}

// better measures the stages with the sizes c, which become `best` if they are the fastest so far.
// It returns the time in seconds, or +Inf if they were not measured. If the time for the search had
// run out, `name` is added to Result.Untried.
func (s *search) better(ctx context.Context, best *Result, c Choice, name string) float64 {
	seconds, err := s.try(ctx, c, dependent...)
	if s.ranOut(ctx, err) && !slices.Contains(s.untried, name) {
		s.untried = append(s.untried, name)
	}
	if err != nil {
		return math.Inf(1)
	}
	if seconds < best.Seconds {
		best.Choice, best.Seconds = c, seconds
	}
	return seconds
}

// mayMeasure returns nil if another measurement may begin now, and otherwise the context's error, or
// errTime if the rest of the time is shorter than the longest measurement so far. The first
// measurement may always begin.
func (s *search) mayMeasure(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now := s.clock()
	s.longest = max(s.longest, now.Sub(s.last))
	s.last = now
	if s.begun && (s.out || now.Sub(s.began)+s.longest > s.budget) {
		s.out = true
		return errTime
	}
	s.begun = true
	return nil
}

// try returns the sum of the times of the stages with the sizes c, in seconds. The error is that of
// mayMeasure, or says that the sizes are refused.
func (s *search) try(ctx context.Context, c Choice, stages ...string) (float64, error) {
	if err := s.mayMeasure(ctx); err != nil {
		return 0, err
	}
	if err := s.refused(c); err != nil {
		if ctx.Err() == nil {
			s.note(fmt.Sprintf("%v: %v", c, err))
		}
		return 0, err
	}
	total := 0.0
	var unknown []string
	for _, name := range stages {
		if seconds, known := s.ofBand[stageOfBand{name, c.Band}]; known {
			total += seconds
		} else {
			unknown = append(unknown, name)
		}
	}
	rows, err := s.measure(ctx, s.n, c, unknown...)
	if err != nil {
		if ctx.Err() == nil {
			s.note(fmt.Sprintf("%v: %v", c, err))
		}
		return 0, err
	}
	for _, r := range rows {
		s.row(c, r)
		total += r.Median
		if r.K == 0 {
			s.ofBand[stageOfBand{r.Stage, c.Band}] = r.Median
		}
	}
	return total, nil
}
