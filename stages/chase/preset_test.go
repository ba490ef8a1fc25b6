package chase

import (
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestBulgeChasingWaitsForItsLead checks how far a sweep follows the previous sweep. A flag counts
// the finished steps of a sweep. The test sets the flag of sweep 0 to f, and no workgroup increases
// the flag. The kernel must then do f − chaseLead steps of sweep 1 and give up. The test finds a
// kernel that waits for too small a lead, at the beginning of a sweep or inside it, and a host that
// passes too small a lead. It also finds a kernel whose flag promises too much: the last value of
// the flag of sweep 1 is published while the last step runs. If the kernel has one team of
// invocations, this value must not count the step, because β is not stored yet. If the kernel has
// several teams, β is stored already, and the value counts the step. The result does not depend on
// timing.
func TestBulgeChasingWaitsForItsLead(t *testing.T) { bothChases(t, testBulgeChasingWaitsForItsLead) }

func testBulgeChasingWaitsForItsLead(t *testing.T, smallest ChaseTable) {
	const n, b = 40, 3
	bench, band := newChaseBench(t, n, b, true, smallest), stagetest.RandomBand(n, b)
	for f := range 8 {
		stagetest.Put(t, bench.dev, bench.band, band)
		stagetest.Run(t, bench.dev, bench.preset(uint32(f)))
		steps := bench.stage.steps(0)
		done := 0
		for _, tau := range stagetest.Get(t, bench.dev, bench.tau)[steps : 2*steps] {
			if tau != 0 {
				done++
			}
		}
		if want := max(0, f-chaseLead); done != want {
			t.Errorf("flag %d: %d steps, want %d", f, done, want)
		}
		counted := done
		if bench.stage.teams == nil {
			counted = max(0, done-1)
		}
		if published := stagetest.Get(t, bench.dev, bench.stage.flags.Flag(bench.ws, 1))[0]; published != uint32(counted) {
			t.Errorf("flag %d: while step %d ran, the flag of its sweep was %d, want %d", f, done-1, published, counted)
		}
		if info := stagetest.Get(t, bench.dev, bench.stage.Info(bench.ws))[0]; info != 1 {
			t.Errorf("flag %d: INFO = %d, want 1: the flag of sweep 0 was not set", f, info)
		}
	}
}

// preset records a dispatch of one workgroup that processes sweep 1. Before the dispatch, the flag
// of sweep 0 is set to `count`, as if so many steps were finished, and all elements of `tau` are
// set to zero.
func (c *chaseBench) preset(count uint32) *vk.Recorder {
	rec := vk.NewRecorder(c.dev)
	flags := c.stage.flags
	vk.Fill(rec, c.tau, 0)
	flags.Clear(rec, c.ws)
	vk.Fill(rec, flags.Ticket(c.ws, 0), 1)
	vk.Fill(rec, flags.Flag(c.ws, 0), count)
	c.stage.dispatch(rec, vk.Grid(1), shaders.Sb2stChasePush[float64]{
		Band: c.band.Addr(), V: c.v.Addr(), Tau: c.tau.Addr(), N: uint32(c.stage.N),
		First: 0, Last: uint32(c.stage.Sweeps()), Polls: 1000,
		Info: flags.Info(c.ws).Addr(), Ticket: flags.Ticket(c.ws, 0).Addr(), Flags: flags.First(c.ws),
		AbortWord: c.stage.abort,
	})
	return rec
}
