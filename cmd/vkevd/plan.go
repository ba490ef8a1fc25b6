package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// A planJob is one call of vkevd plan.
type planJob struct {
	*session
	device  func() string
	n       int
	svd     bool
	full    bool // with svd
	rows    int  // with svd; of n columns
	options options
	config  *config
	json    *jsonOutput
}

func planCommand(s *session) *cobra.Command {
	j := &planJob{session: s}
	cmd := &cobra.Command{
		Use:   "plan --n N [flags]",
		Short: "will it fit? memory by region and operations by stage",
		Long: `plan prints the device memory for a matrix of order N, region by region, and the floating-point
operations of each stage. Vectors are included unless --values-only is given. Regions with the
same offset are never in use at the same time. Nothing is allocated and nothing runs. Without a
device, the plan is for a typical one. If the device would refuse the plan for lack of memory,
the exit status is 3.

The number of eigenvalues in an --interval is not known beforehand: the memory is for all of them.
With --svd the plan is for the singular values of a matrix of M rows and N columns, without vectors
unless --vectors or --full is given.

A part of the vectors is found by MRRR. If MRRR needs divide and conquer, which is rare,
13·N² more bytes are allocated for that time.`,
		Example: `  vkevd plan -n 32768
  vkevd plan -n 100000 --values-only --device nvidia
  vkevd plan -n 100000 --smallest 1000 --json -
  vkevd plan --svd -m 100000 -n 2000 --vectors`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if j.n < 1 {
				return usage(cmd, "plan needs --n N, the order of the matrix, at least 1")
			}
			if err := checkOrders(j.n); err != nil {
				return usage(cmd, "%w", err)
			}
			if err := j.checkSVD(cmd); err != nil {
				return err
			}
			if err := j.options.check(cmd, j.wantsVectors()); err != nil {
				return err
			}
			return j.run(cmd.Context())
		},
	}
	j.device = deviceFlag(cmd, s)
	j.options.flags(cmd)
	cmd.Flags().Lookup("vectors").Usage = "include eigenvectors, as without any flag; with --svd, the thin U and V"
	cmd.Flags().Lookup("values-only").Usage = "include no eigenvectors"
	j.config = configFlag(cmd, s)
	cmd.Flags().IntVarP(&j.n, "n", "n", 0, "order `N` of the matrix")
	cmd.Flags().BoolVar(&j.svd, "svd", false, "plan for singular values, of a matrix of any shape")
	cmd.Flags().BoolVar(&j.full, "full", false, "with --svd: include the whole U and V, M by M and N by N")
	cmd.Flags().IntVarP(&j.rows, "m", "m", 0, "with --svd: number `M` of rows (default: N)")
	j.json = jsonFlag(cmd, "the plan, and whether it fits,")
	return cmd
}

func (j *planJob) wantsVectors() bool {
	if j.svd {
		return j.options.vectors || j.full
	}
	return !j.options.valuesOnly
}

func (j *planJob) run(ctx context.Context) error {
	if err := j.json.open(j.stdout); err != nil {
		return err
	}
	defer j.json.close()
	info, err := planFor(j.session, j.device())
	if err != nil {
		return err
	}
	var opt evd.Options
	if !j.svd {
		if opt, err = j.options.evd(j.n, j.wantsVectors()); err != nil {
			return err
		}
	}
	tuned := j.config.apply(&opt, info, j.stderr)
	if tuned {
		fmt.Fprintln(j.stderr, "Sizes are from vkevd tune --save.")
	}
	f, unfit, err := j.forecast(info, opt)
	if option := (*evd.OptionError)(nil); errors.As(err, &option) {
		return aboutOption(option)
	} else if err != nil {
		return err
	}
	if !j.json.instead() {
		if err := printPlan(j.stdout, f); err != nil {
			return cannotWrite("standard output", err)
		}
	}
	if err := j.json.write(ctx, j.report(info, f, unfit, j.wantsVectors(), tuned)); err != nil {
		return err
	}
	if unfit == nil && info.Memory > 0 {
		what := map[bool]string{true: "with vectors", false: "values only"}[j.wantsVectors()]
		fmt.Fprintf(j.stderr, "It fits: %s of %s, %s.\n", human(f.Bytes()), human(info.Free), what)
	}
	if unfit != nil {
		return fmt.Errorf("%s on %s: %w", j.size(), info.Name, unfit)
	}
	return nil
}

// typical describes a device for the case that there is none.
var typical = vk.Info{
	Name: "a typical device", Family: "other", SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 32,
	Problem: "there is no device",
}

// planFor describes the device that the user asked for. If the user did not ask for one and there
// is none, it describes a typical one.
func planFor(s *session, word string) (vk.Info, error) {
	dev, err := s.open(vk.Options{Device: word}, s.stderr)
	if errors.Is(err, vk.ErrNoDevice) && word == "" {
		fmt.Fprintf(s.stderr, "No device here: the plan is for a typical one (%s).\n", describe(err))
		return typical, nil
	}
	if err != nil {
		return vk.Info{}, err
	}
	defer dev.Close()
	fmt.Fprintf(s.stderr, "Plan for %s, %s free.\n", printable(dev.Info().Name), human(dev.Info().Free))
	return dev.Info(), nil
}

// printPlan prints the table for people.
func printPlan(w io.Writer, f forecast) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %16s %16s\n", "region", "offset", "bytes")
	for _, r := range f.Memory() {
		if r.Bytes > 0 { // without vectors some regions are empty
			fmt.Fprintf(&b, "%-28s %16d %16d\n", r.Name, r.Offset, r.Bytes)
		}
	}
	fmt.Fprintf(&b, "%-28s %16s %16d  %s\n\n", "total", "", f.Bytes(), human(f.Bytes()))
	fmt.Fprintf(&b, "%-28s %16s\n", "stage", "flops")
	total := 0.0
	for _, c := range f.Costs() {
		total += c.Flops
		fmt.Fprintf(&b, "%-28s %16.3g", c.Stage, c.Flops)
		if m := c.Model; m != nil && m.Path > 0 {
			fmt.Fprintf(&b, "  %d steps in a row", m.Path)
			if m.Stalls > 0 {
				fmt.Fprintf(&b, " and %d while sweeps wait", m.Stalls)
			}
			if m.Seconds > 0 {
				fmt.Fprintf(&b, ": %.3g s", m.Seconds)
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%-28s %16.3g\n", "total", total)
	_, err := io.WriteString(w, b.String())
	return err
}
