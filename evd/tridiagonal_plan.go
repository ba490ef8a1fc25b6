package evd

import (
	"context"
	"fmt"
	"math"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// TridiagonalPlan is Plan for matrices that are tridiagonal to begin with,
//
//	T = S·Λ·Sᵀ
//
// of one order and one set of options. Nothing of order n² is allocated unless
// Options.Vectors or the solver asks for it.
type TridiagonalPlan[T Float] struct {
	holder
	opt       Options
	ops       product.Ops
	spectral  *spectral
	finish    *finish
	residuals *stages.TridiagonalResidual

	z                       vk.Region[float64] // the vectors, one a column
	residual, orthogonality vk.Region[float64] // column sums of a check
}

// NewTridiagonalPlan prepares for matrices of order n on the device. Errors and vk.Dry are
// as for NewPlan; an option that is about dense matrices is an *OptionError.
func NewTridiagonalPlan[T Float](dev *vk.Device, n int, opt Options) (*TridiagonalPlan[T], error) {
	most := mostRows
	if opt.Vectors {
		most = mostOrder
	}
	if err := checkOrder(n, most, true); err != nil {
		return nil, err
	}
	if err := opt.checkTridiagonal(); err != nil {
		return nil, err
	}
	tune, err := opt.tuning(dev, n)
	if err != nil {
		return nil, err
	}
	if err := opt.Select.check(n); err != nil {
		return nil, err
	}
	p := &TridiagonalPlan[T]{holder: holder{dev: dev, n: n}, opt: opt}
	if n == 0 {
		p.layout = vk.Together()
		return p, nil
	}
	if err := dev.Compile(func() error { return p.prepare(tune) }); err != nil {
		return nil, err
	}
	if err := p.allocate(); err != nil {
		return nil, err
	}
	return p, nil
}

// prepare makes the stages and lays out their memory: the vectors take the solver's place
// when it has done its work.
func (p *TridiagonalPlan[T]) prepare(t stages.Tuning) (err error) {
	dev, n, m := p.dev, p.n, p.opt.Select.capacity(p.n)
	if p.ops, err = product.New(dev, t.Products); err != nil {
		return err
	}
	if p.spectral, err = newSpectral(dev, n, p.opt, true, p.ops, t); err != nil {
		return err
	}
	always := append(p.spectral.always(), p.ops.Work())
	if !p.opt.Vectors {
		p.layout = vk.Together(append(always, p.spectral.work())...)
		return nil
	}
	var errs []error
	p.finish = made(newFinish(dev, p.opt, t))(&errs)
	p.residuals = made(stages.NewTridiagonalResidual(dev, n, m, p.ops))(&errs)
	if len(errs) > 0 {
		return errs[0]
	}
	p.z = vk.Reserve[float64]("vectors", n*m)
	p.residual, p.orthogonality = vk.Reserve[float64]("residual sums", m), vk.Reserve[float64]("orthogonality sums", m)
	p.layout = vk.Together(append(always, p.residual, p.orthogonality,
		vk.InTurn(p.spectral.work(), vk.Together(p.z, p.residuals.Work())))...)
	return nil
}

// Costs is the forecast of floating-point operations.
func (p *TridiagonalPlan[T]) Costs() []StageCost {
	if p.n == 0 {
		return nil
	}
	return []StageCost{p.spectral.cost()}
}

// Solve computes the spectrum of t, or the part selected. Its errors are those of Plan.Solve.
func (p *TridiagonalPlan[T]) Solve(ctx context.Context, t Tridiagonal[T]) (*Result[T], error) {
	p.busy.Lock()
	defer p.busy.Unlock()
	if err := p.accepts(t); err != nil {
		return nil, err
	}
	if _, err := t.scan(); err != nil {
		return nil, err
	}
	c := p.begin(ctx, newProgress(p.Costs(), p.opt.Progress).at)
	if p.n <= 1 {
		res := trivial(p.opt, t.D)
		res.Profile = c.profile
		return res, nil
	}
	host := t.times(1)
	if err := p.upload(c, host); err != nil {
		return nil, err
	}
	room := newRoom[T](ctx)
	defer room.leave()
	f, err := p.spectral.solve(c, host, 1, func(m int) { room.begin(p.n, m, p.opt.RowMajor) })
	if err != nil {
		return nil, err
	}
	res := &Result[T]{First: f.first, Values: unscale[T](f.values, 1), Profile: c.profile, Tree: c.tree}
	if p.opt.Vectors {
		q, err := p.vectors(c, f.x)
		if err != nil {
			return nil, err
		}
		if res.Vectors, err = fetch(c, room.ready(), q); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// vectors is Sᵀ → S, with signs fixed. It returns what is to be downloaded, as Plan's transformBack does.
func (p *TridiagonalPlan[T]) vectors(c *call, x stages.Matrix) (q stages.Matrix, err error) {
	q = stages.NewMatrix(p.z.In(c.ws), p.n, x.Rows, p.n)
	if x.Rows == 0 {
		return q, nil
	}
	err = c.run(func(rec *vk.Recorder) { q = p.finish.record(rec, x, q) })
	return q, err
}

// CountBelow counts the eigenvalues of t below each x, by the signs of the pivots of
// T − x·I (Sylvester's law; dstech). The counts are those of a matrix whose entries differ from t's by
// a few ulp of ‖T‖: an eigenvalue so near to x may count either way, and one that is x
// counts as below. They never decrease as x grows. x may be infinite, not NaN.
func (p *TridiagonalPlan[T]) CountBelow(ctx context.Context, t Tridiagonal[T], x ...float64) ([]int, error) {
	p.busy.Lock()
	defer p.busy.Unlock()
	if err := p.accepts(t); err != nil {
		return nil, err
	}
	if _, err := t.scan(); err != nil {
		return nil, err
	}
	for i, v := range x {
		if math.IsNaN(v) {
			return nil, &OptionError{"x", fmt.Sprintf("number %d to count below is NaN", i)}
		}
	}
	if p.n == 0 {
		return make([]int, len(x)), nil
	}
	c := p.begin(ctx, nil)
	if err := p.upload(c, t.times(1)); err != nil {
		return nil, err
	}
	return p.spectral.count(c, x)
}

func (p *TridiagonalPlan[T]) begin(ctx context.Context, progress func(vk.Progress)) *call {
	return &call{ctx: ctx, dev: p.dev, ws: p.arena, profile: vk.NewProfile(), progress: progress}
}

func (p *TridiagonalPlan[T]) upload(c *call, t Tridiagonal[float64]) error {
	return c.run(func(rec *vk.Recorder) {
		vk.SendFirst(rec, p.spectral.d.In(c.ws), t.D)
		vk.SendFirst(rec, p.spectral.e.In(c.ws), t.E)
	})
}

func (p *TridiagonalPlan[T]) accepts(t Tridiagonal[T]) error {
	if err := t.Check(); err != nil {
		return err
	}
	if t.N() != p.n {
		return &ShapeError{N: t.N(), Len: len(t.E), Tridiagonal: true, Plan: p.n}
	}
	return p.open()
}
