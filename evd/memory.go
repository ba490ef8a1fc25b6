package evd

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// regions is the path's own memory. The stages' workspaces are laid out with it.
type regions struct {
	a      vk.Region[float64] // A, then the reflectors of Q1, then the vectors
	t      vk.Region[float64] // block factors of Q1
	band   vk.Region[float64]
	v, tau vk.Region[float64] // reflectors of Q2

	residual, orthogonality vk.Region[float64] // column sums of a check
}

// lay says what lives when, in the order of the solve: A and what is small all the time; the
// workspaces one after another; with vectors, the reflectors of Q2 from bulge chasing on.
func (p *path[T]) lay() {
	n, b, s := p.n, p.tune.Band, &p.steps
	reals := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	r := &p.regions
	r.a = reals("A, Q1, vectors", n*n)
	r.t = reals("T of Q1", s.band.Panels()*b*b)
	r.band = reals("band", 2*b*n)
	always := append([]vk.Space{r.a, r.t, r.band, s.ops.Work(), s.band.Status()}, s.spectrum.Always()...)
	if !p.opt.Vectors {
		r.v, r.tau = reals("V of Q2", 0), reals("τ of Q2", 0)
		p.layout = vk.Together(append(always, r.v, r.tau, vk.InTurn(s.band.Work(), s.chase.Work(), s.spectrum.Work()))...)
		return
	}
	m := p.opt.capacity(n)
	v, tau := stages.ReflectorLen(n, b)
	r.v, r.tau = reals("V of Q2", v), reals("τ of Q2", tau)
	r.residual, r.orthogonality = reals("residual sums", m), reals("orthogonality sums", m)
	p.layout = vk.Together(append(always, r.v, r.tau, r.residual, r.orthogonality,
		vk.InTurn(s.band.Work(), s.chase.Work(), s.spectrum.Work(), s.q2.Work(), s.q1.Work(), s.residuals.Work()))...)
}
