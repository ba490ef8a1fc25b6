package pencil

import (
	"context"
	"errors"
	"math"
	"math/cmplx"
	"slices"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/copies"
	"github.com/vkevd/vkevd/vk"
)

// canonical solves by canonical orthogonalisation (see Overlap). V stays on the device. An evd.Plan
// solves the two standard problems, of D·B·D and of C; the matrices are scaled on the host between
// the steps.
type canonical[T evd.Number] struct {
	of    *Plan[T]
	space plan.Replaceable[*dense.Subspace[T]]

	// solver is the plan of the last standard problem. Only one is kept, because each has about as
	// much memory as all the rest.
	solver plan.Replaceable[solver[T]]

	kept *directions[T] // nil if no directions are known

	costs  [allSteps][]plan.StageCost // forecasts of the steps, for m = n
	report func(at evd.Progress)      // receives the progress of the standard problem that is being solved; may be nil
}

// The steps of SolvePair. Factor does the first one, and Solve does the others.
const (
	stepOfB  = iota // D·B·D = V·diag(s)·Vᴴ
	stepToC         // VᴴAV
	stepOfC         // C = Z·Λ·Zᴴ
	stepBack        // V·Z, and the check of a certificate
	allSteps
)

// solver is a plan for a standard problem of order n: that of D·B·D, or else that of 2^−shift·C.
// The second one has 2^−shift times the eigenvalues that Options.Select means.
type solver[T evd.Number] struct {
	*evd.Plan[T]
	n, shift int
	ofB      bool
}

// directions holds what Factor has found: the directions of B that are kept.
type directions[T evd.Number] struct {
	Dropping
	v    vk.Columns[T]     // a copy on the host of V, n×m
	d    []float64         // diagonal of D
	root []float64         // s^−½
	b    dense.Triangle[T] // D·B·D, with Options.Verify
}

func newCanonical[T evd.Number](p *Plan[T]) (k *canonical[T], err error) {
	k = &canonical[T]{of: p}
	var c *dense.Stages[T]
	err = p.base.Dev.Compile(func() (err error) {
		if k.space.Now, err = dense.NewSubspace[T](p.base.Dev, p.base.N, k.config()); err == nil {
			c, err = dense.New[T](p.base.Dev, p.base.N, p.opt.standard())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s, err := k.solverOf(true, p.base.N, 0)
	if err != nil {
		return nil, err
	}
	project, expand, check := k.space.Now.Costs()
	k.costs = [allSteps][]plan.StageCost{stepOfB: s.Costs(), stepToC: {project}, stepOfC: c.Costs()}
	if p.opt.Vectors {
		k.costs[stepBack] = append(k.costs[stepBack], expand)
	}
	if p.opt.measures() {
		k.costs[stepBack] = append(k.costs[stepBack], check)
	}
	return k, nil
}

// standard returns the options of a standard problem.
func (o Options) standard() dense.Config {
	c := o.config()
	c.Pencil = 0
	return c
}

func (k *canonical[T]) config() dense.Config { return k.of.opt.config() }

// solverOf returns the plan for D·B·D, with shift = 0, or for 2^−shift·C, of order n.
func (k *canonical[T]) solverOf(ofB bool, n, shift int) (*evd.Plan[T], error) {
	if !spectrum.Selection(k.of.opt.Select).ByValue() {
		shift = 0 // a selection by index does not depend on the shift
	}
	if s := k.solver.Now; s.Plan != nil {
		if s.ofB == ofB && s.n == n && s.shift == shift {
			return s.Plan, nil
		}
		k.solver.Take(solver[T]{})
		s.Close()
	}
	o := k.of.opt
	opt := evd.Options{
		Vectors: true, Products: o.Products, Moduli: o.Moduli, NoWaits: o.NoWaits, Verify: o.Verify, Tuning: o.Tuning, Band: o.Band, Block: o.Block,
		Progress: func(at evd.Progress) {
			if k.report != nil {
				k.report(at)
			}
		},
	}
	if !ofB {
		opt.Vectors, opt.Solver = o.Vectors, o.Solver
		opt.Select = evd.Selection(spectrum.Selection(o.Select).Scaled(-shift))
	}
	p, err := evd.NewPlan[T](k.of.base.Dev, n, opt)
	if err == nil {
		k.solver.Take(solver[T]{p, n, shift, ofB})
	}
	return p, err
}

// costsOf returns the costs of the steps `from` ≤ i < `to`.
func (k *canonical[T]) costsOf(from, to int) []evd.StageCost {
	return slices.Concat(k.costs[from:to]...)
}

// call is a call of Factor or Solve in flight.
type call struct {
	ctx     context.Context
	profile *vk.Profile
	retried *evd.StageError

	// The call does the steps `from` ≤ i < `to`. `report` receives its progress, or is nil. `stage` is
	// the last phase that was reported.
	from, to int
	report   func(evd.Progress)
	stage    string
}

func newCall(ctx context.Context, from, to int, report func(evd.Progress)) *call {
	return &call{ctx: ctx, profile: vk.NewProfile(), from: from, to: to, report: report}
}

// progress returns a function that reports the progress of a step as a part of the progress of the
// whole call, or nil.
func (k *canonical[T]) progress(c *call, step int) func(evd.Progress) {
	if c.report == nil {
		return nil
	}
	before, own, total := plan.Flops(k.costsOf(c.from, step)), plan.Flops(k.costs[step]), plan.Flops(k.costsOf(c.from, c.to))
	return func(at evd.Progress) {
		if c.stage = at.Stage; at.Total > 0 {
			c.report(evd.Progress{Stage: at.Stage, Done: before + own*at.Done/at.Total, Total: total})
		}
	}
}

// ends reports that a call is done.
func (k *canonical[T]) ends(c *call) {
	if c.report != nil {
		total := plan.Flops(k.costsOf(c.from, c.to))
		c.report(evd.Progress{Stage: c.stage, Done: total, Total: total})
	}
}

// solved adds the times of a plan's solve to those of the call, and keeps the first retry's reason.
func (c *call) solved(profile *vk.Profile, retried *evd.StageError) {
	c.profile.Merge(profile)
	if c.retried == nil {
		c.retried = retried
	}
}

// onDevice calls f, which uses the products with V in a step. If emulated products refuse a factor,
// it calls f again with native products.
func (k *canonical[T]) onDevice(c *call, step int, f func(*plan.Call, *dense.Subspace[T]) error) error {
	var last *plan.Call
	_, err := plan.Survive(
		func() *plan.Call {
			return k.of.base.Begin(c.ctx, plan.ProgressOf(k.costs[step], k.progress(c, step)))
		},
		func(by *plan.Call) (struct{}, error) {
			last = by
			return struct{}{}, f(by, k.space.Now)
		},
		k.avoid)
	c.solved(last.Profile, last.Retried)
	return err
}

// avoid replaces emulated products by native ones, for this call and all later ones.
func (k *canonical[T]) avoid(failed *plan.Call) error {
	base, f := &k.of.base, k.kept
	next, err := plan.Compiled(base.Dev, func() (*dense.Subspace[T], error) {
		return dense.NewSubspace[T](base.Dev, base.N, k.space.Now.Config.Avoiding(failed))
	})
	if err != nil {
		return err
	}
	k.space.Take(next)
	known := k.of.factored
	k.kept, k.of.factored = nil, nil // if there is no memory for V, the plan has no factor
	if err := base.Replace(next.Layout()); err != nil {
		return err
	}
	if err := next.Hold(base.Begin(failed.Ctx, nil), f.v); err != nil {
		return err
	}
	k.kept, k.of.factored = f, known
	return nil
}

// factorisation does the same as Plan.Factor for a matrix that the plan accepts.
func (k *canonical[T]) factorisation(ctx context.Context, b evd.Sym[T], report func(evd.Progress)) (*Factorization, error) {
	c := newCall(ctx, stepOfB, stepToC, report)
	if err := k.factor(c, b); err != nil {
		return nil, err
	}
	k.ends(c)
	return &Factorization{Condition: k.of.factored.Condition, Dropping: k.kept.Dropping, Retried: c.retried, Profile: c.profile}, nil
}

// solution is Plan.Solve and Plan.SolvePair for matrices that the plan accepts. If b is nil, V is
// that of the last Factor.
func (k *canonical[T]) solution(ctx context.Context, a evd.Sym[T], b *evd.Sym[T], report func(evd.Progress)) (*Result[T], error) {
	c := newCall(ctx, stepToC, allSteps, report)
	if b != nil {
		c.from = stepOfB
		if err := k.factor(c, *b); err != nil {
			return nil, err
		}
	}
	res, err := k.solve(c, a)
	if res != nil { // res may be returned beside an *evd.OverflowError
		k.ends(c)
	}
	return res, err
}

// factor computes V for a matrix that the plan accepts.
func (k *canonical[T]) factor(c *call, b evd.Sym[T]) error {
	n := b.N
	k.kept, k.of.factored = nil, nil
	if _, err := triangle(b).Largest(); err != nil {
		return cause("B", err)
	}
	d := make([]float64, n)
	for i := range d {
		d[i] = 1
		if x := math.Abs(triangle(b).Diagonal(i)); x > 0 {
			d[i] = 1 / math.Sqrt(x)
		}
	}
	scaled, e, err := dense.Congruent(triangle(b), d)
	if err != nil {
		return cause("B", err)
	}
	s, err := k.solverOf(true, n, 0)
	if err != nil {
		return err
	}
	k.report = k.progress(c, stepOfB)
	res, err := s.Solve(c.ctx, evd.Sym[T]{N: n, Ld: scaled.Ld, Data: scaled.Data, Uplo: evd.Uplo(scaled.Upper != scaled.RowMajor), RowMajor: scaled.RowMajor})
	if err != nil {
		return standard("D·B·D", 0, err)
	}
	c.solved(res.Profile, res.Retried)
	f, err := chosen(res, threshold[T](k.of.opt.Overlap, n), e)
	if err != nil {
		return err
	}
	if f.d = d; k.of.opt.Verify {
		dense.Multiply(scaled.Data, math.Ldexp(1, e))
		f.b = scaled
	}
	if err := k.space.Now.Hold(k.of.base.Begin(c.ctx, nil), f.v); err != nil {
		return err
	}
	k.kept = f
	k.of.factored = &dense.Factored{Sigma: 1, Condition: math.Ldexp(res.Values[n-1], e) / f.Kept}
	return nil
}

// chosen returns the directions with s > t·max s, from the eigenvalues 2⁻ᵉ·s and the eigenvectors.
func chosen[T evd.Number](res *evd.Result[T], t float64, e int) (*directions[T], error) {
	s, n := res.Values, len(res.Values)
	least := t * s[n-1]
	if !(s[n-1] > 0) || !(s[0] >= -least) {
		return nil, &IndefiniteError{math.Ldexp(s[0], e), math.Ldexp(s[n-1], e)}
	}
	first := 0
	for s[first] <= least {
		first++
	}
	f := &directions[T]{Dropping: Dropping{Threshold: t, Dropped: first, Kept: math.Ldexp(s[first], e)}}
	if first > 0 {
		f.Lost = math.Ldexp(s[first-1], e)
	}
	z := res.Vectors
	f.v = vk.Columns[T]{Rows: n, Cols: n - first, Ld: z.Ld, Data: z.Data[first*z.Ld:]}
	for _, x := range s[first:] {
		f.root = append(f.root, 1/math.Sqrt(math.Ldexp(x, e)))
	}
	return f, nil
}

// solve does the same as Plan.Solve for a matrix that the plan accepts.
func (k *canonical[T]) solve(c *call, a evd.Sym[T]) (*Result[T], error) {
	f := k.kept
	m := len(f.root)
	scaled, e, err := dense.Congruent(triangle(a), f.d)
	if err != nil {
		return nil, cause("A", err)
	}
	var projected []T
	err = k.onDevice(c, stepToC, func(by *plan.Call, s *dense.Subspace[T]) (err error) {
		projected, err = s.Project(by, m, scaled)
		return err
	})
	if err != nil {
		return nil, err
	}
	of, shift, err := dense.Congruent(dense.Triangle[T]{N: m, Ld: m, Data: projected}, f.root)
	if err != nil { // the device has computed a NaN
		return nil, cause("C", err)
	}
	shift += e // the largest element of 2^−shift·C is between ½ and 1
	solver, err := k.solverOf(false, m, shift)
	if err != nil {
		return nil, k.fewer(m, err)
	}
	k.report = k.progress(c, stepOfC)
	inner, err := solver.Solve(c.ctx, evd.Sym[T]{N: m, Ld: m, Data: of.Data})
	if err != nil {
		return nil, standard("C", k.of.factored.Condition, err)
	}
	c.solved(inner.Profile, inner.Retried)
	res := &Result[T]{Result: *inner, Condition: k.of.factored.Condition, Dropping: f.Dropping}
	res.Values = multiplied(inner.Values, shift)
	if z := inner.Vectors; z != nil {
		if res.Vectors, err = k.vectors(c, z); err != nil {
			return nil, err
		}
		if k.of.opt.Verify {
			if inner.Certificate.Ratios, err = k.measure(c, scaled, f.b, multiplied(inner.Values, shift-e), 0, res.Vectors); err != nil {
				return nil, err
			}
		}
	}
	res.Profile, res.Retried = c.profile, c.retried
	passed := res.Certificate == nil || verifiable(res).Passed
	if err := res.overflow(); err != nil || passed {
		return res, err
	}
	return nil, unverified(res, nil)
}

func multiplied(values []float64, e int) []float64 {
	to := make([]float64, len(values))
	for j, x := range values {
		to[j] = math.Ldexp(x, e)
	}
	return to
}

// fewer adds to an error about the selection that directions of B were dropped, if this is so.
func (k *canonical[T]) fewer(m int, err error) error {
	if bad := (*evd.OptionError)(nil); errors.As(err, &bad) && k.kept.Dropped > 0 {
		return plan.BadOption(bad.Option, bad.Reason+", because directions of B were dropped")
	}
	return err
}

// vectors returns X = D·V·diag(s)^−½·Z.
func (k *canonical[T]) vectors(c *call, z *evd.Dense[T]) (*evd.Dense[T], error) {
	n, f, count := k.of.base.N, k.kept, z.Cols
	scaled := vk.Columns[T]{Rows: z.Rows, Cols: count, Ld: z.Rows, Data: make([]T, z.Rows*count)}
	copies.Each(count, z.Rows, func(j int) {
		column := scaled.Data[j*scaled.Ld:][:scaled.Ld]
		copy(column, z.Data[j*z.Ld:])
		dense.ReplaceParts(column, func(i, _ int, x float64) float64 { return x * f.root[i] })
	})
	var x []T
	err := k.onDevice(c, stepBack, func(by *plan.Call, s *dense.Subspace[T]) (err error) {
		x, err = s.Expand(by, scaled)
		return err
	})
	if err != nil {
		return nil, err
	}
	copies.Each(count, n, func(j int) {
		plan.Parts(x[j*n:(j+1)*n],
			func(parts []float32, each int) { finish(parts, each, f.d) },
			func(parts []float64, each int) { finish(parts, each, f.d) })
	})
	of := vk.Columns[T]{Rows: n, Cols: count, Ld: n, Data: x}
	if k.of.opt.RowMajor {
		of = vk.Columns[T]{Rows: count, Cols: n, Ld: max(count, 1), Data: make([]T, len(x))}
		copies.Transposed(of.Data, of.Ld, x, n, n, count)
	}
	return (*evd.Dense[T])(plan.DenseOf(of, k.of.opt.RowMajor)), nil
}

// finish multiplies the elements of a vector by those of d. Then it makes the first of the largest
// components real and positive.
func finish[R evd.Float](parts []R, each int, d []float64) {
	at, top := 0, 0.0
	element := func(i int) complex128 {
		if each == 1 {
			return complex(float64(parts[i]), 0)
		}
		return complex(float64(parts[2*i]), float64(parts[2*i+1]))
	}
	for i, by := range d {
		for p := each * i; p < each*(i+1); p++ {
			parts[p] = R(float64(parts[p]) * by)
		}
		if size := cmplx.Abs(element(i)); size > top {
			at, top = i, size
		}
	}
	turn := cmplx.Conj(element(at)) / complex(top, 0)
	if turn == 1 || top == 0 {
		return
	}
	for i := range d {
		z := element(i) * turn
		parts[each*i] = R(real(z))
		if each == 2 {
			parts[2*i+1] = R(imag(z))
		}
	}
	if each == 2 {
		parts[2*at+1] = 0
	}
}

// check does the same as Plan.Check for matrices that the plan accepts.
func (k *canonical[T]) check(c *call, a, b evd.Sym[T], res *Result[T]) (r evd.Ratios, err error) {
	scaledA, eA, err := dense.Congruent(triangle(a), k.kept.d)
	if err != nil {
		return r, cause("A", err)
	}
	scaledB, eB, err := dense.Congruent(triangle(b), k.kept.d)
	if err != nil {
		return r, cause("B", err)
	}
	dense.Multiply(scaledB.Data, math.Ldexp(1, eB))
	least := min(math.Ldexp(spectrum.SafeMin, -eA), math.MaxFloat64)
	return k.measure(c, scaledA, scaledB, multiplied(res.Values, -eA), least, res.Vectors)
}

// measure measures the errors of values and vectors for a = 2⁻ᵉ·D·A·D and b = D·B·D. The values are
// multiplied by 2⁻ᵉ, too. Those below `least` have fewer correct digits.
func (k *canonical[T]) measure(c *call, a, b dense.Triangle[T], values []float64, least float64, vectors *evd.Dense[T]) (r evd.Ratios, err error) {
	n, count := k.of.base.N, len(values)
	if count == 0 {
		return r, nil
	}
	y := vk.Columns[T]{Rows: n, Cols: count, Ld: n, Data: make([]T, n*count)}
	z := plan.Dense[T](*vectors).Columns()
	if vectors.RowMajor {
		copies.Transposed(y.Data, n, z.Data, z.Ld, count, n)
	} else {
		copies.Columns(y.Data, n, z.Data, z.Ld, n, count)
	}
	copies.Each(count, n, func(j int) {
		dense.ReplaceParts(y.Data[j*n:(j+1)*n], func(i, _ int, x float64) float64 { return x / k.kept.d[i] })
	})
	one, two := dense.Stored[T]{Columns: y}.Norms()
	weights := make([]float64, count)
	for j := range weights {
		weights[j] = 1 / two[j]
	}
	var sums [3][]float64
	var norms [2][]float64
	err = k.onDevice(c, stepBack, func(by *plan.Call, s *dense.Subspace[T]) (err error) {
		sums, norms, err = s.Sums(by, len(k.kept.root), a, b, values, y, weights)
		return err
	})
	if err != nil {
		return r, err
	}
	normA, normB, unit := plan.Largest(norms[0]), plan.Largest(norms[1]), float64(n)*precision.UlpOf[T]()
	for j, value := range values {
		r.Residual = max(r.Residual, plan.Ratio(sums[0][j:j+1], (normA+max(math.Abs(value), least)*normB)*one[j], unit), plan.Ratio(sums[2][j:j+1], one[j], unit))
		r.Orthogonality = max(r.Orthogonality, plan.Ratio(sums[1][j:j+1], normB*two[j], unit))
	}
	return r, nil
}

func (k *canonical[T]) emulated() bool {
	p := &k.space.Current().Products
	return len(p.Emulated)+len(p.PairEmulated) > 0
}

func (k *canonical[T]) bytes() uint64 {
	if s := k.solver.Current(); s.Plan != nil {
		return s.Bytes()
	}
	return 0
}

// memory lists the regions of the plan of a standard problem. This plan has memory of its own, so
// the offsets begin after the `first` bytes of the other memory.
func (k *canonical[T]) memory(first uint64) (all []vk.Placed) {
	if s := k.solver.Current(); s.Plan != nil {
		for _, r := range s.Memory() {
			r.Offset += first
			all = append(all, r)
		}
	}
	return all
}

// close frees the memory of the plan of the last standard problem.
func (k *canonical[T]) close() {
	if s := k.solver.Current(); s.Plan != nil {
		s.Close()
	}
}
