package cli

import (
	"bufio"
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

const StreamWord = "-"

// UntilDone runs the work of a whole command. The work need not look at ctx: if ctx ends, UntilDone
// returns and does not wait for the work. The work may continue after that. The work closes the
// files that it has opened.
func UntilDone(ctx context.Context, work func() error) error {
	_, err := UnlessDone(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}

// UnlessDone runs work that cannot be interrupted, such as a read from an idle pipe or a driver's
// compiler. If ctx ends, UnlessDone returns without waiting for the work. The work then continues
// in its goroutine until it is done or the process ends.
func UnlessDone[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type answer struct {
		result T
		err    error
	}
	done := make(chan answer, 1) // with capacity, so that work that ends late does not block forever
	go func() {
		result, err := work()
		done <- answer{result, err}
	}()
	select {
	case a := <-done:
		return a.result, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func ReadVector(file string, stdin io.Reader) ([]float64, error) {
	return ReadFile(file, stdin, "a vector", matio.ReadVector, matio.ReadVectorFile)
}

// ReadFile calls `stream` for standard input, and `named` for a file. Errors name the expected
// content, `what`, such as "a vector".
func ReadFile[T any](
	file string, stdin io.Reader, what string,
	stream func(io.Reader, string) (T, error), named func(string) (T, error),
) (T, error) {
	if file == StreamWord {
		return stream(stdin, InputName(file))
	}
	var none T
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return none, fmt.Errorf("%s: is a directory, not %s file", file, what)
	}
	result, err := named(file)
	if As[*fs.PathError](err) { // matio's own errors begin with the file
		err = fmt.Errorf("%s: %w", file, Reason(err))
	}
	return result, err
}

func ReadAll(file string, stdin io.Reader) ([]byte, error) {
	return ReadFile(file, stdin, "a text", matio.ReadAll, func(file string) ([]byte, error) {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return matio.ReadAll(f, file)
	})
}

func InputName(file string) string {
	if file == StreamWord {
		return "standard input"
	}
	return file
}

func IsEmpty(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// Reason is an error of the operating system without the names of the operation and of the file.
func Reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

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
// the name of a file. `inputs` are the names of files that must not be overwritten.
func CreateOutputs(ctx context.Context, stdout io.Writer, inputs []string, paths ...string) (*Outputs, error) {
	o := &Outputs{Stdout: stdout}
	for _, path := range paths {
		if err := o.create(ctx, inputs, path); err != nil {
			o.Abort()
			return nil, err
		}
	}
	return o, nil
}

func (o *Outputs) create(ctx context.Context, inputs []string, path string) error {
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
	if slices.ContainsFunc(inputs, func(input string) bool { return SameFile(input, path) }) {
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
// says what the values are, and which part of the spectrum. Other formats have no such line.
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

// PrintValues prints the values on standard output, unless another output goes there.
func (o *Outputs) PrintValues(ctx context.Context, values []float64) error {
	if o.ToStdout() {
		return nil
	}
	if err := matio.WriteValues(Stoppable{ctx, o.Stdout}, values); err != nil {
		return CannotWrite("standard output", err)
	}
	return nil
}

// Finish writes the report and commits all outputs, unless the command was cancelled.
func (o *Outputs) Finish(ctx context.Context, path string, report func(io.Writer) error) error {
	if err := o.Write(ctx, path, report); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return o.Commit()
}

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
	VectorsEndings = []string{".npy", ".mtx", ".csv", ".txt"}
	ReportEndings  = []string{".json"}
)

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

// Stoppable is a writer that returns an error after Ctx has ended. A write to a full pipe waits for
// the reader of the pipe. After the end of Ctx such a write goes on in its goroutine, so the caller
// must no longer change the bytes.
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

// SameFile reports whether the input `a`, which may be FILE.npz:NAME, and the output b are the same
// file.
func SameFile(a, b string) bool {
	a, _ = matio.ArrayOf(a)
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

// CannotWrite returns an error that names the file that the user gave, not the temporary file.
func CannotWrite(path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: cannot be written: %w", path, Reason(err))
}

// A ValuesPart says which eigenvalues or singular values of a matrix a list contains: the values
// with the indices First, …, First + Count − 1, of N values in total. Indices count from 0.
// Singular values are in descending order.
type ValuesPart struct {
	First, Count, N int
	Singular        bool
	Squares         float64 // of singular values: the sum of squares of all N; 0 if it is not known
}

// partLine is the format of the first line of a text file with values. The line begins with #, so
// that NumPy's loadtxt and package matio skip it.
func (p ValuesPart) partLine() string {
	if p.Singular {
		return "# singular values %d:%d of %d"
	}
	return "# eigenvalues %d:%d of %d"
}

const squaresPart = ", sum of squares %g" // of partLine, if it is known

func (p ValuesPart) Write(w io.Writer) error {
	line := fmt.Sprintf(p.partLine(), p.First, p.First+p.Count, p.N)
	if p.Squares > 0 {
		line += fmt.Sprintf(squaresPart, p.Squares)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// PartOf reads from a file which part of the spectrum it contains, from a line in the form of
// partLine. The file has `count` values. `found` is false if the file does not begin with such a
// line, or if the line gives another number of values.
func PartOf(file string, count int) (p ValuesPart, found bool) {
	f, err := os.Open(file)
	if err != nil { // standard input, too
		return p, false
	}
	defer f.Close()
	const longest = 100
	line, err := bufio.NewReader(io.LimitReader(f, longest)).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "#") {
		return p, false
	}
	p.Singular = strings.HasPrefix(line, "# singular")
	end := 0
	if _, err := fmt.Sscanf(line, p.partLine(), &p.First, &end, &p.N); err != nil {
		return p, false
	}
	if _, squares, found := strings.Cut(line, ","); found {
		fmt.Sscanf(","+squares, squaresPart, &p.Squares)
	}
	p.Count = end - p.First
	return p, p.Count == count && p.First >= 0 && end <= p.N
}
