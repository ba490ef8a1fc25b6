package trials

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// TestSoak solves matrices of random kinds and orders with random options, and checks each result.
// It runs for the time in VKEVD_SOAK, for example "1h". Without VKEVD_SOAK it solves only a few
// matrices. VKEVD_SOAK_SEED is the random seed, to repeat a failed run, and VKEVD_SOAK_N is the
// largest order. When a device is closed, no object may be left. The memory in use must not grow
// from device to device.
func TestSoak(t *testing.T) {
	limit, seed, most := time.Duration(0), uint64(1), 60
	if word := os.Getenv("VKEVD_SOAK"); word != "" {
		var err error
		if limit, err = time.ParseDuration(word); err != nil {
			t.Fatal(err)
		}
		seed, most = uint64(time.Now().UnixNano()), 400
	}
	if n, err := strconv.ParseUint(os.Getenv("VKEVD_SOAK_SEED"), 10, 64); err == nil {
		seed = n
	}
	if n, err := strconv.Atoi(os.Getenv("VKEVD_SOAK_N")); err == nil {
		most = n
	}
	s := &soak{T: t, rng: rand.New(rand.NewPCG(seed, 0)), most: most, kinds: matgen.Dense(), limit: limit, began: time.Now()}
	t.Logf("VKEVD_SOAK_SEED=%d VKEVD_SOAK_N=%d", seed, most)
	for first := true; first || s.goesOn(); first = false {
		s.oneDevice()
	}
	s.report()
	s.flat()
}

type soak struct {
	*testing.T
	rng   *rand.Rand
	most  int
	kinds []matgen.DenseKind
	limit time.Duration
	began time.Time

	solves, cancelled, refused, devices int
	vectors, largest                    int
	worst                               float64 // ratio
	memory                              []sample
}

// sample is the memory in use while no plan is open: the memory of the process on the host, and the
// memory of the device. Both are in bytes.
type sample struct{ host, device uint64 }

func (s *soak) goesOn() bool { return time.Since(s.began) < s.limit && !s.Failed() }

// plansADevice is the number of plans on one open device. Then the test closes it and opens it again.
const plansADevice = 12

func (s *soak) oneDevice() {
	opt := vk.Options{}
	switch s.rng.IntN(8) {
	case 0, 1:
		opt.Batch = oneCommand
	case 2, 3:
		opt.CacheDir = s.TempDir()
	case 4:
		opt.DebugShaders = s.limit > 0
	}
	d, err := open(opt)
	if err != nil {
		s.Fatal(err)
	}
	for plan := 0; plan == 0 || plan < plansADevice && (s.limit == 0 || s.goesOn()); plan++ {
		s.onePlan(d)
	}
	debug.FreeOSMemory()
	s.memory = append(s.memory, sample{resident(), used(d)})
	d.Close()
	nothingLeft(s.T, "a device")
	s.devices++
	if s.devices%50 == 0 {
		s.report()
	}
}

// order returns a random order. The logarithm of the order is uniform, because small matrices find
// more defects.
func (s *soak) order() int {
	return int(math.Exp(s.rng.Float64() * math.Log(float64(s.most)+1)))
}

// draw returns random options for order n, and a description of the part of the spectrum that they
// select. The options can be combined with each other.
func (s *soak) draw(n int) (opt evd.Options, what string) {
	opt = evd.Options{Vectors: s.rng.IntN(2) == 0, NoWaits: s.rng.IntN(3) == 0, Verify: s.rng.IntN(4) == 0}
	// Each new tuning needs new pipelines. On the CPU their compilation takes longer than the
	// solve.
	if s.limit == 0 || s.rng.IntN(2) == 0 {
		small := tuning.Smallest()
		opt.Tuning = &small
	}
	if s.limit > 0 && s.rng.IntN(3) == 0 {
		bands := []int{1, 3, 8, 16, 32, 48, 64}
		opt.Band = bands[s.rng.IntN(len(bands))]
		opt.Block = opt.Band * (1 + s.rng.IntN(3))
	}
	if names := evd.Solvers(); s.rng.IntN(2) == 0 {
		var err error
		if opt.Solver, err = evd.ParseSolver(names[s.rng.IntN(len(names))]); err != nil {
			s.Fatal(err)
		}
		opt.Vectors = opt.Vectors && opt.Solver.Vectors()
	}
	what = "all"
	switch s.rng.IntN(4) {
	case 0:
		from := s.rng.IntN(n + 1)
		to := from + s.rng.IntN(n-from+1)
		opt.Select, what = evd.Index(from, to), fmt.Sprintf("[%d, %d)", from, to)
	case 1:
		from, to := s.rng.NormFloat64(), s.rng.NormFloat64()
		if from < to {
			opt.Select, what = evd.Interval(from, to), fmt.Sprintf("(%g, %g]", from, to)
		}
	}
	opt.Overwrite = opt.Vectors && !opt.Verify && s.rng.IntN(4) == 0
	opt.RowMajor = opt.Vectors && s.rng.IntN(4) == 0
	return opt, what
}

// refusable is the smallest half-bandwidth for which a device may have too little shared memory.
// The device may then refuse the plan.
const refusable = 32

func (s *soak) onePlan(d *vk.Device) {
	n := s.order()
	opt, selected := s.draw(n)
	name := fmt.Sprintf("solve %d: n = %d, vectors %v, %s, solver %v, band %d, block %d, wavefront %v, verify %v, smallest %v, overwrite %v, row-major %v",
		s.solves, n, opt.Vectors, selected, opt.Solver, opt.Band, opt.Block, opt.NoWaits, opt.Verify, opt.Tuning != nil, opt.Overwrite, opt.RowMajor)
	p, err := evd.NewPlan[float64](d, n, opt)
	var lacks *vk.UnsupportedError
	switch {
	case opt.Band >= refusable && errors.As(err, &lacks):
		s.refused++
		return
	case err != nil:
		s.Fatalf("%s: %v", name, err)
	}
	defer p.Close()
	objects := driver.Live()
	for range 1 + s.rng.IntN(3) {
		kind := s.kinds[s.rng.IntN(len(s.kinds))]
		a := s.stored(n, kind.Dense(n))
		if s.rng.IntN(8) == 0 {
			s.cancel(p, a, name)
			continue
		}
		res, err := p.Solve(context.Background(), evd.Sym[float64]{N: a.N, Ld: a.Ld, Uplo: a.Uplo, Data: append([]float64(nil), a.Data...)})
		if err != nil {
			s.Fatalf("%s, %s: %v", name, kind.Name(), err)
		}
		s.solves++
		s.largest = max(s.largest, n)
		s.judge(p, a, kind, res, opt, name+", "+kind.Name())
	}
	if now := driver.Live(); now > objects+2 { // the staging buffer comes with the first transfer
		s.Errorf("%s: %d objects, %d before", name, now, objects)
	}
}

// stored copies one triangle of a full matrix to a matrix for Solve. The other triangle and the
// padding of that matrix are NaN, so that a test fails if Solve reads them.
func (s *soak) stored(n int, full []float64) evd.Sym[float64] {
	a := evd.Sym[float64]{N: n, Ld: max(1, n+s.rng.IntN(3)), Uplo: s.rng.IntN(2) == 0}
	a.Data = make([]float64, a.Ld*n)
	for i := range a.Data {
		a.Data[i] = math.NaN()
	}
	for j := range n {
		for i := range n {
			if i == j || (i > j) == (a.Uplo == evd.Lower) {
				a.Data[i+j*a.Ld] = full[i+j*n]
			}
		}
	}
	return a
}

// cancel starts a solve and ends its context at a random time.
func (s *soak) cancel(p *evd.Plan[float64], a evd.Sym[float64], name string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(s.rng.ExpFloat64()*float64(5*time.Millisecond)))
	defer cancel()
	if _, err := p.Solve(ctx, a); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		s.Fatalf("%s, cancelled: %v", name, err)
	}
	s.cancelled++
}

// referenceOrder is the largest order of matrices that gonum solves, too, for comparison.
const referenceOrder = 80

// judge checks a result by LAPACK's measures and, for small matrices, by comparison with gonum's
// result.
func (s *soak) judge(p *evd.Plan[float64], a evd.Sym[float64], kind matgen.DenseKind, res *evd.Result[float64], opt evd.Options, name string) {
	s.Helper()
	n := a.N
	full := kind.Dense(n)
	good := func(what string, r float64) {
		s.worst = max(s.worst, r)
		if !(r < evd.Threshold) {
			s.Errorf("%s: %s %g", name, what, r)
		}
	}
	if opt.Vectors {
		s.vectors++
		z := res.Vectors
		var columns []float64
		for j := range z.Cols {
			columns = append(columns, z.Col(j)...)
		}
		good("residual", ratio.Residual(n, z.Cols, full, max(n, 1), res.Values, columns, max(n, 1)))
		good("orthogonality", ratio.Orthogonality(n, z.Cols, columns, max(n, 1)))
		if r, err := p.Check(context.Background(), a, res); err != nil || !r.Passed() {
			s.Errorf("%s: check %+v, %v", name, r, err)
		}
	}
	if opt.Verify && (res.Certificate == nil || res.Certificate.Safe) {
		s.Errorf("%s: certificate %+v", name, res.Certificate)
	}
	if n == 0 || n > referenceOrder {
		return
	}
	if res.First < 0 || res.First+len(res.Values) > n {
		s.Fatalf("%s: values %d to %d", name, res.First, res.First+len(res.Values))
	}
	shift := -exponent(full)
	want, known := reference(n, scaled(full, shift))
	if !known {
		s.Logf("%s: gonum gave up", name)
		return
	}
	want = scaled(want, -shift)
	// leastNormal is the smallest normal number. The error measure uses a norm of at least this
	// number, because eigenvalues below it have fewer digits.
	const leastNormal = 0x1p-1022
	norm := max(math.Abs(want[0]), math.Abs(want[n-1]), leastNormal)
	good("values", ratio.Values(n, res.Values, want[res.First:res.First+len(res.Values)], norm))
}

// exponent returns the binary exponent of the entry with the largest magnitude.
func exponent(v []float64) int {
	top := 0.0
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	_, e := math.Frexp(top)
	return e
}

func scaled(v []float64, shift int) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = math.Ldexp(x, shift)
	}
	return out
}

// reference returns the eigenvalues that gonum computes for a full matrix of order n. The norm of
// the matrix must be near one, because with other norms gonum may panic. `ok` is false if gonum
// fails.
func reference(n int, full []float64) (values []float64, ok bool) {
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, full), false) {
		return nil, false
	}
	return e.Values(nil), true
}

func (s *soak) report() {
	last := s.memory[len(s.memory)-1]
	s.Logf("%v: %d solves, %d of them with vectors, up to n = %d, %d cancelled, %d plans refused, %d devices; worst ratio %.3g; resident %d MiB, device %d MiB",
		time.Since(s.began).Round(time.Second), s.solves, s.vectors, s.largest, s.cancelled, s.refused, s.devices, s.worst, last.host>>20, last.device>>20)
}

// flat checks that the memory in use does not grow from device to device. It uses only the second
// half of the devices, because caches fill during the first half. It compares medians, because a
// compiler may keep much more memory after its largest kernel. Small leaks are found by the
// function nothingLeft.
func (s *soak) flat() {
	if s.limit == 0 {
		return
	}
	var host, device []uint64
	var moreHost, moreDevice []int64
	for i, m := range s.memory {
		host, device = append(host, m.host>>20), append(device, m.device>>20)
		if i > len(s.memory)/2 {
			moreHost = append(moreHost, int64(m.host-s.memory[i-1].host))
			moreDevice = append(moreDevice, int64(m.device-s.memory[i-1].device))
		}
	}
	s.Logf("MiB resident after each device: %d; used on it: %d", host, device)
	const few, slack = 15, 4 << 20
	if len(moreHost) < few {
		return
	}
	if m := median(moreHost); m > slack {
		s.Errorf("the process grows by %d KiB a device", m>>10)
	}
	if m := median(moreDevice); m > slack {
		s.Errorf("the device fills by %d KiB each time", m>>10)
	}
}

func median(v []int64) int64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// resident is the memory of the process, in bytes. It is 0 if the system does not report it.
func resident() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseUint(strings.Fields(string(text))[1], 10, 64)
	return pages * uint64(os.Getpagesize())
}

// used is the memory in use of a discrete GPU, in bytes. It is 0 for other devices, because their
// memory also belongs to other processes.
func used(d *vk.Device) uint64 {
	if d.Info().Type != "discrete" {
		return 0
	}
	total, free := d.Memory()
	return total - free
}
