package main

import (
	"io"

	"github.com/spf13/cobra"
)

// A verbosity says what a command prints to standard error besides errors.
type verbosity struct{ quiet, verbose bool }

func (v *verbosity) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&v.quiet, "quiet", false, "print only errors to standard error")
	f.BoolVar(&v.verbose, "verbose", false, "print progress and a summary even if standard error is no terminal")
}

// check refuses flags that cannot be combined.
func (v verbosity) check(cmd *cobra.Command) error {
	if v.quiet && v.verbose {
		return usage(cmd, "--quiet cannot be combined with --verbose")
	}
	return nil
}

// feedback returns where a command prints its summary, and the progress that it shows. Remarks that
// every user must see, such as what was done to the matrix, go to the progress's above. On a
// terminal everything is shown. Elsewhere only remarks are, unless --verbose is given. With --quiet
// nothing is shown.
func (s *session) feedback(v verbosity) (summary io.Writer, show *progress) {
	switch {
	case v.quiet:
		return io.Discard, newProgress(io.Discard, hidden, nil)
	case s.terminal:
		return s.stderr, newProgress(s.stderr, redrawn, s.columns)
	case v.verbose || s.dumb:
		return s.stderr, newProgress(s.stderr, listed, nil)
	}
	return io.Discard, newProgress(s.stderr, hidden, nil)
}
