package main

import (
	"io"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd/batch"
)

// batchFacts is the content of the report of solve --batch. If a field of batchFacts and a field of
// facts have the same name in JSON, the report has the field of batchFacts.
type batchFacts struct {
	*report.Facts
	First    *int           `json:"first,omitempty"` // never set: the first index may differ between matrices
	Least    int            `json:"n_min"`           // smallest order; the largest is n
	Matrices int            `json:"matrices"`
	Values   int            `json:"values"` // of all matrices together
	Failed   []failedMatrix `json:"failed,omitempty"`
}

// A failedMatrix is a matrix that has no result.
type failedMatrix struct {
	Matrix string `json:"matrix"` // as in the messages: K, or K[3], or 3
	Error  string `json:"error"`
}

// Report returns the facts about a solved batch.
func (f *batchFile) Report(known *report.Facts, res *batch.Result) batchFacts {
	r := batchFacts{Facts: known, Matrices: f.count()}
	r.Least, r.N = f.orders()
	for k, s := range res.Spectra {
		r.Values += len(s.Values)
		if s.Err != nil {
			r.Failed = append(r.Failed, failedMatrix{f.label(k), s.Err.Error()})
		}
	}
	return r
}

func (r batchFacts) Write(w io.Writer) error { return cli.WriteJSON(w, r) }
