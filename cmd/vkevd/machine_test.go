package main

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/accuracy"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/vk"
)

// A fakeMachine stands for Vulkan and the library in tests. It has one fake device, whose results
// are computed by package gonum.
type fakeMachine struct {
	info   vk.Info
	ratios evd.Ratios

	certified float64 // the ratio that Certify returns
	retried   *evd.StageError
	measured  probe.Rates
	// These errors are nil, or are set by a test. A method of the fake machine returns the one that
	// belongs to it.
	listErr, openErr, planErr, solveErr, checkErr error
	spoil                                         float64 // added to the first eigenvalue
	during, after                                 func()  // called during a solve, and after it
	none                                          bool    // there is no device at all
	arithmetic                                    probe.Arithmetic
	probeErr                                      error
	forecastErr                                   error
	starves                                       bool // waiting workgroups block running ones
	meeting                                       int  // workgroups that all wait for each other
	chosen                                        probe.Products
	emulates                                      bool // plans have emulated products
	tuneResult                                    tune.Result
	speeds                                        []float64 // of the devices, for WorkRate
	names                                         []string  // of the devices; without names, all have that of info

	// These members record the calls that the tested program has made.
	opened    []vk.Options
	planned   evd.Options    // of the last forecast
	plannedOn machine.Absent // its device
	tuning    tune.Options
	benched   bench.Options
	errorsOf  accuracy.Options
	wanted    []evd.Options
	singular  []svd.Options
	closed    int // devices and plans closed

	preloaded chan struct{} // gets a value for each call of preload, unless it is nil
}

var fakeInfo = vk.Info{
	Name: "Pretence 9000", Type: "discrete", Family: "other", Driver: "gonum", DriverVersion: "0.17", API: "1.3.0",
	Memory: 3 << 30, Free: 2 << 30,
}

// Preload runs beside the command that calls it.
func (m *fakeMachine) Preload() {
	if m.preloaded != nil {
		m.preloaded <- struct{}{}
	}
}

func (m *fakeMachine) List() ([]vk.Info, error) {
	if m.none || m.listErr != nil {
		return nil, m.listErr
	}
	return []vk.Info{m.info}, nil
}

func (m *fakeMachine) Open(opt vk.Options) (machine.Device, error) {
	m.opened = append(m.opened, opt)
	if m.openErr != nil {
		return nil, m.openErr
	}
	if len(m.names) > 0 {
		return namedDevice{m, m.names[len(m.opened)-1]}, nil
	}
	return m, nil
}

type namedDevice struct {
	*fakeMachine
	name string
}

func (d namedDevice) Info() vk.Info {
	info := d.info
	info.Name = d.name
	return info
}

func (m *fakeMachine) Forecast(on machine.Absent, t machine.Task) (p machine.Planned, unfit *vk.OutOfMemoryError, err error) {
	switch {
	case t.Kind >= machine.KindBatch:
		return machine.Vulkan{}.Forecast(on, t)
	case t.Kind < machine.KindSingular:
		m.planned, m.plannedOn = t.Evd, on
		if m.forecastErr != nil {
			return nil, nil, m.forecastErr
		}
	}
	p, err = m.Plan(t)
	if err == nil && on.Memory > 0 && p.Bytes() > on.Free {
		unfit = &vk.OutOfMemoryError{What: "the workspace", Need: p.Bytes(), Free: on.Free}
	}
	return p, unfit, err
}

func (m *fakeMachine) Plan(t machine.Task) (machine.Planned, error) {
	switch t.Kind {
	case machine.KindSingle:
		return machine.Made(m.single(t.N, t.Evd))
	case machine.KindTridiagonal:
		return machine.Made(m.tridiagonal(t.N, t.Evd))
	case machine.KindRefined:
		return machine.Made(m.refine(t.N, t.Evd))
	case machine.KindMixed:
		return machine.Made(m.mixed(t.N, t.Evd))
	case machine.KindComplex:
		p, err := m.dense(t.N, t.Evd)
		return machine.Made(fakeComplex[complex128]{p}, err)
	case machine.KindComplexSingle:
		p, err := m.dense(t.N, t.Evd)
		return machine.Made(fakeComplex[complex64]{p}, err)
	case machine.KindComplexRefined, machine.KindComplexMixed:
		p, err := m.dense(t.N, t.Evd)
		if t.Kind == machine.KindComplexMixed {
			return machine.Made(fakeComplexMixed{fakeComplex[complex128]{p}, t.Evd}, err)
		}
		return machine.Made(fakeComplexRefiner{fakeComplex[complex128]{p}, t.Evd}, err)
	case machine.KindSingular:
		return machine.Made(m.svd(t.Shape, t.Svd))
	case machine.KindSingularSingle:
		return machine.Made(m.svdSingle(t.Shape, t.Svd))
	case machine.KindBatch:
		return machine.Made(m.batch(t.Batch))
	case machine.KindTridiagonalBatch:
		p, err := m.batch(t.Batch)
		return machine.Made(fakeTridiagonals{p}, err)
	case machine.KindHermitianBatch:
		return machine.NewOneByOne[complex128](m, t)
	}
	return machine.Made(m.dense(t.N, t.Evd))
}

func (m *fakeMachine) tridiagonal(n int, opt evd.Options) (machine.TridiagonalSolver, error) {
	p, err := m.dense(n, opt)
	if err != nil {
		return nil, err
	}
	return fakeTridiagonal{p.(*fakePlan)}, nil
}

func (m *fakeMachine) With([]machine.Device) machine.Device { return m }

func (p *fakePlan) Devices() []evd.DeviceShare { return nil }
func (p *fakePlan) Distributed() bool          { return false }

func (m *fakeMachine) Info() vk.Info { return m.info }

func (m *fakeMachine) Probe(context.Context) (probe.Arithmetic, error) {
	return m.arithmetic, m.probeErr
}

func (m *fakeMachine) HandsOn() (bool, error) { return !m.starves, m.probeErr }

func (m *fakeMachine) Residency(context.Context) (probe.Residency, error) {
	return probe.Residency{Meeting: m.meeting, Meet: !m.starves}, m.probeErr
}

func (m *fakeMachine) CompileTimes() []vk.Timing {
	return []vk.Timing{{Name: "sb2st", Seconds: 0.5, Count: 1}, {Name: "gemm", Seconds: 0.25, Count: 2}}
}

func (m *fakeMachine) Rates(_ context.Context, measure bool) (probe.Rates, error) {
	if !measure {
		return probe.Rates{}, nil
	}
	return m.measured, m.probeErr
}

// WorkRate returns the rate of the device that was opened last: its element of the list `speeds`,
// or 0 if the test has set no list.
func (m *fakeMachine) WorkRate(context.Context) (float64, error) {
	if len(m.speeds) == 0 {
		return 0, nil
	}
	return m.speeds[len(m.opened)-1], nil
}

func (m *fakeMachine) Products(context.Context, bool, bool) (probe.Products, error) {
	return m.chosen, nil
}

// Tune is a fake search for the fastest sizes. It reports a note and two rows, and returns the
// result that the test has set.
func (m *fakeMachine) Tune(ctx context.Context, opt tune.Options) (tune.Result, error) {
	m.tuning = opt
	if m.planErr != nil {
		return tune.Result{}, m.planErr
	}
	opt.Note("b = 8: it spills\x1b")
	b := &fakeBench{m, bench.Options{Repeat: opt.Repeat}}
	opt.Row(m.tuneResult.Choice, b.row("sy2sb", opt.N))
	opt.Row(m.tuneResult.Choice, b.row("sb2st", opt.N))
	return m.tuneResult, ctx.Err()
}

func (m *fakeMachine) Close() error {
	m.closed++
	return nil
}

func (m *fakeMachine) dense(n int, opt evd.Options) (machine.Solver, error) {
	m.wanted = append(m.wanted, opt)
	if m.planErr != nil {
		return nil, m.planErr
	}
	return &fakePlan{m, n, opt}, nil
}

func (m *fakeMachine) single(n int, opt evd.Options) (machine.DenseSolver[float32], error) {
	p, err := m.dense(n, opt)
	if err != nil {
		return nil, err
	}
	return fakeSingle{p.(*fakePlan)}, nil
}

// fakeSingle is a fake plan for matrices in single precision.
type fakeSingle struct{ *fakePlan }

func (p fakeSingle) Bytes() uint64 { return p.fakePlan.Bytes() / 2 }

func (p fakeSingle) Solve(ctx context.Context, a evd.Sym[float32]) (*evd.Result[float32], error) {
	wide := evd.Sym[float64]{N: a.N, Ld: a.Ld, Uplo: a.Uplo, Data: make([]float64, len(a.Data))}
	for i, x := range a.Data {
		wide.Data[i] = float64(x)
	}
	w, err := p.fakePlan.Solve(ctx, wide)
	if err != nil {
		return nil, err
	}
	res := &evd.Result[float32]{First: w.First, Values: w.Values, Profile: w.Profile}
	if z := w.Vectors; z != nil {
		res.Vectors = &evd.Dense[float32]{Rows: z.Rows, Cols: z.Cols, Ld: z.Ld}
		for _, x := range z.Data {
			res.Vectors.Data = append(res.Vectors.Data, float32(x))
		}
	}
	return res, nil
}

func (p fakeSingle) Check(context.Context, evd.Sym[float32], *evd.Result[float32]) (evd.Ratios, error) {
	return evd.Ratios{Residual: 0.5, Orthogonality: 0.25}, nil
}

// fakeComplex is a fake plan for Hermitian matrices. For a matrix S + iK it solves the real matrix
// [[S, −K], [K, S]], which has each eigenvalue twice. An eigenvector (u, v) of the real matrix
// gives the eigenvector u + iv. These 2n vectors span n dimensions, so n of them are kept.
type fakeComplex[T complex64 | complex128] struct{ machine.Solver }

func (p fakeComplex[T]) Solve(ctx context.Context, a evd.Sym[T]) (*evd.Result[T], error) {
	n := a.N
	b := evd.Sym[float64]{N: 2 * n, Ld: 2 * n, Data: make([]float64, 4*n*n)}
	for j := range n {
		for i := j; i < n; i++ { // the other triangle is not read
			x := complex128(a.Data[i+j*a.Ld])
			if i == j {
				x = complex(real(x), 0)
			}
			for _, c := range []struct {
				i, j int
				x    float64
			}{{i, j, real(x)}, {n + i, n + j, real(x)}, {n + i, j, imag(x)}, {n + j, i, -imag(x)}} {
				b.Data[c.i+c.j*2*n], b.Data[c.j+c.i*2*n] = c.x, c.x
			}
		}
	}
	w, err := p.Solver.Solve(ctx, b)
	if err != nil {
		return nil, err
	}
	res := &evd.Result[T]{First: w.First, Profile: w.Profile}
	for k := 0; k < len(w.Values); k += 2 {
		res.Values = append(res.Values, w.Values[k])
	}
	z := w.Vectors
	if z == nil {
		return res, nil
	}
	res.Vectors = &evd.Dense[T]{Rows: n, Cols: n, Ld: max(n, 1)}
	var found [][]complex128
	for k := 0; k < z.Cols && len(found) < n; k++ {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(z.Data[i+k*z.Ld], z.Data[n+i+k*z.Ld])
		}
		if !orthogonalized(x, found) {
			continue
		}
		found = append(found, x)
		for _, y := range x {
			res.Vectors.Data = append(res.Vectors.Data, T(y))
		}
	}
	return res, nil
}

// orthogonalized makes x orthogonal to the vectors `to`, whose norm is 1, and then scales x to norm
// 1. It returns false if the norm of x was at most 0.05 before the scaling.
func orthogonalized(x []complex128, to [][]complex128) bool {
	for range 2 {
		for _, y := range to {
			var dot complex128
			for i := range x {
				dot += cmplx.Conj(y[i]) * x[i]
			}
			for i := range x {
				x[i] -= dot * y[i]
			}
		}
	}
	norm := 0.0
	for _, y := range x {
		norm = math.Hypot(norm, cmplx.Abs(y))
	}
	for i := range x {
		x[i] /= complex(norm, 0)
	}
	return norm > 0.05
}

func (p fakeComplex[T]) Check(ctx context.Context, a evd.Sym[T], res *evd.Result[T]) (evd.Ratios, error) {
	return p.Solver.Check(ctx, evd.Sym[float64]{}, nil)
}

type fakePlan struct {
	*fakeMachine
	n   int
	opt evd.Options
}

func (p *fakePlan) Close() { p.closed++ }

func (p *fakePlan) Emulated() bool { return p.emulates }

func (p *fakePlan) Bytes() uint64 { return 16 * uint64(p.n) * uint64(p.n) }

func (p *fakePlan) Memory() []vk.Placed {
	half := p.Bytes() / 2
	return []vk.Placed{{Name: "A", Offset: 0, Bytes: half}, {Name: "V", Offset: half, Bytes: half}, {Name: "nothing", Offset: half}}
}

func (p *fakePlan) Costs() []evd.StageCost {
	n := float64(p.n)
	return []evd.StageCost{{Stage: "band reduction", Flops: 4. / 3 * n * n * n}, {Stage: "bulge chasing", Flops: 6 * n * n, Model: &chase.ChaseModel{Path: 2992, Stalls: 8, Seconds: 0.003}}}
}

// begin does the first part of every fake solve. It reports the stages, and calls the function that
// the test has set as `during`. It returns an error if the context has ended, or if the test has
// set solveErr.
func (m *fakeMachine) begin(ctx context.Context, costs []evd.StageCost, report func(evd.Progress)) error {
	for i, c := range costs {
		if report == nil {
			break
		}
		report(evd.Progress{Stage: c.Stage, Done: float64(i), Total: 2})
	}
	if m.during != nil {
		m.during()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return m.solveErr
}

func (p *fakePlan) Solve(ctx context.Context, a evd.Sym[float64]) (*evd.Result[float64], error) {
	if p.after != nil {
		defer p.after()
	}
	if err := p.begin(ctx, p.Costs(), p.opt.Progress); err != nil {
		return nil, err
	}
	res := &evd.Result[float64]{Profile: vk.NewProfile(), Retried: p.retried}
	res.Profile.Add("band reduction", 0.75)
	res.Profile.Add("tridiagonal on host", 0.25)
	if p.n == 0 {
		if p.opt.Vectors {
			res.Vectors = &evd.Dense[float64]{Ld: 1}
		}
		return res, nil
	}
	sym := mat.NewSymDense(a.N, slices.Clone(a.Data))
	var e mat.EigenSym
	if !e.Factorize(sym, true) {
		return nil, fmt.Errorf("gonum gave up")
	}
	res.Values = e.Values(nil)
	res.Values[0] += p.spoil
	if p.opt.Vectors {
		var q mat.Dense
		e.VectorsTo(&q)
		t := mat.DenseCopyOf(q.T()).RawMatrix() // rows of Qᵀ are columns of Q
		res.Vectors = &evd.Dense[float64]{Rows: a.N, Cols: a.N, Ld: t.Stride, Data: t.Data}
	}
	return res, nil
}

func (p *fakePlan) Check(context.Context, evd.Sym[float64], *evd.Result[float64]) (evd.Ratios, error) {
	return p.ratios, p.checkErr
}

// A fakeTridiagonal is a fake plan for tridiagonal matrices. It solves them as dense matrices.
type fakeTridiagonal struct{ *fakePlan }

func (p fakeTridiagonal) Bytes() uint64 { return 32 * uint64(p.n) }

func (p fakeTridiagonal) Solve(ctx context.Context, t evd.Tridiagonal[float64]) (*evd.Result[float64], error) {
	n := t.N()
	a := evd.Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	for i, x := range t.D {
		a.Data[i+i*n] = x
		if i+1 < n {
			a.Data[i+1+i*n], a.Data[i+(i+1)*n] = t.E[i], t.E[i]
		}
	}
	return p.fakePlan.Solve(ctx, a)
}

func (p fakeTridiagonal) Check(context.Context, evd.Tridiagonal[float64], *evd.Result[float64]) (evd.Ratios, error) {
	return p.ratios, p.checkErr
}

func (p fakeTridiagonal) Certify(context.Context, evd.Tridiagonal[float64], *evd.Result[float64]) (float64, error) {
	return p.certified, p.checkErr
}

func (m *fakeMachine) refine(n int, opt evd.Options) (machine.Planned, error) {
	p, err := m.dense(n, opt)
	if err != nil {
		return nil, err
	}
	return fakeRefiner{p.(*fakePlan)}, nil
}

func (m *fakeMachine) mixed(n int, opt evd.Options) (machine.Planned, error) {
	p, err := m.dense(n, opt)
	if err != nil {
		return nil, err
	}
	return fakeMixed{p.(*fakePlan)}, nil
}

type fakeMixed struct{ *fakePlan }

// Solve reports a refinement of two steps. If the first element of the matrix is 0, Solve reports a
// solve in double precision.
func (p fakeMixed) Solve(ctx context.Context, a evd.Sym[float64]) (*evd.Result[float64], error) {
	return fakeRefiner{p.fakePlan}.Refine(ctx, a, evd.Dense[float64]{Data: a.Data})
}

type fakeRefiner struct{ *fakePlan }

// Refine solves the problem with the fake plan, and reports a refinement of two steps. If the first
// element of the vectors is 0, Refine reports a solve without refinement.
func (p fakeRefiner) Refine(ctx context.Context, a evd.Sym[float64], q evd.Dense[float64]) (*evd.Result[float64], error) {
	res, err := p.fakePlan.Solve(ctx, a)
	return fakeRefinement(res, q.Data[0] == 0, p.opt, err)
}

func fakeRefinement[T evd.Double](res *evd.Result[T], cold bool, opt evd.Options, err error) (*evd.Result[T], error) {
	if err != nil {
		return nil, err
	}
	res.Refinement = &evd.Refinement{Steps: 2, Changes: []float64{1e-4, 1e-8}, Clusters: 1, Largest: 3}
	if cold {
		res.Refinement.Cold = evd.ColdFar
	}
	if opt.Verify {
		res.Certificate = &evd.Certificate{Ratios: evd.Ratios{Residual: 0.25, Orthogonality: 0.5}}
	}
	return res, nil
}

type fakeComplexRefiner struct {
	fakeComplex[complex128]
	opt evd.Options
}

func (p fakeComplexRefiner) Refine(ctx context.Context, a evd.Sym[complex128], q evd.Dense[complex128]) (*evd.Result[complex128], error) {
	res, err := p.fakeComplex.Solve(ctx, a)
	return fakeRefinement(res, q.Data[0] == 0, p.opt, err)
}

type fakeComplexMixed struct {
	fakeComplex[complex128]
	opt evd.Options
}

func (p fakeComplexMixed) Solve(ctx context.Context, a evd.Sym[complex128]) (*evd.Result[complex128], error) {
	return fakeComplexRefiner(p).Refine(ctx, a, evd.Dense[complex128]{Data: a.Data})
}
