package cli

import (
	"io"

	"github.com/spf13/cobra"
)

// A Verbosity says what a command prints to standard error besides errors.
type Verbosity struct{ Quiet, verbose bool }

func (v *Verbosity) Flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&v.Quiet, "quiet", false, "print only errors to standard error")
	f.BoolVar(&v.verbose, "verbose", false, "print progress and a summary even if standard error is no terminal")
}

// Feedback returns two things: where a command prints its summary, and an object that shows
// progress. On a terminal, summary and progress are shown. If standard error is not a terminal,
// they are shown only with --verbose. With --quiet they are never shown. Remarks that every user
// must see, such as changes of the matrix, go to the writer `Above` of the progress; they are
// printed in all cases except --quiet.
func (s *Session) Feedback(v Verbosity) (summary io.Writer, show *Progress) {
	switch {
	case v.Quiet:
		return io.Discard, NewProgress(io.Discard, hidden, nil)
	case s.Terminal:
		return s.Stderr, NewProgress(s.Stderr, Redrawn, s.columns)
	case v.verbose || s.Dumb:
		return s.Stderr, NewProgress(s.Stderr, Listed, nil)
	}
	return io.Discard, NewProgress(s.Stderr, hidden, nil)
}
