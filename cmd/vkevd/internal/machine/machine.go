// Package machine opens devices and makes the plans of the library for them. Tests replace it by a
// fake.
package machine

import (
	"context"
	"errors"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/accuracy"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/stages"
	batchs "github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/vk"
)

// A Machine is what the commands use of Vulkan and of the library. Tests have a fake one, without a
// device.
type Machine interface {
	List() ([]vk.Info, error)
	// Preload loads the drivers, so that `Open` takes less time. Commands call it in a goroutine
	// while they read a file.
	Preload()
	Open(vk.Options) (Device, error)
	// Forecast makes a plan for a device that need not be present. The result `unfit` is the error
	// that the device would return because it has too little memory. `unfit` is nil if the plan
	// fits, or if the memory of the device is not known.
	Forecast(on Absent, t Task) (p Planned, unfit *vk.OutOfMemoryError, err error)
}

// An Absent describes a device that need not be open: a plan for it is a forecast. Its rates were
// measured on that device earlier.
type Absent struct {
	vk.Info
	Rate float64 // Device.WorkRate; 0 if it is not known

	Products, ComplexProducts probe.Products // empty if they are not known
}

// Dry returns a device that runs nothing and serves to make plans. The device gets the rates of
// `a`, as far as they are known. A plan chooses its stages by them, and divides its work among
// several devices by them.
func (a Absent) Dry() *vk.Device {
	dev := vk.Dry(a.Info)
	probe.KeepWorkRate(dev, a.Rate)
	if f := a.Products.Facts; f.Native > 0 || f.Fault != "" {
		f.Keep(dev)
	}
	if f := a.ComplexProducts.Facts; f.Native > 0 || f.Fault != "" {
		f.KeepComplex(dev)
	}
	return dev
}

func (a Absent) Boundless() Absent {
	a.Info = boundless(a.Info)
	return a
}

type Device interface {
	Info() vk.Info
	Plan(t Task) (Planned, error)
	Bench(context.Context, bench.Options) (Benchmark, error)
	Probe(context.Context) (probe.Arithmetic, error)
	HandsOn() (bool, error)
	Residency(ctx context.Context) (probe.Residency, error)
	CompileTimes() []vk.Timing
	// Rates returns the device's rates of arithmetic. If they are not stored, and `measure` is
	// true, they are measured.
	Rates(ctx context.Context, measure bool) (probe.Rates, error)
	// WorkRate returns the rate by which plans for several devices divide their work, or 0 if it is
	// not known. It is measured unless it is stored.
	WorkRate(ctx context.Context) (float64, error)
	// With returns a device that uses this device together with further ones, in plans for dense
	// matrices and for batches. Its method Close closes all of them.
	With(others []Device) Device
	// Products tells how the device computes large products of real or of complex matrices. This
	// depends on measured rates. If they are not stored, and `measure` is true, they are measured.
	Products(ctx context.Context, complex, measure bool) (probe.Products, error)
	Tune(context.Context, tune.Options) (tune.Result, error)
	// Accuracy measures errors of singular values, and calls add with each of them.
	Accuracy(ctx context.Context, opt accuracy.Options, add func(accuracy.Row) error) error
	Close() error
}

// A Planned is a plan of the library for any kind of matrices, before it solves: its device memory
// and its numbers of operations.
type Planned interface {
	Memory() []vk.Placed
	Bytes() uint64
	Costs() []evd.StageCost
	Close()
}

// A Task says what a plan is for. Sizes and options that are not for its Kind have no effect.
type Task struct {
	Kind    Kind
	Type    PairType       // of a generalized problem, 0 for none
	Overlap pencil.Overlap // with Type
	Refine  bool           // with Type
	B       any            // an evd.Sym: the matrix B of all pairs, for a batch with a Type
	N       int            // order of eigenvalue problems
	Count   int            // number of matrices of a batch
	Single  bool           // whether a KindBatch is solved in single precision
	Shape   SingularShape  // of a matrix for singular values
	Evd     evd.Options
	Svd     svd.Options
	Batch   batch.Options
}

func PlanOf[P any](dev Device, t Task) (P, error) {
	p, err := dev.Plan(t)
	if err != nil {
		var none P
		return none, err
	}
	return p.(P), nil
}

type DenseSolver[T evd.Number] interface {
	Planned
	Solve(context.Context, evd.Sym[T]) (*evd.Result[T], error)
	Check(context.Context, evd.Sym[T], *evd.Result[T]) (evd.Ratios, error)
	Devices() []evd.DeviceShare
	Distributed() bool
}

type Solver = DenseSolver[float64]

// Kind is the kind of matrices that a plan is for. Kinds compute eigenvalues unless their comments
// say singular values.
type Kind int

const (
	KindDense                 Kind = iota // of double precision
	KindSingle                            // dense, of single precision
	KindTridiagonal                       // of double precision
	KindRefined                           // dense, of double precision, with approximate vectors
	KindMixed                             // dense, of double precision, solved in single precision first
	KindComplex                           // dense and complex Hermitian, of double precision
	KindComplexSingle                     // dense and complex Hermitian, of single precision
	KindComplexRefined                    // as KindRefined, complex Hermitian
	KindComplexMixed                      // as KindMixed, complex Hermitian
	KindSingular                          // for singular values, of double precision
	KindSingularSingle                    // for singular values, of single precision
	KindComplexSingular                   // for singular values, complex, of double precision
	KindComplexSingularSingle             // for singular values, complex, of single precision
	KindBatch                             // many dense matrices
	KindTridiagonalBatch                  // many tridiagonal matrices
	KindHermitianBatch                    // many dense and complex Hermitian matrices
)

// KindOf is the kind of dense matrices with elements of type T.
func KindOf[T evd.Number]() Kind {
	switch any(*new(T)).(type) {
	case float32:
		return KindSingle
	case complex128:
		return KindComplex
	case complex64:
		return KindComplexSingle
	}
	return KindDense
}

// SingularKindOf is the kind of matrices with elements of type T, for singular values.
func SingularKindOf[T evd.Number]() Kind {
	return map[Kind]Kind{
		KindDense: KindSingular, KindSingle: KindSingularSingle,
		KindComplex: KindComplexSingular, KindComplexSingle: KindComplexSingularSingle,
	}[KindOf[T]()]
}

// Single reports whether the elements of the matrices are in single precision.
func (k Kind) Single() bool {
	return k == KindSingle || k == KindComplexSingle || k == KindSingularSingle || k == KindComplexSingularSingle
}

// Tuned reports whether the sizes that vkevd tune has stored apply to these matrices. The command
// measures with real matrices in double precision.
func (k Kind) Tuned() bool { return !k.Single() && !k.Complex() && !k.Mixed() }

// Mixed reports whether a solve in single precision comes first.
func (k Kind) Mixed() bool { return k == KindMixed || k == KindComplexMixed }

// Complex reports whether the matrices are complex.
func (k Kind) Complex() bool {
	return k >= KindComplex && k <= KindComplexMixed || k == KindComplexSingular || k == KindComplexSingularSingle ||
		k == KindHermitianBatch
}

type TridiagonalSolver interface {
	Planned
	Solve(context.Context, evd.Tridiagonal[float64]) (*evd.Result[float64], error)
	Check(context.Context, evd.Tridiagonal[float64], *evd.Result[float64]) (evd.Ratios, error)
	Certify(context.Context, evd.Tridiagonal[float64], *evd.Result[float64]) (float64, error)
}

type Vulkan struct{}

func (Vulkan) List() ([]vk.Info, error) { return vk.List() }

func (Vulkan) Preload() { vk.Preload() }

func (Vulkan) Open(opt vk.Options) (Device, error) {
	dev, err := vk.Open(opt)
	if err != nil {
		return nil, err // not dev: an interface with a nil pointer is not nil
	}
	return opened{Device: dev}, nil
}

func (Vulkan) Forecast(on Absent, t Task) (p Planned, unfit *vk.OutOfMemoryError, err error) {
	if p, err = on.Plan(t); !errors.As(err, &unfit) {
		return p, nil, err
	}
	// A plan for the same device without limits of memory tells how much memory is needed.
	others := make([]*vk.Device, len(t.Evd.Devices))
	for k, dev := range t.Evd.Devices {
		rate, _ := probe.WorkRate(context.Background(), dev) // a dry device measures nothing
		others[k] = Absent{
			Info: dev.Info(), Rate: rate,
			Products: probe.ChosenProducts[float64](dev), ComplexProducts: probe.ChosenProducts[complex128](dev),
		}.Boundless().Dry()
	}
	for _, products := range []*evd.Products{&t.Evd.Products, &t.Svd.Products} {
		if *products == evd.ProductsAuto { // native products need the least memory
			*products = evd.ProductsNative
		}
	}
	asked := t.Evd.Distribute
	t.Evd.Devices, t.Evd.Distribute = others, asked || len(others) > 0
	p, err = on.Boundless().Plan(t)
	if err != nil && !asked { // the matrix cannot be divided
		t.Evd.Distribute = false
		p, err = on.Boundless().Plan(t)
	}
	return p, unfit, err
}

func (a Absent) Plan(t Task) (Planned, error) {
	return opened{Device: a.Dry(), others: t.Evd.Devices}.Plan(t)
}

// opened is an open Vulkan device, with further devices that help it in a solve.
type opened struct {
	*vk.Device
	others []*vk.Device
}

func (d opened) With(others []Device) Device {
	for _, o := range others {
		d.others = append(d.others, o.(opened).Device)
	}
	return d
}

func (d opened) Close() error {
	err := d.Device.Close()
	for _, o := range d.others {
		err = errors.Join(err, o.Close())
	}
	return err
}

// Made returns a plan that the library has made, as a Planned. After an error the result is nil. It
// must not be an interface that holds a nil pointer, because such an interface is not equal to nil.
func Made[P Planned](p P, err error) (Planned, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d opened) Plan(t Task) (Planned, error) {
	if t.Type > 0 {
		return d.pair(t)
	}
	t.Evd.Devices, t.Batch.Devices = d.others, d.others
	switch t.Kind {
	case KindSingle:
		return Made(evd.NewPlan[float32](d.Device, t.N, t.Evd))
	case KindTridiagonal:
		t.Evd.Devices = nil
		return Made(evd.NewTridiagonalPlan[float64](d.Device, t.N, t.Evd))
	case KindRefined:
		return Made(evd.NewRefinePlan[float64](d.Device, t.N, t.Evd))
	case KindMixed:
		return Made(evd.NewMixedPlan[float64](d.Device, t.N, t.Evd))
	case KindComplex:
		return Made(evd.NewPlan[complex128](d.Device, t.N, t.Evd))
	case KindComplexSingle:
		return Made(evd.NewPlan[complex64](d.Device, t.N, t.Evd))
	case KindComplexRefined:
		return Made(evd.NewRefinePlan[complex128](d.Device, t.N, t.Evd))
	case KindComplexMixed:
		return Made(evd.NewMixedPlan[complex128](d.Device, t.N, t.Evd))
	case KindSingular:
		return singularPlan[float64](d.Device, t.Shape, t.Svd)
	case KindSingularSingle:
		return singularPlan[float32](d.Device, t.Shape, t.Svd)
	case KindComplexSingular:
		return Made(svd.NewPlan[complex128](d.Device, t.Shape.M, t.Shape.N, t.Svd))
	case KindComplexSingularSingle:
		return Made(svd.NewPlan[complex64](d.Device, t.Shape.M, t.Shape.N, t.Svd))
	case KindBatch:
		flops := float64(t.Count) * batchs.BatchFlops[float64](t.N, t.Batch.Vectors)
		if t.Single {
			p, err := batch.NewPlan[float32](d.Device, t.N, AtOnce(t.Count, t.N, false), t.Batch)
			return Made(batchOf[DenseMatrix]{otherBatch[float32, float64]{p}, flops}, err)
		}
		p, err := batch.NewPlan[float64](d.Device, t.N, AtOnce(t.Count, t.N, false), t.Batch)
		return Made(batchOf[DenseMatrix]{p, flops}, err)
	case KindTridiagonalBatch:
		p, err := batch.NewTridiagonalPlan[float64](d.Device, t.N, AtOnce(t.Count, t.N, false), t.Batch)
		return Made(batchOf[TridiagonalMatrix]{p, float64(t.Count) * batchs.TridiagonalBatchFlops(t.N, t.Batch.Vectors)}, err)
	case KindHermitianBatch:
		if t.Single {
			return hermitianBatch[complex64](d, t)
		}
		return hermitianBatch[complex128](d, t)
	}
	return Made(evd.NewPlan[float64](d.Device, t.N, t.Evd))
}

func (d opened) Probe(ctx context.Context) (probe.Arithmetic, error) {
	return probe.Measure(ctx, d.Device)
}

func (d opened) Products(ctx context.Context, complex, measure bool) (probe.Products, error) {
	switch {
	case measure && complex:
		return probe.ChooseProducts[complex128](ctx, d.Device)
	case measure:
		return probe.ChooseProducts[float64](ctx, d.Device)
	case complex:
		return probe.ChosenProducts[complex128](d.Device), nil
	}
	return probe.ChosenProducts[float64](d.Device), nil
}

func (d opened) Rates(ctx context.Context, measure bool) (probe.Rates, error) {
	if !measure {
		return probe.KnownRates(d.Device), nil
	}
	return probe.MeasureRates(ctx, d.Device)
}

func (d opened) WorkRate(ctx context.Context) (float64, error) { return probe.WorkRate(ctx, d.Device) }

func (d opened) HandsOn() (bool, error) { return probe.MayWait(context.Background(), d.Device) }

func (d opened) Residency(ctx context.Context) (probe.Residency, error) {
	return probe.MeasureResidency(ctx, d.Device)
}

func (d opened) Tune(ctx context.Context, opt tune.Options) (tune.Result, error) {
	return tune.Search(ctx, d.Device, opt)
}

func (d opened) Accuracy(ctx context.Context, opt accuracy.Options, add func(accuracy.Row) error) error {
	return accuracy.Run(ctx, d.Device, opt, add)
}

func (d opened) Bench(ctx context.Context, opt bench.Options) (Benchmark, error) {
	b, err := bench.New(ctx, d.Device, opt)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// A Benchmark measures the times of the solver's stages. It is a *bench.Bench, or a fake in tests.
type Benchmark interface {
	Peaks() []bench.Row
	Measure(ctx context.Context, n int) ([]bench.Row, error)
	Profile(ctx context.Context, n int) ([]bench.Detail, error)
	Kernels() ([]bench.Kernel, error)
	Close()
}

type BatchPlan[M any] interface {
	Memory() []vk.Placed
	Bytes() uint64
	Solve(context.Context, []M) (*batch.Result[float64], error)
	Check(context.Context, []M, []batch.Spectrum[float64]) ([]evd.Ratios, error)
	Close()
}

// A batchOf is a plan for a batch, with the number of operations for all its matrices.
type batchOf[M any] struct {
	BatchPlan[M]
	flops float64
}

func (p batchOf[M]) Costs() []evd.StageCost {
	return []evd.StageCost{{Stage: stages.PhaseBatch, Flops: p.flops}}
}

type (
	DenseMatrix       = evd.Sym[float64]
	TridiagonalMatrix = evd.Tridiagonal[float64]
)

// BatchBytes limits the matrices that are on the device at the same time: the largest sum of their
// sizes, in bytes. smallBytes is added to the size of each matrix. It is a bound for the other
// memory that a plan needs for a small matrix: less than 0.7 kB for a tridiagonal matrix of order 2
// with vectors.
const (
	BatchBytes = 1 << 30
	smallBytes = 1 << 10
)

// AtOnce returns how many of `count` matrices of order n may be on the device at the same time. The
// numbers of complex matrices count twice.
func AtOnce(count, n int, complex bool) int {
	bytes := 8 * n * n
	if complex {
		bytes *= 2
	}
	return max(1, min(count, BatchBytes/(bytes+smallBytes)))
}

type SingularSolver[T evd.Number] interface {
	Planned
	Solve(context.Context, evd.Dense[T]) (*svd.Result[T], error)
	Check(context.Context, evd.Dense[T], *svd.Result[T]) (svd.Ratios, error)
}

type SingularShape struct {
	M, N    int
	Form    singularForm
	Above   int         // number of superdiagonals, only of a band
	Storage svd.Storage // of the numbers on the device
}

type singularForm int

const (
	WholeMatrix      singularForm = iota // all elements
	BandMatrix                           // the diagonals of an upper band
	BidiagonalMatrix                     // two diagonals
)

func singularPlan[T evd.Float](dev *vk.Device, of SingularShape, opt svd.Options) (Planned, error) {
	switch of.Form {
	case BidiagonalMatrix:
		p, err := svd.NewBidiagonalPlan[T](dev, of.N, opt)
		return Made(bidiagonalPlan[T]{p}, err)
	case BandMatrix:
		p, err := svd.NewBandPlan[T](dev, of.N, of.Above, svd.BandOptions{
			Largest: opt.Largest, Select: opt.Select, Certify: opt.Certify, Progress: opt.Progress, Tuning: opt.Tuning, Storage: opt.Storage,
		})
		return Made(bandPlan[T]{p}, err)
	}
	return Made(svd.NewPlan[T](dev, of.M, of.N, opt))
}

// boundless returns the description of the same device with unlimited free memory, and no limit for
// a buffer. The size of its memory does not change, because it limits the residues of emulated
// products.
func boundless(info vk.Info) vk.Info {
	info.Free, info.MaxBuffer, info.MaxAllocation = math.MaxInt64, 0, 0
	return info
}

// bandPlan is a *svd.BandPlan whose method Solve takes a matrix of diagonals.
type bandPlan[T evd.Float] struct{ *svd.BandPlan[T] }

func (p bandPlan[T]) Solve(ctx context.Context, a evd.Dense[T]) (*svd.Result[T], error) {
	return p.BandPlan.Solve(ctx, svd.Band[T]{N: a.Cols, B: max(a.Rows-1, 0), Ld: max(a.Ld, 1), Data: a.Data})
}

// Check is never called, because results for a band have no vectors.
func (p bandPlan[T]) Check(context.Context, evd.Dense[T], *svd.Result[T]) (svd.Ratios, error) {
	return svd.Ratios{}, nil
}

// bidiagonalPlan is a *svd.BidiagonalPlan whose method Solve takes a matrix of two diagonals.
type bidiagonalPlan[T evd.Float] struct{ *svd.BidiagonalPlan[T] }

// diagonalsOf returns the bidiagonal matrix whose diagonals are the two rows of the matrix `a`. The
// first row is the diagonal above the main diagonal.
func diagonalsOf[T evd.Float](a evd.Dense[T]) svd.Bidiagonal[T] {
	c := svd.Bidiagonal[T]{}
	for j := range a.Cols {
		if c.D = append(c.D, a.Data[2*j+1]); j > 0 {
			c.E = append(c.E, a.Data[2*j])
		}
	}
	return c
}

func (p bidiagonalPlan[T]) Solve(ctx context.Context, a evd.Dense[T]) (*svd.Result[T], error) {
	return p.BidiagonalPlan.Solve(ctx, diagonalsOf(a))
}

func (p bidiagonalPlan[T]) Check(ctx context.Context, a evd.Dense[T], res *svd.Result[T]) (svd.Ratios, error) {
	return p.BidiagonalPlan.Check(ctx, diagonalsOf(a), res)
}
