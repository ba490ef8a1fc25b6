package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestDistributedMatrices solves with the matrix divided among two and three devices, for small and
// odd orders, for all ways to return vectors, and for orders smaller than a block of columns. The
// values must be those of one device, up to rounding errors. If all vectors are computed, their
// errors must be small. A second solve must give the same bits.
func TestDistributedMatrices(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	d := [3]*vk.Device{device(t, vk.Options{}), device(t, vk.Options{}), device(t, vk.Options{})}
	for n, options := range map[int]map[string]evd.Options{
		0: {"all": {Vectors: true}}, 1: {"all": {Vectors: true}, "values": {}},
		2: {"all": {Vectors: true}, "values": {}, "one": {Vectors: true, Select: evd.Index(1, 2)}},
		3: {"rows": {Vectors: true, RowMajor: true}}, 5: {"none": {Vectors: true, Select: evd.Index(2, 2)}, "values": {}},
		33: {"MRRR": {Vectors: true, Solver: evd.MRRR, RowMajor: true}, "sizes": {Vectors: true, Band: 6, Block: 18}},
		67: {
			"all": {Vectors: true}, "rows": {Vectors: true, RowMajor: true}, "overwrite": {Vectors: true, Overwrite: true},
			"overwrite rows": {Vectors: true, Overwrite: true, RowMajor: true},
			"part":           {Vectors: true, Select: evd.Index(11, 40)}, "interval": {Vectors: true, Select: evd.Interval(-3, 3), RowMajor: true},
			"QR": {Vectors: true, Solver: evd.QR}, "waves": {Vectors: true, NoWaits: true}, "values": {}, "verified values": {Verify: true},
			"one block": {Vectors: true, Band: 10, Block: 70},
		},
	} {
		a := full(random(n))
		for name, opt := range options {
			opt.Tuning = small()
			want := solved(t, d[0], n, a, opt)
			opt.Distribute = true
			for k := range 2 {
				what := fmt.Sprintf("n = %d, %s, %d devices", n, name, k+2)
				t.Run(what, func(t *testing.T) {
					if k == 0 {
						when.Skip(t, when.Validation, "three devices")
					}
					got := solved(t, d[0], n, a, severally(opt, d[1:k+2]...))
					agree(t, what+", again", solved(t, d[0], n, a, severally(opt, d[1:k+2]...)), got)
					if got.First != want.First || len(got.Values) != len(want.Values) || (got.Certificate == nil) == opt.Verify {
						t.Fatalf("%s: %d values from %d on, certificate %v", what, len(got.Values), got.First, got.Certificate)
					}
					if n > 0 {
						if r := ratio.Values(n, got.Values, want.Values, norm2(want.Values)); !(r < good) {
							t.Errorf("%s: values differ by %g·n·ε·‖A‖", what, r)
						}
					}
					if opt.Vectors && len(got.Values) == n && n > 0 {
						judge(t, n, a, byColumns(got))
					}
				})
			}
		}
	}
}

func byColumns[T evd.Number](res *evd.Result[T]) *evd.Result[T] {
	z := evd.Dense[T]{Rows: res.Vectors.Rows, Cols: res.Vectors.Cols, Ld: res.Vectors.Rows}
	for j := range z.Cols {
		z.Data = append(z.Data, res.Vectors.Col(j)...)
	}
	return &evd.Result[T]{Values: res.Values, Vectors: &z}
}

// TestDistributedLapacksMatrices solves LAPACK's test matrices, divided between two devices. Some
// of them have such large or small entries that they are multiplied by a power of two. Every third
// matrix is also solved from its upper triangle, which must give the same bits.
func TestDistributedLapacksMatrices(t *testing.T) {
	when.Long(t, "TestDistributedMatrices, with other kinds of matrices")
	distributedKinds(t, matgen.Dense())
}

func TestDistributedKindsOfHermitians(t *testing.T) {
	when.Long(t, "TestDistributedHermitians, with other kinds of matrices")
	distributedKinds(t, matgen.Hermitians())
}

func distributedKinds[T double, K interface {
	Name() string
	Dense(n int) []T
}](t *testing.T, kinds []K) {
	d, e := device(t, vk.Options{}), device(t, vk.Options{})
	const n = 83
	p := planOf[T](t, d, n, severally(evd.Options{Vectors: true, Distribute: true, Tuning: small()}, e))
	for i, kind := range kinds {
		a := kind.Dense(n)
		var lower *evd.Result[T]
		for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper}[:1+i%3/2] {
			res, err := p.Solve(context.Background(), stored(n, n, a, uplo, i%2 == 0))
			if err != nil {
				t.Fatalf("%s: %v", kind.Name(), err)
			}
			if lower == nil {
				lower = res
				t.Run(kind.Name(), func(t *testing.T) { judge(t, n, a, res) })
				continue
			}
			agree(t, kind.Name()+", upper triangle", res, lower)
		}
	}
}

// TestDistributedInSinglePrecision solves matrices that are divided among devices, in single
// precision, for all vectors and for a part of them.
func TestDistributedInSinglePrecision(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	const n = 45
	t.Run("float32", func(t *testing.T) { distributedSingles[float32](t, n, full(random(n))) })
	t.Run("complex64", func(t *testing.T) { distributedSingles[complex64](t, n, randomHermitian(n)) })
}

func distributedSingles[T single, D double](t *testing.T, n int, a []D) {
	d, e, f := device(t, vk.Options{}), device(t, vk.Options{}), device(t, vk.Options{})
	single, double := rounded[T](a)
	opt := severally(evd.Options{Vectors: true, Distribute: true, Tuning: small()}, e, f)
	for _, part := range []evd.Selection{{}, evd.Index(3, 20)} {
		opt.Select = part
		res, err := planOf[T](t, d, n, opt).Solve(context.Background(), evd.NewSym(n, single, evd.Lower))
		if err != nil {
			t.Fatal(err)
		}
		values, z := widened[D](res)
		m := len(values)
		if r := ratio.Residual(n, m, double, n, values, z, n) * shorter; !(r < good) {
			t.Errorf("residual %g", r)
		}
		if r := ratio.Orthogonality(n, m, z, n) * shorter; !(r < good) {
			t.Errorf("orthogonality %g", r)
		}
	}
}

// TestMemoryOfDistributedMatrices checks that a device holds only its part of the matrix. Several
// devices must solve a matrix for which one of them has too little memory. If they have too little
// together, the error must name the device.
func TestMemoryOfDistributedMatrices(t *testing.T) {
	const n = 16384
	matrix := float64(8 * n * n)
	info := vk.Info{Name: "dry", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Memory: 1 << 40, Free: 1 << 40}
	for _, opt := range []evd.Options{{}, {Vectors: true}, {Vectors: true, Select: evd.Index(0, 100)}} {
		one, err := evd.NewPlan[float64](vk.Dry(info), n, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Distribute = true
		devices := []*vk.Device{vk.Dry(info), vk.Dry(info), vk.Dry(info)}
		p, err := evd.NewPlan[float64](vk.Dry(info), n, severally(opt, devices...))
		if err != nil {
			t.Fatal(err)
		}
		shared := 0.0
		for k, s := range p.Devices() {
			t.Logf("vectors %v, %v: device %d has %.3f·n² numbers; one device %.3f·n²", opt.Vectors, opt.Select, k, float64(s.Bytes)/matrix, float64(one.Bytes())/matrix)
			for _, r := range s.Memory {
				if r.Name == "columns of A, Q1" {
					shared += float64(r.Bytes) / matrix
					if part := float64(r.Bytes) / matrix; !(part <= 0.15) {
						t.Errorf("device %d has %.3f·n² numbers of A", k, part)
					}
				}
			}
			if s.Bytes > one.Bytes()*3/4 {
				t.Errorf("device %d has %d bytes, one device has %d", k, s.Bytes, one.Bytes())
			}
		}
		if !(shared >= 0.5 && shared <= 0.52) {
			t.Errorf("all devices have %.3f·n² numbers of A", shared)
		}
		little := info
		little.Free = p.Devices()[0].Bytes
		if _, err := evd.NewPlan[float64](vk.Dry(little), n, evd.Options{Vectors: opt.Vectors, Select: opt.Select}); !errors.As(err, new(*vk.OutOfMemoryError)) {
			t.Errorf("one device: %v", err)
		}
		if _, err := evd.NewPlan[float64](vk.Dry(little), n, severally(opt, devices...)); err != nil {
			t.Errorf("four devices: %v", err)
		}
		little.Free = p.Devices()[3].Bytes - 1
		last := vk.Dry(little)
		_, err = evd.NewPlan[float64](vk.Dry(info), n, severally(opt, devices[0], devices[1], last))
		var of *vk.DeviceError
		if !errors.As(err, new(*vk.OutOfMemoryError)) || !errors.As(err, &of) || of.Device != last {
			t.Errorf("too little memory on the last device: %v", err)
		}
	}
}

// TestDistributeRefuses checks options that cannot be combined with Distribute, and bad values of
// Shares.
func TestDistributeRefuses(t *testing.T) {
	d, e := device(t, vk.Options{}), device(t, vk.Options{})
	const n = 9
	refused := func(what string, err error) {
		t.Helper()
		var bad *evd.OptionError
		if !errors.As(err, &bad) || bad.Option != "Distribute" {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := evd.NewPlan[float64](d, n, evd.Options{Distribute: true})
	refused("one device", err)
	both := severally(evd.Options{Distribute: true, Vectors: true}, e)
	_, err = evd.NewRefinePlan[float64](d, n, both)
	refused("refinement", err)
	_, err = evd.NewMixedPlan[float64](d, n, both)
	refused("mixed precision", err)
	_, err = evd.NewTridiagonalPlan[float64](d, n, evd.Options{Distribute: true})
	refused("tridiagonal", err)
	for _, list := range [][]float64{{1}, {1, 2, 3}, {1, 0}, {-1, 1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		var bad *evd.OptionError
		opt := severally(evd.Options{Vectors: true, Shares: list}, e)
		if _, err := evd.NewPlan[float64](d, n, opt); !errors.As(err, &bad) || bad.Option != "Shares" {
			t.Errorf("shares %v: %v", list, err)
		}
	}
}

// TestVectorsOfALargeMatrixFitFourDevices plans a matrix of order 100,000 with all vectors on four
// devices of 141 GB. No device could hold all vectors of the tridiagonal matrix together with its
// part of the matrix and of the reflectors. In single precision each device needs less.
func TestVectorsOfALargeMatrixFitFourDevices(t *testing.T) {
	for _, solver := range []evd.Solver{evd.Auto, evd.DivideConquer} {
		double, single := bytesOfFour[float64](t, solver), bytesOfFour[float32](t, solver)
		for k := range double {
			t.Logf("%v, device %d: %.1f GB, in single precision %.1f GB", solver, k, double[k]/1e9, single[k]/1e9)
			if !(single[k] < double[k]) {
				t.Errorf("%v, device %d: single precision does not need less", solver, k)
			}
		}
		if !(single[0] <= 1.01*single[1]) { // the first device has no more vectors than the second one
			t.Errorf("%v: the first device needs %.1f GB, the second one %.1f GB", solver, single[0]/1e9, single[1]/1e9)
		}
	}
}

// bytesOfFour returns the bytes of each of four devices for a matrix of order 100,000 with all
// vectors.
func bytesOfFour[T evd.Float](t *testing.T, solver evd.Solver) (bytes []float64) {
	const n, memory = 100_000, 141e9
	info := vk.Info{Name: "dry", Family: "nvidia", SharedBytes: 228 << 10, MaxLocal: 1024, Memory: memory, Free: memory}
	opt := severally(evd.Options{Vectors: true, Distribute: true, Solver: solver}, vk.Dry(info), vk.Dry(info), vk.Dry(info))
	p, err := evd.NewPlan[T](vk.Dry(info), n, opt)
	if err != nil {
		t.Fatalf("%v: %v", solver, err)
	}
	for _, d := range p.Devices() {
		bytes = append(bytes, float64(d.Bytes))
	}
	return bytes
}

// TestPlansDistributeByThemselves makes plans for one device and for four devices, which have more
// or less memory. If a plan does not fit one device, but four that divide the matrix, the four must
// divide it. If it does not fit four, either, the error is a *vk.OutOfMemoryError.
func TestPlansDistributeByThemselves(t *testing.T) {
	const n = 16384
	info := vk.Info{Name: "dry", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Memory: 1 << 40, Free: 1 << 40}
	for _, c := range []struct {
		vectors bool
		share   float64 // each device has memory for share·n² numbers
		divided bool
		fits    bool
	}{{true, 4, false, true}, {true, 1.7, true, true}, {true, 1.2, true, false}, {false, 2, false, true}, {false, 0.5, true, true}, {false, 0.1, true, false}} {
		card := info
		card.Free = uint64(c.share * 8 * n * n)
		opt := evd.Options{Vectors: c.vectors}
		if _, err := evd.NewPlan[float64](vk.Dry(card), n, opt); (err == nil) != (!c.divided) {
			t.Errorf("%+v, one device: %v", c, err)
		}
		p, err := evd.NewPlan[float64](vk.Dry(card), n, severally(opt, vk.Dry(card), vk.Dry(card), vk.Dry(card)))
		if !c.fits {
			if !errors.As(err, new(*vk.OutOfMemoryError)) || !errors.As(err, new(*vk.DeviceError)) {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil || p.Distributed() != c.divided {
			t.Fatalf("%+v: %v", c, err)
		}
		for _, d := range p.Devices() {
			if d.Bytes > card.Free {
				t.Errorf("%+v: %d bytes of %d", c, d.Bytes, card.Free)
			}
		}
	}
}
