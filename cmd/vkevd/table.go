package main

import (
	"fmt"
	"io"

	"github.com/vkevd/vkevd/evd/matio"
)

// tableFacts say how a table of text was read, for the summary and the report.
type tableFacts struct {
	Rows    int `json:"rows"`    // of numbers, without a header
	Columns int `json:"columns"` // of numbers, without names of rows
	*matio.Table
}

// tableOf returns the facts about a matrix of this shape. It returns nil if the file was no table of text.
func tableOf(rows, cols int, t *matio.Table) *tableFacts {
	if t == nil {
		return nil
	}
	return &tableFacts{rows, cols, t}
}

// print prints a line for the summary, if the file was a table of text.
func (t *tableFacts) print(w io.Writer, file string) {
	if t != nil {
		fmt.Fprintf(w, "matrix   %s: %d × %d numbers, %v\n", printable(file), t.Rows, t.Columns, t.Table)
	}
}
