package chase

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// halfDevice returns the device of the tests. The test is skipped if kernels cannot store
// half-precision numbers on this device.
func halfDevice(t *testing.T) *vk.Device {
	t.Helper()
	dev := stagetest.Device(t)
	if !dev.Info().HalfStorage() {
		t.Skip("no storage in half precision")
	}
	return dev
}

// inHalf returns the numbers x rounded to half precision: h has them in half precision, and
// `rounded` in double precision.
func inHalf(x []float64) (h []spirv.Float16, rounded []float64) {
	h, rounded = make([]spirv.Float16, len(x)), make([]float64, len(x))
	for i := range x {
		h[i] = spirv.NewFloat16(x[i])
		rounded[i] = h[i].Float64()
	}
	return h, rounded
}

func half(x float64) float64 { return spirv.NewFloat16(x).Float64() }

// halfResult is the result of a reduction in half precision: the band after all narrowing passes,
// and the diagonals of the bidiagonal matrix, d1, e1, d2, e2, ….
type halfResult struct {
	band       []spirv.Float16
	bidiagonal []float64
}

func (r halfResult) same(o halfResult) bool {
	return slices.Equal(r.band, o.band) && slices.Equal(r.bidiagonal, o.bidiagonal)
}

// reducedInHalf narrows a band in half precision, and then reduces it to bidiagonal form. It first
// writes NaN to all outputs.
func reducedInHalf(t *testing.T, size NarrowSize, form bidiagonalForm, band []spirv.Float16) halfResult {
	t.Helper()
	dev, tune, wait := halfDevice(t), SmallestTuning().Chase.Tuning, stages.Waiting{Allowed: form.waits, WideFence: true}
	tune.OneTile, tune.Groups = form.oneTile, form.groups
	narrow, err := NewBandNarrowing[spirv.Float16](dev, size, wait, tune)
	if err != nil {
		t.Fatal(err)
	}
	chase, err := NewBidiagonalChasing[spirv.Float16](dev, Size{N: size.N, B: size.To}, wait, tune)
	if err != nil {
		t.Fatal(err)
	}
	widen, err := move.NewWidening[spirv.Float16](dev)
	if err != nil {
		t.Fatal(err)
	}
	rb, rg := vk.Reserve[spirv.Float16]("band", size.BandLen()), vk.Reserve[spirv.Float16]("general band", narrow.GeneralLen())
	rc, rd := vk.Reserve[spirv.Float16]("C", 2*size.N-1), vk.Reserve[float64]("C, widened", 2*size.N-1)
	ws := stagetest.Arena(t, dev, vk.Together(rb, rg, rc, rd, vk.InTurn(narrow.Work(), chase.Work())))
	nan := spirv.NewFloat16(math.NaN())
	stagetest.Put(t, dev, rg.In(ws), slices.Repeat([]spirv.Float16{nan}, rg.Len()))
	stagetest.Put(t, dev, rc.In(ws), slices.Repeat([]spirv.Float16{nan}, rc.Len()))
	stagetest.Put(t, dev, rd.In(ws), slices.Repeat([]float64{math.NaN()}, rd.Len()))
	stagetest.Put(t, dev, rb.In(ws), band)
	rec := vk.NewRecorder(dev)
	narrow.Record(rec, ws, rb.In(ws), rg.In(ws))
	none := stages.Reflectors[spirv.Float16]{}
	chase.Record(rec, ws, rg.In(ws), GolubKahan(rc.In(ws)), none, none)
	widen.Record(rec, rc.In(ws), rd.In(ws))
	stagetest.Run(t, dev, rec)
	return halfResult{stagetest.Get(t, dev, rb.In(ws)), stagetest.Get(t, dev, rd.In(ws))}
}

// halfTwin computes with package ref what reducedInHalf computes. `round` is applied to each stored
// number.
func halfTwin(size NarrowSize, band []float64, round func(float64) float64) (after, bidiagonal []float64) {
	b := ref.NarrowBand{N: size.N, Width: size.From, Tile: size.Tile}
	after = slices.Clone(band)
	for widths := size.Passes(); len(widths) > 1; widths = widths[1:] {
		b.PassRounded(widths[0], widths[1], after, round)
	}
	general := make([]float64, ref.BidiagonalBandLen(size.N, size.To))
	for i := range size.N {
		for j := i; j < min(size.N, i+size.To+1); j++ {
			general[ref.BidiagonalBandAt(size.To, i, j)] = after[b.At(i, j)]
		}
	}
	d, e, _, _ := ref.BidiagonalChasingRounded(size.N, size.To, general, round)
	for i := range d {
		bidiagonal = append(bidiagonal, d[i])
		if i < len(e) {
			bidiagonal = append(bidiagonal, e[i])
		}
	}
	return after, bidiagonal
}

// TestHalfStorage reduces bands in half precision to bidiagonal form: bands of usual numbers, and
// bands whose entries are subnormal in half precision. All forms of the stages must give the same
// bits. The bits must be those of a twin in plain Go that rounds each number that it stores. The
// bands are small, because the twin computes in double precision and the stages compute in single
// precision: in a larger band some numbers are rounded to the other neighbour.
func TestHalfStorage(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	when.Skip(t, when.Validation, "other tests record the same kernels")
	for _, size := range []NarrowSize{{1, 5, 2, 3}, {7, 5, 5, 3}, {17, 5, 3, 1}} {
		for _, scale := range []float64{64, 0x1p-17} {
			stored, rounded := inHalf(scaledBand(size, scale))
			first := reducedInHalf(t, size, bidiagonalForms[0], stored)
			for _, form := range bidiagonalForms[1:] {
				if got := reducedInHalf(t, size, form, stored); !got.same(first) {
					t.Errorf("%+v, scale %g, %s gives other bits", size, scale, form.name)
				}
			}
			after, bidiagonal := halfTwin(size, rounded, half)
			if want, _ := inHalf(after); !slices.Equal(first.band, want) || !slices.Equal(first.bidiagonal, bidiagonal) {
				t.Errorf("%+v, scale %g: the twin gives other bits", size, scale)
			}
		}
	}
}

// scaledBand returns a random band with the factor `scale`. For a factor from 2⁻²⁰ to 1000, half
// precision can hold its entries.
func scaledBand(size NarrowSize, scale float64) []float64 {
	band := bandToNarrow(size)
	floats.Scale(scale, band)
	return band
}

// TestHalfStorageKeepsSingularValues compares the singular values of the bidiagonal matrix with
// those of the band, which gonum computes in double precision. The error must be that of half
// precision: neither larger, nor as small as if the numbers were stored in single precision.
func TestHalfStorageKeepsSingularValues(t *testing.T) {
	when.Skip(t, when.Quick, "single precision in storage")
	size := NarrowSize{40, 12, 5, 4}
	stored, rounded := inHalf(scaledBand(size, 64))
	full, c := mat.NewDense(size.N, size.N, nil), mat.NewDense(size.N, size.N, nil)
	b := ref.NarrowBand{N: size.N, Width: size.From, Tile: size.Tile}
	bidiagonal := reducedInHalf(t, size, bidiagonalForms[0], stored).bidiagonal
	for i := range size.N {
		for j := i; j < min(size.N, i+size.From+1); j++ {
			full.Set(i, j, rounded[b.At(i, j)])
		}
		c.Set(i, i, bidiagonal[2*i])
		if i+1 < size.N {
			c.Set(i, i+1, bidiagonal[2*i+1])
		}
	}
	want, got := singularValues(t, full), singularValues(t, c)
	const unit = spirv.Float16Ulp / 2 // largest relative error of a rounding
	if e := floats.Distance(got, want, 2) / floats.Norm(want, 2); !(e >= unit/100 && e < 2*unit) {
		t.Errorf("relative error of the singular values: %.3g, and a rounding has %.3g", e, unit)
	}
}

func singularValues(t *testing.T, a mat.Matrix) []float64 {
	t.Helper()
	var f mat.SVD
	if !f.Factorize(a, mat.SVDNone) {
		t.Fatal("gonum gave up")
	}
	return f.Values(nil)
}

// TestHalfRounding rounds numbers of single precision on the device: all half-precision numbers,
// the midpoints between neighbours, the numbers next to the midpoints, and numbers out of range.
// The results must be those of spirv.NewFloat16. The two elements after the last result must not be
// written.
func TestHalfRounding(t *testing.T) {
	dev := halfDevice(t)
	round, err := move.NewHalfRounding(dev)
	if err != nil {
		t.Fatal(err)
	}
	numbers := []float32{65519, 65520, 65536, math.MaxFloat32, float32(math.Inf(1)), 0x1p-25, 0x1.8p-25, 0x1p-126}
	for bits := range uint16(0x7c00) {
		x, next := spirv.Float16(bits).Float64(), spirv.Float16(bits+1).Float64()
		middle := float32(x + (next-x)/2)
		if bits == 0x7bff {
			middle = 65520
		}
		numbers = append(numbers, float32(x), middle, math.Nextafter32(middle, 0), math.Nextafter32(middle, math.MaxFloat32))
	}
	for _, x := range numbers {
		numbers = append(numbers, -x)
	}
	n := len(numbers)
	rx, ry := vk.Reserve[float32]("x", n), vk.Reserve[spirv.Float16]("y", n+2)
	ws := stagetest.Arena(t, dev, vk.Together(rx, ry))
	stagetest.Put(t, dev, rx.In(ws), numbers)
	stagetest.Put(t, dev, ry.In(ws), slices.Repeat([]spirv.Float16{0x1234}, n+2))
	rec := vk.NewRecorder(dev)
	round.Record(rec, rx.In(ws), ry.In(ws))
	stagetest.Run(t, dev, rec)
	got := stagetest.Get(t, dev, ry.In(ws))
	for i, x := range numbers {
		if have, want := got[i].Float64(), half(float64(x)); have != want { // −0 may become 0
			t.Fatalf("%x is rounded to %x, want %x", x, have, want)
		}
	}
	if got[n] != 0x1234 || got[n+1] != 0x1234 {
		t.Errorf("numbers after the last one: %x, %x", got[n], got[n+1])
	}
}
