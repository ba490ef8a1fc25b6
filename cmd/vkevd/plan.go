package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

func planCommand(s *session) *cobra.Command {
	var n int
	var opt options
	cmd := &cobra.Command{
		Use:   "plan --n N [flags]",
		Short: "what a solve would need: memory by region, work by stage",
		Long: `plan prints the device memory that solving a matrix of order N would take, region by
region, and the floating-point operations of each stage. Regions that share an offset are
never in use at once. Nothing is allocated and nothing runs; without any device the plan is
made for one as most are. If the device has not enough memory free, the exit status is 3.

How many eigenvalues an --interval holds is not known beforehand: memory is for all of them.
Some of the vectors are found by MRRR. Should it need divide and conquer's help, which is
hardly ever, that takes 13·N² bytes more while it lasts.`,
		Example: "  vkevd plan -n 32768\n  vkevd plan -n 100000 --values-only --device nvidia\n  vkevd plan -n 100000 --index :1000",
		Args:    noArguments,
	}
	device := deviceFlag(cmd, s)
	opt.flags(cmd)
	config := configFlag(cmd, s)
	cmd.Flags().IntVarP(&n, "n", "n", 0, "order `N` of the matrix")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if n < 1 {
			return usage(cmd, "plan needs --n N, the order of the matrix, at least 1")
		}
		if err := checkOrders(n); err != nil {
			return usage(cmd, "%w", err)
		}
		if err := opt.check(cmd); err != nil {
			return err
		}
		info, err := planFor(s, device())
		if err != nil {
			return err
		}
		wanted := opt.evd(n)
		if config.apply(&wanted, info, s.stderr) {
			fmt.Fprintln(s.stderr, "With the sizes that vkevd tune has kept.")
		}
		f, err := s.machine.forecast(info, n, opt.tridiagonal, wanted)
		full := (*vk.OutOfMemoryError)(nil)
		if errors.As(err, &full) { // what it would take is printed all the same
			f, err = s.machine.forecast(boundless(info), n, opt.tridiagonal, wanted)
		}
		if option := (*evd.OptionError)(nil); errors.As(err, &option) {
			return aboutOption(option)
		} else if err != nil {
			return err
		}
		if err := printPlan(s.stdout, f); err != nil {
			return err
		}
		if full != nil {
			return &vk.OutOfMemoryError{What: fmt.Sprintf("n = %d on %s: %s", n, info.Name, full.What), Need: full.Need, Free: full.Free, Limit: full.Limit}
		}
		if info.Problem == "" && f.Bytes() > info.Free {
			return &vk.OutOfMemoryError{What: fmt.Sprintf("n = %d on %s", n, info.Name), Need: f.Bytes(), Free: info.Free}
		}
		return nil
	}
	return cmd
}

// usual stands for a device where there is none.
var usual = vk.Info{Name: "no device", Family: "other", SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 32, Problem: "is not there"}

// boundless is a device with memory for everything.
func boundless(info vk.Info) vk.Info {
	info.Memory, info.MaxBuffer, info.MaxAllocation = 0, 0, 0
	return info
}

// planFor describes the device asked for. Only who asks for none may get a plan without one.
func planFor(s *session, word string) (vk.Info, error) {
	dev, err := s.open(vk.Options{Device: word}, s.stderr)
	if errors.Is(err, vk.ErrNoDevice) && word == "" {
		fmt.Fprintf(s.stderr, "No device here, so this plan is for one as most are (%s).\n", describe(err))
		return usual, nil
	}
	if err != nil {
		return vk.Info{}, err
	}
	defer dev.Close()
	fmt.Fprintf(s.stderr, "Plan for %s, %s free.\n", printable(dev.Info().Name), human(dev.Info().Free))
	return dev.Info(), nil
}

func printPlan(w io.Writer, f forecast) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %16s %16s\n", "region", "offset", "bytes")
	for _, r := range f.Memory() {
		if r.Bytes > 0 { // what only vectors need has no bytes without them
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
