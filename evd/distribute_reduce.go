package evd

import (
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
)

// distributedReduction is a band reduction by all devices of a plan (stages.BandShare). One goroutine
// per device runs its recordings. The devices wait for each other twice in each panel: for the
// reflectors of the panel, and for the product of the trailing matrix and the reflectors, which is
// the sum of the parts of all devices. Both go through the memory of the host.
type distributedReduction[T Float] struct {
	*together[T]

	// reflectors and triangle hold the reflectors of a panel and its factor T.
	reflectors, triangle []T

	// parts[k] is memory for the part that device k has of the product P. `has` says which devices
	// have a part. The sum of the parts is `sum`.
	parts [][]T
	has   []bool
	sum   []T
}

// reduceDistributed does the work of solve.reduce with all devices of the plan: each device reduces
// its columns of A. Then the first device reduces the band to tridiagonal form.
func (g *together[T]) reduceDistributed(a Sym[T]) (host spectrum.Tridiagonal, sigma float64, err error) {
	first := g.all[0]
	if sigma, err = first.scale(a); err != nil {
		return host, sigma, err
	}
	n, b := first.n, first.tune.Band
	r := &distributedReduction[T]{
		together: g, reflectors: make([]T, n*min(b, n)), triangle: make([]T, b*b),
		parts: make([][]T, len(g.all)), has: make([]bool, len(g.all)), sum: make([]T, n*b),
	}
	for k := range r.parts {
		r.parts[k] = make([]T, n*b)
	}
	band := make([]T, 2*b*n)
	if err = g.each(func(_ int, s *solve[T]) error { return s.beginShare(a, sigma) }); err != nil {
		return host, sigma, err
	}
	if err = r.panels(); err != nil {
		return host, sigma, err
	}
	if err = g.each(func(_ int, s *solve[T]) error { return s.endShare(band) }); err != nil {
		return host, sigma, err
	}
	host, err = first.chaseBand(band)
	return host, sigma, err
}

// beginShare copies the device's columns of σ·A to the device, and prepares the reduction.
func (s *solve[T]) beginShare(a Sym[T], sigma float64) error {
	share, ws := s.steps.share, s.Arena
	columns := s.regions.columns.In(ws)
	for _, j := range share.Own() {
		from, to := share.Blocks().Columns(j)
		if err := vk.Upload(s.Ctx, s.Dev, share.Block(ws, columns, j).At, a.below(from, to, sigma)); err != nil {
			return spectrum.During(stages.PhaseLoad, err)
		}
	}
	return s.Run(func(rec *vk.Recorder) {
		s.steps.products.emulated.Begin(rec, ws)
		rec.Phase(stages.PhaseLoad, 0, 1)
		share.RecordBegin(rec, ws, columns, s.regions.band.In(ws))
	})
}

// below returns the columns [from, to) of σ·A, from row `from` on. Elements above the diagonal may
// have any values. If σ = 1 and the lower triangle is in memory, the result shares the memory of A.
func (a Sym[T]) below(from, to int, sigma float64) vk.Columns[T] {
	c := vk.Columns[T]{Rows: a.N - from, Cols: to - from, Ld: a.Ld}
	if a.Uplo == Lower && sigma == 1 {
		c.Data = a.Data[from+from*a.Ld:]
		return c
	}
	c.Ld, c.Data = c.Rows, make([]T, c.Rows*c.Cols)
	for j := from; j < to; j++ {
		for i := j; i < a.N; i++ {
			at := i + j*a.Ld
			if a.Uplo == Upper {
				at = j + i*a.Ld
			}
			c.Data[i-from+(j-from)*c.Ld] = T(float64(a.Data[at]) * sigma) // σ may be beyond the range of T
		}
	}
	return c
}

// panels reduces all columns to the band.
func (r *distributedReduction[T]) panels() error {
	first := r.all[0]
	previous := -1
	for c := 0; c < first.n; c += first.tune.Band {
		if err := r.factor(previous, c); err != nil {
			return err
		}
		if !first.steps.share.IsPanel(c) {
			return nil // the last diagonal block
		}
		if err := r.multiply(c); err != nil {
			return err
		}
		r.add((first.n - c - first.tune.Band) * first.tune.Band)
		previous = c
	}
	return nil
}

// factor ends the panel at column `previous` on all devices, and factors the panel at column c on the
// device that has it. `previous` is −1 for the first panel.
func (r *distributedReduction[T]) factor(previous, c int) error {
	return r.each(func(k int, s *solve[T]) error {
		share, ws := s.steps.share, s.Arena
		columns, t := s.regions.columns.In(ws), s.regions.t.In(ws)
		return s.Run(func(rec *vk.Recorder) {
			if previous >= 0 {
				p := share.P(ws, previous)
				vk.SendFirst(rec, p, r.sum[:p.Len()])
				share.RecordUpdate(rec, ws, columns, t, previous)
			}
			if share.Owner(c) != k {
				return
			}
			share.RecordPanel(rec, ws, columns, s.regions.band.In(ws), t, c)
			s.Info(rec, stages.PhaseBandReduction, share.Info(ws))
			if share.IsPanel(c) {
				y := share.Reflectors(ws, columns, c)
				vk.ReceiveLast(rec, r.triangle, share.Triangle(t, c))
				vk.ReceiveLast(rec, r.reflectors[:y.Len()], y)
			}
		})
	})
}

// multiply computes the parts of the product P of the trailing matrix and the reflectors of the panel
// at column c. All other devices get the reflectors first.
func (r *distributedReduction[T]) multiply(c int) error {
	return r.each(func(k int, s *solve[T]) error {
		share, ws := s.steps.share, s.Arena
		columns := s.regions.columns.In(ws)
		return s.Run(func(rec *vk.Recorder) {
			if share.Owner(c) != k {
				y := share.Reflectors(ws, columns, c)
				vk.SendFirst(rec, share.Triangle(s.regions.t.In(ws), c), r.triangle)
				vk.SendFirst(rec, y, r.reflectors[:y.Len()])
			}
			part := share.RecordProduct(rec, ws, columns, c)
			vk.ReceiveLast(rec, r.parts[k][:part.Len()], part)
			r.has[k] = part.Len() > 0
		})
	})
}

// add adds the parts of the product P, which has `size` elements, in the order of the devices.
func (r *distributedReduction[T]) add(size int) {
	const tile = 1 << 14 // elements that one call adds
	tridiag.Parallel(vk.Tiles(size, tile), func(t int) {
		from, to := t*tile, min((t+1)*tile, size)
		clear(r.sum[from:to])
		for k, part := range r.parts {
			if !r.has[k] {
				continue
			}
			for i := from; i < to; i++ {
				r.sum[i] += part[i]
			}
		}
	})
}

// endShare ends the reduction on a device, and copies its part of the band to `band`.
func (s *solve[T]) endShare(band []T) error {
	share, ws := s.steps.share, s.Arena
	return s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseBandReduction, share.Flops(), share.Flops())
		share.RecordEnd(rec, ws, s.regions.columns.In(ws), s.regions.band.In(ws))
		s.steps.products.emulated.Refused(s.Call, rec, ws)
		for _, j := range share.Own() {
			from, to := share.Blocks().Columns(j)
			rows := len(band) / s.n
			vk.ReceiveLast(rec, band[rows*from:rows*to], share.Band(s.regions.band.In(ws), j))
		}
	})
}

// chaseBand copies the band to the first device and reduces it to tridiagonal form. T stays on the
// device, and chaseBand returns the host's copy.
func (s *solve[T]) chaseBand(band []T) (host spectrum.Tridiagonal, err error) {
	r, t, ws := &s.regions, s.steps.spectrum, s.Arena
	var received func() spectrum.Tridiagonal
	err = s.Run(func(rec *vk.Recorder) {
		vk.SendFirst(rec, r.band.In(ws), band)
		rec.Phase(stages.PhaseBulgeChasing, 0, 1)
		s.steps.chase.Record(rec, ws, r.band.In(ws), s.doubles.tridiagonal(ws, t), r.reflectors(ws))
		s.Info(rec, stages.PhaseBulgeChasing, s.steps.chase.Info(ws))
		received = s.doubles.receive(rec, ws, t)
	})
	if err == nil {
		host = received()
	}
	return host, err
}
