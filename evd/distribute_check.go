package evd

import (
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
)

// columnSums does the same as solve.columnSums for a plan that distributes the matrix. Each device
// has some of the vectors. The matrix, and all vectors, go to all devices, some columns at a time.
func (g *together[T]) columnSums(a Sym[T], res *Result[T]) (sums [2][]float64, sigma float64, err error) {
	first, m := g.all[0], res.Vectors.Cols
	if sigma, err = first.scale(a); err != nil {
		return sums, 0, err
	}
	c := vectorsOnDevices[T]{together: g, z: make([]product.Matrix[T], len(g.all)), m: m}
	for i := range sums {
		sums[i] = make([]float64, m)
	}
	lambda := spectrum.Unscale[T](spectrum.Scale(res.Values, sigma), 1)
	if err = g.each(func(k int, s *solve[T]) (err error) {
		from, to := g.plan.split.of(k, m)
		c.z[k], err = s.uploadVectors(res.Vectors.part(from, to), lambda[from:to])
		return err
	}); err != nil {
		return sums, sigma, err
	}
	width := first.steps.panels.Columns()
	for from := 0; from < a.N; from += width {
		panel := a.whole(from, min(from+width, a.N), sigma)
		if err = c.add(panel, from, sums[0], true); err != nil {
			return sums, sigma, err
		}
	}
	for from := 0; from < m; from += width {
		panel := res.Vectors.columns(from, min(from+width, m))
		if err = c.add(panel, from, sums[1], false); err != nil {
			return sums, sigma, err
		}
	}
	return sums, sigma, nil
}

// vectorsOnDevices is a check of m vectors by several devices. z[k] has the vectors of device k, as
// columns.
type vectorsOnDevices[T Float] struct {
	*together[T]
	z []product.Matrix[T]
	m int
}

// uploadVectors copies vectors, and the eigenvalues `lambda` of these vectors, to the device.
func (s *solve[T]) uploadVectors(part Dense[T], lambda []T) (z product.Matrix[T], err error) {
	ws, m := s.Arena, part.Cols
	var x product.Matrix[float64] // S, whose memory is free
	if t := s.steps.spectrum; t != nil {
		x = t.Matrix(ws, m, s.n, max(m, 1))
	} else {
		x = s.vectorsAt(ws, m)
	}
	z = product.NewMatrix(s.doubles.vectors(ws, x).At, s.n, m, s.n)
	if m == 0 {
		return z, nil
	}
	if err = s.steps.orient.restore(s.Ctx, s.Dev, &part, s.regions.a.In(ws), z); err != nil {
		return z, err
	}
	return z, s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseCheck, 0, 1)
		vk.SendFirst(rec, s.regions.lambda.In(ws), lambda)
	})
}

// part returns the columns [from, to) of d, in the same memory.
func (d Dense[T]) part(from, to int) Dense[T] {
	first := from * d.Ld
	if d.RowMajor {
		first = from
	}
	d.Cols, d.Data = to-from, d.Data[min(first, len(d.Data)):]
	return d
}

// add adds what a panel of A or of the vectors, with columns from number `from` on, contributes to the
// column sums. All devices compute at the same time, and each has its own vectors.
func (c vectorsOnDevices[T]) add(panel []T, from int, sums []float64, residual bool) error {
	return c.each(func(k int, s *solve[T]) error {
		first, to := c.plan.split.of(k, c.m)
		if first == to {
			return nil
		}
		found := make([]T, to-first)
		err := s.Run(func(rec *vk.Recorder) {
			rec.Phase(stages.PhaseCheck, 0, 1)
			if residual {
				s.steps.panels.RecordResidual(rec, s.Arena, panel, from, c.z[k], s.regions.lambda.In(s.Arena), found)
			} else {
				s.steps.panels.RecordGram(rec, s.Arena, panel, from, c.z[k], first, found)
			}
		})
		for i, x := range found {
			sums[first+i] += float64(x)
		}
		return err
	})
}

// whole returns the columns [from, to) of σ·A, with both triangles: a.N elements for each column.
func (a Sym[T]) whole(from, to int, sigma float64) []T {
	n := a.N
	panel := make([]T, n*(to-from))
	tridiag.Parallel(n, func(i int) { // row i of the panel
		for j := from; j < to; j++ {
			r, c := max(i, j), min(i, j)
			if a.Uplo == Upper {
				r, c = c, r
			}
			panel[i+(j-from)*n] = T(float64(a.Data[r+c*a.Ld]) * sigma) // σ may be beyond the range of T
		}
	})
	return panel
}

// columns returns a copy of the columns [from, to) of d, one after another.
func (d Dense[T]) columns(from, to int) []T {
	panel := make([]T, 0, d.Rows*(to-from))
	for j := from; j < to; j++ {
		panel = append(panel, d.Col(j)...)
	}
	return panel
}
