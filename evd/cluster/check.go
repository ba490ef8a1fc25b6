package cluster

import "math"

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

// over returns |err|/unit. It returns 0 if err is 0, even if `unit` is 0.
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

// residual returns ‖A·Q − Q·Λ‖₁ / (‖A‖₁·n·ulp) for the wanted columns of Q = res.q, where `values` is the
// diagonal of Λ. The matrix `r` is workspace with the distribution of Q.
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
