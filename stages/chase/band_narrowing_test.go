package chase

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// narrowBench holds a BandNarrowing stage and its data on the device. The stage can be run several
// times.
type narrowBench[T spirv.Scalar] struct {
	t             testing.TB
	dev           *vk.Device
	stage         *BandNarrowing[T]
	ws            *vk.Arena
	band, general vk.Region[T]
}

func newNarrowBench(t testing.TB, size NarrowSize, form bidiagonalForm, tune Tuning) *narrowBench[float64] {
	return narrowBenchOf[float64](t, size, form, tune)
}

func narrowBenchOf[T spirv.Scalar](t testing.TB, size NarrowSize, form bidiagonalForm, tune Tuning) *narrowBench[T] {
	t.Helper()
	s := &narrowBench[T]{t: t, dev: stagetest.Device(t)}
	tune.OneTile, tune.Groups = form.oneTile, form.groups
	var err error
	if s.stage, err = NewBandNarrowing[T](s.dev, size, stages.Waiting{Allowed: form.waits, WideFence: true}, tune); err != nil {
		t.Fatal(err)
	}
	s.band, s.general = vk.Reserve[T]("band", size.BandLen()), vk.Reserve[T]("general band", stages.GeneralBandLen(size.N, size.To))
	s.ws = stagetest.Arena(t, s.dev, vk.Together(s.band, s.general, s.stage.Work()))
	return s
}

// run runs the stage BandNarrowing on a band. It returns the compact band after the last pass, and
// the result in general compact storage.
func (s *narrowBench[T]) run(band []T) (after, general []T) {
	s.t.Helper()
	stagetest.Put(s.t, s.dev, s.band.In(s.ws), band)
	rec := vk.NewRecorder(s.dev)
	s.stage.Record(rec, s.ws, s.band.In(s.ws), s.general.In(s.ws))
	stagetest.Run(s.t, s.dev, rec)
	if info := s.stage.Info(s.ws); info.Len() > 0 && stagetest.Get(s.t, s.dev, info)[0] != 0 {
		s.t.Fatalf("%+v: INFO = %d", s.stage.NarrowSize, stagetest.Get(s.t, s.dev, info)[0])
	}
	return stagetest.Get(s.t, s.dev, s.band.In(s.ws)), stagetest.Get(s.t, s.dev, s.general.In(s.ws))
}

// bandToNarrow returns a random band with s.From superdiagonals in compact storage.
func bandToNarrow(s NarrowSize) []float64 {
	b := ref.NarrowBand{N: s.N, Width: s.From, Tile: s.Tile}
	g := stagetest.Normal(s.From+1, s.N, s.From+1, uint64(s.N+1000*s.From)).Data
	band := make([]float64, b.Len())
	for i := range s.N {
		for j := i; j < min(s.N, i+s.From+1); j++ {
			band[b.At(i, j)] = g[j-i+i*(s.From+1)]
		}
	}
	return band
}

// narrowedByTwin narrows a copy of `band` by package ref, on the host. It returns the compact band
// after the last pass (`after`), and the same matrix in general compact storage (`general`, see
// ref.BidiagonalBandLen).
func narrowedByTwin[T ref.Number](s NarrowSize, band []T) (after, general []T) {
	b := ref.NarrowBand{N: s.N, Width: s.From, Tile: s.Tile}
	after, general = slices.Clone(band), make([]T, ref.BidiagonalBandLen(s.N, s.To))
	for widths := s.Passes(); len(widths) > 1; widths = widths[1:] {
		ref.NarrowPass(b, widths[0], widths[1], after)
	}
	for i := range s.N {
		for j := i; j < min(s.N, i+s.To+1); j++ {
			general[ref.BidiagonalBandAt(s.To, i, j)] = after[b.At(i, j)]
		}
	}
	return after, general
}

// TestBandNarrowing compares all forms of the stage with each other and with package ref. The sizes
// include matrices without a pass, with one pass and with two passes. A pass removes from one to
// twelve superdiagonals. The matrices end in each part of a half-step (the application of one
// reflector). Some bands are so wide that the middle rows of a half-step are loaded in several
// rounds.
func TestBandNarrowing(t *testing.T) {
	for _, size := range []NarrowSize{
		{1, 5, 2, 3}, {6, 5, 2, 3}, {4, 3, 4, 2}, {17, 5, 3, 1}, {33, 16, 4, 6}, {48, 30, 27, 3}, {40, 30, 18, 12},
	} {
		for range 3 {
			band := bandToNarrow(size)
			want, wantGeneral := narrowedByTwin(size, band)
			var first []float64
			for i, form := range bidiagonalForms {
				got, general := newNarrowBench(t, size, form, SmallestTuning().Chase.Tuning).run(band)
				what := fmt.Sprintf("%+v, %s", size, form.name)
				if i == 0 {
					first = got
				} else if !slices.Equal(got, first) {
					t.Errorf("%s gives other bits", what)
				}
				stagetest.Close(t, what+": band", got, want)
				stagetest.Close(t, what+": general band", general, wantGeneral)
			}
			size.N++
		}
	}
}

// TestBandNarrowingGeneral checks RecordGeneral for a band in general compact storage. The results
// of RecordGeneral must have the same bits as those of Record, whatever values the memory of the
// results held before. The band in general compact storage must not change.
func TestBandNarrowingGeneral(t *testing.T) {
	for _, size := range []NarrowSize{{1, 5, 2, 3}, {6, 3, 4, 2}, {17, 5, 3, 1}, {33, 16, 4, 6}} {
		s := newNarrowBench(t, size, bidiagonalForms[0], SmallestTuning().Chase.Tuning)
		band := bandToNarrow(size)
		wantBand, want := s.run(band)
		at, wide := ref.NarrowBand{N: size.N, Width: size.From, Tile: size.Tile}, make([]float64, stages.GeneralBandLen(size.N, size.From))
		for i := range size.N {
			for j := i; j < min(size.N, i+size.From+1); j++ {
				wide[ref.BidiagonalBandAt(size.From, i, j)] = band[at.At(i, j)]
			}
		}
		region := vk.Reserve[float64]("wide band", len(wide))
		from := region.In(stagetest.Arena(t, s.dev, vk.Together(region)))
		stagetest.Put(t, s.dev, from, wide)
		rec := vk.NewRecorder(s.dev)
		vk.Fill(rec, s.band.In(s.ws), 0x40000000) // 2 in single precision, and a little more in double precision
		vk.Fill(rec, s.general.In(s.ws), 0x40000000)
		s.stage.RecordGeneral(rec, s.ws, from, s.band.In(s.ws), s.general.In(s.ws))
		stagetest.Run(t, s.dev, rec)
		if !stagetest.SameBits(stagetest.Get(t, s.dev, s.band.In(s.ws)), wantBand) || !stagetest.SameBits(stagetest.Get(t, s.dev, s.general.In(s.ws)), want) {
			t.Errorf("%+v: other bits than those of Record", size)
		}
		if !stagetest.SameBits(stagetest.Get(t, s.dev, from), wide) {
			t.Errorf("%+v: the wide band has changed", size)
		}
	}
}

// TestBandNarrowingPasses checks that all passes of a BandNarrowing remove about the same number of
// superdiagonals, and at most Tile.
func TestBandNarrowingPasses(t *testing.T) {
	for _, c := range []struct {
		size NarrowSize
		want []int
	}{
		{NarrowSize{From: 128, To: 35, Tile: 31}, []int{128, 97, 66, 35}}, {NarrowSize{From: 40, To: 32, Tile: 31}, []int{40, 32}},
		{NarrowSize{From: 128, To: 32, Tile: 31}, []int{128, 104, 80, 56, 32}}, {NarrowSize{From: 9, To: 32, Tile: 31}, []int{9}},
	} {
		if got := c.size.Passes(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.size, got, c.want)
		}
	}
}

// TestBandNarrowingRule checks that the result becomes wrong if each sweep begins one half-step too
// early. A half-step is the application of one reflector, from the left or from the right. The test
// runs waves: a wave is a dispatch that runs one half-step of each of several sweeps.
func TestBandNarrowingRule(t *testing.T) {
	size := NarrowSize{N: 40, From: 8, To: 5, Tile: 3}
	band := bandToNarrow(size)
	bench := newNarrowBench(t, size, bidiagonalForm{waits: false}, SmallestTuning().Chase.Tuning)
	right, _ := bench.run(band)
	for _, stride := range []int{2 + narrowLead, 1 + narrowLead, narrowLead} {
		stagetest.Put(t, bench.dev, bench.band.In(bench.ws), band)
		rec := vk.NewRecorder(bench.dev)
		bench.stage.recordWaves(rec, &bench.stage.passes[0], bench.band.In(bench.ws), stride)
		stagetest.Run(t, bench.dev, rec)
		got := stagetest.Get(t, bench.dev, bench.band.In(bench.ws))
		if safe := stride > narrowLead; slices.Equal(got, right) != safe {
			t.Errorf("a sweep begins %d waves after the one before it: right is %v", stride, !safe)
		}
	}
}

// TestBandNarrowingWaitsForItsLead checks how far a sweep follows the previous sweep. A flag counts
// the finished half-steps (applications of one reflector) of a sweep. The test sets the flag of
// sweep 0 to f, and no workgroup increases the flag. The kernel must then do f − 1 half-steps of
// sweep 1 and give up. Each half-step of sweep 1 annihilates an element that was not zero before,
// so the test can count the half-steps. The last value of the flag of sweep 1 is published while
// the last half-step runs, so it must not count this half-step.
func TestBandNarrowingWaitsForItsLead(t *testing.T) {
	const lead = 1 // tb2tb.comp derives the lead
	size := NarrowSize{N: 40, From: 8, To: 5, Tile: 3}
	bench := newNarrowBench(t, size, bidiagonalForms[0], SmallestTuning().Chase.Tuning)
	stage, ws, pass := bench.stage, bench.ws, &bench.stage.passes[0]
	at := ref.NarrowBand{N: size.N, Width: size.From, Tile: size.Tile}
	ones := make([]float64, size.BandLen())
	for i := range ones {
		ones[i] = 1
	}
	for f := range 7 {
		stagetest.Put(t, bench.dev, bench.band.In(ws), ones)
		rec := vk.NewRecorder(bench.dev)
		pass.flags.Clear(rec, ws)
		vk.Fill(rec, pass.flags.Ticket(ws, 0), 1) // one workgroup takes sweep 1
		vk.Fill(rec, pass.flags.Flag(ws, 0), uint32(f))
		pass.chase.Dispatch(rec, vk.Grid(1), shaders.Tb2tbChasePush[float64]{
			Band: bench.band.In(ws).Addr(), N: uint32(size.N), Above: uint32(size.above()), Height: uint32(size.height()),
			Last: uint32(pass.count), Polls: 1000, Info: pass.flags.Info(ws).Addr(), Ticket: pass.flags.Ticket(ws, 0).Addr(),
			Flags: pass.flags.First(ws), AbortWord: pass.abort,
		})
		stagetest.Run(t, bench.dev, rec)
		got, done := stagetest.Get(t, bench.dev, bench.band.In(ws)), 0
		for h := range pass.halfSteps(1) {
			r := 1 + size.To + h/2*size.From
			if r+1 >= size.N {
				break
			}
			annihilated := at.At(max(1, r-size.From), r+1)
			if h%2 == 1 {
				annihilated = at.At(r+1, r)
			}
			if got[annihilated] == 0 {
				done++
			}
		}
		if want := max(0, f-lead); done != want {
			t.Errorf("flag %d: %d half-steps, want %d", f, done, want)
		}
		if published, want := stagetest.Get(t, bench.dev, pass.flags.Flag(ws, 1))[0], max(0, done-1); published != uint32(want) {
			t.Errorf("flag %d: while half-step %d ran, the flag of its sweep was %d, want %d", f, done-1, published, want)
		}
		if info := stagetest.Get(t, bench.dev, stage.Info(ws))[0]; info != 1 {
			t.Errorf("flag %d: INFO = %d, want 1: the flag of sweep 0 was not set", f, info)
		}
	}
}

// TestBandNarrowingLong repeats a reduction of a band to a narrower band with different numbers of
// workgroups. The environment variable VKEVD_CHASES is the number of repetitions. If it is not
// above 1, the test runs once, with a smaller band. The results must have the same bits as those of
// a run with one dispatch for each set of independent half-steps (a wave). The test is meant for
// GPUs, where races become visible.
func TestBandNarrowingLong(t *testing.T) {
	times, _ := strconv.Atoi(os.Getenv("VKEVD_CHASES"))
	size := NarrowSize{N: 60, From: 12, To: 8, Tile: 4}
	if times > 1 {
		size = NarrowSize{N: 1200, From: 100, To: 38, Tile: 31}
	}
	tune := SmallestTuning().Chase.Tuning
	tune.PerThread, tune.Dispatch, tune.Polls = 8, 1e15, 1<<24
	band := bandToNarrow(size)
	want, _ := newNarrowBench(t, size, bidiagonalForm{waits: false}, tune).run(band)
	for i := range max(times, 1) {
		form := bidiagonalForm{waits: true, groups: []int{1, 2, 3, 7, 33, 132, 500}[i%7], oneTile: i%2 == 1}
		if got, _ := newNarrowBench(t, size, form, tune).run(band); !slices.Equal(got, want) {
			t.Fatalf("run %d, %+v: other bits than the wave form's", i, form)
		}
	}
}
