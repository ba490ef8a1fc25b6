package evd

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// regions is the device memory of the path itself, in elements. It is laid out together with the
// workspaces of the stages.
type regions[T Float] struct {
	a      vk.Region[T] // n²: A, then the reflectors of Q1, then the vectors
	t      vk.Region[T] // b² a panel: the block factors of Q1
	band   vk.Region[T] // 2·b·n: B, compact
	v, tau vk.Region[T] // the reflectors of Q2, stages.ReflectorLen; none without vectors

	residual, orthogonality vk.Region[T] // column sums of a check
}

// reflectors returns the reflectors of Q2.
func (r *regions[T]) reflectors(ws *vk.Arena) stages.Reflectors[T] {
	return stages.Reflectors[T]{V: r.v.In(ws), Tau: r.tau.In(ws)}
}

// lay lays out the path's memory. A and small regions are always in use. With vectors the same
// holds for the reflectors of Q2, which are as large as half of A. The workspaces of the stages
// share memory, because the stages run one after another. lay must be called after all stages are
// made, because only then the workspace of the products is known.
func (p *path[T]) lay() {
	n, b, s := p.n, p.tune.Band, &p.steps
	entries := func(name string, n int) vk.Region[T] { return vk.Reserve[T](name, n) }
	r := &p.regions
	r.a = entries("A, Q1, vectors", n*n)
	r.t = entries("T of Q1", s.reduce.Panels()*b*b)
	r.band = entries("band", 2*b*n)
	always := append([]vk.Space{r.a, r.t, r.band, s.products.Work(), s.products.Status(), s.reduce.Status()}, s.spectrum.Always()...)
	if !p.opt.Vectors {
		r.v, r.tau = entries("V of Q2", 0), entries("τ of Q2", 0)
		p.layout = vk.Together(append(always, r.v, r.tau,
			vk.InTurn(s.reduce.Work(), s.chase.Work(), s.spectrum.Work()))...)
		return
	}
	m := p.opt.capacity(n)
	v, tau := 0, 0
	works := []vk.Space{s.reduce.Work(), s.chase.Work(), s.spectrum.Work(), s.q1.Work(), s.residuals.Work()}
	if s.q2 != nil {
		v, tau = stages.ReflectorLen(n, b)
		works = append(works, s.q2.Work())
	}
	r.v, r.tau = entries("V of Q2", v), entries("τ of Q2", tau)
	r.residual, r.orthogonality = entries("residual sums", m), entries("orthogonality sums", m)
	p.layout = vk.Together(append(always, r.v, r.tau, r.residual, r.orthogonality,
		vk.InTurn(works...))...)
}
