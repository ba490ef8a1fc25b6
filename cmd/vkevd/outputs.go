package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/matio"
)

// outputs are the results of one command: files, and at most one output on standard output.
//
// All files are opened before work begins, so that a misspelt folder is found before hours of work.
// They get their names together, after the last one is written.
type outputs struct {
	stdout io.Writer
	files  []output
}

type output struct {
	path string
	file *matio.AtomicFile // nil for standard output
	late func() error      // writes to standard output
}

// createOutputs opens files. Each path may be "" for none, or - for standard output. input is a
// file that must not be overwritten.
func createOutputs(stdout io.Writer, input string, paths ...string) (*outputs, error) {
	o := &outputs{stdout: stdout}
	for _, path := range paths {
		if err := o.create(input, path); err != nil {
			o.abort()
			return nil, err
		}
	}
	return o, nil
}

func (o *outputs) create(input, path string) error {
	if path == "" {
		return nil
	}
	for _, other := range o.files {
		if filepath.Clean(other.path) == filepath.Clean(path) && path != os.DevNull {
			return fmt.Errorf("%s: named for two outputs", outputName(path))
		}
	}
	if path == streamWord {
		o.files = append(o.files, output{path: path})
		return nil
	}
	if sameFile(input, path) {
		return fmt.Errorf("%s: would overwrite the matrix itself", path)
	}
	f, err := matio.CreateAtomic(path)
	if err != nil {
		return cannotWrite(path, err)
	}
	o.files = append(o.files, output{path: path, file: f})
	return nil
}

// toStdout tells whether one of the outputs is standard output.
func (o *outputs) toStdout() bool {
	return slices.ContainsFunc(o.files, func(f output) bool { return f.file == nil })
}

// write calls fill to write the output of a path. If the path is "", it does nothing. Standard
// output is written later, by commit.
func (o *outputs) write(ctx context.Context, path string, fill func(io.Writer) error) error {
	for i := range o.files {
		f := &o.files[i]
		switch {
		case f.path != path:
		case f.file == nil:
			f.late = func() error { return cannotWrite(outputName(path), fill(stoppable{ctx, o.stdout})) }
		default:
			return cannotWrite(path, fill(stoppable{ctx, f.file}))
		}
	}
	return nil
}

// writeValues writes values to the output of a path, in the format of the path.
func (o *outputs) writeValues(ctx context.Context, path string, values []float64) error {
	return o.write(ctx, path, func(w io.Writer) error {
		switch ending(path) {
		case ".npy":
			return matio.WriteNPYVector(w, values)
		case ".json":
			return matio.WriteValuesJSON(w, values)
		}
		return matio.WriteValues(w, values)
	})
}

// printValues lists values on standard output, unless another output goes there.
func (o *outputs) printValues(ctx context.Context, values []float64) error {
	if o.toStdout() {
		return nil
	}
	if err := matio.WriteValues(stoppable{ctx, o.stdout}, values); err != nil {
		return cannotWrite("standard output", err)
	}
	return nil
}

// finish writes the last output, the report, and commits all outputs, unless the command was
// cancelled.
func (o *outputs) finish(ctx context.Context, path string, report func(io.Writer) error) error {
	if err := o.write(ctx, path, report); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return o.commit()
}

// commit gives all files their names, and then writes to standard output.
func (o *outputs) commit() error {
	for _, f := range o.files {
		if f.file == nil {
			continue
		}
		if err := f.file.Commit(); err != nil {
			return cannotWrite(f.path, err)
		}
	}
	for _, f := range o.files {
		if f.late != nil {
			return f.late()
		}
	}
	return nil
}

// abort removes all files that are not committed.
func (o *outputs) abort() {
	for _, f := range o.files {
		if f.file != nil {
			f.file.Abort()
		}
	}
}

// These are the endings that the names of solve's outputs may have. A name without an ending gets
// the first format.
var (
	valuesEndings  = []string{".txt", ".npy", ".json"}
	vectorsEndings = []string{".npy"}
	reportEndings  = []string{".json"}
)

// checkEnding refuses a name whose ending stands for a format that the command does not write.
func checkEnding(cmd *cobra.Command, flag, path string, known []string) error {
	if e := ending(path); e == "" || slices.Contains(known, e) {
		return nil
	}
	return usage(cmd, "--%s: %s: the name must end in %s, or have no ending", flag, path, strings.Join(known, " or "))
}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

// stoppable is a writer that returns an error after ctx has ended.
type stoppable struct {
	ctx context.Context
	w   io.Writer
}

func (s stoppable) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.w.Write(p)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// outputName is the name of an output in errors.
func outputName(path string) string {
	if path == streamWord {
		return "standard output"
	}
	return path
}

// cannotWrite makes an error about writing. It names the file that the user asked for, not the
// temporary file in its folder.
func cannotWrite(path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: cannot be written: %w", path, reason(err))
}
