package evd

import (
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// avoidWaiting puts the plan on a path on which no workgroup waits for another, for this solve and
// all later ones. It also stores for the device that a wait failed. The caller must have the plan's
// lock.
//
// With Options.Verify the safe path may already be such a path, with the same methods for T. Then
// the plan takes it unchanged. Otherwise a new path is made, and allocated after the memory of the
// old one is freed. Errors are those of NewPlan.
func (p *Plan[T]) avoidWaiting() error {
	machine.Of(p.base.Dev).WaitFailed()
	if p.safe != nil && p.safe.opt.Solver == p.opt.Solver {
		p.take(p.safe)
		return nil
	}
	opt := p.path.opt
	opt.Wavefront = true
	return p.replacePath(opt)
}

// replacePath makes a path with other options and puts the plan on it. The caller must have the
// plan's lock. Errors are those of NewPlan.
func (p *Plan[T]) replacePath(opt Options) error {
	var next *path[T]
	err := p.base.Dev.Compile(func() (err error) {
		next, err = newPath[T](p.base.Dev, p.base.N, opt)
		return err
	})
	if err != nil {
		return err
	}
	p.take(next)
	layout := next.layout
	if p.safe != nil {
		layout = vk.InTurn(layout, p.safe.layout)
	}
	return p.base.Replace(layout)
}

// take makes the path next the path of the plan.
func (p *Plan[T]) take(next *path[T]) {
	p.replacing.Lock()
	defer p.replacing.Unlock()
	p.path = next
}
