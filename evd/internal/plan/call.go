package plan

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
	"github.com/vkevd/vkevd/vk"
)

// Call is one call of a plan's method, in flight: its context, device and memory, and the results
// that it has so far. Base.Begin makes a Call. Only one goroutine at a time calls its methods.
type Call struct {
	// Ctx is the context of the call. If Ctx ends, the call ends with an error.
	Ctx context.Context

	// Dev is the device. Arena is the plan's device memory, with the plan's layout.
	Dev   *vk.Device
	Arena *vk.Arena

	// Profile has the seconds that each phase has taken so far.
	Profile *vk.Profile

	// Tree has the counters of MRRR. It is nil if another method solves the tridiagonal problem.
	Tree *stemr.MRRRCounters

	// Shared describes the devices that solve the tridiagonal problem together. It is nil if the
	// method needs one device.
	Shared *Shared

	// Retried is nil in the first attempt of a solve. In a later attempt, it is the error of the
	// attempt before: a wait between workgroups failed, or emulated products refused the matrix.
	Retried *stages.InfoError

	// gaveUp is the error of the stage that failed, by its INFO word or by Refuse. It is nil if no
	// stage failed.
	gaveUp *stages.InfoError

	// gaveUpOn is the device on which the stage of `gaveUp` failed. It is nil if this is Dev.
	gaveUpOn *vk.Device

	// progress receives how many of the recorded commands are done. It may be nil.
	progress func(vk.Progress)

	// infos are the INFO words of the last recording: the status of each stage, 0 for success.
	infos []*info

	// HostVectors has the vectors that the host has computed in this call, as the columns of a
	// packed matrix. They belong to the call, so that no memory stays in use after a failed call.
	HostVectors []float64

	// beforeInfo is the function Base.BeforeInfo, which only tests set.
	beforeInfo func(rec *vk.Recorder, phase string, word vk.Slice[uint32])
}

// info is an INFO word. The host has its value after the recording has been executed.
type info struct {
	cause stages.Cause
	phase string
	word  [1]uint32
}

// Run records the commands of the function `record`, and executes them.
func (c *Call) Run(record func(rec *vk.Recorder)) error { return c.Execute(c.Record(record)) }

// Record returns a recording of the commands that the function `record` records. A later call of
// Execute reads the INFO words (statuses of stages) of only the last recording.
func (c *Call) Record(record func(rec *vk.Recorder)) *vk.Recorder {
	c.infos = nil
	rec := vk.NewRecorder(c.Dev)
	record(rec)
	return rec
}

// Execute runs `rec`, which must be the last recording, reports its progress and adds its times to
// the profile. The error is that of vk.Device.Run. If Run succeeds but an INFO word, the status of
// a stage, is not 0, the error is a *stages.InfoError for the first such word in the order of the
// recording.
func (c *Call) Execute(rec *vk.Recorder) error {
	profile, err := c.Dev.Run(c.Ctx, rec, c.progress)
	c.Profile.Merge(profile)
	if err != nil {
		return err
	}
	for _, i := range c.infos {
		if i.word[0] != 0 {
			c.gaveUp = &stages.InfoError{Stage: i.phase, Info: i.word[0], Cause: i.cause}
			return c.gaveUp
		}
	}
	return nil
}

// Refuse says that emulated products must not be used for the matrix of this call, as if they had
// refused it in the phase, and returns the error for this.
func (c *Call) Refuse(phase string) error {
	c.gaveUp = &stages.InfoError{Stage: phase, Info: 1, Cause: stages.CauseRefused}
	return c.gaveUp
}

// GaveUp returns the error of the stage that failed, by its INFO word or by Refuse. It is nil if no
// stage failed.
func (c *Call) GaveUp() *stages.InfoError { return c.gaveUp }

// GaveUpOn returns the device on which the stage of the error GaveUp failed.
func (c *Call) GaveUpOn() *vk.Device {
	if c.gaveUpOn != nil {
		return c.gaveUpOn
	}
	return c.Dev
}

// AvoidWaits records that a wait of this call has failed on its device, so that later plans do
// without such waits there. In panels, and in a reduction in one stage, workgroups wait for all
// others. If such a wait has failed, the other waits stay, and the result is false. If another wait
// has failed, no workgroup may wait any more, and the result is true.
func (c *Call) AvoidWaits() (none bool) {
	facts := machine.Of(c.GaveUpOn())
	if c.gaveUp.Cause == stages.CauseMeet {
		facts.MeetFailed()
		return false
	}
	facts.WaitFailed()
	return true
}

// Join adds to this call what another call did on another device for the same solve: its times and
// its failed stage, if any. The names of the other call's phases get the suffix `suffix`.
func (c *Call) Join(other *Call, suffix string) {
	for _, t := range other.Profile.Phases {
		c.Profile.Add(t.Name+suffix, t.Seconds)
	}
	c.Profile.Merge(&vk.Profile{Kernels: other.Profile.Kernels})
	if c.gaveUp == nil && other.gaveUp != nil {
		c.gaveUp, c.gaveUpOn = other.gaveUp, other.Dev
	}
}

// Info records that an INFO word, the status of a stage, is copied to the host at this point of the
// recording. Execute checks the value later. The copy must be at this point because later phases
// may use the same memory. The later phases run even if the word is not 0. If `word` has no
// elements, Info records nothing.
//
// A value other than 0 must mean that the stage has failed for the reason `cause`.
func (c *Call) Info(rec *vk.Recorder, cause stages.Cause, phase string, word vk.Slice[uint32]) {
	if word.Len() == 0 {
		return
	}
	if c.beforeInfo != nil {
		c.beforeInfo(rec, phase, word)
	}
	i := &info{cause: cause, phase: phase}
	vk.Receive(rec, i.word[:], word)
	c.infos = append(c.infos, i)
}

// Reporter returns the function that receives the progress of recordings. It is nil if the caller
// of the solve wants no progress. Stages that run their own recordings must pass it on.
func (c *Call) Reporter() func(vk.Progress) { return c.progress }

// ReportTo sets the function that receives the progress of recordings. It returns the function that
// was set before.
func (c *Call) ReportTo(progress func(vk.Progress)) (old func(vk.Progress)) {
	old, c.progress = c.progress, progress
	return old
}

// Begins reports that a phase begins. It is for methods that report no progress of their own.
func (c *Call) Begins(phase string) {
	if c.progress != nil {
		c.progress(vk.Progress{Phase: phase, Done: 0, Total: 1})
	}
}

// Ends reports that the solve is done.
func (c *Call) Ends() {
	if c.progress != nil {
		c.progress(vk.Progress{})
	}
}

// During adds the phase to an error of the device that names no phase. An upload or a download is
// not part of a recording, so its error has no phase.
func During(phase string, err error) error {
	var e *vk.Error
	if errors.As(err, &e) && e.Phase == "" {
		e.Phase = phase
	}
	return err
}
