package pencil

import (
	"fmt"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/tuning"
)

// Type is one of the three generalized eigenproblems. Type + 1 is LAPACK's itype.
type Type int

const (
	AxLBx Type = iota // A·x = λ·B·x, the zero value
	ABxLx             // A·B·x = λ·x
	BAxLx             // B·A·x = λ·x
)

// Options say what to compute and how. The zero value computes all eigenvalues of A·x = λ·B·x, and
// no vectors. Most fields mean the same as those of evd.Options.
type Options struct {
	// Type is the problem.
	Type Type

	// Vectors says whether eigenvectors are wanted in addition to the eigenvalues.
	Vectors bool

	// Select is the wanted part of the spectrum. The zero value is the whole spectrum.
	Select evd.Selection

	// Solver is the method for the tridiagonal problem.
	Solver evd.Solver

	// Band and Block are sizes of the reduction. NoWaits prevents waits between workgroups. See
	// evd.Options.
	Band, Block int
	NoWaits     bool

	// Products says how large matrix products are computed, and Moduli is the number of moduli of
	// emulated products, also for the factor of B. If the elements of the diagonal of B differ by
	// more than a factor of 10⁶, emulated products would lose digits. Then the plan uses native
	// products from this B on, as if emulated products had refused it (see Result.Retried).
	Products evd.Products
	Moduli   int

	// Overlap says how B is used: by Cholesky's method, or by canonical orthogonalisation, which drops
	// directions in which B is nearly singular.
	Overlap Overlap

	// Verify makes Solve measure each result before it returns (see Result). If a result does not
	// pass, Solve refines it if it can (see Refine). If it still does not pass, Solve computes it
	// again by slower and simpler methods, its safe path. The plan keeps B on the device. With
	// Overlap.Canonical, only the two standard problems have a safe path: if the result of the pair
	// does not pass, Solve returns an *UnverifiedError.
	Verify bool

	// Refine makes Solve improve the vectors after the solve, by one or two steps of Newton's method
	// (Ogita and Aishima's iteration, as evd.RefinePlan). If B is ill-conditioned, the residuals of
	// some vectors are much larger than those of others (see Plan.Check), and a step makes them as
	// small. A step takes about 8·n³ operations, with native products in the precision of T. Solve
	// measures the vectors before and after each step, with 6·n³ operations, and returns those from
	// before unless the residual has become smaller and the vectors are orthogonal. See Result. Refine
	// needs Vectors, the whole spectrum and AxLBx, and is not for Overlap.Canonical. With Verify, a
	// result whose residual does not pass is refined in any case, if these conditions hold.
	Refine bool

	// RowMajor makes Solve return vectors in row-major order. It needs Vectors.
	RowMajor bool

	// Progress is called repeatedly during a solve, as evd.Options.Progress is.
	Progress func(evd.Progress)

	// Tuning replaces the device's tuning table of sizes.
	Tuning *tuning.Tuning
}

func (o Options) check(n int) error {
	switch {
	case o.Type < AxLBx || o.Type > BAxLx:
		return plan.BadOption("Type", fmt.Sprintf("there is no problem %d", int(o.Type)))
	case o.Band < 0 || o.Block < 0:
		return plan.BadOption("Band, Block", "must not be negative")
	case o.RowMajor && !o.Vectors:
		return plan.BadOption("RowMajor", "only vectors have rows")
	case o.Refine && !o.Vectors:
		return plan.BadOption("Refine", "only vectors are refined")
	case o.Refine && o.Type != AxLBx:
		return plan.BadOption("Refine", "only A·x = λ·B·x needs it: the residuals of the other problems do not grow with the condition number of B")
	case o.Refine && o.Overlap.Canonical:
		return plan.BadOption("Refine", "a refinement needs a B of which no direction is dropped, so it is not for Overlap.Canonical")
	case o.Refine && !o.mayRefine():
		return plan.BadOption("Refine", "a refinement is for all vectors, because it corrects each vector by multiples of all others")
	}
	if err := o.Overlap.check(o.Type); err != nil {
		return err
	}
	if err := evd.CheckProducts(o.Products, o.Moduli); err != nil {
		return err
	}
	return o.config().Check(n)
}

// mayRefine reports whether a refinement is possible.
func (o Options) mayRefine() bool {
	return o.Vectors && o.Type == AxLBx && o.Select == evd.Selection{} && !o.Overlap.Canonical
}

// measures reports whether Solve measures the vectors of its results.
func (o Options) measures() bool { return (o.Verify || o.Refine) && o.Vectors }

func (o Options) config() dense.Config {
	return dense.Config{
		Options: spectrum.Options{Vectors: o.Vectors, Select: spectrum.Selection(o.Select), Solver: spectrum.Solver(o.Solver)},
		Band:    o.Band, Block: o.Block, NoWaits: o.NoWaits, Products: emulation.Use(o.Products), Moduli: o.Moduli,
		Verify: o.Verify, RowMajor: o.RowMajor, Tuning: o.Tuning, Pencil: o.Type.pencil(),
		Refine: (o.Refine || o.Verify) && o.mayRefine(),
	}
}

func (t Type) pencil() factor.Pencil { return factor.AxLBx + factor.Pencil(t) }
