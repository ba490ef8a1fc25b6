package trial

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/vk"
)

// A benchReport prints the results of vkevd bench, each as soon as it is measured.
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
	if r.Tuning != "" {
		model += "  " + cli.Printable(r.Tuning)
	}
	_, err := fmt.Fprintf(w, "%-9s %6s %4s %5s %6s %11.4f %11.4f %11.4f %11.4f %9.1f %5.1f%% %8.1f %6.1f%%%s\n",
		r.Stage, size(r.N), size(r.B), size(r.K), size(r.M), milli*r.Median, milli*r.Min, milli*r.Max, milli*r.Wall,
		r.GFlops, 100*r.GFlops/r.FMAPeak, r.GBytes, 100*r.GBytes/r.CopyMax, model)
	return err
}

// printDetail lists the phases and the kernels of a measurement, the longest time first.
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

// kernels lists the statistics of the driver's compiler for each kernel, if the driver reports any.
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
