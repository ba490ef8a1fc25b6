package report

import (
	"fmt"
	"io"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// TableFacts say how a table of text was read, for the summary and the report.
type TableFacts struct {
	Rows    int `json:"rows"`    // of numbers, without a header
	Columns int `json:"columns"` // of numbers, without names of rows
	*matio.Table
}

// TableOf returns the facts about a matrix of this shape. It returns nil if the file was no table of text.
func TableOf(rows, cols int, t *matio.Table) *TableFacts {
	if t == nil {
		return nil
	}
	return &TableFacts{rows, cols, t}
}

// Print prints a line for the summary, if the file was a table of text.
func (t *TableFacts) Print(w io.Writer, file string) {
	if t != nil {
		fmt.Fprintf(w, "matrix   %s: %d × %d numbers, %v\n", cli.Printable(file), t.Rows, t.Columns, t.Table)
	}
}
