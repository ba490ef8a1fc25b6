package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

type Facts struct {
	Version   string             `json:"version"`
	File      string             `json:"file"`
	Table     *TableFacts        `json:"table,omitempty"` // how a table of text was read
	N         int                `json:"n"`
	First     int                `json:"first"`  // index of the first value, from 0
	Values    int                `json:"values"` // number of values found
	Vectors   bool               `json:"vectors"`
	Precision string             `json:"precision"`
	Pair      *PairFacts         `json:"pair,omitempty"` // of a generalized problem
	Device    string             `json:"device"`
	Driver    string             `json:"driver"`
	Vulkan    string             `json:"vulkan"`
	Memory    uint64             `json:"memory_bytes"`        // on the device
	Devices   []DeviceShare      `json:"devices,omitempty"`   // if there are several
	Parts     string             `json:"parts_of,omitempty"`  // what is divided among them: vectors or matrix
	Seconds   map[string]float64 `json:"seconds"`             // wall clock, for each of laps
	Stages    []vk.Timing        `json:"stages"`              // of the solve, by the device's clock
	Compiled  []vk.Timing        `json:"compiled"`            // kernels, by the time of the driver's compiler or of reading its cache
	Tuned     bool               `json:"tuned,omitempty"`     // with sizes from vkevd tune --save
	Engine    string             `json:"engine,omitempty"`    // if it is not Vulkan
	Processes int                `json:"processes,omitempty"` // of an engine
	Ratios    Measures           `json:"ratios,omitempty"`

	Retried     string           `json:"retried,omitempty"` // why the solve began again
	Tridiagonal bool             `json:"tridiagonal,omitempty"`
	Certificate *evd.Certificate `json:"certificate,omitempty"`
	Tree        *evd.Tree        `json:"tree,omitempty"` // MRRR statistics
	Refinement  *evd.Refinement  `json:"refinement,omitempty"`

	lap time.Time
}

// laps are the names of the measured times in the report, in the order of the steps of the command.
var laps = []string{"read", "prepare", "solve", "check", "write"}

func NewFacts(file string) *Facts {
	return &Facts{
		Version: cli.Version(), File: cli.InputName(file), Precision: "float64",
		Seconds: map[string]float64{}, lap: time.Now(),
	}
}

// Took stores the seconds since its last call, or since NewFacts, under the name `lap`.
func (f *Facts) Took(lap string) {
	now := time.Now()
	f.Seconds[lap] = now.Sub(f.lap).Seconds()
	f.lap = now
}

func (f *Facts) Solved(n int, opt evd.Options, res *evd.Result[float64], bytes uint64, tridiagonal bool) {
	f.N, f.Vectors, f.Memory, f.Tridiagonal = n, opt.Vectors, bytes, tridiagonal
	f.First, f.Values, f.Stages = res.First, len(res.Values), res.Profile.Phases
	f.Certificate, f.Tree, f.Refinement = res.Certificate, res.Tree, res.Refinement
	if res.Retried != nil {
		f.Retried = res.Retried.Error()
	}
}

func (f *Facts) On(dev machine.Device) {
	info := dev.Info()
	f.Device, f.Driver, f.Vulkan, f.Compiled = info.Name, cli.DriverOf(info), info.API, dev.CompileTimes()
}

// DeviceShare describes one of several devices of a solve: its part of the vectors, or of the
// matrix and the vectors if the matrix is distributed, and its memory.
type DeviceShare struct {
	Index int     `json:"index"`
	Name  string  `json:"device"`
	Part  float64 `json:"part"`         // out of 1
	Bytes uint64  `json:"memory_bytes"` // on the device
}

func (f *Facts) OnAll(plan any) {
	f.Devices, f.Parts = SharesOf(DevicesOf(plan)), Divided(plan)
}

// Divided names what the devices of a plan divide: the vectors, or the matrix with its vectors. It
// is "" if the plan uses one device.
func Divided(plan any) string {
	if len(DevicesOf(plan)) < 2 {
		return ""
	}
	if p, ok := plan.(interface{ Distributed() bool }); ok && p.Distributed() {
		return "matrix"
	}
	return "vectors"
}

// SharesOf describes the devices of a plan for the report. It returns nil if the plan uses one
// device.
func SharesOf(all []evd.DeviceShare) (list []DeviceShare) {
	if len(all) < 2 {
		return nil
	}
	for _, d := range all {
		info := d.Device.Info()
		list = append(list, DeviceShare{info.Index, info.Name, d.Part, d.Bytes})
	}
	return list
}

func (f *Facts) Report(w io.Writer) error { return cli.WriteJSON(w, f) }

func (f *Facts) Summary(w io.Writer) {
	found := "eigenvalues"
	if f.Values < f.N {
		found = fmt.Sprintf("eigenvalues %d:%d", f.First, f.First+f.Values)
	}
	if f.Vectors {
		found += " and vectors"
	}
	precision := f.Precision
	if precision == cli.PrecisionMixed {
		precision = "mixed precision"
	}
	f.Table.Print(w, f.File)
	fmt.Fprintf(w, "matrix   %s, n = %d, %s in %s\n", cli.Printable(f.File), f.N, found, precision)
	f.Pair.Print(w)
	f.Where(w)
	f.Times(w)
	if t := f.Tree; t != nil {
		fmt.Fprintf(w, "MRRR     blocks %d, levels %d, clusters %d, retries %d, vectors by divide and conquer %d\n",
			t.Blocks, t.Depth, t.Clusters, t.Retried, t.Fallback)
	}
	if f.Refinement != nil && f.Refinement.Cold == "" {
		f.refined(w)
	}
}

// Remarks prints what a user must know or has asked for, in addition to the summary: why a problem
// was solved once more or without a refinement, the certificate, and the ratios.
func (f *Facts) Remarks(w io.Writer) {
	if p := f.Pair; p != nil && p.Singular {
		fmt.Fprintf(w, "%s: B is singular to working precision, with condition %.2g: small eigenvalues have no correct digits.\n",
			cli.Printable(p.File), p.Condition)
	}
	f.again(w)
	if f.Refinement != nil && f.Refinement.Cold != "" {
		f.refined(w)
	}
	if c := f.Certificate; c != nil {
		f.certified(w, c, c.Passed(), c.Safe)
	}
	f.Ratios.Print(w)
	if len(f.Ratios) > 0 && !f.Vectors && !f.Tridiagonal {
		fmt.Fprintln(w, "Without vectors only these sums are compared: they prove no single value.")
	}
}

// PairFacts are the part of the report about a generalized problem: its type, and properties of B.
type PairFacts struct {
	File      string           `json:"b"`
	Type      machine.PairType `json:"type"` // LAPACK's itype
	Condition float64          `json:"condition"`
	Singular  bool             `json:"singular"` // to working precision: the condition is above 1/(n·ε)
	Overlap   *OverlapFacts    `json:"overlap,omitempty"`
}

// OverlapFacts say what canonical orthogonalization has dropped (see pencil.Overlap).
type OverlapFacts struct {
	Threshold float64 `json:"threshold"` // at least n·ε
	Dropped   int     `json:"dropped"`
	Kept      float64 `json:"smallest_kept"`
	Lost      float64 `json:"largest_dropped"` // 0 if none was dropped
}

// Drops adds what the overlap option has dropped, if it is given.
func (p *PairFacts) Drops(by pencil.Overlap, d pencil.Dropping) {
	if by.Canonical {
		p.Overlap = &OverlapFacts{d.Threshold, d.Dropped, d.Kept, d.Lost}
	}
}

// OfPair adds the facts about a generalized problem. It must be called after Solved, which sets the
// order of the matrices.
func (f *Facts) OfPair(file string, of machine.PairType, condition float64, single bool) {
	ulp := Ulp
	if single {
		ulp = UlpOf[float32]()
	}
	f.Pair = &PairFacts{File: cli.InputName(file), Type: of, Condition: condition, Singular: condition*float64(f.N)*ulp > 1}
}

func (p *PairFacts) Print(w io.Writer) {
	if p == nil {
		return
	}
	fmt.Fprintf(w, "pair     %s, B from %s, condition %.2g\n", p.Type.Problem(), cli.Printable(p.File), p.Condition)
	if o := p.Overlap; o != nil {
		fmt.Fprintf(w, "overlap  %s dropped, eigenvalues of B up to %.3g; kept from %.3g\n", cli.Plural(o.Dropped, "direction"), o.Lost, o.Kept)
	}
}

// certified prints the certificate c of a result. `passed` is true if --verify has accepted the
// certificate. It is false only if a value of the result overflows. `safe` says that the result
// comes from the safe path.
func (f *Facts) certified(w io.Writer, c fmt.Stringer, passed, safe bool) {
	if !passed {
		fmt.Fprintf(w, "NOT verified: %v\n", c)
		return
	}
	by := ""
	if safe {
		by = "; on the safe path, after the first result had failed"
	}
	fmt.Fprintf(w, "verified %v%s\n", c, by)
}

func (f *Facts) again(w io.Writer) {
	if f.Retried != "" {
		fmt.Fprintf(w, "retried  %s\n", f.Retried)
	}
}

func (f *Facts) Where(w io.Writer) {
	if f.Engine != "" {
		fmt.Fprintf(w, "engine   %s on %d processes\n", f.Engine, f.Processes)
		return
	}
	fmt.Fprintf(w, "device   %s, %s, Vulkan %s\n", cli.Printable(f.Device), cli.Printable(f.Driver), f.Vulkan)
	if f.Tuned {
		fmt.Fprintln(w, "sizes    from vkevd tune --save; --no-config ignores them")
	}
	if len(f.Devices) == 0 {
		fmt.Fprintf(w, "memory   %s on the device\n", cli.Human(f.Memory))
	}
	for _, d := range f.Devices {
		fmt.Fprintf(w, "memory   %s on device %d, %s, for %.0f%% of the %s\n", cli.Human(d.Bytes), d.Index, cli.Printable(d.Name), 100*d.Part, f.Parts)
	}
}

// Times prints the time of each step of the command. Below the step "solve" it prints the stages,
// each with its share of the time of all stages.
func (f *Facts) Times(w io.Writer) {
	total, inside := 0.0, 0.0
	for _, s := range f.Stages {
		inside += s.Seconds
	}
	for _, lap := range laps {
		seconds, ran := f.Seconds[lap]
		if !ran {
			continue
		}
		total += seconds
		fmt.Fprintf(w, "%-30s %12.4f s\n", lap, seconds)
		if lap != "solve" {
			continue
		}
		for _, s := range f.Stages {
			fmt.Fprintf(w, "  %-28s %12.4f s  %3.0f%%\n", s.Name, s.Seconds, 100*s.Seconds/max(inside, Ulp))
		}
	}
	fmt.Fprintf(w, "%-30s %12.4f s\n", "total", total)
}

func (f *Facts) refined(w io.Writer) {
	r := f.Refinement
	if r == nil {
		return
	}
	fmt.Fprintf(w, "refined  %s", cli.Plural(r.Steps, "step"))
	if r.Clusters > 0 {
		fmt.Fprintf(w, ", %s of eigenvalues, the largest of %d", cli.Plural(r.Clusters, "cluster"), r.Largest)
	}
	switch {
	case r.Cold != "" && f.Pair != nil:
		fmt.Fprintf(w, "; no further step is possible: %s", r.Cold)
	case r.Cold != "":
		fmt.Fprintf(w, "; solved anew: %s", r.Cold)
	case r.Steps == 0 && f.Pair != nil:
		fmt.Fprint(w, ": none has made the residual smaller")
	}
	fmt.Fprintln(w)
}

// DevicesOf returns the devices of a plan and their shares, or nil if the plan uses one device.
func DevicesOf(plan any) []evd.DeviceShare {
	if p, ok := plan.(interface{ Devices() []evd.DeviceShare }); ok && len(p.Devices()) > 1 {
		return p.Devices()
	}
	return nil
}

// SvdFacts is the content of the report of vkevd svd. If a field of SvdFacts and a field of Facts
// have the same name in JSON, the report has the field of SvdFacts.
type SvdFacts struct {
	*Facts
	Rows        int              `json:"m"`
	Cols        int              `json:"n"`
	Storage     string           `json:"storage,omitempty"` // of the numbers on the device, if it is not the precision
	Certificate *svd.Certificate `json:"certificate,omitempty"`
	Explained   []float64        `json:"explained_variance_ratio,omitempty"` // by value, with --center or --scale
	Verified    bool             `json:"-"`                                  // the user asked for --verify
}

func SolvedSVD[T evd.Number](f *SvdFacts, of machine.SingularShape, res *svd.Result[T], bytes uint64) {
	f.Rows, f.Cols, f.Memory = of.M, of.N, bytes
	f.Values, f.Stages, f.Certificate = len(res.Values), res.Profile.Phases, res.Certificate
	f.Vectors = res.U != nil || res.V != nil
	if res.Retried != nil {
		f.Retried = res.Retried.Error()
	}
}

// Explain computes which part of the variance each singular value stands for. `squares` is the sum
// of squares of a matrix whose columns have mean 0, and 0 of other matrices.
func (f *SvdFacts) Explain(values []float64, squares float64) {
	for _, s := range values {
		if squares > 0 && squares < math.MaxFloat64 {
			f.Explained = append(f.Explained, s/squares*s)
		}
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
	if few := f.Explained[:min(len(f.Explained), 5)]; len(few) > 0 {
		percent := func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
		together, parts := 0.0, []string{}
		for _, x := range few {
			together, parts = together+x, append(parts, percent(x))
		}
		fmt.Fprintf(w, "variance %s, together %s, in the first %s of %d\n",
			strings.Join(parts, ", "), percent(together), cli.Plural(len(few), "component"), min(f.Rows, f.Cols))
	}
	f.Where(w)
	f.Times(w)
}

func (f SvdFacts) Remarks(w io.Writer) {
	f.again(w)
	if f.Verified {
		f.certified(w, f.Certificate, f.Certificate.Passed(), f.Certificate.Safe)
	}
	f.Ratios.Print(w)
}

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
