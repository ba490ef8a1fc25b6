package spectrum

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Call is one call of a plan's method, in flight: its context, where it runs, and what is known of
// it so far. Base.Begin makes it; one goroutine at a time uses it. It ends with the method.
type Call struct {
	// Ctx ends the call.
	Ctx context.Context

	// Dev is the device, and Arena the plan's memory on it, with the plan's layout.
	Dev   *vk.Device
	Arena *vk.Arena

	// Profile has the seconds by phase, so far.
	Profile *vk.Profile

	// Tree is what MRRR has left; nil with other methods.
	Tree *Tree

	// Retried is why this call is the second attempt of a solve: the wait between workgroups that the
	// first one gave up. It is nil in a first attempt.
	Retried *StageError

	// gaveUp is the error for the last INFO word that was not 0; nil if all were.
	gaveUp *StageError

	// progress is called with the marks of recordings; may be nil.
	progress func(vk.Progress)

	// infos are the INFO words of the last recording.
	infos []*info

	// beforeInfo is Base.BeforeInfo.
	beforeInfo func(rec *vk.Recorder, phase string, word vk.Slice[uint32])
}

// Tree counts what MRRR met on the way to the vectors.
type Tree = stages.MRRRCounters

// info is the INFO word that a phase will have left when its recording has run.
type info struct {
	phase string
	word  [1]uint32
}

// Run records commands and executes them.
func (c *Call) Run(record func(rec *vk.Recorder)) error { return c.Execute(c.Record(record)) }

// Record returns what record records. Execute looks at the INFO words of the last recording alone.
func (c *Call) Record(record func(rec *vk.Recorder)) *vk.Recorder {
	c.infos = nil
	rec := vk.NewRecorder(c.Dev)
	record(rec)
	return rec
}

// Execute runs the last recording, reports its progress and adds its times to the profile. Errors:
// those of vk.Device.Run; then a *StageError for the first INFO word in the order of the recording
// that is not 0.
func (c *Call) Execute(rec *vk.Recorder) error {
	profile, err := c.Dev.Run(c.Ctx, rec, c.progress)
	c.Profile.Merge(profile)
	if err != nil {
		return err
	}
	for _, i := range c.infos {
		if i.word[0] != 0 {
			c.gaveUp = &StageError{Stage: i.phase, Info: i.word[0]}
			return c.gaveUp
		}
	}
	return nil
}

// Info records that the INFO word is read here, for Execute to look at: the phase before has left
// it, and memory that later phases use may lie over it. Those run whatever the word is. A word of
// no elements is none. The word is that of a stage whose workgroups wait for each other, and says
// that a wait was given up: Survive relies on that.
func (c *Call) Info(rec *vk.Recorder, phase string, word vk.Slice[uint32]) {
	if word.Len() == 0 {
		return
	}
	if c.beforeInfo != nil {
		c.beforeInfo(rec, phase, word)
	}
	i := &info{phase: phase}
	vk.Receive(rec, i.word[:], word)
	c.infos = append(c.infos, i)
}

// begins reports that a phase begins, for methods whose recordings have no marks.
func (c *Call) begins(phase string) {
	if c.progress != nil {
		c.progress(vk.Progress{Phase: phase, Done: 0, Total: 1})
	}
}

// During names the phase in an error of the device that names none: an upload or a download is part
// of no recording.
func During(phase string, err error) error {
	var e *vk.Error
	if errors.As(err, &e) && e.Phase == "" {
		e.Phase = phase
	}
	return err
}
