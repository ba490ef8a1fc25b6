package chase

import (
	"fmt"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// A pipeline runs the sweeps of a chase. A sweep chases a bulge down the whole band, in steps; if
// reflectors are applied to columns and to rows in turn, these are half-steps with one reflector
// each. Many sweeps are in flight, each some steps behind the previous one. Either sweeps wait for
// each other by flags, or each wave of independent steps is a dispatch.
type pipeline struct {
	count  int                 // number of sweeps
	length func(sweep int) int // steps of a sweep
	flops  float64             // cost of a step
	least  float64             // lower limit for the cost of a sweep
	lead   int                 // a sweep may do step j when the previous one has finished step j + lead
	behind int                 // least distance of a sweep to the previous one, in steps; limits `groups`
	tune   Tuning              // Groups is what the device has in flight
	abort  spirv.Addr[uint32]  // word that the host sets to end all waits

	// If sweeps wait for each other, `parts` holds the range of sweeps of each dispatch, and
	// `flags` has a ticket counter for each dispatch and a flag for each sweep. The value of a flag
	// is the number of steps that the sweep has finished.
	parts []stages.Span
	flags machine.Flags
}

func (p *pipeline) divide() {
	p.parts = stages.Spans(p.count, p.count, p.tune.Dispatch, func(sweep int) float64 {
		return max(p.least, float64(p.length(sweep))*p.flops)
	})
}

func (p *pipeline) reserve() {
	p.divide()
	p.flags = machine.ReserveFlags("chase INFO, tickets, flags", len(p.parts), p.count, p.tune.flagStride())
}

func (p *pipeline) waits() bool { return p.flags.Stride() > 0 }

// Work has a flag for each sweep, the counters from which workgroups take the numbers of sweeps
// (tickets), and the INFO word. The layout is empty if workgroups do not wait for each other.
func (p *pipeline) Work() *vk.Layout {
	if !p.waits() {
		return vk.Together()
	}
	return p.flags.Layout()
}

// Info returns the INFO word. It is 0 after a successful run. Otherwise a wait reached the poll
// limit, and the word is 1 plus the index of the sweep whose flag was not set. If workgroups do not
// wait for each other, there is no such word, and the result is empty.
func (p *pipeline) Info(ws *vk.Arena) vk.Slice[uint32] {
	if !p.waits() {
		return vk.Slice[uint32]{}
	}
	return p.flags.Info(ws)
}

// groups limits the number of workgroups to the number of sweeps that can be in flight at the same
// time, which follows from the length of a sweep. Further workgroups would only poll flags.
func (p *pipeline) groups(sweeps int) int {
	return min(p.tune.Groups, sweeps, p.length(0)/p.behind+2)
}

// A part is a dispatch of sweeps that wait for each other. Its fields are push constants.
type part struct {
	First, Last, Polls  uint32
	Info, Ticket, Abort spirv.Addr[uint32]
	Flags               spirv.Addr[uint32]
}

// eachPart calls `dispatch` for each dispatch of sweeps that wait for each other. The flags must
// have been cleared before. No wait is endless, because a sweep waits only for the previous sweep.
// Either the previous sweep has ended in an earlier dispatch, or a workgroup of the same dispatch
// claimed it earlier, and this workgroup is running.
func (p *pipeline) eachPart(rec *vk.Recorder, ws *vk.Arena, dispatch func(groups vk.Groups, d part)) {
	for i, span := range p.parts {
		dispatch(vk.Grid(p.groups(span.Len())), part{
			uint32(span.First), uint32(span.Last), p.tune.Polls,
			p.flags.Info(ws).Addr(), p.flags.Ticket(ws, i).Addr(), p.abort, p.flags.First(ws),
		})
		rec.Costs(span.Cost)
	}
}

// A wave is a dispatch of one step of each of `Count` sweeps, of which `Newest` is the last. The
// fields are those of the push constants.
type wave struct{ Wave, Stride, Newest, Count uint32 }

// eachWave calls `dispatch` for each wave t = 0, 1, … of the chase. Wave t consists of step t −
// stride·s of each sweep s that has such a step. These steps are independent of each other if
// `stride`, the number of waves between the beginnings of two successive sweeps, is larger than the
// lead of a sweep over the next one.
func (p *pipeline) eachWave(rec *vk.Recorder, stride int, dispatch func(groups vk.Groups, w wave)) {
	oldest := 0 // the first sweep that has not ended; they end in order
	for t := 0; ; t++ {
		for oldest < p.count && t-stride*oldest >= p.length(oldest) {
			oldest++
		}
		if oldest == p.count {
			return
		}
		newest := min(t/stride, p.count-1)
		if newest < oldest {
			continue // all sweeps that have begun have ended: they are shorter than `stride`
		}
		count := newest - oldest + 1
		dispatch(vk.Folded(count), wave{uint32(t), uint32(stride), uint32(newest), uint32(count)})
		rec.Costs(float64(count) * p.flops)
	}
}

// fits returns a *vk.UnsupportedError if a compact band with `columns` columns of `height` elements
// has more elements than the kernels count in 32 bits.
func fits(info vk.Info, columns, height int) error {
	const most = 1 << 32
	if columns > most/height {
		return &vk.UnsupportedError{Device: info.Name, Feature: "elements of a compact band",
			Need: fmt.Sprintf("%d·%d", columns, height), Have: fmt.Sprint(most)}
	}
	return nil
}

func clearTau[T spirv.Stored](rec *vk.Recorder, s Size, qs ...stages.Reflectors[T]) {
	if !s.Vectors {
		return
	}
	for _, q := range qs {
		if s.Sweeps() > 0 {
			q.Check(s.N, s.B)
		}
		vk.Fill(rec, q.Tau, 0)
	}
}
