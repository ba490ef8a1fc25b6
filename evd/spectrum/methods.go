package spectrum

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
	"github.com/vkevd/vkevd/stages/tridiag/steqr"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Method is a stage that solves the tridiagonal problem T = S·Λ·Sᵀ for one order n.
type Method interface {
	// Work is the device memory that Solve needs. It may hold no other data while Solve runs.
	Work() *vk.Layout

	// Elements is the number of elements that the memory of `xt` in Solve must have. 0 means that the
	// elements of xt itself are enough.
	Elements() int

	// Flops estimates the operations for m eigenvalues, or for m eigenpairs if vectors are wanted.
	Flops(m int) float64

	// Solve finds the eigenvalues λ[from] … λ[to−1] of t, in ascending order, from < to. If xt has
	// rows, it is a (to−from)×n matrix, and Solve writes an eigenvector to each row. The memory of
	// xt, Elements included, may have any contents before. Solve does not change t on the device or
	// on the host.
	Solve(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error)
}

// constructor makes a method for order n and at most m eigenpairs.
type constructor func(dev *vk.Device, n, m int, ops product.Ops[float64], t tuning.Tuning) (Method, error)

// stage makes a stage of stages/tridiag a Method.
type stage struct {
	work     func() *vk.Layout
	elements int
	flops    func(m int) float64
	solve    func(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error)
}

func (s stage) Work() *vk.Layout    { return s.work() }
func (s stage) Elements() int       { return s.elements }
func (s stage) Flops(m int) float64 { return s.flops(m) }
func (s stage) Solve(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	return s.solve(c, t, from, to, xt)
}

// always is the cost of a method that does the same for any number of eigenvalues.
func always(flops func() float64) func(int) float64 { return func(int) float64 { return flops() } }

// conquerCost is the cost of divide and conquer for m of n vectors. Three quarters of its
// operations are in its last matrix products, and these are proportional to m.
func conquerCost(n int, flops func() float64) func(int) float64 {
	return func(m int) float64 { return flops() * (0.25 + 0.75*(float64(m)/float64(n))) }
}

// ended adds the times of a stage to the profile of the call, and returns the result of the stage.
func ended(c *plan.Call, values []float64, profile *vk.Profile, err error) ([]float64, error) {
	c.Profile.Merge(profile)
	return values, plan.NotConverged(err, stages.PhaseTridiagonal)
}

// newDivideConquer makes divide and conquer, which uses the memory of the result xt also as
// workspace. This memory must have n×n elements, even if only a part of the vectors is wanted.
func newDivideConquer(dev *vk.Device, n, _ int, ops product.Ops[float64], t tuning.Tuning) (Method, error) {
	s, err := stedc.NewDivideConquer(dev, n, ops, t.Products, t.DivideConquer)
	if err != nil {
		return nil, err
	}
	solve := func(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error) {
		values, profile, err := s.Reporting(c.Reporter()).SolveRange(c.Ctx, c.Arena, t.Host.D, t.Host.E, from, to, xt)
		if err == nil {
			values = values[from:to]
		}
		return ended(c, values, profile, err)
	}
	return stage{s.Work, n * n, conquerCost(n, s.Flops), solve}, nil
}

// newDivideConquerValues makes divide and conquer for values without vectors. It finds all values.
func newDivideConquerValues(dev *vk.Device, n, _ int, _ product.Ops[float64], t tuning.Tuning) (Method, error) {
	s, err := stedc.NewDivideConquerValues(dev, n, t.DivideConquer)
	if err != nil {
		return nil, err
	}
	solve := func(c *plan.Call, t Problem, from, to int, _ stages.Matrix) ([]float64, error) {
		values, profile, err := s.Solve(c.Ctx, c.Arena, t.Host.D, t.Host.E)
		if err == nil {
			values = values[from:to]
		}
		return ended(c, values, profile, err)
	}
	return stage{s.Work, 0, always(s.Flops), solve}, nil
}

func newBisection(dev *vk.Device, n, _ int, _ product.Ops[float64], t tuning.Tuning) (Method, error) {
	s, err := stebz.NewBisection(dev, n, t.Bisection)
	if err != nil {
		return nil, err
	}
	return bisectionOf(s, n), nil
}

// bisectionOf returns a Method that uses the kernels and the workspace of the stage s. It reads the
// tridiagonal matrix on the device, and computes only the wanted part.
func bisectionOf(s *stebz.Bisection, n int) Method {
	all := vk.Reserve[float64]("bisection values", n)
	return stage{
		func() *vk.Layout { return vk.Together(s.Work(), all) }, 0,
		func(m int) float64 { return s.Flops() * float64(m) / float64(n) },
		func(c *plan.Call, t Problem, from, to int, _ stages.Matrix) ([]float64, error) {
			found, values := all.In(c.Arena), make([]float64, to-from)
			return values, c.Run(func(rec *vk.Recorder) {
				rec.Phase(stages.PhaseBisection, 0, 1)
				s.RecordRange(rec, c.Arena, t.D, t.E, from, to, found)
				vk.ReceiveLast(rec, values, found)
			})
		},
	}
}

// newMRRR makes MRRR for at most m vectors. It computes vectors even if only values are wanted, and
// has memory for them. If it fails for some vectors, divide and conquer computes these. MRRR only
// bounds products of vectors, so the vectors are made orthonormal afterwards, if necessary.
func newMRRR(dev *vk.Device, n, m int, ops product.Ops[float64], t tuning.Tuning) (Method, error) {
	divide, err := stedc.NewDivideConquer(dev, n, ops, t.Products, t.DivideConquer)
	if err != nil {
		return nil, err
	}
	s, err := stemr.NewMRRR(dev, n, m, divide, t.MRRR)
	if err != nil {
		return nil, err
	}
	correction, err := NewOrthonormal(dev, n, m, ops)
	if err != nil {
		return nil, err
	}
	gram := vk.Reserve[float64]("products of vectors", m*m)
	solve := func(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error) {
		values, tree, profile, err := s.Solve(c.Ctx, c.Arena, t.Host.D, t.Host.E, from, to, xt)
		c.Tree = &tree
		if values, err = ended(c, values, profile, err); err == nil {
			g := stages.NewMatrix(gram.In(c.Arena).Sub(0, xt.Rows*xt.Rows), xt.Rows, xt.Rows, xt.Rows)
			err = correction.ProbeAndCorrect(c, stages.PhaseTridiagonal, xt, g)
		}
		return values, err
	}
	work := func() *vk.Layout { return vk.InTurn(s.Work(), vk.Together(correction.Work(), gram)) }
	return stage{work, n * m, always(s.Flops), solve}, nil
}

// newQR makes QR iteration on the host, which uploads the vectors to the device. If vectors are
// wanted, it computes all of them.
func newQR(dev *vk.Device, n, _ int, _ product.Ops[float64], _ tuning.Tuning) (Method, error) {
	s := steqr.NewQRIteration(dev, n)
	solve := func(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error) {
		values, profile, err := s.SolveRange(c.Ctx, t.Host.D, t.Host.E, from, to, xt)
		return ended(c, values, profile, err)
	}
	return stage{s.Work, 0, always(s.Flops), solve}, nil
}
