package stages

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// sample is a host matrix whose padding is the poison that arenas are filled with.
type sample struct {
	rows, cols, ld int
	data           []float64
}

func poisoned(rows, cols, ld int) sample {
	s := sample{rows, cols, max(ld, 1), make([]float64, max(ld, 1)*cols)}
	for i := range s.data {
		s.data[i] = vk.PoisonValue()
	}
	return s
}

// normal is a matrix of normally distributed entries.
func normal(rows, cols, ld int, seed uint64) sample {
	s, r := poisoned(rows, cols, ld), rand.New(rand.NewPCG(seed, 1))
	return s.fill(func(i, j int) float64 { return r.NormFloat64() })
}

func (s sample) fill(at func(i, j int) float64) sample {
	for j := range s.cols {
		for i := range s.rows {
			s.data[i+j*s.ld] = at(i, j)
		}
	}
	return s
}

// abs is the matrix of magnitudes, for error bounds.
func (s sample) abs() sample {
	a := poisoned(s.rows, s.cols, s.ld)
	return a.fill(func(i, j int) float64 { return math.Abs(s.data[i+j*s.ld]) })
}

// lower is s with poison above the diagonal.
func (s sample) lower() sample {
	l := poisoned(s.rows, s.cols, s.ld)
	for j := range s.cols {
		for i := j; i < s.rows; i++ {
			l.data[i+j*s.ld] = s.data[i+j*s.ld]
		}
	}
	return l
}

// on uploads s, padding and all, to the beginning of a slice.
func (s sample) on(t testing.TB, d *vk.Device, at vk.Slice[float64]) Matrix {
	t.Helper()
	if len(s.data) > 0 {
		put(t, d, at.Sub(0, len(s.data)), s.data)
	}
	return NewMatrix(at, s.rows, s.cols, s.ld)
}

// back downloads what s became.
func (s sample) back(t testing.TB, d *vk.Device, at vk.Slice[float64]) sample {
	t.Helper()
	s.data = get(t, d, at.Sub(0, len(s.data)))
	return s
}

const ulp = 0x1p-52

// furthest is the largest |got − want| of an element, in ulps of its bound. Where
// want is poison, got must be the same bits: nobody may have written there.
func furthest(t testing.TB, what string, got, want, bound sample) float64 {
	t.Helper()
	worst := 0.0
	poison := math.Float64bits(vk.PoisonValue())
	for e, w := range want.data {
		g := got.data[e]
		if math.Float64bits(w) == poison {
			if math.Float64bits(g) != poison {
				t.Fatalf("%s: element (%d, %d), which is not the result's, became %g", what, e%want.ld, e/want.ld, g)
			}
			continue
		}
		r := math.Abs(g-w) / (ulp * max(bound.data[e], 0x1p-1022))
		if !(r <= 1e3) {
			t.Fatalf("%s: element (%d, %d) is %g, want %g", what, e%want.ld, e/want.ld, g, w)
		}
		worst = max(worst, r)
	}
	return worst
}

// productBench is memory for products of one size after another.
type productBench struct {
	d       *vk.Device
	a, b, c vk.Region[float64]
	ws      *vk.Arena
}

func newProductBench(t testing.TB, elements int, work *vk.Layout) *productBench {
	p := &productBench{d: testDevice(t)}
	region := func(name string) vk.Region[float64] { return vk.Reserve[float64](name, elements) }
	p.a, p.b, p.c = region("a"), region("b"), region("c")
	p.ws = arena(t, p.d, vk.Together(p.a, p.b, p.c, work))
	return p
}

// do records with a, b, c on the device and returns what c became.
func (p *productBench) do(t testing.TB, a, b, c sample, record func(rec *vk.Recorder, a, b, c Matrix)) sample {
	t.Helper()
	// At the end of their memory: what goes too far leaves the region, which the guards or debug shaders see.
	last := func(r vk.Region[float64], s sample) vk.Slice[float64] { return r.In(p.ws).From(r.Len() - len(s.data)) }
	at := last(p.c, c)
	rec := vk.NewRecorder(p.d)
	record(rec, a.on(t, p.d, last(p.a, a)), b.on(t, p.d, last(p.b, b)), c.on(t, p.d, at))
	run(t, p.d, rec)
	return c.back(t, p.d, at)
}
