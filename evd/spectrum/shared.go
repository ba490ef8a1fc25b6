package spectrum

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// sharedConquer is stedc.SharedConquer as a Method: divide and conquer by several devices, each with
// its own part of the vectors. m is the largest number of vectors of the first device.
type sharedConquer struct {
	*stedc.SharedConquer
	n, m int
}

func newSharedConquer(dev *vk.Device, n, m int, ops product.Ops[float64], t tuning.Tuning) (Method, error) {
	s, err := stedc.NewSharedConquer(dev, n, ops, t.Products, t.DivideConquer)
	return sharedConquer{s, n, m}, err
}

func (s sharedConquer) Elements() int { return s.Share().Elements(s.m) }

func (s sharedConquer) Flops(m int) float64 {
	return s.SharedConquer.Flops() * (0.25 + 0.75*float64(m)/float64(s.n))
}

// Solve writes the vectors to the memory of all devices. xt is the memory on the first one.
func (s sharedConquer) Solve(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	for k := range c.Shared.Devices {
		first, last := c.Shared.Part(k, to-from)
		x := &c.Shared.Devices[k].X
		x.Rows, x.Cols, x.Ld = last-first, s.n, max(last-first, 1)
	}
	c.Shared.Devices[0].X, c.Shared.Devices[0].Share = xt, s.Share()
	values, err := s.SolveRange(t.Host.D, t.Host.E, from, c.Shared.Devices, c.Shared.Each, c.Reporter())
	if err != nil {
		return nil, plan.NotConverged(err, stages.PhaseTridiagonal)
	}
	return values[from:to], nil
}

// Shared reports whether the method works on several devices. Then Solve needs Call.Shared, and the
// vectors of a Part are those of the first device.
func (s *Stage) Shared() bool { return s.shared }

// rows returns how many of m vectors are on the first device.
func (s *Stage) rows(c *plan.Call, m int) int {
	if !s.Shared() {
		return m
	}
	c.Shared.Vectors = m
	_, rows := c.Shared.Part(0, m)
	return rows
}
