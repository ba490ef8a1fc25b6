package report

import (
	"fmt"
	"io"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
)

// SvdFacts is the content of the report of vkevd svd. If a field of SvdFacts and a field of facts
// have the same name in JSON, the report has the field of SvdFacts.
type SvdFacts struct {
	*Facts
	Rows        int              `json:"m"`
	Cols        int              `json:"n"`
	Storage     string           `json:"storage,omitempty"` // of the numbers on the device, if it is not the precision
	Certificate *svd.Certificate `json:"certificate,omitempty"`
	Verified    bool             `json:"-"` // the user asked for --verify
}

func SolvedSVD[T evd.Float](f *SvdFacts, of machine.SingularShape, res *svd.Result[T], bytes uint64) {
	f.Rows, f.Cols, f.Memory = of.M, of.N, bytes
	f.Values, f.Stages, f.Certificate = len(res.Values), res.Profile.Phases, res.Certificate
	f.Vectors = res.U != nil || res.V != nil
	if res.Retried != nil {
		f.Retried = res.Retried.Error()
	}
}

func (f *SvdFacts) StoredIn(format svd.Storage) {
	if format != svd.Double {
		f.Storage = format.String()
	}
}

func (f *SvdFacts) Part() cli.ValuesPart {
	return cli.ValuesPart{Count: f.Values, N: min(f.Rows, f.Cols), Singular: true}
}

func (f SvdFacts) Report(w io.Writer) error { return cli.WriteJSON(w, f) }

// Summary prints the data of the solve as readable text.
func (f SvdFacts) Summary(w io.Writer) {
	found := "singular values"
	if f.Values < min(f.Rows, f.Cols) {
		found = cli.Plural(f.Values, "largest singular value")
	}
	if f.Vectors {
		found += " and vectors"
	}
	stored := ""
	if f.Storage != "" {
		stored = fmt.Sprintf(", storage in %s precision", f.Storage)
	}
	f.Table.Print(w, f.File)
	fmt.Fprintf(w, "matrix   %s, %d by %d, %s in %s%s\n", cli.Printable(f.File), f.Rows, f.Cols, found, f.Precision, stored)
	f.Where(w)
	f.Times(w)
}

// Remarks prints what a user must know, or has asked for, in addition to the summary of the command
// svd.
func (f SvdFacts) Remarks(w io.Writer) {
	f.again(w)
	if f.Verified {
		f.certified(w, f.Certificate, f.Certificate.Passed(), f.Certificate.Safe)
	}
	f.Ratios.Print(w)
}
