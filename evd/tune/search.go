package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/vkevd/vkevd/evd/bench"
)

// Result is what a search found.
type Result struct {
	Choice
	Seconds  float64 // of the stages that depend on it, with the choice
	Table    Choice  // the device's table
	Before   float64 // seconds with that
	Complete bool    // everything was tried; else the time was up
}

// target is what a search measures with.
type target interface {
	// refused is an error if kernels of the choice spill that do not with the table's.
	refused(c Choice) error
	// measure takes the median seconds of stages.
	measure(ctx context.Context, c Choice, stages ...string) ([]bench.Row, error)
}

// search goes from the table's choice along one size after another, those that matter most
// first: b, then k with the best two of those, then the tile of the update.
type search struct {
	target
	n      int
	budget time.Duration
	clock  func() time.Time
	row    func(Choice, bench.Row) // told of each measurement
	note   func(string)            // told of what was not measured, and why
	began  time.Time

	ofBand  map[stageOfBand]float64 // seconds of stages that do not depend on k: measured once
	last    time.Time
	longest time.Duration // of a step
	begun   bool
	out     bool // the time is up
}

type stageOfBand struct {
	stage string
	band  int
}

// errTime ends a search that has found something.
var errTime = errors.New("the time is up")

// dependent are the stages whose time is made least.
var dependent = []string{"sy2sb", "sb2st", "apply-q2", "apply-q1"}

func (s *search) run(ctx context.Context, table Choice) (Result, error) {
	s.last, s.ofBand = s.began, map[stageOfBand]float64{}
	r := Result{Choice: table, Table: table}
	seconds, err := s.try(ctx, table, dependent...)
	if err != nil {
		return r, fmt.Errorf("with the table's sizes: %w", err)
	}
	r.Before, r.Seconds = seconds, seconds
	best := &r
	// What is begun is ended, unless it takes much longer than what came before it.
	const patience = 5. / 4
	steps, done := context.WithTimeout(ctx, time.Duration(patience*float64(s.budget))-s.clock().Sub(s.began))
	defer done()
	outer := ctx
	ctx = steps
	second := s.band(ctx, best)
	s.block(ctx, best, best.Choice)
	s.block(ctx, best, second)
	s.tile(ctx, best)
	r.Complete = !s.out && ctx.Err() == nil
	return r, outer.Err()
}

// tile tries the ways to cut the update, by itself.
func (s *search) tile(ctx context.Context, best *Result) {
	choice, least := best.Choice, math.Inf(1)
	for _, t := range append([]Choice{best.Choice}, withTiles(best.Choice)...) {
		if seconds, err := s.try(ctx, t, "syr2k"); err == nil && seconds < least {
			choice, least = t, seconds
		}
	}
	// The whole is measured before it is believed.
	if choice != best.Choice {
		s.better(ctx, best, choice)
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

// band tries half-bandwidths, those next to the table's first; the answer is the best but one.
func (s *search) band(ctx context.Context, best *Result) (second Choice) {
	from := best.Choice
	second = from
	runnerUp := math.Inf(1)
	list := slices.Clone(bands)
	slices.SortStableFunc(list, func(x, y int) int {
		return int(math.Abs(math.Log2(float64(x)/float64(from.Band)))*16) - int(math.Abs(math.Log2(float64(y)/float64(from.Band)))*16)
	})
	for _, b := range list {
		if b == from.Band || b > s.n/4 {
			continue
		}
		c := from
		c.Band, c.Block = b, max(from.Block/b, 1)*b
		before, old := best.Choice, best.Seconds
		seconds := s.better(ctx, best, c)
		switch {
		case best.Choice != before:
			second, runnerUp = before, old
		case seconds < runnerUp:
			second, runnerUp = c, seconds
		}
	}
	return second
}

// block tries ranks with one half-bandwidth.
func (s *search) block(ctx context.Context, best *Result, from Choice) {
	for _, k := range blocks {
		if c := from; k%from.Band == 0 && k != from.Block && k <= s.n/2 {
			c.Block = k
			s.better(ctx, best, c)
		}
	}
}

// better measures a choice and takes it if it is.
func (s *search) better(ctx context.Context, best *Result, c Choice) float64 {
	seconds, err := s.try(ctx, c, dependent...)
	if err != nil {
		return math.Inf(1)
	}
	if seconds < best.Seconds {
		best.Choice, best.Seconds = c, seconds
	}
	return seconds
}

// try measures a choice if it may be used and if there is time enough for one more like
// the longest so far.
func (s *search) try(ctx context.Context, c Choice, stages ...string) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	now := s.clock()
	s.longest = max(s.longest, now.Sub(s.last))
	s.last = now
	if s.begun && (s.out || now.Sub(s.began)+s.longest > s.budget) {
		s.out = true
		return 0, errTime
	}
	s.begun = true
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
	rows, err := s.measure(ctx, c, unknown...)
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
