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
}

// run executes what is recorded and keeps its times.
func (c *call) run(record func(rec *vk.Recorder)) error {
	rec := vk.NewRecorder(c.dev)
	record(rec)
	profile, err := c.dev.Run(c.ctx, rec, c.progress)
	c.profile.Merge(profile)
	return err
}

// info turns a kernel's INFO word into an error.
func (c *call) info(stage string, word vk.Slice[uint32]) error {
	if word.Len() == 0 {
		return nil
	}
	var info [1]uint32
	if err := download(c, info[:], word); err != nil {
		return during(stage, err)
	}
	if info[0] != 0 {
		return &StageError{Stage: stage, Info: info[0]}
	}
	return nil
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

func upload[T any](c *call, to vk.Slice[T], v []T) error {
	return vk.Upload(c.ctx, c.dev, to, vk.Vector(v))
}

func download[T any](c *call, v []T, from vk.Slice[T]) error {
	return vk.Download(c.ctx, c.dev, vk.Vector(v), from)
}
