package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// shorter is 2⁻⁵²/2⁻²³. Package ratio counts ulps of float64; times `shorter` they are ulps of
// float32.
const shorter = 0x1p-52 / 0x1p-23

// single is the matrix in float32. If its largest entry is outside of float32's normal numbers, it
// becomes about 2^127, or about 2^-130, where numbers are subnormal. The result's field `full` has
// the numbers of float32 as doubles.
func (m named) single() (named, []float32) {
	top, e := 0.0, 0
	for _, x := range m.full {
		top = max(top, math.Abs(x))
	}
	if _, exponent := math.Frexp(top); exponent > 127 {
		e = 127 - exponent
	} else if top > 0 && exponent < -125 {
		e = -130 - exponent
	}
	singles := make([]float32, len(m.full))
	m.full = slices.Clone(m.full)
	for i, x := range m.full {
		singles[i] = float32(math.Ldexp(x, e))
		m.full[i] = float64(singles[i])
	}
	return m, singles
}

func singlePlan(t testing.TB, dev *vk.Device, n, count int, opt batch.Options) *batch.Plan[float32] {
	t.Helper()
	p, err := batch.NewPlan[float32](dev, n, count, opt)
	return ready(t, p, err)
}

func solveSingles(t testing.TB, p *batch.Plan[float32], a ...evd.Sym[float32]) []batch.Spectrum[float32] {
	t.Helper()
	res, err := p.Solve(context.Background(), a)
	return solved(t, res, err).Spectra
}

// widened is a spectrum of float32 as one of float64.
func widened(s batch.Spectrum[float32]) batch.Spectrum[float64] {
	z := &evd.Dense[float64]{Rows: s.Vectors.Rows, Cols: s.Vectors.Cols, Ld: s.Vectors.Ld}
	for _, x := range s.Vectors.Data {
		z.Data = append(z.Data, float64(x))
	}
	return batch.Spectrum[float64]{Values: s.Values, Vectors: z, Err: s.Err}
}

// TestSinglesOfEveryOrder solves one batch of float32 matrices of all orders up to 130, with QL
// iteration and with divide and conquer. It checks LAPACK's ratios in ulps of float32, the signs of
// vectors, and the values of a plan without vectors. Entries are also near the largest float32, and
// subnormal. On a GPU, matrices of orders up to 512 are solved, too.
func TestSinglesOfEveryOrder(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	all, most := sample(130), 130
	if stagetest.Info().Type != "cpu" {
		most = min(512, batch.MaxOrder(stagetest.Device(t), batch.Options{}))
		kinds := matgen.Dense()
		for i, n := range []int{191, 192, 193, 255, 256, 257, 300, 383, 384, 385, 511, 512} {
			for k := i; k < len(kinds) && n <= most; k += 6 {
				all = append(all, named{fmt.Sprintf("%s, n = %d", kinds[k].Name(), n), n, kinds[k].Dense(n)})
			}
		}
	}
	a := make([]evd.Sym[float32], len(all))
	for i := range all {
		var data []float32
		all[i], data = all[i].single()
		a[i] = evd.NewSym(all[i].n, data, i%2 == 0)
	}
	for name, opt := range map[string]batch.Options{"": {Vectors: true}, "divide and conquer": {Vectors: true, Tuning: conquering(t)}} {
		t.Run(name, func(t *testing.T) {
			vectors := solveSingles(t, singlePlan(t, stagetest.Device(t), most, 200, opt), a...)
			opt.Vectors = false
			values := solveSingles(t, singlePlan(t, stagetest.Device(t), most, 300, opt), a...)
			worst := [2]float64{}
			for i, m := range all {
				s, norm := widened(vectors[i]), 0.0
				for _, x := range s.Values {
					norm = max(norm, math.Abs(x))
				}
				r := [2]float64{shorter * m.worst(s), shorter * ratio.Values(m.n, values[i].Values, s.Values, norm)}
				if !(max(r[0], r[1]) < 10) {
					t.Errorf("%s: ratios %.3g, of values alone %.3g, %v", m.name, r[0], r[1], s.Err)
				}
				worst[0], worst[1] = max(worst[0], r[0]), max(worst[1], r[1])
				checkSigns(t, m.name, s.Vectors)
			}
			t.Logf("%d matrices: largest ratio %.3g, of values alone %.3g", len(all), worst[0], worst[1])
		})
	}
}

// singlesOfSeveralOrders is ofSeveralOrders in float32, without matrices beyond its range.
func singlesOfSeveralOrders() (a []evd.Sym[float32]) {
	for k, m := range ofSeveralOrders() {
		n, data := named{n: m.N, full: matgen.Dense()[k*3].Dense(m.N)}.single()
		a = append(a, evd.NewSym(n.n, data, m.Uplo))
	}
	return a
}

func sameSingles(t *testing.T, what string, x, y []batch.Spectrum[float32]) {
	t.Helper()
	for k := range x {
		if x[k].Err != nil || y[k].Err != nil || !slices.Equal(x[k].Values, y[k].Values) {
			t.Errorf("%s: values of number %d differ, %v, %v", what, k, x[k].Err, y[k].Err)
		}
		if x[k].Vectors != nil && !slices.Equal(x[k].Vectors.Data, y[k].Vectors.Data) {
			t.Errorf("%s: vectors of number %d differ", what, k)
		}
	}
}

// TestSinglesHaveTheSameBits solves float32 matrices together, again, alone, in reverse order, and
// beside a matrix with a NaN, which must be the only one with an error. A device that seems to have
// no double precision must give the same bits, too.
func TestSinglesHaveTheSameBits(t *testing.T) {
	when.Pick(t, when.Race|when.GPUAV)
	without, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Without: []string{"shaderFloat64"}})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	for _, vectors := range []bool{true, false} {
		a := singlesOfSeveralOrders()
		opt := batch.Options{Vectors: vectors}
		p := singlePlan(t, stagetest.Device(t), 70, len(a)+1, opt)
		together := solveSingles(t, p, a...)
		sameSingles(t, "a second time", together, solveSingles(t, p, a...))
		for k := range a {
			sameSingles(t, "alone", together[k:k+1], solveSingles(t, p, a[k]))
		}
		slices.Reverse(a)
		back := solveSingles(t, p, a...)
		slices.Reverse(back)
		slices.Reverse(a)
		sameSingles(t, "in reverse order", together, back)

		bad := evd.NewSym(33, make([]float32, 33*33), evd.Lower)
		bad.Data[40] = float32(math.NaN())
		beside := solveSingles(t, p, slices.Insert(slices.Clone(a), 5, bad)...)
		var nan *evd.NonFiniteError
		if !errors.As(beside[5].Err, &nan) || nan.Row != 7 || nan.Col != 1 || !math.IsNaN(beside[5].Values[0]) {
			t.Errorf("a matrix with a NaN: %v, %v", beside[5].Err, beside[5].Values)
		}
		sameSingles(t, "beside a NaN", together, slices.Delete(beside, 5, 6))

		alone, err := batch.NewPlan[float32](without, 70, len(a), opt)
		if err != nil {
			t.Fatal(err)
		}
		sameSingles(t, "without double precision", together, solveSingles(t, alone, a...))
		alone.Close()
	}
}

// TestSinglesOfEveryMagnitude multiplies matrices by powers of two, from the largest numbers of
// float32 to the smallest ones. Values must be those of a float64 plan, to float32's precision of
// the largest value: float64 has them even where float32 overflows or has few digits. Orders 9 and
// 40 are solved in shared memory and in device memory.
func TestSinglesOfEveryMagnitude(t *testing.T) {
	for _, n := range []int{9, 40} {
		base := stagetest.Normal(n, n, n, 3).Data
		var singles []evd.Sym[float32]
		var doubles []evd.Sym[float64]
		for _, e := range []int{125, 120, 60, 0, -60, -100, -120, -124, -126, -128, -135, -145, -149} {
			a, b := make([]float32, n*n), make([]float64, n*n)
			for i, x := range base {
				a[i] = float32(math.Ldexp(x/4, e+2)) // |x| < 8
				if math.IsInf(float64(a[i]), 0) {
					a[i] = math.MaxFloat32
				}
				b[i] = float64(a[i])
			}
			singles, doubles = append(singles, evd.NewSym(n, a, evd.Lower)), append(doubles, evd.NewSym(n, b, evd.Lower))
		}
		full := slices.Repeat([]float32{math.MaxFloat32}, n*n) // the largest value is n·MaxFloat32
		wide := slices.Repeat([]float64{math.MaxFloat32}, n*n)
		singles, doubles = append(singles, evd.NewSym(n, full, evd.Lower)), append(doubles, evd.NewSym(n, wide, evd.Lower))
		for _, vectors := range []bool{true, false} {
			opt := batch.Options{Vectors: vectors}
			got := solveSingles(t, singlePlan(t, stagetest.Device(t), n, len(singles), opt), singles...)
			want := solve(t, newPlan(t, n, len(doubles), opt), doubles...).Spectra
			for k := range got {
				norm := max(math.Abs(want[k].Values[0]), math.Abs(want[k].Values[n-1]))
				if r := shorter * ratio.Values(n, got[k].Values, want[k].Values, norm); !(r < 10) || got[k].Err != nil {
					t.Errorf("order %d, matrix %d: ratio %.3g of values, %v", n, k, r, got[k].Err)
				}
				if vectors {
					m := named{n: n, full: doubles[k].Data}
					for j := range n {
						for i := range j {
							m.full[i+j*n] = m.full[j+i*n]
						}
					}
					if r := shorter * m.worst(widened(got[k])); !(r < 10) {
						t.Errorf("order %d, matrix %d: ratio %.3g", n, k, r)
					}
				}
			}
		}
	}
}

// TestSingleTridiagonals solves tridiagonal float32 matrices of orders up to 130 by divide and
// conquer, and checks LAPACK's ratios in ulps of float32.
func TestSingleTridiagonals(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	given, names := someTridiagonals(130)
	var all []evd.Tridiagonal[float32]
	var full []named
	for k, m := range given {
		n := m.N()
		both := named{names[k], n, append(slices.Clone(m.D), m.E...)}
		_, data := both.single()
		tri := evd.Tridiagonal[float32]{D: data[:n], E: data[n:]}
		all = append(all, tri)
		dense := named{names[k], n, make([]float64, n*n)}
		for i := range n {
			dense.full[i+i*n] = float64(tri.D[i])
			if i+1 < n {
				dense.full[i+1+i*n], dense.full[i+(i+1)*n] = float64(tri.E[i]), float64(tri.E[i])
			}
		}
		full = append(full, dense)
	}
	spectra := map[bool][]batch.Spectrum[float32]{}
	for _, vectors := range []bool{true, false} {
		p, err := batch.NewTridiagonalPlan[float32](stagetest.Device(t), 130, 200, batch.Options{Vectors: vectors})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		res, err := p.Solve(context.Background(), all)
		if err != nil {
			t.Fatal(err)
		}
		spectra[vectors] = res.Spectra
	}
	worst := 0.0
	for k, m := range full {
		s, norm := widened(spectra[true][k]), 0.0
		for _, x := range s.Values {
			norm = max(norm, math.Abs(x))
		}
		r := max(m.worst(s), ratio.Values(m.n, spectra[false][k].Values, s.Values, norm)) * shorter
		if worst = max(worst, r); !(r < 10) {
			t.Errorf("%s: ratio %.3g, %v", m.name, r, s.Err)
		}
	}
	t.Logf("%d matrices: largest ratio %.3g", len(full), worst)
}
