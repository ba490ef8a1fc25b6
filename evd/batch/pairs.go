package batch

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/vk"
)

// PairPlan holds the pipelines and the memory for pairs of dense matrices up to one order:
//
//	A(k)·X(k) = B(k)·X(k)·diag(λ(k)),  X(k)ᴴ·B(k)·X(k) = I
//
// A is symmetric or Hermitian, and B is positive definite. Type AxLBx of package pencil is the same
// problem for one pair, which may be large. The method is that of LAPACK's dsygv and zhegv: with the
// Cholesky factor L of B, a batch of the matrices L⁻¹·A·L⁻ᴴ. The values have errors of about
// n·ε·‖A‖·‖B⁻¹‖ (see package pencil).
//
// The contracts are those of Plan: an error of one pair does not change the others, and the bits of a
// result depend only on the pair and the device. They are the same whether B is one for all or one of
// many. The caller closes the plan before the device.
type PairPlan[T Number] struct{ all denseOf[T] }

// NewPairPlan prepares a plan for pairs of order n or less, at most `count` of them on the device at the
// same time. Arguments and errors are those of NewPlan.
//
// The device memory is that of a Plan, and n² numbers of T and 136 bytes for each pair.
func NewPairPlan[T Number](dev *vk.Device, n, count int, opt Options) (*PairPlan[T], error) {
	all, err := newDense[T](dev, n, count, opt, ofPairs)
	if err != nil {
		return nil, err
	}
	return &PairPlan[T]{all}, nil
}

// Bytes returns the number of bytes of device memory that the plan has allocated on each of its
// devices.
func (p *PairPlan[T]) Bytes() uint64 { return p.all.Bytes() }

// Memory lists the regions of the plan's device memory, which are the same on each of its devices.
func (p *PairPlan[T]) Memory() []vk.Placed { return p.all.Memory() }

// Close waits for the call in flight and frees the plan's device memory. Results stay valid.
// Methods of a closed plan return evd.ErrClosed. A plan may be closed twice.
func (p *PairPlan[T]) Close() { p.all.Close() }

// Solve computes the spectra of the pairs a[k], b[k] in new memory. If b has one matrix, it is that of
// all pairs, and each device factors it once for each part of the batch. Solve reads one triangle of
// each matrix and does not write to its input.
//
// A pair that cannot be solved has an error in its Spectrum, and the others are solved. Beside the
// errors of a Plan, these are *pencil.NotPositiveError if B is not positive definite, and a
// *pencil.MatrixError, which names the matrix, with an *evd.NonFiniteError. If L⁻¹·A·L⁻ᴴ overflows, B
// is singular to working precision, and the error is a *pencil.NotPositiveError with the order of B.
//
// The error of Solve is an *evd.ShapeError if b has neither one matrix nor as many as a, which is not
// checked if a is empty. It is a *pencil.MatrixError with an *evd.ShapeError if a matrix does not fit
// the plan, or if the orders of a pair differ. Solve also returns the errors of Plan.Solve.
func (p *PairPlan[T]) Solve(ctx context.Context, a, b []evd.Sym[T]) (*Result[T], error) {
	return p.all.solve(ctx, a, b)
}

// SolveInto computes the spectrum of pair k in the caller's memory out[k]. Shapes, overlaps and errors
// are those of Plan.SolveInto and of Solve. Nothing of out may overlap a matrix of b.
func (p *PairPlan[T]) SolveInto(ctx context.Context, a, b []evd.Sym[T], out []Spectrum[T]) (*vk.Profile, error) {
	return p.all.solveInto(ctx, a, b, out)
}

// Check measures the errors of computed spectra on the host in double precision:
//
//	Residual        the largest ‖A·x − λ·B·x‖₂ / ((‖A‖₁ + |λ|·‖B‖₁)·‖x‖₂·n·ulp)
//	Orthogonality   the largest |xᵢᴴ·B·x − δ| / (‖B‖₁·‖xᵢ‖₂·‖x‖₂·n·ulp)
//
// Here x and xᵢ are vectors of a pair, and δ is 1 if they are the same, and otherwise 0. What the two
// numbers say is written at Plan.Check of package pencil. Other contracts are those of Plan.Check.
func (p *PairPlan[T]) Check(ctx context.Context, a, b []evd.Sym[T], s []Spectrum[T]) ([]evd.Ratios, error) {
	return p.all.check(ctx, a, b, s)
}

// pairs are pairs of matrices. b has one matrix for each of a, or one for all. On the device, each
// pair becomes a matrix whose lower triangle is read.
type pairs[T Number, R evd.Float] struct{ a, b symmetric[T, R] }

func (x pairs[T, R]) count() int      { return len(x.a) }
func (x pairs[T, R]) order(k int) int { return x.a.order(k) }
func (x pairs[T, R]) upper(int) bool  { return false }
func (x pairs[T, R]) byRows(int) bool { return false }

func (x pairs[T, R]) flops(n int, vectors bool) float64 {
	return x.a.flops(n, vectors) + batch.PairFlops[T](n, vectors)
}

// second returns the number of the matrix B of pair k.
func (x pairs[T, R]) second(k int) int { return min(k, len(x.b)-1) }

func (x pairs[T, R]) fits(k, most int) error {
	if len(x.b) != 1 && len(x.b) != len(x.a) {
		return &evd.ShapeError{N: len(x.a), Len: len(x.b)}
	}
	if err := x.a.fits(k, most); err != nil {
		return &plan.MatrixError{Matrix: "A", Err: err}
	}
	b := x.b[x.second(k)]
	err := b.Validate()
	if err == nil && b.N != x.order(k) {
		err = &evd.ShapeError{N: b.N, Ld: b.Ld, Len: len(b.Data), Plan: x.order(k)}
	}
	if err != nil {
		return &plan.MatrixError{Matrix: "B", Err: err}
	}
	return nil
}

// seconds returns the numbers of the matrices B of the pairs with these numbers: one if it is that of all.
func (x pairs[T, R]) seconds(index []int) []int {
	if len(x.b) == 1 {
		return []int{0}
	}
	return index
}

func (x pairs[T, R]) upload(p *solver[T, R], at *batch.BatchPart, index []int) func(c *plan.Call) error {
	first, second := x.a.upload(p, at, index), x.b.columns(x.seconds(index))
	return func(c *plan.Call) error {
		if err := first(c); err != nil {
			return err
		}
		return vk.UploadParts(c.Ctx, c.Dev, p.b.In(c.Arena), second)
	}
}

// place returns the part of p.pairs with the items of `at`, which are `items`.
func (x pairs[T, R]) place(p *solver[T, R], items []batch.Item, at *batch.BatchPart, index []int) *batch.PairPart {
	a := make([]batch.Item, len(items))
	for i, m := range items {
		m.Upper, m.Conj = x.a.upper(index[i]), x.a.byRows(index[i])
		a[i] = m
	}
	var b []batch.Item
	for _, k := range x.seconds(index) {
		b = append(b, batch.Item{N: x.b.order(k), Upper: x.b.upper(k), Conj: x.b.byRows(k)})
	}
	return p.pairs.Place(a, b, at)
}

// failure returns the error of pair k if its reduction ended so, or nil.
func (x pairs[T, R]) failure(k int, o batch.PairOutcome) error {
	switch {
	case o.NonFiniteB:
		return &plan.MatrixError{Matrix: "B", Err: x.b.nonFinite(x.second(k))}
	case o.Minor > 0:
		return &plan.NotPositiveError{Order: o.Minor}
	case o.NonFiniteA:
		return &plan.MatrixError{Matrix: "A", Err: x.a.nonFinite(k)}
	}
	return nil
}

func (x pairs[T, R]) nonFinite(k int) error { return &plan.NotPositiveError{Order: x.order(k)} }

func (x pairs[T, R]) ratios(k int, s Spectrum[T]) evd.Ratios {
	a, b := x.a.full(k), x.b.full(x.second(k))
	if precision.IsComplex[T]() {
		return measuredPair(s, a, b, complexes[T])
	}
	return measuredPair(s, a, b, reals[T])
}

func measuredPair[T Number, W ratio.Number](s Spectrum[T], a, b []T, wide func([]T) []W) evd.Ratios {
	n, unit := s.Vectors.Rows, precision.UlpOf[T]()/spectrum.Ulp
	eta, omega := ratio.Pencil(n, len(s.Values), wide(a), n, wide(b), n, s.Values, wide(s.Vectors.Data), s.Vectors.Ld)
	return evd.Ratios{Residual: eta / unit, Orthogonality: omega / unit}
}
