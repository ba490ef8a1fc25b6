package svd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// replaceable is the common part of all plans: sizes, stages and device memory. The stages can be
// replaced, which happens after a wait between workgroups has failed, or after emulated products
// have refused a matrix. The type P, a path, holds the stages of a solve. The method `memory` of P
// returns the layout of their device memory.
type replaceable[P interface{ memory() *vk.Layout }] struct {
	base *plan.Base
	tune tuning.Tuning

	newPath func(t tuning.Tuning) (P, error)

	// path holds the stages of a solve and their memory. There are none for empty matrices.
	path plan.Replaceable[P]

	// shared is the layout of other stages that use the memory of `path`, never at the same time.
	// It may be nil.
	shared *vk.Layout
}

func (r *replaceable[P]) prepare() (err error) {
	if r.path.Now, err = r.compile(r.tune); err != nil {
		return err
	}
	r.base.Layout = r.memoryWith(r.path.Now)
	return r.base.Allocate()
}

// Bytes returns the size of the device memory that the plan has allocated.
func (r *replaceable[P]) Bytes() uint64 { return r.base.Bytes() }

// Memory lists the regions of the plan's device memory. Regions that are never in use at the same
// time may share bytes.
func (r *replaceable[P]) Memory() []vk.Placed { return r.base.Memory() }

// Close waits for the solve in flight and frees the plan's device memory. Afterwards Solve returns
// evd.ErrClosed, unless the plan is for matrices without entries.
func (r *replaceable[P]) Close() { r.base.Close() }

func (r *replaceable[P]) memoryWith(by P) *vk.Layout {
	if r.shared == nil {
		return by.memory()
	}
	return vk.InTurn(by.memory(), r.shared)
}

func (r *replaceable[P]) compile(t tuning.Tuning) (P, error) {
	return plan.Compiled(r.base.Dev, func() (P, error) { return r.newPath(t) })
}

// avoidWaiting replaces the plan's path, for this solve and all later ones, by one without the
// waits of the kind that failed in the call c. The caller must hold the plan's lock.
func (r *replaceable[P]) avoidWaiting(c *plan.Call) error {
	t := r.tune
	t.Waits.Wavefront = c.AvoidWaits() || t.Waits.Wavefront
	return r.replace(t)
}

// replace replaces the plan's path by one with the sizes t, whose memory is allocated after that of
// the old one is freed. The caller must hold the plan's lock.
func (r *replaceable[P]) replace(t tuning.Tuning) error {
	next, err := r.compile(t)
	if err != nil {
		return err
	}
	r.path.Take(next)
	return r.base.Replace(r.memoryWith(next))
}
