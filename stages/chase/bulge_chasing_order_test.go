package chase

import (
	"context"
	"errors"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestBulgeChasingLong runs the bulge chasing many times. The test is for GPUs, where a missing
// memory barrier has an effect. The environment variable VKEVD_CHASES is the number of runs at
// order 2048, with the device's own tuning and different numbers of workgroups. Without it, the
// test is skipped. If one team of invocations computes all blocks of a step, the results must have
// the bits of a run with one dispatch for each set of independent steps (a wave). If each block has
// its own team, the results must have the bits of a run with one workgroup.
func TestBulgeChasingLong(t *testing.T) {
	runs, _ := strconv.Atoi(os.Getenv("VKEVD_CHASES"))
	if runs == 0 {
		t.Skip("VKEVD_CHASES asks for no runs")
	}
	tune := tuningFor(stagetest.Device(t).Info().Family).Chase
	waves, alone := tune, tune
	waves.Wavefront, alone.Groups = true, 1
	t.Run("b=32", func(t *testing.T) { chaseLong(t, 32, runs, tune, waves) })
	t.Run("b=64", func(t *testing.T) {
		if tune.Team == 0 {
			t.Skip("no teams")
		}
		chaseLong(t, 64, runs, tune, alone)
	})
}

func chaseLong(t *testing.T, b, runs int, tune, usual ChaseTable) {
	const n = 2048
	band := stagetest.RandomBand(n, b)
	want := newChaseBench(t, n, b, true, usual).run(band, nil)
	grids := []int{1, 2, 7, 33, 132, 200, 264, 500}
	for _, groups := range grids {
		tune.Groups = groups
		bench := newChaseBench(t, n, b, true, tune)
		for range (runs + len(grids) - 1) / len(grids) {
			if !bench.run(band, nil).same(want) {
				t.Fatalf("%d workgroups give other bits", groups)
			}
		}
	}
}

// TestBulgeChasingManyTimes repeats a bulge chasing, and checks that the bits of the result do not
// depend on which workgroup processes which sweep, and when.
func TestBulgeChasingManyTimes(t *testing.T) {
	when.Long(t, "TestBulgeChasing, which compares the bits of all forms; only a GPU has races")
	bothChases(t, testBulgeChasingManyTimes)
}

func testBulgeChasingManyTimes(t *testing.T, smallest ChaseTable) {
	n, b := 24, 3
	band := stagetest.RandomBand(n, b)
	var first chased
	for groups := 1; groups <= 8; groups++ {
		tune := smallest
		tune.Groups = groups
		tune.WideFence = groups%2 == 0
		bench := newChaseBench(t, n, b, true, tune)
		for range 25 {
			got := bench.run(band, nil)
			if first.d == nil {
				first = got
			}
			if !got.same(first) {
				t.Fatalf("%d workgroups give other bits", groups)
			}
		}
	}
}

// TestBulgeChasingRule checks that the result becomes wrong if each sweep begins one step too
// early. The test runs the bulge chasing in waves: a wave is a dispatch that runs one step of each
// of several sweeps. In a wave the newest sweep runs first, which is the worst order.
func TestBulgeChasingRule(t *testing.T) {
	n, b := 40, 3
	band := stagetest.RandomBand(n, b)
	tune := SmallestTuning().Chase
	tune.Wavefront = true
	bench := newChaseBench(t, n, b, true, tune)
	right := bench.run(band, nil)
	for _, stride := range []int{1 + chaseLead + 1, 1 + chaseLead, chaseLead} {
		got := bench.run(band, func(rec *vk.Recorder) {
			bench.stage.recordWaves(rec, bench.band, stages.Reflectors[float64]{V: bench.v, Tau: bench.tau}, stride)
		})
		if safe := stride > chaseLead; stagetest.SameBits(got.band, right.band) != safe {
			t.Errorf("a sweep begins %d waves after the one before it: right is %v", stride, !safe)
		}
	}
}

// claimed records a dispatch of the bulge chasing in which a workgroup processes sweep 1, but no
// workgroup processes sweep 0. So the wait of sweep 1 for sweep 0 never succeeds.
func (c *chaseBench) claimed(polls uint32) *vk.Recorder {
	rec := vk.NewRecorder(c.dev)
	flags := c.stage.flags
	flags.Clear(rec, c.ws)
	vk.Fill(rec, flags.Ticket(c.ws, 0), 1)
	c.stage.dispatch(rec, vk.Grid(2), shaders.Sb2stChasePush[float64]{
		Band: c.band.Addr(), V: c.v.Addr(), Tau: c.tau.Addr(), N: uint32(c.stage.N), First: 0, Last: uint32(c.stage.Sweeps()), Polls: polls,
		Info: flags.Info(c.ws).Addr(), Ticket: flags.Ticket(c.ws, 0).Addr(), Flags: flags.First(c.ws), AbortWord: c.stage.abort,
	})
	return rec
}

// TestBulgeChasingGivesUp checks a wait of a sweep for a flag that is never set: the wait must end,
// and INFO must name the flag.
func TestBulgeChasingGivesUp(t *testing.T) { bothChases(t, testBulgeChasingGivesUp) }

func testBulgeChasingGivesUp(t *testing.T, smallest ChaseTable) {
	bench := newChaseBench(t, 24, 3, true, smallest)
	stagetest.Run(t, bench.dev, bench.claimed(1000))
	if got := stagetest.Get(t, bench.dev, bench.stage.Info(bench.ws)); got[0] != 1 && got[0] != 2 {
		t.Errorf("INFO = %d, want 1 or 2: sweeps 0 and 1 were waited for", got[0])
	}
}

// TestBulgeChasingAborts checks that a wait ends when the context of its run ends, and not earlier.
// The next run has its own context and must not be aborted.
func TestBulgeChasingAborts(t *testing.T) { bothChases(t, testBulgeChasingAborts) }

func testBulgeChasingAborts(t *testing.T, smallest ChaseTable) {
	bench := newChaseBench(t, 24, 3, true, smallest)
	info := func() uint32 { return stagetest.Get(t, bench.dev, bench.stage.Info(bench.ws))[0] }
	for range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := bench.dev.Run(ctx, bench.claimed(math.MaxUint32), nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if spent := time.Since(began); spent > 5*time.Second {
			t.Errorf("it took %v", spent)
		}
		if got := info(); got != 0 {
			t.Errorf("INFO = %d after an abort", got)
		}
		stagetest.Run(t, bench.dev, bench.claimed(1000))
		if got := info(); got != 1 && got != 2 {
			t.Errorf("INFO = %d of the run after an abort, want 1 or 2", got)
		}
	}
}
