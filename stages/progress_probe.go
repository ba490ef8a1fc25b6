package stages

import (
	"context"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// What the probe of a device's progress is made of.
const (
	probeTimes   = 4 // as many workgroups as chase bulges
	probeThreads = 128
	probeRounds  = 4
	probePolls   = 1 << 22 // seconds on any device, where microseconds should do
)

// The fact's name says which test it was: a later one must not take its answer.
const progressFact = "hands flags on, probe 2"

// HandsOn finds out, once a device and driver, whether workgroups that have
// started go on while others wait for them, and whether what they wrote is there
// when their flag is. Vulkan promises the second only. Where the answer is no, no
// stage's workgroups wait for each other.
func HandsOn(dev *vk.Device) (bool, error) {
	const yes, no = "yes", "no"
	answer, err := dev.ProbeOnce(progressFact, func() (string, error) {
		if !dev.Info().MemoryModel() {
			return no, nil // nothing orders what workgroups write
		}
		if info, err := probeProgress(dev, probeTimes*TuningFor(dev.Info()).Chase.groups(dev.Info()), probePolls, false); err != nil || info != 0 {
			return no, err
		}
		return yes, nil
	})
	return answer != no, err
}

// mayWait tells whether workgroups may wait for each other: they may where the device
// hands flags on and nobody asked for waves.
func mayWait(dev *vk.Device, t Tuning) (bool, error) {
	if t.Chase.Wavefront {
		return false, nil
	}
	return HandsOn(dev)
}

// probeProgress runs probe_progress and returns its INFO.
func probeProgress(dev *vk.Device, groups int, polls uint32, starved bool) (uint32, error) {
	const stride = 8
	wide := TuningFor(dev.Info()).Chase.wideFence(dev.Info()) // as the stages will
	kernel, err := vk.Build(dev, shaders.ProbeProgress(), shaders.ProbeProgressSpec{
		LocalSize: probeThreads, Rounds: probeRounds, Starved: specBool(starved), WideFence: specBool(wide), FlagStride: stride,
	})
	if err != nil {
		return 0, err
	}
	words := vk.Reserve[uint32]("ticket, INFO, flags", 2+groups*stride)
	data := vk.Reserve[uint32]("data", groups*probeRounds*probeThreads)
	ws, err := dev.NewArena(vk.Together(words, data))
	if err != nil {
		return 0, err
	}
	defer ws.Close()
	rec := vk.NewRecorder(dev)
	w := words.In(ws)
	vk.Fill(rec, w, 0)
	vk.Fill(rec, data.In(ws), 0)
	kernel.Dispatch(rec, vk.Grid(groups), shaders.ProbeProgressPush{
		Ticket: w.Addr(), Info: w.From(1).Addr(), Flags: w.From(2).Addr(), Data: data.In(ws).Addr(), AbortWord: dev.Abort(), Polls: polls,
	})
	if _, err := dev.Run(context.Background(), rec, nil); err != nil {
		return 0, err
	}
	info := make([]uint32, 1)
	err = vk.Download(context.Background(), dev, vk.Vector(info), w.Sub(1, 1))
	return info[0], err
}
