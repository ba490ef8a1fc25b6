package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
)

// options are the options of the solver, as flags of solve and of plan.
type options struct {
	vectors, valuesOnly bool
	part                part
	solver              string
	tridiagonal         bool
	precision           string
	band, block         int
	verify              bool
	distribute          bool
	productsFlags
}

func (o *options) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.vectors, "vectors", false, "compute eigenvectors, too")
	f.BoolVar(&o.valuesOnly, "values-only", false, "compute no eigenvectors")
	o.part.flags(f)
	f.StringVar(&o.solver, "solver", evd.Auto.String(),
		"`METHOD` for the tridiagonal problem: "+strings.Join(evd.Solvers(), ", ")+
			".\n"+
			"dc is divide and conquer; mrrr finds a part of the vectors faster;\n"+
			"bisection finds values only; qr runs on the host")
	cli.CompleteSolver(cmd)
	cli.PrecisionFlag(cmd, &o.precision, ". mixed solves in\nsingle precision, and refines all vectors to double precision", cli.PrecisionMixed)
	f.BoolVar(&o.tridiagonal, "tridiagonal", false, "the matrix is symmetric and tridiagonal already")
	f.BoolVar(&o.verify, "verify", false,
		"certify the result before it is written, vectors by ratios and values\n"+
			"by Sturm counts, and solve again on another path if that fails")
	f.BoolVar(&o.distribute, "distribute", false,
		"divide the matrix among the devices of --device, for a matrix that is\n"+
			"too large for one of them, or where that is faster (vkevd also does so\n"+
			"by itself)")
	f.IntVar(&o.band, "band", 0, "half-bandwidth `B` of the first stage (default: the device's tuning)")
	f.IntVar(&o.block, "block", 0,
		"rank `K` of the first stage's updates, a multiple of the half-bandwidth\n"+
			"(default: the device's tuning)")
	o.productsFlags.flags(cmd)
}

// check returns an error for options of the solver that are wrong for every matrix.
func (o *options) check(cmd *cobra.Command, vectors bool) error {
	solver, err := evd.ParseSolver(o.solver)
	if err != nil {
		return cli.Usage(cmd, "--solver: %q is unknown; there are %s", o.solver, strings.Join(evd.Solvers(), ", "))
	}
	if vectors && !solver.Vectors() {
		return cli.Usage(cmd, "--solver %s finds no vectors; add --values-only", solver)
	}
	if err := o.productsFlags.check(cmd); err != nil {
		return err
	}
	if err := cli.CheckPrecision(cmd, o.precision, cli.PrecisionMixed); err != nil {
		return err
	}
	if _, err := o.part.of(anyOrder); err != nil {
		return cli.Usage(cmd, "%w", err)
	}
	return nil
}

// anyOrder is used in place of the order of a matrix that has not been read yet. It is so large
// that every range of indices fits into it.
const anyOrder = math.MaxInt

// evd returns the library's options for a matrix of order n. The method `Check` must have been
// called before. The method `evd` returns an error if the matrix does not have the selected part of
// the spectrum.
func (o *options) evd(n int, vectors bool) (evd.Options, error) {
	solver, _ := evd.ParseSolver(o.solver)
	selection, err := o.part.of(n)
	return evd.Options{
		Vectors: vectors, Select: selection, Solver: solver, Band: o.band, Block: o.block, Verify: o.verify, Distribute: o.distribute,
		Products: o.chosen(), Moduli: o.moduli,
	}, err
}

// aboutOption converts an error about fields of the library's options to an error about flags. The
// error may name several fields, such as "Band, Block".
func aboutOption(err *evd.OptionError) error {
	flags := strings.ReplaceAll(strings.ToLower(err.Option), ", ", ", --")
	return fmt.Errorf("--%s: %s", flags, err.Reason)
}
