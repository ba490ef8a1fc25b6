// Package trial has the commands that measure a device: bench, tune, selftest and accuracy.
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// warmUp is the time for which the program keeps a device busy before it measures, so that the
// clock frequency of the device is stable.
const warmUp = time.Second

type benchJob struct {
	*cli.Session
	device  func() string
	config  *cli.Config
	options bench.Options
	tunings []string // JSON, changes of the tuning that are compared
	rows    string   // path of the rows in JSON, "" for none
	kernels bool
	share   *cli.JsonOutput // the file of --share

	// usualOrders is true if the user gave no orders of matrices, so that the default orders of
	// --share are used.
	usualOrders bool

	precision string // of batches
}

func BenchCommand(s *cli.Session) *cobra.Command {
	j := &benchJob{Session: s}
	cmd := &cobra.Command{
		Use:               "bench [flags] [STAGE…]",
		Args:              j.check,
		ValidArgsFunction: cli.Words(bench.Stages()),
		RunE:              func(cmd *cobra.Command, _ []string) error { return j.run(cmd.Context()) },
	}
	j.device = cli.DeviceFlag(cmd, s)
	j.config = cli.ConfigFlag(cmd, s)
	j.options.WarmUp = warmUp
	f := cmd.Flags()
	f.IntSliceVarP(&j.options.Orders, "n", "n", nil, "orders `N` of the matrices")
	f.IntSliceVar(&j.options.Bands, "band", nil, "half-bandwidths `B` (default: the device's tuning)")
	f.IntSliceVar(&j.options.Blocks, "block", nil, "ranks `K` of updates (default: the device's tuning)")
	f.IntSliceVar(&j.options.Cols, "cols", nil, "numbers `M` of vectors to transform back (default: N)")
	f.IntSliceVar(&j.options.Counts, "count", nil, "numbers `C` of matrices of a batch (default: by the order)")
	f.BoolVar(&j.options.Complex, "complex", false, "measure matrices in complex128: stages [emulated-]values and vectors,\nsvd[-vectors], and batches, also in complex64")
	f.StringVar(&j.precision, "precision", cli.PrecisionDouble, "`P` of batches, the stages batch and batch-values: f32 or f64")
	f.IntVar(&j.options.Repeat, "repeat", 5, "measure everything `R` times")
	f.StringArrayVar(&j.tunings, "tuning", nil,
		"change the device's tuning: fields of tuning.Tuning in `JSON`; given\n"+
			"several times, the tunings are measured alternately")
	cli.RowsFlag(cmd, &j.rows, "every measurement")
	j.share = &cli.JsonOutput{Cmd: cmd}
	f.StringVar(&j.share.Path, "share", "", "write everything about this device to `FILE` as JSON, to send to\nthe authors of vkevd; - prints it")
	f.BoolVar(&j.kernels, "kernels", false,
		"run every stage once more and time its kernels; also their\n"+
			"registers, spills and shared bytes, if the driver tells them")
	return cmd
}

func (j *benchJob) check(cmd *cobra.Command, args []string) error {
	j.options.Stages, j.options.Single = args, j.precision == cli.PrecisionSingle
	if err := cli.CheckPrecision(cmd, j.precision); err != nil {
		return err
	}
	j.sharing()
	if len(args) == 0 && j.share.Path == "" { // the question of most users: how fast is a solve here?
		j.options.Stages = []string{"peaks", "values", "vectors"}
		if len(j.options.Orders) == 0 {
			j.options.Orders, j.usualOrders = sharedOrders, true
		}
	}
	_, err := tuning.Variants(vk.Info{}, nil, j.tunings)
	if err := errors.Join(j.options.Check(), err); err != nil {
		if len(j.options.Orders) == 0 && j.needsOrders() {
			return cli.Usage(cmd, "bench needs --n N,…, the orders of the matrices")
		}
		return cli.Usage(cmd, "%w", err)
	}
	if err := cli.CheckOrders(j.options.Orders...); err != nil {
		return cli.Usage(cmd, "%w", err)
	}
	return nil
}

// needsOrders tells whether the missing --n is the only mistake: whether the flags would be right
// with it. It is false with --tuning, whose value may be wrong, too.
func (j *benchJob) needsOrders() bool {
	opt := j.options
	opt.Orders = []int{1}
	return opt.Check() == nil && len(j.tunings) == 0
}

func (j *benchJob) run(ctx context.Context) error {
	all := func(keep func(bench.Row)) error {
		return cli.Measuring(ctx, j.Session, cli.Verbosity{}, j.rows, func(ctx context.Context, rows *cli.RowFile, show *cli.Progress) error {
			rows.Keep = keep
			return j.Measure(ctx, rows, show)
		})
	}
	if j.share.Path != "" {
		return j.writeShared(ctx, all)
	}
	return all(nil)
}

func (j *benchJob) Measure(ctx context.Context, rows *cli.RowFile, show *cli.Progress) error {
	if j.Terminal { // if the output is a file, each measurement would print a line of progress
		j.options.Progress = show.Stage
	}
	table := rows.Table(j.Session)
	if j.share.Instead() {
		table = j.AtTerminal()
	}
	report := &benchReport{table, rows, show}
	err := j.on(ctx, false, func(b machine.Benchmark) error {
		return errors.Join(report.peaks(b.Peaks()), j.each(ctx, func(n int) error {
			measured, err := b.Measure(ctx, n)
			return errors.Join(err, report.rows(measured))
		}))
	})
	if !j.kernels || ctx.Err() != nil {
		return err
	}
	// A second pass measures the times of the kernels. It needs a timestamp after every kernel,
	// which takes time, so the device is opened again for this pass.
	again := j.on(ctx, true, func(b machine.Benchmark) error {
		failed := j.each(ctx, func(n int) error {
			details, err := b.Profile(ctx, n)
			return errors.Join(err, report.details(details))
		})
		if ctx.Err() != nil {
			return failed
		}
		kernels, err := b.Kernels()
		return errors.Join(failed, err, report.kernels(kernels))
	})
	if err != nil { // the second pass fails in the same way: report only one error
		return err
	}
	return again
}

// each calls the function `do` for every order of matrices. If `do` fails for one order, for
// example for lack of memory, `each` continues with the next order.
func (j *benchJob) each(ctx context.Context, do func(n int) error) error {
	var errs []error
	for _, n := range j.options.Orders {
		errs = append(errs, do(n))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// `on` opens the device and passes a benchmark on it to the function `use`. If `kernels` is true,
// the device measures the time of each kernel.
func (j *benchJob) on(ctx context.Context, kernels bool, use func(machine.Benchmark) error) error {
	dev, err := j.Open(vk.Options{Device: j.device(), Kernels: kernels, Statistics: kernels}, j.Stderr)
	if err != nil {
		return err
	}
	defer dev.Close()
	j.suit(dev.Info())
	var kept evd.Options
	j.config.Apply(&kept, dev.Info(), j.Stderr)
	if j.options.Variants, err = tuning.Variants(dev.Info(), kept.Tuning, j.tunings); err != nil {
		return err
	}
	b, err := dev.Bench(ctx, j.options)
	if err != nil {
		return err
	}
	defer b.Close()
	return use(b)
}

type benchReport struct {
	w    io.Writer
	file *cli.RowFile
	show *cli.Progress
}

func (o *benchReport) peaks(peaks []bench.Row) error {
	if err := o.head(peaks[0]); err != nil {
		return err
	}
	return o.rows(peaks)
}

func (o *benchReport) head(r bench.Row) error {
	o.show.End()
	_, err := fmt.Fprintf(o.w, "%s, %s\n%-9s %6s %4s %5s %6s %11s %11s %11s %11s %9s %6s %8s %7s\n",
		cli.Printable(r.Device), cli.Printable(r.Driver),
		"stage", "n", "b", "k", "m", "median ms", "min", "max", "wall clock", "GFLOP/s", "of fma", "GB/s", "of copy")
	return err
}

func (o *benchReport) rows(rows []bench.Row) error {
	o.show.End()
	for _, r := range rows {
		if err := printRow(o.w, r); err != nil {
			return err
		}
		if err := o.file.Add(r); err != nil {
			return err
		}
	}
	return nil
}

func (o *benchReport) details(details []bench.Detail) error {
	o.show.End()
	for _, d := range details {
		if err := printDetail(o.w, d); err != nil {
			return err
		}
	}
	return nil
}

func printRow(w io.Writer, r bench.Row) error {
	size := func(n int) string {
		if n == 0 {
			return "–"
		}
		return fmt.Sprint(n)
	}
	const milli = 1e3
	model := ""
	if r.Steps > 0 {
		model = fmt.Sprintf("  %d steps in a row, %.3g µs each", r.Steps, 1e6*r.Median/float64(r.Steps))
	}
	if r.Model > 0 {
		model += fmt.Sprintf("; model %.4g ms", milli*r.Model)
	}
	if r.Count > 0 {
		model += "  " + cli.Matrices(r.Count)
	}
	switch {
	case r.Complex && r.Single:
		model += "  complex64"
	case r.Complex:
		model += "  complex128"
	case r.Single:
		model += "  float32"
	}
	if r.Products != "" {
		model += ", " + r.Products + " products"
	}
	if r.Tuning != "" {
		model += "  " + cli.Printable(r.Tuning)
	}
	_, err := fmt.Fprintf(w, "%-9s %6s %4s %5s %6s %11.4f %11.4f %11.4f %11.4f %9.1f %5.1f%% %8.1f %6.1f%%%s\n",
		r.Stage, size(r.N), size(r.B), size(r.K), size(r.M), milli*r.Median, milli*r.Min, milli*r.Max, milli*r.Wall,
		r.GFlops, 100*r.GFlops/r.FMAPeak, r.GBytes, 100*r.GBytes/r.CopyMax, model)
	return err
}

func printDetail(w io.Writer, d bench.Detail) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s, n = %d", d.Row.Stage, d.Row.N)
	for _, s := range []struct {
		letter string
		size   int
	}{{"b", d.Row.B}, {"k", d.Row.K}, {"m", d.Row.M}} {
		if s.size != 0 {
			fmt.Fprintf(&b, ", %s = %d", s.letter, s.size)
		}
	}
	if d.Row.Count > 0 {
		b.WriteString(", " + cli.Matrices(d.Row.Count))
	}
	if d.Row.Tuning != "" {
		b.WriteString(", " + cli.Printable(d.Row.Tuning))
	}
	b.WriteString("\n")
	if len(d.Profile.Phases) > 1 {
		for _, t := range longestFirst(d.Profile.Phases) {
			fmt.Fprintf(&b, "  %-42s %12.4f ms\n", t.Name, 1e3*t.Seconds)
		}
		b.WriteString("\n")
	}
	for _, t := range longestFirst(d.Profile.Kernels) {
		fmt.Fprintf(&b, "  %-28s %7d times %12.4f ms %5.1f%%\n",
			t.Name, t.Count, 1e3*t.Seconds, 100*t.Seconds/d.Profile.Total())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (o *benchReport) kernels(kernels []bench.Kernel) error {
	if len(kernels) == 0 {
		return nil
	}
	const head = "\n%9s %7s %13s %8s  kernel\n"
	if _, err := fmt.Fprintf(o.w, head, "registers", "spills", "shared bytes", "declared"); err != nil {
		return err
	}
	told := func(n *int) string {
		if n == nil {
			return "–"
		}
		return fmt.Sprint(*n)
	}
	for _, k := range kernels {
		line := fmt.Sprintf("%9s %7s %13s %8d  %v", told(k.Registers), told(k.Spills), told(k.Shared), k.Declared, k)
		if k.Problem != "" {
			line += "  !! " + k.Problem
		}
		if _, err := fmt.Fprintln(o.w, line); err != nil {
			return err
		}
		if err := o.file.Add(k); err != nil {
			return err
		}
	}
	return nil
}

func longestFirst(timings []vk.Timing) []vk.Timing {
	return slices.SortedFunc(slices.Values(timings), func(x, y vk.Timing) int { return cmp.Compare(y.Seconds, x.Seconds) })
}

// Shared is the content of the file that bench --share writes. A user sends the file to a
// maintainer who does not have the user's GPU. The file contains no names of users, machines or
// files.
type Shared struct {
	Version string    `json:"version"`
	Time    time.Time `json:"time"`
	Kernels string    `json:"kernels"` // the beginning of shaders.Fingerprint
	Device  vk.Info   `json:"device"`  // as the driver describes it

	Rates    probe.Rates    `json:"rates"`     // in flops per second
	WorkRate float64        `json:"work_rate"` // by which several devices divide their work
	Products probe.Products `json:"products"`  // and why they are native or emulated

	MayWait    *bool             `json:"may_wait,omitempty"`   // workgroups may wait for each other; absent if not measured
	Arithmetic *probe.Arithmetic `json:"arithmetic,omitempty"` // how the device rounds doubles; absent if not measured
	Rows       []bench.Row       `json:"rows"`                 // the peaks of the device and the times of all stages
	Solves     []sharedSolve     `json:"solves"`               // of whole solves with vectors
	Errors     []string          `json:"errors,omitempty"`     // of measurements that are not in Rows or Solves
}

const enough = 8 // bytes of a hash that tells kernels apart

// sharedSolve is one solve of a random matrix of order N. Seconds is the time of Solve by the
// host's clock, including transfers. The kernels are compiled before this time begins.
type sharedSolve struct {
	N       int     `json:"n"`
	Seconds float64 `json:"seconds"`
	evd.Ratios
}

// These are the orders of matrices that bench --share measures if the user gives no --n: one list
// for GPUs, and one for devices that compute on the CPU.
var (
	sharedOrders    = []int{1024, 4096}
	sharedOrdersCPU = []int{256}
)

// sharing sets what the user of bench --share has left out, before the device is known: all stages,
// and the default orders.
func (j *benchJob) sharing() {
	if j.share.Path == "" {
		return
	}
	if len(j.options.Stages) == 0 {
		j.options.Stages = bench.SingleStages()
	}
	if len(j.options.Orders) == 0 {
		j.options.Orders, j.usualOrders = sharedOrders, true
	}
}

// suit takes smaller default orders if the device computes on the CPU.
func (j *benchJob) suit(info vk.Info) {
	if j.usualOrders && info.Type == "cpu" {
		j.options.Orders = sharedOrdersCPU
	}
}

// writeShared measures, and writes the file even if a measurement fails. It writes no file if the
// command is interrupted or `measure` yields no row. `measure` passes each row to `keep`.
func (j *benchJob) writeShared(ctx context.Context, measure func(keep func(bench.Row)) error) error {
	if err := j.share.Open(j.Stdout); err != nil {
		return err
	}
	defer j.share.Close()
	s := &Shared{Version: cli.Version(), Kernels: shaders.Fingerprint()[:2*enough], Time: time.Now().UTC().Truncate(time.Second), Solves: []sharedSolve{}}
	failed := measure(func(r bench.Row) { s.Rows = append(s.Rows, r) })
	if ctx.Err() != nil || len(s.Rows) == 0 {
		return failed // interrupted, or nothing can be measured
	}
	failed = errors.Join(failed, j.facts(ctx, s))
	if ctx.Err() != nil {
		return failed
	}
	if failed != nil {
		s.Errors = append(s.Errors, failed.Error())
	}
	return errors.Join(failed, j.share.Write(ctx, s))
}

func (j *benchJob) facts(ctx context.Context, s *Shared) error {
	dev, err := j.Open(vk.Options{Device: j.device()}, j.Stderr)
	if err != nil {
		return err
	}
	defer dev.Close()
	s.Device = dev.Info()
	s.Device.Index, s.Device.Free = 0, s.Device.Memory // of an idle machine with one device
	var errs []error
	if s.Rates, err = dev.Rates(ctx, true); err != nil {
		errs = append(errs, err)
	}
	if s.Device.Float64() {
		s.WorkRate, _ = dev.WorkRate(ctx)
		s.Products, _ = dev.Products(ctx, false, true)
	}
	if may, err := dev.HandsOn(); err == nil {
		s.MayWait = &may
	} else {
		errs = append(errs, err)
	}
	if a, err := dev.Probe(ctx); err == nil {
		s.Arithmetic = &a
	} else {
		errs = append(errs, err)
	}
	for _, n := range j.options.Orders {
		solve, err := solveShared(ctx, dev, n)
		if err != nil {
			errs = append(errs, fmt.Errorf("n = %d: %w", n, err))
			continue
		}
		s.Solves = append(s.Solves, solve)
	}
	return errors.Join(errs...)
}

// solveShared measures the second solve of a random matrix.
func solveShared(ctx context.Context, dev machine.Device, n int) (s sharedSolve, err error) {
	plan, err := machine.PlanOf[machine.Solver](dev, machine.Task{N: n, Evd: evd.Options{Vectors: true}})
	if err != nil {
		return s, err
	}
	defer plan.Close()
	a := evd.NewSym(n, matgen.Dense()[0].Dense(n), evd.Lower)
	if _, err = plan.Solve(ctx, a); err != nil {
		return s, err
	}
	began := time.Now()
	res, err := plan.Solve(ctx, a)
	if err != nil {
		return s, err
	}
	s = sharedSolve{N: n, Seconds: time.Since(began).Seconds()}
	s.Ratios, err = plan.Check(ctx, a, res)
	return s, err
}
