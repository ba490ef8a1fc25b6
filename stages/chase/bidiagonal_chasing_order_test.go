package chase

import (
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestBidiagonalChasingRule checks that the result becomes wrong if each sweep begins one half-step
// too early. A half-step applies one reflector. The test runs the bulge chasing in waves: a wave is
// a dispatch that runs one half-step of each of several sweeps. In a wave the newest sweep runs
// first, which is the worst order.
func TestBidiagonalChasingRule(t *testing.T) {
	const n, b = 40, 3
	band := stagetest.UpperBand(n, b)
	bench := newBidiagonalBench(t, n, b, true, bidiagonalForm{waits: false}, SmallestTuning().Chase.Tuning)
	right := bench.run(band)
	for _, stride := range []int{1 + bidiagonalLead + 1, 1 + bidiagonalLead, bidiagonalLead} {
		stagetest.Put(t, bench.dev, bench.band.In(bench.ws), band)
		rec := vk.NewRecorder(bench.dev)
		left, of := bench.reflectors()
		bench.stage.recordWaves(rec, bench.band.In(bench.ws), left, of, stride)
		stagetest.Run(t, bench.dev, rec)
		got := stagetest.Get(t, bench.dev, bench.band.In(bench.ws))
		if safe := stride > bidiagonalLead; stagetest.SameBits(got, right.band) != safe {
			t.Errorf("a sweep begins %d waves after the one before it: right is %v", stride, !safe)
		}
	}
}

// TestBidiagonalChasingWaitsForItsLead checks how far a sweep follows the previous sweep. A flag
// counts the finished half-steps (applications of one reflector) of a sweep. The test sets the flag
// of sweep 0 to f, and no workgroup increases the flag. The kernel must then do f − 3 half-steps of
// sweep 1 and give up. The test finds a kernel that waits for too small a lead, at the beginning of
// a sweep or inside it. It also finds a kernel whose flag promises too much: the last value of the
// flag of sweep 1 is published while the last half-step runs, so it must not count this half-step.
// The result does not depend on timing.
func TestBidiagonalChasingWaitsForItsLead(t *testing.T) {
	const n, b, lead = 40, 3, 3 // tb2bd.comp derives the lead
	bench := newBidiagonalBench(t, n, b, true, bidiagonalForms[0], SmallestTuning().Chase.Tuning)
	for f := range 10 {
		done, info := bench.afterFlag(f)
		if want := max(0, f-lead); done != want {
			t.Errorf("flag %d: %d half-steps, want %d", f, done, want)
		}
		if published, want := stagetest.Get(t, bench.dev, bench.stage.flags.Flag(bench.ws, 1))[0], max(0, done-1); published != uint32(want) {
			t.Errorf("flag %d: while half-step %d ran, the flag of its sweep was %d, want %d", f, done-1, published, want)
		}
		if info != 1 {
			t.Errorf("flag %d: INFO = %d, want 1: the flag of sweep 0 was not set", f, info)
		}
	}
	bench.leadBy(lead - 1)
	if done, _ := bench.afterFlag(lead); done != 1 {
		t.Errorf("a kernel with a lead of %d does %d half-steps, want 1: the test does not see its lead", lead-1, done)
	}
}

// leadBy replaces the kernel of the bulge chasing by one that waits for the given lead.
func (s *bidiagonalBench[T]) leadBy(lead uint32) {
	s.t.Helper()
	spec := s.stage.chase.Spec
	spec.Lead = lead
	kernels := stages.Builder{Dev: s.dev}
	s.stage.chase = stages.Build(&kernels, shaders.Tb2bdChase[T](), spec)
	if kernels.Err != nil {
		s.t.Fatal(kernels.Err)
	}
}

// TestBidiagonalChasingLongNeedsItsLead runs the bulge chasing with a kernel whose sweeps wait for
// a lead of two half-steps instead of three, many times and with many workgroups. Some results must
// be wrong. Otherwise the long tests could not see a lead that is too small. The test is for GPUs:
// it runs only if VKEVD_CHASES asks for several runs of each band.
func TestBidiagonalChasingLongNeedsItsLead(t *testing.T) {
	bands, runs := longChases(t)
	if runs == 1 {
		t.Skip("VKEVD_CHASES asks for no runs")
	}
	tune := SmallestTuning().Chase.Tuning
	tune.PerThread, tune.Dispatch, tune.Polls = 8, 1e15, 1<<24
	wrong, all := 0, 0
	for _, size := range bands {
		n, b := size[0], size[1]
		band := stagetest.UpperBand(n, b)
		want := newBidiagonalBench(t, n, b, true, bidiagonalForm{waits: false}, tune).run(band)
		bench := newBidiagonalBench(t, n, b, true, bidiagonalForm{waits: true, groups: 132}, tune)
		bench.leadBy(bidiagonalLead - 1)
		for range min(runs, 20) {
			if all++; !bench.run(band).same(want) {
				wrong++
			}
		}
		t.Logf("n=%d b=%d: %d of %d results so far are wrong", n, b, wrong, all)
	}
	if wrong == 0 {
		t.Errorf("no result of %d is wrong with a lead of %d", all, bidiagonalLead-1)
	}
}

// afterFlag sets the flag of sweep 0 to f, as if f half-steps of it were finished, and lets one
// workgroup run sweep 1. It returns the number of half-steps that the workgroup has done, and its
// INFO word.
func (s *bidiagonalBench[T]) afterFlag(f int) (done int, info uint32) {
	s.t.Helper()
	stage, ws := s.stage, s.ws
	stagetest.Put(s.t, s.dev, s.band.In(ws), stagetest.Rounded[T](stagetest.Exactly(stagetest.UpperBand(stage.N, stage.B))))
	rec := vk.NewRecorder(s.dev)
	left, right := s.reflectors()
	vk.Fill(rec, left.Tau, 0)
	vk.Fill(rec, right.Tau, 0)
	stage.flags.Clear(rec, ws)
	vk.Fill(rec, stage.flags.Ticket(ws, 0), 1) // one workgroup takes sweep 1
	vk.Fill(rec, stage.flags.Flag(ws, 0), uint32(f))
	stage.chase.Dispatch(rec, vk.Grid(1), shaders.Tb2bdChasePush[T]{
		Band: s.band.In(ws).Addr(), Left: left.V.Addr(), LeftTau: left.Tau.Addr(), Right: right.V.Addr(), RightTau: right.Tau.Addr(),
		N: uint32(stage.N), First: 0, Last: uint32(stage.Sweeps()), Polls: 1000,
		Info: stage.flags.Info(ws).Addr(), Ticket: stage.flags.Ticket(ws, 0).Addr(), Flags: stage.flags.First(ws),
		AbortWord: stage.abort,
	})
	stagetest.Run(s.t, s.dev, rec)
	steps := stage.steps(0)
	for _, tau := range [][]T{stagetest.Get(s.t, s.dev, left.Tau), stagetest.Get(s.t, s.dev, right.Tau)} {
		for _, x := range tau[steps : 2*steps] {
			if x != 0 {
				done++
			}
		}
	}
	return done, stagetest.Get(s.t, s.dev, stage.Info(ws))[0]
}
