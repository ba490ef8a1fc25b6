package dense

import (
	"errors"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/refine"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Factor is the device memory of the factor L of B = L·Lᴴ, which outlives a solve: other matrices A
// are solved with the same B.
type Factor[T spirv.Scalar] struct {
	n        int
	l        vk.Region[T]
	inverses vk.Region[T]   // inverses of the diagonal blocks of L
	b        []vk.Region[T] // a copy of B for certificates, if B is kept
}

// NewFactor reserves the memory. If `keep` is true, there is also memory for B.
func NewFactor[T spirv.Scalar](n int, t tuning.Tuning, keep bool) *Factor[T] {
	f := &Factor[T]{n: n, l: vk.Reserve[T]("B, L", n*n), inverses: vk.Reserve[T]("L⁻¹, diagonal blocks", t.Cholesky.InverseLen(n))}
	if keep {
		f.b = []vk.Region[T]{vk.Reserve[T]("B", n*n)}
	}
	return f
}

func (f *Factor[T]) Layout() *vk.Layout {
	all := []vk.Space{f.l, f.inverses}
	for _, r := range f.b {
		all = append(all, r)
	}
	return vk.Together(all...)
}

// Parts lists what must be copied to other memory if the memory is replaced.
func (f *Factor[T]) Parts(ws *vk.Arena) (all []vk.Slice[T]) {
	for _, r := range append([]vk.Region[T]{f.l, f.inverses}, f.b...) {
		all = append(all, r.In(ws))
	}
	return all
}

func (f *Factor[T]) matrix(r vk.Region[T], ws *vk.Arena) product.Matrix[T] {
	return product.NewMatrix(r.In(ws), f.n, f.n, f.n)
}

// pair has the stages of a generalized eigenproblem that the standard one does not have:
//
//	B = L·Lᴴ       cholesky
//	A, L → C       form, before the reduction of C
//	Z → X          Factor.Vectors, after the back transformation
type pair[T spirv.Scalar] struct {
	*Factor[T]
	*Common[T]
	cholesky  *factor.Cholesky[T]
	condition *factor.Condition[T]
	form      *factor.StandardForm[T]
	copies    *move.Copying[T]
	residuals *residual.Pencil[T] // the stage of a check; nil without vectors
	checked   vk.Region[T]        // memory of B in a check

	// Only with Config.Refine: the stage of a refinement, and n² elements for vectors, one per row.
	refine *refine.Refinement[T]
	rows   vk.Region[T]
}

func newPair[T spirv.Scalar](dev *vk.Device, c *Common[T], f *Factor[T]) (p *pair[T], err error) {
	p = &pair[T]{Factor: f, Common: c}
	ops, t := c.Products.Pair, c.Tune.Cholesky
	if p.cholesky, err = factor.NewCholesky(dev, c.N, ops, t); err != nil {
		return nil, err
	}
	if p.condition, err = factor.NewCondition(dev, c.N, ops, t); err != nil {
		return nil, err
	}
	if p.form, err = factor.NewStandardForm(dev, c.N, c.Pencil, ops, t); err != nil {
		return nil, err
	}
	if p.copies, err = move.NewCopying[T](dev); err != nil || !c.Vectors {
		return p, err
	}
	m := c.Capacity(c.N)
	p.checked = vk.Reserve[T]("B of a check", c.N*c.N)
	if p.residuals, err = residual.NewPencil(dev, c.Pencil, c.N, m, c.Products.Native); err != nil {
		return nil, err
	}
	if err := c.Products.Native.Reserve(t.SolveShape(c.N, residual.PencilColumns)); err != nil {
		return nil, err
	}
	if c.Refine {
		p.rows = vk.Reserve[T]("vectors, transposed", c.N*c.N)
		if p.refine, err = refine.NewRefinement[T](dev, c.N, c.Products.Native); err != nil {
			return nil, err
		}
	}
	return p, ops.Reserve(t.SolveShape(c.N, m))
}

// checks lists the workspaces of a check and of a refinement, which run one after another.
func (p *pair[T]) checks() []vk.Space {
	all := []vk.Space{vk.Together(p.residuals.Work(), p.checked)}
	if p.refine != nil {
		all = append(all, vk.Together(p.refine.Work(), p.rows))
	}
	return all
}

func (p *pair[T]) factorOn(ws *vk.Arena, ops product.Ops[T]) factor.Factor[T] {
	return factor.NewFactor(p.Tune.Cholesky, p.matrix(p.l, ws), p.inverses.In(ws), ops)
}

// work lists the workspaces of the stages, which run one after another.
func (p *pair[T]) work() []vk.Space {
	return []vk.Space{vk.Together(p.cholesky.Work(), p.condition.Work()), p.form.Work()}
}

// recordForm replaces A, of which both triangles are stored, by C.
func (p *pair[T]) recordForm(rec *vk.Recorder, ws *vk.Arena, load *move.SymmetricLoad[T], a product.Matrix[T]) {
	p.form.Record(rec, ws, a, p.factorOn(ws, p.Products.Pair))
	load.Record(rec, a, move.Triangle{}, 1)
}

// recordVectors replaces the eigenvectors z of C by those of the pair in the memory x.
func (p *pair[T]) recordVectors(c *plan.Call, rec *vk.Recorder, z, x product.Matrix[T]) {
	rec.Phase(stages.PhasePairVectors, 0, 1)
	p.factorOn(c.Arena, p.Products.Pair).Vectors(rec, c.Arena, p.Pencil, z, x)
	p.Products.Refused(c, rec, c.Arena)
}

func (p *pair[T]) costs() (before []plan.StageCost, after plan.StageCost) {
	n, m := float64(p.N), float64(p.MostVectors(p.N))
	return []plan.StageCost{{Stage: stages.PhaseStandardForm, Flops: p.form.Flops() * RealFlops[T]()}},
		plan.StageCost{Stage: stages.PhasePairVectors, Flops: n * n * m * RealFlops[T]()}
}

// CholeskyCost is the forecast of the operations of Factorise.
func (s *Stages[T]) CholeskyCost() plan.StageCost {
	return plan.StageCost{Stage: stages.PhaseCholesky, Flops: s.pair.cholesky.Flops() * RealFlops[T]()}
}

// PairCheckCost is the forecast of the operations of PairSums.
func (s *Stages[T]) PairCheckCost() plan.StageCost {
	return plan.StageCost{Stage: stages.PhaseCheck, Flops: s.pair.residuals.Flops() * RealFlops[T]()}
}

// RefinementCost is the forecast of the operations of one step of a refinement and of PairSums
// after it.
func (s *Stages[T]) RefinementCost() plan.StageCost {
	n := float64(s.N)
	products, update := s.pair.refine.Flops()
	return plan.StageCost{
		Stage: stages.PhaseRefineProducts,
		Flops: (products+2*n*n*n+update)*RealFlops[T]() + s.PairCheckCost().Flops,
	}
}

// Factored is what a Cholesky factorisation tells about B.
type Factored struct {
	Sigma     float64 // the device has factored σ·B, where σ is a power of four
	Minor     int     // order of the first leading minor that is not positive definite, or 0
	Condition float64 // a lower bound of ‖B‖₁·‖B⁻¹‖₂, near it
}

// Factorise computes B = L·Lᴴ. The factor stays on the device.
func (s *Solve[T]) Factorise(b Triangle[T]) (Factored, error) {
	p, to := s.pair, s.pair.matrix(s.pair.l, s.Arena)
	var read func(sigma float64, err error) (Factored, error)
	record := func(rec *vk.Recorder, sigma float64) {
		s.Products.Begin(rec, s.Arena)
		s.recordLoad(rec, to, b, sigma)
		for _, r := range p.b {
			p.copies.Record(rec, to, p.matrix(r, s.Arena))
		}
		read = s.recordFactor(rec, to)
	}
	scale := func(b Triangle[T]) (float64, error) {
		largest, err := b.Largest()
		return pairScaling[T](largest), err
	}
	sigma, err := s.loaded(b, to.At, scale, record, func() {})
	return read(sigma, err)
}

// FactoriseAgain does the same as Factorise for the B that is kept on the device, which was
// multiplied by σ.
func (s *Solve[T]) FactoriseAgain(sigma float64) (Factored, error) {
	p, to := s.pair, s.pair.matrix(s.pair.l, s.Arena)
	var read func(sigma float64, err error) (Factored, error)
	err := s.Run(func(rec *vk.Recorder) {
		s.Products.Begin(rec, s.Arena)
		p.copies.Record(rec, p.matrix(p.b[0], s.Arena), to)
		read = s.recordFactor(rec, to)
	})
	return read(sigma, err)
}

// recordFactor records the factorisation of σ·B. The returned function gives its result after the
// recording has been executed; its arguments are σ and the error of the execution.
func (s *Solve[T]) recordFactor(rec *vk.Recorder, to product.Matrix[T]) func(sigma float64, err error) (Factored, error) {
	p, ws, minor := s.pair, s.Arena, make([]uint32, 1)
	columns, diagonal := p.condition.RecordNorm(rec, ws, to)
	rec.Phase(stages.PhaseCholesky, 0, 1)
	l := p.cholesky.Record(rec, ws, to, p.inverses.In(ws))
	vk.Receive(rec, minor, p.cholesky.Info(ws))
	y, z := p.condition.RecordInverse(rec, ws, l, spectrum.Unscale[T](startVectors(s.N*factor.ConditionVectors), 1))
	s.Products.Refused(s.Call, rec, ws)
	return func(sigma float64, err error) (Factored, error) {
		f := Factored{Sigma: sigma, Minor: int(minor[0])}
		if g := s.GaveUp(); f.Minor > 0 && g != nil && errors.Is(err, g) && g.Cause == stages.CauseRefused {
			err = nil // after a pivot that is not positive, numbers may become infinite
		}
		if err != nil || f.Minor > 0 {
			return f, err
		}
		f.Condition = max(slices.Max(spectrum.Scale(columns, 1))*inverseNorm(s.N, y, z), 1)
		d := spectrum.Scale(diagonal, 1)
		if s.Products.Pair != s.Products.Native && slices.Max(d) > mostGraded*slices.Min(d) {
			err = s.Refuse(stages.PhaseCholesky)
		}
		return f, err
	}
}

// mostGraded limits emulated products: they are used only if the quotient of the largest and the
// smallest element of B's diagonal is at most mostGraded. The errors of emulated products are
// relative to the length of a row or column of each factor. If the rows of L have very different
// lengths, the elements of a column of L differ as much. Then the errors of a product with Lᴴ grow
// by a factor of the square root of the quotient. The errors of native products do not grow.
const mostGraded = 1 << 20

// inverseNorm returns the largest quotient ‖z‖₂²/‖y‖₂² of columns of Z and Y.
func inverseNorm[T spirv.Scalar](n int, y, z []T) (inverse float64) {
	norms := func(v []T) []float64 {
		_, two := Stored[T]{Columns: vk.Columns[T]{Rows: n, Cols: len(v) / n, Ld: n, Data: v}}.Norms()
		return two
	}
	before := norms(y)
	for i, after := range norms(z) {
		inverse = max(inverse, after/before[i])
	}
	return inverse * inverse
}

// startVectors returns numbers between ½ and 1 with signs, the same in each call.
func startVectors(count int) []float64 {
	v := make([]float64, count)
	state := uint32(1)
	for i := range v {
		state = state*1664525 + 1013904223 // a linear congruential generator
		v[i] = math.Copysign(0.5+float64(state>>9)/0x1p24, float64(int32(state<<8)))
	}
	return v
}

// pairScaling returns the factor σ for a matrix A or B with max|a_ij| = `largest`: 1, or a power of
// four if this number is far from 1. C then has neither very large nor very small elements, unless
// B is nearly singular. A power of four has an exact root, by which vectors are scaled.
func pairScaling[T spirv.Scalar](largest float64) float64 {
	most := 4
	if precision.IsDouble[T]() {
		most = 100
	}
	e := Exponent(largest)
	if largest == 0 || max(e, -e) <= most {
		return 1
	}
	_, least := math.Frexp(precision.SafeMinOf[T]()) // a device may replace a smaller factor by zero
	return math.Ldexp(1, max(min(-e, 1022)&^1, least-1))
}

// PairSums measures eigenpairs of a generalized eigenproblem: the values Λ and the vectors X of the
// pair σ[0]·A, σ[1]·B, with the weights of residual.Pencil. `b` is B, or nil if B is kept on the
// device. The results are the column sums of residual.Pencil and the 1-norms of both matrices.
//
// PairSums uploads X, A and B to device memory that a solve uses for vectors, for A and as
// workspace. They stay there for a refinement.
func (s *Solve[T]) PairSums(a Triangle[T], b *Triangle[T], sigma [2]float64, values []float64, vectors Stored[T], weights []float64) (sums, norms [2][]float64, err error) {
	p, t, ws := s.pair, s.Spectrum, s.Arena
	m := len(values)
	x := s.pairVectors(m)
	to, kept := s.MatrixA(), p.matrix(p.checked, ws)
	// The vectors are uploaded before A, because row-major vectors need the memory of A as
	// workspace.
	if err := s.Back.orient.Restore(s.Ctx, s.Dev, vectors, to.At, x); err != nil {
		return sums, norms, err
	}
	if err := a.UploadScaled(s.Ctx, s.Dev, to.At, sigma[0]); err != nil {
		return sums, norms, err
	}
	if b == nil {
		kept = p.matrix(p.b[0], ws)
	} else if err := b.UploadScaled(s.Ctx, s.Dev, kept.At, sigma[1]); err != nil {
		return sums, norms, err
	}
	rec := vk.NewRecorder(s.Dev)
	at := s.Doubles.Values(rec, ws, t.Lambda(ws), values)
	vk.SendFirst(rec, p.residuals.Weights(ws).Sub(0, m), spectrum.Unscale[T](weights, 1))
	s.recordLoad(rec, to, a, sigma[0])
	if b != nil {
		s.recordLoad(rec, kept, *b, sigma[1])
	}
	rec.Phase(stages.PhaseCheck, 0, p.residuals.Flops())
	p.residuals.Record(rec, ws, to, kept, p.factorOn(ws, p.Products.Native), x,
		residual.Sums[T]{Lambda: at, Residual: s.sums[0].In(ws), Orthogonality: s.sums[1].In(ws)})
	received := func(from vk.Slice[T], count int) func() []float64 {
		to := make([]T, count)
		vk.ReceiveLast(rec, to, from)
		return func() []float64 { return spectrum.Scale(to, 1) }
	}
	var results [4]func() []float64
	for i := range 2 {
		results[i], results[2+i] = received(s.sums[i].In(ws), m), received(p.residuals.Columns(ws)[i], s.N)
	}
	profile, err := s.Dev.Run(s.Ctx, rec, s.Reporter())
	s.Profile.Merge(profile)
	for i := range 2 {
		sums[i], norms[i] = results[i](), results[2+i]()
	}
	return sums, norms, err
}

// pairVectors is the device memory of m vectors of a check, one in each column.
func (s *Solve[T]) pairVectors(m int) product.Matrix[T] {
	return s.Doubles.Eigenvectors(s.Arena, s.Spectrum.Matrix(s.Arena, s.N, m, s.N))
}

// PairRefinement is what a refinement needs after PairSums with the B that is kept on the device:
// the stage, both matrices, the vectors, one in each column, and memory of the same size. It needs
// Config.Refine.
func (s *Solve[T]) PairRefinement() (stage *refine.Refinement[T], of refine.Pair[T], vectors, other product.Matrix[T]) {
	p := s.pair
	return p.refine, refine.Pair[T]{A: s.MatrixA(), B: p.matrix(p.b[0], s.Arena)}, s.pairVectors(s.N), p.matrix(p.rows, s.Arena)
}

// Orientation has the kernels that transpose vectors.
func (s *Solve[T]) Orientation() *Orientation[T] { return s.Back.orient }
