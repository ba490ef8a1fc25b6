package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// A finding is one line of the doctor.
type finding struct {
	Name   string `json:"name"`
	State  state  `json:"state"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

type state string

const (
	fine    state = "ok"
	missing state = "missing"
	noted   state = "note" // neither good nor bad
)

// A missingError says that something stands between this machine and a solve.
type missingError struct{ first finding }

func (e *missingError) Error() string {
	what := "missing or not good enough: " + e.first.Name
	if e.first.Remedy != "" {
		what += "; " + e.first.Remedy
	}
	return what
}

func doctorCommand(s *session) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "what this machine has and what it lacks",
		Long: `doctor looks at all that a solve relies on, a line each: the Vulkan loader and drivers, what
the device offers, how well it divides and takes square roots in double precision (in units
in the last place, at operands made to be hard), whether workgroups that others wait for get
on, its memory and the largest matrices that fit, folders, and a small matrix solved and
checked. A line begins with ok, with note, or with missing; then it ends with what to do
about it. If something is missing, the exit status is 3.`,
		Example: "  vkevd doctor\n  vkevd doctor --device nvidia --json",
		Args:    noArguments,
	}
	device := deviceFlag(cmd, s)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		d := &examination{session: s, word: device(), system: distributionOf(s.system())}
		if !asJSON {
			d.tell = func(f finding) error { return printFinding(s.stdout, f) }
		}
		if err := untilDone(cmd.Context(), func() error { return d.all(cmd.Context()) }); err != nil {
			return err
		}
		if asJSON {
			e := json.NewEncoder(s.stdout)
			e.SetIndent("", "  ")
			if err := e.Encode(d.findings); err != nil {
				return cannotWrite("standard output", err)
			}
		}
		return d.verdict()
	}
	return cmd
}

func printFinding(w io.Writer, f finding) error {
	line := fmt.Sprintf("%-8s %-28s %s", f.State, f.Name, printable(f.Detail))
	if f.Remedy != "" {
		line += "; " + f.Remedy
	}
	_, err := fmt.Fprintln(w, line)
	return cannotWrite("standard output", err)
}

// examination is one doctor's visit.
type examination struct {
	*session
	word     string // which device
	system   distribution
	tell     func(finding) error // as soon as something is known; may be nil
	findings []finding
	err      error // of telling
}

func (d *examination) add(name string, s state, remedy, format string, args ...any) {
	f := finding{name, s, fmt.Sprintf(format, args...), remedy}
	d.findings = append(d.findings, f)
	if d.tell != nil && d.err == nil {
		d.err = d.tell(f)
	}
}

// okIf is fine or missing; the remedy is for the latter.
func (d *examination) okIf(good bool, name, remedy, format string, args ...any) {
	if good {
		d.add(name, fine, "", format, args...)
	} else {
		d.add(name, missing, remedy, format, args...)
	}
}

// verdict is nil, or about the first thing that is missing.
func (d *examination) verdict() error {
	for _, f := range d.findings {
		if f.State == missing {
			return &missingError{f}
		}
	}
	return nil
}

// all goes from the outside in, and ends where nothing further can be seen.
func (d *examination) all(ctx context.Context) error {
	info, found := d.machineWide()
	if found && d.offers(info) {
		d.opened(ctx)
	}
	d.folders()
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.err
}
