package team

import (
	"context"
	"errors"
	"time"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Begin begins a solve on the first device alone, or with helpers.
func (u *Undivided[T]) Begin(t *Team, c *plan.Call) Solve[T] {
	first := dense.Solve[T]{Stages: u.Stages, Call: c}
	if len(t.Others) == 0 {
		return &alone[T]{first}
	}
	return &helped[T]{Solve: first, crew: t.newCrew(c), helpers: u.Helpers}
}

// alone is a solve on one device.
type alone[T spirv.Scalar] struct{ dense.Solve[T] }

func (*alone[T]) Reduced()              {}
func (*alone[T]) Cause(err error) error { return err }
func (*alone[T]) End()                  {}

// helped is a solve on several devices, of which each transforms its part of the vectors back. The
// reflectors are copied to the other devices while the first device solves the tridiagonal problem:
//
//	first device   reduce │ tridiagonal problem      │ vectors 0 … to−1   │ download
//	other devices         │ reflectors arrive      S │ vectors from … m−1 │ download
type helped[T spirv.Scalar] struct {
	dense.Solve[T] // the solve on the first device
	crew
	helpers []*Helper[T]

	// copied is closed when the reflectors are on all devices, or when an error has ended the
	// copies. `failed` is this error. If no reflectors are copied, `copied` is nil.
	copied chan struct{}
	failed error
}

// Reduced starts to copy the reflectors to the other devices, if vectors are wanted.
func (g *helped[T]) Reduced() {
	if !g.Vectors {
		return
	}
	g.copied = make(chan struct{})
	go func() {
		defer close(g.copied)
		g.failed = g.each(func(k int, c *plan.Call) error {
			if k == 0 {
				return nil
			}
			return plan.During(stages.PhaseMove, g.copyReflectors(c, g.helpers[k-1], g.Others[k-1].link))
		})
	}()
}

// copyReflectors copies the data of the back transformation from the first device to the device of
// the call c: the reflectors of Q2 and Q1, and the memory that Doubles.Narrow reads.
func (g *helped[T]) copyReflectors(c *plan.Call, to *Helper[T], link *vk.Link) error {
	from := g.Stages.Reflectors()
	for i, region := range to.reflectors.All() {
		if err := vk.Move(c.Ctx, link, column(region.In(c.Arena)), column(from.All()[i].In(g.Arena))); err != nil {
			return err
		}
	}
	for i, region := range to.Doubles.Copied() {
		if err := vk.Move(c.Ctx, link, column(region.In(c.Arena)), column(g.Doubles.Copied()[i].In(g.Arena))); err != nil {
			return err
		}
	}
	return nil
}

// column returns all elements of the slice s as a matrix with one column.
func column[T any](s vk.Slice[T]) vk.Block[T] {
	return vk.Block[T]{Rows: s.Len(), Cols: 1, Ld: s.Len(), At: s}
}

// blockOf returns the matrix x in the form that vk.Move copies between devices.
func blockOf[T spirv.Scalar](x product.Matrix[T]) vk.Block[T] {
	return vk.Block[T]{Rows: x.Rows, Cols: x.Cols, Ld: x.Ld, At: x.At}
}

func (g *helped[T]) Downloads(into func(m int) vk.Columns[T]) []spectrum.Vectors[T] {
	sets := g.Solve.Downloads(into)
	for i := range sets {
		sets[i].Fetch = g.fetch
	}
	return sets
}

// fetch moves the parts of the vectors x of the tridiagonal matrix to the other devices, transforms
// all parts back, and copies the results to the host memory that `wait` returns.
func (g *helped[T]) fetch(x product.Matrix[float64], wait func() vk.Columns[T]) error {
	began := time.Now()
	if <-g.copied; g.failed != nil || x.Rows == 0 {
		return g.failed
	}
	mine := make([]product.Matrix[float64], len(g.calls)) // the part of each device
	err := g.each(func(k int, c *plan.Call) error {
		from, to := g.split.Of(k, x.Rows)
		part := x.Block(from, 0, to-from, x.Cols)
		if k == 0 {
			mine[0] = part
			return nil
		}
		mine[k] = g.helpers[k-1].rows(c.Arena, to-from)
		return plan.During(stages.PhaseMove, vk.Move(c.Ctx, g.Others[k-1].link, blockOf(mine[k]), blockOf(part)))
	})
	if err != nil {
		return err
	}
	g.Profile.Add(stages.PhaseMove+stages.OnHost, time.Since(began).Seconds())
	return fetch(&g.crew, x.Rows, g.RowMajor, wait, func() ([]product.Matrix[T], error) { return g.transformBack(mine) })
}

// transformBack transforms the parts of all devices back; parts[k] is on device k. It returns the
// matrices to download. It reports the progress of the slowest device.
func (g *helped[T]) transformBack(parts []product.Matrix[float64]) ([]product.Matrix[T], error) {
	slowest := plan.NewSlowest(len(g.calls), g.Reporter())
	q := make([]product.Matrix[T], len(g.calls))
	return q, g.each(func(k int, c *plan.Call) (err error) {
		defer c.ReportTo(c.ReportTo(slowest.Of(k)))
		defer slowest.Ended(k)
		if k == 0 {
			q[0], err = g.TransformBack(parts[0])
		} else {
			q[k], err = g.helpers[k-1].transformBack(c, parts[k])
		}
		return err
	})
}

// Cause returns the error that made the solve end. If copying the reflectors has failed, all
// devices are cancelled and return context.Canceled as err. In this case Cause returns the error of
// the copies.
func (g *helped[T]) Cause(err error) error {
	if g.copied == nil || g.outer.Err() != nil || !errors.Is(err, context.Canceled) {
		return err
	}
	if <-g.copied; g.failed != nil {
		return g.failed
	}
	return err
}

// End waits for the copies of the reflectors, and ends the solve on all devices.
func (g *helped[T]) End() {
	g.cancel()
	if g.copied != nil {
		<-g.copied
	}
	g.crew.End()
}
