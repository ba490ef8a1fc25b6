package evd

import (
	"errors"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// divideConquer is stages.DivideConquer as a tridiagonalSolver.
type divideConquer struct {
	*stages.DivideConquer
	n int
}

func newDivideConquer(dev *vk.Device, n, _ int, ops product.Ops, t stages.Tuning) (tridiagonalSolver, error) {
	s, err := stages.NewDivideConquer(dev, n, ops, t)
	return divideConquer{s, n}, err
}

func (s divideConquer) Room() int { return s.n * s.n }

// Flops: the last products, three quarters of the work, shrink with m.
func (s divideConquer) Flops(m int) float64 {
	part := float64(m) / float64(s.n)
	return s.DivideConquer.Flops() * (0.25 + 0.75*part)
}

func (s divideConquer) Solve(c *call, t tridiagonal, from, to int, xt stages.Matrix) ([]float64, error) {
	values, profile, err := s.DivideConquer.SolveRange(c.ctx, c.ws, t.host.D, t.host.E, from, to, xt)
	c.profile.Merge(profile)
	if err != nil {
		return nil, notConverged(err)
	}
	return values[from:to], nil
}

// divideConquerValues is stages.DivideConquerValues as a tridiagonalSolver.
type divideConquerValues struct{ *stages.DivideConquerValues }

func newDivideConquerValues(dev *vk.Device, n, _ int, _ product.Ops, t stages.Tuning) (tridiagonalSolver, error) {
	s, err := stages.NewDivideConquerValues(dev, n, t)
	return divideConquerValues{s}, err
}

func (s divideConquerValues) Room() int { return 0 }

func (s divideConquerValues) Flops(int) float64 { return s.DivideConquerValues.Flops() }

func (s divideConquerValues) Solve(c *call, t tridiagonal, from, to int, _ stages.Matrix) ([]float64, error) {
	values, profile, err := s.DivideConquerValues.Solve(c.ctx, c.ws, t.host.D, t.host.E)
	c.profile.Merge(profile)
	if err != nil {
		return nil, notConverged(err)
	}
	return values[from:to], nil
}

// bisection is stages.Bisection as a tridiagonalSolver.
type bisection struct {
	*stages.Bisection
	n      int
	values vk.Region[float64]
}

func newBisection(dev *vk.Device, n, _ int, _ product.Ops, t stages.Tuning) (tridiagonalSolver, error) {
	s, err := stages.NewBisection(dev, n, t)
	return bisectionOf(s, n), err
}

func bisectionOf(s *stages.Bisection, n int) bisection {
	return bisection{s, n, vk.Reserve[float64]("bisection values", n)}
}

func (s bisection) Work() *vk.Layout { return vk.Together(s.Bisection.Work(), s.values) }

func (s bisection) Room() int { return 0 }

func (s bisection) Flops(m int) float64 { return s.Bisection.Flops() * float64(m) / float64(s.n) }

func (s bisection) Solve(c *call, t tridiagonal, from, to int, _ stages.Matrix) ([]float64, error) {
	found, values := s.values.In(c.ws), make([]float64, to-from)
	return values, c.run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseBisection, 0, 1)
		s.RecordRange(rec, c.ws, t.d, t.e, from, to, found)
		vk.ReceiveLast(rec, values, found)
	})
}

// mrrr is stages.MRRR as a tridiagonalSolver, with divide and conquer at its side.
type mrrr struct {
	*stages.MRRR
	n, m int
}

func newMRRR(dev *vk.Device, n, m int, ops product.Ops, t stages.Tuning) (tridiagonalSolver, error) {
	divide, err := stages.NewDivideConquer(dev, n, ops, t)
	if err != nil {
		return nil, err
	}
	s, err := stages.NewMRRR(dev, n, m, divide, t)
	return mrrr{s, n, m}, err
}

func (s mrrr) Room() int { return s.n * s.m }

func (s mrrr) Flops(int) float64 { return s.MRRR.Flops() }

// Solve without vectors finds them all the same, in the memory that Room asks for.
func (s mrrr) Solve(c *call, t tridiagonal, from, to int, xt stages.Matrix) ([]float64, error) {
	values, counters, profile, err := s.MRRR.Solve(c.ctx, c.ws, t.host.D, t.host.E, from, to, xt)
	c.profile.Merge(profile)
	c.tree = &counters
	return values, notConverged(err)
}

// qr is stages.QRIteration as a tridiagonalSolver.
type qr struct{ *stages.QRIteration }

func newQR(dev *vk.Device, n, _ int, _ product.Ops, _ stages.Tuning) (tridiagonalSolver, error) {
	return qr{stages.NewQRIteration(dev, n)}, nil
}

func (s qr) Room() int { return 0 }

// Flops are those of all vectors: QR iteration cannot find fewer.
func (s qr) Flops(int) float64 { return s.QRIteration.Flops() }

func (s qr) Solve(c *call, t tridiagonal, from, to int, xt stages.Matrix) ([]float64, error) {
	values, profile, err := s.QRIteration.SolveRange(c.ctx, t.host.D, t.host.E, from, to, xt)
	c.profile.Merge(profile)
	return values, notConverged(err)
}

// notConverged says in this package's words what a stage says in its own.
func notConverged(err error) error {
	var failed *stages.NoConvergenceError
	if errors.As(err, &failed) {
		return &NoConvergenceError{Stage: stages.PhaseTridiagonal, Index: failed.Lo, End: failed.Hi}
	}
	return err
}
