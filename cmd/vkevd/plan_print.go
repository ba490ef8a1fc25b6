package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// printPlan prints a plan for people.
func printPlan(w io.Writer, r planReport) error {
	var b strings.Builder
	if r.Fits == nil {
		fmt.Fprintf(&b, "%-28s none here (%s); the plan is for a typical one\n", "device", cli.Printable(r.Reason))
	} else {
		fmt.Fprintf(&b, "%-28s %s, %s free\n", "device", cli.Printable(r.Device), cli.Human(r.Free))
	}
	if r.Products != "" {
		fmt.Fprintf(&b, "%-28s %s\n", "products", r.Products)
	}
	if r.Tuned {
		fmt.Fprintf(&b, "%-28s from vkevd tune --save\n", "sizes")
	}
	fmt.Fprintf(&b, "\n%-28s %16s %16s\n", "region", "offset", "bytes")
	for _, m := range r.Memory {
		paged := map[bool]string{true: "  in several buffers"}[m.Paged]
		fmt.Fprintf(&b, "%-28s %16d %16d%s\n", m.Name, m.Offset, m.Bytes, paged)
	}
	fmt.Fprintf(&b, "%-28s %16s %16d  %s\n", "total on the device", "", r.Bytes, cli.Human(r.Bytes))
	for _, d := range r.Devices {
		fmt.Fprintf(&b, "%-28s %16s %16d  %s: %s, for %.0f%% of the %s\n",
			fmt.Sprintf("on device %d", d.Index), "", d.Bytes, cli.Human(d.Bytes), cli.Printable(d.Name), 100*d.Part, r.Parts)
	}
	fmt.Fprintf(&b, "%-28s %16s %16d  %s\n\n", "matrix, vectors on the host", "", r.Host, cli.Human(r.Host))
	r.printStages(&b)
	if r.Fits != nil && *r.Fits {
		what := map[bool]string{true: "with vectors", false: "values only"}[r.Vectors]
		fmt.Fprintf(&b, "\nIt fits: %s of %s, %s.\n", cli.Human(r.Bytes), cli.Human(r.Free), what)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printStages prints, for each stage of a solve, the number of operations and the predicted time.
func (r planReport) printStages(b *strings.Builder) {
	line := func(name string, flops, seconds float64) {
		fmt.Fprintf(b, "%-28s %16.3g", name, flops)
		if r.Seconds > 0 {
			fmt.Fprintf(b, " %16.3g", seconds)
		}
	}
	fmt.Fprintf(b, "%-28s %16s", "stage", "flops")
	if r.Seconds > 0 {
		fmt.Fprintf(b, " %16s", "seconds")
	}
	b.WriteString("\n")
	for _, s := range r.Stages {
		line(s.Stage, s.Flops, s.Seconds)
		if m := s.Model; m != nil && m.Path > 0 {
			fmt.Fprintf(b, "  %d steps in a row", m.Path)
			if m.Stalls > 0 {
				fmt.Fprintf(b, " and %d while sweeps wait", m.Stalls)
			}
		}
		b.WriteString("\n")
	}
	line("total", r.Flops, r.Seconds)
	b.WriteString("\n")
	if r.Seconds > 0 {
		fmt.Fprintf(b, "\nAbout %s on the device, by its measured rate of %s.\n", duration(r.Seconds), flopRate(r.Rate))
	}
}

func flopRate(rate float64) string {
	if rate >= 1e12 {
		return fmt.Sprintf("%.3g TFLOP/s", rate/1e12)
	}
	return fmt.Sprintf("%.3g GFLOP/s", rate/1e9)
}
