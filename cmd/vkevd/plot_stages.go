package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/vkevd/vkevd/vk"
)

// faint is a colour that lines and grids are seen through.
func faint(r, g, b uint32) color.Color {
	const opacity = 0x40
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), opacity}
}

// report is what is drawn of facts.
type report struct {
	File   string      `json:"file"`
	N      int         `json:"n"`
	Device string      `json:"device"`
	Stages []vk.Timing `json:"stages"`
}

// reports reads what solve --report has written.
func (s *session) reports(ctx context.Context, files []string) ([]report, error) {
	var all []report
	for _, file := range files {
		r, err := unlessDone(ctx, func() (report, error) {
			var r report
			text, err := readAll(file, s.stdin)
			if err != nil {
				return r, err
			}
			if err := json.Unmarshal(text, &r); err != nil {
				return r, fmt.Errorf("%s: not a report; solve --report writes them", inputName(file))
			}
			return r, nil
		})
		if err != nil {
			return nil, err
		}
		if len(r.Stages) == 0 {
			return nil, fmt.Errorf("%s: a report without stages; solve --report writes them", inputName(file))
		}
		for _, t := range r.Stages {
			if !(t.Seconds >= 0) || t.Seconds > 1e12 {
				return nil, fmt.Errorf("%s: stage %q took %v s", inputName(file), t.Name, t.Seconds)
			}
		}
		all = append(all, r)
	}
	return all, nil
}

func readAll(file string, stdin io.Reader) ([]byte, error) {
	if file == stdinWord {
		text, err := io.ReadAll(stdin)
		return text, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, reason(err))
	}
	return text, nil
}

// stageTimes draws a bar for each stage of each report, the first on top.
func (s *session) stageTimes(ctx context.Context, files []string) (*picture, error) {
	all, err := s.reports(ctx, files)
	if err != nil {
		return nil, err
	}
	var stages []string
	for _, r := range all {
		next := 0 // what only this report has comes where it has it
		for _, t := range r.Stages {
			name := printable(t.Name)
			at := slices.Index(stages, name)
			if at < 0 {
				at = next
				stages = slices.Insert(stages, at, name)
			}
			next = at + 1
		}
	}
	slices.Reverse(stages) // the axis goes upwards
	p := newPicture("Stages", "seconds", "")
	count := len(all)
	bars := vg.Points(max(11, 18/float64(count))) // a number beside each must be legible
	pitch := bars*vg.Length(count) + vg.Points(8)
	for i, r := range all {
		if err := p.bars(i, count, bars, stages, r); err != nil {
			return nil, err
		}
	}
	p.NominalY(stages...)
	p.X.Min = 0
	p.X.Max *= 1.12 // room for the numbers beside the bars
	if p.X.Max == 0 {
		p.X.Max = 1
	}
	p.Y.Min, p.Y.Max = -0.5, float64(len(stages))-0.5
	if count == 1 {
		p.Title.Text = "Stages of " + all[0].name() + "\n" + printable(all[0].Device)
	} else { // the legend has its place below the bars
		p.Legend.Top = false
		const line = 15 // points
		p.Y.Min -= line * float64(count) / pitch.Points()
	}
	p.height = 3.5 + (p.Y.Max-p.Y.Min)*float64(pitch/vg.Centimeter)
	return p, nil
}

// name is of the matrix.
func (r report) name() string { return fmt.Sprintf("%s, n = %d", label(r.File), r.N) }

// bars draws report i of count.
func (p *picture) bars(i, count int, thick vg.Length, stages []string, r report) error {
	seconds := make(plotter.Values, len(stages))
	labels := make([]string, len(stages)) // none beside a stage that the report has not
	for _, t := range r.Stages {
		k := slices.Index(stages, printable(t.Name))
		seconds[k] += t.Seconds
		labels[k] = fmt.Sprintf("%.3g", seconds[k])
	}
	chart, err := plotter.NewBarChart(seconds, thick)
	if err != nil {
		return errors.Join(errors.New("bars"), err)
	}
	chart.Horizontal, chart.Color, chart.LineStyle.Width = true, colour(i), 0
	chart.Offset = thick * (vg.Length(count-1)/2 - vg.Length(i)) // the first on top
	p.Add(chart)
	if count > 1 {
		p.Legend.Add(r.name()+", "+printable(r.Device), chart)
	}
	at := make(plotter.XYs, len(stages))
	for k, t := range seconds {
		at[k] = plotter.XY{X: t, Y: float64(k)}
	}
	const height = 9 // of the figures, in points
	return p.texts(at, labels, vg.Points(3), chart.Offset-vg.Points(height*0.36))
}
