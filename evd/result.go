package evd

import (
	"slices"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Result is a spectrum, or the selected part of it, and how it was found. The caller owns its
// memory; later solves do not change it. With Options.Overwrite the memory of Vectors is the
// input's.
type Result[T Float] struct {
	// First is the index of Values[0] among all eigenvalues, from 0 at the smallest.
	First int

	// Values are the eigenvalues λ[First], λ[First+1] …, ascending. A value too large for T is
	// infinite, with its sign.
	Values []T

	// Vectors has the eigenvectors, n×len(Values): column k belongs to Values[k]. It is nil without
	// Options.Vectors.
	Vectors *Dense[T]

	// Profile has the seconds by phase; "on host" in a name marks time on the host.
	Profile *vk.Profile

	// Certificate is the certificate of the result, which has passed. It is nil without
	// Options.Verify.
	Certificate *Certificate

	// Tree counts what MRRR did; nil for other methods.
	Tree *Tree

	// Retried is the wait between workgroups that failed, after which the plan solved again without
	// waiting; else nil. The profile then has the time of the first attempt in one line.
	Retried *StageError
}

// Tree counts what MRRR did: blocks of T, levels of the representation tree, clusters, blocks that
// were tried again from another root, and vectors that divide and conquer had to find (Fallback,
// nearly always 0).
type Tree = spectrum.Tree

// Progress says how far a solve is. Stage is a phase of the solve. Done and Total are
// floating-point operations; Done never falls.
type Progress = spectrum.Progress

// newResult is what both kinds of plan return.
func newResult[T Float](c *spectrum.Call, r spectrum.Result[T], rowMajor bool) *Result[T] {
	res := &Result[T]{First: r.First, Values: r.Values, Profile: c.Profile, Tree: c.Tree, Retried: c.Retried}
	for _, z := range r.Vectors {
		res.Vectors = dense(z, rowMajor)
	}
	return res
}

// exact is the selected part of the spectrum of a matrix of order 0 or 1, whose eigenvalue is its
// entry.
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
