package evd

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// transformBackDistributed does the work of transformBack for a plan that distributes the matrix.
// Device 0 sends the reflectors of Q2 to all others. Those of Q1 are divided: the owner of each block
// of columns of A sends the reflectors of the block to all others, the last block first. Each device
// has one recording, and the devices take part in all copies, even if they have no vectors.
func (g *together[T]) transformBackDistributed(parts []product.Matrix[float64]) ([]product.Matrix[T], error) {
	q, parties := make([]product.Matrix[T], len(g.all)), g.plan.parties()
	return q, g.gathered(func(k int, s *solve[T]) (err error) {
		q[k], err = s.transformPart(parts[k], parties[k])
		return err
	})
}

// transformPart transforms the vectors of one device back, and returns the matrix to download.
func (s *solve[T]) transformPart(vectors product.Matrix[float64], p *vk.Party) (q product.Matrix[T], err error) {
	ws, share := s.Arena, s.steps.share
	x := s.doubles.vectors(ws, vectors)
	q = product.NewMatrix(s.regions.a.In(ws), s.n, x.Rows, s.n)
	has := x.Rows > 0
	err = s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseMove, 0, 1)
		vk.Spread(rec, p, 0, s.regions.v.In(ws))
		vk.Spread(rec, p, 0, s.regions.tau.In(ws))
		if has {
			s.doubles.Narrow(rec, ws, 0, vectors)
			rec.Phase(stages.PhaseApplyQ2, 0, 1)
			s.steps.q2.Record(rec, ws, s.regions.reflectors(ws), x)
			s.Info(rec, stages.CauseWait, stages.PhaseApplyQ2, s.steps.q2.Info(ws))
		}
		for j := len(share.Blocks().Owner) - 1; j >= 0; j-- {
			from, _ := share.Blocks().Columns(j)
			y := s.blockOfQ1(j)
			vk.Spread(rec, p, share.Owner(from), y.At)
			if has {
				s.steps.q1.RecordBlock(rec, ws, y, from, s.regions.t.In(ws), x)
			}
		}
		if has {
			s.steps.products.emulated.Refused(s.Call, rec, ws)
			q = s.steps.orient.record(rec, x, q)
		}
	})
	return q, err
}
