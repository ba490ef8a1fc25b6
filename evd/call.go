package evd

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/vk"
)

// call is one call of a plan's methods under way.
type call struct {
	ctx      context.Context
	dev      *vk.Device
	ws       *vk.Arena
	profile  *vk.Profile
	progress func(vk.Progress) // may be nil
	tree     *Tree             // left by MRRR
	infos    []*info           // of the recording at hand
}

// info is the INFO word that a stage will have left when what is recorded has run.
type info struct {
	stage string
	word  [1]uint32
}

// run records and executes.
func (c *call) run(record func(rec *vk.Recorder)) error { return c.execute(c.record(record)) }

// record begins a recording, whose INFO words execute looks at.
func (c *call) record(record func(rec *vk.Recorder)) *vk.Recorder {
	c.infos = nil
	rec := vk.NewRecorder(c.dev)
	record(rec)
	return rec
}

// execute runs what was recorded last and keeps its times. An INFO word other than 0 is a *StageError, the first recorded
// if there are several.
func (c *call) execute(rec *vk.Recorder) error {
	profile, err := c.dev.Run(c.ctx, rec, c.progress)
	c.profile.Merge(profile)
	if err != nil {
		return err
	}
	for _, i := range c.infos {
		if i.word[0] != 0 {
			return &StageError{Stage: i.stage, Info: i.word[0]}
		}
	}
	return nil
}

// info records that execute looks at the INFO word which the stage has left at this place of the
// recording. Later stages run whatever it is.
func (c *call) info(rec *vk.Recorder, stage string, word vk.Slice[uint32]) {
	if word.Len() == 0 {
		return
	}
	i := &info{stage: stage}
	vk.Receive(rec, i.word[:], word)
	c.infos = append(c.infos, i)
}

// during names the stage in an error of the device that does not know it: a transfer belongs to no phase
// of a recording.
func during(stage string, err error) error {
	var e *vk.Error
	if errors.As(err, &e) && e.Phase == "" {
		e.Phase = stage
	}
	return err
}
