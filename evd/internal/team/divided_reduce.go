package team

import (
	"time"
	"unsafe"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// dividedReduction is a band reduction by all devices of a plan (reduce.BandShare). Each device
// has one recording. The devices wait for each other twice in each panel: for the reflectors of the
// panel, and for the product of the trailing matrix and the reflectors, of which each device forms
// a part. Both go through the plan's Exchange:
//
//	owner of the panel   update, panel │ post y, τ │ own part of P │ post it │ take the other parts …
//	other devices        update        │ take y, τ │ own part of P │ post it │ take the other parts …
//
// The reflectors go in pieces, so that other devices take one piece while the owner posts the next.
type dividedReduction[T spirv.Scalar] struct {
	*dividedSolve[T]
	places exchangePlaces

	// Each event happens when numbers have been posted. For factored[i][j] these are piece j of the
	// reflectors of panel i. For formed[i][k] they are the part of device k in the product of panel
	// i. For banded[k] they are the columns of the band that device k has.
	factored [][]*vk.Event
	formed   [][]*vk.Event
	banded   []*vk.Event
}

// exchangePlaces says where the numbers of a distributed reduction lie in the exchange. All places
// are in bytes.
type exchangePlaces struct {
	tau, reflectors, band int

	// parts[i][k] is the place of the part of device k in the product of a panel whose number is
	// odd (i = 1) or even (i = 0). There are two places, because a device may post its part of the
	// next panel while another device still takes the parts of this panel. Two places are enough: a
	// device posts its part of panel p+2 only after it has taken the parts of panel p+1, and each
	// other device has posted its part of panel p+1 only after it had taken the parts of panel p.
	parts [2][]int

	bytes int // size of the whole exchange
}

// places lays out the exchange for a reduction.
func (d *divided[T]) places() (x exchangePlaces) {
	n, b := d.N, d.Tune.Band
	reserve := func(elements int) int {
		at := x.bytes
		x.bytes += (elements*elementBytes[T]() + 63) / 64 * 64
		return at
	}
	x.tau, x.reflectors, x.band = reserve(b), reserve(n*b), reserve(2*n*b)
	for i := range x.parts {
		for range d.parts {
			x.parts[i] = append(x.parts[i], reserve(n*b))
		}
	}
	return x
}

// elementBytes is the size of a number of type T in bytes.
func elementBytes[T spirv.Scalar]() int { return int(unsafe.Sizeof(*new(T))) }

// Reduce reduces A to the band B with all devices of the team: each device reduces its columns of
// A. Then the first device reduces B to the tridiagonal matrix T.
func (g *dividedSolve[T]) Reduce(a dense.Triangle[T], _ func()) (host spectrum.Tridiagonal, sigma float64, err error) {
	r, recordings := g.newReduction(), make([]*vk.Recorder, len(g.calls))
	var received func() spectrum.Tridiagonal
	var refused error
	scanned := make(chan struct{})
	go func() {
		sigma, refused = g.Scale(a)
		close(scanned)
	}()
	err = g.each(func(k int, c *plan.Call) error {
		errs := plan.Parallel(2, g.cancel, func(i int) error {
			if i == 0 {
				return g.parts[k].upload(c, a, 1) // nearly every matrix has σ = 1
			}
			recordings[k] = c.Record(func(rec *vk.Recorder) {
				if found := r.record(rec, k); k == 0 {
					received = found
				}
			})
			return nil
		})
		return errs[0]
	})
	<-scanned
	if refused != nil {
		return host, sigma, refused
	}
	if err == nil && sigma != 1 {
		err = g.each(func(k int, c *plan.Call) error { return g.parts[k].upload(c, a, sigma) })
	}
	if err == nil {
		began := time.Now()
		err = g.gathered(func(k int, c *plan.Call) error { return c.Execute(recordings[k]) })
		// The first device waits for others, mostly in the band reduction.
		first := g.calls[0].Profile
		first.Add(stages.PhaseBandReduction+stages.OnHost, max(0, time.Since(began).Seconds()-first.Total()))
	}
	if err == nil {
		host = received()
	}
	return host, sigma, err
}

func (g *dividedSolve[T]) newReduction() *dividedReduction[T] {
	events := func(count int) []*vk.Event {
		all := make([]*vk.Event, count)
		for k := range all {
			all[k] = vk.NewEvent()
		}
		return all
	}
	r := &dividedReduction[T]{dividedSolve: g, places: g.places(), banded: events(len(g.calls))}
	first, ws := g.parts[0], g.calls[0].Arena
	for i := range first.share.Panels() {
		y := first.share.Reflectors(ws, first.columns.In(ws), i*first.share.B)
		r.factored = append(r.factored, events(len(piecesOf[T](y.Len()))))
		r.formed = append(r.formed, events(len(g.calls)))
	}
	return r
}

// reflectorBytes is the size of a piece of reflectors, in bytes. A smaller piece would take about
// as long as its submission. Only tests change it.
var reflectorBytes = 4 << 20

// piecesOf divides `count` numbers into pieces.
func piecesOf[T spirv.Scalar](count int) (pieces []span) {
	most := reflectorBytes / elementBytes[T]()
	for from := 0; from < count; from += most {
		pieces = append(pieces, span{from, min(from+most, count)})
	}
	return pieces
}

// span is the range of numbers `from` ≤ i < `to`.
type span struct{ from, to int }

// upload copies the device's columns of σ·A to the device.
func (p *part[T]) upload(c *plan.Call, a dense.Triangle[T], sigma float64) error {
	columns := p.columns.In(c.Arena)
	for _, j := range p.share.Own() {
		from, to := p.share.Blocks().Columns(j)
		if err := vk.Upload(c.Ctx, c.Dev, p.share.Block(c.Arena, columns, j).At, below(a, from, to, sigma)); err != nil {
			return plan.During(stages.PhaseLoad, err)
		}
	}
	return nil
}

// below returns the columns [from, to) of σ·A, from row `from` on. Elements above the diagonal, and
// imaginary parts of the diagonal, may have any values. If σ = 1 and the lower triangle is in
// memory, the result shares the memory of A.
func below[T spirv.Scalar](a dense.Triangle[T], from, to int, sigma float64) vk.Columns[T] {
	c := vk.Columns[T]{Rows: a.N - from, Cols: to - from, Ld: a.Ld}
	conjugated := spirv.KindOf[T]().IsComplex() && a.Conjugated()
	if !a.Upper && !conjugated && sigma == 1 {
		c.Data = a.Data[from+from*a.Ld:]
		return c
	}
	c.Ld, c.Data = c.Rows, make([]T, c.Rows*c.Cols)
	tridiag.Parallel(c.Cols, func(column int) {
		j := from + column
		rows := c.Data[column+column*c.Ld : (column+1)*c.Ld]
		for i := range rows {
			if a.Upper {
				rows[i] = a.Data[j+(j+i)*a.Ld]
			} else {
				rows[i] = a.Data[j+i+j*a.Ld]
			}
		}
		if conjugated {
			dense.Conjugate(rows)
		}
		dense.Multiply(rows, sigma)
	})
	return c
}

// record records the part of device k in the reduction. On the first device it also records the
// bulge chasing. Its result returns the tridiagonal matrix on the host after the recording has been
// executed.
func (r *dividedReduction[T]) record(rec *vk.Recorder, k int) (received func() spectrum.Tridiagonal) {
	s, c := r.parts[k], r.calls[k]
	share, ws := s.share, c.Arena
	columns, band := s.columns.In(ws), s.band.In(ws)
	s.Products.Begin(rec, ws)
	rec.Phase(stages.PhaseLoad, 0, 1)
	share.RecordBegin(rec, ws, columns, band)
	for i := range r.factored {
		column := i * share.B
		r.panel(rec, k, column)
		r.product(rec, k, column)
		r.update(rec, k, column)
	}
	r.panel(rec, k, len(r.factored)*share.B) // RecordPanel of the last diagonal block, which has no rows below
	c.Info(rec, stages.CauseMeet, stages.PhaseBandReduction, share.Info(ws))
	share.RecordEnd(rec, ws, columns, band)
	s.Products.Refused(c, rec, ws)
	r.shareBand(rec, k, band)
	if k > 0 {
		return nil
	}
	return r.RecordChase(c, rec, s.band, s.memory)
}

// panel factors the panel at column c on the device that has it, and copies its reflectors and
// their factors τ to the other devices. A panel without rows below its diagonal block has no
// reflectors.
func (r *dividedReduction[T]) panel(rec *vk.Recorder, k, c int) {
	s, ws := r.parts[k], r.calls[k].Arena
	share, columns, t := s.share, s.columns.In(ws), s.t.In(ws)
	mine := share.Owner(c) == k
	if mine {
		share.RecordPanel(rec, ws, columns, s.band.In(ws), t, c)
	}
	if !share.IsPanel(c) {
		return
	}
	y, tau, factored := share.Reflectors(ws, columns, c), share.Triangle(t, c).Sub(0, share.B), r.factored[c/share.B]
	for j, piece := range piecesOf[T](y.Len()) {
		some, place := y.Sub(piece.from, piece.to-piece.from), r.places.reflectors+piece.from*elementBytes[T]()
		if !mine {
			rec.Wait(factored[j])
		}
		rec.Concurrently(func() {
			if mine {
				vk.Post(rec, r.exchange, place, some)
			} else {
				vk.Take(rec, some, r.exchange, place)
			}
			switch {
			case j > 0:
			case mine:
				vk.Post(rec, r.exchange, r.places.tau, tau)
			default:
				vk.Take(rec, tau, r.exchange, r.places.tau)
			}
		})
		if mine {
			rec.Signal(factored[j])
		}
	}
}

// product forms the device's part of the product P of the trailing matrix and the reflectors of the
// panel at column c, and posts it.
func (r *dividedReduction[T]) product(rec *vk.Recorder, k, c int) {
	s, ws := r.parts[k], r.calls[k].Arena
	i := c / s.share.B
	part := s.share.RecordProduct(rec, ws, s.columns.In(ws), c)
	vk.Post(rec, r.exchange, r.places.parts[i%2][k], part)
	rec.Signal(r.formed[i][k])
}

// update ends the panel at column c: the device takes the parts of P that other devices have
// formed, and updates its columns.
func (r *dividedReduction[T]) update(rec *vk.Recorder, k, c int) {
	s, ws := r.parts[k], r.calls[k].Arena
	share, i := s.share, c/s.share.B
	for j, formed := range r.formed[i] {
		if j != k {
			rec.Wait(formed)
		}
	}
	rec.Concurrently(func() {
		for j, place := range r.places.parts[i%2] {
			if j != k {
				vk.Take(rec, share.Part(ws, c, j), r.exchange, place)
			}
		}
	})
	share.RecordUpdate(rec, ws, s.columns.In(ws), s.t.In(ws), c)
}

// shareBand copies the columns of the band from the other devices to the first one.
func (r *dividedReduction[T]) shareBand(rec *vk.Recorder, k int, band vk.Slice[T]) {
	share := r.parts[k].share
	blocks := share.Blocks()
	if k == 0 {
		rec.Wait(r.banded[1:]...)
	}
	rec.Concurrently(func() {
		for j, owner := range blocks.Owner {
			from, _ := blocks.Columns(j)
			place := r.places.band + from*2*share.B*elementBytes[T]()
			switch {
			case k > 0 && owner == k:
				vk.Post(rec, r.exchange, place, share.Band(band, j))
			case k == 0 && owner > 0:
				vk.Take(rec, share.Band(band, j), r.exchange, place)
			}
		}
	})
	if k > 0 {
		rec.Signal(r.banded[k])
	}
}
