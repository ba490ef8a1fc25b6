package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
)

// options are the solver's, as flags of solve and of plan.
type options struct {
	valuesOnly  bool
	part        part
	solver      string
	tridiagonal bool
	band, block int
	verify      bool
}

func (o *options) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.valuesOnly, "values-only", false, "no eigenvectors: less time, less memory")
	f.Var(rangeFlag{&o.part.index}, "index", "only eigenvalues `I:J`: numbers I to J−1, counted from 0 at the least.\nEither may be missing: \":10\" is the ten least, \"10:\" all but those")
	f.Var(rangeFlag{&o.part.interval}, "interval", "only eigenvalues in `A:B`, which excludes A and includes B; either\nmay be missing for infinity")
	f.StringVar(&o.solver, "solver", evd.Auto.String(), "`METHOD` for the tridiagonal problem: "+strings.Join(evd.Solvers(), ", ")+".\ndc is divide and conquer; mrrr is for some of the vectors; bisection\nfinds none; qr runs on the host")
	f.BoolVar(&o.tridiagonal, "tridiagonal", false, "the matrix is a symmetric tridiagonal to begin with")
	f.BoolVar(&o.verify, "verify", false, "certify the result before it is written, by ratios of the vectors and\ncounts of the values, and solve again by other means if that fails")
	f.IntVar(&o.band, "band", 0, "half-bandwidth `B` of the first stage (default: the device's tuning)")
	f.IntVar(&o.block, "block", 0, "rank `K` of its updates, a multiple of the half-bandwidth\n(default: the device's tuning)")
}

// check finds what makes no sense before any file is read.
func (o *options) check(cmd *cobra.Command) error {
	solver, err := evd.ParseSolver(o.solver)
	if err != nil {
		return usage(cmd, "--solver: there is no %q, only %s", o.solver, strings.Join(evd.Solvers(), ", "))
	}
	if !o.valuesOnly && !solver.Vectors() {
		return usage(cmd, "--solver %s finds no vectors; add --values-only", solver)
	}
	for _, name := range []string{"band", "block", "verify"} {
		if o.tridiagonal && cmd.Flags().Changed(name) {
			return usage(cmd, "--%s does not go with --tridiagonal", name)
		}
	}
	if _, err := o.part.of(math.MaxInt); err != nil {
		return usage(cmd, "%w", err)
	}
	return nil
}

// evd is the library's options for a matrix of order n, once check found nothing.
func (o *options) evd(n int) evd.Options {
	solver, _ := evd.ParseSolver(o.solver)
	selection, _ := o.part.of(n)
	return evd.Options{Vectors: !o.valuesOnly, Select: selection, Solver: solver, Band: o.band, Block: o.block, Verify: o.verify}
}

// aboutOption says in terms of flags what the library says in terms of fields, of
// which there may be several: "Band, Block".
func aboutOption(err *evd.OptionError) error {
	flags := strings.ReplaceAll(strings.ToLower(err.Option), ", ", ", --")
	return fmt.Errorf("--%s: %s", flags, err.Reason)
}
