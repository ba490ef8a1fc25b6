package batch

import (
	"context"
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Options say what a plan for batches of matrices computes. The zero value computes all eigenvalues
// and no vectors.
type Options struct {
	// Vectors says whether eigenvectors are wanted.
	Vectors bool

	// Select is the wanted part of the spectrum of each matrix, an evd.Index. The zero value means
	// the whole spectrum. With vectors, a part takes almost as much time as the whole, because the
	// method computes all vectors. Without vectors, only the selected values are computed.
	Select evd.Selection

	// Devices are further devices. A batch is divided into parts, and each device solves the next
	// part when it is free. The speeds of the devices determine which device solves a matrix.
	// Devices of different kinds may give results with different last bits. If there are several
	// devices, an error of one of them is a *vk.DeviceError.
	Devices []*vk.Device

	// Progress is called after each part of a batch. Calls do not overlap, and Solve waits until
	// each call has returned. Progress must not call a method of the plan, because such a call
	// would never return.
	Progress func(evd.Progress)

	// Tuning has the sizes with which kernels run. nil means the tuning table of the device.
	Tuning *tuning.Tuning
}

// Number is the constraint for number types of matrices in batches.
type Number = evd.Number

// Plan holds the pipelines and the memory for dense matrices up to one order. NewPlan prepares them
// once. The caller closes the plan before the device.
type Plan[T Number] struct{ all denseOf[T] }

// denseOf is a solver for dense matrices, or for pairs of them, for a number type T and the type R of real numbers that
// belongs to it. The list b is nil unless it solves pairs.
type denseOf[T Number] interface {
	solve(ctx context.Context, a, b []evd.Sym[T]) (*Result[T], error)
	solveInto(ctx context.Context, a, b []evd.Sym[T], out []Spectrum[T]) (*vk.Profile, error)
	check(ctx context.Context, a, b []evd.Sym[T], s []Spectrum[T]) ([]evd.Ratios, error)
	Bytes() uint64
	Memory() []vk.Placed
	Close()
}

// denseSolver implements denseOf.
type denseSolver[T Number, R evd.Float] struct{ *solver[T, R] }

// newDense makes a solver of the kind ofDense or ofPairs.
func newDense[T Number](dev *vk.Device, n, count int, opt Options, of kind) (denseOf[T], error) {
	var made any
	var err error
	switch any(*new(T)).(type) {
	case float32:
		made, err = newDenseOf[float32, float32](dev, n, count, opt, of)
	case float64:
		made, err = newDenseOf[float64, float64](dev, n, count, opt, of)
	case complex64:
		made, err = newDenseOf[complex64, float32](dev, n, count, opt, of)
	case complex128:
		made, err = newDenseOf[complex128, float64](dev, n, count, opt, of)
	}
	if err != nil {
		return nil, err
	}
	return made.(denseOf[T]), nil
}

func newDenseOf[T Number, R evd.Float](dev *vk.Device, n, count int, opt Options, of kind) (any, error) {
	s, err := newSolver[T, R](dev, n, count, opt, of)
	return denseSolver[T, R]{s}, err
}

func (s denseSolver[T, R]) matrices(a, b []evd.Sym[T]) matrices[T, R] {
	if s.kind == ofPairs {
		return pairs[T, R]{a, b}
	}
	return symmetric[T, R](a)
}

func (s denseSolver[T, R]) solve(ctx context.Context, a, b []evd.Sym[T]) (*Result[T], error) {
	return s.solver.solve(ctx, s.matrices(a, b))
}

func (s denseSolver[T, R]) solveInto(ctx context.Context, a, b []evd.Sym[T], out []Spectrum[T]) (*vk.Profile, error) {
	return s.solver.solveInto(ctx, s.matrices(a, b), out)
}

func (s denseSolver[T, R]) check(ctx context.Context, a, b []evd.Sym[T], x []Spectrum[T]) ([]evd.Ratios, error) {
	return s.solver.check(ctx, s.matrices(a, b), x)
}

// MaxOrder returns the largest order of matrices for which a plan can be made on the device, with
// any real number type.
func MaxOrder(dev *vk.Device, opt Options) int { return MaxOrderOf[float64](dev, opt) }

// MaxOrderOf is MaxOrder for matrices of T. A device with little shared memory has smaller batches
// of complex128 than of other types.
func MaxOrderOf[T Number](dev *vk.Device, opt Options) int {
	return sizes[T](opt, dev, ofDense).Order()
}

func sizes[T Number](opt Options, dev *vk.Device, of kind) batch.Tuning {
	t := batch.Fitting[T](opt.tuning(dev).Batch, dev.Info())
	if of == ofTridiagonals {
		return t.Tridiagonal()
	}
	return t
}

// tuning returns Options.Tuning, or else the tuning table of the device. Its sizes for batches fit
// the device.
func (opt Options) tuning(dev *vk.Device) tuning.Tuning {
	t := tuning.On(dev.Info())
	if opt.Tuning != nil {
		t = *opt.Tuning
	}
	t.Batch = t.Batch.For(dev.Info())
	return t
}

// maxRows is the largest number of rows of all matrices of one part together, because kernels count
// these rows in 32 bits.
const maxRows = math.MaxInt32

func (opt Options) check(n, count int) error {
	if _, _, known := spectrum.Range(spectrum.Selection(opt.Select), n); !known {
		return plan.BadOption("Select", "an interval has another number of eigenvalues in each matrix")
	}
	if count < 1 {
		return plan.BadOption("count", "must be at least 1")
	}
	if n > 0 && count > maxRows/n {
		return plan.BadOption("count", fmt.Sprintf("must be at most %d for order %d", maxRows/n, n))
	}
	return spectrum.CheckSelection(spectrum.Selection(opt.Select), n)
}

// NewPlan prepares a plan for matrices of order n or less. The plan solves a batch of any number of
// matrices in parts. A part has at most `count` matrices, which are on the device at the same time.
// If `count` is more than 16384, a part has at most half of them, or 16384 if that is more, so that
// the host prepares one part while the device solves another one.
//
// The device memory is the largest number of matrices of a part, times the sum of these numbers of
// bytes:
//
//	8·n² + 8·n + 68   always
//	24·n              if n is too large for shared memory
//	8·n² + 8·n        if n is too large for shared memory, with vectors
//	4·n²              if QL iteration solves T, with vectors
//	12·n² + 250·n     if divide and conquer solves T, with vectors
//	8·n·m             if Select is m eigenvalues, with vectors
//
// For float32 it is half of these numbers of bytes, except that the 68 and the 8·n of the third line
// stay, and 250·n becomes about 170·n.
//
// For complex128, 8·n², 24·n and 8·n·m become 16·n², 32·n and 16·n·m, and 12·n² becomes 16·n². For
// complex64 it is half of the numbers of bytes for complex128, with the same exceptions.
//
// The largest order in shared memory is 8 with vectors and 16 without them on NVIDIA GPUs, 16 on
// CPUs, and 56 on other devices. It is smaller on a device with little shared memory. The number of
// rows, count·n, must be at most 2³¹−1.
//
// The error is an *evd.ShapeError for an order that is negative or above MaxOrder, an
// *evd.OptionError, a *vk.UnsupportedError if the device lacks a feature, a *vk.OutOfMemoryError,
// or vk.ErrClosed for a closed device.
//
// On a vk.Dry device the plan is a forecast: Bytes and Memory work, and Solve does not.
func NewPlan[T Number](dev *vk.Device, n, count int, opt Options) (*Plan[T], error) {
	all, err := newDense[T](dev, n, count, opt, ofDense)
	if err != nil {
		return nil, err
	}
	return &Plan[T]{all}, nil
}

// Bytes returns the number of bytes of device memory that the plan has allocated on each of its
// devices.
func (p *Plan[T]) Bytes() uint64 { return p.all.Bytes() }

// Memory lists the regions of the plan's device memory, which are the same on each of its devices.
func (p *Plan[T]) Memory() []vk.Placed { return p.all.Memory() }

// Close waits for the call in flight and frees the plan's device memory. Results stay valid.
// Methods of a closed plan return evd.ErrClosed. A plan may be closed twice.
func (p *Plan[T]) Close() { p.all.Close() }

// Solve computes the spectra of the matrices in new memory. A matrix that cannot be solved has an
// error in its Spectrum, and the others are solved.
func (p *Plan[T]) Solve(ctx context.Context, a []evd.Sym[T]) (*Result[T], error) {
	return p.all.solve(ctx, a, nil)
}

// SolveInto computes the spectrum of matrix a[k] in the caller's memory out[k]. The slice Values
// and, with Options.Vectors, the matrix Vectors of out[k] must have the shapes that Solve returns.
// Vectors are column-major and may have any leading dimension. They must not overlap each other or
// a matrix of the list `a`. SolveInto overwrites Err.
//
// The errors are those of Solve, and an *evd.ShapeError for an element of `out` that does not fit.
// After an error the contents of `out` are undefined.
func (p *Plan[T]) SolveInto(ctx context.Context, a []evd.Sym[T], out []Spectrum[T]) (*vk.Profile, error) {
	return p.all.solveInto(ctx, a, nil, out)
}

// Check measures the errors of computed spectra: s[k] holds the eigenvalues Λ and the vectors Z of
// the matrix a[k]. It runs on the host in double precision, and uses no intermediate results of the
// solve:
//
//	‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp),  ‖ZᴴZ − I‖₁ / (n·ulp)      (dsyt22, zhet22)
//
// ulp is the distance from 1 to the next number of type T, or of its real and imaginary part.
//
// The result has one evd.Ratios for each matrix. The ratios of a matrix with an error
// (Spectrum.Err) are infinite. Check uses all cores. It takes 4·n²·m operations for a matrix of
// order n with m vectors.
//
// The error is an *evd.OptionError without Options.Vectors, an *evd.ShapeError if the matrices and
// spectra do not fit each other or the plan, or ctx.Err().
func (p *Plan[T]) Check(ctx context.Context, a []evd.Sym[T], s []Spectrum[T]) ([]evd.Ratios, error) {
	return p.all.check(ctx, a, nil, s)
}
