package evd

import (
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
)

// avoidWaiting replaces the plan's path (its stages and their memory) by a path without the waits
// of the kind that failed in the call c. The new path is for this solve and all later ones. If a
// workgroup of a panel waited for all others in vain, only such waits are avoided. If another wait
// failed, no workgroup waits for another workgroup. The failure is recorded for the device of c.
// The caller must have the plan's lock.
//
// With Options.Verify, the plan already has a second path for repeated solves, the safe path. If no
// workgroup waits on the safe path, and it has the same methods for the tridiagonal problem, it
// becomes the plan's path. Otherwise avoidWaiting frees the memory of the old path, and then makes
// a new path. The errors are those of NewPlan.
func (p *Plan[T]) avoidWaiting(c *spectrum.Call) error {
	opt := afterFailedWait(c, p.path.opt)
	if opt.NoWaits && p.safe != nil && p.safe.opt.Solver == p.opt.Solver {
		p.take(p.safe)
		return nil
	}
	return p.replacePath(opt)
}

// afterFailedWait records the failed wait of the call c for the device of c. It returns options for
// the next path: `opt`, without the waits of the kind that failed.
func afterFailedWait(c *spectrum.Call, opt Options) Options {
	facts := machine.Of(c.GaveUpOn())
	if stages.AllMeet(c.GaveUp().Stage) {
		facts.MeetFailed()
		return opt
	}
	facts.WaitFailed()
	opt.NoWaits = true
	return opt
}

// replacePath makes a new path (stages and their memory) with the options in `opt`, and makes it
// the plan's path. The caller must have the plan's lock. The errors are those of NewPlan.
func (p *Plan[T]) replacePath(opt Options) error {
	var next *path[T]
	err := p.base.Dev.Compile(func() (err error) {
		next, err = p.newPath(opt)
		return err
	})
	if err != nil {
		return p.onFirst(err)
	}
	p.take(next)
	first, others := p.layouts(next)
	err = p.onFirst(p.base.Replace(first))
	for k, o := range p.others {
		if e := spectrum.OnDevice(o.base.Dev, o.base.Replace(others[k])); err == nil {
			err = e
		}
	}
	if err == nil {
		err = p.allocateExchange()
	}
	return err
}

// take makes `next` the plan's path: the stages of a solve, and their memory.
func (p *Plan[T]) take(next *path[T]) {
	p.replacing.Lock()
	defer p.replacing.Unlock()
	p.path = next
}
