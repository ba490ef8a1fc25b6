package trial

import (
	"fmt"
	"io"
	"math"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// A selftestRow is the result for one test matrix: its error ratios, or the error with which its
// solve failed.
type selftestRow struct {
	Kind   string          `json:"kind"`
	N      int             `json:"n"`
	Ratios report.Measures `json:"ratios,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func (r *selftestRow) ok() bool { return r.Error == "" && r.Ratios.Verdict() == nil }

// A selftestError says how many test matrices failed (`failed`), out of how many (`of`).
type selftestError struct{ failed, of int }

func (e *selftestError) Error() string {
	return fmt.Sprintf("selftest failed: %d of %d matrices", e.failed, e.of)
}

func (e *selftestError) Status() int { return cli.StatusNumerical }

// A selftestReport prints the table of vkevd selftest, row after row. It stores the largest ratio
// of each measure.
type selftestReport struct {
	w          io.Writer
	file       *cli.RowFile
	rows, poor int
	worst      map[string]selftestWorst
}

type selftestWorst struct {
	ratio float64
	where string
}

// selftestColumns are the names of the error ratios that vkevd selftest prints, in the order of the
// table's columns.
var selftestColumns = []string{"residual", "orthogonality", "values", "alone"}

const selftestFormat = "%-28s %6v %10s %10s %10s %10s%s\n"

func (t *selftestReport) head(info vk.Info) error {
	return t.Print("%s, %s\n"+selftestFormat, cli.Printable(info.Name), cli.Printable(cli.DriverOf(info)),
		"kind", "n", "residual", "orthog.", "values", "alone", "")
}

func (t *selftestReport) Print(format string, args ...any) error {
	_, err := fmt.Fprintf(t.w, format, args...)
	return cli.CannotWrite("standard output", err)
}

func (t *selftestReport) add(r selftestRow) error {
	t.rows++
	if !r.ok() {
		t.poor++
	}
	t.remember(r)
	if err := t.file.Add(r); err != nil {
		return err
	}
	verdict := "  ok"
	switch {
	case r.Error != "":
		verdict = "  FAILED: " + r.Error
	case !r.ok():
		verdict = "  FAILED"
	}
	cells := map[string]string{}
	for _, m := range r.Ratios {
		cells[m.Name] = fmt.Sprintf("%.3g", m.Ratio)
	}
	args := []any{r.Kind, r.N}
	for _, c := range selftestColumns {
		if cells[c] == "" {
			cells[c] = "–"
		}
		args = append(args, cells[c])
	}
	return t.Print(selftestFormat, append(args, verdict)...)
}

func (t *selftestReport) remember(r selftestRow) {
	if t.worst == nil {
		t.worst = map[string]selftestWorst{}
	}
	for _, m := range r.Ratios {
		ratio := m.Ratio
		if math.IsNaN(ratio) {
			ratio = math.Inf(1)
		}
		if old, seen := t.worst[m.Name]; !seen || ratio > old.ratio {
			t.worst[m.Name] = selftestWorst{ratio, fmt.Sprintf("%s, n = %d", r.Kind, r.N)}
		}
	}
}

// end prints the last lines of the table: the largest ratio of each measure, and the number of
// matrices. It returns a *selftestError if a matrix failed.
func (t *selftestReport) end() error {
	for _, c := range selftestColumns {
		if w, seen := t.worst[c]; seen {
			if err := t.Print("worst %-14s %10.3g  of %s\n", c, w.ratio, w.where); err != nil {
				return err
			}
		}
	}
	err := t.Print("%d of %d matrices solved, all measures below %d\n", t.rows-t.poor, t.rows, evd.Threshold)
	if err != nil {
		return err
	}
	if t.poor > 0 {
		return &selftestError{t.poor, t.rows}
	}
	return nil
}
