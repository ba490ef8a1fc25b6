package machine

import (
	"context"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// These are the sizes of the dispatch of probe_progress, and its poll limits.
const (
	probePerUnit = 4       // workgroups for each unit of the device
	usualUnits   = 32      // units where the driver does not tell
	probeThreads = 128     // invocations of a workgroup
	probeRounds  = 16      // rounds; the words that an invocation writes in all rounds fill a cache line of 64 bytes
	gpuPolls     = 1 << 17 // poll limit of a GPU: a fraction of a second, where microseconds should do
	cpuPolls     = 1 << 24 // poll limit of a CPU, whose polls are fast, and whose threads other processes delay
	probeStride  = 8       // words from one flag to the next
)

// progressFact is the name under which the result of the probe is stored. It contains the version
// of the probe, so that results of older versions are not used.
const progressFact = "hands flags on, probe 3"

const yes, no = "yes", "no"

// MayWait returns whether workgroups of one dispatch may wait for each other. This needs two
// properties of the device. Workgroups that have started must make progress while other workgroups
// poll. The stores of a workgroup must be visible to workgroups that see its flag. Vulkan
// guarantees only the second property. If the result is “no”, each stage takes a form in which no
// workgroup waits for another workgroup.
//
// MayWait runs a kernel once and stores the result. The kernel has wide fences if the stages have
// them on this device (stages.Waiting). A driver may reset the device during this probe. So the
// start of each run is stored before its dispatch. If three runs of any process have started and no
// run has given a result, the kernel does not run again and the result is “no”. (One of the three
// may be a run of another process that has not ended yet.) After WaitFailed the result is “no”,
// too. For a vk.Dry device the result is “yes” unless WaitFailed was called.
func (m *Machine) MayWait(ctx context.Context, wideFence bool) (bool, error) {
	return m.mayWait(func(begin func()) (uint32, error) {
		return probeProgress(ctx, m, m.probeGroups(), m.probePolls(), false, wideFence, begin)
	})
}

func (m *Machine) mayWait(run Trial) (bool, error) { return m.ask(progressFact, run, no) }

// Trial is a function that runs a kernel whose workgroups wait for each other. It calls `begin`
// before the dispatch, and returns the kernel's INFO word, which is 0 if all waits ended.
type Trial func(begin func()) (uint32, error)

// MayMeet returns whether all workgroups of a dispatch run at the same time (residency), so that
// each workgroup may wait for all other workgroups. Vulkan does not guarantee residency. The trial
// `run` tests residency with one kernel and one number of workgroups. The argument `what` names
// the kernel and the number. The caller should not call MayMeet for a device that has fewer compute
// units than the dispatch has workgroups. After MeetFailed the result is “no”.
//
// The result is stored under the name `what`, by the rules of MayWait: the start of each run is
// stored before its dispatch, and after three runs without a result the result is “no”. A run in
// which a wait failed counts as a run without a result, because another program may have used some
// of the units at that time. MayMeet then returns false, and the next call runs the trial again.
// For a vk.Dry device the result is “yes” unless a result was stored.
func (m *Machine) MayMeet(what string, run Trial) (bool, error) {
	if m.MeetingFailed() {
		return false, nil
	}
	return m.ask(meetingFact+what, run, begun)
}

const meetingFact = "workgroups meet, probe 1: "

const failedMeetingFact = "workgroups meet in solves"

// ask returns the result that is stored under the given name. If there is none, it runs the trial
// `run` once and stores its result. If a workgroup's wait failed in this run, ask stores the text
// `failed`: `no`, or `begun` if such a run counts as a run without a result.
func (m *Machine) ask(name string, run Trial, failed string) (bool, error) {
	answer, err := m.Attempt(name, func(begin func()) (string, error) {
		if !m.Info.MemoryModel() {
			return no, nil // nothing orders what workgroups store
		}
		info, err := run(begin)
		switch {
		case err != nil || info != 0 && failed == begun:
			return "", err
		case info != 0:
			return no, nil
		}
		return yes, nil
	})
	_, open := unfinished(answer)
	return err == nil && !open && answer != no, err
}

// WaitFailed records that a wait between workgroups failed in a solve. From then on the result of
// MayWait is “no”, also in later processes that store facts in the same folder.
func (m *Machine) WaitFailed() {
	asking.Lock()
	defer asking.Unlock()
	m.dev.SetProbe(progressFact, no)
}

// MeetFailed records that a wait of a workgroup for all others failed in a solve. From then on each
// result of MayMeet is “no”, also in later processes that store facts in the same folder. The
// result of MayWait does not change: a workgroup may still wait for one that has started before.
func (m *Machine) MeetFailed() {
	asking.Lock()
	defer asking.Unlock()
	m.dev.SetProbe(failedMeetingFact, no)
}

func (m *Machine) MeetingFailed() bool {
	text, err := m.dev.ProbeOnce(failedMeetingFact, func() (string, error) { return "", errUnknown })
	return err == nil && text == no
}

// probeGroups returns several workgroups for each compute unit, but not more than the largest grid
// that every device accepts.
func (m *Machine) probeGroups() int {
	units := m.Units
	if units == 0 {
		units = usualUnits
	}
	return min(probePerUnit*units, vk.MaxGroups())
}

// probePolls returns the poll limit of the probe: the number of loads of a flag after which a wait
// fails. It is higher on a CPU, where other processes may stop a thread for a long time.
func (m *Machine) probePolls() uint32 {
	if m.Info.Type == "cpu" {
		return cpuPolls
	}
	return gpuPolls
}

// probeProgress runs the kernel probe_progress and returns its INFO word, which is 0 if all waits
// ended. With `starved`, for tests, the second workgroup waits for a flag that is never set.
// `begin` is called before the dispatch. The error vk.ErrDeviceLost means that the driver has reset
// the device.
func probeProgress(
	ctx context.Context, m *Machine, groups int, polls uint32, starved, wideFence bool, begin func(),
) (uint32, error) {
	kernel, err := vk.Build(m.dev, shaders.ProbeProgress(), shaders.ProbeProgressSpec{
		LocalSize: probeThreads, Rounds: probeRounds, Starved: spirv.BoolOf(starved),
		WideFence: spirv.BoolOf(wideFence), FlagStride: probeStride,
	})
	if err != nil {
		return 0, err
	}
	flags := ReserveFlags("probe's flags", 1, groups, probeStride)
	data := vk.Reserve[uint32]("probe's data", groups*probeRounds*probeThreads)
	ws, err := m.dev.NewArena(vk.Together(flags.Layout(), data))
	if err != nil {
		return 0, err
	}
	defer ws.Close()
	// No workgroup publishes the value zero, so zero means that nothing was published.
	rec := vk.NewRecorder(m.dev)
	flags.Clear(rec, ws)
	vk.Fill(rec, data.In(ws), 0)
	kernel.Dispatch(rec, vk.Grid(groups), shaders.ProbeProgressPush{
		Info: flags.Info(ws).Addr(), Ticket: flags.Ticket(ws, 0).Addr(), Flags: flags.First(ws),
		Data: data.In(ws).Addr(), AbortWord: m.dev.Abort(), Polls: polls,
	})
	if err := rec.Compiled(); err != nil { // a process that ends while it compiles has not run the trial
		return 0, err
	}
	begin()
	if _, err := m.dev.Run(ctx, rec, nil); err != nil {
		return 0, err
	}
	info := make([]uint32, 1)
	err = vk.Download(ctx, m.dev, vk.Vector(info), flags.Info(ws))
	return info[0], err
}
