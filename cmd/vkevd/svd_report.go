package main

import (
	"fmt"
	"io"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
)

// svdFacts is the content of the report of vkevd svd. If a field of svdFacts and a field of facts
// have the same name in JSON, the report has the field of svdFacts.
type svdFacts struct {
	*facts
	Rows        int              `json:"m"`
	Cols        int              `json:"n"`
	Storage     string           `json:"storage,omitempty"` // of the numbers on the device, if it is not the precision
	Certificate *svd.Certificate `json:"certificate,omitempty"`
	verified    bool             // the user asked for --verify
}

// solvedSVD stores the facts of a result for a matrix of the shape `of`.
func solvedSVD[T evd.Float](f *svdFacts, of singularShape, res *svd.Result[T], bytes uint64) {
	f.Rows, f.Cols, f.Memory = of.rows, of.cols, bytes
	f.Values, f.Stages, f.Certificate = len(res.Values), res.Profile.Phases, res.Certificate
	f.Vectors = res.U != nil || res.V != nil
	if res.Retried != nil {
		f.Retried = res.Retried.Error()
	}
}

// storedIn stores the format of the numbers on the device, unless it is that of the precision.
func (f *svdFacts) storedIn(format svd.Storage) {
	if format != svd.Double {
		f.Storage = format.String()
	}
}

// part says which singular values the result contains.
func (f *svdFacts) part() valuesPart {
	return valuesPart{count: f.Values, n: min(f.Rows, f.Cols), singular: true}
}

// report writes the facts as JSON.
func (f svdFacts) report(w io.Writer) error { return writeJSON(w, f) }

// summary prints the data of the solve as readable text.
func (f svdFacts) summary(w io.Writer) {
	found := "singular values"
	if f.Values < min(f.Rows, f.Cols) {
		found = plural(f.Values, "largest singular value")
	}
	if f.Vectors {
		found += " and vectors"
	}
	stored := ""
	if f.Storage != "" {
		stored = fmt.Sprintf(", storage in %s precision", f.Storage)
	}
	f.Table.print(w, f.File)
	fmt.Fprintf(w, "matrix   %s, %d by %d, %s in %s%s\n", printable(f.File), f.Rows, f.Cols, found, f.Precision, stored)
	f.where(w)
	f.times(w)
}

// remarks prints what a user must know, or has asked for, in addition to the summary of the command
// svd.
func (f svdFacts) remarks(w io.Writer) {
	f.again(w)
	if f.verified {
		f.certified(w, f.Certificate, f.Certificate.Passed(), f.Certificate.Safe)
	}
	f.Ratios.print(w)
}
