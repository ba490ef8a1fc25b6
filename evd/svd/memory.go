package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/vk"
)

// regions holds the regions of device memory that the stages of a solve pass to each other. In the
// comments of the fields, rows and n are the numbers of rows and columns of the matrix on the
// device, and k is the number of vectors.
type regions[T evd.Number] struct {
	a           vk.Region[T] // rows·n elements: A, then the reflectors of Q1 and P1 or of Q0, then left vectors
	r           vk.Region[T] // n² elements, only after a QR factorisation: R, then the reflectors of Q1 and P1
	across      vk.Region[T] // the uploaded A, if it has fewer rows than columns
	left, right vk.Region[T] // block factors of Q1 and P1
	first       vk.Region[T] // block factors of Q0
	band        vk.Region[T]
	// `pass` is the storage of the band during the passes that make it narrower, and `narrow` is
	// the narrow band. Both are empty if there is no such pass.
	pass, narrow vk.Region[T]

	// chased holds the reflectors of bulge chasing: those of Q2, then those of P2. Later the right
	// vectors overwrite them. It is empty if no vectors are wanted.
	chased  vk.Region[T]
	tau     [2]vk.Region[T]
	more    vk.Region[T]      // the left vectors that Full adds, as rows
	full    vk.Region[T]      // rows² elements: left vectors, if a has too little room for them
	flipped vk.Region[uint32] // which of k vectors were negated, or their phases
	sums    [3]vk.Region[T]   // sums of a check: left orthogonality, right orthogonality, residual
}

// reflectors returns the reflectors of bulge chasing: those of Q2 for the left side, and those of
// P2 for the right side. They are empty if no vectors are wanted.
func (p *path[T]) reflectors(ws *vk.Arena, of side) stages.Reflectors[T] {
	if p.steps.conquer == nil {
		return stages.Reflectors[T]{}
	}
	v, _ := stages.ReflectorLen(p.steps.chase.N, p.steps.chase.B)
	return stages.Reflectors[T]{V: p.regions.chased.In(ws).Sub(int(of)*v, v), Tau: p.regions.tau[of].In(ws)}
}

// lay lays out the device memory for the shape `of` and the bandwidth b, after all stages are made,
// because only then is the workspace of the products known. Stages that run one after another share
// workspace. The vectors as rows share it, too, because they are computed after all values have
// been found.
func (p *path[T]) lay(of shape, b int) {
	s, r := &p.steps, &p.regions
	entries := func(name string, n int) vk.Region[T] { return vk.Reserve[T](name, n) }
	n, b2, size := of.cols, b*b, s.band.GeneralSize
	r.a = entries("A", of.rows*n)
	factors := [2]int{b2, b2} // the factors of a side without vectors share memory
	for at, panels := range []int{left: size.LeftPanels(), right: size.RightPanels()} {
		if of.wants[at] != None {
			factors[at] = panels * b2
		}
	}
	r.left, r.right = entries("T of Q1", factors[left]), entries("T of P1", factors[right])
	r.band = entries("band", size.BandLen())
	always := append([]vk.Space{r.a, r.left, r.right, r.band, s.products.native.Work(), s.products.emulated.Status(), s.band.Status(), p.doubles.Always()}, s.values.Always()...)
	inTurn := []vk.Space{vk.Together(s.band.Work(), s.products.workOf(s.products.update)), s.values.Work()}
	if s.half != nil {
		inTurn = append(inTurn, s.half.memory())
	} else {
		inTurn = append(inTurn, s.chase.Work())
	}
	if s.narrow != nil {
		r.pass, r.narrow = entries("band during passes", s.narrow.BandLen()), entries("narrow band", s.narrow.GeneralLen())
		always, inTurn = append(always, r.narrow), append(inTurn, vk.Together(r.pass, s.narrow.Work()))
	}
	across := 0
	if of.rows != n {
		across = of.rows * n
	}
	r.across = entries("A as it comes", across)
	inTurn = append(inTurn, vk.Together(r.across))
	if of.tall {
		r.r, r.first = entries("R", n*n), entries("T of Q0", s.qr.Panels()*b2)
		always = append(always, r.r, r.first, s.qr.Status())
		inTurn = append(inTurn, s.qr.Work())
	}
	if of.vectors() {
		kept, later := p.layVectors(of)
		always, inTurn = append(always, kept...), append(inTurn, later)
	}
	p.layout = vk.Together(append(always, vk.InTurn(inTurn...))...)
}

// layVectors reserves device memory for vectors: `kept` is in use from the bulge chasing on, and
// `later` only after the values have been found.
func (p *path[T]) layVectors(of shape) (kept []vk.Space, later *vk.Layout) {
	s, r, n, k := &p.steps, &p.regions, of.cols, of.k
	entries := func(name string, n int) vk.Region[T] { return vk.Reserve[T](name, n) }
	v, tau := stages.ReflectorLen(n, s.chase.B)
	r.chased = entries("Q2, P2, right vectors", max(2*v, k*n))
	r.tau = [2]vk.Region[T]{entries("τ of Q2", tau), entries("τ of P2", tau)}
	r.flipped = vk.Reserve[uint32]("signs", k*move.FlippedWords[T]())
	full := 0
	if of.more() > 0 {
		full = of.rows * of.rows
	}
	r.more, r.full = entries("more left vectors, transposed", of.more()*of.rows), entries("left vectors", full)
	r.sums = [3]vk.Region[T]{entries("left orthogonality sums", k+of.more()), entries("right orthogonality sums", k), entries("residual sums", k)}
	kept = []vk.Space{r.chased, r.tau[left], r.tau[right], r.flipped, r.full, r.sums[0], r.sums[1], r.sums[2]}

	backs := []vk.Space{s.q2.Work(), s.residuals.Work()}
	for _, q := range []*back.ApplyPanels[T]{s.p1, s.q1, s.q0} {
		if q != nil {
			backs = append(backs, q.Work())
		}
	}
	conquer := vk.Together(s.conquer.Work(), p.extra, s.products.workOf(s.products.vectors))
	back := vk.Together(p.doubles.Rows(), s.products.workOf(s.products.back), vk.InTurn(backs...))
	return kept, vk.Together(p.doubles.wideLayout(), r.more, vk.InTurn(conquer, back))
}

// layBidiagonal does the same as `lay` for a bidiagonal matrix.
func (p *path[T]) layBidiagonal(of shape) {
	s, r := &p.steps, &p.regions
	always := s.values.Always()
	if !of.vectors() {
		p.layout = vk.Together(append(always, s.values.Work())...)
		return
	}
	kept := []vk.Space{p.doubles.wideLayout(), p.doubles.Rows()}
	for at, columns := range [2]*vk.Region[T]{left: &r.a, right: &r.chased} {
		if of.wants[at] != None {
			name := [2]string{left: "left", right: "right"}[at]
			*columns = vk.Reserve[T](name+" vectors", of.k*of.cols)
			r.sums[at] = vk.Reserve[T](name+" orthogonality sums", of.k)
			kept = append(kept, *columns, r.sums[at])
		}
	}
	r.flipped = vk.Reserve[uint32]("signs", of.k*move.FlippedWords[T]())
	kept = append(kept, r.flipped, vk.InTurn(vk.Together(s.conquer.Work(), p.extra), s.residuals.Work()))
	p.layout = vk.Together(append(always, s.products.native.Work(), vk.InTurn(s.values.Work(), vk.Together(kept...)))...)
}
