package main

import "github.com/spf13/cobra"

func solveCommand(s *session) *cobra.Command {
	j := &job{session: s}
	cmd := &cobra.Command{
		Use:   "solve [flags] FILE",
		Short: "eigenvalues and eigenvectors of the matrix in a file",
		Long: `solve computes A = Q·diag(λ)·Qᵀ for the symmetric matrix A in FILE and prints the
eigenvalues λ to standard output, one a line, ascending, with the 17 digits from which a
double can be read back exactly. Everything else goes to standard error.

FILE is Matrix Market (coordinate or array; real, integer or pattern), NumPy's .npy or .npz (the
only array in it, or the one called A), or a table of numbers without a header, a row a line,
between commas or between blanks, compressed with gzip or not; - is standard input. The content
decides which, not the name, but what is called .mtx must have Matrix Market's banner. The matrix
must be symmetric, exactly, or given by one triangle in a Matrix Market file that says so.

With --tridiagonal, FILE holds a symmetric tridiagonal: Matrix Market, .npy, .npz, or text with
the diagonal and the off-diagonal element of a row on each line, perhaps with the row's number
before them and the order on a line above all. The last off-diagonal element counts for nothing.

--index and --interval ask for a part of the spectrum, whose vectors take a part of the time to
transform back. Eigenvalues within rounding of an interval's end may fall on either side of it.

Eigenvectors are computed unless --values-only is given, and kept if --out-vectors is.
The ending of an output's name chooses its format; one not served is refused before anything is
computed. Output files appear complete or not at all. If --check finds the result bad, the exit
status is 1 and the result is written nevertheless, to be looked at.

The host holds A, 8·n² bytes, and at the end the vectors in its place, which go to their file in
pieces. For --check and --verify A must still be there when the vectors are: with either they have
memory of their own, 8·n bytes each. vkevd plan tells what the device holds.`,
		Example: `  vkevd solve A.mtx > values.txt
  vkevd solve --values-only --device nvidia A.mtx.gz
  vkevd solve --index :100 --out-vectors lowest.npy A.mtx
  vkevd solve --tridiagonal --values-only --check T.dat
  vkevd solve --check --out-vectors Q.npy --report A.json A.npy`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "solve takes one FILE, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if j.options.valuesOnly && j.vectors != "" {
				return usage(cmd, "--out-vectors does not go with --values-only")
			}
			if o := j.options; j.check && o.valuesOnly && !o.part.all() && !o.tridiagonal {
				return usage(cmd, "--check cannot judge a part of the values without vectors: it compares sums over all")
			}
			if err := j.options.check(cmd); err != nil {
				return err
			}
			for _, o := range []struct {
				flag, path string
				served     []string
			}{{"out-values", j.values, valuesEndings}, {"out-vectors", j.vectors, vectorsEndings}, {"report", j.log, reportEndings}} {
				if err := checkEnding(cmd, o.flag, o.path, o.served); err != nil {
					return err
				}
			}
			return j.run(cmd.Context(), args[0])
		},
	}
	j.device = deviceFlag(cmd, s)
	j.options.flags(cmd)
	j.config = configFlag(cmd, s)
	f := cmd.Flags()
	f.StringVar(&j.values, "out-values", "", "write the eigenvalues to `FILE` too: .txt, .npy or .json")
	f.StringVar(&j.vectors, "out-vectors", "", "write the eigenvectors to `FILE`, .npy in Fortran order;\ncolumn j belongs to eigenvalue j")
	f.StringVar(&j.log, "report", "", "write device, memory, times, ratios and what MRRR met to `FILE`,\n.json")
	f.BoolVar(&j.check, "check", false, "measure residual and orthogonality in LAPACK's ratios; one of 60\nor more is a failure. With --values-only it can only compare\nΣλ with the trace and Σλ² with the squared Frobenius norm. Values\nof a --tridiagonal are proved by counting, with and without vectors")
	f.BoolVar(&j.quiet, "quiet", false, "nothing on standard error but errors")
	return cmd
}
