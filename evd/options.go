package evd

import (
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Options say what to compute and how. The zero value computes all eigenvalues and no vectors, with
// the device's tuning.
type Options struct {
	// Vectors says whether eigenvectors are wanted in addition to the eigenvalues.
	Vectors bool

	// Select is the wanted part of the spectrum. The zero value is the whole spectrum.
	Select Selection

	// Solver is the method for the tridiagonal problem. The zero value, Auto, chooses one.
	Solver Solver

	// Band is the half-bandwidth b of the first stage, the reduction to a band. 0 means the
	// tuning's value. With 0, a small matrix may also be reduced to tridiagonal form in one stage.
	Band int

	// Block is the rank of the updates of the trailing matrix in the first stage. It must be a
	// multiple of Band. 0 means the tuning's value. If Band or Block is set, the reduction has two
	// stages.
	Block int

	// NoWaits prevents waits between workgroups in bulge chasing, in back transformation 2 and in
	// panels, and prevents the reduction in one stage. It is for devices on which a waiting
	// workgroup prevents other workgroups from running. A plan avoids the waits automatically if a
	// trial finds such a device, or after a wait has failed.
	NoWaits bool

	// Products says how large matrix products are computed: in the device's double precision
	// (native), or by its integer units (emulated). If emulated products refuse a matrix, the plan
	// solves again with native products (see Result.Retried).
	Products Products

	// Moduli is the number of moduli of emulated products for the vectors, 13 to 16. 0 means 14.
	// The reduction has one modulus less, but at least 13. With 15 moduli the errors of products
	// are about those of rounding the results. Complex matrices have smaller moduli, and one more
	// of them: 14 to 16, usually 15, and at least 14 in the reduction.
	Moduli int

	// Verify makes Solve certify each result before it returns (see Result.Certificate). If a
	// result does not pass, Solve computes it again by slower and simpler methods (the safe path).
	// Verify cannot be combined with Overwrite.
	Verify bool

	// Overwrite makes Solve write the vectors to the input's memory, with the input's leading
	// dimension. This destroys A. Overwrite needs Vectors.
	Overwrite bool

	// RowMajor makes Solve return vectors in row-major order, as gonum stores matrices: component i
	// of vector j is Data[i·Ld + j]. RowMajor needs Vectors.
	RowMajor bool

	// Devices are further devices, which compute a part of the vectors: the back transformations
	// are divided by columns, in proportion to Shares. The device of NewPlan, which should be the
	// fastest one, does all other steps, except with Distribute. Without Vectors and Distribute the
	// further devices are not used. Each of them needs memory of its own (Plan.Devices).
	//
	// For the same list of devices results have the same bits from run to run. They may differ by
	// rounding errors from those of one device.
	//
	// An error of one of several devices is a *vk.DeviceError, which wraps the errors that NewPlan
	// and Solve describe. When it is returned, no device has anything in flight.
	Devices []*vk.Device

	// Shares are the parts of the device of NewPlan and of Devices in the divided work, in any
	// unit: one positive number for each device. nil means the measured rates of FP64 arithmetic.
	Shares []float64

	// Distribute divides the matrix among the device of NewPlan and Devices, so that each holds
	// only its part of A and of the reflectors of Q1, and all devices reduce A to a band. It is for
	// large matrices, and for those that are too large for one device. Divide and conquer divides
	// the vectors of the tridiagonal problem, too. MRRR, QR iteration and values without vectors
	// use the first device for this problem. With Distribute, Devices are also used without
	// Vectors. NewPlan sets Distribute itself where that was measured to be faster, which is only
	// for float64, or if the memory of a device is too small otherwise. Distribute needs Devices.
	Distribute bool

	// Progress is called repeatedly during a solve, one call at a time, from another goroutine.
	// Solve waits for the last call before it returns. The function may use the device and other
	// plans. It must not call a method of the same plan that uses the device, nor wait for a plan
	// that divides its matrix among devices of this one, because such a call would never return.
	Progress func(Progress)

	// Tuning replaces the device's tuning table of sizes. nil means the device's table. NewPlan
	// copies Tuning. If these sizes are not possible on the device, NewPlan returns an error. A
	// device of the list Devices uses Tuning only if it has the same name as the first device, and
	// otherwise its own table.
	Tuning *tuning.Tuning
}

// check returns an *OptionError for the first option that is not possible for matrices of order n,
// or that cannot be combined with another option.
func (opt Options) check(n int) error {
	switch {
	case opt.Band < 0 || opt.Block < 0:
		return plan.BadOption("Band, Block", "must not be negative")
	case opt.Verify && opt.Overwrite:
		return plan.BadOption("Verify", "needs the input again, which Overwrite destroys")
	case opt.Overwrite && !opt.Vectors:
		return plan.BadOption("Overwrite", "only vectors can take the input's place")
	case opt.RowMajor && !opt.Vectors:
		return plan.BadOption("RowMajor", "only vectors have rows")
	case len(opt.Shares) > 0 && len(opt.Shares) != len(opt.Devices)+1:
		return plan.BadOption("Shares", fmt.Sprintf("there are %d numbers for %d devices", len(opt.Shares), len(opt.Devices)+1))
	case slices.ContainsFunc(opt.Shares, func(x float64) bool { return !(x > 0) || math.IsInf(x, 1) }):
		return plan.BadOption("Shares", "each must be positive and finite")
	case opt.Distribute && len(opt.Devices) == 0:
		return plan.BadOption("Distribute", "needs further devices, among which the matrix is divided")
	}
	if err := CheckProducts(opt.Products, opt.Moduli); err != nil {
		return err
	}
	return opt.config().Check(n)
}

// checkTridiagonal returns an *OptionError for the first option that is not possible for a
// tridiagonal matrix of order n. Options that are only for dense matrices are not possible, and are
// reported first.
func (opt Options) checkTridiagonal(n int) error {
	for _, dense := range []struct {
		name string
		set  bool
	}{
		{"Band", opt.Band != 0}, {"Block", opt.Block != 0}, {"NoWaits", opt.NoWaits},
		{"Verify", opt.Verify}, {"Overwrite", opt.Overwrite},
		{"Products", opt.Products != ProductsAuto}, {"Moduli", opt.Moduli != 0}, {"Devices", len(opt.Devices) > 0}, {"Shares", len(opt.Shares) > 0},
		{"Distribute", opt.Distribute},
	} {
		if dense.set {
			return plan.BadOption(dense.name, "has no meaning for a tridiagonal matrix")
		}
	}
	return opt.check(n)
}

func copied(t *tuning.Tuning) *tuning.Tuning {
	if t == nil {
		return nil
	}
	c := *t
	return &c
}

func (opt Options) config() dense.Config {
	return dense.Config{
		Options: spectrum.Options{Vectors: opt.Vectors, Select: spectrum.Selection(opt.Select), Solver: spectrum.Solver(opt.Solver)},
		Band:    opt.Band, Block: opt.Block, NoWaits: opt.NoWaits, Products: emulation.Use(opt.Products), Moduli: opt.Moduli,
		Verify: opt.Verify, RowMajor: opt.RowMajor, Distribute: opt.Distribute, Tuning: opt.Tuning,
	}
}
