package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// A solveJob is one call of vkevd solve.
type solveJob struct {
	*session
	device                  func() string
	input                   matrixInput
	options                 options
	config                  *config
	verbosity               verbosity
	check, noPrint          bool
	batch                   bool
	start                   string // path of approximate eigenvectors, "" for none
	engine                  string
	values, vectors, report string // paths of outputs, "" for none
}

func solveCommand(s *session) *cobra.Command {
	j := &solveJob{session: s}
	cmd := &cobra.Command{
		Use:   "solve [flags] FILE",
		Short: "eigenvalues and eigenvectors of the matrix in a file",
		Long: `solve computes the eigenvalues λ of the symmetric matrix A in FILE, and the eigenvectors Q if
they are asked for: A = Q·diag(λ)·Qᵀ. It prints the eigenvalues to standard output, one per line,
ascending, with 17 digits, from which the same double can be read back. Progress and a summary are
shown on standard error if that is a terminal, or with --verbose. What --check and --verify find,
and remarks about the matrix, are printed there in any case, unless --quiet is given.

A .npy file of float32 is solved in single precision, and .npy files of its results are float32,
too. --precision selects the precision for any file. Ratios of single precision are in units of its
ε, 2⁻²³.

--precision mixed solves in single precision, and refines all vectors to double precision, as with
--start. The result is certified. If the refinement does not succeed, A is solved in double
precision, and solve says so. The refinement corrects each vector by multiples of all others, so a
part of the spectrum is not possible.

Eigenvectors take several times the time and memory. They are computed with --out-vectors,
--check, --verify or --vectors, unless --values-only is given.

FILE is Matrix Market (coordinate or array; real, integer or pattern), NumPy's .npy or .npz, a
sparse matrix of SciPy's save_npz, a text file of Octave or Armadillo, or a table of numbers. A
table has one row per line, separated by commas, semicolons, tabs or blanks, with or without a
header and row names. The summary and the report say how it was read; --header and --names say how
to read it. FILE may be compressed with gzip; - is standard input. The content decides the format,
not the name, but a file named .mtx must have Matrix Market's banner. docs/formats.md has the rules.

The matrix must be symmetric. Differences within rounding errors, 100·ε·max|a|, are averaged, and
solve says so. Others are refused, unless --symmetrize or --uplo is given.

With --tridiagonal, FILE holds a symmetric tridiagonal matrix: Matrix Market, .npy, .npz, or text.
A line of the text has the diagonal and the off-diagonal element of one row. The row's number may
stand before them, and the order on a line before all rows. An array of two rows or two columns has
the diagonal first and the off-diagonal second, as SciPy's lower form of bands. The last
off-diagonal element is ignored. A .npz file may have the arrays d and e.

--index, --largest, --smallest and --interval select a part of the spectrum. Back transformation
then takes the same part of its time. Eigenvalues within rounding of an interval's end may fall
on either side of it.

With --start, all eigenvectors are known approximately: those of a matrix near A, or those that
were found in single precision. They are refined by products of matrices, in double precision. That
is faster than a solve if few steps are needed and products are fast. If the approximation does not
help, A is solved anew, and solve says so.

With --batch, FILE is a .npy array of three dimensions, COUNT×N×N: many small matrices, which are
solved at once. The values of a matrix are one line of the output, or one row of a .npy array.
--out-vectors writes a .npy array of three dimensions, as numpy.linalg.eigh gives it: element
(k, i, j) is component i of vector j of matrix k. Files of results have the precision of the input.
--check prints the largest ratios. Each matrix must be symmetric, as without --batch. A matrix with
a NaN has values NaN; the others are solved, and the exit status is 1. --report lists the matrices
that could not be solved.

FILE may also be a .npz file: each of its arrays is a matrix, N×N, or a stack, COUNT×N×N, and the
orders may differ. --out-values and --out-vectors then name .npz files, whose arrays have the same
names. Lines of text begin with the name of the matrix, such as K or K[3], and a tab. A.npz:K and
--array choose one array, a stack, which is treated as a .npy file. With --batch --tridiagonal a
matrix is 2×N: its diagonal, then its off-diagonal with an element that is ignored. A stack is
COUNT×2×N.

With several devices (--device 0,1 or --device all), each computes a part of the vectors, in
proportion to its measured speed. The first device does the other steps. With --values-only the
others are not used, unless the matrix is divided. Each device needs memory of its own, which vkevd
plan prints. With --batch each device takes the next matrices when it has solved some. This was
measured on two and four H100 and H200.

With --distribute the devices also divide the matrix: each has some columns, and all reduce it to a
band, with --values-only, too. It is chosen by itself for a matrix that is too large for one device,
and where it is faster. All vectors of the tridiagonal problem are divided, too; a part of them, by
MRRR, is on the first device.

With --engine, every process of an MPI job runs this command, and FILE is an uncompressed .npy file
that all of them can read. Each reads its part; together they write --out-vectors. No process holds
the whole matrix. Process 0 prints. Without --engine, solve refuses to run as one of several
processes. With --engine vulkan each process solves a problem of its own.

The ending of an output's name selects its format; an unknown one is refused before anything is
computed. Output files appear complete or not at all. An output named - goes to standard output, in
place of the values. If --check finds the result bad, or if an eigenvalue is beyond the largest
number of its type, the result is written nevertheless, and the exit status is 1.

The host holds A, 8·n² bytes. The vectors replace it, and go to their file in pieces. --check and
--verify need A and the vectors at the same time: 8·n bytes more per vector. vkevd plan prints
what the device holds.`,
		Example: `  vkevd solve A.mtx > values.txt
  vkevd solve --device nvidia --out-vectors Q.npy A.mtx.gz
  vkevd solve --device 0,1 --out-vectors Q.npy A.npy
  vkevd solve --device 0,1 --distribute --values-only A.npy
  vkevd solve --smallest 100 --out-vectors lowest.npy A.mtx
  vkevd solve --batch --out-vectors Q.npy stack.npy
  vkevd solve --batch --tridiagonal --out-vectors Q.npy T.npy
  vkevd solve --batch --out-values V.npz --out-vectors Q.npz many.npz
  vkevd solve --start Q.npy --out-vectors Q1.npy A1.npy
  vkevd solve --precision mixed --out-vectors Q.npy A.npy
  vkevd solve --tridiagonal --values-only --check T.dat
  vkevd solve --check --out-vectors Q.npy --report A.json A.npy
  mpirun -n 64 vkevd solve --engine elpa --out-vectors Q.npy A.npy`,
		Args: oneMatrix,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.checkUse(cmd); err != nil {
				return err
			}
			if j.engine != vulkanEngine {
				return j.runCluster(cmd.Context(), args[0])
			}
			if j.batch {
				if j.options.tridiagonal {
					return runBatch(cmd.Context(), j, args[0], tridiagonalBatch)
				}
				return runBatch(cmd.Context(), j, args[0], denseBatch)
			}
			return j.run(cmd.Context(), args[0])
		},
	}
	j.device = devicesFlag(cmd, s)
	j.input.flags(cmd)
	j.options.flags(cmd)
	j.config = configFlag(cmd, s)
	engineFlag(cmd, &j.engine)
	f := cmd.Flags()
	f.StringVar(&j.values, "out-values", "", "also write the eigenvalues to `FILE`: .txt, .npy or .json; .txt says\nwhich part of a spectrum it has, and plot reads that")
	f.StringVar(&j.vectors, "out-vectors", "",
		"write the eigenvectors to `FILE`: .npy in Fortran order,\n"+
			"column j belongs to eigenvalue j; with --batch also .npz")
	f.StringVar(&j.report, "report", "", "write device, memory, times (those of compiling each kernel, too),\nratios and MRRR statistics to `FILE`: .json")
	f.StringVar(&j.report, "json", "", "write the report to `FILE` as JSON, as --report does; - prints it\nin place of the values")
	f.StringVar(&j.start, "start", "",
		"refine the approximate eigenvectors in `FILE`, n×n: column j belongs to\n"+
			"eigenvalue j")
	f.BoolVar(&j.batch, "batch", false, "FILE has many matrices: a stack in .npy, or a .npz file")
	f.BoolVar(&j.noPrint, "no-print", false, "do not print the eigenvalues to standard output")
	f.BoolVar(&j.check, "check", false,
		"measure residual and orthogonality in LAPACK's ratios: below 60 is\n"+
			"good. With --values-only compare only Σλ with the trace and Σλ² with\n"+
			"the squared Frobenius norm. With --tridiagonal, certify the\n"+
			"values by Sturm counts, with or without vectors")
	j.verbosity.flags(cmd)
	return cmd
}

// checkUse returns an error for flags of vkevd solve that cannot be combined. It is called before
// any file is opened.
func (j *solveJob) checkUse(cmd *cobra.Command) error {
	o := j.options
	switch {
	case o.valuesOnly && j.vectors != "":
		return usage(cmd, "--out-vectors cannot be combined with --values-only")
	case j.check && o.valuesOnly && !o.part.all() && !o.tridiagonal:
		return usage(cmd, "--check cannot judge a part of the values without vectors: it compares sums over all")
	case severalDevices(j.device()) && (o.tridiagonal && !j.batch || j.start != ""):
		return usage(cmd, "--device %s: --tridiagonal and --start use one device", j.device())
	case cmd.Flags().Changed("json") && cmd.Flags().Changed("report"):
		return usage(cmd, "--json is the same as --report; give one of them")
	}
	if err := errors.Join(j.verbosity.check(cmd), checkEngine(cmd, j.engine), j.checkProcesses(cmd), o.checkMixed(cmd, j.device()), o.checkDistribute(cmd, j.device()), j.checkStart(cmd), j.checkBatch(cmd)); err != nil {
		return err
	}
	if err := errors.Join(o.check(cmd, j.wantsVectors()), j.input.check(cmd, o.tridiagonal)); err != nil {
		return err
	}
	for _, out := range []struct {
		flag, path string
		known      []string
	}{
		{"out-values", j.values, j.batchEndings(valuesEndings)}, {"out-vectors", j.vectors, j.batchEndings(vectorsEndings)},
		{"report", j.report, reportEndings},
	} {
		if err := checkEnding(cmd, out.flag, out.path, out.known); err != nil {
			return err
		}
	}
	return nil
}

// wantsVectors tells whether any flag needs the eigenvectors.
func (j *solveJob) wantsVectors() bool {
	return !j.options.valuesOnly && (j.options.vectors || j.vectors != "" || j.check || j.start != "" || j.options.verify || j.options.precision == precisionMixed)
}
