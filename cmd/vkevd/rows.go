package main

import (
	"context"
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// rowsFlag adds the flag --json FILE to the commands that print row after row.
func rowsFlag(cmd *cobra.Command, path *string, what string) {
	cmd.Flags().StringVar(path, "json", "", "append "+what+
		" to `FILE`, one JSON object per\n"+
		"line; - prints them in place of the table")
}

// A rowFile collects rows of many runs. They are appended one by one, so that an interruption loses
// none.
type rowFile struct {
	path string
	w    io.Writer // nil if no rows are wanted
	file *os.File  // nil for standard output
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

// table is the writer for the table for people: standard output, or with --json - standard error.
func (r *rowFile) table(s *session) io.Writer {
	if r.path == streamWord {
		return s.stderr
	}
	return s.stdout
}

func (r *rowFile) add(row any) error {
	if r.w == nil {
		return nil
	}
	return cannotWrite(outputName(r.path), json.NewEncoder(r.w).Encode(row))
}

func (r *rowFile) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// measuring runs work that appends rows to a file and reports its progress.
func measuring(ctx context.Context, s *session, path string, work func(rows *rowFile, show *progress) error) error {
	rows, err := openRows(path, s.stdout)
	if err != nil {
		return err
	}
	defer rows.close()
	_, show := s.feedback(false)
	defer show.finish()
	return untilDone(ctx, func() error { return work(rows, show) })
}
