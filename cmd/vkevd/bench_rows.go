package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/vk"
)

func printHead(w io.Writer, r bench.Row) error {
	_, err := fmt.Fprintf(w, "%s, %s\n%-9s %6s %4s %5s %6s %11s %11s %11s %11s %9s %6s %8s %6s\n", r.Device, r.Driver,
		"stage", "n", "b", "k", "m", "median ms", "least", "most", "on clock", "GFLOP/s", "of fma", "GB/s", "of copy")
	return err
}

func printRow(w io.Writer, r bench.Row) error {
	size := func(n int) string {
		if n == 0 {
			return "–"
		}
		return fmt.Sprint(n)
	}
	const milli = 1e3
	_, err := fmt.Fprintf(w, "%-9s %6s %4s %5s %6s %11.4f %11.4f %11.4f %11.4f %9.1f %5.1f%% %8.1f %6.1f%%\n",
		r.Stage, size(r.N), size(r.B), size(r.K), size(r.M), milli*r.Median, milli*r.Min, milli*r.Max, milli*r.Wall,
		r.GFlops, 100*r.GFlops/r.FMAPeak, r.GBytes, 100*r.GBytes/r.CopyMax)
	return err
}

// printDetail lists phases and kernels, those that took longest first.
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
	b.WriteString("\n")
	list := func(timings []vk.Timing) {
		total := 0.0
		for _, t := range timings {
			total += t.Seconds
		}
		longestFirst := func(x, y vk.Timing) int { return cmp.Compare(y.Seconds, x.Seconds) }
		for _, t := range slices.SortedFunc(slices.Values(timings), longestFirst) {
			fmt.Fprintf(&b, "  %-28s %8d times %12.4f ms  %5.1f%%\n", t.Name, t.Count, 1e3*t.Seconds, 100*t.Seconds/total)
		}
	}
	if len(d.Profile.Phases) > 1 {
		list(d.Profile.Phases)
		b.WriteString("\n")
	}
	list(d.Profile.Kernels)
	_, err := io.WriteString(w, b.String())
	return err
}

// rowFile collects rows of many runs: it is appended to, row by row, so that what
// was measured before an interruption is there.
type rowFile struct {
	path string
	file *os.File // nil if none was asked for
}

func openRows(path string) (*rowFile, error) {
	r := &rowFile{path: path}
	if path == "" {
		return r, nil
	}
	var err error
	if r.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, cannotWrite(path, err)
	}
	return r, nil
}

func (r *rowFile) add(row bench.Row) error {
	if r.file == nil {
		return nil
	}
	return cannotWrite(r.path, json.NewEncoder(r.file).Encode(row))
}

func (r *rowFile) close() {
	if r.file != nil {
		r.file.Close()
	}
}
