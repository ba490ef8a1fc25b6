package evd

import (
	"math"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
	"github.com/vkevd/vkevd/vk"
)

// Result is a spectrum, or the selected part of a spectrum, with information about the solve. The
// caller owns its memory, and later solves do not change it. With Options.Overwrite, Vectors shares
// the memory of the input matrix.
type Result[T Number] struct {
	// First is the index of Values[0] among all eigenvalues. The smallest one has index 0.
	First int

	// Values are the eigenvalues λ[First], λ[First+1] … in ascending order. They are doubles for
	// every T, because the tridiagonal problem is solved in double precision. A value beyond the
	// largest double is +Inf or −Inf. The result is then returned beside an *OverflowError.
	Values []float64

	// Vectors has the eigenvectors in an n×len(Values) matrix: column k belongs to Values[k]. It is
	// nil without Options.Vectors.
	Vectors *Dense[T]

	// Profile has the seconds of each phase. The name of a phase that runs on the host contains the
	// words "on host".
	Profile *vk.Profile

	// Certificate has the measured errors of the result. They are all below Threshold, unless the
	// result is returned beside an *OverflowError. It is nil without Options.Verify.
	Certificate *Certificate

	// Tree has the counters of MRRR. It is nil if another method solved the tridiagonal problem.
	Tree *Tree

	// Refinement reports how RefinePlan.Refine or MixedPlan.Solve has computed the result. It is
	// nil for other methods of the plans of this package. For package pencil see pencil.Result.
	Refinement *Refinement

	// Retried is the reason why the plan has solved a second time. It is nil if the first attempt
	// succeeded. If a wait between workgroups failed, Retried is the error of this wait. If
	// emulated products refused the matrix, Retried.Stage is "emulated products", and Retried.Info
	// is the number of refused rows of a factor. Profile has the time of the earlier attempts, in
	// one line for each of these two reasons.
	Retried *StageError
}

// Tree counts the work of MRRR: blocks of the tridiagonal matrix T, levels of the representation
// tree, clusters, blocks that were tried again from another root, and vectors that divide and
// conquer had to compute (Fallback, nearly always 0).
type Tree = stemr.MRRRCounters

// Progress says how much of a solve is done. Stage is the current phase. Done is the number of
// floating-point operations done so far, and never decreases. Total is the number for the whole
// solve.
type Progress = plan.Progress

// StageCost is one line of a plan's forecast. It names a phase of a solve, and has the number of
// its floating-point operations (Flops). For bulge chasing it also has a model of the time (Model).
type StageCost = plan.StageCost

// newResult makes the Result of a solve. Plans for dense and for tridiagonal matrices both use it.
func newResult[T Number](c *plan.Call, r spectrum.Result[T], rowMajor bool) *Result[T] {
	res := &Result[T]{First: r.First, Values: r.Values, Profile: c.Profile, Tree: c.Tree, Retried: c.Retried}
	for _, z := range r.Vectors {
		res.Vectors = denseOf(z, rowMajor)
	}
	return res
}

// overflow returns an *OverflowError if a value of the result is beyond the largest double, and nil
// otherwise. An infinite value is no eigenvalue, so the certificate of such a result does not pass.
func (r *Result[T]) overflow() error {
	return plan.OverflowOf(r.Values, r.First, false, r.Certificate, func(c *Certificate) { c.Counts = math.Inf(1) })
}

// exact returns the selected part of the spectrum of a matrix of order 0 or 1. For order 1 the
// eigenvalue is the entry of the matrix.
func exact[T Number](c *plan.Call, opt Options, values []T) *Result[T] {
	from, to := spectrum.SelectExact(spectrum.Selection(opt.Select), spectrum.Scale(values, 1))
	res := &Result[T]{First: from, Values: spectrum.Scale(values[from:to], 1), Profile: c.Profile}
	if opt.Verify {
		res.Certificate = &Certificate{}
	}
	if !opt.Vectors {
		return res
	}
	res.Vectors = packed[T](len(values), to-from, opt.RowMajor)
	for i := range res.Vectors.Data { // there is at most one element
		res.Vectors.Data[i] = 1
	}
	return res
}
