package evd

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// regions holds the regions of device memory that the stages of a solve pass to each other, such as
// the matrix A. Regions that only one stage uses are not in it. The comments give the sizes in
// elements.
type regions[T Float] struct {
	a      vk.Region[T] // n² elements: A, then the reflectors of Q1, then the vectors
	t      vk.Region[T] // b² elements for each panel: the block factors of Q1
	band   vk.Region[T] // 2·b·n elements: B in compact storage
	v, tau vk.Region[T] // the reflectors of Q2, stages.ReflectorLen; none without vectors

	// columns and block are used only if the matrix is distributed (Options.Distribute). columns
	// holds the device's columns of A, then the reflectors of Q1 in these columns; a then holds only
	// vectors. block holds reflectors of Q1 of another device.
	columns, block vk.Region[T]

	// x is used only on a device that helps another device in the back transformation. It holds
	// some columns of S, the eigenvectors of the tridiagonal matrix, one per row. On the first
	// device the vectors are part of steps.spectrum.
	x vk.Region[float64]

	residual, orthogonality vk.Region[T] // column sums of a check
	lambda                  vk.Region[T] // eigenvalues of a check, if the matrix is distributed
}

// reflectors returns the device memory of the reflectors of Q2, which bulge chasing writes.
func (r *regions[T]) reflectors(ws *vk.Arena) stages.Reflectors[T] {
	return stages.Reflectors[T]{V: r.v.In(ws), Tau: r.tau.In(ws)}
}

// lay lays out the device memory of all stages of a solve. A and the small regions are in use
// during the whole solve. If vectors are wanted, the reflectors of Q2 are, too; they need half as
// much memory as A. The stages run one after another and share the memory of their workspaces.
// `lay` must be called after all stages are made, because only then is the workspace of the matrix
// products known.
func (p *path[T]) lay() {
	n, b, s := p.n, p.tune.Band, &p.steps
	entries := func(name string, n int) vk.Region[T] { return vk.Reserve[T](name, n) }
	r := &p.regions
	r.a = entries("A, Q1, vectors", n*n)
	r.t = entries("T of Q1", s.reduce.Panels()*b*b)
	r.band = entries("band", 2*b*n)
	always := append([]vk.Space{r.a, r.t, r.band, s.products.Work(), s.products.emulated.Status(), s.reduce.Status(), p.doubles.Always()}, s.spectrum.Always()...)
	if !p.opt.Vectors {
		r.v, r.tau = entries("V of Q2", 0), entries("τ of Q2", 0)
		p.layout = vk.Together(append(always, r.v, r.tau,
			vk.InTurn(s.reduce.Work(), s.chase.Work(), s.spectrum.Work()))...)
		return
	}
	m := p.opt.capacity(n)
	v, tau := 0, 0
	backs := []vk.Space{s.q1.Work(), s.residuals.Work()}
	if s.q2 != nil {
		v, tau = stages.ReflectorLen(n, b)
		backs = append(backs, s.q2.Work())
	}
	back := vk.Together(p.doubles.Rows(), vk.InTurn(backs...))
	r.v, r.tau = entries("V of Q2", v), entries("τ of Q2", tau)
	r.residual, r.orthogonality = entries("residual sums", m), entries("orthogonality sums", m)
	p.layout = vk.Together(append(always, r.v, r.tau, r.residual, r.orthogonality,
		vk.InTurn(s.reduce.Work(), s.chase.Work(), s.spectrum.Work(), back))...)
}
