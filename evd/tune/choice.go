// Package tune, internal to vkevd, measures which sizes are fastest on a device.
//
// The tables of package tuning have sizes that were measured on a few devices. The function Search
// finds sizes for other devices: the half-bandwidth b and the rank k of the band reduction, and the
// tile of the rank-2k update. It also finds the orders from which other methods are faster. It does
// not change the other sizes of the table.
package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

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
// for sizes that are too large, and for tiles that a search never tries.
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

// on returns the device's tuning table with the sizes of c, unchecked.
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

// String lists the orders that are not those of the table, after a comma, or is empty.
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

// A search compares one stage with two stages at the multiples of oneStageStep up to oneStageMost.
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

// oneStage returns the largest order for which `stage`, a whole solve, is faster if the matrix is
// reduced in one stage, by halving the range of orders. `set` changes the order in the sizes. The
// result is 0 if it is the order `now`, or if it was not measured.
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
// between workgroups has failed before. A reduction in one stage has the half-bandwidth 1.
func inOneStage(r bench.Row) error {
	if r.B != 1 {
		return fmt.Errorf("one stage is not possible for n = %d", r.N)
	}
	return nil
}

// leaves notes that a choice is not tried for lack of time. Other reasons were given to s.note.
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

// compare tells whether a stage of order n is faster with the sizes x than with y. `known` is false
// if one of them was not measured, or if `check`, which may be nil, returns an error for the result
// of x.
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
