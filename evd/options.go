package evd

import (
	"fmt"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Options say what to compute and how. With the zero value a solve computes all eigenvalues and no
// vectors, with the device's tuning.
type Options struct {
	// Vectors asks for eigenvectors, in addition to the eigenvalues.
	Vectors bool

	// Select says which part of the spectrum is wanted. The zero value is the whole spectrum.
	Select Selection

	// Solver is the method for the tridiagonal problem. The zero value is Auto.
	Solver Solver

	// Band is the half-bandwidth b of the first stage. 0 means the tuning's value, which may be to
	// reduce a small matrix to tridiagonal form in one stage.
	Band int

	// Block is the rank of the first stage's trailing updates, a multiple of Band. 0 means the
	// tuning's value. If Band or Block is set, there are two stages.
	Block int

	// Wavefront prevents waits between workgroups in bulge chasing, back transformation 2 and
	// panels. It is for devices on which waiting workgroups keep the others from running. A plan
	// does the same by itself if a trial finds such a device, or after a wait that failed.
	Wavefront bool

	// Products says how large products are computed: in the device's double precision or on its
	// integer units. If emulated products refuse a matrix, it is solved again with native ones
	// (Result.Retried).
	Products Products

	// Moduli is the number of moduli of emulated products, 13 to 16. 0 means 13 in the reduction and
	// 14 for the vectors. With 15 errors are those of rounding the results.
	Moduli int

	// Verify certifies each result before it is returned (Result.Certificate). If a result fails,
	// the matrix is solved again on a safe path. It cannot be combined with Overwrite.
	Verify bool

	// Overwrite returns the vectors in the input's memory, with the input's leading dimension, and
	// destroys A. It needs Vectors.
	Overwrite bool

	// RowMajor returns vectors in row-major order, as gonum stores matrices: component i of vector
	// j is Data[i·Ld + j]. It needs Vectors.
	RowMajor bool

	// Progress is called now and then, one call at a time, in another goroutine. Solve waits for
	// the call, and returns after the last one. The function may use the device and other plans. It
	// must not call methods of the plan itself, which would wait for ever.
	Progress func(Progress)

	// Tuning replaces the device's sizes. nil means the sizes of the table. A plan copies it. If a
	// device cannot have these sizes, NewPlan returns an error.
	Tuning *tuning.Tuning
}

// check returns an *OptionError for the first option that has no meaning for matrices of order n,
// or that cannot be combined with another one.
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
	if err := opt.checkProducts(); err != nil {
		return err
	}
	return opt.spectrum().Check(n)
}

// checkTridiagonal is check for a tridiagonal plan, for which options about dense matrices have no
// meaning. The error is about the first wrong option in the order of the fields.
func (opt Options) checkTridiagonal(n int) error {
	for _, dense := range []struct {
		name string
		set  bool
	}{
		{"Band", opt.Band != 0}, {"Block", opt.Block != 0}, {"Wavefront", opt.Wavefront},
		{"Verify", opt.Verify}, {"Overwrite", opt.Overwrite},
		{"Products", opt.Products != ProductsAuto}, {"Moduli", opt.Moduli != 0},
	} {
		if dense.set {
			return spectrum.BadOption(dense.name, "has no meaning for a tridiagonal matrix")
		}
	}
	return opt.check(n)
}

// spectrum returns the part of the options that concerns the tridiagonal matrix T.
func (opt Options) spectrum() spectrum.Options {
	return spectrum.Options{Vectors: opt.Vectors, Select: opt.Select, Solver: opt.Solver}
}

// capacity is the largest number of eigenvalues of a matrix of order n that may be selected.
func (opt Options) capacity(n int) int { return spectrum.Capacity(opt.Select, n) }

// vectors is the largest number of vectors that may be wanted.
func (opt Options) vectors(n int) int {
	if !opt.Vectors {
		return 0
	}
	return opt.capacity(n)
}

// sizes returns the tuning for order n: that of the caller or of the device, with the sizes that
// opt sets.
func (opt Options) sizes(dev *vk.Device, n int) (tuning.Tuning, error) {
	t := tuning.On(dev.Info())
	if opt.Tuning != nil {
		t = *opt.Tuning
	}
	t = t.For(n, opt.vectors(n))
	if opt.Band > 0 {
		// The block of the table is changed to a multiple of the new band.
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
