package evd

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Options say what to compute and how. The zero value computes eigenvalues
// only, with the device's tuning.
type Options struct {
	Vectors   bool
	Select    Selection      // which eigenvalues, and vectors; the zero value is all
	Solver    Solver         // of the tridiagonal problem; the zero value is Auto
	Band      int            // half-bandwidth of the first stage; 0 takes the tuning's
	Block     int            // rank of its trailing updates, a multiple of Band; 0 takes the tuning's
	Wavefront bool           // no workgroup waits for another in bulge chasing, Q2 and panels: for devices on which those that wait starve others
	Verify    bool           // certify each result before it is returned, and solve again by other means where that fails
	Overwrite bool           // with Vectors: return them in the input's memory (Ld and all), destroying A
	RowMajor  bool           // with Vectors: return them row-major, as gonum has matrices: component i of vector j is Data[i·Ld+j]
	Progress  func(Progress) // called now and then from Solve's goroutine
	Tuning    *stages.Tuning // nil takes the table for the device
}

// checkTridiagonal reports the first option, in the order of the fields, that is about dense matrices.
func (opt Options) checkTridiagonal() error {
	for _, dense := range []struct {
		name string
		set  bool
	}{
		{"Band", opt.Band != 0}, {"Block", opt.Block != 0}, {"Wavefront", opt.Wavefront},
		{"Verify", opt.Verify}, {"Overwrite", opt.Overwrite},
	} {
		if dense.set {
			return &OptionError{dense.name, "has no meaning for a tridiagonal matrix"}
		}
	}
	return nil
}

// Progress is how far a solve has come. Done and Total are floating-point operations.
type Progress struct {
	Stage       string
	Done, Total float64
}

// StageCost is one line of a plan's forecast.
type StageCost struct {
	Stage string  `json:"stage"`
	Flops float64 `json:"flops"`

	// Model is of the bulge chasing alone, whose time is that of steps in a row.
	Model *stages.ChaseModel `json:"model,omitempty"`
}

// Result is a spectrum, or the part of it that was selected, and what is known about
// how it was found.
type Result[T Float] struct {
	First   int         // Values[0] is eigenvalue First of all, counted from 0 at the least
	Values  []T         // ascending
	Vectors *Dense[T]   // column j belongs to Values[j]; nil without Options.Vectors
	Profile *vk.Profile // seconds by stage; "on host" in a name marks time spent there

	Certificate *Certificate // of Options.Verify
	Tree        *Tree        // how MRRR came by the vectors; nil if another method was at work
}

// Tree counts what MRRR met: blocks of T, levels of the representation tree, clusters, blocks that
// were tried again from another root, and the vectors that divide and conquer had to find (Fallback; hardly ever any).
type Tree = stages.MRRRCounters
