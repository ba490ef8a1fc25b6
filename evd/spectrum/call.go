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
	Ctx      context.Context
	Dev      *vk.Device
	Arena    *vk.Arena   // laid out by the plan's layout
	Profile  *vk.Profile // seconds by phase, so far
	Tree     *Tree       // left by MRRR
	progress func(vk.Progress)
	infos    []*info // INFO words of the last recording

	beforeInfo func(rec *vk.Recorder, phase string, word vk.Slice[uint32]) // Base.BeforeInfo
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
			return &StageError{Stage: i.phase, Info: i.word[0]}
		}
	}
	return nil
}

// Info records that the INFO word is read here, for Execute to look at: the phase before has left
// it, and memory that later phases use may lie over it. Those run whatever the word is. A word of
// no elements is none.
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

// During names the phase in an error of the device that names none: an upload or a download is part
// of no recording.
func During(phase string, err error) error {
	var e *vk.Error
	if errors.As(err, &e) && e.Phase == "" {
		e.Phase = phase
	}
	return err
}
