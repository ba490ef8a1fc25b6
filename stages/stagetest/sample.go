package stagetest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

const ULP = 0x1p-52

// Sample is a column-major matrix on the host. The padding consists of Ld − Rows elements after
// each column. The values of the padding are `poison`, the NaN with which arenas are filled.
type Sample struct {
	Rows, Cols, Ld int

	// Data is Ld·Cols elements; entry (i, j) is Data[i + j·Ld].
	Data []float64
}

// Poisoned returns a matrix whose elements all have the value `poison`. A kernel must overwrite
// these elements, or must neither read nor write them.
func Poisoned(rows, cols, ld int) Sample {
	s := Sample{rows, cols, max(ld, 1), make([]float64, max(ld, 1)*cols)}
	for i := range s.Data {
		s.Data[i] = vk.PoisonValue()
	}
	return s
}

// Normal returns a matrix of normally distributed elements. Equal arguments give equal matrices.
func Normal(rows, cols, ld int, seed uint64) Sample {
	s, r := Poisoned(rows, cols, ld), rand.New(rand.NewPCG(seed, 1))
	return s.Fill(func(i, j int) float64 { return r.NormFloat64() })
}

// Fill sets element (i, j) to `at(i, j)`, column by column, and returns s.
func (s Sample) Fill(at func(i, j int) float64) Sample {
	for j := range s.Cols {
		for i := range s.Rows {
			s.Data[i+j*s.Ld] = at(i, j)
		}
	}
	return s
}

// Abs returns the matrix of magnitudes. Tests compute error bounds from it.
func (s Sample) Abs() Sample {
	a := Poisoned(s.Rows, s.Cols, s.Ld)
	return a.Fill(func(i, j int) float64 { return math.Abs(s.Data[i+j*s.Ld]) })
}

// Lower returns s with the value `poison` above the diagonal. It is used for factors of which only
// the lower triangle may be read.
func (s Sample) Lower() Sample {
	l := Poisoned(s.Rows, s.Cols, s.Ld)
	for j := range s.Cols {
		for i := j; i < s.Rows; i++ {
			l.Data[i+j*s.Ld] = s.Data[i+j*s.Ld]
		}
	}
	return l
}

// Furthest returns the largest error |`got` − `want`| of an element, in ulps of the element's
// bound. It fails the test if the error is above 1000 ulps. Where `want` has the value `poison`,
// `got` must have the same bits, because kernels must not write there.
func Furthest(t testing.TB, what string, got, want, bound Sample) float64 {
	t.Helper()
	worst := 0.0
	poison := math.Float64bits(vk.PoisonValue())
	for e, w := range want.Data {
		g := got.Data[e]
		// This element of the expected matrix is padding, or lies in the triangle that is not part
		// of the result.
		if math.Float64bits(w) == poison {
			if math.Float64bits(g) != poison {
				t.Fatalf("%s: element (%d, %d), which is not part of the result, became %g", what, e%want.Ld, e/want.Ld, g)
			}
			continue
		}
		// An error bound of zero is replaced by the smallest normal number.
		r := math.Abs(g-w) / (ULP * max(bound.Data[e], 0x1p-1022))
		if !(r <= 1e3) {
			t.Fatalf("%s: element (%d, %d) is %g, want %g", what, e%want.Ld, e/want.Ld, g, w)
		}
		worst = max(worst, r)
	}
	return worst
}

type Bench struct {
	Device  *vk.Device
	WS      *vk.Arena          // holds the matrices and the workspace that NewBench was given
	a, b, c vk.Region[float64] // of equal length
}

// NewBench allocates device memory for three matrices of `elements` elements each, and for `work`.
func NewBench(t testing.TB, elements int, work *vk.Layout) *Bench {
	p := &Bench{Device: Device(t)}
	region := func(name string) vk.Region[float64] { return vk.Reserve[float64](name, elements) }
	p.a, p.b, p.c = region("a"), region("b"), region("c")
	p.WS = Arena(t, p.Device, vk.Together(p.a, p.b, p.c, work))
	return p
}

// Do uploads a, b and c, runs the commands that the function `record` records, and returns the
// final c. Each matrix lies at the end of its memory, so that an access past its end hits a guard.
func (p *Bench) Do(t testing.TB, a, b, c Sample, record func(rec *vk.Recorder, a, b, c vk.Slice[float64])) Sample {
	t.Helper()
	upload := func(r vk.Region[float64], s Sample) vk.Slice[float64] {
		at := r.In(p.WS).From(r.Len() - len(s.Data))
		if len(s.Data) > 0 {
			Put(t, p.Device, at, s.Data)
		}
		return at
	}
	rec := vk.NewRecorder(p.Device)
	at := upload(p.c, c)
	record(rec, upload(p.a, a), upload(p.b, b), at)
	Run(t, p.Device, rec)
	c.Data = Get(t, p.Device, at)
	return c
}
