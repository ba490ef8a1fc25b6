package cluster

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"
)

type solve struct {
	*World
	ctx    context.Context
	source Source
	opt    Options
	n      int

	members group // nil on a process that has no part in the grid
	grid    grid
	layout  shape

	// The external library that computes the spectrum gets the scaled matrix 2^−exponent·A, or
	// −2^−exponent·A if `negated` is true.
	exponent int
	negated  bool
	averaged float64
	sums     sums
}

// Solve computes eigenvalues of the matrix in `source`, and eigenvectors if Options.Vectors is set.
// All processes of the job must call Solve together, with the same options. All processes get the
// same values. The libraries that solve compute the vectors of the smallest eigenvalues first. If
// the selected part is nearer to the upper end of the spectrum, Solve therefore solves for −A. The
// caller must call Close on the result.
//
// If an eigenvalue is beyond the largest double, Solve returns the result beside an *OverflowError.
//
// The other errors are *OptionError, *NonFiniteError, *NotSymmetricError, *EngineError,
// *ProcessError, those of `source`, and that of `ctx`. The order may be 0.
func Solve(ctx context.Context, w *World, source Source, opt Options) (*Solution, error) {
	s := &solve{World: w, ctx: ctx, source: source, opt: opt, n: source.Order()}
	s.layout = arrange(s.n, w.Size())
	if err := w.Agree(errors.Join(opt.check(s.n), s.layout.check(s.n))); err != nil {
		return nil, err
	}
	if err := s.sameProblem(); err != nil {
		return nil, err
	}
	s.members = w.all.part(s.layout.rows * s.layout.cols)
	res := &Solution{w: w, members: s.members, Processes: s.layout.rows * s.layout.cols}
	if s.n == 0 {
		return res, nil
	}
	err := s.step("", func() (err error) {
		s.grid, err = s.members.grid(s.layout, w.engine)
		return err
	})
	if err == nil {
		res.grid = s.grid
		err = s.run(res)
	}
	if err != nil {
		res.Close()
		return nil, err
	}
	return res, res.overflow()
}

// sameProblem returns an error on all processes if the processes do not have the same order or the
// same options. Otherwise processes with different problems would wait for one another without end.
func (s *solve) sameProblem() error {
	number := func(b bool) float64 { return map[bool]float64{true: 1}[b] }
	p, o := s.opt.Select, s.opt
	mine := []float64{
		float64(s.n), float64(o.Triangle), number(o.Vectors), number(o.Symmetrize), number(o.Check),
		float64(p.kind), float64(p.from), float64(p.to), p.a, p.b,
	}
	both := slices.Clone(mine)
	for _, x := range mine {
		both = append(both, -x)
	}
	s.all.largest(both)
	for i := range mine {
		if both[i] != -both[i+len(mine)] {
			return &OptionError{"Solve", "the processes have different matrices or options"}
		}
	}
	return nil
}

func (s *solve) run(res *Solution) error {
	first, last := 0, s.n
	switch p := s.opt.Select; p.kind {
	case byIndex:
		first, last = p.from, p.to
	case byInterval:
		all, err := s.values(res)
		if err != nil {
			return err
		}
		above := func(x float64) int { return sort.Search(s.n, func(i int) bool { return all[i] > x }) }
		first, last = above(p.a), above(p.b)
		if !s.opt.Vectors || first == last {
			res.First, res.Values, res.Averaged = first, all[first:last], s.averaged
			return nil
		}
	}
	s.negated = s.opt.Vectors && s.n-first < last
	res.First, res.from, res.to, res.reversed = first, first, last, s.negated
	if s.negated {
		res.from, res.to = s.n-last, s.n-first
	}
	if first == last {
		return nil
	}
	if !s.opt.Vectors {
		all, err := s.values(res)
		if err != nil {
			return err
		}
		res.Values, res.Averaged = all[first:last], s.averaged
		return nil
	}
	return s.vectors(res)
}

func (s *solve) values(res *Solution) (values []float64, err error) {
	a, _, err := s.matrices() // the second matrix is not kept, because the engine needs the memory
	if err != nil {
		return nil, err
	}
	if err := s.step("solving", func() (err error) {
		values, err = s.grid.solve(a, nil, s.n)
		return err
	}); err != nil {
		return nil, err
	}
	values = s.agreed(values, s.n)
	if s.opt.Check && !s.opt.Vectors {
		res.Ratios = s.compareSums(values)
	}
	s.unscale(values)
	return values, nil
}

func (s *solve) vectors(res *Solution) error {
	a, q, err := s.matrices()
	if err != nil {
		return err
	}
	var values []float64
	if err := s.step("solving", func() (err error) {
		values, err = s.grid.solve(a, q, res.to)
		return err
	}); err != nil {
		return err
	}
	values = s.agreed(values, res.to)
	res.q, res.Averaged = q, s.averaged
	if s.opt.Check {
		if err := s.check(res, a, values); err != nil {
			return err
		}
	}
	res.Values = slices.Clone(values[res.from:])
	s.unscale(res.Values)
	return nil
}

// matrices reads the matrix, and makes it symmetric and scaled. `other` is workspace with the same
// distribution. Both are nil on a process that is not in the grid.
func (s *solve) matrices() (a, other *matrix, err error) {
	err = s.step("reading", func() error {
		row, col := s.grid.at()
		rows := cyclic{s.n, s.layout.block, s.layout.rows, row}
		cols := cyclic{s.n, s.layout.block, s.layout.cols, col}
		a, other = newMatrix(rows, cols), newMatrix(rows, cols)
		if err := s.load(a); err != nil {
			return err
		}
		return s.symmetrise(a, other)
	})
	if err != nil {
		return nil, nil, err
	}
	if s.members != nil && !s.opt.Vectors && s.opt.Check {
		s.sums = s.sumsOf(a)
	}
	// Processes outside of the grid need these two numbers, too: they return the same eigenvalues.
	scaling := []float64{float64(s.exponent), s.averaged}
	s.all.share(raw(scaling), 0)
	s.exponent, s.averaged = int(scaling[0]), scaling[1]
	return a, other, nil
}

// step calls `work` on the processes of the grid, unless the context has ended. An error on one
// process becomes an error on all.
func (s *solve) step(name string, work func() error) error {
	if s.opt.Progress != nil && name != "" {
		s.opt.Progress(name)
	}
	err := s.ctx.Err()
	if s.members != nil {
		// Before the work, all processes find out whether one of them will return. Otherwise some
		// processes would begin the work and wait for the others without end.
		if err = agree(s.members, err); err == nil {
			err = work()
		}
	}
	return s.Agree(err)
}

// agreed returns the values of process 0, on all processes: the bits that the library returns may
// differ between processes, and processes outside the grid have no values.
func (s *solve) agreed(values []float64, count int) []float64 {
	if len(values) < count {
		values = make([]float64, count)
	}
	values = values[:count]
	s.all.share(raw(values), 0)
	return values
}

func (s *solve) unscale(values []float64) {
	for i, x := range values {
		values[i] = math.Ldexp(x, s.exponent)
		if s.negated {
			values[i] = -values[i]
		}
	}
	if s.negated {
		slices.Reverse(values)
	}
}

func (r *Solution) overflow() error {
	for k, v := range r.Values {
		if math.IsInf(v, 0) {
			return &OverflowError{r.First + k, v}
		}
	}
	return nil
}

// Close frees the memory of the vectors and the grid of processes. All processes must call Close
// together, before World.Close.
func (r *Solution) Close() {
	if r.grid != nil {
		r.grid.free()
	}
	if r.members != nil {
		r.members.end()
	}
	r.grid, r.members, r.q = nil, nil, nil
}

// sums holds the trace of the scaled matrix, and the sum of the squares of its elements.
type sums struct{ trace, squares float64 }

func (s *solve) sumsOf(a *matrix) sums {
	x := make([]float64, 2)
	a.each(func(i, j int, v *float64) {
		if i == j {
			x[0] += *v
		}
		x[1] += *v * *v
	})
	s.members.sum(x)
	return sums{x[0], x[1]}
}

// compareSums compares sums of all computed eigenvalues with sums of the scaled matrix. The
// eigenvalues must add up to the trace, and their squares to the squared Frobenius norm. These sums
// find an eigenvalue that is missing, doubled or far from the right value. They prove the accuracy
// of no single eigenvalue.
func (s *solve) compareSums(values []float64) *Ratios {
	r := notMeasured()
	x := []float64{0, 0}
	if s.members != nil && s.members.rank() == 0 {
		trace, squares := 0.0, 0.0
		for _, v := range values {
			trace += v
			squares += v * v
		}
		unit := float64(s.n) * ulp
		x[0] = over(trace-s.sums.trace, unit*math.Sqrt(s.sums.squares))
		x[1] = over(squares-s.sums.squares, unit*s.sums.squares)
	}
	s.all.share(raw(x), 0)
	r.Trace, r.Squares = x[0], x[1]
	return r
}

// `over` returns |err|/unit. It returns 0 if err is 0, even if `unit` is 0.
func over(err, unit float64) float64 {
	if err == 0 {
		return 0
	}
	return math.Abs(err) / unit
}

// check measures the errors of the computed vectors. The solver library has destroyed the matrix A,
// so the processes first read A again into the same memory.
func (s *solve) check(res *Solution, a *matrix, values []float64) error {
	x := []float64{0, 0}
	err := s.step("checking", func() error {
		if err := s.load(a); err != nil {
			return err
		}
		r := res.q.like(res.q.cols.n)
		if err := s.symmetrise(a, r); err != nil {
			return err
		}
		x[0] = s.residual(res, a, r, values)
		x[1] = s.orthogonality(res)
		return nil
	})
	if err != nil {
		return err
	}
	s.all.share(raw(x), 0)
	res.Ratios = notMeasured()
	res.Ratios.Residual, res.Ratios.Orthogonality = x[0], x[1]
	return nil
}

// residual returns ‖A·Q − Q·Λ‖₁ / (‖A‖₁·n·ulp) for the wanted columns of Q = res.q, where `values`
// is the diagonal of Λ. The matrix `r` is workspace with the distribution of Q.
func (s *solve) residual(res *Solution, a, r *matrix, values []float64) float64 {
	norm := s.grid.norm1(a, 0, s.n)
	for lj := range r.cols.count() {
		j := r.cols.global(lj)
		if j < res.from || j >= res.to {
			continue
		}
		q, to := res.q.column(lj), r.column(lj)
		for i, x := range q {
			to[i] = values[j] * x
		}
	}
	s.grid.multiply(a, res.q, r, res.from, res.to)
	return over(s.grid.norm1(r, res.from, res.to), norm*float64(s.n)*ulp)
}

// orthogonality returns ‖QᵀQ − I‖₁ / (n·ulp) for the wanted columns of Q = res.q.
func (s *solve) orthogonality(res *Solution) float64 {
	k := res.to - res.from
	rows, cols := res.q.rows, res.q.cols
	rows.n, cols.n = k, k
	g := newMatrix(rows, cols)
	g.each(func(i, j int, x *float64) {
		if i == j {
			*x = 1
		}
	})
	s.grid.gram(res.q, res.from, res.to, g)
	return over(s.grid.norm1(g, 0, k), float64(s.n)*ulp)
}
