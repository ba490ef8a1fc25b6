package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matio"
)

// A batchSolver is a *batch.Plan. Tests have another.
type batchSolver interface {
	Bytes() uint64
	Solve(context.Context, []evd.Sym[float64]) (*batch.Result, error)
	Check(context.Context, []evd.Sym[float64], []batch.Spectrum) ([]evd.Ratios, error)
	Close()
}

func (d opened) batch(n, count int, opt batch.Options) (batchSolver, error) {
	p, err := batch.NewPlan(d.Device, n, count, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// batchBytes bounds the memory of the matrices that are on the device at a time.
const batchBytes = 1 << 30

// checkBatch refuses flags that cannot be combined with --batch.
func (j *solveJob) checkBatch(cmd *cobra.Command) error {
	if !j.batch {
		return nil
	}
	for _, name := range []string{
		"interval", "tridiagonal", "solver", "band", "block", "verify", "report", "json", "uplo", "symmetrize",
	} {
		if cmd.Flags().Changed(name) {
			return usage(cmd, "--%s cannot be combined with --batch", name)
		}
	}
	if j.check && j.options.valuesOnly {
		return usage(cmd, "--check of a batch needs vectors: it cannot be combined with --values-only")
	}
	if ending(j.values) == ".json" {
		return usage(cmd, "--out-values: %s: the values of a batch are written as .txt or .npy", j.values)
	}
	return nil
}

// runBatch is the whole command with --batch.
func (j *solveJob) runBatch(ctx context.Context, file string) error {
	out, err := createOutputs(j.stdout, file, j.values, j.vectors)
	if err != nil {
		return err
	}
	defer out.abort()
	stderr, show := j.feedback(j.quiet)
	defer show.end()
	known := newFacts(file)

	show.stage("reading " + inputName(file))
	stack, err := readStack(ctx, file, j.stdin)
	if err != nil {
		return err
	}
	n := stack.Rows
	known.took("read")

	show.stage("preparing the device")
	opt, err := j.batchOptions(n)
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(file), err)
	}
	opt.Progress = show.update
	atOnce := max(1, min(stack.Count, batchBytes/max(1, 8*n*n)))
	dev, p, err := prepare(ctx, j.session, j.device(), show.above(), func(dev device) (batchSolver, error) {
		var kept evd.Options
		known.Tuned = j.config.apply(&kept, dev.Info(), show.above())
		opt.Tuning = kept.Tuning
		return dev.batch(n, atOnce, opt)
	})
	if err != nil {
		return aboutMatrix(file, n, err)
	}
	defer dev.Close()
	defer p.Close()
	known.took("prepare")

	all := batch.Stack(n, stack.Count, stack.Data, evd.Lower)
	res, err := p.Solve(ctx, all)
	if err != nil {
		return aboutMatrix(file, n, err)
	}
	known.took("solve")
	if j.check {
		show.stage("checking")
		checked, err := p.Check(ctx, all, res.Spectra)
		if err != nil {
			return aboutMatrix(file, n, err)
		}
		known.Ratios = worst(checked, res)
		known.took("check")
	}
	known.N, known.Vectors, known.Memory, known.Stages = n, opt.Vectors, p.Bytes(), res.Profile.Phases
	known.on(dev.Info())

	show.stage("writing")
	if err := j.writeBatch(ctx, out, n, res); err != nil {
		return err
	}
	show.end()
	if !j.noPrint && !out.toStdout() {
		if err := cannotWrite("standard output", writeLines(stoppable{ctx, j.stdout}, res)); err != nil {
			return err
		}
	}
	known.took("write")
	fmt.Fprintf(stderr, "batch    %s, %s of order %d in float64\n", printable(inputName(file)), matrices(stack.Count), n)
	known.where(stderr)
	known.times(stderr)
	known.Ratios.print(stderr)
	return errors.Join(failures(file, stderr, res), known.Ratios.verdict())
}

// worst is the largest ratios of the matrices that were solved.
func worst(checked []evd.Ratios, res *batch.Result) measures {
	var most evd.Ratios
	for k, r := range checked {
		if res.Spectra[k].Err == nil {
			most.Residual = max(most.Residual, r.Residual)
			most.Orthogonality = max(most.Orthogonality, r.Orthogonality)
		}
	}
	return ratios(most)
}

// batchOptions are the library's options for matrices of order n.
func (j *solveJob) batchOptions(n int) (batch.Options, error) {
	part, err := j.options.part.of(n)
	return batch.Options{Vectors: j.wantsVectors(), Select: part}, err
}

// readStack reads a stack of symmetric matrices.
func readStack(ctx context.Context, file string, stdin io.Reader) (*matio.Stack, error) {
	return unlessDone(ctx, func() (*matio.Stack, error) {
		s, err := readFile(file, stdin, "a stack", matio.ReadStack, matio.ReadStackFile)
		if err != nil {
			return nil, err
		}
		if s.Rows != s.Cols {
			return nil, fmt.Errorf("%s: the matrices are %d by %d, not square", inputName(file), s.Rows, s.Cols)
		}
		for k := range s.Count {
			if i, j, ok := asymmetric(s.Rows, s.Data[k*s.Rows*s.Rows:]); ok {
				return nil, fmt.Errorf("%s: matrix %d is not symmetric: elements (%d, %d) and (%d, %d) differ (indices from 0)",
					inputName(file), k, i, j, j, i)
			}
		}
		return s, nil
	})
}

// asymmetric finds elements (i, j) and (j, i) that differ by more than rounding errors, 100·ε·max|a|.
func asymmetric(n int, a []float64) (i, j int, found bool) {
	largest := 0.0
	for _, x := range a[:n*n] {
		largest = max(largest, math.Abs(x)) // NaN if there is one: nothing differs from it
	}
	for j := range n {
		for i := j + 1; i < n; i++ {
			if math.Abs(a[i+j*n]-a[j+i*n]) > 100*ulp*largest {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// writeBatch fills the outputs and gives them their names.
func (j *solveJob) writeBatch(ctx context.Context, out *outputs, n int, res *batch.Result) error {
	if err := out.write(ctx, j.values, func(w io.Writer) error {
		if ending(j.values) != ".npy" {
			return writeLines(w, res)
		}
		var rows [][]float64
		for _, s := range res.Spectra {
			rows = append(rows, s.Values)
		}
		return matio.WriteRows(w, valuesOf(res), rows)
	}); err != nil {
		return err
	}
	if err := out.write(ctx, j.vectors, func(w io.Writer) error {
		return matio.WriteStack(w, len(res.Spectra), n, valuesOf(res), func(k int) []float64 { return res.Spectra[k].Vectors.Data })
	}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return out.commit()
}

// valuesOf is the number of values of each matrix, which all have the same order.
func valuesOf(res *batch.Result) int {
	if len(res.Spectra) == 0 {
		return 0
	}
	return len(res.Spectra[0].Values)
}

// writeLines writes the values of each matrix in a line, with blanks between them.
func writeLines(w io.Writer, res *batch.Result) error {
	b := bufio.NewWriter(w)
	for _, s := range res.Spectra {
		for i, x := range s.Values {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strconv.FormatFloat(x, 'g', 17, 64))
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// matrices is a number of matrices in words.
func matrices(count int) string {
	if count == 1 {
		return "1 matrix"
	}
	return fmt.Sprintf("%d matrices", count)
}

// A batchError says that matrices of a batch have no result.
type batchError struct {
	file   string
	failed int
}

func (e *batchError) Error() string {
	return fmt.Sprintf("%s: %s could not be solved", inputName(e.file), matrices(e.failed))
}

// failures prints the errors of single matrices, and returns a *batchError if there are any.
func failures(file string, stderr io.Writer, res *batch.Result) error {
	failed := 0
	for k, s := range res.Spectra {
		if s.Err != nil {
			failed++
			fmt.Fprintf(stderr, "matrix %d: %v\n", k, s.Err)
		}
	}
	if failed == 0 {
		return nil
	}
	return &batchError{file, failed}
}
