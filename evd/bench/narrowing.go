package bench

import (
	"github.com/vkevd/vkevd/stages"
	chases "github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// newGbbrd prepares the measurement of the reduction of an upper band of any width to bidiagonal
// form: passes that narrow the band, and the bulge chasing. The counted bytes are the band once.
func newGbbrd(b *Bench, s sizes, t tuning.Tuning) *load {
	waiting := b.waiting(t)
	size := t.NarrowSize(s.n, s.b)
	narrow := must(chases.NewBandNarrowing[float64](b.dev, size, waiting, t.Chase))
	chase := must(chases.NewBidiagonalChasing[float64](b.dev, chases.Size{N: s.n, B: size.To}, waiting, t.Chase))
	band, general := vk.Reserve[float64]("band", size.BandLen()), vk.Reserve[float64]("narrow band", narrow.GeneralLen())
	c := vk.Reserve[float64]("C", 2*s.n-1)
	return &load{
		row:    Row{B: s.b},
		flops:  narrow.Flops() + chase.Flops(),
		bytes:  realBytes * float64(s.b+1) * float64(s.n),
		layout: vk.Together(band, general, c, narrow.Work(), chase.Work()),
		prepare: func(rec *vk.Recorder, ws *vk.Arena) {
			b.random.bandToNarrow(rec, band.In(ws), size)
		},
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			none := stages.Reflectors[float64]{}
			narrow.Record(rec, ws, band.In(ws), general.In(ws))
			chase.Record(rec, ws, general.In(ws), chases.GolubKahan(c.In(ws)), none, none)
		},
		infos:  func(ws *vk.Arena) []vk.Slice[uint32] { return []vk.Slice[uint32]{narrow.Info(ws), chase.Info(ws)} },
		result: c,
	}
}

// bandToNarrow records commands that make a random upper band, in the storage of chase.NarrowSize.
func (r *random) bandToNarrow(rec *vk.Recorder, band vk.Slice[float64], size chases.NarrowSize) {
	height := size.From + 2*size.Tile + 1 // of a column; entry (i, j) of the band is (i−j+From, j) of x
	vk.Fill(rec, band, 0)
	x := stages.NewMatrix(band.From(size.Tile), size.From+1, size.N, height)
	r.until(rec, x, x.Rows+x.Cols)
	for j := range min(size.From, size.N) { // above the first row
		vk.Fill(rec, band.Sub(size.Tile+j*height, size.From-j), 0)
	}
}
