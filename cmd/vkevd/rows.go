package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/bench"
)

// rowsFlag adds the flag --json FILE to a command that measures many things one after another. Each
// measurement becomes a row of the file.
func rowsFlag(cmd *cobra.Command, path *string, what string) {
	cmd.Flags().StringVar(path, "json", "", "append "+what+
		" to `FILE`, one JSON object per\n"+
		"line; - prints them to standard output, and the table only to a terminal")
}

// A rowFile collects the rows of many runs in one file. Each row is appended as soon as it is
// measured, so that an interruption loses no row.
type rowFile struct {
	path string
	w    io.Writer // nil if no rows are wanted
	file *os.File  // nil for standard output

	// keep is called with each measured row. It may be nil.
	keep func(bench.Row)
}

func openRows(path string, stdout io.Writer) (*rowFile, error) {
	r := &rowFile{path: path}
	switch path {
	case "":
		return r, nil
	case streamWord:
		r.w = stdout
		return r, nil
	}
	var err error
	if r.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, cannotWrite(path, err)
	}
	r.w = r.file
	return r, nil
}

// table returns the writer for the readable table. It is standard output. With --json - it is the
// terminal, because standard output then has the JSON.
func (r *rowFile) table(s *session) io.Writer {
	if r.path == streamWord {
		return s.atTerminal()
	}
	return s.stdout
}

// atTerminal returns standard error if it is a terminal. Otherwise it returns a writer that
// discards everything.
func (s *session) atTerminal() io.Writer {
	if s.terminal || s.dumb {
		return s.stderr
	}
	return io.Discard
}

func (r *rowFile) add(row any) error {
	if b, ok := row.(bench.Row); ok && r.keep != nil {
		r.keep(b)
	}
	if r.w == nil {
		return nil
	}
	return cannotWrite(outputName(r.path), encodeJSON(r.w, row, ""))
}

func (r *rowFile) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// measuring calls the function `work`, which appends measured rows to the file `path` and reports
// its progress.
func measuring(ctx context.Context, s *session, v verbosity, path string, work func(rows *rowFile, show *progress) error) error {
	rows, err := unlessDone(ctx, func() (*rowFile, error) { return openRows(path, s.stdout) }) // a pipe without a reader waits
	if err != nil {
		return err
	}
	defer rows.close()
	_, show := s.feedback(v)
	defer show.finish()
	return untilDone(ctx, func() error { return work(rows, show) })
}
