package evd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
)

// avoid replaces the plan's path, for this solve and all later ones, after the call c has failed: by
// native products if emulated ones refused a row whose numbers are too large or not finite, and
// otherwise by stages without the waits of the kind that failed. The caller must have the plan's lock.
//
// With Options.Verify, the plan already has a second path for repeated solves, the safe path. If no
// workgroup waits on the safe path, and it has the same methods for the tridiagonal problem, it
// becomes the plan's path. Otherwise `avoid` frees the memory of the old path, and then makes a new
// path. The errors are those of NewPlan.
func (p *Plan[T]) avoid(c *plan.Call) error {
	opt := p.path.Now.opt
	switch {
	case c.GaveUp().Cause == stages.CauseRefused:
		opt.Products = ProductsNative
	case c.AvoidWaits():
		opt.NoWaits = true
		if p.safe != nil && p.safe.opt.Solver == p.opt.Solver {
			p.path.Take(p.safe)
			return nil
		}
	}
	return p.replacePath(opt)
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
	p.path.Take(next)
	first, others := p.layouts(next)
	err = p.onFirst(p.base.Replace(first))
	for k, o := range p.others {
		if e := plan.OnDevice(o.base.Dev, o.base.Replace(others[k])); err == nil {
			err = e
		}
	}
	if err == nil {
		err = p.allocateExchange()
	}
	return err
}
