package evd

import (
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// transformBackDistributed does the work of transformBack for a plan that distributes the matrix.
// Each device has only a part of the reflectors of Q1. The blocks of columns, from the last one to
// the first, go through the memory of the host to all devices.
func (g *together[T]) transformBackDistributed(parts []product.Matrix[float64]) ([]product.Matrix[T], error) {
	x, q := make([]product.Matrix[T], len(g.all)), make([]product.Matrix[T], len(g.all))
	err := g.each(func(k int, s *solve[T]) (err error) {
		x[k], err = s.applyQ2(parts[k])
		return err
	})
	first := g.all[0]
	share := first.steps.share
	block := make([]T, first.n*min(first.n, first.tune.Block))
	for j := len(share.Blocks().Owner) - 1; j >= 0 && err == nil; j-- {
		from, _ := share.Blocks().Columns(j)
		owner := share.Owner(from)
		err = g.each(func(k int, s *solve[T]) error {
			if k != owner {
				return nil
			}
			y := s.blockOfQ1(j).At
			return spectrum.During(stages.PhaseMove, vk.Download(s.Ctx, s.Dev, vk.Vector(block[:y.Len()]), y))
		})
		if err != nil {
			break
		}
		err = g.each(func(k int, s *solve[T]) error {
			if x[k].Rows == 0 {
				return nil
			}
			return s.Run(func(rec *vk.Recorder) {
				y := s.blockOfQ1(j)
				if k != owner {
					vk.SendFirst(rec, y.At, block[:y.At.Len()])
				}
				s.steps.q1.RecordBlock(rec, s.Arena, y, from, s.regions.t.In(s.Arena), x[k])
			})
		})
	}
	if err != nil {
		return q, err
	}
	return q, g.each(func(k int, s *solve[T]) (err error) {
		q[k], err = s.oriented(x[k])
		return err
	})
}

// applyQ2 multiplies the vectors S of the tridiagonal matrix by Q2, and returns the result.
func (s *solve[T]) applyQ2(vectors product.Matrix[float64]) (x product.Matrix[T], err error) {
	ws := s.Arena
	x = s.doubles.vectors(ws, vectors)
	if x.Rows == 0 {
		return x, nil
	}
	return x, s.Run(func(rec *vk.Recorder) {
		s.doubles.narrow(rec, ws, vectors)
		rec.Phase(stages.PhaseApplyQ2, 0, 1)
		s.steps.q2.Record(rec, ws, s.regions.reflectors(ws), x)
		s.Info(rec, stages.PhaseApplyQ2, s.steps.q2.Info(ws))
	})
}

// oriented returns the eigenvectors as the matrix to download. x has a vector in each row.
func (s *solve[T]) oriented(x product.Matrix[T]) (q product.Matrix[T], err error) {
	q = product.NewMatrix(s.regions.a.In(s.Arena), s.n, x.Rows, s.n)
	if x.Rows == 0 {
		return q, nil
	}
	err = s.Run(func(rec *vk.Recorder) {
		s.steps.products.emulated.Refused(s.Call, rec, s.Arena)
		q = s.steps.orient.record(rec, x, q)
	})
	return q, err
}
