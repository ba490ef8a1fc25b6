package draw

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

type Run struct {
	Name   string // for title or legend
	Device string
	Stages []Stage // at least one; the times of stages with the same name are added
}

// A Stage is the name of a step of a solve, and its time in seconds, which is not negative.
type Stage struct {
	Name    string
	Seconds float64
}

// Stages draws a horizontal bar for each stage of each run, from top to bottom.
func Stages(runs []Run) (*Picture, error) {
	stages := stageNames(runs)
	slices.Reverse(stages) // the axis goes upwards
	p := newPicture("Stages", "seconds", "")
	count := len(runs)
	thick := vg.Points(max(11, 18/float64(count))) // the number at the end of each bar must be legible
	pitch := thick*vg.Length(count) + vg.Points(8)
	for i, r := range runs {
		p.bars(i, count, thick, stages, r)
	}
	p.plot.NominalY(stages...)
	p.plot.Y.Padding += p.labelGrowth()
	p.plot.X.Min = 0
	p.plot.X.Max *= 1.12 // space for the numbers
	if p.plot.X.Max == 0 {
		p.plot.X.Max = 1
	}
	p.plot.Y.Min, p.plot.Y.Max = -0.5, float64(len(stages))-0.5
	if count == 1 {
		p.SetTitle("Stages of " + runs[0].Name + "\n" + runs[0].Device)
	}
	p.height, p.rows = 3.5+float64(len(stages))*float64(pitch/vg.Centimeter), true
	return p, p.err
}

// stageNames lists the stages of all runs in the order in which they ran. A stage that only some
// runs have is listed after the stage that precedes it in those runs.
func stageNames(runs []Run) (names []string) {
	for _, r := range runs {
		next := 0
		for _, s := range r.Stages {
			at := slices.Index(names, s.Name)
			if at < 0 {
				at = next
				names = slices.Insert(names, at, s.Name)
			}
			next = at + 1
		}
	}
	return names
}

// bars draws the bars of run i of `count`, one for each stage.
func (p *Picture) bars(i, count int, thick vg.Length, stages []string, r Run) {
	seconds := make(plotter.Values, len(stages))
	labels := make([]string, len(stages)) // "" if the run has no such stage
	for _, s := range r.Stages {
		k := slices.Index(stages, s.Name)
		seconds[k] += s.Seconds
		labels[k] = fmt.Sprintf("%.3g", seconds[k])
	}
	chart, err := plotter.NewBarChart(seconds, thick)
	if p.refused(err) {
		return
	}
	chart.Horizontal, chart.Color, chart.LineStyle.Width = true, Colour(i), 0
	chart.Offset = thick * (vg.Length(count-1)/2 - vg.Length(i)) // the first run on top
	p.plot.Add(chart)
	if count > 1 {
		p.legend.add(r.Name+", "+r.Device, chart)
	}
	at := make(plotter.XYs, len(stages))
	for k, t := range seconds {
		at[k] = plotter.XY{X: t, Y: float64(k)}
	}
	const height = 9 // of the digits, in points
	p.texts(at, labels, vg.Points(3), chart.Offset-vg.Points(height*0.36))
}
