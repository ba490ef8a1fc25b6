package cli

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/bench"
)

// RowsFlag adds the flag --json FILE to a command that measures many things one after another. Each
// measurement becomes a row of the file.
func RowsFlag(cmd *cobra.Command, path *string, what string) {
	cmd.Flags().StringVar(path, "json", "", "append "+what+
		" to `FILE`, one JSON object per\n"+
		"line; - prints them to standard output, and the table only to a terminal")
}

// A RowFile collects the rows of many runs in one file. Each row is appended as soon as it is
// measured, so that an interruption loses no row.
type RowFile struct {
	path string
	w    io.Writer // nil if no rows are wanted
	file *os.File  // nil for standard output

	// keep is called with each measured row. It may be nil.
	Keep func(bench.Row)
}

func openRows(path string, stdout io.Writer) (*RowFile, error) {
	r := &RowFile{path: path}
	switch path {
	case "":
		return r, nil
	case StreamWord:
		r.w = stdout
		return r, nil
	}
	var err error
	if r.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, CannotWrite(path, err)
	}
	r.w = r.file
	return r, nil
}

// Table returns the writer for the readable table. It is standard output. With --json - it is the
// terminal, because standard output then has the JSON.
func (r *RowFile) Table(s *Session) io.Writer {
	if r.path == StreamWord {
		return s.AtTerminal()
	}
	return s.Stdout
}

// AtTerminal returns standard error if it is a terminal. Otherwise it returns a writer that
// discards everything.
func (s *Session) AtTerminal() io.Writer {
	if s.Terminal || s.Dumb {
		return s.Stderr
	}
	return io.Discard
}

func (r *RowFile) Add(row any) error {
	if b, ok := row.(bench.Row); ok && r.Keep != nil {
		r.Keep(b)
	}
	if r.w == nil {
		return nil
	}
	return CannotWrite(outputName(r.path), encodeJSON(r.w, row, ""))
}

func (r *RowFile) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// Measuring calls the function `work`, which appends measured rows to the file `path` and reports
// its progress.
func Measuring(ctx context.Context, s *Session, v Verbosity, path string, work func(rows *RowFile, show *Progress) error) error {
	rows, err := UnlessDone(ctx, func() (*RowFile, error) { return openRows(path, s.Stdout) }) // a pipe without a reader waits
	if err != nil {
		return err
	}
	defer rows.close()
	_, show := s.Feedback(v)
	defer show.finish()
	return UntilDone(ctx, func() error { return work(rows, show) })
}
