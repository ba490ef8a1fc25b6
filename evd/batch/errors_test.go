package batch_test

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// orders are test orders, one for each kernel that solves batches. The kernels for small orders use
// shared memory.
var orders = []int{2, 9, 30, 66}

// TestNonFinite puts a NaN or an infinity into one matrix of each order. This matrix must have an
// error with the row and column of the entry. The other matrices must have the same bits as in a
// batch without this matrix.
func TestNonFinite(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	for _, opt := range []batch.Options{{Vectors: true}, {}, {Vectors: true, Tuning: conquering(t)}} {
		p, vectors := newPlan(t, 66, 20, opt), opt.Vectors
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
			same(t, "beside a NaN", []batch.Spectrum[float64]{want[0], want[2]}, []batch.Spectrum[float64]{res.Spectra[3*k], res.Spectra[3*k+2]})
		}
		if !errors.As(res.Err(), new(*evd.NonFiniteError)) {
			t.Errorf("the batch's error is %v", res.Err())
		}
	}
}

// TestRowMajor solves matrices that are stored by rows. Results must have the bits of the other
// storage, and an error names the row and the column of A.
func TestRowMajor(t *testing.T) {
	const n = 9
	p := newPlan(t, n, 1, batch.Options{Vectors: true})
	for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
		a := named{n: n, full: matgen.Dense()[1].Dense(n)}.symmetric(uplo)
		rows := evd.Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n), Uplo: uplo, RowMajor: true}
		for i := range n {
			for j := range n {
				rows.Data[i*n+j] = a.Data[i+j*a.Ld]
			}
		}
		same(t, "by rows", solve(t, p, a).Spectra, solve(t, p, rows).Spectra)
		row, col := 7, 2
		if uplo == evd.Upper {
			row, col = col, row
		}
		rows.Data[row*n+col] = math.Inf(1)
		var failed *evd.NonFiniteError
		if err := solve(t, p, rows).Spectra[0].Err; !errors.As(err, &failed) || failed.Row != row || failed.Col != col {
			t.Errorf("upper %v: %v, not about element (%d, %d)", uplo, err, row, col)
		}
	}
}

// TestFarRange solves matrices whose entries are near the largest or near the smallest doubles.
// Each of them is a power of two times a matrix with entries near 1. Both matrices must have the
// same vectors, and the same values except for the power of two.
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

// TestSelect selects a part of the spectrum. The part must have the same bits as in a solve for the
// whole spectrum.
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
			part := batch.Spectrum[float64]{Values: want.Spectra[k].Values[1:7]}
			if vectors {
				part.Vectors = &evd.Dense[float64]{Rows: m.N, Cols: 6, Ld: m.N, Data: want.Spectra[k].Vectors.Data[m.N : 7*m.N]}
			}
			same(t, "selected", []batch.Spectrum[float64]{part}, got.Spectra[k:k+1])
		}
		if res := solve(t, none, a...); len(res.Values) != 0 || len(res.Vectors) != 0 {
			t.Errorf("of nothing: %v", res.Values)
		}
		if _, err := some.Solve(context.Background(), []evd.Sym[float64]{evd.NewSym(5, make([]float64, 25), evd.Lower)}); !errors.As(err, new(*evd.OptionError)) {
			t.Errorf("eigenvalues 1 to 6 of order 5: %v", err)
		}
	}
}

// TestSolveInto writes vectors with a leading dimension that is larger than the order. The padding
// must not change. Some matrices have the orders 0 and 1.
func TestSolveInto(t *testing.T) {
	when.Pick(t, when.Race)
	p := newPlan(t, 20, 2, batch.Options{Vectors: true})
	var a []evd.Sym[float64]
	var out []batch.Spectrum[float64]
	for _, n := range []int{5, 0, 1, 20, 0, 3} {
		full := matgen.Dense()[0].Dense(n)
		padded := make([]float64, (n+2)*n)
		for j := range n {
			copy(padded[j*(n+2):], full[j*n:(j+1)*n])
		}
		a = append(a, evd.Sym[float64]{N: n, Ld: n + 2, Data: padded})
		v := evd.Dense[float64]{Rows: n, Cols: n, Ld: n + 3, Data: make([]float64, (n+3)*n)}
		out = append(out, batch.Spectrum[float64]{Values: make([]float64, n), Vectors: &v, Err: errors.New("old")})
	}
	profile, err := p.SolveInto(context.Background(), a, out)
	if err != nil || !(profile.Total() > 0) {
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

// TestRefusesHugeLeadingDimension uses a leading dimension of 2^62. The product of the leading
// dimension and the number of columns overflows. SolveInto must return an error.
func TestRefusesHugeLeadingDimension(t *testing.T) {
	p := newPlan(t, 5, 1, batch.Options{Vectors: true})
	a := []evd.Sym[float64]{evd.NewSym(5, make([]float64, 25), evd.Lower)}
	v := evd.Dense[float64]{Rows: 5, Cols: 5, Ld: 1 << 62, Data: make([]float64, 25)}
	_, err := p.SolveInto(context.Background(), a, []batch.Spectrum[float64]{{Values: make([]float64, 5), Vectors: &v}})
	if !errors.As(err, new(*evd.ShapeError)) {
		t.Errorf("leading dimension 2^62: %v", err)
	}
}

// TestSolveIntoOfNothing selects no vectors. Then a Dense without columns may have the leading
// dimension 0.
func TestSolveIntoOfNothing(t *testing.T) {
	when.Pick(t, when.Race)
	p := newPlan(t, 3, 2, batch.Options{Vectors: true, Select: evd.Index(1, 1)})
	m := evd.NewSym(3, make([]float64, 9), evd.Lower)
	out := []batch.Spectrum[float64]{{Vectors: &evd.Dense[float64]{Rows: 3}}, {Vectors: &evd.Dense[float64]{Rows: 3}}}
	if _, err := p.SolveInto(context.Background(), []evd.Sym[float64]{m, m}, out); err != nil || out[0].Err != nil {
		t.Error(err, out[0].Err)
	}
}

// TestRefusesResultsOfOtherShapes gives Check and SolveInto results that do not have the shape of
// the matrix, or not the number of matrices. Check must also notice a context that has ended.
func TestRefusesResultsOfOtherShapes(t *testing.T) {
	ctx := context.Background()
	p := newPlan(t, 4, 2, batch.Options{Vectors: true})
	spectrum := func(n, values, rows, cols int) batch.Spectrum[float64] {
		return batch.Spectrum[float64]{Values: make([]float64, values), Vectors: &evd.Dense[float64]{Rows: rows, Cols: cols, Ld: n, Data: make([]float64, 36)}}
	}
	rowMajor := spectrum(3, 3, 3, 3)
	rowMajor.Vectors.RowMajor = true
	a := []evd.Sym[float64]{evd.NewSym(3, make([]float64, 9), evd.Lower)}
	for name, out := range map[string][]batch.Spectrum[float64]{
		"none": {}, "two": {spectrum(3, 3, 3, 3), spectrum(3, 3, 3, 3)}, "row-major": {rowMajor},
		"values": {spectrum(3, 4, 3, 3)}, "few values": {spectrum(3, 2, 3, 3)}, "rows": {spectrum(3, 3, 2, 3)},
		"columns": {spectrum(3, 3, 3, 4)}, "few columns": {spectrum(3, 3, 3, 2)}, "leading dimension": {spectrum(2, 3, 3, 3)},
	} {
		if _, err := p.SolveInto(ctx, a, out); !errors.As(err, new(*evd.ShapeError)) {
			t.Errorf("SolveInto, %s: %v", name, err)
		}
		if _, err := p.Check(ctx, a, out); !errors.As(err, new(*evd.ShapeError)) {
			t.Errorf("Check, %s: %v", name, err)
		}
	}
	good := solve(t, p, a...).Spectra
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.Check(ended, a, good); !errors.Is(err, context.Canceled) {
		t.Errorf("a check after the end: %v", err)
	}
	if _, err := p.Solve(ended, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("an empty batch after the end: %v", err)
	}
}

// TestRefusesHugeCount makes plans with too many matrices. Kernels count the rows of all matrices
// in 32 bits. NewPlan must also refuse a count for which the number of bytes overflows an integer.
func TestRefusesHugeCount(t *testing.T) {
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	for _, count := range []int{math.MaxInt32/256 + 1, 1 << 47, math.MaxInt} {
		if _, err := batch.NewPlan[float64](dev, 256, count, batch.Options{}); !errors.As(err, new(*evd.OptionError)) {
			t.Errorf("%d matrices: %v", count, err)
		}
	}
	if _, err := batch.NewPlan[float64](dev, 256, math.MaxInt32/256, batch.Options{}); !errors.As(err, new(*vk.OutOfMemoryError)) {
		t.Errorf("the largest count: %v", err)
	}
}

// TestRefused checks the errors for wrong arguments of NewPlan, Solve and SolveInto.
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
	if _, err := p.SolveInto(context.Background(), good, []batch.Spectrum[float64]{{Values: make([]float64, 3)}}); !errors.As(err, new(*evd.ShapeError)) {
		t.Errorf("no room for vectors: %v", err)
	}
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	for name, make := range map[string]func() (*batch.Plan[float64], error){
		"an interval": func() (*batch.Plan[float64], error) {
			return batch.NewPlan[float64](dev, 5, 1, batch.Options{Select: evd.Interval(0, 1)})
		},
		"no matrices": func() (*batch.Plan[float64], error) { return batch.NewPlan[float64](dev, 5, 0, batch.Options{}) },
		"too many values": func() (*batch.Plan[float64], error) {
			return batch.NewPlan[float64](dev, 5, 1, batch.Options{Select: evd.Index(0, 6)})
		},
	} {
		if _, err := make(); !errors.As(err, new(*evd.OptionError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	most := batch.MaxOrder(dev, batch.Options{})
	for _, n := range []int{-1, most + 1} {
		if _, err := batch.NewPlan[float64](dev, n, 1, batch.Options{}); !errors.As(err, new(*evd.ShapeError)) {
			t.Errorf("order %d: %v", n, err)
		}
	}
	forecast, err := batch.NewPlan[float64](dev, 100, 1000, batch.Options{Vectors: true})
	if err != nil || forecast.Bytes() < 2*8*100*100*1000 || len(forecast.Memory()) < 4 {
		t.Errorf("a forecast: %v", err)
	}
	p.Close()
	p.Close()
	if _, err := p.Solve(context.Background(), good); !errors.Is(err, evd.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestProgress checks the calls of Options.Progress. There must be one call for each part of a
// batch, and Progress.Done must rise to Progress.Total.
func TestProgress(t *testing.T) {
	when.Pick(t, when.Race)
	var seen []evd.Progress
	p := newPlan(t, 8, 3, batch.Options{Progress: func(at evd.Progress) { seen = append(seen, at) }})
	solve(t, p, batch.Stack(8, 7, make([]float64, 7*64), evd.Lower)...)
	if len(seen) != 3 || !(seen[0].Done < seen[1].Done) || seen[2].Done != seen[2].Total || !(seen[2].Total > 0) {
		t.Errorf("progress %+v", seen)
	}
}

// TestProgressOfTridiagonals checks that a tridiagonal matrix counts with its own number of
// operations, 4/3·n³. That of a dense matrix has a term with n², too, which would change the
// shares.
func TestProgressOfTridiagonals(t *testing.T) {
	var seen []float64
	p := newTridiagonalPlan(t, 40, 1, batch.Options{Vectors: true, Progress: func(at evd.Progress) { seen = append(seen, at.Done/at.Total) }})
	zeros := func(n int) evd.Tridiagonal[float64] {
		return evd.Tridiagonal[float64]{D: make([]float64, n), E: make([]float64, n-1)}
	}
	solveTridiagonals(t, p, zeros(40), zeros(20), zeros(20))
	if want := []float64{0.8, 0.9, 1}; len(seen) != 3 || !(math.Abs(seen[0]-want[0]) < 1e-12 && math.Abs(seen[1]-want[1]) < 1e-12 && seen[2] == 1) {
		t.Errorf("progress %v, want %v", seen, want)
	}
}

// TestMemoryFormula compares Plan.Bytes with the formula in the comment of NewPlan, and with the
// bound in vkevd.h for plans of all values. The term O(n) of divide and conquer may be smaller than
// in the formula.
func TestMemoryFormula(t *testing.T) {
	const count, padding = 1 << 12, 1 << 16
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	for _, n := range []int{8, 9, 400} {
		for _, opt := range []batch.Options{{}, {Vectors: true}, {Vectors: true, Select: evd.Index(2, 5)}, {Select: evd.Index(2, 5)}} {
			p, err := batch.NewPlan[float64](dev, n, count, opt)
			if err != nil {
				t.Fatal(err)
			}
			want, less := 8*n*n+8*n+68, 0
			if n > 16 || n > 8 && opt.Vectors {
				want += 24 * n
			}
			if n > 8 && opt.Vectors {
				want += 8*n*n + 8*n
			}
			if 8 < n && n <= 128 && opt.Vectors {
				want += 4 * n * n
			}
			if n == 400 && opt.Vectors {
				want, less = want+12*n*n+250*n, 20*n
			}
			if opt.Vectors && opt.Select != (evd.Selection{}) {
				want += 8 * n * 3
			}
			if got := int(p.Bytes()); got < (want-less)*count || got > want*count+padding {
				t.Errorf("order %d, %+v: %d bytes, not %d", n, opt, got, want*count)
			}
			if most := count*(28*n*n+300*n+68) + padding; opt.Select == (evd.Selection{}) && int(p.Bytes()) > most {
				t.Errorf("order %d, %+v: %d bytes, more than %d", n, opt, p.Bytes(), most)
			}
			p.Close()
			single, err := batch.NewPlan[float32](dev, n, count, opt)
			if err != nil {
				t.Fatal(err)
			}
			half, more := (want-68)/2+68, 0 // more: the error of 170·n
			if n > 8 && opt.Vectors {
				half += 4 * n
			}
			if n == 400 && opt.Vectors {
				half, more = half+(170-125)*n, 20*n
			}
			if got := int(single.Bytes()); got < (half-more)*count || got > (half+more)*count+padding {
				t.Errorf("order %d, %+v: %d bytes for float32, not %d", n, opt, got, half*count)
			}
			single.Close()
		}
	}
}

// TestSeveralDevices solves a batch on several devices. Each device solves the next part of the
// batch when it is free. The bits of the results must be those of one device, and the last progress
// report must say that all work is done. If a device is closed, the error must name this device.
func TestSeveralDevices(t *testing.T) {
	var d [3]*vk.Device
	for i := range d {
		var err error
		if d[i], err = vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")}); err != nil {
			t.Fatal(err)
		}
		defer d[i].Close()
	}
	var a []evd.Sym[float64]
	for k := range 40 {
		n := 1 + k%17
		a = append(a, named{n: n, full: matgen.Dense()[k%5].Dense(n)}.symmetric(k%2 == 0))
	}
	plan := func(progress func(evd.Progress), others ...*vk.Device) *batch.Plan[float64] {
		p, err := batch.NewPlan[float64](d[0], 17, 3, batch.Options{Vectors: true, Devices: others, Progress: progress})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	want := solve(t, plan(nil), a...)
	done, total := 0.0, 0.0
	p := plan(func(at evd.Progress) {
		if !(at.Done >= done) {
			t.Errorf("%g after %g", at.Done, done)
		}
		done, total = at.Done, at.Total
	}, d[1], d[2])
	for range 3 {
		done = 0
		same(t, "on three devices", solve(t, p, a...).Spectra, want.Spectra)
		if done != total || total == 0 {
			t.Errorf("%g of %g operations", done, total)
		}
	}
	done = 0
	one := solve(t, p, a[0])
	same(t, "one matrix", one.Spectra, want.Spectra[:1])
	done = 0
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Solve(ctx, a); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	d[2].Close()
	var of *vk.DeviceError
	if _, err := p.Solve(context.Background(), a); !errors.As(err, &of) || of.Device != d[2] || !errors.Is(err, vk.ErrClosed) {
		t.Errorf("a closed device: %v", err)
	}
	if _, err := batch.NewPlan[float64](d[0], 17, 3, batch.Options{Devices: []*vk.Device{d[2]}}); !errors.As(err, &of) || of.Device != d[2] {
		t.Errorf("a plan on a closed device: %v", err)
	}
	for _, list := range [][]*vk.Device{{nil}, {d[0]}, {d[1], d[1]}} {
		if _, err := batch.NewPlan[float64](d[0], 17, 3, batch.Options{Devices: list}); !errors.As(err, new(*evd.OptionError)) {
			t.Errorf("devices %v: %v", list, err)
		}
	}
}
