package stages

import (
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// TestBidiagonalChasingRule checks that the result becomes wrong if each sweep begins one half-step
// too early. A half-step applies one reflector. The test runs the bulge chasing in waves: a wave is
// a dispatch that runs one half-step of each of several sweeps. In a wave the newest sweep runs
// first, which is the worst order.
func TestBidiagonalChasingRule(t *testing.T) {
	const n, b = 40, 3
	band := upperBand(n, b)
	bench := newBidiagonalBench(t, n, b, true, bidiagonalForm{waits: false}, smallestChase().ChaseTuning)
	right := bench.run(band)
	for _, stride := range []int{1 + bidiagonalLead + 1, 1 + bidiagonalLead, bidiagonalLead} {
		put(t, bench.dev, bench.band.In(bench.ws), band)
		rec := vk.NewRecorder(bench.dev)
		left, of := bench.reflectors()
		bench.stage.recordWaves(rec, bench.band.In(bench.ws), left, of, stride)
		run(t, bench.dev, rec)
		got := get(t, bench.dev, bench.band.In(bench.ws))
		if safe := stride > bidiagonalLead; sameBits(got, right.band) != safe {
			t.Errorf("a sweep begins %d waves after the one before it: right is %v", stride, !safe)
		}
	}
}

// TestBidiagonalChasingWaitsForItsLead checks how far a sweep follows the previous sweep. A flag
// counts the finished half-steps (applications of one reflector) of a sweep. The test sets the flag
// of sweep 0 to f, and no workgroup increases the flag. The kernel must then do f − 3 half-steps of
// sweep 1 and give up. The test finds a kernel that waits for too small a lead, at the beginning of
// a sweep or inside it. The result does not depend on timing.
func TestBidiagonalChasingWaitsForItsLead(t *testing.T) {
	const n, b, lead = 40, 3, 3 // tb2bd.comp derives the lead
	bench, band := newBidiagonalBench(t, n, b, true, bidiagonalForms[0], smallestChase().ChaseTuning), upperBand(n, b)
	stage, ws := bench.stage, bench.ws
	for f := range 10 {
		put(t, bench.dev, bench.band.In(ws), band)
		rec := vk.NewRecorder(bench.dev)
		left, right := bench.reflectors()
		vk.Fill(rec, left.Tau, 0)
		vk.Fill(rec, right.Tau, 0)
		stage.flags.Clear(rec, ws)
		vk.Fill(rec, stage.flags.Ticket(ws, 0), 1) // one workgroup takes sweep 1
		vk.Fill(rec, stage.flags.Flag(ws, 0), uint32(f))
		stage.chase.Dispatch(rec, vk.Grid(1), shaders.Tb2bdChasePush[float64]{
			Band: bench.band.In(ws).Addr(), Left: left.V.Addr(), LeftTau: left.Tau.Addr(), Right: right.V.Addr(), RightTau: right.Tau.Addr(),
			N: n, First: 0, Last: uint32(stage.sweeps()), Polls: 1000,
			Info: stage.flags.Info(ws).Addr(), Ticket: stage.flags.Ticket(ws, 0).Addr(), Flags: stage.flags.First(ws),
			AbortWord: stage.abort,
		})
		run(t, bench.dev, rec)
		steps, done := stage.steps(0), 0
		for _, tau := range [][]float64{get(t, bench.dev, left.Tau), get(t, bench.dev, right.Tau)} {
			for _, x := range tau[steps : 2*steps] {
				if x != 0 {
					done++
				}
			}
		}
		if want := max(0, f-lead); done != want {
			t.Errorf("flag %d: %d half-steps, want %d", f, done, want)
		}
		if info := get(t, bench.dev, stage.Info(ws))[0]; info != 1 {
			t.Errorf("flag %d: INFO = %d, want 1: the flag of sweep 0 was not set", f, info)
		}
	}
}
