package batch

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the spectra of the matrices in new memory. If one matrix cannot be solved, its
// Spectrum has the error, and the other matrices are solved.
func (p *Plan) Solve(ctx context.Context, a []evd.Sym[float64]) (*Result, error) {
	res := &Result{Spectra: make([]Spectrum, len(a))}
	values, vectors := 0, 0
	for _, m := range a {
		from, to, err := p.wanted(m)
		if err != nil {
			return nil, err
		}
		res.First = from
		values += to - from
		vectors += m.N * (to - from)
	}
	res.Values = make([]float64, values)
	if p.opt.Vectors {
		res.Vectors = make([]float64, vectors)
	}
	values, vectors = 0, 0
	for k, m := range a {
		from, to, _ := p.wanted(m)
		cols := to - from
		res.Spectra[k].Values = res.Values[values : values+cols : values+cols]
		values += cols
		if !p.opt.Vectors {
			continue
		}
		end := vectors + m.N*cols
		res.Spectra[k].Vectors = &evd.Dense[float64]{
			Rows: m.N, Cols: cols, Ld: max(m.N, 1), Data: res.Vectors[vectors:end:end],
		}
		vectors = end
	}
	var err error
	res.Profile, err = p.SolveInto(ctx, a, res.Spectra)
	if err != nil {
		return nil, err
	}
	return res, nil
}

// SolveInto computes the spectrum of matrix a[k] in the caller's memory out[k]. The slice Values
// and, with Options.Vectors, the matrix Vectors of out[k] must have the shapes that Solve returns.
// Vectors are column-major and may have any leading dimension. They must not overlap each other or
// a matrix of the list `a`. SolveInto overwrites Err.
//
// The errors are those of Solve, and an *evd.ShapeError for an element of `out` that does not fit.
// After an error the contents of `out` are undefined.
func (p *Plan) SolveInto(ctx context.Context, a []evd.Sym[float64], out []Spectrum) (*vk.Profile, error) {
	if len(a) != len(out) {
		return nil, &evd.ShapeError{N: len(a), Len: len(out)}
	}
	q := &queue{a: a, out: out, most: p.count, devices: 1 + len(p.others), vectors: p.opt.Vectors, report: p.opt.Progress}
	for k, m := range a {
		from, to, err := p.wanted(m)
		if err == nil {
			err = p.fits(m.N, to-from, out[k])
		}
		if err != nil {
			return nil, err
		}
		q.total += stages.BatchFlops(m.N, p.opt.Vectors)
	}
	p.base.Lock()
	defer p.base.Unlock()
	return p.solveAll(ctx, q)
}

// wanted returns the range from ≤ i < to of the eigenvalues that the options select for the matrix
// `m`. It returns an error if `m` does not fit the plan.
func (p *Plan) wanted(m evd.Sym[float64]) (from, to int, err error) {
	if err := m.Check(); err != nil {
		return 0, 0, err
	}
	if m.N > p.base.N {
		return 0, 0, &evd.ShapeError{N: m.N, Ld: m.Ld, Len: len(m.Data), Most: p.base.N}
	}
	if err := spectrum.CheckSelection(p.opt.Select, m.N); err != nil {
		return 0, 0, err
	}
	from, to, _ = spectrum.Range(p.opt.Select, m.N)
	return from, to, nil
}

// fits returns an *evd.ShapeError if the slices of the result `s` do not have the right sizes. The
// result has `cols` eigenvalues of a matrix of order n, and their vectors if the plan computes
// vectors.
func (p *Plan) fits(n, cols int, s Spectrum) error {
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
	short := cols > 0 && n > 0 && !spectrum.Holds(len(v.Data), n, cols, v.Ld)
	if v.RowMajor || v.Rows != n || v.Cols != cols || short {
		return &evd.ShapeError{N: n, Ld: v.Ld, Len: len(v.Data)}
	}
	return nil
}

// part solves one part of a batch: the matrices `a`, at most p.count of them. The results go to
// `out`.
func (p *Plan) part(c *spectrum.Call, a []evd.Sym[float64], out []Spectrum) error {
	var items []stages.BatchItem
	var index []int // for each item, the number of its matrix
	var up, values, vectors []vk.Columns[float64]
	for k, m := range a {
		out[k].Err = nil
		if m.N == 0 {
			continue
		}
		from, to, _ := p.wanted(m)
		items = append(items, stages.BatchItem{N: m.N, Upper: m.Uplo == evd.Upper, From: from, To: to})
		index = append(index, k)
		up = append(up, vk.Columns[float64]{Rows: m.N, Cols: m.N, Ld: max(m.Ld, m.N), Data: m.Data})
		values = append(values, vk.Columns[float64]{Rows: to - from, Cols: 1, Ld: to - from, Data: out[k].Values})
		if v := out[k].Vectors; p.opt.Vectors && to > from {
			vectors = append(vectors, vk.Columns[float64]{Rows: m.N, Cols: to - from, Ld: v.Ld, Data: v.Data})
		}
	}
	if len(items) == 0 {
		return c.Ctx.Err()
	}
	at := p.batch.Place(items)
	x := stages.BatchBuffers{A: p.a.In(c.Arena), Values: p.values.In(c.Arena), V: p.v.In(c.Arena)}
	if p.whole() {
		x.V = x.A
	}
	if err := spectrum.During(stages.PhaseLoad, vk.UploadParts(c.Ctx, c.Dev, x.A, up)); err != nil {
		return err
	}
	if err := c.Run(func(rec *vk.Recorder) { p.batch.Record(rec, c.Arena, at, x) }); err != nil {
		return err
	}
	for more := true; more; {
		rec := c.Record(func(rec *vk.Recorder) { more = p.batch.Continue(rec, c.Arena, at, x) })
		if more {
			if err := c.Execute(rec); err != nil {
				return err
			}
		}
	}
	err := vk.DownloadParts(c.Ctx, c.Dev, values, x.Values)
	if err == nil && p.opt.Vectors {
		err = vk.DownloadParts(c.Ctx, c.Dev, vectors, x.V)
	}
	if err != nil {
		return spectrum.During(stages.PhaseBatch, err)
	}
	for i, o := range at.Outcomes() {
		k := index[i]
		out[k].Err = failure(a[k], o)
		if out[k].Err != nil {
			out[k].spoil()
		}
	}
	return nil
}

// failure converts the outcome `o`, which the device has reported for the matrix `a`, to an error.
// The result is nil if the matrix was solved.
func failure(a evd.Sym[float64], o stages.BatchOutcome) error {
	switch {
	case o.NonFinite:
		ld := max(a.Ld, a.N)
		_, i, j := spectrum.Scan(a.Data, ld, a.N, func(j int) (from, to int) {
			if a.Uplo == evd.Upper {
				return 0, j + 1
			}
			return j, a.N
		})
		return &evd.NonFiniteError{Row: i, Col: j, Value: a.Data[i+j*ld]}
	case o.Failed:
		return &evd.NoConvergenceError{Stage: stages.PhaseBatch, Index: o.Lo, End: o.Hi}
	}
	return nil
}

// spoil sets all eigenvalues and vectors of a result to NaN, because the matrix could not be
// solved.
func (s *Spectrum) spoil() {
	for i := range s.Values {
		s.Values[i] = math.NaN()
	}
	if s.Vectors == nil {
		return
	}
	for j := range s.Vectors.Cols {
		column := s.Vectors.Col(j)
		for i := range column {
			column[i] = math.NaN()
		}
	}
}
