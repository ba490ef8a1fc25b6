package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func newTridiagonalPlan(t testing.TB, n, count int, opt batch.Options) *batch.TridiagonalPlan[float64] {
	t.Helper()
	p, err := batch.NewTridiagonalPlan[float64](stagetest.Device(t), n, count, opt)
	return ready(t, p, err)
}

func solveTridiagonals(t testing.TB, p *batch.TridiagonalPlan[float64], a ...evd.Tridiagonal[float64]) []batch.Spectrum[float64] {
	t.Helper()
	res, err := p.Solve(context.Background(), a)
	return solved(t, res, err).Spectra
}

// someTridiagonals returns tridiagonal matrices of the orders 0 to `most`, with their names. Each
// order has some of the kinds of package matgen.
func someTridiagonals(most int) (all []evd.Tridiagonal[float64], names []string) {
	for i, kind := range matgen.Tridiagonals() {
		for n := range most + 1 {
			if (i+n)%8 == 0 {
				d, e := kind.Tridiagonal(n)
				all, names = append(all, evd.Tridiagonal[float64]{D: d, E: e}), append(names, fmt.Sprintf("%s, n = %d", kind.Name(), n))
			}
		}
	}
	return all, names
}

// TestTridiagonalsOfEveryOrder solves one batch of tridiagonal matrices of all orders up to 130,
// and on a GPU also of some orders up to 512. It checks LAPACK's ratios and the signs of the
// vectors. It also compares the eigenvalues of a plan with vectors with those of a plan without
// vectors.
func TestTridiagonalsOfEveryOrder(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	most := 130
	all, names := someTridiagonals(most)
	if stagetest.Info().Type != "cpu" {
		most = 512
		for i, kind := range matgen.Tridiagonals() {
			n := []int{191, 192, 193, 256, 257, 300, 385, 511, 512}[i%9]
			d, e := kind.Tridiagonal(n)
			all, names = append(all, evd.Tridiagonal[float64]{D: d, E: e}), append(names, fmt.Sprintf("%s, n = %d", kind.Name(), n))
		}
	}
	p := newTridiagonalPlan(t, most, 150, batch.Options{Vectors: true})
	vectors := solveTridiagonals(t, p, all...)
	values := solveTridiagonals(t, newTridiagonalPlan(t, most, len(all), batch.Options{}), all...)
	checked, err := p.Check(context.Background(), all, vectors)
	if err != nil {
		t.Fatal(err)
	}
	worst := [2]float64{}
	for k, m := range all {
		s, norm := vectors[k], 0.0
		for _, x := range s.Values {
			norm = max(norm, math.Abs(x))
		}
		r := [2]float64{max(checked[k].Residual, checked[k].Orthogonality), ratio.Values(m.N(), values[k].Values, s.Values, norm)}
		if s.Err != nil || !(max(r[0], r[1]) < 10) || !slices.IsSorted(s.Values) || s.Vectors.Cols != m.N() {
			t.Errorf("%s: ratios %.3g, of values alone %.3g, %v", names[k], r[0], r[1], s.Err)
			continue
		}
		worst[0], worst[1] = max(worst[0], r[0]), max(worst[1], r[1])
		checkSigns(t, names[k], s.Vectors)
	}
	t.Logf("%d matrices: largest ratio %.3g, of values alone %.3g", len(all), worst[0], worst[1])
}

// TestTridiagonalsSameBits solves tridiagonal matrices alone, together, and together in reverse
// sequence. The bits of each result must always be the same.
func TestTridiagonalsSameBits(t *testing.T) {
	when.Pick(t, when.Race|when.GPUAV)
	smallest := tuning.Smallest()
	for _, tune := range []*tuning.Tuning{nil, &smallest} {
		for _, vectors := range []bool{true, false} {
			var all []evd.Tridiagonal[float64]
			for k, n := range []int{1, 2, 3, 17, 32, 33, 64, 65, 66} {
				d, e := matgen.Tridiagonals()[k].Tridiagonal(n)
				all = append(all, evd.Tridiagonal[float64]{D: d, E: e})
			}
			p := newTridiagonalPlan(t, 66, len(all), batch.Options{Vectors: vectors, Tuning: tune})
			together := solveTridiagonals(t, p, all...)
			for k := range all {
				same(t, fmt.Sprintf("matrix %d alone", k), together[k:k+1], solveTridiagonals(t, p, all[k]))
			}
			slices.Reverse(all)
			back := solveTridiagonals(t, p, all...)
			slices.Reverse(back)
			same(t, "in reverse order", together, back)
		}
	}
}

// TestTridiagonalsNonFinite puts a NaN or an infinity into one matrix. This matrix must have an
// error with the place of the entry. The other matrices must have the same bits as in a batch
// without this matrix.
func TestTridiagonalsNonFinite(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	for _, vectors := range []bool{true, false} {
		p := newTridiagonalPlan(t, 70, 10, batch.Options{Vectors: vectors})
		for _, n := range []int{1, 5, 33, 70} {
			d, e := matgen.Tridiagonals()[3].Tridiagonal(n)
			good := evd.Tridiagonal[float64]{D: d, E: e}
			bad := evd.Tridiagonal[float64]{D: slices.Clone(d), E: slices.Clone(e)}
			row, col := n/2, n/2
			if n > 5 {
				row++
				bad.E[col] = math.Inf(1)
			} else {
				bad.D[col] = math.NaN()
			}
			all := solveTridiagonals(t, p, good, bad, good)
			var failed *evd.NonFiniteError
			if !errors.As(all[1].Err, &failed) || failed.Row != row || failed.Col != col || !math.IsNaN(all[1].Values[0]) {
				t.Errorf("order %d: %v, values %v", n, all[1].Err, all[1].Values[:1])
			}
			want := solveTridiagonals(t, p, good)
			same(t, "beside a NaN", []batch.Spectrum[float64]{want[0], want[0]}, []batch.Spectrum[float64]{all[0], all[2]})
		}
	}
}

// TestTridiagonalsOfFarRange multiplies matrices by powers of two near the ends of the range of
// doubles. The vectors must have the same bits, and the values must be those of the matrix times
// the power of two.
func TestTridiagonalsOfFarRange(t *testing.T) {
	for _, vectors := range []bool{true, false} {
		p := newTridiagonalPlan(t, 66, 10, batch.Options{Vectors: vectors})
		for _, n := range []int{2, 20, 66} {
			var all []evd.Tridiagonal[float64]
			exponents := []int{0, 1010, -960}
			for _, x := range exponents {
				r := stagetest.Normal(n, 2, n, 7).Data
				for i := range r {
					r[i] = math.Ldexp(math.Round(r[i]*1024), x-10)
				}
				all = append(all, evd.Tridiagonal[float64]{D: r[:n], E: r[n:]})
			}
			s := solveTridiagonals(t, p, all...)
			for k, x := range exponents {
				for i, v := range s[k].Values {
					if v != math.Ldexp(s[0].Values[i], x) {
						t.Errorf("order %d times 2^%d: value %d is %v, not 2^%d·%v", n, x, i, v, x, s[0].Values[i])
						break
					}
				}
				if vectors && !slices.Equal(s[k].Vectors.Data, s[0].Vectors.Data) {
					t.Errorf("order %d times 2^%d: other vectors", n, x)
				}
			}
		}
	}
}

// TestTridiagonalsSelect compares a selected part of the spectra with the whole spectra.
func TestTridiagonalsSelect(t *testing.T) {
	d, e := matgen.Tridiagonals()[2].Tridiagonal(40)
	a := evd.Tridiagonal[float64]{D: d, E: append(e, math.NaN())} // a longer E is allowed
	whole := solveTridiagonals(t, newTridiagonalPlan(t, 40, 2, batch.Options{Vectors: true}), a)[0]
	part := solveTridiagonals(t, newTridiagonalPlan(t, 50, 2, batch.Options{Vectors: true, Select: evd.Index(3, 9)}), a)[0]
	if !slices.Equal(part.Values, whole.Values[3:9]) || !slices.Equal(part.Vectors.Data, whole.Vectors.Data[3*40:9*40]) {
		t.Errorf("values %v, not %v", part.Values, whole.Values[3:9])
	}
}

// TestTridiagonalsRefused checks the errors for wrong shapes, and the memory formula in the comment
// of NewTridiagonalPlan.
func TestTridiagonalsRefused(t *testing.T) {
	p := newTridiagonalPlan(t, 5, 2, batch.Options{})
	var shape *evd.ShapeError
	for _, a := range []evd.Tridiagonal[float64]{{D: make([]float64, 6), E: make([]float64, 5)}, {D: make([]float64, 3), E: make([]float64, 1)}} {
		if _, err := p.Solve(context.Background(), []evd.Tridiagonal[float64]{a}); !errors.As(err, &shape) || !shape.Tridiagonal {
			t.Errorf("order %d: %v", a.N(), err)
		}
	}
	right, short := evd.Tridiagonal[float64]{D: make([]float64, 3), E: make([]float64, 2)}, evd.Tridiagonal[float64]{D: make([]float64, 3), E: make([]float64, 1)}
	if _, err := p.Solve(context.Background(), []evd.Tridiagonal[float64]{right, short}); !errors.As(err, &shape) || !shape.Tridiagonal {
		t.Errorf("the second matrix is short: %v", err)
	}
	most := batch.MaxTridiagonalOrder(stagetest.Device(t), batch.Options{})
	if _, err := batch.NewTridiagonalPlan[float64](stagetest.Device(t), most+1, 1, batch.Options{}); !errors.As(err, &shape) || shape.Max != most {
		t.Errorf("order %d: %v", most+1, err)
	}
	const count, n, padding = 1 << 12, 400, 1 << 16
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	for _, vectors := range []bool{true, false} {
		p, err := batch.NewTridiagonalPlan[float64](dev, n, count, batch.Options{Vectors: vectors})
		if err != nil {
			t.Fatal(err)
		}
		want, less := 24*n+68+16*n, 0
		if vectors {
			want, less = 24*n+68+20*n*n+250*n+8*n*n, 20*n
		}
		if got := int(p.Bytes()); got < (want-less)*count || got > want*count+padding {
			t.Errorf("vectors %v: %d bytes for each matrix, not %d", vectors, got/count, want)
		}
	}
}
