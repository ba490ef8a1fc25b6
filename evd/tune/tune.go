// Package tune, internal to vkevd, measures which sizes are fastest on a device.
//
// The tables of package tuning have sizes that were measured on a few devices. The function Search
// finds sizes for other devices: the half-bandwidth b and the rank k of the band reduction, and the
// tile of the rank-2k update. It also finds the orders from which other methods are faster. It
// searches no other sizes.
package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

type Choice struct {
	Band  int `json:"band"`  // half-bandwidth b of the band reduction, 1 to maxBand
	Block int `json:"block"` // rank k of its trailing updates, a multiple of Band and at most maxBlock

	// RankTwoK is the size of the tiles in updates of the trailing matrix. It is the size in the
	// device's tuning table, or one of the list `tiles`.
	RankTwoK product.Tile `json:"rank_two_k"`

	Crossovers `json:"crossovers,omitzero"`
}

func TableChoice(info vk.Info) Choice {
	t := tuning.On(info)
	return Choice{Band: t.Band, Block: t.Block, RankTwoK: t.Products.Syr2k}
}

// maxBand and maxBlock are the largest sizes that a search or a file may choose. Larger sizes were
// never fast, and kernels for large sizes take minutes to compile.
const (
	maxBand  = 256
	maxBlock = 8192
)

// Tuning returns the device's tuning table with the sizes of c in place of its own. The error is
// for sizes and orders out of range, for a rank that is no multiple of the half-bandwidth, and for
// tiles that a search never tries.
func (c Choice) Tuning(info vk.Info) (*tuning.Tuning, error) {
	switch {
	case c.Band < 1 || c.Band > maxBand:
		return nil, fmt.Errorf("half-bandwidth %d is not between 1 and %d", c.Band, maxBand)
	case c.Block < c.Band || c.Block > maxBlock || c.Block%c.Band != 0:
		return nil, fmt.Errorf("rank %d is no multiple of the half-bandwidth %d up to %d", c.Block, c.Band, maxBlock)
	case c.RankTwoK != TableChoice(info).RankTwoK && !slices.Contains(tiles, c.RankTwoK):
		return nil, fmt.Errorf("%+v is none of the tiles that are known to work", c.RankTwoK)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	t := c.on(info)
	return &t, nil
}

// `on` returns the device's tuning table with the sizes of c, unchecked.
func (c Choice) on(info vk.Info) tuning.Tuning {
	t := tuning.On(info)
	t.Band, t.Block, t.Products.Syr2k = c.Band, c.Block, c.RankTwoK
	t.SmallTo, t.ValuesFrom = 0, 0 // no measurement on this device
	c.change(&t)
	return t
}

func (c Choice) String() string {
	return fmt.Sprintf("b = %d, k = %d, rank-2k update by a %v%v", c.Band, c.Block, c.RankTwoK, c.Crossovers)
}

// Source returns a Go file for package tuning, in which the device has a table of its own with the
// chosen sizes. `measured` says who measured them, in a comment.
func (c Choice) Source(info vk.Info, measured string) ([]byte, error) {
	return c.on(info).Source(info, measured)
}

var tiles = []product.Tile{
	{M: 128, N: 128, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 1},
	{M: 128, N: 128, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 1},
	{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 3},
	{M: 64, N: 64, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 3},
	{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 2},
	{M: 32, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 8},
	{M: 64, N: 64, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
	{M: 32, N: 32, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
}

// bands lists the half-bandwidths that a search tries, and `blocks` lists the ranks.
var (
	bands  = []int{8, 16, 32, 64, 128}
	blocks = []int{16, 32, 64, 128, 256, 512, 1024, 2048}
)

// Crossovers holds the orders from which another method is faster. 0 means the order of the
// device's tuning table.
type Crossovers struct {
	// OneStageValues and OneStageVectors are the largest orders that are reduced to tridiagonal
	// form in one stage, for solves without and with vectors. 1 means none.
	OneStageValues  int `json:"one_stage_values,omitempty"`
	OneStageVectors int `json:"one_stage_vectors,omitempty"`

	// Conquer is the smallest order of the matrices of a batch whose vectors are computed by divide
	// and conquer, and not by QL iteration. It takes effect for whole rows of the tuning table: for
	// those whose largest order is at least Conquer.
	Conquer int `json:"batch_conquer_from,omitempty"`
}

// maxOrder is the largest order that Crossovers may have. Larger ones were never measured.
const maxOrder = 1 << 14

func (x Crossovers) check() error {
	for _, order := range []int{x.OneStageValues, x.OneStageVectors, x.Conquer} {
		if order < 0 || order > maxOrder {
			return fmt.Errorf("the order %d of a crossover is not between 0 and %d", order, maxOrder)
		}
	}
	return nil
}

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

// String lists the orders that differ from those of the tuning table, each after a comma. It
// returns "" if there are none.
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

// A search compares one stage with two stages at some multiples of oneStageStep up to oneStageMost.
const oneStageStep, oneStageMost = 256, 4096

// crossovers searches the orders of Crossovers for the best sizes found so far, by whole solves.
// Orders of the device's tuning table become 0.
func (s *search) crossovers(ctx context.Context, best *Result, t tuning.Tuning) {
	if t.Sytrd.LocalSize > 0 { // else there are no sizes for one stage
		best.OneStageValues = s.oneStage(ctx, best.Choice, "values", t.Sytrd.Values, func(x *Crossovers, n int) { x.OneStageValues = n })
		best.OneStageVectors = s.oneStage(ctx, best.Choice, "vectors", t.Sytrd.Vectors, func(x *Crossovers, n int) { x.OneStageVectors = n })
	}
	best.Conquer = s.conquer(ctx, best.Choice, t.Batch)
}

// oneStage searches for the largest order for which a reduction in one stage is faster than one in
// two stages. It searches the multiples of oneStageStep by bisection, and measures the whole solve
// `stage`. The function `set` sets a limit in Crossovers: orders up to the limit are reduced in one
// stage. The result is 0 if the found limit is `now`, that of the tuning table, or if no limit was
// found.
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

// inOneStage returns an error if the measured solve was not in one stage, for example because a
// wait between workgroups has failed before. A reduction in one stage has the half-bandwidth 1.
func inOneStage(r bench.Row) error {
	if r.B != 1 {
		return fmt.Errorf("one stage is not possible for n = %d", r.N)
	}
	return nil
}

// `leaves` is called when the search has left out a choice. If the search had no time for it,
// `leaves` adds the choice to s.untried. If there is another reason, s.note has been called with it
// before.
func (s *search) leaves(what string) {
	if s.out {
		s.untried = append(s.untried, what)
	}
}

// conquer returns the smallest order from which divide and conquer is faster than QL iteration for
// the vectors of a batch. Each row of the tuning table is for a range of orders. `conquer` compares
// both methods for the order in the middle of this range. It begins with the last row, and ends
// with a row for which QL iteration is faster. The result is 0 if the table already has the measured
// order, or if nothing was measured.
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

// compare tells whether a stage of order n is faster with the sizes x than with y. `known` is false
// if one was not measured, or if `check`, which may be nil, returns an error for the result of x.
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

type Options struct {
	N        int                     // order of the matrices to measure with; 0 means that of the function Order
	Budget   time.Duration           // a measurement that begins within this time may end later
	Repeat   int                     // runs of each measurement, at least one, whose medians are compared
	Progress func(what string)       // is called before each run with the name of the measurement; may be nil
	Row      func(Choice, bench.Row) // is called after each measurement
	Note     func(what string)       // is called for sizes that are not measured, with their name and the reason
}

// Order returns an order of matrices for a search on the device. It is large enough to keep the
// device busy, and small enough for some dozens of measurements in one or two minutes.
func Order(info vk.Info) int {
	switch info.Type {
	case "cpu":
		return 512
	case "discrete":
		return 8192
	}
	return 2048
}

// Search measures choices of sizes on a device and returns the fastest choice. The device should
// have been opened with vk.Options.Statistics. If the driver then reports statistics, Search
// refuses choices whose kernels spill registers. Search returns an error if the choice of the table
// itself cannot be measured, if ctx ends, or if the device fails.
func Search(ctx context.Context, dev *vk.Device, opt Options) (Result, error) {
	began := time.Now()
	if opt.N == 0 {
		opt.N = Order(dev.Info())
	}
	b, err := bench.New(ctx, dev, bench.Options{
		Stages: dependent, Orders: []int{opt.N}, Repeat: opt.Repeat, WarmUp: briefWarmUp, Progress: opt.Progress,
	})
	if err != nil {
		return Result{}, err
	}
	defer b.Close()
	table := TableChoice(dev.Info())
	table.Block = tuning.On(dev.Info()).For(opt.N, opt.N).Block // the table may have another one for small orders
	d := &onDevice{dev: dev, bench: b, opt: opt}
	d.noteSpills(table)
	s := &search{target: d, n: opt.N, budget: opt.Budget, clock: time.Now, began: began, row: opt.Row, note: opt.Note}
	return s.run(ctx, table)
}

// briefWarmUp is the value for bench.Options.WarmUp. It may be short because the first run of each
// stage, which does not count, keeps the device busy long enough. It must not be 0, because 0 also
// means that the device is idle between runs.
const briefWarmUp = time.Millisecond

type onDevice struct {
	dev   *vk.Device
	bench *bench.Bench // measures the device's peak rates only once for the whole search
	opt   Options

	// spills lists the kernels that spill registers with the sizes of the device's tuning table. If
	// one of these kernels also spills with other sizes, this is no reason to refuse the other
	// sizes.
	spills []string
}

const kernelsAt = 256

func (d *onDevice) refused(c Choice) error {
	err := bench.Refused(d.dev, kernelsAt, c.on(d.dev.Info()), evd.Options{Vectors: true})
	var spill *bench.RefusedError
	if !errors.As(err, &spill) {
		return err
	}
	worse := &bench.RefusedError{}
	for _, k := range spill.Kernels {
		if !slices.Contains(d.spills, k.String()) {
			worse.Kernels = append(worse.Kernels, k)
		}
	}
	if len(worse.Kernels) == 0 {
		return nil
	}
	return worse
}

// noteSpills stores the kernels that spill registers with the sizes of the tuning table.
func (d *onDevice) noteSpills(table Choice) {
	var spill *bench.RefusedError
	if errors.As(d.refused(table), &spill) {
		for _, k := range spill.Kernels {
			d.spills = append(d.spills, k.String())
		}
	}
}

func (d *onDevice) table() tuning.Tuning { return tuning.On(d.dev.Info()) }

func (d *onDevice) measure(ctx context.Context, n int, c Choice, stages ...string) ([]bench.Row, error) {
	return d.bench.With(bench.Options{
		Stages: stages, Orders: []int{n}, Repeat: d.opt.Repeat, WarmUp: briefWarmUp,
		Variants: []tuning.Variant{{Name: strings.TrimPrefix(c.Crossovers.String(), ", "), Tuning: c.on(d.dev.Info())}},
		Progress: d.opt.Progress,
	}).Measure(ctx, n)
}

type Result struct {
	Choice          // the fastest sizes that were found
	Seconds float64 // of the stages whose time depends on the sizes, with the fastest ones

	Table  Choice  // the sizes of the device's tuning table
	Before float64 // seconds of the same stages with these sizes

	// Complete says that the search has tried all sizes. Otherwise its time ran out, and Untried
	// lists what was not tried, such as "b = 64".
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

var errTime = errors.New("the time is up")

// dependent lists the stages whose times depend on the sizes. The search minimises the total time.
var dependent = []string{"sy2sb", "sb2st", "apply-q2", "apply-q1"}

// run returns the fastest sizes that it found, even if the time has run out. It returns an error if
// the sizes of the device's tuning table cannot be measured, or if ctx ends.
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
// It returns the time in seconds, or +Inf if these sizes were not measured. If the time for the
// search had run out, `name` is added to Result.Untried.
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

// mayMeasure returns nil if another measurement may begin now, and otherwise the context's error,
// or errTime if the rest of the time is shorter than the longest measurement so far. The first
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
// mayMeasure or of a measurement, or says that the sizes are refused.
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
