package team

import (
	"sync"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ColumnSums measures eigenpairs as dense.Solve.ColumnSums does. Each device has some of the
// vectors. The matrix, and all vectors, go to all devices, some columns at a time.
func (g *dividedSolve[T]) ColumnSums(a dense.Triangle[T], values []float64, vectors dense.Stored[T]) (sums [2][]float64, sigma float64, err error) {
	m := len(values)
	if sigma, err = g.Scale(a); err != nil {
		return sums, 0, err
	}
	for i := range sums {
		sums[i] = make([]float64, m)
	}
	c, err := g.upload(vectors, spectrum.Unscale[T](spectrum.Scale(values, sigma), 1))
	if err != nil {
		return sums, sigma, err
	}
	width := g.parts[0].panels.Columns()
	if err = c.panels(a.N, width, sums[0], true, func(buffer []T, from, to int) []T {
		return whole(a, buffer, from, to, sigma)
	}); err != nil {
		return sums, sigma, err
	}
	return sums, sigma, c.panels(m, width, sums[1], false, func(buffer []T, from, to int) []T {
		return columns(vectors, buffer, from, to)
	})
}

// vectorsOnDevices is a check of m vectors by several devices. z[k] has the vectors of device k, as
// columns.
type vectorsOnDevices[T spirv.Scalar] struct {
	*dividedSolve[T]
	z []product.Matrix[T]
	m int
}

// upload copies vectors, and the eigenvalues `lambda` of these vectors, to the devices.
func (g *dividedSolve[T]) upload(vectors dense.Stored[T], lambda []T) (vectorsOnDevices[T], error) {
	v := vectorsOnDevices[T]{g, make([]product.Matrix[T], len(g.calls)), len(lambda)}
	return v, g.each(func(k int, c *plan.Call) (err error) {
		from, to := g.split.Of(k, v.m)
		v.z[k], err = g.parts[k].uploadVectors(c, vectors.Part(from, to), lambda[from:to])
		return err
	})
}

// uploadVectors copies vectors, and the eigenvalues `lambda` of these vectors, to one device.
func (s *part[T]) uploadVectors(c *plan.Call, vectors dense.Stored[T], lambda []T) (z product.Matrix[T], err error) {
	ws, m := c.Arena, len(lambda)
	z = product.NewMatrix(s.Doubles.Eigenvectors(ws, s.rows(ws, m)).At, s.N, m, s.N) // the memory of S is free
	if m == 0 {
		return z, nil
	}
	if err = s.orient.Restore(c.Ctx, c.Dev, vectors, s.vectors.In(ws), z); err != nil {
		return z, err
	}
	return z, c.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseCheck, 0, 1)
		vk.SendFirst(rec, s.lambda.In(ws), lambda)
	})
}

// panels calls `add` for all columns of A if `residual` is true, and otherwise for all vectors.
// There are `count` columns, and a panel has `width` of them. `fill` returns the columns [from,
// to), and may write them to the buffer. The host fills one buffer while the devices use the other
// one.
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
				buffers[i] = make([]T, c.Lead.N*min(width, count))
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

// add adds the contribution of one panel to the column sums. The panel has columns of A if
// `residual` is true, and otherwise vectors, from number `from` on. All devices compute at the same
// time, and each has its own vectors.
func (c vectorsOnDevices[T]) add(panel []T, from int, sums []float64, residual bool) error {
	return c.each(func(k int, call *plan.Call) error {
		s, ws := c.parts[k], call.Arena
		first, to := c.split.Of(k, c.m)
		if first == to {
			return nil
		}
		found := make([]T, to-first)
		err := call.Run(func(rec *vk.Recorder) {
			rec.Phase(stages.PhaseCheck, 0, 1)
			if residual {
				s.panels.RecordResidual(rec, ws, panel, from, c.z[k], s.lambda.In(ws), found)
			} else {
				s.panels.RecordGram(rec, ws, panel, from, c.z[k], first, found)
			}
		})
		for i, x := range spectrum.Scale(found, 1) {
			sums[first+i] += x
		}
		return err
	})
}

// A goroutine writes tileRows rows of all columns of a panel, and then takes the next rows. These
// elements stay in the caches of a core.
const tileRows = 64

// tiles calls `do` for all rows of a matrix with n rows, for some rows [first, last) at a time. The
// calls run in parallel.
func tiles(n int, do func(first, last int)) {
	tridiag.Parallel((n+tileRows-1)/tileRows, func(i int) { do(i*tileRows, min((i+1)*tileRows, n)) })
}

// `whole` returns the columns [from, to) of σ·A, with both triangles: a.N elements for each column.
// The result is in the memory of `panel`.
func whole[T spirv.Scalar](a dense.Triangle[T], panel []T, from, to int, sigma float64) []T {
	panel = panel[:a.N*(to-from)]
	rows := func(begin, end, j int) []T { return panel[(j-from)*a.N:][begin:max(begin, end)] }
	tiles(a.N, func(first, last int) {
		for j := from; j < to; j++ { // column j, as far as it is stored
			begin, end := a.Column(j)
			begin = max(begin, first)
			copy(rows(begin, min(end, last), j), a.Data[begin+j*a.Ld:])
		}
		for i := first; i < last; i++ { // row i, as far as column i is stored
			begin, end := a.Column(i)
			for j := max(begin, from); j < min(end, to); j++ {
				panel[i+(j-from)*a.N] = a.Data[j+i*a.Ld]
			}
		}
		for j := from; j < to; j++ {
			if a.Conjugated() {
				dense.Conjugate(rows(max(first, j+1), last, j))
			} else {
				dense.Conjugate(rows(first, min(last, j), j))
			}
			if first <= j && j < last {
				copy(rows(j, j+1, j), spectrum.Unscale[T]([]float64{a.Diagonal(j)}, 1))
			}
			dense.Multiply(rows(first, last, j), sigma)
		}
	})
	return panel
}

// columns returns the vectors [from, to) of z, one after another. If they lie in this way in the
// memory of z, the result shares this memory. Otherwise the result is in the memory of `panel`.
func columns[T spirv.Scalar](z dense.Stored[T], panel []T, from, to int) []T {
	n := z.Rows
	switch {
	case z.Transposed:
		n = z.Cols
	case z.Ld == n:
		return z.Data[from*z.Ld : to*z.Ld]
	}
	panel = panel[:n*(to-from)]
	tiles(n, func(first, last int) {
		if !z.Transposed {
			for j := from; j < to; j++ {
				copy(panel[first+(j-from)*n:last+(j-from)*n], z.Data[first+j*z.Ld:])
			}
			return
		}
		for i := first; i < last; i++ {
			for j, x := range z.Data[from+i*z.Ld : to+i*z.Ld] {
				panel[i+j*n] = x
			}
		}
	})
	return panel
}
