package panel

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// meetingPolls is the poll limit in the trial of Meet. So many reads take a fraction of a second.
// If all workgroups run at the same time, each wait takes only microseconds.
const meetingPolls = 1 << 17

// Meet returns whether the given number of workgroups run at the same time. Each of them may then
// wait for all others, in one dispatch that factors a panel, or in Tridiagonalisation. `groups`
// must be the largest number that a stage needs (the methods Meeting of the tunings). If a wait for
// all others failed in a solve (Machine.MeetFailed), the result is false. Otherwise it is true for
// fewer than two workgroups, because then no workgroup waits for another. For more, it is the
// result of a trial, which Machine.MayMeet runs and stores. The trial is a factorisation of a panel
// of zeros with b columns, in double precision if the device has it. If the trial's kernel does not
// fit the device, the result is false. Errors are those of package vk.
func Meet(ctx context.Context, m *machine.Machine, b, groups int, t Tuning) (bool, error) {
	if failed := m.MeetingFailed(); failed || groups < 2 {
		return !failed, nil
	}
	t.Groups, t.Whole = groups, true
	if !m.Info.Float64() {
		return panelsMeetIn[float32](ctx, m, b, t)
	}
	return panelsMeetIn[float64](ctx, m, b, t)
}

func panelsMeetIn[T spirv.Real](ctx context.Context, m *machine.Machine, b int, t Tuning) (bool, error) {
	if panelFits[T](t, m.Info, b) != nil {
		return false, nil
	}
	spec := wholeSpec(panelSpec[T](t, b))
	what := fmt.Sprintf("%d panels of %d rows and %d columns, %d invocations", t.Groups, spec.Chunk, b, spec.LocalSize)
	return m.MayMeet(what, func(begin func()) (uint32, error) { return panelsMeet[T](ctx, m.Device(), b, t, begin) })
}

// panelsMeet factors a panel of zeros with t.Groups workgroups and returns the INFO word, which is
// 0 if all workgroups ran at the same time. It calls `begin` before the dispatch.
func panelsMeet[T spirv.Real](ctx context.Context, dev *vk.Device, b int, t Tuning, begin func()) (uint32, error) {
	t.Polls = min(t.Polls, meetingPolls)
	q, err := newPanelQR[T](dev, b, true, t) // without the kernel for tall panels, which is not needed
	if err != nil {
		return 0, err
	}
	m := t.Groups * q.chunk
	panel, r, tau := vk.Reserve[T]("panel", m*b), vk.Reserve[T]("R", b*b), vk.Reserve[T]("tau", b)
	ws, err := dev.NewArena(vk.Together(panel, r, tau, q.Work(), q.Status()))
	if err != nil {
		return 0, err
	}
	defer ws.Close()
	rec := vk.NewRecorder(dev)
	vk.Fill(rec, panel.In(ws), 0)
	q.Record(rec, ws, product.NewMatrix(panel.In(ws), m, b, m), product.NewMatrix(r.In(ws), b, b, b), tau.In(ws))
	if err := rec.Compiled(); err != nil { // a process that ends while it compiles has not run the trial
		return 0, err
	}
	begin()
	if _, err := dev.Run(ctx, rec, nil); err != nil {
		return 0, err
	}
	info := make([]uint32, 1)
	err = vk.Download(ctx, dev, vk.Vector(info), q.Info(ws))
	return info[0], err
}
