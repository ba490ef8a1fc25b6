package evd

import (
	"slices"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Result is a spectrum, or the selected part of it, with information about the solve. The caller
// owns its memory, and later solves do not change it. With Options.Overwrite the memory of Vectors
// is that of the input.
type Result[T Float] struct {
	// First is the index of Values[0] among all eigenvalues, from 0 at the smallest.
	First int

	// Values are the eigenvalues λ[First], λ[First+1] …, ascending. A value too large for T is
	// infinite, with its sign.
	Values []T

	// Vectors has the eigenvectors, n×len(Values): column k belongs to Values[k]. It is nil without
	// Options.Vectors.
	Vectors *Dense[T]

	// Profile has the seconds by phase. The words "on host" in a name mark time on the host.
	Profile *vk.Profile

	// Certificate is the certificate of the result, which has passed. It is nil without
	// Options.Verify.
	Certificate *Certificate

	// Tree counts what MRRR did. It is nil for other methods.
	Tree *Tree

	// Retried is the failed wait between workgroups after which the plan solved again without
	// waiting. It is nil if there was none. If it is not nil, the profile has the time of the first
	// attempt in one line.
	// Its Stage is "emulated products" if these refused the matrix; then its Info is the number of
	// refused rows of a factor.
	Retried *StageError
}

// Tree counts what MRRR did: blocks of T, levels of the representation tree, clusters, blocks that
// were tried again from another root, and vectors that divide and conquer had to find (Fallback,
// nearly always 0).
type Tree = spectrum.Tree

// Progress says how much of a solve is done. Stage is a phase of the solve. Done and Total count
// floating-point operations. Done never decreases.
type Progress = spectrum.Progress

// newResult makes the result of a call, for both kinds of plan.
func newResult[T Float](c *spectrum.Call, r spectrum.Result[T], rowMajor bool) *Result[T] {
	res := &Result[T]{First: r.First, Values: r.Values, Profile: c.Profile, Tree: c.Tree, Retried: c.Retried}
	for _, z := range r.Vectors {
		res.Vectors = dense(z, rowMajor)
	}
	return res
}

// exact is the selected part of the spectrum of a matrix of order 0 or 1. For order 1 the
// eigenvalue is the entry itself.
func exact[T Float](c *spectrum.Call, opt Options, values []T) *Result[T] {
	from, to := spectrum.SelectExact(opt.Select, spectrum.Scale(values, 1))
	res := &Result[T]{First: from, Values: slices.Clone(values[from:to]), Profile: c.Profile}
	if !opt.Vectors {
		return res
	}
	res.Vectors = packed[T](len(values), to-from, opt.RowMajor)
	for i := range res.Vectors.Data { // one at most
		res.Vectors.Data[i] = 1
	}
	return res
}
