package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/svd"
)

// An svdJob holds the arguments and flags of one call of vkevd svd.
type svdJob struct {
	*session
	device               func() string
	input                singularInput
	precision            string
	options              svdOptions
	config               *config
	verbosity            verbosity
	check, noPrint       bool
	values, u, v, report string // paths of output files; "" if not wanted
}

func svdCommand(s *session) *cobra.Command {
	j := &svdJob{session: s}
	cmd := &cobra.Command{
		Use:   "svd [flags] FILE",
		Short: "singular values and vectors of the matrix in a file",
		Long: `svd computes the singular values σ of the matrix A in FILE, and the singular vectors U and V if
they are asked for: A = U·diag(σ)·Vᵀ. It prints the values to standard output, one per line,
descending, with 17 digits, from which the same double can be read back. A matrix of M rows and N
columns has min(M, N) of them. Progress and a summary are shown on standard error if that is a
terminal, or with --verbose, and what --check finds in any case, unless --quiet is given.

--out-u and --out-v write vectors: column j of U and of V belongs to value j. V is written, not Vᵀ.
With --full U is M by M and V is N by N; the columns without a value come last. The largest
component of each column of V is positive, which also decides the signs of U.

FILE has any format that solve reads, without --tridiagonal. The matrix may have any shape, and
need not be symmetric. A table that begins with numbers such as 0, 1, 2 may have a header or row
names. If its content does not decide, svd refuses it, and --header and --names decide.

With --bidiagonal the matrix is upper bidiagonal, and with --banded it is an upper band: B+1 rows of
N elements, the main diagonal last, entry (i, j) in row B+i−j of column j.

Each value is within about n·ε·σ₁ of a singular value of A, n = max(M, N), ε = 2⁻⁵², as with LAPACK.
Small singular values have no relative accuracy.

Values alone may be computed with fewer digits. --storage f32 reduces the matrix in single
precision. --storage f16 does the same, but the band between the two stages, or the band of
--banded, is stored in half precision on the device. Then the values have errors of about 5e-8 or
2e-4, relative to the norm of all values, and norm and squares count in the ε of the storage where
it is larger. The matrix is scaled, so that no number is out of range.

A .npy file of single precision is solved in single precision, and results that are written to .npy
files have it, too. --precision selects one of both. Then ε is 2⁻²³.

--check measures the result, in multiples of what rounding may cost:

  certificate   |σ − σ(C)| / (n·ε·‖C‖), proved by Sturm counts
  norm          |‖A‖F − ‖C‖F| / (n·ε·‖A‖F)
  squares       |Σσ² − ‖A‖F²| / (n·ε·‖A‖F²), without --largest

and if vectors are asked for, then of both sides,

  residual      ‖A·V − U·Σ‖₁ / (n·ε·‖A‖₁)
  left          ‖I − Uᵀ·U‖₁ / (M·ε)
  right         ‖I − Vᵀ·V‖₁ / (N·ε)

C is the bidiagonal matrix that A was reduced to; ‖C‖ is between σ₁ and √2·σ₁. 60 or more is bad,
and the exit status is 1. Then the outputs are written nevertheless. The certificate proves each
value to be one of C; the sums find most errors between A and C, but not all. Vectors with small
ratios prove all.

--verify measures certificate, norm and the ratios of vectors before the result is written. If one
of them is bad, or if a method fails, A is solved again by slower and simpler methods. If the second
result is bad, too, nothing is written, and the exit status is 1.

Output files appear complete or not at all. An output named - goes to standard output, in place of
the values. The host holds A, 8·M·N bytes while it is read, and the vectors. vkevd plan --svd prints
what the device holds.`,
		Example: `  vkevd svd A.mtx > sigma.txt
  vkevd svd --check --largest 10 A.npy
  vkevd svd --out-u U.npy --out-v V.npy --check A.npy
  vkevd svd --out-v V.npy --verify A.npy
  vkevd svd --out-values sigma.npy --report run.json A.csv
  vkevd svd --bidiagonal --out-v V.npy C.txt
  vkevd svd --banded band.npy > sigma.txt
  vkevd svd --banded --storage f16 --check band.npy
  vkevd svd --storage f16 A.npy > sigma.txt`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.checkUse(cmd); err != nil {
				return err
			}
			return j.run(cmd.Context(), args[0])
		},
	}
	j.device = deviceFlag(cmd, s)
	j.input.flags(cmd)
	j.options.flags(cmd)
	precisionFlag(cmd, &j.precision, "")
	j.config = configFlag(cmd, s)
	f := cmd.Flags()
	f.StringVar(&j.values, "out-values", "", "also write the singular values to `FILE`: .txt, .npy or .json")
	f.StringVar(&j.u, "out-u", "", "write the left singular vectors to `FILE`: .npy in Fortran order")
	f.StringVar(&j.v, "out-v", "", "write the right singular vectors to `FILE`: .npy in Fortran order")
	f.StringVar(&j.report, "report", "", "write device, memory, times and measures to `FILE`: .json")
	f.StringVar(&j.report, "json", "", "write the report to `FILE` as JSON, as --report does; - prints it\nin place of the values")
	f.BoolVar(&j.noPrint, "no-print", false, "do not print the singular values to standard output")
	f.BoolVar(&j.check, "check", false, "certify the values by Sturm counts, compare sums of squares, and\n"+
		"measure residual and orthogonality of vectors")
	j.verbosity.flags(cmd)
	return cmd
}

// checkUse returns an error for flags of vkevd svd that cannot be combined. It is called before any
// file is opened.
func (j *svdJob) checkUse(cmd *cobra.Command) error {
	if cmd.Flags().Changed("json") && cmd.Flags().Changed("report") {
		return usage(cmd, "--json is the same as --report; give one of them")
	}
	refuse := func(format string, args ...any) error { return usage(cmd, format, args...) }
	if err := errors.Join(j.verbosity.check(cmd), j.checkProcesses(cmd), j.options.check(cmd), checkPrecisionWord(refuse, j.precision)); err != nil {
		return err
	}
	if err := j.input.check(cmd, false); err != nil {
		return err
	}
	if err := j.input.checkKind(cmd, j.wantsVectors()); err != nil {
		return err
	}
	if j.options.full && !j.wantsVectors() {
		return usage(cmd, "--full needs --out-u or --out-v")
	}
	for _, out := range []struct {
		flag, path string
		known      []string
	}{
		{"out-values", j.values, valuesEndings}, {"out-u", j.u, vectorsEndings}, {"out-v", j.v, vectorsEndings},
		{"report", j.report, reportEndings},
	} {
		if err := checkEnding(cmd, out.flag, out.path, out.known); err != nil {
			return err
		}
	}
	return nil
}

// wantsVectors reports whether the user has named a file for left or right singular vectors.
func (j *svdJob) wantsVectors() bool { return j.u != "" || j.v != "" }

// sides reports which singular vectors vkevd svd computes: those for which the user has named
// files. With --check, if there is one such file, the vectors of both sides are computed.
func (j *svdJob) sides() (u, v bool) {
	both := j.check && j.wantsVectors()
	return both || j.u != "", both || j.v != ""
}

// svdOptions are the options of a singular value decomposition, as flags.
type svdOptions struct {
	largest     int
	full        bool
	band, block int
	verify      bool
	productsFlags
}

func (o *svdOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.largest, "largest", 0, "only the `K` largest singular values")
	f.BoolVar(&o.full, "full", false, "orthogonal matrices, U M by M and V N by N")
	f.IntVar(&o.band, "band", 0, "superdiagonals `B` of the first stage (default: the device's tuning)")
	f.IntVar(&o.block, "block", 0,
		"rank `K` of the first stage's updates, a multiple of --band\n"+
			"(default: the device's tuning)")
	f.BoolVar(&o.verify, "verify", false,
		"certify the result before it is written, vectors by ratios and values\n"+
			"by Sturm counts, and solve again on another path if that fails")
	o.productsFlags.flags(cmd)
}

// check returns an error for options of vkevd svd that are wrong for every matrix.
func (o *svdOptions) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("largest") && o.largest < 1 {
		return usage(cmd, "--largest: \"%d\" is not a whole number, at least 1", o.largest)
	}
	if o.full && o.largest > 0 {
		return usage(cmd, "--full cannot be combined with --largest: all vectors need all values")
	}
	return o.productsFlags.check(cmd)
}

// svd returns the library's options for an m×n matrix. `u` and `v` tell which vectors are wanted.
// The method `svd` returns an error if the user selects more values than the matrix has.
func (o *svdOptions) svd(m, n int, u, v bool) (svd.Options, error) {
	if o.largest > min(m, n) {
		return svd.Options{}, fmt.Errorf("--largest: %d is more than the %s of a matrix of %d by %d",
			o.largest, plural(min(m, n), "singular value"), m, n)
	}
	vectors := func(wanted bool) svd.Vectors {
		switch {
		case wanted && o.full:
			return svd.Full
		case wanted:
			return svd.Thin
		}
		return svd.None
	}
	return svd.Options{
		U: vectors(u), V: vectors(v), Largest: o.largest, Band: o.band, Block: o.block, Verify: o.verify,
		Products: o.chosen(), Moduli: o.moduli,
	}, nil
}
