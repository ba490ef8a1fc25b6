package machine

import (
	"context"
	"errors"
	"sync"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// The probe of forward progress.
const (
	probePerUnit = 4       // workgroups for each unit of the device
	usualUnits   = 32      // units where the driver does not tell
	probeThreads = 128     // invocations of a workgroup
	probeRounds  = 16      // rounds; the words that an invocation writes in all rounds fill a cache line of 64 bytes
	gpuPolls     = 1 << 17 // poll limit of a GPU: a fraction of a second, where microseconds should do
	cpuPolls     = 1 << 24 // poll limit of a CPU, whose polls are fast, and whose threads other processes delay
	probeStride  = 8       // words from one flag to the next
)

// progressFact is the name of the answer. It says which probe it was: the answer of an older probe
// must not be taken for that of a newer one.
const progressFact = "hands flags on, probe 3"

// Answers. again stands for a probe that ended with an error other than the loss of the device.
const yes, no, again = "yes", "no", "again"

// MayWait tells whether workgroups of one dispatch may wait for each other: whether those that have
// started make progress while others poll, and whether what they stored is visible when their flag
// is. Vulkan promises only the latter. Where the answer is no, each stage takes a form in which no
// workgroup waits for another.
//
// The answer is found by running a kernel, and kept. A driver may reset the device during the
// probe: the answer is no from the beginning of the probe until its end, for later processes, too,
// so that no second process loses the device. Of a vk.Dry device the answer is yes.
func (m *Machine) MayWait(ctx context.Context) (bool, error) {
	asking.Lock()
	defer asking.Unlock()
	probe := func() (string, error) { return m.probe(ctx) }
	answer, err := m.dev.ProbeOnce(progressFact, probe)
	if answer == again && err == nil {
		if answer, err = probe(); err == nil {
			m.dev.SetProbe(progressFact, answer)
		}
	}
	return err == nil && answer != no, err
}

// asking keeps two goroutines from probing at the same time.
var asking sync.Mutex

// probe runs the kernel and returns the answer. The answer is kept as no while it runs, and after
// the device was lost.
func (m *Machine) probe(ctx context.Context) (string, error) {
	if !m.Info.MemoryModel() {
		return no, nil // nothing orders what workgroups store
	}
	m.dev.SetProbe(progressFact, no)
	info, err := probeProgress(ctx, m, m.probeGroups(), m.probePolls(), false)
	switch {
	case errors.Is(err, vk.ErrDeviceLost):
		return no, err
	case err != nil:
		m.dev.SetProbe(progressFact, again)
		return no, err
	case info != 0:
		return no, nil
	}
	return yes, nil
}

// probeGroups is the grid: several times what the stages that wait will have.
func (m *Machine) probeGroups() int {
	units := m.Units
	if units == 0 {
		units = usualUnits
	}
	return min(probePerUnit*units, vk.MaxGroups())
}

// probePolls is the poll limit.
func (m *Machine) probePolls() uint32 {
	if m.Info.Type == "cpu" {
		return cpuPolls
	}
	return gpuPolls
}

// probeProgress runs probe_progress and returns its INFO: 0 if all is well. starved makes the
// second workgroup wait in vain, for tests.
func probeProgress(ctx context.Context, m *Machine, groups int, polls uint32, starved bool) (uint32, error) {
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
	rec := vk.NewRecorder(m.dev)
	flags.Clear(rec, ws)
	vk.Fill(rec, data.In(ws), 0)
	kernel.Dispatch(rec, vk.Grid(groups), shaders.ProbeProgressPush{
		Info: flags.Info(ws).Addr(), Ticket: flags.Ticket(ws, 0).Addr(), Flags: flags.First(ws),
		Data: data.In(ws).Addr(), AbortWord: m.dev.Abort(), Polls: polls,
	})
	if _, err := m.dev.Run(ctx, rec, nil); err != nil {
		return 0, err
	}
	info := make([]uint32, 1)
	err = vk.Download(ctx, m.dev, vk.Vector(info), flags.Info(ws))
	return info[0], err
}

// specBool is a truth value as a specialisation constant.
func specBool(v bool) spirv.Bool {
	if v {
		return spirv.True
	}
	return spirv.False
}
