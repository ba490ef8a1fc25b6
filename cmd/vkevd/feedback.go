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

// feedback returns two things: where a command prints its summary, and an object that shows
// progress. On a terminal, summary and progress are shown. If standard error is not a terminal,
// they are shown only with --verbose. With --quiet they are never shown. Remarks that every user
// must see, such as changes of the matrix, go to the writer `above` of the progress; they are
// printed in all cases except --quiet.
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
