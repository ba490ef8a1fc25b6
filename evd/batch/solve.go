package batch

import (
	"cmp"
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/vk"
)

func (p *solver[T, R]) solve(ctx context.Context, a matrices[T, R]) (*Result[T], error) {
	res := &Result[T]{Spectra: make([]Spectrum[T], a.count())}
	values, vectors := 0, 0
	for k := range a.count() {
		from, to, err := p.wanted(a, k)
		if err != nil {
			return nil, err
		}
		res.First = from
		values += to - from
		vectors += a.order(k) * (to - from)
	}
	res.Values = make([]float64, values)
	if p.opt.Vectors {
		res.Vectors = make([]T, vectors)
	}
	values, vectors = 0, 0
	for k := range a.count() {
		from, to, _ := p.wanted(a, k)
		n, cols := a.order(k), to-from
		res.Spectra[k].Values = res.Values[values : values+cols : values+cols]
		values += cols
		if !p.opt.Vectors {
			continue
		}
		end := vectors + n*cols
		res.Spectra[k].Vectors = &evd.Dense[T]{Rows: n, Cols: cols, Ld: max(n, 1), Data: res.Vectors[vectors:end:end]}
		vectors = end
	}
	var err error
	res.Profile, err = p.solveInto(ctx, a, res.Spectra)
	if err != nil {
		return nil, err
	}
	return res, nil
}

func (p *solver[T, R]) solveInto(ctx context.Context, a matrices[T, R], out []Spectrum[T]) (*vk.Profile, error) {
	if a.count() != len(out) {
		return nil, &evd.ShapeError{N: a.count(), Len: len(out)}
	}
	q := &queue[T, R]{a: a, out: out, most: portionSize(a.count(), p.count), devices: 1 + len(p.others), vectors: p.opt.Vectors, report: p.opt.Progress}
	for k := range a.count() {
		from, to, err := p.wanted(a, k)
		if err == nil {
			err = p.fits(a.order(k), to-from, out[k])
		}
		if err != nil {
			return nil, err
		}
		q.total += a.flops(a.order(k), p.opt.Vectors)
	}
	p.base.Lock()
	defer p.base.Unlock()
	return p.solveAll(ctx, q)
}

// wanted returns the range `from` ≤ i < `to` of the eigenvalues that the options select for matrix
// k. It returns an error if the matrix does not fit the plan, or has too small an order for the
// selection.
func (p *solver[T, R]) wanted(a matrices[T, R], k int) (from, to int, err error) {
	if err := a.fits(k, p.base.N); err != nil {
		return 0, 0, err
	}
	n := a.order(k)
	if err := spectrum.CheckSelection(spectrum.Selection(p.opt.Select), n); err != nil {
		return 0, 0, err
	}
	from, to, _ = spectrum.Range(spectrum.Selection(p.opt.Select), n)
	return from, to, nil
}

// fits returns an *evd.ShapeError if the slices of s do not have the sizes for `cols` eigenvalues
// of a matrix of order n, and for their vectors if the plan computes them. Row-major vectors are an
// error, too.
func (p *solver[T, R]) fits(n, cols int, s Spectrum[T]) error {
	if len(s.Values) != cols {
		return &evd.ShapeError{N: cols, Ld: 1, Len: len(s.Values)}
	}
	if !p.opt.Vectors {
		return nil
	}
	v := s.Vectors
	if v == nil {
		return &evd.ShapeError{N: n}
	}
	short := cols > 0 && n > 0 && !plan.Holds(len(v.Data), n, cols, v.Ld)
	if v.RowMajor || v.Rows != n || v.Cols != cols || short {
		return &evd.ShapeError{N: n, Ld: v.Ld, Len: len(v.Data)}
	}
	return nil
}

// portion is a part of a batch that the host has prepared: the matrices `first` ≤ k < `last`.
type portion[T Number, R evd.Float] struct {
	first, last int
	index       []int            // for each item of `at`, the number of its matrix
	at          *batch.BatchPart // nil if all matrices have order 0
	pairs       *batch.PairPart  // nil unless the matrices are pairs

	upload  func(c *plan.Call) error // copies the matrices to the device
	values  []vk.Columns[R]          // host memory of the results, in the order of the items
	vectors []vk.Columns[T]
}

// portionOf makes the part `first` ≤ k < `last` of the batch, whose results go to `out`. It does
// not use the device.
func (p *solver[T, R]) portionOf(a matrices[T, R], out []Spectrum[T], first, last int) *portion[T, R] {
	count := last - first
	r := &portion[T, R]{
		first: first, last: last, index: make([]int, 0, count),
		values: make([]vk.Columns[R], 0, count), vectors: make([]vk.Columns[T], 0, count),
	}
	items := make([]batch.Item, 0, count)
	var singles []R
	for k := first; k < last; k++ {
		out[k].Err = nil
		n := a.order(k)
		if n == 0 {
			continue
		}
		from, to, _ := spectrum.Range(spectrum.Selection(p.opt.Select), n)
		items = append(items, batch.Item{N: n, Upper: a.upper(k), Conj: a.byRows(k), From: from, To: to})
		r.index = append(r.index, k)
		r.values = append(r.values, vk.Columns[R]{Rows: to - from, Cols: 1, Ld: to - from, Data: p.received(out[k].Values, &singles)})
		if v := out[k].Vectors; p.opt.Vectors && to > from {
			r.vectors = append(r.vectors, vk.Columns[T]{Rows: n, Cols: to - from, Ld: v.Ld, Data: v.Data})
		}
	}
	if len(items) > 0 {
		r.at = p.batch.Place(items)
		if x, ok := a.(pairs[T, R]); ok {
			r.pairs = x.place(p, items, r.at, r.index)
		}
		r.upload = a.upload(p, r.at, r.index)
	}
	return r
}

// received returns the memory to which the values of a matrix are copied from the device. In
// double precision it is `values`. In single precision it is a part of `singles`, from which
// `execute` makes doubles.
func (p *solver[T, R]) received(values []float64, singles *[]R) []R {
	if same, doubles := any(values).([]R); doubles {
		return same
	}
	if len(*singles) < len(values) {
		*singles = make([]R, max(len(values), 1<<16))
	}
	part := (*singles)[:len(values)]
	*singles = (*singles)[len(values):]
	return part
}

func (p *solver[T, R]) execute(c *plan.Call, r *portion[T, R], a matrices[T, R], out []Spectrum[T]) error {
	if r.at == nil {
		return c.Ctx.Err()
	}
	x := batch.Buffers[T, R]{A: p.a.In(c.Arena), Values: p.values.In(c.Arena), V: p.v.In(c.Arena)}
	if p.inPlace() {
		x.V = x.A
	}
	if err := plan.During(stages.PhaseLoad, r.upload(c)); err != nil {
		return err
	}
	if err := c.Run(func(rec *vk.Recorder) {
		if r.pairs != nil {
			p.pairs.Reduce(rec, c.Arena, r.pairs, x.A, p.b.In(c.Arena))
		}
		p.batch.Record(rec, c.Arena, r.at, x)
	}); err != nil {
		return err
	}
	for more := true; more; {
		rec := c.Record(func(rec *vk.Recorder) { more = p.batch.Continue(rec, c.Arena, r.at, x) })
		if more {
			if err := c.Execute(rec); err != nil {
				return err
			}
		}
	}
	if r.pairs != nil && p.opt.Vectors {
		if err := c.Run(func(rec *vk.Recorder) { p.pairs.Vectors(rec, c.Arena, r.pairs, x.V, p.b.In(c.Arena)) }); err != nil {
			return err
		}
	}
	err := vk.DownloadParts(c.Ctx, c.Dev, r.values, x.Values)
	if err == nil && p.opt.Vectors {
		err = vk.DownloadParts(c.Ctx, c.Dev, r.vectors, x.V)
	}
	if err != nil {
		return plan.During(stages.PhaseBatch, err)
	}
	exponents := p.batch.Exponents(r.at)
	var reductions []batch.PairOutcome
	if r.pairs != nil {
		reductions = r.pairs.Outcomes()
	}
	for i, o := range r.at.Outcomes() {
		k, exponent := r.index[i], 0
		if exponents != nil {
			exponent = exponents[i]
		}
		if reductions != nil {
			exponent += reductions[i].Exponent
		}
		if exponents != nil || exponent != 0 {
			for j, x := range r.values[i].Data {
				out[k].Values[j] = math.Ldexp(float64(x), exponent)
			}
		}
		out[k].Err = failure(a, k, o)
		if x, ok := a.(pairs[T, R]); ok {
			out[k].Err = cmp.Or(x.failure(k, reductions[i]), out[k].Err)
		}
		if out[k].Err != nil {
			out[k].spoil()
			continue
		}
		from, _, _ := spectrum.Range(spectrum.Selection(p.opt.Select), a.order(k))
		out[k].Err = plan.Overflow(out[k].Values, from, false)
	}
	return nil
}

func failure[T Number, R evd.Float](a matrices[T, R], k int, o batch.BatchOutcome) error {
	switch {
	case o.NonFinite:
		return a.nonFinite(k)
	case o.Failed:
		return &evd.NoConvergenceError{Stage: stages.PhaseBatch, Index: o.Lo, End: o.Hi}
	}
	return nil
}

// spoil sets all values and vectors to NaN, because the matrix could not be solved.
func (s *Spectrum[T]) spoil() {
	for i := range s.Values {
		s.Values[i] = math.NaN()
	}
	if s.Vectors == nil {
		return
	}
	for j := range s.Vectors.Cols {
		plan.Parts(s.Vectors.Col(j), func(parts []float32, _ int) { fill(parts, math.NaN()) }, func(parts []float64, _ int) { fill(parts, math.NaN()) })
	}
}

func fill[R evd.Float](v []R, x float64) {
	for i := range v {
		v[i] = R(x)
	}
}
