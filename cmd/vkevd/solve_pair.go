package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/pencil"
)

// pairFlags are the flags of a generalized problem. Without the flag --b there is one matrix.
type pairFlags struct {
	b       string // path of B, "" for none
	kind    int    // LAPACK's itype
	overlap string // what becomes of dependent directions, "" for an error
	refine  bool
}

func (p *pairFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.b, "b", "", "solve A·x = λ·B·x with the positive definite matrix B in `FILE`")
	pairTypeFlag(cmd, &p.kind)
	overlapFlag(cmd, &p.overlap)
}

func refineFlag(cmd *cobra.Command, refine *bool) {
	cmd.Flags().BoolVar(refine, "refine", false,
		"with --b: improve all vectors and values after the solve, for an\nill-conditioned B")
}

const canonicalWord = "canonical"

func overlapFlag(cmd *cobra.Command, overlap *string) {
	cmd.Flags().StringVar(overlap, "overlap", "",
		"with --b: canonical[:`T`] drops the directions in which B is nearly\nsingular: eigenvalues of at most T times the largest, if B has ones on\nits diagonal (default: 1e-7)")
	cmd.RegisterFlagCompletionFunc("overlap", cli.Words([]string{canonicalWord}))
}

// checkOverlap returns an error if the value of --overlap is wrong.
func checkOverlap(cmd *cobra.Command, value string) error {
	if _, err := overlapOf(value); err != nil {
		return cli.Usage(cmd, "--overlap: %v", err)
	}
	return nil
}

func overlapOf(value string) (o pencil.Overlap, err error) {
	word, threshold, given := strings.Cut(value, ":")
	if value == "" {
		return o, nil
	}
	if o.Canonical = true; word != canonicalWord {
		return o, fmt.Errorf("%q is neither canonical nor canonical:T", value)
	}
	if !given {
		return o, nil
	}
	if o.Threshold, err = strconv.ParseFloat(threshold, 64); err != nil || !(o.Threshold > 0 && o.Threshold < 1) {
		return o, fmt.Errorf("%q is not a number between 0 and 1", threshold)
	}
	return o, nil
}

// drops is the option of the library for the value of --overlap, which has been checked.
func (p *pairFlags) drops() pencil.Overlap {
	o, _ := overlapOf(p.overlap)
	return o
}

func pairTypeFlag(cmd *cobra.Command, kind *int) {
	cmd.Flags().IntVar(kind, "type", 1, "with --b: problem of `TYPE` 1, A·x = λ·B·x; 2, A·B·x = λ·x;\nor 3, B·A·x = λ·x")
	cmd.RegisterFlagCompletionFunc("type", cli.Words([]string{"1", "2", "3"}))
}

func checkPairType(cmd *cobra.Command, kind int) error {
	if kind < 1 || kind > 3 {
		return cli.Usage(cmd, "--type: \"%d\" is not 1, 2 or 3", kind)
	}
	return nil
}

// check compares the flags with the arguments of the command, which are files.
func (p *pairFlags) check(cmd *cobra.Command, args []string) error {
	if p.b == "" && cmd.Flags().Changed("b") {
		return cli.Usage(cmd, "--b: no file is named")
	}
	if p.b == cli.StreamWord && slices.Contains(args, cli.StreamWord) {
		return cli.Usage(cmd, "only one of the files can be standard input")
	}
	return errors.Join(checkPairType(cmd, p.kind), checkOverlap(cmd, p.overlap))
}

// files are the files that the flags name.
func (p *pairFlags) files() []string {
	if p.b == "" {
		return nil
	}
	return []string{p.b}
}

func (p *pairFlags) pairType() machine.PairType {
	if p.b == "" {
		return 0
	}
	return machine.PairType(p.kind)
}

// about completes an error of a solve, as aboutMatrix does for one matrix. If the error is about
// the matrix B, the text names the file of B.
func (p *pairFlags) about(file string, n int, err error) error {
	if cli.As[*pencil.NotPositiveError](err) && p.kind == 1 {
		return fmt.Errorf("%s: %w; --overlap canonical drops directions in which B is singular", cli.InputName(p.b), err)
	}
	if cli.As[*pencil.NotPositiveError](err) || cli.As[*pencil.IndefiniteError](err) {
		return fmt.Errorf("%s: %w", cli.InputName(p.b), err)
	}
	if bad := (*pencil.MatrixError)(nil); errors.As(err, &bad) && bad.Matrix == "B" {
		file = p.b
	} else if bad != nil && bad.Matrix != "A" {
		return fmt.Errorf("%s, n = %d: %w; both files are finite, so the device may be defective: vkevd selftest", cli.InputName(file), n, err)
	}
	return aboutMatrix(file, n, err)
}

// The names of the arrays to read from .npz files that have several: H and S of chemists, K and M of
// engineers.
const namesOfA, namesOfB = "A a H K", "B b S M"

// readB reads the matrix B of a pair.
func (m matrixInput) readB(ctx context.Context, file string, stdin io.Reader, log io.Writer) (realOrComplex, error) {
	m.array, m.usual = "", namesOfB
	return m.read(ctx, file, stdin, log)
}

// readPair reads A and B at the same time, and compares their orders. If one of them cannot be read, it
// does not wait for the other.
func (m matrixInput) readPair(ctx context.Context, files [2]string, stdin io.Reader, log io.Writer) (of [2]realOrComplex, err error) {
	ctx, stop := context.WithCancel(ctx) // after an error, nobody needs the other file
	defer stop()
	var errB error
	read := make(chan bool)
	go func() {
		if of[1], errB = m.readB(ctx, files[1], stdin, log); errB != nil {
			stop()
		}
		close(read)
	}()
	m.usual = namesOfA
	if of[0], err = m.read(ctx, files[0], stdin, log); err != nil {
		stop()
	}
	<-read
	if err == nil || errB != nil && errors.Is(err, context.Canceled) {
		err = errB
	}
	if err == nil {
		err = sameOrder(cli.InputName(files[1]), of[1].order(), cli.InputName(files[0]), of[0].order())
	}
	return of, err
}

func sameOrder(b string, orderB int, a string, orderA int) error {
	if orderA != orderB {
		return fmt.Errorf("%s: order %d, but %s has order %d", b, orderB, a, orderA)
	}
	return nil
}

func (e realOrComplex) isReal() bool { return e.complex == nil }

func (e realOrComplex) order() int {
	if e.isReal() {
		return e.real.Rows
	}
	return e.complex.Rows
}

func (e realOrComplex) single() bool {
	if e.isReal() {
		return e.real.Single
	}
	return e.complex.Single
}

// asComplex converts a real matrix.
func (e realOrComplex) asComplex() *matio.Complex {
	d := e.real
	if d == nil {
		return e.complex
	}
	z := &matio.Complex{Rows: d.Rows, Cols: d.Cols, Single: d.Single, Data: make([]complex128, len(d.Data))}
	for k, x := range d.Data {
		z.Data[k] = complex(x, 0)
	}
	return z
}

// readPair reads the pair that the command solves.
func (j *solveJob) readPair(ctx context.Context, file string, log io.Writer) (problem, *report.TableFacts, error) {
	files := [2]string{file, j.pair.b}
	of, err := j.input.readPair(ctx, files, j.Stdin, log)
	if err != nil {
		return problem{}, nil, err
	}
	single := isSingle(of[0].single() && of[1].single(), j.options.precision)
	if of[0].isReal() && of[1].isReal() {
		a, b := of[0].real, of[1].real
		p, err := pairIn[float64, float32](&j.pair, single, files, [2]elements[float64, float32]{a, b}, a.Data, b.Data, of)
		return p, report.TableOf(a.Rows, a.Cols, a.Table), err
	}
	a, b := of[0].asComplex(), of[1].asComplex()
	p, err := pairIn[complex128, complex64](&j.pair, single, files, [2]elements[complex128, complex64]{a, b}, a.Data, b.Data, of)
	return p, nil, err
}

// readB reads the matrix B of all pairs of a batch. If B or a matrix of the batch is complex, all
// are solved as complex ones. The result is an evd.Sym.
func (j *solveJob) readB(ctx context.Context, f *batchFile, log io.Writer) (any, error) {
	b, err := j.input.readB(ctx, j.pair.b, j.Stdin, log)
	if err != nil {
		return nil, err
	}
	for _, a := range f.All {
		if err := sameOrder(cli.InputName(j.pair.b), b.order(), strings.TrimSuffix(f.about(a), ": "), f.Order(a)); err != nil {
			return nil, err
		}
	}
	if f.complex = f.complex || !b.isReal(); f.complex {
		return evd.NewSym(b.order(), b.asComplex().Data, evd.Lower), nil
	}
	return evd.NewSym(b.order(), b.real.Data, evd.Lower), nil
}

// pairIn is the problem of two matrices of files, in double or in single precision.
func pairIn[E float64 | complex128, S float32 | complex64](
	of *pairFlags, single bool, files [2]string, m [2]elements[E, S], a, b []E, read [2]realOrComplex,
) (problem, error) {
	n := read[0].order()
	if !single {
		return pairProblem(of, evd.NewSym(n, a, evd.Lower), evd.NewSym(n, b, evd.Lower)), nil
	}
	x, errA := singlesOf(files[0], read[0].single(), m[0])
	y, errB := singlesOf(files[1], read[1].single(), m[1])
	return pairProblem(of, evd.NewSym(n, x, evd.Lower), evd.NewSym(n, y, evd.Lower)), cmp.Or(errA, errB)
}

func pairProblem[T evd.Number](of *pairFlags, a, b evd.Sym[T]) problem {
	return problem{machine.KindOf[T](), of.pairType(), a.N, precisionName[T](), func(plan machine.Planned) solution {
		p := plan.(machine.PairSolver[T])
		var res *pencil.Result[T]
		return solution{plan, func(ctx context.Context) (f found, err error) {
			if res, err = p.SolvePair(ctx, a, b); res == nil {
				return f, err
			}
			f, err = foundOf(&res.Result, err)
			f.condition, f.dropping = res.Condition, res.Dropping
			return f, err
		}, func(ctx context.Context, _ found) (report.Measures, error) {
			r, err := p.Check(ctx, a, b, res)
			return report.PairRatios(of.pairType(), of.drops(), r), err
		}}
	}}
}
