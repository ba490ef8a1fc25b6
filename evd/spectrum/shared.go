package spectrum

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// newSharedConquer makes divide and conquer by several devices. Each device has only its part of
// the vectors. The first device's part has at most m vectors, and `xt` of Solve is its memory.
func newSharedConquer(dev *vk.Device, n, m int, ops product.Ops[float64], t tuning.Tuning) (Method, error) {
	s, err := stedc.NewSharedConquer(dev, n, ops, t.Products, t.DivideConquer)
	if err != nil {
		return nil, err
	}
	solve := func(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error) {
		for k := range c.Shared.Devices {
			first, last := c.Shared.Part(k, to-from)
			x := &c.Shared.Devices[k].X
			x.Rows, x.Cols, x.Ld = last-first, n, max(last-first, 1)
		}
		c.Shared.Devices[0].X, c.Shared.Devices[0].Share = xt, s.Share()
		values, err := s.SolveRange(t.Host.D, t.Host.E, from, c.Shared.Devices, c.Shared.Each, c.Reporter())
		if err != nil {
			return nil, plan.NotConverged(err, stages.PhaseTridiagonal)
		}
		return values[from:to], nil
	}
	return stage{s.Work, s.Share().Elements(m), conquerCost(n, s.Flops), solve}, nil
}

// Shared reports whether the method works on several devices. Then Solve needs Call.Shared, and the
// vectors of a Part are those of the first device.
func (s *Stage) Shared() bool { return s.shared }

// rows returns how many of m vectors are on the first device. If several devices share the vectors,
// it also stores m in c.Shared.Vectors.
func (s *Stage) rows(c *plan.Call, m int) int {
	if !s.Shared() {
		return m
	}
	c.Shared.Vectors = m
	_, rows := c.Shared.Part(0, m)
	return rows
}
