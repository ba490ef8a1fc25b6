package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
)

// mixed is the problem A = Q·Λ·Qᵀ in mixed precision: solved in single precision, and refined to
// double precision.
type mixed struct{ dense }

// A mixedSolver is the part of evd.MixedPlan that solve uses.
type mixedSolver interface {
	forecast
	Solve(context.Context, evd.Sym[float64]) (*evd.Result[float64], error)
	Close()
}

type mixedSolution struct {
	mixedSolver
	a evd.Sym[float64]
}

func (p mixed) plan(dev device, opt evd.Options) (solution, error) {
	s, err := dev.mixed(p.order(), opt)
	return mixedSolution{s, p.a}, err
}

func (s mixedSolution) solve(ctx context.Context) (found, error) {
	res, err := s.Solve(ctx, s.a)
	return found{Result: res}, err
}

// measure returns the ratios of the certificate, which every solve in mixed precision has.
func (s mixedSolution) measure(_ context.Context, res found) (measures, error) {
	return ratios(res.Certificate.Ratios), nil
}

// mixedConflicts lists the flags that cannot be combined with --precision mixed.
var mixedConflicts = []string{"values-only", "tridiagonal", "start", "svd", "engine", "index", "largest", "smallest", "interval"}

// checkMixed returns an error for flags that cannot be combined with --precision mixed. `devices` is
// the value of --device.
func (o *options) checkMixed(cmd *cobra.Command, devices string) error {
	if o.precision != precisionMixed {
		return nil
	}
	if i := slices.IndexFunc(mixedConflicts, cmd.Flags().Changed); i >= 0 {
		return usage(cmd, "--precision %s cannot be combined with --%s%s", precisionMixed, mixedConflicts[i], o.part.whyAll())
	}
	if severalDevices(devices) {
		return usage(cmd, "--device %s: --precision %s uses one device", devices, precisionMixed)
	}
	return nil
}

// whyAll explains why a refinement is not for a part of the spectrum. It returns "" if all of it is
// wanted.
func (p *part) whyAll() string {
	if p.all() {
		return ""
	}
	return ": a refinement corrects each vector by multiples of all others"
}
