// Package doctor has the command vkevd doctor, which examines what a solve relies on.
package doctor

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// A Finding is one line of the output of vkevd doctor.
type Finding struct {
	Name   string `json:"name"`
	State  state  `json:"state"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

type state string

const (
	fine    state = "ok"
	Missing state = "missing"
	noted   state = "note" // neither good nor bad
)

// A missingError says that this machine cannot solve problems, and why. `first` is the first line
// of doctor's output about a missing part.
type missingError struct{ first Finding }

func (e *missingError) Error() string {
	what := "missing or not good enough: " + e.first.Name
	if e.first.Remedy != "" {
		what += "; " + e.first.Remedy
	}
	return what
}

func (e *missingError) Status() int { return cli.StatusDevice }

func DoctorCommand(s *cli.Session) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "doctor [flags]",
		Args: cli.NoArguments,
	}
	device := cli.DeviceFlag(cmd, s)
	out := cli.JsonFlag(cmd, "the findings")
	first := cmd.Flags().Bool("first-run", false, "measure how long a run takes that has to compile all kernels:\n"+
		"seconds on a GPU, and up to a minute on a CPU")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		if err := out.Open(s.Stdout); err != nil {
			return err
		}
		defer out.Close()
		d := &examination{Session: s, word: device(), first: *first, system: distributionOf(s.System())}
		if !out.Instead() {
			d.tell = func(f Finding) error { return printFinding(s.Stdout, f) }
		}
		if err := cli.UntilDone(ctx, func() error { return d.all(ctx) }); err != nil {
			return err
		}
		if err := out.Write(ctx, d.findings); err != nil {
			return err
		}
		return d.verdict()
	}
	return cmd
}

func printFinding(w io.Writer, f Finding) error {
	line := fmt.Sprintf("%-8s %-28s %s", f.State, f.Name, cli.Printable(f.Detail))
	if f.Remedy != "" {
		line += "; " + f.Remedy
	}
	_, err := fmt.Fprintln(w, line)
	return cli.CannotWrite("standard output", err)
}

// An examination is one run of vkevd doctor.
type examination struct {
	*cli.Session
	word     string // device that the user has named, or ""
	first    bool   // the user wants the time of a first run
	system   distribution
	tell     func(Finding) error // called with each finding as soon as it is found; may be nil
	findings []Finding
	err      error // the first error that tell returned
}

func (d *examination) add(name string, s state, remedy, format string, args ...any) {
	f := Finding{name, s, fmt.Sprintf(format, args...), remedy}
	d.findings = append(d.findings, f)
	if d.tell != nil && d.err == nil {
		d.err = d.tell(f)
	}
}

// okIf adds a line to the output of doctor. The state of the line is `fine` if `good` is true, and
// `Missing` otherwise. `remedy` says what the user can do. It is printed if the state is `Missing`.
func (d *examination) okIf(good bool, name, remedy, format string, args ...any) {
	if good {
		d.add(name, fine, "", format, args...)
	} else {
		d.add(name, Missing, remedy, format, args...)
	}
}

func (d *examination) verdict() error {
	for _, f := range d.findings {
		if f.State == Missing {
			return &missingError{f}
		}
	}
	return nil
}

// all makes all examinations of doctor: of the loader, the drivers, the device and the folders. If
// a part is missing, `all` leaves out the examinations that need this part.
func (d *examination) all(ctx context.Context) error {
	info, found := d.machineWide()
	if found && d.offers(info) {
		d.tryOut(ctx)
	}
	d.folders()
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.err
}
