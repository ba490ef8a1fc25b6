package team

import (
	"time"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// fetch transforms the vectors x of the tridiagonal matrix back, and copies the results to the host
// memory that `wait` returns. If the devices have solved the tridiagonal problem together, each
// device already has its part of the vectors, and x is the part of the first device. Otherwise x
// has all vectors, and fetch moves to each of the other devices its part of the vectors.
func (g *dividedSolve[T]) fetch(x product.Matrix[float64], wait func() vk.Columns[T]) error {
	m, shared, began := x.Rows, g.calls[0].Shared, time.Now()
	if shared != nil {
		m = shared.Vectors
	}
	if m == 0 {
		return nil
	}
	mine := make([]product.Matrix[float64], len(g.calls)) // the part of each device
	err := g.each(func(k int, c *plan.Call) error {
		from, to := g.split.Of(k, m)
		if k > 0 {
			mine[k] = g.parts[k].rows(c.Arena, to-from)
		} else {
			mine[k] = x.Block(0, 0, to, x.Cols)
		}
		if k == 0 || shared != nil {
			return nil
		}
		part := x.Block(from, 0, to-from, x.Cols)
		return plan.During(stages.PhaseMove, vk.Move(c.Ctx, g.Others[k-1].link, blockOf(mine[k]), blockOf(part)))
	})
	if err != nil {
		return err
	}
	g.calls[0].Profile.Add(stages.PhaseMove+stages.OnHost, time.Since(began).Seconds())
	return fetch(&g.crew, m, g.RowMajor, wait, func() ([]product.Matrix[T], error) { return g.transformBack(mine) })
}

// transformBack transforms the parts of the vectors back; vectors[k] is on device k. Device 0 sends
// the reflectors of Q2 to all others. Those of Q1 are divided: the owner of each block of columns
// of A sends the reflectors of the block to all others, the last block first. Each device has one
// recording, and the devices take part in all copies, even if they have no vectors. The results are
// the matrices to download. The first device reports its progress.
func (g *dividedSolve[T]) transformBack(vectors []product.Matrix[float64]) ([]product.Matrix[T], error) {
	q, parties := make([]product.Matrix[T], len(g.calls)), g.parties()
	return q, g.gathered(func(k int, c *plan.Call) (err error) {
		q[k], err = g.parts[k].transformBack(c, vectors[k], parties[k])
		return err
	})
}

// transformBack transforms the vectors of one device back, and returns the matrix to download.
func (s *part[T]) transformBack(c *plan.Call, vectors product.Matrix[float64], p *vk.Party) (q product.Matrix[T], err error) {
	ws, share := c.Arena, s.share
	x := s.Doubles.Eigenvectors(ws, vectors)
	q = product.NewMatrix(s.vectors.In(ws), s.N, x.Rows, s.N)
	has := x.Rows > 0
	err = c.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseMove, 0, 1)
		vk.Spread(rec, p, 0, s.memory.V.In(ws))
		vk.Spread(rec, p, 0, s.memory.Tau.In(ws))
		for _, copied := range s.Doubles.Copied() {
			vk.Spread(rec, p, 0, copied.In(ws))
		}
		if has {
			s.Doubles.Narrow(rec, ws, 0, vectors)
			s.q2.Record(c, rec, x)
		}
		for j := len(share.Blocks().Owner) - 1; j >= 0; j-- {
			from, _ := share.Blocks().Columns(j)
			y := s.blockOfQ1(ws, j)
			vk.Spread(rec, p, share.Owner(from), y.At)
			if has {
				s.q1.RecordBlock(rec, ws, y, from, s.t.In(ws), x)
			}
		}
		if has {
			s.Products.Refused(c, rec, ws)
			q = s.orient.Record(rec, x, q, nil)
		}
	})
	return q, err
}

// blockOfQ1 returns block j of the columns with the reflectors of Q1. If another device has the
// block, the result is the memory to which the block is copied.
func (s *part[T]) blockOfQ1(ws *vk.Arena, j int) product.Matrix[T] {
	from, to := s.share.Blocks().Columns(j)
	if s.share.Has(j) {
		return s.share.Block(ws, s.columns.In(ws), j)
	}
	rows := s.N - from
	return product.NewMatrix(s.block.In(ws).Sub(0, rows*(to-from)), rows, to-from, rows)
}
