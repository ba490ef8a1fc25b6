// Package dense, internal to vkevd, computes the spectrum of one symmetric matrix, or of a pair of
// matrices, on one device. The stages and their memory are in stages.go, a solve from the matrix to
// the vectors in solve.go, and what a pair has in addition in pair.go. The package knows no type of
// package evd: a matrix is a Triangle, and evd turns a *NonFiniteError into an error of its own.
// Package team combines its parts (Common, Lead, Back) for several devices.
package dense

import (
	"context"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	backs "github.com/vkevd/vkevd/stages/back"
	chases "github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Common has the sizes, the conversions and the matrix products that each device of a solve needs,
// whatever its role is.
type Common[T spirv.Scalar] struct {
	// N is the order of the matrices.
	N int
	Config

	// Tune has the sizes of all stages, for the device, the number type, the order and the options.
	Tune tuning.Tuning

	// OneStage says that A is reduced to tridiagonal form T in one stage, without a wider band
	// between. Then B = T has the half-bandwidth 1, and Q2 = I.
	OneStage bool

	// Waiting says how workgroups may wait for each other on the device.
	Waiting stages.Waiting

	Doubles  Doubles[T]
	Products Products[T]
}

// NewCommon chooses sizes for order n ≥ 1 that suit the device, and makes the products. The device
// computes at most m vectors.
func NewCommon[T spirv.Scalar](dev *vk.Device, n, m int, cfg Config) (c *Common[T], err error) {
	c = &Common[T]{N: n, Config: cfg}
	if c.Tune, err = Sizes[T](dev, n, cfg); err != nil {
		return nil, err
	}
	if c.Doubles, err = NewDoubles[T](dev, n, m); err != nil {
		return nil, err
	}
	if err = c.suit(dev); err != nil {
		return nil, err
	}
	c.Products, err = newProducts(dev, n, cfg, c.Tune, c.Doubles)
	return c, err
}

// suit adapts the sizes to the measured rate of the device. It also decides whether A is reduced in
// one stage.
func (c *Common[T]) suit(dev *vk.Device) error {
	// Measurements are made once and stored. With the context of one caller, a measurement could
	// end early for all later callers.
	ctx, facts := context.Background(), machine.Of(dev)
	rate, err := facts.Rate(ctx) // Rate also tells the device its rate, for the sizes of batches of commands
	if err != nil {
		return err
	}
	if c.Waiting, err = c.Tune.Waiting(ctx, facts); err != nil {
		return err
	}
	c.Tune = c.Tune.Bounded(rate / RealFlops[T]())
	if c.Band == 0 && c.Block == 0 && !c.Distribute && tuning.OneStage[T](c.Tune, c.N, c.MostVectors(c.N), c.Waiting, facts.Info) {
		c.OneStage, c.Tune.Band, c.Tune.Block = true, 1, 1
	}
	return nil
}

// Phase returns the name of the first stage in profiles, progress and forecasts.
func (c *Common[T]) Phase() string {
	if c.OneStage {
		return stages.PhaseTridiagonalisation
	}
	return stages.PhaseBandReduction
}

// Lead has the first device's stages for bulge chasing and for the tridiagonal problem. The first
// device solves this problem alone or with other devices.
type Lead[T spirv.Scalar] struct {
	*Common[T]
	Chase    *chases.BulgeChasing[T]
	Spectrum *spectrum.Stage
}

// NewLead makes the stages. If the device has only a part of the vectors, and may share the
// tridiagonal problem with others, this part has at most `part` vectors. Otherwise `part` is 0.
func NewLead[T spirv.Scalar](dev *vk.Device, c *Common[T], part int) (l Lead[T], err error) {
	l.Common = c
	chase := chases.Size{N: c.N, B: c.Tune.Band, Vectors: c.Vectors && !c.OneStage}
	if l.Chase, err = chases.NewBulgeChasing[T](dev, chase, c.Waiting, c.Tune.Chase); err != nil {
		return l, err
	}
	of := c.Options
	of.Part = part
	l.Spectrum, err = c.Doubles.Stage(dev, c.N, of, c.Verify, c.Products.Tridiagonal, c.Tune.Double())
	return l, err
}

// RecordChase records the reduction of the band B to the tridiagonal matrix T. The returned
// function gives T on the host. The recording must have been executed before.
func (l *Lead[T]) RecordChase(c *plan.Call, rec *vk.Recorder, band vk.Region[T], q2 Q2Memory[T]) func() spectrum.Tridiagonal {
	ws := c.Arena
	if !l.OneStage {
		rec.Phase(stages.PhaseBulgeChasing, 0, 1)
	}
	l.Chase.Record(rec, ws, band.In(ws), l.Doubles.Tridiagonal(ws, l.Spectrum), q2.In(ws))
	c.Info(rec, stages.CauseWait, stages.PhaseBulgeChasing, l.Chase.Info(ws))
	return l.Doubles.Receive(rec, ws, l.Spectrum)
}

// Costs returns a forecast of the operations of each phase, in the order of the solve. The function
// plan.ProgressOf computes progress reports from this list. The arguments are the operations of the
// reduction on all devices, and the costs of the back transformation.
func (l *Lead[T]) Costs(reduction float64, back []plan.StageCost) []plan.StageCost {
	costs := []plan.StageCost{{Stage: l.Phase(), Flops: reduction}}
	if !l.OneStage {
		model := l.Chase.Model()
		costs = append(costs, plan.StageCost{Stage: stages.PhaseBulgeChasing, Flops: l.Chase.Flops(), Model: &model})
	}
	for _, list := range [][]plan.StageCost{costs, back} {
		for i := range list {
			list[i].Flops *= RealFlops[T]()
			list[i].Products *= RealFlops[T]()
		}
	}
	return append(append(costs, l.Spectrum.Cost()), back...)
}

// RealFlops is the number of real operations for each operation that a stage counts: 4 for complex
// T.
func RealFlops[T spirv.Scalar]() float64 {
	if spirv.KindOf[T]().IsComplex() {
		return 4
	}
	return 1
}

// Stages are all stages of a solve on one device, and their memory. Stages of several solves may
// use the same memory if only one of them runs at a time.
type Stages[T spirv.Scalar] struct {
	Lead[T]
	load      *move.SymmetricLoad[T]
	Reduction reduction[T]
	Back      Back[T]               // only set if vectors are wanted
	residuals *residual.Residual[T] // the stage of a check; nil without vectors
	pair      *pair[T]              // nil for a standard problem

	reflectors Reflectors[T]
	band       vk.Region[T]    // 2·b·n elements: B in compact storage
	sums       [2]vk.Region[T] // column sums of a check: of the residual, and of the orthogonality
	layout     *vk.Layout
}

// New makes the stages for matrices of order n ≥ 1 and lays out their memory.
func New[T spirv.Scalar](dev *vk.Device, n int, cfg Config) (*Stages[T], error) {
	return NewOfPair[T](dev, n, cfg, nil)
}

// NewOfPair makes the stages for the generalized problem Config.Pencil. The memory of the factor of
// B is not part of their layout. If f is nil, NewOfPair makes the stages for the standard problem.
func NewOfPair[T spirv.Scalar](dev *vk.Device, n int, cfg Config, f *Factor[T]) (*Stages[T], error) {
	c, err := NewCommon[T](dev, n, cfg.MostVectors(n), cfg)
	if err != nil {
		return nil, err
	}
	s, t := &Stages[T]{}, c.Tune
	if s.load, err = move.NewSymmetricLoad[T](dev); err != nil {
		return nil, err
	}
	size := reduce.BandSize{N: n, B: t.Band, K: t.Block}
	if s.Reduction, err = newReduction(dev, size, c.Products.Reduction, c.Waiting, t, c.OneStage); err != nil {
		return nil, err
	}
	if s.Lead, err = NewLead(dev, c, 0); err != nil {
		return nil, err
	}
	s.reserve()
	if f != nil {
		if s.pair, err = newPair(dev, c, f); err != nil {
			return nil, err
		}
	}
	if c.Vectors {
		m := c.Capacity(n)
		if s.Back, err = NewBack(dev, c, m, s.reflectors); err != nil {
			return nil, err
		}
		s.Back.pair = s.pair
		if s.residuals, err = residual.NewResidual(dev, n, m, c.Products.Native); err != nil {
			return nil, err
		}
	}
	s.lay()
	return s, nil
}

// Unsolved returns Stages for matrices of order 0: they have the sizes for this order, but no
// stages and no memory.
func Unsolved[T spirv.Scalar](dev *vk.Device, cfg Config) (s *Stages[T], err error) {
	c := &Common[T]{Config: cfg}
	c.Tune, err = Sizes[T](dev, 0, cfg)
	return &Stages[T]{Lead: Lead[T]{Common: c}, layout: vk.Together()}, err
}

// reduction is the first stage: A = Q1·B·Q1ᵀ. Package reduce has two such stages: the reduction to
// a band, and the reduction to tridiagonal form. Both store B and Q1 in the same form.
type reduction[T spirv.Scalar] interface {
	Record(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], band, t vk.Slice[T])
	Info(ws *vk.Arena) vk.Slice[uint32]
	Work() *vk.Layout
	Status() *vk.Layout
	Flops() float64
	Panels() int
}

// newReduction makes the first stage: the reduction to a band, or the reduction to tridiagonal form
// if oneStage is true.
func newReduction[T spirv.Scalar](
	dev *vk.Device, size reduce.BandSize, ops product.Ops[T], w stages.Waiting, t tuning.Tuning, oneStage bool,
) (reduction[T], error) {
	if oneStage {
		return reduce.NewTridiagonalisation(dev, size.N, ops, w, t.Sytrd)
	}
	return reduce.NewBandReduction(dev, size, ops, w, t.Panel)
}

// Costs returns a forecast of the operations of each phase, in the order of the solve. It is nil
// for order 0.
func (s *Stages[T]) Costs() []plan.StageCost {
	if s.N == 0 {
		return nil
	}
	costs := s.Lead.Costs(s.Reduction.Flops(), s.Back.costs())
	if s.pair == nil {
		return costs
	}
	before, after := s.pair.costs()
	costs = append(before, costs...)
	if s.Vectors {
		costs = append(costs, after)
	}
	return costs
}

// Layout is the layout of all device memory that the stages use.
func (s *Stages[T]) Layout() *vk.Layout { return s.layout }

// reserve reserves the device memory through which the stages pass data to each other.
func (s *Stages[T]) reserve() {
	n, b, v, tau := s.N, s.Tune.Band, 0, 0
	if s.Vectors && !s.OneStage {
		v, tau = stages.ReflectorLen(n, b)
	}
	s.reflectors = Reflectors[T]{
		A: vk.Reserve[T]("A, Q1, vectors", n*n), T: vk.Reserve[T]("T of Q1", s.Reduction.Panels()*b*b),
		Q2Memory: ReserveQ2[T](v, tau),
	}
	s.band = vk.Reserve[T]("band", 2*b*n)
	if m := s.Capacity(n); s.Vectors {
		s.sums = [2]vk.Region[T]{vk.Reserve[T]("residual sums", m), vk.Reserve[T]("orthogonality sums", m)}
	}
}

// lay lays out the memory. A and the small regions are in use during the whole solve. If vectors
// are wanted, the reflectors of Q2 are also in use during the whole solve; they need half as much
// memory as A. The stages run one after another and share the memory of their workspaces. All
// stages must be made before the call of lay, because only then is the workspace of the matrix
// products known.
func (s *Stages[T]) lay() {
	r := &s.reflectors
	always := []vk.Space{r.A, r.T, s.band, s.Products.Work(), s.Products.Status(), s.Reduction.Status(), s.Doubles.Always()}
	always = append(append(always, s.Spectrum.Always()...), r.V, r.Tau)
	work := []vk.Space{s.Reduction.Work(), s.Chase.Work(), s.Spectrum.Work()}
	if s.Vectors {
		always = append(always, s.sums[0], s.sums[1])
		back := append(s.Back.Work(), s.residuals.Work())
		if s.pair != nil {
			back = append(back, s.pair.checks()...)
		}
		work = append(work, vk.Together(s.Doubles.Rows(), vk.InTurn(back...)))
	}
	if s.pair != nil {
		always, work = append(always, s.pair.cholesky.Status()), append(work, s.pair.work()...)
	}
	s.layout = vk.Together(append(always, vk.InTurn(work...))...)
}

// matrixA returns the device memory of the dense matrix A. The reduction stores its reflectors in
// this memory, and the back transformation stores the eigenvectors in it.
func (s *Stages[T]) matrixA(ws *vk.Arena) product.Matrix[T] { return s.reflectors.matrixA(ws, s.N) }

// Reflectors is device memory for the reflectors of a reduction on one device.
type Reflectors[T spirv.Scalar] struct {
	A vk.Region[T] // n² elements: the reflectors of Q1, before them A, after them the vectors
	T vk.Region[T] // b² elements for each panel: the block factors of Q1
	Q2Memory[T]
}

// ReserveReflectors reserves memory for a copy of the reflectors on another device.
func (s *Stages[T]) ReserveReflectors(a string) Reflectors[T] {
	r := &s.reflectors
	return Reflectors[T]{vk.Reserve[T](a, r.A.Len()), vk.Reserve[T]("T of Q1", r.T.Len()), ReserveQ2[T](r.V.Len(), r.Tau.Len())}
}

func (s *Stages[T]) Reflectors() *Reflectors[T] { return &s.reflectors }

func (r *Reflectors[T]) All() []vk.Region[T] { return []vk.Region[T]{r.V, r.Tau, r.A, r.T} }

func (r *Reflectors[T]) matrixA(ws *vk.Arena, n int) product.Matrix[T] {
	return product.NewMatrix(r.A.In(ws), n, n, n)
}

// Back is the back transformation Q = Q1·(Q2·S) on a device that has all reflectors.
type Back[T spirv.Scalar] struct {
	*Common[T]
	Q2         Q2[T]
	q1         *backs.ApplyQ1[T]
	orient     *Orientation[T]
	reflectors Reflectors[T]
	pair       *pair[T] // nil for a standard problem

	// correction makes the vectors orthonormal where rounding errors may add up (correctsVectors).
	// Otherwise it is nil.
	correction *spectrum.Orthonormal[T]
}

// correctFrom is the smallest order for which a solve measures how orthonormal vectors in double
// precision are after their back transformation, and makes them orthonormal if necessary. With
// emulated products, solves of all orders do so.
const correctFrom = 2048

// correctsVectors reports whether vectors are made orthonormal after their back transformation. It
// was measured that matrices with few distinct rows need this. A possible reason is that equal rows
// have equal rounding errors, which add up. The vectors of a generalized problem are orthonormal
// with respect to B, so they are not corrected.
func (c *Common[T]) correctsVectors() bool {
	double := spirv.KindOf[T]() == spirv.Float64 || spirv.KindOf[T]() == spirv.Complex128
	return double && c.Pencil == 0 && (len(c.Products.Emulated) > 0 || c.N >= correctFrom)
}

// NewBack makes the back transformation of at most m vectors.
func NewBack[T spirv.Scalar](dev *vk.Device, c *Common[T], m int, r Reflectors[T]) (b Back[T], err error) {
	b = Back[T]{Common: c, reflectors: r}
	if b.Q2, err = NewQ2(dev, c, m, r.Q2Memory); err != nil {
		return b, err
	}
	if b.orient, err = NewOrientation[T](dev, c.RowMajor); err != nil {
		return b, err
	}
	if c.correctsVectors() {
		if b.correction, err = spectrum.NewOrthonormal(dev, c.N, m, product.Ops[T](c.Products.Native)); err != nil {
			return b, err
		}
	}
	size := backs.Size{N: c.N, B: c.Tune.Band, M: m}
	b.q1, err = backs.NewApplyQ1(dev, size, c.Products.Vectors, c.Products.Emulated.Panel(c.Tune))
	return b, err
}

// Work lists the workspaces of the stages, which run one after another.
func (b *Back[T]) Work() []vk.Space {
	work := append([]vk.Space{b.q1.Work()}, b.Q2.Work()...)
	if b.correction != nil {
		work = append(work, b.correction.Work())
	}
	return work
}

// To returns the memory of the eigenvectors of A, of which there are as many as rows of x.
func (b *Back[T]) To(ws *vk.Arena, x product.Matrix[float64]) product.Matrix[T] {
	return product.NewMatrix(b.reflectors.A.In(ws), b.N, x.Rows, b.N)
}

// Transform transforms the vectors S of the tridiagonal matrix, stored as Sᵀ, and returns the
// matrix to download: Q, or Qᵀ for row-major vectors. `before` records what comes first.
func (b *Back[T]) Transform(c *plan.Call, before func(rec *vk.Recorder), vectors product.Matrix[float64]) (q product.Matrix[T], err error) {
	var coupled []T
	err = c.Run(func(rec *vk.Recorder) {
		before(rec)
		q, coupled = b.record(c, rec, vectors)
	})
	if err != nil || b.correction == nil {
		return q, err
	}
	// The transposition has left x as it was, or with other signs. Its result is not needed any
	// more if x changes, so G may have its memory.
	x, m := b.Doubles.Eigenvectors(c.Arena, vectors), vectors.Rows
	if b.orient.rowMajor { // the second transposition has left no gaps between the columns of x
		x = product.NewMatrix(x.At, x.Rows, x.Cols, max(x.Rows, 1))
	}
	g := product.NewMatrix(b.reflectors.A.In(c.Arena).Sub(0, m*m), m, m, m)
	changed, err := b.correction.Correct(c, stages.PhaseApplyQ1, x, g, coupled)
	if err == nil && changed {
		err = c.Run(func(rec *vk.Recorder) { q = b.orient.Record(rec, x, b.To(c.Arena, vectors), nil) })
	}
	return q, err
}

// record records the back transformation: first Qᵀ = Sᵀ·Q2ᵀ·Q1ᵀ, then Q, which overwrites the
// reflectors of Q1. `coupled` is the argument of Orthonormal.Correct.
func (b *Back[T]) record(c *plan.Call, rec *vk.Recorder, vectors product.Matrix[float64]) (q product.Matrix[T], coupled []T) {
	ws, x := c.Arena, b.Doubles.Eigenvectors(c.Arena, vectors)
	b.Doubles.Narrow(rec, ws, 0, vectors)
	b.Q2.Record(c, rec, x)
	rec.Phase(stages.PhaseApplyQ1, 0, 1)
	b.q1.Record(rec, ws, b.reflectors.matrixA(ws, b.N), b.reflectors.T.In(ws), x)
	b.Products.Refused(c, rec, ws)
	if b.correction != nil {
		coupled = b.correction.RecordProbe(rec, ws, x)
	}
	var back func(z, x product.Matrix[T])
	if b.pair != nil {
		back = func(z, x product.Matrix[T]) { b.pair.recordVectors(c, rec, z, x) }
	}
	return b.orient.Record(rec, x, b.To(ws, vectors), back), coupled
}

// costs returns a forecast of the operations of the back transformation. It is nil if no vectors
// are wanted.
func (b *Back[T]) costs() []plan.StageCost {
	if b.q1 == nil {
		return nil
	}
	return append(b.Q2.Costs(), plan.StageCost{Stage: stages.PhaseApplyQ1, Flops: b.q1.Flops()})
}

// Q2Memory is device memory for the reflectors of Q2, which bulge chasing writes. The numbers of
// elements are those of stages.ReflectorLen. They are 0 if no vectors are wanted, or if Q2 = I.
type Q2Memory[T spirv.Scalar] struct{ V, Tau vk.Region[T] }

// ReserveQ2 reserves memory for the given numbers of elements.
func ReserveQ2[T spirv.Scalar](v, tau int) Q2Memory[T] {
	return Q2Memory[T]{vk.Reserve[T]("V of Q2", v), vk.Reserve[T]("τ of Q2", tau)}
}

func (m Q2Memory[T]) In(ws *vk.Arena) stages.Reflectors[T] {
	return stages.Reflectors[T]{V: m.V.In(ws), Tau: m.Tau.In(ws)}
}

// Q2 is back transformation 2, X ← Q2·X.
type Q2[T spirv.Scalar] struct {
	Q2Memory[T]

	// Stage has one stage, or none if A is reduced in one stage: then Q2 = I.
	Stage []emulation.Q2[T]
}

// NewQ2 makes back transformation 2 of at most m vectors.
func NewQ2[T spirv.Scalar](dev *vk.Device, c *Common[T], m int, memory Q2Memory[T]) (Q2[T], error) {
	if c.OneStage {
		return Q2[T]{Q2Memory: memory}, nil
	}
	size := backs.Size{N: c.N, B: c.Tune.Band, M: m}
	s, err := emulation.NewQ2(dev, size, c.Capacity(c.N), c.Products.Vectors, c.Products.Emulated, c.Waiting, c.Tune.ApplyQ2)
	return Q2[T]{memory, []emulation.Q2[T]{s}}, err
}

// Record records X ← Q2·X, where the vectors X are the rows of x. If A is reduced in one stage,
// there is no Q2, and Record records nothing.
func (q *Q2[T]) Record(c *plan.Call, rec *vk.Recorder, x product.Matrix[T]) {
	for _, s := range q.Stage {
		rec.Phase(stages.PhaseApplyQ2, 0, 1)
		s.Record(rec, c.Arena, q.In(c.Arena), x)
		c.Info(rec, stages.CauseWait, stages.PhaseApplyQ2, s.Info(c.Arena))
	}
}

func (q *Q2[T]) Work() (all []vk.Space) {
	for _, s := range q.Stage {
		all = append(all, s.Work())
	}
	return all
}

func (q *Q2[T]) Costs() (all []plan.StageCost) {
	for _, s := range q.Stage {
		all = append(all, plan.StageCost{Stage: stages.PhaseApplyQ2, Flops: s.Flops(), Products: s.ProductFlops()})
	}
	return all
}
