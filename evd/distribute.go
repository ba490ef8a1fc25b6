package evd

import (
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/stages"
	backs "github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
)

// distributed tells whether the matrix is divided among several devices (Options.Distribute).
func (p *path[T]) distributed() bool { return p.opt.Distribute }

// newShare makes the stages of a device that depend on its part of a distributed matrix: its part
// of the band reduction, and back transformation 1, for which the reflectors of other devices
// arrive block by block.
func (p *path[T]) newShare(dev *vk.Device, mine part, waiting stages.Waiting) (err error) {
	s, size := &p.steps, reduce.BandSize{N: p.n, B: p.tune.Band, K: p.tune.Block}
	blocks := reduce.DivideColumns(p.n, size.K, mine.split.parts())
	ops := reduce.ShareOps[T]{Products: s.products.native, Updates: s.products.reduction}
	if s.share, err = reduce.NewBandShare(dev, size, blocks, mine.device, mine.split, ops, waiting, p.tune.Panel); err != nil || !p.opt.Vectors {
		return err
	}
	back := backs.Size{N: p.n, B: size.B, M: mine.most}
	if s.q1, err = backs.NewApplyQ1InBlocks(dev, back, size.K, s.products.vectors, s.products.emulated.Panel(p.tune)); err != nil {
		return err
	}
	s.panels, err = residual.NewResidualPanels(dev, p.n, mine.most, s.products.native)
	return err
}

// newBackShare makes the stages of a device that is not the first one of a plan which distributes
// the matrix. The stages of the first device are `of`.
func (p *path[T]) newBackShare(dev *vk.Device, of *path[T], mine part, waiting stages.Waiting) error {
	if err := p.newShare(dev, mine, waiting); err != nil || !p.opt.Vectors {
		return err
	}
	var b builder
	var err error
	back, products := backs.Size{N: p.n, B: p.tune.Band, M: mine.most}, &p.steps.products
	p.steps.q2, err = emulation.NewQ2(dev, back, p.opt.capacity(p.n), products.vectors, products.emulated, waiting, p.tune.ApplyQ2)
	b.keep(err)
	p.steps.orient, err = newOrientation[T](dev, p.opt)
	b.keep(err)
	if of.steps.spectrum.Shared() {
		t := p.tune.Double()
		t.DivideConquer.Leaf = of.tune.Double().DivideConquer.Leaf
		p.steps.conquer, err = stedc.NewConquerShare(dev, p.n, mine.device, products.tridiagonal, t.Products, t.DivideConquer)
		b.keep(err)
	}
	return b.err
}

// reductionFlops returns the cost of the first stage in flops, on all devices together.
func (s *steps[T]) reductionFlops() float64 {
	if s.share != nil {
		return s.share.Flops()
	}
	return s.reduce.Flops()
}

// layShare lays out the memory of the first device of a plan that distributes the matrix. The
// device transforms at most m vectors back. It overwrites the reflectors with the transposed
// vectors, after their last use.
func (p *path[T]) layShare(m int) {
	s, r := &p.steps, &p.regions
	p.reserveShare(m, stages.ReflectorLen)
	always := append([]vk.Space{r.t, r.band, s.products.Work(), s.products.emulated.Status(), s.share.Status(), p.doubles.Always()}, s.spectrum.Always()...)
	work := []vk.Space{s.share.Work(), s.chase.Work(), s.spectrum.Work()}
	if p.opt.Vectors {
		work = append(work, vk.Together(p.doubles.Rows(), p.backWork()))
	}
	p.layout = vk.Together(append(always, p.reflectorsAndVectors(), vk.InTurn(work...))...)
}

// layBackShare lays out the memory of another device of a plan that distributes the matrix. The
// device transforms at most m vectors back. The stages of the first device are `of`.
func (p *path[T]) layBackShare(m int, of *path[T]) {
	s, r := &p.steps, &p.regions
	p.reserveShare(m, func(int, int) (v, tau int) { return of.regions.v.Len(), of.regions.tau.Len() })
	always := []vk.Space{r.t, r.band, s.products.Work(), s.products.emulated.Status(), s.share.Status()}
	work := []vk.Space{s.share.Work()}
	if p.opt.Vectors {
		elements := p.n * m
		if s.conquer != nil {
			elements = s.conquer.Elements(m)
			work = append(work, s.conquer.Work())
		}
		r.x = vk.Reserve[float64]("vectors, transposed", elements)
		always = append(always, r.x)
		work = append(work, vk.Together(p.doubles.Rows(), p.backWork()))
	}
	p.layout = vk.Together(append(always, p.reflectorsAndVectors(), vk.InTurn(work...))...)
}

// reserveShare reserves the memory that all devices have if the matrix is distributed. `reflectors`
// returns the numbers of elements of the reflectors of Q2.
func (p *path[T]) reserveShare(m int, reflectors func(n, b int) (v, tau int)) {
	n, b, s, r := p.n, p.tune.Band, &p.steps, &p.regions
	r.columns = vk.Reserve[T]("columns of A, Q1", s.share.Elements())
	r.t = vk.Reserve[T]("T of Q1", s.share.Panels()*b*b)
	r.band = vk.Reserve[T]("band", 2*b*n)
	v, tau := 0, 0
	if p.opt.Vectors {
		v, tau = reflectors(n, b)
		r.a = vk.Reserve[T]("vectors", n*m)
		r.lambda = vk.Reserve[T]("eigenvalues of a check", m)
		r.block = vk.Reserve[T]("Q1 of another device", n*min(n, p.tune.Block))
	}
	r.v, r.tau = vk.Reserve[T]("V of Q2", v), vk.Reserve[T]("τ of Q2", tau)
}

// reflectorsAndVectors is the memory of the matrix, of the reflectors and of the vectors that are
// downloaded, which are written after the last use of the reflectors.
func (p *path[T]) reflectorsAndVectors() *vk.Layout {
	r := &p.regions
	reflectors := vk.Together(r.columns, r.v, r.tau)
	if !p.opt.Vectors {
		return reflectors
	}
	return vk.InTurn(reflectors, r.a)
}

// backWork is the workspace of the back transformation, and of checks.
func (p *path[T]) backWork() *vk.Layout {
	s := &p.steps
	return vk.InTurn(vk.Together(p.regions.block, s.q1.Work()), s.q2.Work(), vk.Together(p.regions.lambda, s.panels.Work()))
}

// blockOfQ1 returns block j of the columns with the reflectors of Q1. If another device has the
// block, it is the memory to which the block is copied.
func (s *solve[T]) blockOfQ1(j int) product.Matrix[T] {
	share, ws := s.steps.share, s.Arena
	from, to := share.Blocks().Columns(j)
	if share.Has(j) {
		return share.Block(ws, s.regions.columns.In(ws), j)
	}
	rows := s.n - from
	return product.NewMatrix(s.regions.block.In(ws).Sub(0, rows*(to-from)), rows, to-from, rows)
}
