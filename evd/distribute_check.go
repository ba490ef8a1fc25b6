package evd

import (
	"sync"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
)

// columnSums returns the column sums of |σ·A·Z − Z·σ·Λ| and of |ZᵀZ − I|, and σ, as solve.columnSums,
// for a distributed matrix. Each device has some of the vectors. The matrix, and all vectors, go to
// all devices, some columns at a time.
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
	if err = c.panels(a.N, width, sums[0], true, func(buffer []T, from, to int) []T {
		return a.whole(buffer, from, to, sigma)
	}); err != nil {
		return sums, sigma, err
	}
	return sums, sigma, c.panels(m, width, sums[1], false, res.Vectors.columns)
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

// panels calls `add` for all columns of A or of the vectors. There are `count` columns, and a panel
// has `width` of them. `fill` returns the columns [from, to), and may write them to the buffer. The
// host fills one buffer while the devices use the other one.
func (c vectorsOnDevices[T]) panels(
	count, width int, sums []float64, residual bool, fill func(buffer []T, from, to int) []T,
) error {
	filled, stop := make(chan []T), make(chan struct{})
	var filling sync.WaitGroup
	defer filling.Wait()
	defer close(stop)
	filling.Go(func() {
		var buffers [2][]T
		for from := 0; from < count; from += width {
			i := from / width % 2
			if buffers[i] == nil {
				buffers[i] = make([]T, c.all[0].n*min(width, count))
			}
			select {
			case filled <- fill(buffers[i], from, min(from+width, count)):
			case <-stop:
				return
			}
		}
	})
	for from := 0; from < count; from += width {
		if err := c.add(<-filled, from, sums, residual); err != nil {
			return err
		}
	}
	return nil
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

// tileRows is the number of rows that a goroutine writes of all columns of a panel, before it takes
// the next rows. Its elements stay in the caches of a core.
const tileRows = 64

// tiles calls `do` for all rows of a matrix with n rows, some rows [first, last) at a time.
func tiles(n int, do func(first, last int)) {
	tridiag.Parallel((n+tileRows-1)/tileRows, func(i int) { do(i*tileRows, min((i+1)*tileRows, n)) })
}

// whole returns the columns [from, to) of σ·A, with both triangles: a.N elements for each column.
// They are in the memory of `panel`.
func (a Sym[T]) whole(panel []T, from, to int, sigma float64) []T {
	panel = panel[:a.N*(to-from)]
	set := func(i, j int, x T) { panel[i+(j-from)*a.N] = T(float64(x) * sigma) } // σ may be beyond the range of T
	tiles(a.N, func(first, last int) {
		for j := from; j < to; j++ { // column j, as far as it is stored
			begin, end := a.column(j)
			for i := max(begin, first); i < min(end, last); i++ {
				set(i, j, a.Data[i+j*a.Ld])
			}
		}
		for i := first; i < last; i++ { // row i, as far as column i is stored
			begin, end := a.column(i)
			for j := max(begin, from); j < min(end, to); j++ {
				set(i, j, a.Data[j+i*a.Ld])
			}
		}
	})
	return panel
}

// columns returns the columns [from, to) of d, one after another. They are in the memory of d if they
// lie there so, and otherwise in that of `panel`.
func (d Dense[T]) columns(panel []T, from, to int) []T {
	if !d.RowMajor && d.Ld == d.Rows {
		return d.Data[from*d.Ld : to*d.Ld]
	}
	panel = panel[:d.Rows*(to-from)]
	tiles(d.Rows, func(first, last int) {
		if !d.RowMajor {
			for j := from; j < to; j++ {
				copy(panel[first+(j-from)*d.Rows:last+(j-from)*d.Rows], d.Data[first+j*d.Ld:])
			}
			return
		}
		for i := first; i < last; i++ {
			for j, x := range d.Data[from+i*d.Ld : to+i*d.Ld] {
				panel[i+j*d.Rows] = x
			}
		}
	})
	return panel
}
