package evd

import (
	"context"
	"errors"
	"time"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
)

// together is a solve on several devices. Each device transforms its part of the vectors back. The
// reflectors are copied to the other devices while the first device solves the tridiagonal problem:
//
//	first device   reduce │ tridiagonal problem      │ vectors 0 … to−1   │ download
//	other devices         │ reflectors arrive      S │ vectors from … m−1 │ download
//
// With Options.Distribute all devices reduce the matrix, and keep their parts of the reflectors of
// Q1.
//
// There is one goroutine per device. If the plan uses one device, only this device's solve is in
// it.
type together[T Float] struct {
	plan *Plan[T]

	// all holds the solve on each device of the plan, the first device first.
	all []*solve[T]

	// outer is the context of the whole solve. ctx is derived from it and is the context on all
	// devices. ctx also ends after the first error on a device.
	outer, ctx context.Context
	cancel     context.CancelFunc

	// copied is closed when the reflectors are on all devices, or when an error has ended the
	// copies. `failed` is this error. If no reflectors are copied, `copied` is nil.
	copied chan struct{}
	failed error
}

// together begins a solve on all devices of the plan. The caller must call the method `end`.
func (p *Plan[T]) together(first *solve[T]) *together[T] {
	g := &together[T]{plan: p, all: []*solve[T]{first}, outer: first.Ctx}
	g.ctx, g.cancel = context.WithCancel(first.Ctx)
	if len(p.others) == 0 {
		return g
	}
	first.Ctx = g.ctx
	for k, o := range p.others {
		g.all = append(g.all, &solve[T]{first.back[k], o.base.Begin(g.ctx, nil)})
	}
	return g
}

// reduce reduces A to the band B and to the tridiagonal matrix T, on the first device or, with
// Options.Distribute, on all. It returns the host's copy of T, which stays on the first device, and
// the scale σ. It may call the function `meanwhile` before the device computes.
func (g *together[T]) reduce(a Sym[T], meanwhile func()) (host spectrum.Tridiagonal, sigma float64, err error) {
	if g.plan.opt.Distribute {
		return g.reduceDistributed(a)
	}
	return g.all[0].reduce(a, meanwhile)
}

// copyReflectors starts to copy the reflectors to the other devices, if there are others and
// vectors are wanted. If the matrix is distributed, they are copied later (transformPart).
func (g *together[T]) copyReflectors() {
	if len(g.all) == 1 || !g.plan.opt.Vectors || g.plan.opt.Distribute {
		return
	}
	g.copied = make(chan struct{})
	go func() {
		defer close(g.copied)
		g.failed = g.each(func(k int, s *solve[T]) error {
			if k == 0 {
				return nil
			}
			return g.all[0].reflectorsTo(s, g.plan.others[k-1].link)
		})
	}()
}

// share tells the call of the first device which devices solve the tridiagonal problem, if several
// do.
func (g *together[T]) share() {
	first := g.all[0]
	if !first.steps.spectrum.Shared() {
		return
	}
	shared := &plan.Shared{Part: g.plan.split.of, Each: func(do func(k int) error) error {
		return g.gathered(func(k int, _ *solve[T]) error { return do(k) })
	}}
	for k, party := range g.plan.parties() {
		s := g.all[k]
		d := stedc.ConquerDevice{Ctx: s.Ctx, Arena: s.Arena, Share: s.steps.conquer, Profile: s.Profile, Party: party}
		if k > 0 {
			d.X.At = s.regions.x.In(s.Arena)
		}
		shared.Devices = append(shared.Devices, d)
	}
	first.Call.Shared = shared
}

// cause returns the error that made the solve end. If copying the reflectors has failed, all
// devices are cancelled and return context.Canceled as err. In this case `cause` returns the error
// of the copies. Otherwise it returns err.
func (g *together[T]) cause(err error) error {
	if g.copied == nil || g.outer.Err() != nil || !errors.Is(err, context.Canceled) {
		return err
	}
	if <-g.copied; g.failed != nil {
		return g.failed
	}
	return err
}

// end waits for the copies of the reflectors. It adds the times of the other devices to the profile
// of the first one. It sets the context of the first device's call back to the context of the
// solve.
func (g *together[T]) end() {
	g.cancel()
	if g.copied != nil {
		<-g.copied
	}
	g.all[0].Ctx = g.outer
	for _, s := range g.all[1:] {
		g.all[0].Join(s.Call, plan.Suffix(s.Dev))
	}
}

// The method `each` calls the function `do` for all devices at the same time, and waits until all
// calls have returned. The first error cancels the context g.ctx. The other devices then return
// context.Canceled. `each` returns the first error that is not context.Canceled, if there is one.
func (g *together[T]) each(do func(k int, s *solve[T]) error) error {
	errs := plan.Parallel(len(g.all), g.cancel, func(k int) error { return do(k, g.all[k]) })
	k, err := plan.First(errs)
	if k == 0 {
		return err // Solve names the first device
	}
	return plan.OnDevice(g.all[k].Dev, err)
}

// gathered does the same as each for recordings that wait for each other.
func (g *together[T]) gathered(do func(k int, s *solve[T]) error) error {
	devices := make([]*vk.Device, len(g.all))
	for k, s := range g.all {
		devices[k] = s.Dev
	}
	release, err := vk.Gather(g.ctx, devices)
	if err != nil {
		return err
	}
	defer release()
	return g.each(do)
}

// vectors describes how the eigenvectors are copied from the devices to the host.
func (g *together[T]) vectors(a Sym[T]) []spectrum.Vectors[T] {
	sets := g.all[0].vectors(a)
	if len(g.all) > 1 && len(sets) > 0 {
		sets[0].Fetch = g.fetch
	}
	return sets
}

// fetch transforms the vectors x of the tridiagonal matrix back and copies the results to host
// memory. Each device transforms a part of the vectors. If the devices have solved the tridiagonal
// problem together, each has its part already, and x is that of the first one. The function `wait`
// returns the host memory. No device writes to this memory before all devices have transformed
// their parts without an error: it may be the memory of the input matrix, which a second attempt
// would need.
func (g *together[T]) fetch(x product.Matrix[float64], wait func() vk.Columns[T]) error {
	first, m, shared := g.all[0], x.Rows, g.all[0].Shared
	if shared != nil {
		m = shared.Vectors
	}
	began := time.Now()
	if g.copied != nil {
		<-g.copied
	}
	if g.failed != nil || m == 0 {
		return g.failed
	}
	mine := make([]product.Matrix[float64], len(g.all)) // the part of each device
	err := g.each(func(k int, s *solve[T]) error {
		from, to := g.plan.split.of(k, m)
		switch {
		case k > 0:
			mine[k] = s.vectorsAt(s.Arena, to-from)
		case shared != nil:
			mine[k] = x
		default:
			mine[k] = x.Block(0, 0, to, x.Cols)
		}
		if k == 0 || shared != nil {
			return nil
		}
		part := x.Block(from, 0, to-from, x.Cols)
		return plan.During(stages.PhaseMove, vk.Move(s.Ctx, g.plan.others[k-1].link, blockOf(mine[k]), blockOf(part)))
	})
	if err != nil {
		return err
	}
	first.Profile.Add(stages.PhaseMove+stages.OnHost, time.Since(began).Seconds())
	q, err := g.transformBack(mine)
	if err != nil {
		return err
	}
	z := wait()
	return g.each(func(k int, s *solve[T]) error {
		from, to := g.plan.split.of(k, m)
		return plan.During(stages.PhaseTranspose, vk.Download(s.Ctx, s.Dev, g.part(z, from, to), q[k].At))
	})
}

// transformBack transforms the parts of all devices back; parts[k] is on device k. It returns the
// matrices to download. It reports the progress of the slowest device, or, if the matrix is
// divided, of the first one.
func (g *together[T]) transformBack(parts []product.Matrix[float64]) ([]product.Matrix[T], error) {
	if g.plan.opt.Distribute {
		return g.transformBackDistributed(parts)
	}
	slowest := plan.NewSlowest(len(g.all), g.all[0].Reporter())
	q := make([]product.Matrix[T], len(g.all))
	return q, g.each(func(k int, s *solve[T]) (err error) {
		defer s.ReportTo(s.ReportTo(slowest.Of(k)))
		defer slowest.Ended(k)
		q[k], err = s.transformBack(parts[k])
		return err
	})
}

// part returns the vectors from ≤ i < to of z, the host memory of all vectors.
func (g *together[T]) part(z vk.Columns[T], from, to int) vk.Columns[T] {
	if g.plan.opt.RowMajor {
		return vk.Columns[T]{Rows: to - from, Cols: z.Cols, Ld: z.Ld, Data: z.Data[min(from, len(z.Data)):]}
	}
	return vk.Columns[T]{Rows: z.Rows, Cols: to - from, Ld: z.Ld, Data: z.Data[min(from*z.Ld, len(z.Data)):]}
}
