package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

type matrixInput struct {
	array, format string
	base          int
	header, names string // words of choices, or ""
	uplo          string
	symmetrize    bool
	usual         string // names of arrays to read from a file that has several; "" for A
}

func (m *matrixInput) flags(cmd *cobra.Command) {
	m.fileFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&m.uplo, "uplo", "", "`TRIANGLE` to read, lower or upper; the other one is ignored, and may\nbe missing in a table")
	f.BoolVar(&m.symmetrize, "symmetrize", false, "take (A+Aᵀ)/2, however far A is from symmetric; of complex A (A+Aᴴ)/2")
	cmd.RegisterFlagCompletionFunc("uplo", cli.Words([]string{"lower", "upper"}))
}

var formatWords = map[string]matio.Format{"mtx": matio.MatrixMarket, "coo": matio.Triplets, "table": matio.TextTable}

// choices are the arguments of --header and --names. Without the flag, the file decides.
var choices = map[string]matio.Choice{"": matio.Auto, "yes": matio.Yes, "no": matio.No}

func (m *matrixInput) fileFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&m.array, "array", "", "`NAME` of the array in a .npz file, also written A.npz:NAME\n(default: the only one, or A)")
	f.StringVar(&m.format, "format", "", "`FORMAT` of text: mtx, Matrix Market without its banner; coo, lines of\n"+
		"row, column, value; table, rows of numbers (default: the content decides)")
	f.IntVar(&m.base, "base", 1, "number `B` of the first row and column in --format coo, 1 or 0")
	f.StringVar(&m.header, "header", "", "whether the first line of a table is a header, `yes or no`\n(default: the table decides)")
	f.StringVar(&m.names, "names", "", "whether the first field of each row of a table is a name, `yes or no`\n(default: the table decides)")
	cmd.RegisterFlagCompletionFunc("format", cli.Words([]string{"mtx", "coo", "table"}))
	cmd.RegisterFlagCompletionFunc("header", cli.Words([]string{"yes", "no"}))
	cmd.RegisterFlagCompletionFunc("names", cli.Words([]string{"yes", "no"}))
}

func (m matrixInput) check(cmd *cobra.Command) error {
	for _, c := range []struct{ flag, word string }{{"header", m.header}, {"names", m.names}} {
		if _, ok := choices[c.word]; !ok {
			return cli.Usage(cmd, "--%s: %q is neither yes nor no", c.flag, c.word)
		}
	}
	_, known := formatWords[m.format]
	switch {
	case m.format != "" && !known:
		return cli.Usage(cmd, "--format: %q is not mtx, coo or table; all other formats are recognized by their content", m.format)
	case m.base != 0 && m.base != 1:
		return cli.Usage(cmd, "--base: \"%d\" is neither 0 nor 1", m.base)
	case m.uplo != "" && m.uplo != "lower" && m.uplo != "upper":
		return cli.Usage(cmd, "--uplo: %q is neither lower nor upper", m.uplo)
	}
	return nil
}

func (m matrixInput) options() matio.Options {
	return matio.Options{
		Array: m.array, Usual: m.usual, Format: formatWords[m.format], Base: m.base, Header: choices[m.header], Names: choices[m.names],
	}
}

func (m matrixInput) symmetricOptions() matio.Options {
	o := m.options()
	o.Square = true
	o.Triangle = map[string]matio.Triangle{"lower": matio.LowerTriangle, "upper": matio.UpperTriangle}[m.uplo]
	return o
}

// A realOrComplex is a matrix of a file. One of the fields has it, and the other is nil.
type realOrComplex struct {
	real    *matio.Dense
	complex *matio.Complex
}

func readEither(file string, stdin io.Reader, opt matio.Options) (realOrComplex, error) {
	either := func(d *matio.Dense, z *matio.Complex, err error) (realOrComplex, error) {
		return realOrComplex{d, z}, err
	}
	return cli.ReadFile(file, stdin, "a matrix",
		func(r io.Reader, name string) (realOrComplex, error) { return either(opt.ReadEither(r, name)) },
		func(path string) (realOrComplex, error) { return either(opt.ReadEitherFile(path)) })
}

// read reads a matrix and sets both triangles. If they differ by rounding errors, `read` prints a
// remark to `log`.
func (m matrixInput) read(ctx context.Context, file string, stdin io.Reader, log io.Writer) (realOrComplex, error) {
	return cli.UnlessDone(ctx, func() (realOrComplex, error) {
		a, err := readEither(file, stdin, m.symmetricOptions())
		if err == nil {
			var averaged float64
			what := "symmetric"
			if z := a.complex; z != nil {
				what = "Hermitian"
				averaged, err = m.symmetric(hermitian{z}, z.DeclaredHermitian)
			} else {
				averaged, err = m.symmetric(a.real, a.real.DeclaredSymmetric)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", cli.InputName(file), err)
			}
			if averaged > 0 {
				fmt.Fprintf(log, "%s: %s up to rounding errors of %.2g at most, which are averaged\n",
					cli.Printable(cli.InputName(file)), what, averaged)
			}
		}
		return a, m.triangleHint(m.hint(err))
	})
}

// A square is a matrix of a file that should be symmetric, or Hermitian.
type square interface {
	Symmetric() error
	Symmetrize() error
	Mirror(lower bool) error
}

type hermitian struct{ *matio.Complex }

func (h hermitian) Symmetric() error { return h.Hermitian() }

// Mirror also returns an error if an element of the diagonal has an imaginary part: the diagonal
// belongs to both triangles.
func (h hermitian) Mirror(lower bool) error {
	if err := h.Complex.Mirror(lower); err != nil {
		return err
	}
	return h.Hermitian()
}

// symmetric sets both triangles of the matrix `d`, as the flags say, or returns an error that says
// why the matrix is not symmetric. If the triangles differ by rounding errors of the type of the
// file, it sets both to their mean, and returns the largest difference. Otherwise `averaged` is 0.
// The commands solve (also with --batch) and check use this method.
func (m matrixInput) symmetric(d square, declared bool) (averaged float64, err error) {
	switch {
	case declared: // the reader has set both triangles
	case m.uplo != "":
		err = d.Mirror(m.uplo == "lower")
	case m.symmetrize:
		err = d.Symmetrize()
	default:
		err = d.Symmetric()
	}
	var differs *matio.NotSymmetricError
	if errors.As(err, &differs) {
		if !differs.Rounding() {
			turned := "Aᵀ"
			if differs.Complex {
				turned = "Aᴴ"
			}
			return 0, fmt.Errorf("%w; --symmetrize takes (A+%s)/2, --uplo lower or upper one triangle", err, turned)
		}
		averaged, err = differs.Diff, d.Symmetrize()
	}
	return averaged, err
}

// triangleHint adds the flag --uplo to an error about a table whose rows have different lengths or
// empty fields, as those of a triangle have.
func (m matrixInput) triangleHint(err error) error {
	var format *matio.FormatError
	if m.uplo == "" && errors.As(err, &format) &&
		(strings.Contains(format.Msg, "this row has length") || strings.Contains(format.Msg, ": \"\" is not a number")) {
		return fmt.Errorf("%w; --uplo lower or upper reads a table that has one triangle", err)
	}
	return err
}

func (m matrixInput) hint(err error) error {
	var format *matio.FormatError
	switch {
	case !errors.As(err, &format):
	case m.usual == namesOfB && severalArrays(err):
		return fmt.Errorf("%w; FILE.npz:NAME names one", err)
	case m.array == "" && severalArrays(err):
		return fmt.Errorf("%w; --array NAME, or FILE.npz:NAME, names one", err)
	case strings.HasPrefix(format.Msg, "no %%MatrixMarket banner"):
		return fmt.Errorf("%w; --format mtx reads it without one, --format coo reads lines of row, column, value", err)
	}
	return err
}

func readDense(file string, stdin io.Reader, opt matio.Options) (*matio.Dense, error) {
	return cli.ReadFile(file, stdin, "a matrix", opt.Read, opt.ReadFile)
}

// readVectors reads a matrix of vectors, which should have the given shape. If a table of text may
// be read in several ways, that shape decides, so no flag is needed. The function `read` is
// readDense or readEither.
func readVectors[M any](
	ctx context.Context, file string, stdin io.Reader, rows, cols int, read func(string, io.Reader, matio.Options) (M, error),
) (M, error) {
	return cli.UnlessDone(ctx, func() (M, error) {
		d, err := read(file, stdin, matio.Options{Format: matio.TextTable, Rows: rows, Cols: cols})
		if severalArrays(err) {
			err = fmt.Errorf("%w; FILE.npz:NAME names one", err)
		}
		return d, err
	})
}

// A fileOfVectors reads a matrix of vectors, and tells whether the file has single precision.
type fileOfVectors[T evd.Number] func(ctx context.Context, file string, stdin io.Reader, rows, cols int, show *cli.Progress) (*evd.Dense[T], bool, error)

func readRealVectors(ctx context.Context, file string, stdin io.Reader, rows, cols int, show *cli.Progress) (*evd.Dense[float64], bool, error) {
	show.Stage("reading " + cli.InputName(file))
	d, err := readVectors(ctx, file, stdin, rows, cols, readDense)
	if err != nil {
		return nil, false, err
	}
	return &evd.Dense[float64]{Rows: d.Rows, Cols: d.Cols, Ld: max(d.Rows, 1), Data: d.Data}, d.Single, nil
}

// readComplexVectors takes real vectors, too.
func readComplexVectors(ctx context.Context, file string, stdin io.Reader, rows, cols int, show *cli.Progress) (*evd.Dense[complex128], bool, error) {
	show.Stage("reading " + cli.InputName(file))
	a, err := readVectors(ctx, file, stdin, rows, cols, readEither)
	if err != nil {
		return nil, false, err
	}
	z := a.asComplex()
	return &evd.Dense[complex128]{Rows: z.Rows, Cols: z.Cols, Ld: max(z.Rows, 1), Data: z.Data}, z.Single, nil
}

func severalArrays(err error) bool {
	var format *matio.FormatError
	return errors.As(err, &format) && strings.HasPrefix(format.Msg, "several arrays")
}

func readTridiagonal(file string, stdin io.Reader, opt matio.Options) (*matio.Tridiagonal, error) {
	return cli.ReadFile(file, stdin, "a matrix", opt.ReadTridiagonal, opt.ReadTridiagonalFile)
}

func aboutMatrix(file string, n int, err error) error {
	return aboutInput(file, fmt.Sprintf("n = %d", n), "eigenvalues", err)
}

// aboutInput makes an error of the solver readable. It adds the file's name to an error about an
// entry, whose text counts rows and columns from 1. It adds the flag's name to an error about an
// option, and the file's name and the size to most other errors. `wanted` names the kind of values.
func aboutInput(file, size, wanted string, err error) error {
	var notFinite *evd.NonFiniteError
	var option *evd.OptionError
	var noDevice *cli.DeviceError
	var start *startFileError
	switch {
	case errors.As(err, &start):
		return start // it is about another file
	case errors.As(err, &noDevice):
		return noDevice.Unwrap() // it does not depend on the matrix
	case errors.As(err, &notFinite):
		return fmt.Errorf("%s: %w", cli.InputName(file), aboutEntry(notFinite, wanted))
	case errors.As(err, &option):
		return aboutOption(option)
	case err == nil || errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("%s, %s: %w", cli.InputName(file), size, err)
}

// aboutEntry returns an error whose text counts rows and columns from 1.
func aboutEntry(e *evd.NonFiniteError, wanted string) error {
	return fmt.Errorf("a(%d,%d) is %v; %s need finite entries (rows and columns from 1)", e.Row+1, e.Col+1, e.Value, wanted)
}
