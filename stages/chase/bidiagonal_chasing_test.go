package chase

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// bidiagonalChased holds the results of a bulge chasing that reduces a band to bidiagonal form.
type bidiagonalChased[T spirv.Scalar] struct{ gk, band, leftV, leftTau, rightV, rightTau []T }

func (c bidiagonalChased[T]) same(x bidiagonalChased[T]) bool {
	return slices.Equal(c.gk, x.gk) && slices.Equal(c.leftV, x.leftV) && slices.Equal(c.leftTau, x.leftTau) &&
		slices.Equal(c.rightV, x.rightV) && slices.Equal(c.rightTau, x.rightTau)
}

// bidiagonalForm is a form of the bulge chasing to bidiagonal form. Workgroups wait for each other,
// or each set of independent half-steps (a wave) is a dispatch. Shared memory holds one or two
// blocks (tiles). All forms give the same bits.
type bidiagonalForm struct {
	name    string
	waits   bool
	oneTile bool
	groups  int
}

var bidiagonalForms = []bidiagonalForm{
	{"flags", true, false, 3}, {"waves", false, false, 3}, {"flags, one tile", true, true, 3}, {"one workgroup", true, false, 1},
}

// bidiagonalBench holds a BidiagonalChasing stage and its data on the device. The stage can be run
// several times.
type bidiagonalBench[T spirv.Scalar] struct {
	t                testing.TB
	dev              *vk.Device
	stage            *BidiagonalChasing[T]
	ws               *vk.Arena
	band, gk         vk.Region[T]
	leftV, leftTau   vk.Region[T]
	rightV, rightTau vk.Region[T]
	vectors          bool
}

func newBidiagonalBench(t testing.TB, n, b int, vectors bool, form bidiagonalForm, tune Tuning) *bidiagonalBench[float64] {
	return bidiagonalBenchOf[float64](t, n, b, vectors, form, tune)
}

func bidiagonalBenchOf[T spirv.Scalar](t testing.TB, n, b int, vectors bool, form bidiagonalForm, tune Tuning) *bidiagonalBench[T] {
	t.Helper()
	s := &bidiagonalBench[T]{t: t, dev: stagetest.Device(t), vectors: vectors}
	tune.OneTile, tune.Groups = form.oneTile, form.groups
	var err error
	s.stage, err = NewBidiagonalChasing[T](s.dev, Size{n, b, vectors}, stages.Waiting{Allowed: form.waits, WideFence: true}, tune)
	if err != nil {
		t.Fatal(err)
	}
	reals := func(name string, n int) vk.Region[T] { return vk.Reserve[T](name, n) }
	v, tau := stages.ReflectorLen(n, b)
	if !vectors {
		v, tau = 0, 0
	}
	s.band, s.gk = reals("band", stages.GeneralBandLen(n, b)), reals("C", max(0, 2*n-1))
	s.leftV, s.leftTau, s.rightV, s.rightTau = reals("V", v), reals("τ", tau), reals("V", v), reals("τ", tau)
	s.ws = stagetest.Arena(t, s.dev, vk.Together(s.band, s.gk, s.leftV, s.leftTau, s.rightV, s.rightTau, s.stage.Work()))
	return s
}

func (s *bidiagonalBench[T]) reflectors() (left, right stages.Reflectors[T]) {
	return stages.Reflectors[T]{V: s.leftV.In(s.ws), Tau: s.leftTau.In(s.ws)}, stages.Reflectors[T]{V: s.rightV.In(s.ws), Tau: s.rightTau.In(s.ws)}
}

func (s *bidiagonalBench[T]) record(rec *vk.Recorder) {
	left, right := s.reflectors()
	s.stage.Record(rec, s.ws, s.band.In(s.ws), GolubKahan(s.gk.In(s.ws)), left, right)
}

func (s *bidiagonalBench[T]) run(band []T) bidiagonalChased[T] {
	s.t.Helper()
	if len(band) > 0 {
		stagetest.Put(s.t, s.dev, s.band.In(s.ws), band)
	}
	rec := vk.NewRecorder(s.dev)
	s.record(rec)
	stagetest.Run(s.t, s.dev, rec)
	if info := s.stage.Info(s.ws); info.Len() > 0 && stagetest.Get(s.t, s.dev, info)[0] != 0 {
		s.t.Fatalf("INFO = %d", stagetest.Get(s.t, s.dev, info)[0])
	}
	from := func(r vk.Region[T]) []T { return stagetest.Get(s.t, s.dev, r.In(s.ws)) }
	got := bidiagonalChased[T]{gk: from(s.gk), band: from(s.band), leftTau: from(s.leftTau), rightTau: from(s.rightTau)}
	if s.stage.Sweeps() > 0 { // a chase without sweeps does not write V
		got.leftV, got.rightV = from(s.leftV), from(s.rightV)
	}
	return got
}

// chasedByTwin returns the results of the bulge chasing in package stages/ref for the same band.
func chasedByTwin[T ref.Number](n, b int, band []T) bidiagonalChased[T] {
	band = slices.Clone(band)
	d, e, left, right := ref.BidiagonalChasing(n, b, band)
	gk := make([]T, max(0, 2*n-1))
	for i := range d {
		if gk[2*i] = d[i]; i < len(e) {
			gk[2*i+1] = e[i]
		}
	}
	return bidiagonalChased[T]{gk, band, left.V, left.Tau, right.V, right.Tau}
}

func TestBidiagonalChasing(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	for _, b := range []int{1, 2, 3, 4, 5, 8} {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16, 17, 23, 40} {
			band := stagetest.UpperBand(n, b)
			want := chasedByTwin(n, b, band)
			var first bidiagonalChased[float64]
			for i, form := range bidiagonalForms {
				got := newBidiagonalBench(t, n, b, true, form, SmallestTuning().Chase.Tuning).run(band)
				what := fmt.Sprintf("n=%d b=%d, %s", n, b, form.name)
				if i == 0 {
					first = got
				} else if !got.same(first) {
					t.Errorf("%s gives other bits", what)
				}
				stagetest.Close(t, what+": C", got.gk, want.gk)
				stagetest.Close(t, what+": band", got.band, want.band)
				if n > 2 && b > 1 {
					stagetest.Close(t, what+": V of Q2", got.leftV, want.leftV)
					stagetest.Close(t, what+": τ of Q2", got.leftTau, want.leftTau)
					stagetest.Close(t, what+": V of P2", got.rightV, want.rightV)
					stagetest.Close(t, what+": τ of P2", got.rightTau, want.rightTau)
				}
			}
			if got := newBidiagonalBench(t, n, b, false, bidiagonalForms[0], SmallestTuning().Chase.Tuning).run(band); !slices.Equal(got.gk, first.gk) {
				t.Errorf("n=%d b=%d: without vectors C has other bits", n, b)
			}
		}
	}
}

// TestBidiagonalChasingWide reduces bands with as many superdiagonals as the solver uses on GPUs.
func TestBidiagonalChasingWide(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	for _, b := range []int{16, 32, 48} {
		n := 2*b + 37
		band := stagetest.UpperBand(n, b)
		tune := SmallestTuning().Chase.Tuning
		tune.PerThread = 16
		for _, form := range bidiagonalForms[:2] {
			got := newBidiagonalBench(t, n, b, true, form, tune).run(band)
			stagetest.Close(t, fmt.Sprintf("n=%d b=%d, %s", n, b, form.name), got.gk, chasedByTwin(n, b, band).gk)
		}
	}
}

// longChases returns the bands of the long tests of bulge chasing, as pairs of an order and a
// number of superdiagonals, and the number of runs for each of them. The environment variable
// VKEVD_CHASES is the number of runs for all bands together. Without it, the tests run once, on a
// small band. The widest band is left out if the device has too little shared memory for it.
func longChases(t *testing.T) (bands [][2]int, runs int) {
	if times, _ := strconv.Atoi(os.Getenv("VKEVD_CHASES")); times > 1 {
		bands = [][2]int{{1200, 32}, {701, 48}, {900, 16}, {333, 7}}
		if stagetest.Device(t).Info().SharedBytes >= 48<<10 {
			bands = append(bands, [2]int{640, 64})
		}
		return bands, (times + len(bands) - 1) / len(bands)
	}
	return [][2]int{{96, 8}}, 1
}

// TestBidiagonalChasingLong repeats bulge chasings of many sweeps with different numbers of
// workgroups, with and without vectors. The results must have the same bits as those of a run with
// one dispatch for each set of independent half-steps (a wave). A half-step applies one reflector.
// The test is meant for GPUs, where races become visible.
func TestBidiagonalChasingLong(t *testing.T) {
	bands, runs := longChases(t)
	tune := SmallestTuning().Chase.Tuning
	tune.PerThread, tune.Dispatch, tune.Polls = 8, 1e15, 1<<24
	for _, size := range bands {
		n, b := size[0], size[1]
		band := stagetest.UpperBand(n, b)
		want := newBidiagonalBench(t, n, b, true, bidiagonalForm{waits: false}, tune).run(band)
		for i := range runs {
			form := bidiagonalForm{waits: true, groups: []int{1, 2, 3, 7, 33, 132, 500}[i%7], oneTile: i%2 == 1}
			vectors := i%5 != 4
			got := newBidiagonalBench(t, n, b, vectors, form, tune).run(band)
			if vectors && !got.same(want) || !slices.Equal(got.gk, want.gk) {
				t.Fatalf("n=%d b=%d, run %d, %+v: other bits than the wave form's", n, b, i, form)
			}
		}
	}
}
