package evd_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func severally(opt evd.Options, others ...*vk.Device) evd.Options {
	opt.Devices = others
	return opt
}

// solved makes a plan with the options `opt`, solves once for the Hermitian matrix a of order n,
// column-major, and returns the result.
func solved[T evd.Number](t *testing.T, d *vk.Device, n int, a []T, opt evd.Options) *evd.Result[T] {
	t.Helper()
	p, err := evd.NewPlan[T](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	in := slices.Clone(a)
	res, err := p.Solve(context.Background(), evd.Sym[T]{N: n, Ld: max(n, 1), Data: in})
	if err != nil {
		t.Fatalf("n = %d, %d further devices: %v", n, len(opt.Devices), err)
	}
	if !opt.Overwrite && !slices.Equal(in, a) {
		t.Error("the input was written to")
	}
	return res
}

// agree fails the test if two results have different bits.
func agree[T evd.Number](t *testing.T, name string, got, want *evd.Result[T]) {
	t.Helper()
	if got.First != want.First || !slices.Equal(got.Values, want.Values) {
		t.Errorf("%s: other values", name)
	}
	if (got.Vectors == nil) != (want.Vectors == nil) {
		t.Fatalf("%s: vectors %v, not %v", name, got.Vectors != nil, want.Vectors != nil)
	}
	for k := range want.Values {
		if want.Vectors != nil && !slices.Equal(got.Vectors.Col(k), want.Vectors.Col(k)) {
			t.Errorf("%s: vector %d of %d has other bits", name, k, len(want.Values))
			return
		}
	}
}

// unsplit returns a tuning with small sizes, with which no product is divided along its inner
// dimension. An element of a product then has the same bits for every number of vectors.
func unsplit() *tuning.Tuning {
	t := small()
	t.Products.Units = 1
	return t
}

// TestSeveralDevicesFindTheSameBits solves on two and on three devices. The results must have the
// same bits as on one device. The test uses all ways in which vectors can be copied to the host,
// and orders that are smaller than the number of devices.
func TestSeveralDevicesFindTheSameBits(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	when.Pick(t, when.Race)
	d := [3]*vk.Device{device(t, vk.Options{}), device(t, vk.Options{}), device(t, vk.Options{})}
	for n, options := range map[int]map[string]evd.Options{
		1: {"all": {}}, 2: {"all": {}, "one": {Select: evd.Index(1, 2)}, "rows": {RowMajor: true}},
		3: {"rows": {RowMajor: true}}, 5: {"none": {Select: evd.Index(2, 2)}},
		33: {"MRRR": {Solver: evd.MRRR, RowMajor: true}, "two stages": {Band: 4, Block: 8}},
		67: {
			"all": {}, "rows": {RowMajor: true}, "overwrite": {Overwrite: true}, "overwrite rows": {Overwrite: true, RowMajor: true},
			"part": {Select: evd.Index(11, 40)}, "interval": {Select: evd.Interval(-3, 3), RowMajor: true},
			"QR": {Solver: evd.QR}, "waves": {NoWaits: true}, "verify": {Verify: true},
			"part by divide and conquer": {Solver: evd.DivideConquer, Select: evd.Index(30, 61)},
		},
	} {
		a := full(random(n))
		for name, opt := range options {
			opt.Vectors, opt.Tuning = true, unsplit()
			want := solved(t, d[0], n, a, opt)
			for k := range 2 {
				what := fmt.Sprintf("n = %d, %s, %d devices", n, name, k+2)
				got := solved(t, d[0], n, a, severally(opt, d[1:k+2]...))
				agree(t, what, got, want)
				if opt.Verify && (got.Certificate == nil || got.Certificate.Safe || *got.Certificate != *want.Certificate) {
					t.Errorf("%s: certificate %v, not %v", what, got.Certificate, want.Certificate)
				}
			}
		}
	}
}

// TestSeveralDevicesInSinglePrecision checks that two devices give the bits of one device in single
// precision, too.
func TestSeveralDevicesInSinglePrecision(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d, e := device(t, vk.Options{}), device(t, vk.Options{})
	const n = 45
	a := make([]float32, n*n)
	for i, x := range full(random(n)) {
		a[i] = float32(x)
	}
	for _, opt := range []evd.Options{{}, {RowMajor: true}, {Select: evd.Index(3, 20)}} {
		opt.Vectors, opt.Tuning = true, unsplit()
		agree(t, "float32", solved(t, d, n, a, severally(opt, e)), solved(t, d, n, a, opt))
	}
}

// TestSeveralDevicesOnLapacksMatrices solves LAPACK's test matrices on two devices, with vectors.
// For the first matrix it also finds the values without vectors, which uses only the first device.
func TestSeveralDevicesOnLapacksMatrices(t *testing.T) {
	when.Long(t, "TestEveryKindOfMatrix, on one device; TestSeveralDevicesFindTheSameBits")
	d, e := device(t, vk.Options{}), device(t, vk.Options{})
	const n = 130
	p, err := evd.NewPlan[float64](d, n, severally(evd.Options{Vectors: true, Tuning: small()}, e))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var vectors *evd.Result[float64]
	for i, kind := range matgen.Dense() {
		a := kind.Dense(n)
		sym := evd.Sym[float64]{N: n, Ld: n, Data: a}
		res, err := p.Solve(context.Background(), sym)
		if err != nil {
			t.Fatalf("%s: %v", kind.Name(), err)
		}
		t.Run(kind.Name(), func(t *testing.T) { judge(t, n, a, res) })
		if i > 0 {
			continue
		}
		vectors = res
		if r, err := p.Check(context.Background(), sym, res); err != nil || !(max(r.Residual, r.Orthogonality) < good) {
			t.Errorf("%s: ratios %+v, %v", kind.Name(), r, err)
		}
	}
	values, err := evd.NewPlan[float64](d, n, severally(evd.Options{}, e))
	if err != nil {
		t.Fatal(err)
	}
	defer values.Close()
	res, err := values.Solve(context.Background(), evd.Sym[float64]{N: n, Ld: n, Data: matgen.Dense()[0].Dense(n)})
	if err != nil || len(values.Devices()) != 1 {
		t.Fatal(err, values.Devices())
	}
	if r := ratio.Values(n, res.Values, vectors.Values, norm2(res.Values)); !(r < good) {
		t.Errorf("values alone differ by %g·n·ε·‖A‖", r)
	}
}

// TestProgressOfSeveralDevices solves on two devices. Progress.Done must never decrease, and must
// be at least 0.9·Progress.Total at the end. The profile must have the phases of both devices.
func TestProgressOfSeveralDevices(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	when.Pick(t, when.Race)
	for _, distribute := range []bool{false, true} {
		t.Run(fmt.Sprint("distribute ", distribute), func(t *testing.T) { progressOfTwo(t, distribute) })
	}
}

func progressOfTwo(t *testing.T, distribute bool) {
	d, e := device(t, vk.Options{Batch: time.Nanosecond}), device(t, vk.Options{Batch: time.Nanosecond})
	const n = 100
	done, total := 0.0, 0.0
	var seen []string
	opt := severally(evd.Options{Vectors: true, Distribute: distribute, Tuning: small(), Progress: func(p evd.Progress) {
		if !(p.Done >= done) {
			t.Errorf("%s: %g after %g", p.Stage, p.Done, done)
		}
		done, total = p.Done, p.Total
		if !slices.Contains(seen, p.Stage) {
			seen = append(seen, p.Stage)
		}
	}}, e)
	res := solved(t, d, n, full(random(n)), opt)
	if !(done >= 0.9*total) || !slices.Contains(seen, "back transformation 1") {
		t.Errorf("%g of %g operations, phases %q", done, total, seen)
	}
	phases := []string{"band reduction", "bulge chasing", "back transformation 1", "back transformation 1, device " + fmt.Sprint(e.Info().Index), "copies to other devices, on host"}
	if distribute {
		phases = append(phases, "band reduction, device "+fmt.Sprint(e.Info().Index))
	}
	for _, p := range res.Profile.Phases {
		if strings.HasPrefix(p.Name, "bidiagonal") {
			t.Errorf("%q is a phase of singular values", p.Name)
		}
	}
	for _, phase := range phases {
		if !(res.Profile.Phase(phase) > 0) {
			t.Errorf("there is no time for %q: %+v", phase, res.Profile.Phases)
		}
	}
}

// TestProgressOfADeviceWithoutVectors asks two devices for one vector. Only one device has work in
// the back transformation. The progress of this device must be reported.
func TestProgressOfADeviceWithoutVectors(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	d, e := device(t, vk.Options{Batch: time.Nanosecond}), device(t, vk.Options{Batch: time.Nanosecond})
	const n = 30
	var seen []string
	solved(t, d, n, full(random(n)), severally(evd.Options{Vectors: true, Select: evd.Index(0, 1), Tuning: small(), Progress: func(p evd.Progress) {
		seen = append(seen, p.Stage)
	}}, e))
	if !slices.Contains(seen, "back transformation 1") {
		t.Errorf("phases %q", slices.Compact(seen))
	}
}

// TestSeveralDevicesAreCancelled cancels a solve on two devices in each phase. Solve must return,
// and the plan must work afterwards. If the progress function panics, Solve must panic with the
// same value.
func TestSeveralDevicesAreCancelled(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	when.Pick(t, when.Race)
	for _, distribute := range []bool{false, true} {
		t.Run(fmt.Sprint("distribute ", distribute), func(t *testing.T) { cancelledOnTwo(t, distribute) })
	}
}

func cancelledOnTwo(t *testing.T, distribute bool) {
	d, e := device(t, vk.Options{Batch: time.Nanosecond}), device(t, vk.Options{Batch: time.Nanosecond})
	const n = 60
	a := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	reports, end := 0, func(int) {}
	p, err := evd.NewPlan[float64](d, n, severally(evd.Options{Vectors: true, Distribute: distribute, Tuning: small(), Progress: func(evd.Progress) {
		reports++
		end(reports)
	}}, e))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	want, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	all := reports
	for at := 1; at < all; at += 1 + all/12 {
		ctx, cancel := context.WithCancel(context.Background())
		reports, end = 0, func(k int) {
			if k == at {
				cancel()
			}
		}
		if _, err := p.Solve(ctx, a); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at report %d of %d: %v", at, all, err)
		}
		cancel()
	}
	reports, end = 0, func(k int) {
		if k == all-1 {
			panic("enough")
		}
	}
	func() {
		defer func() {
			if v := recover(); v != "enough" {
				t.Errorf("recovered %v", v)
			}
		}()
		p.Solve(context.Background(), a)
		t.Error("Solve returned")
	}()
	end = func(int) {}
	got, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "after cancelled solves", got, want)
}

// TestSeveralDevicesOfWhichOneIsClosed closes one of the devices of a plan during a solve. Solve
// must return an error that names this device, unless it had ended before.
func TestSeveralDevicesOfWhichOneIsClosed(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	const n = 60
	for which, reported := range [][]int{{60}, {3, 60}, {20, 150}, {3, 20, 150}} {
		distribute := which > 1
		which := which % 2
		for i, at := range reported {
			t.Run(fmt.Sprintf("device %d at %d, divided %v", which, at, distribute), func(t *testing.T) {
				if i > 0 {
					when.Skip(t, when.Validation, "another report")
				}
				var d [2]*vk.Device
				for i := range d {
					var err error
					if d[i], err = vk.Open(vk.Options{Device: evd.DeviceName(t), Batch: time.Nanosecond}); err != nil {
						t.Fatal(err)
					}
					defer d[i].Close()
				}
				reports := 0
				var once sync.Once
				p, err := evd.NewPlan[float64](d[0], n, severally(evd.Options{Vectors: true, Distribute: distribute, Tuning: small(), Progress: func(evd.Progress) {
					if reports++; reports == at {
						once.Do(func() { go d[which].Close() })
					}
				}}, d[1]))
				if err != nil {
					t.Fatal(err)
				}
				_, err = p.Solve(context.Background(), evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))})
				var of *vk.DeviceError
				if err != nil && (!errors.As(err, &of) || of.Device != d[which] || !errors.Is(err, vk.ErrClosed)) {
					t.Errorf("device %d closed at report %d: %v", which, at, err)
				}
				p.Close()
			})
		}
	}
}

// TestMemoryOfSeveralDevices checks the memory of a plan on several devices. Each device has a
// layout of its own, and an error for lack of memory must name the device. A device must not be
// twice in the list.
func TestMemoryOfSeveralDevices(t *testing.T) {
	info := vk.Info{Name: "large", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Memory: 1 << 40, Free: 1 << 40}
	large, other := vk.Dry(info), vk.Dry(info)
	const n = 8192
	p, err := evd.NewPlan[float64](large, n, severally(evd.Options{Vectors: true}, other))
	if err != nil {
		t.Fatal(err)
	}
	all, matrix := p.Devices(), uint64(8*n*n)
	if len(all) != 2 || all[0].Bytes != p.Bytes() || all[0].Device != large || all[1].Device != other || all[0].Part != 0.5 || all[1].Part != 0.5 {
		t.Fatalf("%+v", all)
	}
	if b := all[1].Bytes; b < 2*matrix || b > all[0].Bytes {
		t.Errorf("the second device needs %d bytes, the first one %d", b, all[0].Bytes)
	}
	info.Name, info.Free = "little", matrix/2 // this memory is too little, even for a part of a divided matrix
	little := vk.Dry(info)
	_, err = evd.NewPlan[float64](large, n, severally(evd.Options{Vectors: true}, little))
	var of *vk.DeviceError
	if !errors.As(err, new(*vk.OutOfMemoryError)) || !errors.As(err, &of) || of.Device != little {
		t.Errorf("too little memory on the second device: %v", err)
	}
	_, err = evd.NewPlan[float64](little, n, severally(evd.Options{Vectors: true}, large))
	if !errors.As(err, new(*vk.OutOfMemoryError)) || !errors.As(err, &of) || of.Device != little {
		t.Errorf("too little memory on the first device: %v", err)
	}
	for _, list := range [][]*vk.Device{{nil}, {large}, {other, other}} {
		if _, err := evd.NewPlan[float64](large, n, severally(evd.Options{Vectors: true}, list...)); !errors.As(err, new(*evd.OptionError)) {
			t.Errorf("%v: %v", list, err)
		}
	}
	if _, err := evd.NewTridiagonalPlan[float64](large, n, severally(evd.Options{Vectors: true}, other)); !errors.As(err, new(*evd.OptionError)) {
		t.Errorf("a tridiagonal plan: %v", err)
	}
}
