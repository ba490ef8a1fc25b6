package machine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// These are the sizes of the probe of forward progress, the kernel that tests whether workgroups
// may wait for each other.
const (
	probePerUnit = 4       // workgroups for each unit of the device
	usualUnits   = 32      // units where the driver does not tell
	probeThreads = 128     // invocations of a workgroup
	probeRounds  = 16      // rounds; the words that an invocation writes in all rounds fill a cache line of 64 bytes
	gpuPolls     = 1 << 17 // poll limit of a GPU: a fraction of a second, where microseconds should do
	cpuPolls     = 1 << 24 // poll limit of a CPU, whose polls are fast, and whose threads other processes delay
	probeStride  = 8       // words from one flag to the next
)

// progressFact is the name under which the answer of the probe is stored. The name has the version
// of the probe, so that the answer of an older version is not taken for one of this version.
const progressFact = "hands flags on, probe 3"

// These are the stored answers, in the text form of vk.Device.ProbeOnce and SetProbe. "begun 2"
// stands for two runs of the probe that began and did not come to an end.
const yes, no, begun = "yes", "no", "begun %d"

// mostBegun is the number of runs of the probe without an end after which the answer is no.
const mostBegun = 3

// MayWait tells whether workgroups of one dispatch may wait for each other. This needs two
// properties: workgroups that have started make progress while others poll, and what a workgroup
// stored is visible to those that see its flag. Vulkan promises only the second one. If the answer
// is no, each stage takes a form in which no workgroup waits for another.
//
// The answer is found by running a kernel, and is then stored. A driver may reset the device during
// this probe. So each run is written down before its dispatch. After three runs without an answer,
// of any process, the kernel does not run again. (One of the three may be a run of another process
// that has not ended yet.) After WaitFailed the answer is no, too. For a vk.Dry device it is yes.
func (m *Machine) MayWait(ctx context.Context) (bool, error) {
	return m.mayWait(func(begin func()) (uint32, error) {
		return probeProgress(ctx, m, m.probeGroups(), m.probePolls(), false, begin)
	})
}

// mayWait is MayWait with the kernel as a parameter. The function run calls begin before its
// dispatch, and returns the INFO word.
func (m *Machine) mayWait(run func(begin func()) (uint32, error)) (bool, error) {
	asking.Lock()
	defer asking.Unlock()
	answer, err := m.dev.ProbeOnce(progressFact, func() (string, error) { return m.probe(0, run) })
	if err != nil {
		return false, err
	}
	runs := 0
	if _, err := fmt.Sscanf(answer, begun, &runs); err != nil {
		return answer != no, nil
	}
	if runs >= mostBegun {
		return false, nil
	}
	if answer, err = m.probe(runs, run); err != nil {
		return false, err
	}
	m.dev.SetProbe(progressFact, answer)
	return answer != no, nil
}

// WaitFailed records that a wait between workgroups was given up in a solve. From then on the
// answer of MayWait is no, in this process and in later ones that store facts in the same folder.
func (m *Machine) WaitFailed() {
	asking.Lock()
	defer asking.Unlock()
	m.dev.SetProbe(progressFact, no)
}

// asking keeps two goroutines of this process from probing at the same time. Two processes may
// still probe at the same time.
var asking sync.Mutex

// probe runs the kernel and returns the answer. runs is the number of earlier runs that did not
// end. If this run loses the device, it stays written down as one more of them. After another error
// it is not counted.
func (m *Machine) probe(runs int, run func(begin func()) (uint32, error)) (string, error) {
	if !m.Info.MemoryModel() {
		return no, nil // nothing orders what workgroups store
	}
	info, err := run(func() { m.dev.SetProbe(progressFact, fmt.Sprintf(begun, runs+1)) })
	switch {
	case errors.Is(err, vk.ErrDeviceLost):
		return "", err
	case err != nil:
		m.dev.SetProbe(progressFact, fmt.Sprintf(begun, runs))
		return "", err
	case info != 0:
		return no, nil
	}
	return yes, nil
}

// probeGroups is the number of workgroups of the probe. It is several times the number that the
// stages with waits have, but not above the largest grid that every device accepts.
func (m *Machine) probeGroups() int {
	units := m.Units
	if units == 0 {
		units = usualUnits
	}
	return min(probePerUnit*units, vk.MaxGroups())
}

// probePolls is the poll limit of the probe. It counts loads of a flag, not time. On a CPU other
// processes may stop a thread for long, so the limit is higher there.
func (m *Machine) probePolls() uint32 {
	if m.Info.Type == "cpu" {
		return cpuPolls
	}
	return gpuPolls
}

// probeProgress runs the kernel probe_progress and returns its INFO word, which is 0 if all waits
// ended. For tests, starved makes the second workgroup wait for a flag that is never set. The
// function begin is called before the dispatch. The words of the probe lie in memory of their own,
// which is freed at the end. Errors are those of package vk. The error vk.ErrDeviceLost says that
// the driver has reset the device.
func probeProgress(
	ctx context.Context, m *Machine, groups int, polls uint32, starved bool, begin func(),
) (uint32, error) {
	kernel, err := vk.Build(m.dev, shaders.ProbeProgress(), shaders.ProbeProgressSpec{
		LocalSize: probeThreads, Rounds: probeRounds, Starved: specBool(starved),
		WideFence: specBool(m.WideFence), FlagStride: probeStride,
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
	// Tickets, flags and data begin at zero, a value that no workgroup publishes.
	rec := vk.NewRecorder(m.dev)
	flags.Clear(rec, ws)
	vk.Fill(rec, data.In(ws), 0)
	kernel.Dispatch(rec, vk.Grid(groups), shaders.ProbeProgressPush{
		Info: flags.Info(ws).Addr(), Ticket: flags.Ticket(ws, 0).Addr(), Flags: flags.First(ws),
		Data: data.In(ws).Addr(), AbortWord: m.dev.Abort(), Polls: polls,
	})
	begin()
	if _, err := m.dev.Run(ctx, rec, nil); err != nil {
		return 0, err
	}
	info := make([]uint32, 1)
	err = vk.Download(ctx, m.dev, vk.Vector(info), flags.Info(ws))
	return info[0], err
}

// specBool is a truth value in the form of a specialisation constant.
func specBool(v bool) spirv.Bool {
	if v {
		return spirv.True
	}
	return spirv.False
}
