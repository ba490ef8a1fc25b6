package chase

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BandNarrowing reduces an upper band to a narrower upper band in several passes (successive band
// reduction),
//
//	B = Q·B′·Pᵀ      (complex: Pᴴ)
//
// T is the number type of the band in memory. For spirv.Float16 the stage computes in single
// precision and rounds each element that it stores.
//
// BandNarrowing does not store Q and P, so only solves without vectors use it. A pass removes some
// superdiagonals by bulge chasing, with reflectors that have fewer elements than the band has
// superdiagonals. So the blocks in shared memory do not grow with the width of the band. A
// half-step is the application of one reflector. The comment in tb2tb.comp derives for which other
// half-steps a half-step must wait.
//
// Source: C. Bischof, B. Lang, X. Sun, ACM TOMS 26 (2000); on GPUs E. Ringoot et al., Accelerating
// Bidiagonalization of Banded Matrices through Memory-Aware Bulge-Chasing on GPUs.
type BandNarrowing[T spirv.Stored] struct {
	NarrowSize
	passes    []narrowPass[T]
	transpose *move.Transpose[T]
	across    vk.Region[T] // the band stored by rows, while it is copied from or to general compact storage
	all       pipeline     // has the flags, which all passes use one after another
}

type NarrowSize struct {
	N    int // order of the band
	From int // number of superdiagonals before the passes, at least 1
	To   int // superdiagonals afterwards, at least 2; if To ≥ From, there is no pass
	Tile int // most superdiagonals that a pass removes, at least 1
}

// NarrowTuning is the set of sizes of BandNarrowing. The other sizes of BandNarrowing are in
// Tuning. There PerThread determines the invocations of a workgroup, which Ringoot et al. call TPB,
// and Groups is their MaxBlocks.
type NarrowTuning struct {
	Tile int // most superdiagonals that a pass removes
	To   int // superdiagonals that are left to BidiagonalChasing
}

// Passes returns the numbers of superdiagonals before each pass and after the last pass.
func (s NarrowSize) Passes() []int {
	widths := []int{s.From}
	excess := max(0, s.From-s.To)
	count := vk.Tiles(excess, uint32(s.Tile))
	for i := range count {
		widths = append(widths, s.From-(i+1)*excess/count)
	}
	return widths
}

// `above` is the number of elements above the diagonal in each column of the compact band, and
// `height` is the number of all elements in a column. Each column has space for the fill-in.
func (s NarrowSize) above() int { return s.From + s.Tile }

func (s NarrowSize) height() int { return s.From + 2*s.Tile + 1 }

// BandLen returns the number of elements of the compact band. The N columns have From + 2·Tile + 1
// elements each, and From + Tile columns of zeros follow. Element (i, j) lies at i +
// j·(From+2·Tile) + From + Tile.
func (s NarrowSize) BandLen() int { return s.height() * (s.N + s.above()) }

// narrowPass is one pass: it reduces `width` superdiagonals to `width` − `tile`. At most one of the
// kernels is built, and none if the matrix is too small to have elements to annihilate.
type narrowPass[T spirv.Stored] struct {
	pipeline
	n, width, tile int
	chase          *vk.Kernel[shaders.Tb2tbChaseSpec, shaders.Tb2tbChasePush[T]] // sweeps wait for each other
	wave           *vk.Kernel[shaders.Tb2tbWaveSpec, shaders.Tb2tbWavePush[T]]   // a dispatch for each wave of half-steps
}

const (
	narrowLead = 1 // lead of a sweep over the next sweep, in half-steps

	// narrowAhead is the largest number of rows or columns that a cluster of invocations loads at
	// the same time, while it applies a Householder reflector to a block (AHEAD in tb2tb.comp).
	narrowAhead = 4
)

// NewBandNarrowing returns a *vk.UnsupportedError if Tile is too large for the device's shared
// memory, or if the band has more than 2³² elements.
func NewBandNarrowing[T spirv.Stored](dev *vk.Device, size NarrowSize, w stages.Waiting, t Tuning) (*BandNarrowing[T], error) {
	if size.N < 0 || size.From < 1 || size.Tile < 1 || size.From > size.To && size.To < 2 {
		panic(fmt.Sprintf("stages: narrowing of a band, %+v", size))
	}
	info := dev.Info()
	if err := fits(info, size.N+size.above(), size.height()); err != nil {
		return nil, err
	}
	s := &BandNarrowing[T]{NarrowSize: size, across: vk.Reserve[T]("band, transposed", size.N*(max(size.From, size.To)+1))}
	tickets, flags := 0, 0
	for widths := size.Passes(); len(widths) > 1; widths = widths[1:] {
		pass := narrowPass[T]{n: size.N, width: widths[0], tile: widths[0] - widths[1]}
		if err := pass.build(dev, w, t.on(info)); err != nil {
			return nil, err
		}
		s.passes = append(s.passes, pass)
		tickets, flags = max(tickets, len(pass.parts)), max(flags, pass.count)
	}
	if w.Allowed {
		s.all.flags = machine.ReserveFlags("narrowing INFO, tickets, flags", tickets, flags, t.flagStride())
		for i := range s.passes {
			s.passes[i].flags = s.all.flags
		}
	}
	var err error
	s.transpose, err = move.NewTranspose[T](dev)
	return s, err
}

// build makes the kernel of the pass. In a sweep of the kernel, the elements of one row are
// annihilated, and the bulge that this creates is chased down the band.
func (p *narrowPass[T]) build(dev *vk.Device, w stages.Waiting, t Tuning) error {
	p.pipeline = pipeline{
		count: max(0, p.n-1-(p.width-p.tile)), length: p.halfSteps, flops: p.halfStepFlops(), least: 2 * t.SweepCost,
		lead: narrowLead, behind: 1 + narrowLead, tune: t, abort: dev.Abort(),
	}
	if p.count == 0 {
		return nil
	}
	length := p.tile + 1
	t.PerThread = stages.InRegisters[T](t.PerThread)
	shape := chaseShape{b: length, info: dev.Info(), wait: w, tune: t}
	spec, err := fitChase(shape, shaders.Tb2tbChase[T], func(f chaseFit) shaders.Tb2tbChaseSpec {
		return shaders.Tb2tbChaseSpec{
			LocalSize: f.size, Work: f.work, Lanes: f.lanes, Tiles: f.tiles, B: uint32(length), Step: uint32(p.width),
			Lead: narrowLead, Ahead: min(uint32(vk.Tiles(p.width-length, uint32(length))), stages.InRegisters[T](narrowAhead)),
			WideFence: spirv.BoolOf(w.WideFence), FlagStride: t.flagStride(),
		}
	})
	if err != nil {
		return err
	}
	kernels := stages.Builder{Dev: dev}
	if w.Allowed {
		p.chase = stages.Build(&kernels, shaders.Tb2tbChase[T](), spec)
		p.divide()
	} else {
		p.wave = stages.Build(&kernels, shaders.Tb2tbWave[T](), spec)
	}
	return kernels.Err
}

func (p narrowPass[T]) halfSteps(sweep int) int {
	return 2 * ((p.n-1-sweep-(p.width-p.tile))/p.width + 1)
}

func (p narrowPass[T]) halfStepFlops() float64 {
	return 4 * float64(p.tile+1) * float64(p.width+p.tile+1)
}

// cost returns the cost of the pass in flops: about 4·n²·tile·(1 + tile/width).
func (p *narrowPass[T]) cost() float64 {
	n, tile := float64(p.n), float64(p.tile)
	return 4 * n * n * tile * (1 + tile/float64(p.width))
}

func (s *BandNarrowing[T]) Flops() float64 {
	sum := 0.0
	for i := range s.passes {
		sum += s.passes[i].cost()
	}
	return sum
}

// BandLen is rounded up to a multiple of four bytes.
func (s *BandNarrowing[T]) BandLen() int { return wholeWords[T](s.NarrowSize.BandLen()) }

// GeneralLen returns the number of elements of the result, rounded up to a multiple of four bytes.
func (s *BandNarrowing[T]) GeneralLen() int { return wholeWords[T](stages.GeneralBandLen(s.N, s.To)) }

// wholeWords rounds the number n of elements up to a multiple of four bytes, because the driver's
// commands fill only whole words.
func wholeWords[T spirv.Stored](n int) int {
	size := int(spirv.KindOf[T]().Size())
	return vk.Tiles(n*size, 4) * 4 / size
}

// Work holds the band by rows, while the band is copied from one storage to another. If workgroups
// wait for each other, Work also holds their flags (pipeline.Work).
func (s *BandNarrowing[T]) Work() *vk.Layout {
	if !s.all.waits() {
		return vk.Together(s.across)
	}
	return vk.Together(s.across, s.all.Work())
}

func (s *BandNarrowing[T]) Info(ws *vk.Arena) vk.Slice[uint32] { return s.all.Info(ws) }

// Record reduces `band`, which has BandLen elements and is overwritten. It writes the result, of
// GeneralLen elements, to `general` in the storage that BidiagonalChasing reads.
func (s *BandNarrowing[T]) Record(rec *vk.Recorder, ws *vk.Arena, band, general vk.Slice[T]) {
	if s.N == 0 {
		return
	}
	stages.Holds("the band", band, s.BandLen())
	stages.Holds("the general band", general, s.GeneralLen())
	if s.all.waits() {
		s.all.flags.Clear(rec, ws)
	}
	done := 0.0
	for i := range s.passes {
		pass := &s.passes[i]
		rec.Phase(stages.PhaseBandNarrowing, done, s.Flops())
		done += pass.cost()
		switch {
		case pass.chase != nil:
			s.recordChase(rec, ws, pass, band)
		case pass.wave != nil:
			s.recordWaves(rec, pass, band, 1+narrowLead)
		}
	}
	vk.Fill(rec, general.Sub(0, s.GeneralLen()), 0)
	kept := min(s.From, s.To) + 1 // number of diagonals to copy
	narrow := product.NewMatrix(band.From(s.above()-kept+1), kept, s.N, s.height())
	rows := product.NewMatrix(s.across.In(ws), s.N, kept, s.N)
	s.transpose.Record(rec, narrow, rows)
	s.transpose.Record(rec, rows, product.NewMatrix(general.From(2*s.To-kept), kept, s.N, 3*s.To))
}

// RecordGeneral reduces a band of From superdiagonals in general compact storage, `wide`, with
// 3·From·(N+From) elements, as GeneralBandReduction stores it. It copies `wide` to `band` first.
func (s *BandNarrowing[T]) RecordGeneral(rec *vk.Recorder, ws *vk.Arena, wide, band, general vk.Slice[T]) {
	if s.N == 0 {
		return
	}
	stages.Holds("the wide band", wide, stages.GeneralBandLen(s.N, s.From))
	stages.Holds("the band", band, s.BandLen())
	vk.Fill(rec, band.Sub(0, s.BandLen()), 0)
	diagonals := s.From + 1
	rows := product.NewMatrix(s.across.In(ws), s.N, diagonals, s.N)
	s.transpose.Record(rec, product.NewMatrix(wide.From(s.From-1), diagonals, s.N, 3*s.From), rows)
	s.transpose.Record(rec, rows, product.NewMatrix(band.From(s.above()-s.From), diagonals, s.N, s.height()))
	s.Record(rec, ws, band, general)
}

func (s *BandNarrowing[T]) recordChase(rec *vk.Recorder, ws *vk.Arena, pass *narrowPass[T], band vk.Slice[T]) {
	s.all.flags.ClearFirst(rec, ws, pass.count)
	pass.eachPart(rec, ws, func(groups vk.Groups, p part) {
		pass.chase.Dispatch(rec, groups, shaders.Tb2tbChasePush[T]{
			Band: band.Addr(), N: uint32(s.N), Above: uint32(s.above()), Height: uint32(s.height()),
			First: p.First, Last: p.Last, Polls: p.Polls, Info: p.Info, Ticket: p.Ticket, Flags: p.Flags, AbortWord: p.Abort,
		})
	})
}

func (s *BandNarrowing[T]) recordWaves(rec *vk.Recorder, pass *narrowPass[T], band vk.Slice[T], stride int) {
	pass.eachWave(rec, stride, func(groups vk.Groups, w wave) {
		pass.wave.Dispatch(rec, groups, shaders.Tb2tbWavePush[T]{
			Band: band.Addr(), N: uint32(s.N), Above: uint32(s.above()), Height: uint32(s.height()),
			Wave: w.Wave, Stride: w.Stride, Newest: w.Newest, Count: w.Count,
		})
	})
}
