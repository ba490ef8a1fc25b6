package evd

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// regions is the plan's own memory; the stages' workspaces lie beside it.
type regions struct {
	a      vk.Region[float64] // A, then the reflectors of Q1, at last the vectors
	t      vk.Region[float64] // block factors of Q1
	band   vk.Region[float64]
	v, tau vk.Region[float64] // reflectors of Q2

	residual, orthogonality vk.Region[float64] // column sums of a check
}

// lay says what lives when. In the order of Solve: A and the small things
// all the time; the band until it is tridiagonal; the vectors, and the
// reflectors of Q2 that wait for them, after that.
func (p *Plan[T]) lay() {
	n, b, s := p.n, p.tune.Band, &p.steps
	reals := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	r := &p.regions
	r.a = reals("A, Q1, vectors", n*n)
	r.t = reals("T of Q1", s.band.Panels()*b*b)
	r.band = reals("band", 2*b*n)
	always := append([]vk.Space{r.a, r.t, r.band, s.ops.Work(), s.band.Status()}, s.spectral.always()...)
	if !p.opt.Vectors {
		r.v, r.tau = reals("V of Q2", 0), reals("τ of Q2", 0)
		p.layout = vk.Together(append(always, r.v, r.tau, vk.InTurn(s.band.Work(), s.chase.Work(), s.spectral.work()))...)
		return
	}
	v, tau := stages.ReflectorLen(n, b)
	r.v, r.tau = reals("V of Q2", v), reals("τ of Q2", tau)
	r.residual, r.orthogonality = reals("residual sums", s.spectral.m), reals("orthogonality sums", s.spectral.m)
	p.layout = vk.Together(append(always, r.v, r.tau, r.residual, r.orthogonality,
		vk.InTurn(s.band.Work(), s.chase.Work(), s.spectral.work(), s.q2.Work(), s.q1.Work(), s.residuals.Work()))...)
}
