package evd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/team"
)

// avoid replaces the plan's stages, for this solve and all later ones, after the call c has failed.
// If emulated products refused a row that they could not scale, the new stages have native
// products. Otherwise they do not wait in the way that failed. The caller must have the plan's
// lock.
//
// With Options.Verify, the plan already has stages for repeated solves, on the safe path. No
// workgroup waits in these stages. They become the plan's if no other workgroup may wait either,
// and if they have the plan's method for the tridiagonal problem. Otherwise `avoid` makes new
// stages, and allocates their memory after it has freed the old memory. The errors are those of
// NewPlan.
func (p *Plan[T]) avoid(c *plan.Call) error {
	before := p.stages.Now.Leader().Config
	cfg := before.Avoiding(c)
	if cfg.NoWaits && !before.NoWaits && p.safe != nil && p.safe.Leader().Solver == cfg.Solver {
		p.stages.Take(p.safe)
		return nil
	}
	next, err := plan.Compiled(p.team.Dev, func() (team.Stages[T], error) { return team.New[T](&p.team, cfg) })
	if err != nil {
		return p.team.OnFirst(err)
	}
	p.stages.Take(next)
	return p.team.Replace(p.memory()...)
}
