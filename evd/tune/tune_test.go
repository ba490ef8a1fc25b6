package tune

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// valley is a fake device for a search. One choice of sizes is the fastest on it, and others are
// slower the more they differ. Each measurement advances a simulated clock.
type valley struct {
	band, block int
	tile        product.Tile
	spilled     func(Choice) bool
	now         time.Time
	step        time.Duration
	tried       []Choice
	chased      map[int]bool

	// tuned is the device's tuning table. One stage is faster up to the order oneStage, and divide
	// and conquer from the order conquer on.
	tuned             tuning.Tuning
	oneStage, conquer int
	twoStages         bool  // one stage is not possible
	solved            []int // orders of whole solves and batches, as measured
}

func (v *valley) refused(c Choice) error {
	if v.spilled != nil && v.spilled(c) {
		return errors.New("it spills")
	}
	return nil
}

func (v *valley) table() tuning.Tuning { return v.tuned }

func (v *valley) measure(_ context.Context, n int, c Choice, names ...string) ([]bench.Row, error) {
	v.now = v.now.Add(v.step)
	v.tried = append(v.tried, c)
	var rows []bench.Row
	for _, s := range names {
		r := bench.Row{Stage: s, B: c.Band, N: n}
		t := v.tuned
		c.change(&t)
		switch s {
		case "values", "vectors":
			most := t.Sytrd.Values
			if s == "vectors" {
				most = t.Sytrd.Vectors
			}
			if r.Median = 2; (n <= most) == (n <= v.oneStage) {
				r.Median = 1
			}
			if n <= most && !v.twoStages {
				r.B = 1
			}
			v.solved = append(v.solved, n)
		case "batch":
			row := slices.IndexFunc(t.Batch.Memory, func(m batch.Memory) bool { return n <= int(m.Order) })
			if r.Median = 2; t.Batch.Memory[row].Conquer == (n >= v.conquer) {
				r.Median = 1
			}
			v.solved = append(v.solved, n)
		case "sb2st": // depends on b alone
			if r.Median = 1 + math.Abs(math.Log2(float64(c.Band)/float64(v.band))); v.chased[c.Band] {
				return nil, errors.New("measured twice")
			}
			v.chased[c.Band] = true
		case "sy2sb", "syr2k":
			r.K, r.Median = c.Block, math.Abs(math.Log2(float64(c.Block)/float64(v.block)))
			if c.RankTwoK != v.tile {
				r.Median += 0.5
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func (v *valley) search(budget time.Duration) (*search, *[]string) {
	var notes []string
	v.chased = map[int]bool{}
	return &search{
		target: v, n: 4096, budget: budget, clock: func() time.Time { return v.now }, began: v.now,
		row: func(Choice, bench.Row) {}, note: func(what string) { notes = append(notes, what) },
	}, &notes
}

// choice returns a Choice with the given sizes and without crossovers. crossing returns a Choice
// with crossovers and with the sizes of the table.
func choice(band, block int, tile product.Tile) Choice {
	return Choice{Band: band, Block: block, RankTwoK: tile}
}

func crossing(x Crossovers) Choice {
	c := table
	c.Crossovers = x
	return c
}

var table = TableChoice(vk.Info{Family: "nvidia"})

func TestSearchFindsTheBest(t *testing.T) {
	for _, want := range []Choice{
		choice(64, 1024, tiles[2]), choice(16, 128, tiles[0]), choice(128, 2048, tiles[5]), choice(8, 16, tiles[1]), table,
	} {
		v := &valley{band: want.Band, block: want.Block, tile: want.RankTwoK, step: time.Second}
		s, notes := v.search(time.Hour)
		r, err := s.run(context.Background(), table)
		if err != nil || r.Choice != want || !r.Complete || r.Table != table || r.Seconds != 1 || !(r.Before >= 1) || len(*notes) > 0 || len(r.Untried) > 0 {
			t.Errorf("want %v: %+v, %v, %q", want, r, err, *notes)
		}
		if v.tried[0] != table {
			t.Errorf("the first to be tried was %v", v.tried[0])
		}
	}
}

// TestSearchRefuses runs a search in which kernels with some sizes spill registers. The search must
// not measure these sizes, and must return the best of the others.
func TestSearchRefuses(t *testing.T) {
	v := &valley{band: 64, block: 512, tile: table.RankTwoK, spilled: func(c Choice) bool { return c.Band == 64 || c.RankTwoK == tiles[3] }}
	s, notes := v.search(time.Hour)
	r, err := s.run(context.Background(), table)
	if err != nil || r.Band == 64 || r.Seconds != 2 || !r.Complete {
		t.Errorf("%+v, %v", r, err)
	}
	if slices.ContainsFunc(v.tried, v.spilled) {
		t.Error("a choice that spills was measured")
	}
	if len(*notes) < 2 || !strings.HasSuffix((*notes)[0], ": it spills") {
		t.Errorf("%q", *notes)
	}
}

func TestSearchKeepsToItsTime(t *testing.T) {
	v := &valley{band: 64, block: 1024, tile: tiles[2], step: 10 * time.Second}
	s, _ := v.search(55 * time.Second)
	r, err := s.run(context.Background(), table)
	if err != nil || r.Complete || len(v.tried) != 5 {
		t.Errorf("%+v, %v after %d measurements", r, err, len(v.tried))
	}
	// The list of choices that were not tried must have some ranks and tiles. It must not have b =
	// 16: this half-bandwidth is next to the one in the table, so the search tries it early.
	if all := strings.Join(r.Untried, "; "); len(r.Untried) < 5 || strings.Contains(all, "b = 16;") || !strings.Contains(all, "k = 1024 with b = ") || !strings.Contains(all, "; a 64×64×16 tile of 8×4") {
		t.Errorf("not tried: %q", r.Untried)
	}
	// With a budget of 0 the sizes of the tuning table are still measured, so that a search always
	// has a result.
	v = &valley{band: 64, block: 1024, step: time.Second}
	s, _ = v.search(0)
	if r, err := s.run(context.Background(), table); err != nil || r.Choice != table || r.Seconds != r.Before || len(v.tried) != 1 {
		t.Errorf("%+v, %v after %d measurements", r, err, len(v.tried))
	}
}

func TestSearchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	v := &valley{band: 64, block: 1024}
	s, notes := v.search(time.Hour)
	s.row = func(Choice, bench.Row) { cancel() }
	if _, err := s.run(ctx, table); !errors.Is(err, context.Canceled) || len(v.tried) != 1 || len(*notes) > 0 {
		t.Errorf("%v after %d measurements, %q", err, len(v.tried), *notes)
	}
}

// TestSearchFindsCrossovers runs searches on devices on which other methods are faster up to, or
// from, some orders. The search must find these orders, and must return 0 for those of the table.
func TestSearchFindsCrossovers(t *testing.T) {
	sized := tuning.Tuning{}
	sized.Sytrd.LocalSize, sized.Sytrd.Values, sized.Sytrd.Vectors = 256, 2816, 3072
	sized.Batch.Memory = []batch.Memory{{Order: 32}, {Order: 64}, {Order: 128}, {Order: 256, Conquer: true}, {Order: 256}, {Order: 512, Conquer: true}}
	for _, c := range []struct {
		oneStage, conquer int
		want              Crossovers
	}{
		{2816, 150, Crossovers{OneStageVectors: 2816}},
		{3072, 300, Crossovers{OneStageValues: 3072, Conquer: 257}},
		{100, 40, Crossovers{OneStageValues: 1, OneStageVectors: 1, Conquer: 33}},
		{8192, 9999, Crossovers{OneStageValues: 4096, OneStageVectors: 4096, Conquer: maxOrder}},
		{1300, 70, Crossovers{OneStageValues: 1280, OneStageVectors: 1280, Conquer: 65}},
	} {
		v := &valley{band: table.Band, block: table.Block, tile: table.RankTwoK, step: time.Second, tuned: sized, oneStage: c.oneStage, conquer: c.conquer}
		s, _ := v.search(time.Hour)
		r, err := s.run(context.Background(), table)
		if err != nil || r.Choice != crossing(c.want) || !r.Complete {
			t.Errorf("one stage to %d, divide and conquer from %d: %+v, %v", c.oneStage, c.conquer, r, err)
		}
		if v.chased = nil; slices.ContainsFunc(v.solved, func(n int) bool { return n <= 32 || n > oneStageMost }) {
			t.Errorf("measured orders %v", v.solved)
		}
		// The rows of the tuning must change as the choice says, and the table itself must stay
		// unchanged.
		changed := sized
		r.change(&changed)
		for i, row := range changed.Batch.Memory {
			if c.want.Conquer > 0 && row.Conquer != (int(row.Order) >= c.want.Conquer) {
				t.Errorf("from %d on: row %+v", c.want.Conquer, row)
			}
			if sized.Batch.Memory[i].Conquer != (i == 3 || i == 5) {
				t.Errorf("the table has changed: %+v", sized.Batch.Memory[i])
			}
		}
	}
	// On a device that cannot reduce a matrix in one stage, a search keeps the table's limits for
	// reductions in one stage.
	never := &valley{band: table.Band, block: table.Block, tile: table.RankTwoK, step: time.Second, tuned: sized, oneStage: 1300, conquer: 70, twoStages: true}
	without, _ := never.search(time.Hour)
	if r, err := without.run(context.Background(), table); err != nil || r.Choice != crossing(Crossovers{Conquer: 65}) || !r.Complete || len(r.Untried) > 0 {
		t.Errorf("without one stage: %+v, %v", r, err)
	}
	// A search whose time runs out keeps the table's orders and names what it has not tried.
	v := &valley{band: table.Band, block: table.Block, tile: table.RankTwoK, step: time.Second, tuned: sized, oneStage: 1300, conquer: 70}
	s, _ := v.search(24 * time.Second)
	r, err := s.run(context.Background(), table)
	if err != nil || r.Choice != table || r.Complete || !slices.Contains(r.Untried, "values in one stage") || !slices.Contains(r.Untried, "divide and conquer in batches") {
		t.Errorf("%+v, %v after %d measurements", r, err, len(v.tried))
	}
}

func TestChoices(t *testing.T) {
	for _, info := range []vk.Info{{Family: "nvidia"}, {Family: "cpu"}, {Family: "other"}} {
		got, err := TableChoice(info).Tuning(info)
		if err != nil || got.Band != tuning.On(info).Band || got.Products.Syr2k != tuning.On(info).Products.Syr2k {
			t.Errorf("%s: the table's own choice gives %+v, %v", info.Family, got, err)
		}
	}
	ok := choice(64, 1024, tiles[2])
	if got, err := ok.Tuning(vk.Info{Family: "nvidia"}); err != nil || got.Band != 64 || got.Block != 1024 || got.Products.Syr2k != tiles[2] || len(got.Products.Tiles) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []Choice{
		{}, choice(0, 64, tiles[0]), choice(-8, 64, tiles[0]), choice(32, 0, tiles[0]), choice(32, 16, tiles[0]), choice(32, 100, tiles[0]),
		choice(512, 512, tiles[0]), choice(64, 1<<20, tiles[0]), choice(32, 512, product.Tile{}),
		choice(32, 512, product.Tile{M: 1 << 30, N: 1 << 30, K: 1, ThreadM: 1, ThreadN: 1, Unroll: 1, Resident: 1}),
		crossing(Crossovers{OneStageValues: -1}), crossing(Crossovers{OneStageVectors: 1 << 20}), crossing(Crossovers{Conquer: 1 << 15}),
	} {
		if got, err := bad.Tuning(vk.Info{Family: "nvidia"}); err == nil {
			t.Errorf("%+v gives %+v", bad, got)
		}
	}
}

// TestTilesWork makes a plan with every tile that a search may choose, on a dry device. No plan may
// fail.
func TestTilesWork(t *testing.T) {
	dev := vk.Dry(vk.Info{Family: "nvidia", MaxLocal: 1024, SharedBytes: 48 << 10, Subgroup: 32})
	for _, tile := range tiles {
		c := table
		c.RankTwoK = tile
		tuning, err := c.Tuning(dev.Info())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := evd.NewPlan[float64](dev, 300, evd.Options{Vectors: true, Tuning: tuning}); err != nil {
			t.Errorf("%v: %v", tile, err)
		}
	}
}

// TestSearchHere runs a short search on a device of this machine.
func TestSearchHere(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Statistics: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	var rows []bench.Row
	r, err := Search(context.Background(), dev, Options{
		N: 40, Budget: time.Second, Repeat: 1, Row: func(_ Choice, r bench.Row) { rows = append(rows, r) }, Note: func(what string) { t.Log(what) },
	})
	table := TableChoice(dev.Info())
	table.Block = tuning.On(dev.Info()).For(40, 40).Block // an H200 has a smaller rank for small orders
	if err != nil || !(r.Seconds > 0 && r.Before >= r.Seconds) || r.Table != table {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := r.Choice.Tuning(dev.Info()); err != nil {
		t.Error(err)
	}
	if len(rows) < len(dependent) || rows[0].N != 40 || !(rows[0].Median > 0) || rows[0].Device != dev.Info().Name {
		t.Errorf("%+v", rows)
	}
}
