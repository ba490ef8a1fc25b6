package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/matio"
)

// Outputs are the results of one command: files, and at most one output on standard output.
//
// All files are opened before work begins, so that the command finds a misspelt folder name before
// hours of work. The files are written under temporary names. They get their final names together,
// after the last file is written.
type Outputs struct {
	Stdout io.Writer
	files  []output
}

type output struct {
	path string
	file *matio.AtomicFile // nil for standard output
	late func() error      // writes to standard output
}

// CreateOutputs opens the output files. Each path is "" for no output, - for standard output, or
// the name of a file. `input` is the name of a file that must not be overwritten.
func CreateOutputs(ctx context.Context, stdout io.Writer, input string, paths ...string) (*Outputs, error) {
	o := &Outputs{Stdout: stdout}
	for _, path := range paths {
		if err := o.create(ctx, input, path); err != nil {
			o.Abort()
			return nil, err
		}
	}
	return o, nil
}

func (o *Outputs) create(ctx context.Context, input, path string) error {
	if path == "" {
		return nil
	}
	for _, other := range o.files {
		if filepath.Clean(other.path) == filepath.Clean(path) && path != os.DevNull {
			return fmt.Errorf("%s: named for two outputs", outputName(path))
		}
	}
	if path == StreamWord {
		o.files = append(o.files, output{path: path})
		return nil
	}
	if SameFile(input, path) {
		return fmt.Errorf("%s: would overwrite the matrix itself", path)
	}
	open := func() (*matio.AtomicFile, error) { return matio.CreateAtomic(path) }
	if isPipe(path) { // opening it waits for a reader
		whole := open
		open = func() (*matio.AtomicFile, error) { return UnlessDone(ctx, whole) }
	}
	f, err := open()
	if err != nil {
		return CannotWrite(path, err)
	}
	o.files = append(o.files, output{path: path, file: f})
	return nil
}

func (o *Outputs) ToStdout() bool {
	return slices.ContainsFunc(o.files, func(f output) bool { return f.file == nil })
}

// Write calls the function `fill` to write the output with the given path. If the path is "",
// `Write` does nothing. If the path means standard output, `fill` is called later, by the method
// `Commit`.
func (o *Outputs) Write(ctx context.Context, path string, fill func(io.Writer) error) error {
	for i := range o.files {
		f := &o.files[i]
		switch {
		case f.path != path:
		case f.file == nil:
			f.late = func() error { return CannotWrite(outputName(path), fill(Stoppable{ctx, o.Stdout})) }
		default:
			return CannotWrite(path, fill(Stoppable{ctx, f.file}))
		}
	}
	return nil
}

// WriteValues writes eigenvalues to the output with the given path. The ending of the path decides
// the format. All formats have the digits of double precision. A text file begins with a line that
// says which part of the spectrum follows. The other formats have no such line.
func WriteValues(ctx context.Context, o *Outputs, path string, values []float64, part ValuesPart) error {
	return o.Write(ctx, path, func(w io.Writer) error {
		if Ending(path) == ".npy" {
			return matio.WriteNPYVector(w, values)
		}
		if Ending(path) == ".json" {
			return matio.WriteValuesJSON(w, values)
		}
		if err := part.Write(w); err != nil {
			return err
		}
		return matio.WriteValues(w, values)
	})
}

// PrintValues prints eigenvalues to standard output. It prints nothing if another output goes to
// standard output.
func (o *Outputs) PrintValues(ctx context.Context, values []float64) error {
	if o.ToStdout() {
		return nil
	}
	if err := matio.WriteValues(Stoppable{ctx, o.Stdout}, values); err != nil {
		return CannotWrite("standard output", err)
	}
	return nil
}

// Finish writes the report, which is the last output, and commits all outputs. If the command was
// cancelled, `finish` commits nothing.
func (o *Outputs) Finish(ctx context.Context, path string, report func(io.Writer) error) error {
	if err := o.Write(ctx, path, report); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return o.Commit()
}

// Commit gives all output files their final names, and then writes to standard output.
func (o *Outputs) Commit() error {
	for _, f := range o.files {
		if f.file == nil {
			continue
		}
		if err := f.file.Commit(); err != nil {
			return CannotWrite(f.path, err)
		}
	}
	for _, f := range o.files {
		if f.late != nil {
			return f.late()
		}
	}
	return nil
}

// Abort removes the temporary files of all outputs that have not got their final names.
func (o *Outputs) Abort() {
	for _, f := range o.files {
		if f.file != nil {
			f.file.Abort()
		}
	}
}

// These are the endings that the names of solve's output files may have, each for a file format. If
// a name has no ending, the first format of the list is used.
var (
	ValuesEndings  = []string{".txt", ".npy", ".json"}
	VectorsEndings = []string{".npy"}
	ReportEndings  = []string{".json"}
)

// CheckEnding returns an error for a file name whose ending stands for a format that the command
// does not write.
func CheckEnding(cmd *cobra.Command, flag, path string, known []string) error {
	if e := Ending(path); e == "" || slices.Contains(known, e) {
		return nil
	}
	return Usage(cmd, "--%s: %s: the name must end in %s, or have no ending", flag, path, strings.Join(known, " or "))
}

func Ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

func isPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == fs.ModeNamedPipe
}

// Stoppable is a writer that returns an error after ctx has ended. A write to a full pipe, which waits
// for its reader, then goes on in its goroutine, and the caller must no longer change the bytes.
type Stoppable struct {
	Ctx context.Context
	W   io.Writer
}

func (s Stoppable) Write(p []byte) (int, error) {
	if err := s.Ctx.Err(); err != nil {
		return 0, err
	}
	return UnlessDone(s.Ctx, func() (int, error) { return s.W.Write(p) })
}

func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func outputName(path string) string {
	if path == StreamWord {
		return "standard output"
	}
	return path
}

// CannotWrite makes an error about writing. The error names the file that the user gave, and not
// the temporary file.
func CannotWrite(path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: cannot be written: %w", path, Reason(err))
}
