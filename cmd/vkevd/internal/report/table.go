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

func TableOf(rows, cols int, t *matio.Table) *TableFacts {
	if t == nil {
		return nil
	}
	return &TableFacts{rows, cols, t}
}

func (t *TableFacts) Print(w io.Writer, file string) {
	if t != nil {
		fmt.Fprintf(w, "matrix   %s: %d × %d numbers, %v\n", cli.Printable(file), t.Rows, t.Columns, t.Table)
	}
}
