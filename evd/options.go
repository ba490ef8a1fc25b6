package evd

import (
	"fmt"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Options say what to compute and how. The zero value computes all eigenvalues and no vectors, with
// the device's tuning.
type Options struct {
	// Vectors asks for eigenvectors.
	Vectors bool

	// Select says which part of the spectrum is wanted; the zero value is all of it.
	Select Selection

	// Solver is the method for the tridiagonal problem; the zero value is Auto.
	Solver Solver

	// Band is the half-bandwidth b of the first stage; 0 takes the tuning's.
	Band int

	// Block is the rank of the first stage's trailing updates, a multiple of Band; 0 takes the
	// tuning's.
	Block int

	// Wavefront keeps workgroups from waiting for each other, in bulge chasing, back transformation
	// 2 and panels. It is for devices on which waiting workgroups keep the others from running. A plan
	// takes this path by itself where a trial finds such a device, or after a wait that failed.
	Wavefront bool

	// Verify certifies each result before it is returned (Result.Certificate). If a result fails,
	// the matrix is solved again on a safe path. It cannot be combined with Overwrite.
	Verify bool

	// Overwrite returns the vectors in the input's memory, with the input's leading dimension, and
	// destroys A. It needs Vectors.
	Overwrite bool

	// RowMajor returns vectors in row-major order, as gonum stores matrices: component i of vector
	// j is Data[i·Ld + j]. It needs Vectors.
	RowMajor bool

	// Progress is called now and then, one call at a time, in a goroutine of the solver's. Solve
	// waits for the call, and returns after the last one. The function may use the device and other
	// plans; a method of the plan itself would wait for ever.
	Progress func(Progress)

	// Tuning overrides the device's sizes; nil takes the table's. A plan copies it. Sizes that a
	// device cannot have are errors of NewPlan.
	Tuning *tuning.Tuning
}

// check returns an *OptionError for the first option that has no meaning for matrices of order n or
// does not go with another.
func (opt Options) check(n int) error {
	switch {
	case opt.Band < 0 || opt.Block < 0:
		return spectrum.BadOption("Band, Block", "must not be negative")
	case opt.Verify && opt.Overwrite:
		return spectrum.BadOption("Verify", "needs the input again, which Overwrite destroys")
	case opt.Overwrite && !opt.Vectors:
		return spectrum.BadOption("Overwrite", "only vectors can take the input's place")
	case opt.RowMajor && !opt.Vectors:
		return spectrum.BadOption("RowMajor", "only vectors have rows")
	}
	return opt.spectrum().Check(n)
}

// checkTridiagonal is check for a tridiagonal plan, to which options about dense matrices mean
// nothing. The first is that of the fields above.
func (opt Options) checkTridiagonal(n int) error {
	for _, dense := range []struct {
		name string
		set  bool
	}{
		{"Band", opt.Band != 0}, {"Block", opt.Block != 0}, {"Wavefront", opt.Wavefront},
		{"Verify", opt.Verify}, {"Overwrite", opt.Overwrite},
	} {
		if dense.set {
			return spectrum.BadOption(dense.name, "has no meaning for a tridiagonal matrix")
		}
	}
	return opt.check(n)
}

// spectrum is the part of the options that is about T.
func (opt Options) spectrum() spectrum.Options {
	return spectrum.Options{Vectors: opt.Vectors, Select: opt.Select, Solver: opt.Solver}
}

// capacity is the largest number of eigenvalues of a matrix of order n that may be selected.
func (opt Options) capacity(n int) int { return spectrum.Capacity(opt.Select, n) }

// sizes is the tuning for order n: the caller's, or the device's, with what the options override.
func (opt Options) sizes(dev *vk.Device, n int) (tuning.Tuning, error) {
	t := tuning.On(dev.Info())
	if opt.Tuning != nil {
		t = *opt.Tuning
	}
	vectors := 0
	if opt.Vectors {
		vectors = opt.capacity(n)
	}
	t = t.For(n, vectors)
	if opt.Band > 0 {
		// The table's block, brought to a multiple of the new band.
		t.Block = max(t.Block/opt.Band, 1) * opt.Band
		t.Band = opt.Band
	}
	if opt.Block > 0 {
		t.Block = opt.Block
	}
	if t.Block%t.Band != 0 {
		reason := fmt.Sprintf("%d is not a multiple of the half-bandwidth %d", t.Block, t.Band)
		return t, spectrum.BadOption("Block", reason)
	}
	t.Chase.Wavefront = t.Chase.Wavefront || opt.Wavefront
	return t, nil
}
