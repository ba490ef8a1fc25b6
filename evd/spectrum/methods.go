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
	// Work is the device memory that Solve needs. No other data may be in this memory while Solve
	// runs.
	Work() *vk.Layout

	// Elements is the number of elements that the memory of `xt` in Solve must have, or 0 if it
	// needs no more than its own elements.
	Elements() int

	// Flops estimates the number of operations for m eigenvalues, or for m eigenpairs if vectors
	// are wanted.
	Flops(m int) float64

	// Solve finds the eigenvalues λ[from] … λ[to−1] of t, in ascending order, from < to. If xt has
	// rows, it is a (to−from)×n matrix, and Solve writes an eigenvector to each row. The memory of
	// xt, Elements included, may have any contents before. Solve does not change t on the device or
	// on the host.
	Solve(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error)
}

// constructor makes a method for order n and at most m eigenpairs.
type constructor func(dev *vk.Device, n, m int, ops product.Ops[float64], t tuning.Tuning) (Method, error)

// divideConquer makes stedc.DivideConquer a Method. It uses the memory of xt also as workspace,
// which must have n×n elements, even if only a part of the vectors is wanted.
type divideConquer struct {
	*stedc.DivideConquer
	n int
}

func newDivideConquer(dev *vk.Device, n, _ int, ops product.Ops[float64], t tuning.Tuning) (Method, error) {
	s, err := stedc.NewDivideConquer(dev, n, ops, t.Products, t.DivideConquer)
	return divideConquer{s, n}, err
}

func (s divideConquer) Elements() int { return s.n * s.n }

// Flops estimates the operations for m vectors. Three quarters of them are in the last products, and
// are proportional to m.
func (s divideConquer) Flops(m int) float64 {
	part := float64(m) / float64(s.n)
	return s.DivideConquer.Flops() * (0.25 + 0.75*part)
}

func (s divideConquer) Solve(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	reporting := s.DivideConquer.Reporting(c.Reporter())
	values, profile, err := reporting.SolveRange(c.Ctx, c.Arena, t.Host.D, t.Host.E, from, to, xt)
	c.Profile.Merge(profile)
	if err != nil {
		return nil, plan.NotConverged(err, stages.PhaseTridiagonal)
	}
	return values[from:to], nil
}

// divideConquerValues is stedc.DivideConquerValues as a Method. It finds all values and returns the
// wanted part.
type divideConquerValues struct{ *stedc.DivideConquerValues }

func newDivideConquerValues(dev *vk.Device, n, _ int, _ product.Ops[float64], t tuning.Tuning) (Method, error) {
	s, err := stedc.NewDivideConquerValues(dev, n, t.DivideConquer)
	return divideConquerValues{s}, err
}

func (s divideConquerValues) Elements() int { return 0 }

func (s divideConquerValues) Flops(int) float64 { return s.DivideConquerValues.Flops() }

func (s divideConquerValues) Solve(c *plan.Call, t Problem, from, to int, _ stages.Matrix) ([]float64, error) {
	values, profile, err := s.DivideConquerValues.Solve(c.Ctx, c.Arena, t.Host.D, t.Host.E)
	c.Profile.Merge(profile)
	if err != nil {
		return nil, plan.NotConverged(err, stages.PhaseTridiagonal)
	}
	return values[from:to], nil
}

// bisection is stebz.Bisection as a Method. It computes only the wanted part, and downloads the
// values.
type bisection struct {
	*stebz.Bisection
	n      int
	values vk.Region[float64]
}

func newBisection(dev *vk.Device, n, _ int, _ product.Ops[float64], t tuning.Tuning) (Method, error) {
	s, err := stebz.NewBisection(dev, n, t.Bisection)
	return bisectionOf(s, n), err
}

func bisectionOf(s *stebz.Bisection, n int) bisection {
	return bisection{s, n, vk.Reserve[float64]("bisection values", n)}
}

func (s bisection) Work() *vk.Layout { return vk.Together(s.Bisection.Work(), s.values) }

func (s bisection) Elements() int { return 0 }

func (s bisection) Flops(m int) float64 { return s.Bisection.Flops() * float64(m) / float64(s.n) }

func (s bisection) Solve(c *plan.Call, t Problem, from, to int, _ stages.Matrix) ([]float64, error) {
	found, values := s.values.In(c.Arena), make([]float64, to-from)
	return values, c.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseBisection, 0, 1)
		s.RecordRange(rec, c.Arena, t.D, t.E, from, to, found)
		vk.ReceiveLast(rec, values, found)
	})
}

// mrrr is stemr.MRRR as a Method, for at most m vectors. If MRRR fails for some, divide and conquer
// computes them.
type mrrr struct {
	*stemr.MRRR
	n, m int
}

func newMRRR(dev *vk.Device, n, m int, ops product.Ops[float64], t tuning.Tuning) (Method, error) {
	divide, err := stedc.NewDivideConquer(dev, n, ops, t.Products, t.DivideConquer)
	if err != nil {
		return nil, err
	}
	s, err := stemr.NewMRRR(dev, n, m, divide, t.MRRR)
	return mrrr{s, n, m}, err
}

func (s mrrr) Elements() int { return s.n * s.m }

// Flops is that of the m vectors for which the method was made. It ignores its argument.
func (s mrrr) Flops(int) float64 { return s.MRRR.Flops() }

// Solve computes vectors even if only values are wanted. Elements includes the memory for them.
func (s mrrr) Solve(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	values, tree, profile, err := s.MRRR.Solve(c.Ctx, c.Arena, t.Host.D, t.Host.E, from, to, xt)
	c.Profile.Merge(profile)
	c.Tree = &tree
	return values, plan.NotConverged(err, stages.PhaseTridiagonal)
}

// qr is steqr.QRIteration as a Method. It runs on the host, and uploads the vectors to the device.
type qr struct{ *steqr.QRIteration }

func newQR(dev *vk.Device, n, _ int, _ product.Ops[float64], _ tuning.Tuning) (Method, error) {
	return qr{steqr.NewQRIteration(dev, n)}, nil
}

func (s qr) Elements() int { return 0 }

// Flops is that of all vectors, because QR iteration cannot compute fewer.
func (s qr) Flops(int) float64 { return s.QRIteration.Flops() }

func (s qr) Solve(c *plan.Call, t Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	values, profile, err := s.QRIteration.SolveRange(c.Ctx, t.Host.D, t.Host.E, from, to, xt)
	c.Profile.Merge(profile)
	return values, plan.NotConverged(err, stages.PhaseTridiagonal)
}
