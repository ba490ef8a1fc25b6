package accuracy

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func testDevice(t *testing.T) *vk.Device {
	t.Helper()
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func formats(dev *vk.Device) []svd.Storage {
	if dev.Info().HalfStorage() {
		return []svd.Storage{svd.Double, svd.Single, svd.Half}
	}
	return []svd.Storage{svd.Double, svd.Single}
}

// TestSpectra checks the ends and the mean of each distribution. The mean of a quarter circle is
// 4/(3π).
func TestSpectra(t *testing.T) {
	const n = 1000
	for _, c := range []struct {
		of                Spectrum
		first, last, mean float64
	}{
		{Arithmetic, 1, 1.0 / n, 0.5}, {Logarithmic, 1, 1e-4, (1 - 1e-4) / math.Log(1e4)}, {QuarterCircle, 1, 0, 4 / (3 * math.Pi)},
	} {
		v := c.of.Values(n)
		if !slices.IsSortedFunc(v, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) || !(v[n-1] >= 0 && v[0] <= 1) {
			t.Errorf("%v: not descending in [0, 1]: %g … %g", c.of, v[0], v[n-1])
		}
		if !(math.Abs(v[0]-c.first) <= 0.01 && math.Abs(v[n-1]-c.last) <= 0.001 && math.Abs(floats.Sum(v)/n-c.mean) <= 0.002) {
			t.Errorf("%v: from %g to %g, mean %g; want %+v", c.of, v[0], v[n-1], floats.Sum(v)/n, c)
		}
		if one := c.of.Values(1); len(one) != 1 || !(one[0] > 0 && one[0] <= 1) {
			t.Errorf("%v: %v", c.of, one)
		}
	}
}

func TestQuartiles(t *testing.T) {
	for _, c := range []struct {
		of   []float64
		want Quartiles
	}{
		{[]float64{3}, Quartiles{3, 3, 3, 3, 3}}, {[]float64{5, 1, 3, 2, 4}, Quartiles{1, 2, 3, 4, 5}},
		{[]float64{4, 2}, Quartiles{2, 2.5, 3, 3.5, 4}},
	} {
		if got := quartilesOf(c.of); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.of, got, c.want)
		}
	}
}

// TestSource makes a matrix and reduces it to a band. The singular values of both, which gonum
// computes, must be the wanted ones. The matrix must be dense.
func TestSource(t *testing.T) {
	dev, small := testDevice(t), tuning.Smallest()
	const n, b = 37, 5
	sigma := QuarterCircle.Values(n)
	host, err := matrixOf(context.Background(), dev, sigma, rand.New(rand.NewPCG(1, 2)), small)
	if err != nil {
		t.Fatal(err)
	}
	if largest := floats.Norm(host, math.Inf(1)); !(largest <= 0.6) {
		t.Errorf("an entry of %g: the orthogonal factors are not random", largest)
	}
	band, err := bandOf(context.Background(), dev, host, n, b, small)
	if err != nil {
		t.Fatal(err)
	}
	full := mat.NewDense(n, n, nil)
	for j := range n {
		for i := max(0, j-b); i <= j; i++ {
			full.Set(i, j, band.Data[b+i-j+j*band.Ld])
		}
	}
	for what, x := range map[string]mat.Matrix{"dense": mat.NewDense(n, n, host), "band": full} {
		var f mat.SVD
		if !f.Factorize(x, mat.SVDNone) {
			t.Fatal("gonum gave up")
		}
		if e := relative(f.Values(nil), sigma); !(e < 1e-14) {
			t.Errorf("%s: error of the singular values %g", what, e)
		}
	}
}

// TestRun measures small matrices. There must be a row for each combination, the errors must be
// those of the formats, and the same seed must give the same errors.
func TestRun(t *testing.T) {
	dev, small := testDevice(t), tuning.Smallest()
	opt := Options{Orders: []int{20, 40}, Bands: []int{4, 24}, Trials: 2, Seed: 7, Storages: formats(dev), Tuning: &small}
	bounds := map[string][2]float64{"double": {0, 2e-15}, "single": {1e-9, 3e-7}, "half": {1e-5, 1e-3}}
	runs := [][]float64{nil, nil}
	for k := range runs {
		err := Run(context.Background(), dev, opt, func(r Row) error {
			if at := bounds[r.Precision]; !(r.Error >= at[0] && r.Error <= at[1]) || !(r.Seconds > 0) || r.Passes[0] != r.B || r.Device == "" {
				t.Errorf("%+v", r)
			}
			runs[k] = append(runs[k], r.Error)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		opt.Orders, opt.Bands = opt.Orders[1:], opt.Bands[1:] // the seed of a matrix does not depend on the others
	}
	if bands := 3 * 2 * 3; len(runs[0]) != bands*len(opt.Storages) { // 20 has one band, and 40 has two
		t.Errorf("%d rows", len(runs[0]))
	}
	for _, e := range runs[1] {
		if !slices.Contains(runs[0], e) {
			t.Errorf("an error of %g is not in the first run", e)
		}
	}
}

// TestRunRefuses checks the errors for impossible options, for a device without 16-bit storage, for
// a caller that does not want more rows, and for a context that has ended.
func TestRunRefuses(t *testing.T) {
	dev, ctx := testDevice(t), context.Background()
	good := Options{Orders: []int{20}, Bands: []int{4}, Trials: 1}
	change := func(f func(*Options)) Options {
		o := good
		f(&o)
		return o
	}
	for want, opt := range map[string]Options{
		"Orders: no order":   change(func(o *Options) { o.Orders = nil }),
		"Orders: 1 is too":   change(func(o *Options) { o.Orders = []int{20, 1} }),
		"Bands: no width":    change(func(o *Options) { o.Bands = nil }),
		"Bands: 0 is too":    change(func(o *Options) { o.Bands = []int{0} }),
		"Bands: no band is":  change(func(o *Options) { o.Bands = []int{20, 30} }),
		"Trials: must be":    change(func(o *Options) { o.Trials = 0 }),
		"Tile: must not be":  change(func(o *Options) { o.Tile = -1 }),
		"Storages: must be ": change(func(o *Options) { o.Storages = []svd.Storage{3} }),
	} {
		var bad *OptionError
		if err := Run(ctx, dev, opt, nil); !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	info := dev.Info()
	info.Features = nil
	var lacks *vk.UnsupportedError
	if err := Run(ctx, vk.Dry(info), good, nil); !errors.As(err, &lacks) {
		t.Errorf("without 16-bit storage: %v", err)
	}
	good.Storages = []svd.Storage{svd.Double}
	full := errors.New("no space")
	if err := Run(ctx, dev, good, func(Row) error { return full }); err != full {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := Run(cancelled, dev, good, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestSingleDoesNotDrift guards against a defect: where fma() is not fused, the factor γ of each
// reflector was too large by 0.2 units in the last place on average, so the error of the singular
// values in single precision grew in proportion to n. For order 256 the error was 1.7e-7, and is
// 5e-8 now.
func TestSingleDoesNotDrift(t *testing.T) {
	opt := Options{Orders: []int{256}, Bands: []int{32}, Trials: 1, Seed: 1, Storages: []svd.Storage{svd.Single}}
	if err := Run(context.Background(), testDevice(t), opt, func(r Row) error {
		if !(r.Error < 1.1e-7) {
			t.Errorf("%s spectrum: error %.3g", r.Spectrum, r.Error)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
