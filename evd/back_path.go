package evd

import (
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	backs "github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// part says which of several devices of a plan a path is for.
type part struct {
	split  shares
	device int // number of the device
	most   int // largest number of its vectors
}

// newBackPath makes the stages with which the device dev helps the first device of a plan in the
// back transformation of eigenvectors. The stages and memory of the first device, which reduces the
// matrix, are `of`. Both devices apply the same reflectors, so they use the same half-bandwidth:
//
//	Q = Q1·(Q2·S)
//
// The device dev transforms some columns of S, the eigenvectors of the tridiagonal matrix, into the
// columns of Q with the same numbers. If the matrix is distributed, newBackPath also makes the
// stage for the device's part of it.
//
// If the options have a tuning, it is that of the device `first`, which reduces the matrix. It is
// used on the device dev only if both devices have the same name.
func newBackPath[T Float](first, dev *vk.Device, of *path[T], mine part) (p *path[T], err error) {
	m := mine.most
	p = &path[T]{n: of.n, opt: of.opt, oneStage: of.oneStage}
	if dev.Info().Name != first.Info().Name {
		p.opt.Tuning = nil
	}
	p.opt.Band, p.opt.Block = of.tune.Band, of.tune.Block
	if len(of.steps.products.emulated) == 0 {
		p.opt.Products = ProductsNative
	}
	if p.tune, err = sizes[T](dev, p.n, p.opt); err != nil {
		return nil, err
	}
	if p.doubles, err = newDoubles[T](dev, p.n, m); err != nil {
		return nil, err
	}
	waiting, err := p.suit(dev)
	if err != nil {
		return nil, err
	}
	s := &p.steps
	if s.products, err = newProducts(dev, p.n, p.opt, p.tune, p.doubles); err != nil {
		return nil, err
	}
	if p.distributed() {
		if err = p.newBackShare(dev, of, mine, waiting); err != nil {
			return nil, err
		}
		p.layBackShare(m, of)
		return p, nil
	}
	var b builder
	back := backs.Size{N: p.n, B: p.tune.Band, M: m}
	if !p.oneStage {
		s.q2, err = emulation.NewQ2(dev, back, p.opt.capacity(p.n), s.products.vectors, s.products.emulated, waiting, p.tune.ApplyQ2)
		b.keep(err)
	}
	s.q1, err = backs.NewApplyQ1(dev, back, s.products.vectors, s.products.emulated.Panel(p.tune))
	b.keep(err)
	s.orient, err = newOrientation[T](dev, p.opt)
	b.keep(err)
	if b.err != nil {
		return nil, b.err
	}
	p.layBack(m, of)
	return p, nil
}

// layBack lays out the memory of a device that only transforms at most m vectors back. The
// reflectors come from another device, whose stages and memory are `of`. They have the same sizes
// on both devices.
func (p *path[T]) layBack(m int, of *path[T]) {
	n, s, r := p.n, &p.steps, &p.regions
	r.a = vk.Reserve[T]("Q1, vectors", n*n)
	r.t = vk.Reserve[T]("T of Q1", of.regions.t.Len())
	r.v, r.tau = vk.Reserve[T]("V of Q2", of.regions.v.Len()), vk.Reserve[T]("τ of Q2", of.regions.tau.Len())
	r.x = vk.Reserve[float64]("vectors, transposed", n*m)
	backs := []vk.Space{s.q1.Work()}
	if s.q2 != nil {
		backs = append(backs, s.q2.Work())
	}
	p.layout = vk.Together(r.a, r.t, r.v, r.tau, r.x, s.products.Work(), s.products.emulated.Status(),
		p.doubles.Rows(), vk.InTurn(backs...))
}

// vectorsAt returns the memory of m vectors S, one per row, on a device that only transforms
// vectors back (newBackPath).
func (p *path[T]) vectorsAt(ws *vk.Arena, m int) product.Matrix[float64] {
	return product.NewMatrix(p.regions.x.In(ws), m, p.n, max(m, 1))
}

// reflectorsTo copies the reflectors of Q2 and Q1 from the device of the solve s to the device of
// the solve `to`. The link leads from the first device to the second.
func (s *solve[T]) reflectorsTo(to *solve[T], link *vk.Link) error {
	for _, r := range [][2]vk.Region[T]{
		{s.regions.v, to.regions.v}, {s.regions.tau, to.regions.tau}, {s.regions.a, to.regions.a}, {s.regions.t, to.regions.t},
	} {
		if err := vk.Move(to.Ctx, link, column(r[1].In(to.Arena)), column(r[0].In(s.Arena))); err != nil {
			return plan.During(stages.PhaseMove, err)
		}
	}
	return nil
}

// column returns all elements of the slice s as a matrix with one column.
func column[T any](s vk.Slice[T]) vk.Block[T] {
	return vk.Block[T]{Rows: s.Len(), Cols: 1, Ld: s.Len(), At: s}
}

// blockOf returns the matrix x in the form that vk.Move copies between devices.
func blockOf[T Float](x product.Matrix[T]) vk.Block[T] {
	return vk.Block[T]{Rows: x.Rows, Cols: x.Cols, Ld: x.Ld, At: x.At}
}
