package batch_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/vk"
)

// orders has an order for each kernel of the device, in shared memory and beyond.
var orders = []int{2, 9, 30, 66}

// TestNonFinite puts a NaN or an infinity into one matrix of each order. Only this matrix must have
// an error, which names the entry. The others must have the same bits as without it.
func TestNonFinite(t *testing.T) {
	for _, vectors := range []bool{true, false} {
		p := newPlan(t, 66, 20, batch.Options{Vectors: vectors})
		var a, good []evd.Sym[float64]
		for k, n := range orders {
			for range 3 {
				a = append(a, named{n: n, full: matgen.Dense()[k].Dense(n)}.symmetric(evd.Lower))
			}
			bad := slices.Clone(a[3*k+1].Data)
			bad[n-1+n*(n/2)] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.NaN()}[k]
			good = append(good, a[3*k+1])
			a[3*k+1] = evd.NewSym(n, bad, evd.Lower)
		}
		res := solve(t, p, a...)
		for k, n := range orders {
			var failed *evd.NonFiniteError
			s := res.Spectra[3*k+1]
			if !errors.As(s.Err, &failed) || failed.Row != n-1 || failed.Col != n/2 || !math.IsNaN(s.Values[n-1]) {
				t.Errorf("order %d: %v, values %v", n, s.Err, s.Values[:2])
			}
			if vectors && !math.IsNaN(s.Vectors.Data[n*n-1]) {
				t.Errorf("order %d: there are vectors after an error", n)
			}
			want := solve(t, p, a[3*k], good[k], a[3*k+2]).Spectra
			same(t, "beside a NaN", []batch.Spectrum{want[0], want[2]}, []batch.Spectrum{res.Spectra[3*k], res.Spectra[3*k+2]})
		}
		if !errors.As(res.Err(), new(*evd.NonFiniteError)) {
			t.Errorf("the batch's error is %v", res.Err())
		}
	}
}

// TestFarRange solves matrices whose entries are near both ends of the range of doubles. The
// vectors must be those of the same matrix with entries near 1, and the values must be scaled.
func TestFarRange(t *testing.T) {
	p := newPlan(t, 66, 10, batch.Options{Vectors: true})
	for _, n := range orders {
		kind := matgen.Dense()[0]
		m := named{n: n, full: kind.Dense(n)}
		middle := solve(t, p, m.symmetric(evd.Upper)).Spectra[0]
		for _, exponent := range []int{-990, 990} {
			far := named{n: n, full: kind.Scaled(exponent).Dense(n)}
			s := solve(t, p, far.symmetric(evd.Upper)).Spectra[0]
			for i, x := range middle.Values {
				if s.Values[i] != math.Ldexp(x, exponent) {
					t.Fatalf("order %d, 2^%d: value %d is %v, not %v", n, exponent, i, s.Values[i], math.Ldexp(x, exponent))
				}
			}
			if !slices.Equal(s.Vectors.Data, middle.Vectors.Data) {
				t.Errorf("order %d, 2^%d: other vectors", n, exponent)
			}
		}
	}
}

// TestSelect checks that a part of the spectrum has the same bits as in a solve for the whole
// spectrum.
func TestSelect(t *testing.T) {
	for _, vectors := range []bool{true, false} {
		whole := newPlan(t, 66, 10, batch.Options{Vectors: vectors})
		some := newPlan(t, 66, 3, batch.Options{Vectors: vectors, Select: evd.Index(1, 7)})
		none := newPlan(t, 66, 3, batch.Options{Vectors: vectors, Select: evd.Index(2, 2)})
		var a []evd.Sym[float64]
		for _, n := range []int{9, 66, 30, 12, 7} {
			a = append(a, named{n: n, full: matgen.Dense()[1].Dense(n)}.symmetric(evd.Lower))
		}
		want, got := solve(t, whole, a...), solve(t, some, a...)
		if got.First != 1 || len(got.Values) != 6*len(a) {
			t.Errorf("values from %d on: %v", got.First, got.Values)
		}
		for k, m := range a {
			part := batch.Spectrum{Values: want.Spectra[k].Values[1:7]}
			if vectors {
				part.Vectors = &evd.Dense[float64]{Rows: m.N, Cols: 6, Ld: m.N, Data: want.Spectra[k].Vectors.Data[m.N : 7*m.N]}
			}
			same(t, "selected", []batch.Spectrum{part}, got.Spectra[k:k+1])
		}
		if res := solve(t, none, a...); len(res.Values) != 0 || len(res.Vectors) != 0 {
			t.Errorf("of nothing: %v", res.Values)
		}
		if _, err := some.Solve(context.Background(), []evd.Sym[float64]{evd.NewSym(5, make([]float64, 25), evd.Lower)}); !errors.As(err, new(*evd.OptionError)) {
			t.Errorf("eigenvalues 1 to 6 of order 5: %v", err)
		}
	}
}

// TestSolveInto writes vectors with a leading dimension and checks that the padding does not
// change. It includes the orders 0 and 1.
func TestSolveInto(t *testing.T) {
	p := newPlan(t, 20, 2, batch.Options{Vectors: true})
	var a []evd.Sym[float64]
	var out []batch.Spectrum
	for _, n := range []int{5, 0, 1, 20, 0, 3} {
		full := matgen.Dense()[0].Dense(n)
		padded := make([]float64, (n+2)*n)
		for j := range n {
			copy(padded[j*(n+2):], full[j*n:(j+1)*n])
		}
		a = append(a, evd.Sym[float64]{N: n, Ld: n + 2, Data: padded})
		v := evd.Dense[float64]{Rows: n, Cols: n, Ld: n + 3, Data: make([]float64, (n+3)*n)}
		out = append(out, batch.Spectrum{Values: make([]float64, n), Vectors: &v, Err: errors.New("old")})
	}
	profile, err := p.SolveInto(context.Background(), a, out)
	if err != nil || profile.Total() <= 0 {
		t.Fatal(err, profile)
	}
	for k, s := range solve(t, p, a...).Spectra {
		n := a[k].N
		if out[k].Err != nil || !slices.Equal(out[k].Values, s.Values) {
			t.Errorf("number %d: %v, values %v, not %v", k, out[k].Err, out[k].Values, s.Values)
		}
		for j := range n {
			if !slices.Equal(out[k].Vectors.Col(j), s.Vectors.Col(j)) || slices.ContainsFunc(out[k].Vectors.Data[j*(n+3)+n:(j+1)*(n+3)], func(x float64) bool { return x != 0 }) {
				t.Errorf("number %d: vector %d differs, or what is beside it was written", k, j)
			}
		}
	}
}

// TestRefusesHugeLeadingDimension has a leading dimension of 2^62. The product of the columns and the leading dimension overflows.
func TestRefusesHugeLeadingDimension(t *testing.T) {
	p := newPlan(t, 5, 1, batch.Options{Vectors: true})
	a := []evd.Sym[float64]{evd.NewSym(5, make([]float64, 25), evd.Lower)}
	v := evd.Dense[float64]{Rows: 5, Cols: 5, Ld: 1 << 62, Data: make([]float64, 25)}
	_, err := p.SolveInto(context.Background(), a, []batch.Spectrum{{Values: make([]float64, 5), Vectors: &v}})
	if !errors.As(err, new(*evd.ShapeError)) {
		t.Errorf("leading dimension 2^62: %v", err)
	}
}

// TestSolveIntoOfNothing checks that, where no vectors are selected, a Dense without columns needs no leading
// dimension.
func TestSolveIntoOfNothing(t *testing.T) {
	p := newPlan(t, 3, 2, batch.Options{Vectors: true, Select: evd.Index(1, 1)})
	m := evd.NewSym(3, make([]float64, 9), evd.Lower)
	out := []batch.Spectrum{{Vectors: &evd.Dense[float64]{Rows: 3}}, {Vectors: &evd.Dense[float64]{Rows: 3}}}
	if _, err := p.SolveInto(context.Background(), []evd.Sym[float64]{m, m}, out); err != nil || out[0].Err != nil {
		t.Error(err, out[0].Err)
	}
}

// TestRefusesHugeCount has counts above the limit. Kernels count the rows of all matrices in 32 bits. A count whose memory is
// more than an integer can tell is refused, too.
func TestRefusesHugeCount(t *testing.T) {
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	for _, count := range []int{math.MaxInt32/256 + 1, 1 << 47, math.MaxInt} {
		if _, err := batch.NewPlan(dev, 256, count, batch.Options{}); !errors.As(err, new(*evd.OptionError)) {
			t.Errorf("%d matrices: %v", count, err)
		}
	}
	if _, err := batch.NewPlan(dev, 256, math.MaxInt32/256, batch.Options{}); !errors.As(err, new(*vk.OutOfMemoryError)) {
		t.Errorf("the largest count: %v", err)
	}
}

// TestRefused checks the errors of plans, and those of matrices that do not fit.
func TestRefused(t *testing.T) {
	p := newPlan(t, 10, 2, batch.Options{Vectors: true})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	good := []evd.Sym[float64]{evd.NewSym(3, make([]float64, 9), evd.Lower)}
	if _, err := p.Solve(ctx, good); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	for name, a := range map[string]evd.Sym[float64]{
		"too large": evd.NewSym(11, make([]float64, 121), evd.Lower), "too short": evd.NewSym(3, make([]float64, 8), evd.Lower),
	} {
		if _, err := p.Solve(context.Background(), []evd.Sym[float64]{a}); !errors.As(err, new(*evd.ShapeError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.SolveInto(context.Background(), good, []batch.Spectrum{{Values: make([]float64, 3)}}); !errors.As(err, new(*evd.ShapeError)) {
		t.Errorf("no room for vectors: %v", err)
	}
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	for name, make := range map[string]func() (*batch.Plan, error){
		"an interval": func() (*batch.Plan, error) {
			return batch.NewPlan(dev, 5, 1, batch.Options{Select: evd.Interval(0, 1)})
		},
		"no matrices":     func() (*batch.Plan, error) { return batch.NewPlan(dev, 5, 0, batch.Options{}) },
		"too many values": func() (*batch.Plan, error) { return batch.NewPlan(dev, 5, 1, batch.Options{Select: evd.Index(0, 6)}) },
	} {
		if _, err := make(); !errors.As(err, new(*evd.OptionError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	most := batch.MostOrder(dev, batch.Options{})
	for _, n := range []int{-1, most + 1} {
		if _, err := batch.NewPlan(dev, n, 1, batch.Options{}); !errors.As(err, new(*evd.ShapeError)) {
			t.Errorf("order %d: %v", n, err)
		}
	}
	forecast, err := batch.NewPlan(dev, 100, 1000, batch.Options{Vectors: true})
	if err != nil || forecast.Bytes() < 2*8*100*100*1000 || len(forecast.Memory()) < 4 {
		t.Errorf("a forecast: %v", err)
	}
	p.Close()
	p.Close()
	if _, err := p.Solve(context.Background(), good); !errors.Is(err, evd.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestProgress checks that Done rises to Total, once for each part.
func TestProgress(t *testing.T) {
	var seen []evd.Progress
	p := newPlan(t, 8, 3, batch.Options{Progress: func(at evd.Progress) { seen = append(seen, at) }})
	solve(t, p, batch.Stack(8, 7, make([]float64, 7*64), evd.Lower)...)
	if len(seen) != 3 || seen[0].Done >= seen[1].Done || seen[2].Done != seen[2].Total || seen[2].Total <= 0 {
		t.Errorf("progress %+v", seen)
	}
}

// TestMemoryFormula compares forecasts with the formula in the comment of NewPlan.
func TestMemoryFormula(t *testing.T) {
	const count, padding = 1 << 12, 1 << 16
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	for _, n := range []int{16, 17} {
		for _, opt := range []batch.Options{{}, {Vectors: true}, {Vectors: true, Select: evd.Index(2, 5)}, {Select: evd.Index(2, 5)}} {
			p, err := batch.NewPlan(dev, n, count, opt)
			if err != nil {
				t.Fatal(err)
			}
			want := 8*n*n + 8*n + 68
			if n > 16 {
				want += 40 * n
			}
			if n > 16 && opt.Vectors {
				want += 8 * n * n
			}
			if opt.Vectors && opt.Select != (evd.Selection{}) {
				want += 8 * n * 3
			}
			if got := int(p.Bytes()); got < want*count || got > want*count+padding {
				t.Errorf("order %d, %+v: %d bytes, not %d", n, opt, got, want*count)
			}
			p.Close()
		}
	}
}

// TestInfiniteValue has matrices with all entries equal to the largest float64: the largest
// eigenvalue is n times as large, which is infinite.
func TestInfiniteValue(t *testing.T) {
	for _, n := range []int{2, 40} {
		data := slices.Repeat([]float64{math.MaxFloat64}, n*n)
		s := solve(t, newPlan(t, n, 1, batch.Options{Vectors: true}), evd.NewSym(n, data, evd.Lower)).Spectra[0]
		if s.Err != nil || !math.IsInf(s.Values[n-1], 1) || math.IsInf(s.Values[0], 0) {
			t.Errorf("order %d: %v, values %v", n, s.Err, s.Values)
		}
	}
}
