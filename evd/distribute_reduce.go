package evd

import (
	"time"
	"unsafe"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
)

// distributedReduction is a band reduction by all devices of a plan (reduce.BandShare). Each device
// has one recording. The devices wait for each other twice in each panel: for the reflectors of the
// panel, and for the product of the trailing matrix and the reflectors, of which each device forms
// a part. Both go through the plan's Exchange:
//
//	owner of the panel   update, panel │ post y, τ │ own part of P │ post it │ take the other parts …
//	other devices        update        │ take y, τ │ own part of P │ post it │ take the other parts …
//
// The reflectors go in pieces, so that other devices take one piece while the owner posts the next.
type distributedReduction[T Float] struct {
	*together[T]
	x      *vk.Exchange
	places exchangePlaces

	// factored[i][j] happens when piece j of the reflectors of panel i is posted, formed[i][k] when
	// the part of device k in the product of panel i is, and banded[k] when the columns of the band
	// that device k has are.
	factored [][]*vk.Event
	formed   [][]*vk.Event
	banded   []*vk.Event
}

// exchangePlaces says where the numbers of a distributed reduction lie in the exchange. All places
// are in bytes.
type exchangePlaces struct {
	tau, reflectors, band int

	// parts[i][k] is the place of the part of device k in the product of a panel whose number is
	// odd (i = 1) or even (i = 0). There are two places, because a device may post the part of the
	// next panel while another one still takes that of this panel. It cannot be two panels ahead:
	// then the other one has posted the part of the next panel, after it had taken those of this
	// one.
	parts [2][]int

	bytes int // of all
}

// places lays out the exchange for a distributed reduction by these stages on so many devices.
func (p *path[T]) places(devices int) (x exchangePlaces) {
	n, b := p.n, p.tune.Band
	reserve := func(elements int) int {
		at := x.bytes
		x.bytes += (elements*elementBytes[T]() + 63) / 64 * 64
		return at
	}
	x.tau, x.reflectors, x.band = reserve(b), reserve(n*b), reserve(2*n*b)
	for i := range x.parts {
		for range devices {
			x.parts[i] = append(x.parts[i], reserve(n*b))
		}
	}
	return x
}

// elementBytes is the size of a number of type T in bytes.
func elementBytes[T Float]() int { return int(unsafe.Sizeof(*new(T))) }

// reduceDistributed does the work of solve.reduce with all devices of the plan: each device reduces
// its columns of A. Then the first device reduces the band to tridiagonal form.
func (g *together[T]) reduceDistributed(a Sym[T]) (host spectrum.Tridiagonal, sigma float64, err error) {
	r, recordings := g.newReduction(), make([]*vk.Recorder, len(g.all))
	var received func() spectrum.Tridiagonal
	var refused error
	scanned := make(chan struct{})
	go func() {
		sigma, refused = g.all[0].scale(a)
		close(scanned)
	}()
	err = g.each(func(k int, s *solve[T]) error {
		errs := plan.Parallel(2, g.cancel, func(i int) error {
			if i == 0 {
				return s.uploadShare(a, 1) // nearly every matrix has σ = 1
			}
			recordings[k] = s.Record(func(rec *vk.Recorder) {
				if found := r.record(rec, k, s); k == 0 {
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
		err = g.each(func(_ int, s *solve[T]) error { return s.uploadShare(a, sigma) })
	}
	if err == nil {
		began := time.Now()
		err = g.gathered(func(k int, s *solve[T]) error { return s.Execute(recordings[k]) })
		// The first device waits for others, mostly in the band reduction.
		first := g.all[0].Profile
		first.Add(stages.PhaseBandReduction+stages.OnHost, max(0, time.Since(began).Seconds()-first.Total()))
	}
	if err == nil {
		host = received()
	}
	return host, sigma, err
}

// newReduction prepares a distributed reduction.
func (g *together[T]) newReduction() *distributedReduction[T] {
	first := g.all[0]
	events := func(count int) []*vk.Event {
		all := make([]*vk.Event, count)
		for k := range all {
			all[k] = vk.NewEvent()
		}
		return all
	}
	r := &distributedReduction[T]{together: g, x: g.plan.exchange, places: first.places(len(g.all)), banded: events(len(g.all))}
	share, columns := first.steps.share, first.regions.columns.In(first.Arena)
	for i := range share.Panels() {
		r.factored = append(r.factored, events(len(piecesOf[T](share.Reflectors(first.Arena, columns, i*share.B).Len()))))
		r.formed = append(r.formed, events(len(g.all)))
	}
	return r
}

// reflectorBytes is the size of a piece of reflectors, in bytes. A smaller piece would take about
// as long as its submission. Only tests change it.
var reflectorBytes = 4 << 20

// piecesOf divides so many numbers into pieces.
func piecesOf[T Float](count int) (pieces []span) {
	most := reflectorBytes / elementBytes[T]()
	for from := 0; from < count; from += most {
		pieces = append(pieces, span{from, min(from+most, count)})
	}
	return pieces
}

// span is the range of numbers from ≤ i < to.
type span struct{ from, to int }

// uploadShare copies the device's columns of σ·A to the device.
func (s *solve[T]) uploadShare(a Sym[T], sigma float64) error {
	share, ws := s.steps.share, s.Arena
	columns := s.regions.columns.In(ws)
	for _, j := range share.Own() {
		from, to := share.Blocks().Columns(j)
		if err := vk.Upload(s.Ctx, s.Dev, share.Block(ws, columns, j).At, a.below(from, to, sigma)); err != nil {
			return plan.During(stages.PhaseLoad, err)
		}
	}
	return nil
}

// below returns the columns [from, to) of σ·A, from row `from` on. Elements above the diagonal may
// have any values. If σ = 1 and the lower triangle is in memory, the result shares the memory of A.
func (a Sym[T]) below(from, to int, sigma float64) vk.Columns[T] {
	c := vk.Columns[T]{Rows: a.N - from, Cols: to - from, Ld: a.Ld}
	if !a.upper() && sigma == 1 {
		c.Data = a.Data[from+from*a.Ld:]
		return c
	}
	c.Ld, c.Data = c.Rows, make([]T, c.Rows*c.Cols)
	tridiag.Parallel(c.Cols, func(column int) {
		j := from + column
		for i := j; i < a.N; i++ {
			at := i + j*a.Ld
			if a.upper() {
				at = j + i*a.Ld
			}
			c.Data[i-from+column*c.Ld] = T(float64(a.Data[at]) * sigma) // σ may be beyond the range of T
		}
	})
	return c
}

// record records the part of device k in the reduction. On the first device it also records the
// bulge chasing. Its result returns the tridiagonal matrix on the host after the recording has been
// executed.
func (r *distributedReduction[T]) record(rec *vk.Recorder, k int, s *solve[T]) (received func() spectrum.Tridiagonal) {
	share, ws := s.steps.share, s.Arena
	columns, band := s.regions.columns.In(ws), s.regions.band.In(ws)
	s.steps.products.emulated.Begin(rec, ws)
	rec.Phase(stages.PhaseLoad, 0, 1)
	share.RecordBegin(rec, ws, columns, band)
	for i := range r.factored {
		c := i * share.B
		r.panel(rec, k, s, c)
		r.product(rec, k, s, c)
		r.update(rec, k, s, c)
	}
	r.panel(rec, k, s, len(r.factored)*share.B) // the last diagonal block
	s.Info(rec, stages.CauseMeet, stages.PhaseBandReduction, share.Info(ws))
	share.RecordEnd(rec, ws, columns, band)
	s.steps.products.emulated.Refused(s.Call, rec, ws)
	r.shareBand(rec, k, s, band)
	if k > 0 {
		return nil
	}
	rec.Phase(stages.PhaseBulgeChasing, 0, 1)
	s.steps.chase.Record(rec, ws, band, s.doubles.tridiagonal(ws, s.steps.spectrum), s.regions.reflectors(ws))
	s.Info(rec, stages.CauseWait, stages.PhaseBulgeChasing, s.steps.chase.Info(ws))
	return s.doubles.receive(rec, ws, s.steps.spectrum)
}

// panel factors the panel at column c on the device that has it, and copies its reflectors and
// their factors τ to the other devices. Without rows below its diagonal block it has no reflectors.
func (r *distributedReduction[T]) panel(rec *vk.Recorder, k int, s *solve[T], c int) {
	share, ws := s.steps.share, s.Arena
	columns, t := s.regions.columns.In(ws), s.regions.t.In(ws)
	mine := share.Owner(c) == k
	if mine {
		share.RecordPanel(rec, ws, columns, s.regions.band.In(ws), t, c)
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
				vk.Post(rec, r.x, place, some)
			} else {
				vk.Take(rec, some, r.x, place)
			}
			switch {
			case j > 0:
			case mine:
				vk.Post(rec, r.x, r.places.tau, tau)
			default:
				vk.Take(rec, tau, r.x, r.places.tau)
			}
		})
		if mine {
			rec.Signal(factored[j])
		}
	}
}

// product forms the device's part of the product P of the trailing matrix and the reflectors of the
// panel at column c, and posts it.
func (r *distributedReduction[T]) product(rec *vk.Recorder, k int, s *solve[T], c int) {
	i := c / s.steps.share.B
	part := s.steps.share.RecordProduct(rec, s.Arena, s.regions.columns.In(s.Arena), c)
	vk.Post(rec, r.x, r.places.parts[i%2][k], part)
	rec.Signal(r.formed[i][k])
}

// update ends the panel at column c: the device takes the parts of P that other devices have
// formed, and updates its columns.
func (r *distributedReduction[T]) update(rec *vk.Recorder, k int, s *solve[T], c int) {
	share, ws, i := s.steps.share, s.Arena, c/s.steps.share.B
	for j, formed := range r.formed[i] {
		if j != k {
			rec.Wait(formed)
		}
	}
	rec.Concurrently(func() {
		for j, place := range r.places.parts[i%2] {
			if j != k {
				vk.Take(rec, share.Part(ws, c, j), r.x, place)
			}
		}
	})
	share.RecordUpdate(rec, ws, s.regions.columns.In(ws), s.regions.t.In(ws), c)
}

// shareBand copies the columns of the band from the other devices to the first one.
func (r *distributedReduction[T]) shareBand(rec *vk.Recorder, k int, s *solve[T], band vk.Slice[T]) {
	share := s.steps.share
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
				vk.Post(rec, r.x, place, share.Band(band, j))
			case k == 0 && owner > 0:
				vk.Take(rec, share.Band(band, j), r.x, place)
			}
		}
	})
	if k > 0 {
		rec.Signal(r.banded[k])
	}
}
