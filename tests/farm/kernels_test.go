package farm

import (
	"errors"
	"fmt"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	backs "github.com/vkevd/vkevd/stages/back"
	chases "github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/refine"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// orders are the orders of the plans in these tests. The first order is less than a half-bandwidth,
// the second one is less than a block of the band reduction, and the third one is more than any
// size in a tuning table.
var orders = []int{20, 100, 6000}

// buildAll builds all kernels that the library uses on this device with its tuning tables.
func buildAll(dev *vk.Device) error {
	for _, n := range orders {
		if err := buildPlans(dev, n); err != nil {
			return err
		}
	}
	if err := buildSingle(dev); err != nil {
		return err
	}
	if err := errors.Join(buildComplex[complex128](dev), buildComplex[complex64](dev)); err != nil {
		return err
	}
	if err := dev.Compile(func() error {
		return errors.Join(buildSVD(dev), buildComplexSVD[complex128](dev), buildComplexSVD[complex64](dev))
	}); err != nil {
		return err
	}
	if err := dev.Compile(func() error {
		return errors.Join(buildShare[float64](dev), buildShare[float32](dev), buildShare[complex128](dev), buildShare[complex64](dev))
	}); err != nil {
		return err
	}
	if err := dev.Compile(func() error { return errors.Join(buildEmulated[float64](dev), buildEmulated[complex128](dev)) }); err != nil {
		return err
	}
	if err := errors.Join(buildBatches[float64](dev), buildBatches[float32](dev), buildBatches[complex128](dev), buildBatches[complex64](dev)); err != nil {
		return err
	}
	if err := dev.Compile(func() error {
		return errors.Join(buildPencil[float64](dev), buildPencil[float32](dev), buildPencil[complex128](dev), buildPencil[complex64](dev))
	}); err != nil {
		return err
	}
	return dev.Compile(func() error { return buildProbes(dev) })
}

// buildBatches makes plans for batches of the largest order, of matrices and of pairs. These plans use
// the kernels of all smaller orders, too.
func buildBatches[T batch.Number](dev *vk.Device) error {
	for _, vectors := range []bool{false, true} {
		opt := batch.Options{Vectors: vectors}
		p, err := batch.NewPlan[T](dev, batch.MaxOrderOf[T](dev, opt), 1, opt)
		if err != nil {
			return err
		}
		p.Close()
		pairs, err := batch.NewPairPlan[T](dev, batch.MaxOrderOf[T](dev, opt), 1, opt)
		if err != nil {
			return err
		}
		pairs.Close()
	}
	return nil
}

// buildPlans makes plans of one order: for each solver, with and without vectors, for the whole
// spectrum and for a part, with and without workgroups that wait for each other, and with checks.
func buildPlans(dev *vk.Device, n int) error {
	for _, solver := range []evd.Solver{evd.Auto, evd.DivideConquer, evd.Bisection, evd.MRRR, evd.QR} {
		for _, vectors := range []bool{false, true} {
			if vectors && solver == evd.Bisection {
				continue
			}
			for _, part := range []evd.Selection{{}, evd.Index(0, n/4), evd.Interval(-1, 1)} {
				opt := evd.Options{Solver: solver, Vectors: vectors, Select: part}
				if err := buildPlan(dev, n, opt); err != nil {
					return fmt.Errorf("%+v: %w", opt, err)
				}
			}
		}
	}
	return nil
}

// buildPlan makes a tridiagonal plan and two dense plans with the given options. Options that
// exclude each other are no error.
func buildPlan(dev *vk.Device, n int, opt evd.Options) error {
	tridiagonal, err := evd.NewTridiagonalPlan[float64](dev, n, opt)
	if refused(err) {
		return err
	} else if err == nil {
		tridiagonal.Close()
	}
	for _, opt.NoWaits = range []bool{false, true} {
		opt.Verify, opt.RowMajor = opt.NoWaits, opt.Vectors && opt.NoWaits
		dense, err := evd.NewPlan[float64](dev, n, opt)
		if refused(err) {
			return err
		} else if err == nil {
			dense.Close()
		}
	}
	return nil
}

// buildSingle makes plans in single precision, with and without workgroups that wait for each
// other. Their order is larger than any size in a tuning table.
func buildSingle(dev *vk.Device) error {
	for _, vectors := range []bool{false, true} {
		for _, wavefront := range []bool{false, true} {
			opt := evd.Options{Vectors: vectors, NoWaits: wavefront, RowMajor: vectors && wavefront}
			p, err := evd.NewPlan[float32](dev, orders[len(orders)-1], opt)
			if err != nil {
				return err
			}
			p.Close()
		}
	}
	return nil
}

// buildComplex makes plans for Hermitian matrices, with and without workgroups that wait for each
// other.
func buildComplex[T complex64 | complex128](dev *vk.Device) error {
	for _, n := range orders {
		for _, opt := range []evd.Options{{}, {NoWaits: true}, {Vectors: true, Verify: true}, {Vectors: true, NoWaits: true, RowMajor: true}} {
			p, err := evd.NewPlan[T](dev, n, opt)
			if err != nil {
				return err
			}
			p.Close()
		}
	}
	return nil
}

// refused tells whether err means that the device refused a plan. It is false for nil, and for an
// error that says that two options exclude each other.
func refused(err error) bool {
	var option *evd.OptionError
	return err != nil && !errors.As(err, &option)
}

// buildEmulated builds the kernels for matrix products on integer units. It builds them for matrix
// units if the device has such units, and for packed dot products. The order of elements in a
// fragment of a matrix is a guess here, because only a real device tells it.
func buildEmulated[T emulated.Double](dev *vk.Device) error {
	t := tuning.Fitting[T](tuning.For[T](dev.Info()), dev.Info()).Products
	native, err := product.New[T](dev, t)
	if err != nil {
		return err
	}
	for _, u := range emulated.Candidates(dev.Info()) {
		if _, err := emulated.NewOn(dev, native, t.Emulated, 14, u); err != nil {
			return err
		}
	}
	return nil
}

// buildShare builds the stage of one of several devices that reduce a matrix together.
func buildShare[T spirv.Scalar](dev *vk.Device) error {
	const n = 6000
	t := tuning.Fitting[T](tuning.For[T](dev.Info()), dev.Info())
	ops, err := product.New[T](dev, t.Products)
	if err != nil {
		return err
	}
	size, blocks := reduce.BandSize{N: n, B: t.Band, K: t.Block}, reduce.DivideColumns(n, t.Block, []float64{1, 1})
	wait, both := stages.Waiting{WideFence: t.Waits.WideFence}, reduce.ShareOps[T]{Products: ops, Updates: ops}
	_, err = reduce.NewBandShare(dev, size, blocks, 0, []float64{0.5, 1}, both, wait, t.Panel)
	return err
}

// buildPencil builds the stages of generalized eigenproblems, and the refinement of vectors.
func buildPencil[T spirv.Scalar](dev *vk.Device) error {
	const n = 6000
	t := tuning.Fitting[T](tuning.For[T](dev.Info()), dev.Info())
	ops, err := product.New[T](dev, t.Products)
	if err != nil {
		return err
	}
	_, cholesky := factor.NewCholesky(dev, n, ops, t.Cholesky)
	_, form := factor.NewStandardForm(dev, n, factor.AxLBx, ops, t.Cholesky)
	_, refinement := refine.NewRefinement(dev, n, ops)
	return errors.Join(cholesky, form, refinement)
}

func buildSVD(dev *vk.Device) error {
	const n = 6000
	t := tuning.On(dev.Info())
	ops, err := product.New[float64](dev, t.Products)
	if err != nil {
		return err
	}
	for _, may := range []bool{false, true} {
		wait := stages.Waiting{Allowed: may, WideFence: t.Waits.WideFence}
		for _, vectors := range []bool{false, true} {
			size := reduce.GeneralSize{M: n + 7, N: n, B: t.Band, K: t.Block, Vectors: vectors}
			_, general := reduce.NewGeneralBandReduction(dev, size, ops, ops, wait, t.Panel)
			chase := chases.Size{N: n, B: t.Band, Vectors: vectors}
			_, bidiagonal := chases.NewBidiagonalChasing[float64](dev, chase, wait, t.Chase)
			if err := errors.Join(general, bidiagonal); err != nil {
				return err
			}
		}
		narrow := chases.NarrowSize{N: n, From: 128, To: t.Narrow.To, Tile: t.Narrow.Tile}
		if _, err := chases.NewBandNarrowing[float64](dev, narrow, wait, t.Chase); err != nil {
			return err
		}
		_, tall := panel.NewTallQR(dev, 2*n, n, t.Band, ops, wait, t.Panel)
		columns := backs.PanelsSize{Rows: 2 * n, Cols: n, B: t.Band, M: n}
		_, panels := backs.NewApplyPanels(dev, stages.PhaseApplyQ1, columns, ops, t.Panel)
		_, identity := move.NewIdentity[float64](dev)
		_, check := residual.NewSingularResidual(dev, 2*n, n, n, ops)
		if err := errors.Join(tall, panels, identity, check); err != nil {
			return err
		}
		back := backs.Size{N: n, B: t.Band, M: n}
		_, left := backs.NewApplyQ2[float64](dev, back, wait, t.ApplyQ2)
		_, transposed := backs.NewApplyQ2Adjoint[float64](dev, back, wait, t.ApplyQ2)
		_, squares := backs.NewApplyQ2Squares(dev, back, ops, t.ApplyQ2)
		if err := errors.Join(left, transposed, squares); err != nil {
			return err
		}
	}
	_, err = stedc.NewBidiagonalConquer(dev, n, ops, t.Products, t.DivideConquer)
	return err
}

// buildComplexSVD builds those stages for the singular values of complex matrices that no plan for
// Hermitian matrices has.
func buildComplexSVD[T complex64 | complex128](dev *vk.Device) error {
	const n = 6000
	t := tuning.Fitting[T](tuning.For[T](dev.Info()), dev.Info())
	ops, err := product.New[T](dev, t.Products)
	if err != nil {
		return err
	}
	_, conversion := move.NewComplexBidiagonal[T](dev)
	for _, may := range []bool{false, true} {
		wait := stages.Waiting{Allowed: may, WideFence: t.Waits.WideFence}
		size := reduce.GeneralSize{M: n + 7, N: n, B: t.Band, K: t.Block, Vectors: true}
		_, general := reduce.NewGeneralBandReduction(dev, size, ops, ops, wait, t.Panel)
		_, bidiagonal := chases.NewBidiagonalChasing[T](dev, chases.Size{N: n, B: t.Band, Vectors: true}, wait, t.Chase)
		narrow := chases.NarrowSize{N: n, From: 128, To: t.Narrow.To, Tile: t.Narrow.Tile}
		_, narrowing := chases.NewBandNarrowing[T](dev, narrow, wait, t.Chase)
		if err := errors.Join(conversion, general, bidiagonal, narrowing); err != nil {
			return err
		}
	}
	return nil
}

// buildProbes builds the kernels of experiments on the device and the kernels of benchmarks, with
// the default sizes in their shaders.
func buildProbes(dev *vk.Device) error {
	return errors.Join(
		built(dev, shaders.ProbeFma(), shaders.ProbeFmaDefaults()),
		built(dev, shaders.ProbeArithmetic(), shaders.ProbeArithmeticDefaults()),
		built(dev, shaders.ProbeIndex(), shaders.ProbeIndexDefaults()),
		built(dev, shaders.ProbeProgress(), shaders.ProbeProgressDefaults()),
		built(dev, shaders.PeakFma[float64](), shaders.PeakFmaDefaults()),
		built(dev, shaders.PeakCopy(), shaders.PeakCopyDefaults()),
		built(dev, shaders.RandomFill[float64](), shaders.RandomFillDefaults()),
		built(dev, shaders.RandomSweeps[float64](), shaders.RandomSweepsDefaults()),
		built(dev, shaders.RandomTrapezoid[float64](), shaders.RandomTrapezoidDefaults()),
	)
}

func built[S, P any](dev *vk.Device, m spirv.Module[S, P], spec S) error {
	_, err := vk.Build(dev, m, spec)
	return err
}
