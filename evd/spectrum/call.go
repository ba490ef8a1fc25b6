package spectrum

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Call is one call of a plan's method, in flight: its context, its device and memory, and its
// results so far. Base.Begin makes it, and one goroutine at a time uses it. It ends when the method
// returns.
type Call struct {
	// Ctx is the context of the call. Its end ends the call.
	Ctx context.Context

	// Dev is the device, and Arena the plan's memory on it, with the plan's layout.
	Dev   *vk.Device
	Arena *vk.Arena

	// Profile has the seconds by phase, so far.
	Profile *vk.Profile

	// Tree has the counters of MRRR. It is nil with other methods.
	Tree *Tree

	// Retried is the reason why this call is the second attempt of a solve: the wait between
	// workgroups that the first attempt gave up. It is nil in a first attempt.
	Retried *StageError

	// gaveUp is the error for the last INFO word that was not 0. It is nil if all were 0.
	gaveUp *StageError

	// progress is called with the marks of recordings. It may be nil.
	progress func(vk.Progress)

	// infos are the INFO words of the last recording.
	infos []*info

	// beforeInfo is Base.BeforeInfo, a function that only tests set.
	beforeInfo func(rec *vk.Recorder, phase string, word vk.Slice[uint32])
}

// Tree counts what MRRR did to find the vectors.
type Tree = stages.MRRRCounters

// info is the INFO word of a phase. It is valid after the recording has run.
type info struct {
	phase string
	word  [1]uint32
}

// Run records the commands of the function record, and executes them.
func (c *Call) Run(record func(rec *vk.Recorder)) error { return c.Execute(c.Record(record)) }

// Record returns a recording of the commands that record records. Execute checks only the INFO
// words of the last recording.
func (c *Call) Record(record func(rec *vk.Recorder)) *vk.Recorder {
	c.infos = nil
	rec := vk.NewRecorder(c.Dev)
	record(rec)
	return rec
}

// Execute runs the last recording, reports its progress and adds its times to the profile. The
// error is that of vk.Device.Run. If there is none, it is a *StageError for the first INFO word in
// the order of the recording that is not 0.
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

// GaveUp returns the error for the INFO word that ended the call; nil if there was none.
func (c *Call) GaveUp() *StageError { return c.gaveUp }

// Info records that an INFO word is read at this point, so that Execute can check it. It must be
// read here because later phases may use the same memory. They run whatever the word is. A slice of
// no elements means that there is no word. The word must be that of a stage whose workgroups wait
// for each other, and a value other than 0 must mean that a wait was given up: Survive relies on
// this. The other words are those of stages.PhaseEmulated: the number of rows that products
// refused.
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

// Reporter returns the function that is told the progress of recordings, or nil if the caller of the
// solve wants no progress. Stages that submit their own recordings need this function.
func (c *Call) Reporter() func(vk.Progress) { return c.progress }

// begins reports that a phase begins. It is for methods whose recordings have no marks.
func (c *Call) begins(phase string) {
	if c.progress != nil {
		c.progress(vk.Progress{Phase: phase, Done: 0, Total: 1})
	}
}

// During adds the phase to an error of the device that names none. An upload or a download is not
// part of a recording, so its error has no phase.
func During(phase string, err error) error {
	var e *vk.Error
	if errors.As(err, &e) && e.Phase == "" {
		e.Phase = phase
	}
	return err
}
