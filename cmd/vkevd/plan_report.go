package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// planReport is the content of the JSON that vkevd plan prints. Sizes are in bytes. Times in
// seconds are forecasts. They are absent if the device is not known.
type planReport struct {
	Version     string               `json:"version"`
	N           int                  `json:"n"`
	Rows        int                  `json:"m,omitempty"`     // with --svd
	SVD         bool                 `json:"svd,omitempty"`   // for singular values
	Batch       int                  `json:"batch,omitempty"` // number of matrices of a stack
	Start       bool                 `json:"start,omitempty"` // for a refinement
	Type        machine.PairType     `json:"type,omitempty"`  // of a generalized problem, LAPACK's itype
	Vectors     bool                 `json:"vectors"`
	Tridiagonal bool                 `json:"tridiagonal"`
	Precision   string               `json:"precision"`
	Products    string               `json:"products,omitempty"` // native or emulated, and why
	Tuned       bool                 `json:"tuned"`              // with sizes from vkevd tune --save
	Device      string               `json:"device"`
	Driver      string               `json:"driver,omitempty"`
	Fits        *bool                `json:"fits"`              // null without a device
	Reason      string               `json:"reason,omitempty"`  // why it does not fit, or why there is no device
	Smaller     []smallerPlan        `json:"smaller,omitempty"` // plans that fit, if this one does not
	Bytes       uint64               `json:"bytes"`             // of device memory, at the same time
	Free        uint64               `json:"free_bytes"`
	MaxRegion   uint64               `json:"max_region_bytes"` // larger regions are paged; 0 if not known
	Host        uint64               `json:"host_bytes"`       // matrix and vectors in solve
	Devices     []report.DeviceShare `json:"devices,omitempty"`
	Parts       string               `json:"parts_of,omitempty"` // what is divided among them
	Memory      []plannedRegion      `json:"memory"`             // of the first device; regions with the same offset share memory
	Stages      []plannedStage       `json:"stages"`
	Flops       float64              `json:"flops"`
	Seconds     float64              `json:"seconds,omitempty"`
	Pair        *plannedPair         `json:"pair,omitempty"`
	Rate        float64              `json:"flops_per_second,omitempty"` // of the device, in the plan's precision, as measured
}

type plannedRegion struct {
	Name   string `json:"name"`
	Offset uint64 `json:"offset"`
	Bytes  uint64 `json:"bytes"`
	Paged  bool   `json:"paged,omitempty"` // it lies in several buffers
}

// plannedPair divides the forecast for a generalized problem. Of Flops and Seconds, the part For is
// because of B: a problem A·x = λ·x does not have it. Further is what another A with the same B costs.
type plannedPair struct {
	For     plannedShare `json:"for_b"`
	Further plannedShare `json:"further_a"`
}

type plannedShare struct {
	Flops   float64 `json:"flops"`
	Seconds float64 `json:"seconds,omitempty"`
}

// phasesForB are the phases of a generalized problem that a problem A·x = λ·x does not have, apart from
// those of the factor of B.
var phasesForB = []string{stages.PhaseStandardForm, stages.PhasePairVectors, stages.PhaseProjection, stages.PhaseRefineProducts}

type plannedStage struct {
	evd.StageCost
	Seconds float64 `json:"seconds,omitempty"`
}

func (j *planJob) Report(on target, f machine.Planned, unfit *vk.OutOfMemoryError) planReport {
	info, vectors := on.Info, j.wantsVectors()
	r := planReport{
		Version: cli.Version(), N: j.n, Rows: j.rows, SVD: j.svd, Batch: j.batch, Start: j.start, Type: j.pairType(),
		Vectors: vectors, Tridiagonal: j.options.tridiagonal, Tuned: on.tuned, Reason: on.missing,
		Precision: j.precision(),
		Device:    info.Name, Bytes: f.Bytes(), Free: info.Free, MaxRegion: info.MaxRegion(),
		Host: j.hostBytes(vectors),
	}
	if info.Memory > 0 {
		fits := unfit == nil
		r.Fits, r.Driver = &fits, cli.DriverOf(info)
	}
	if unfit != nil {
		r.Reason = cli.Describe(unfit)
	}
	if on.Products.Why != "" && j.choosesProducts() {
		r.Products = on.Products.String()
	}
	for _, m := range f.Memory() {
		if m.Bytes > 0 { // without vectors some regions are empty
			r.Memory = append(r.Memory, plannedRegion{m.Name, m.Offset, m.Bytes, m.Paged})
		}
	}
	r.Devices, r.Parts = report.SharesOf(report.DevicesOf(f)), report.Divided(f)
	j.forecastTime(&r, on, f)
	return r
}

func (j *planJob) precision() string {
	switch kind := j.kind(); {
	case kind.Mixed():
		return cli.PrecisionMixed
	case kind == machine.KindComplexSingle:
		return precisionName[complex64]()
	case kind.Complex():
		return precisionName[complex128]()
	case j.options.kind() == machine.KindSingle:
		return precisionName[float32]()
	}
	return precisionName[float64]()
}

// forecastTime predicts times if the device is known.
func (j *planJob) forecastTime(r *planReport, on target, f machine.Planned) {
	n := j.Order()
	device := speedsOn(on.Info, on.rates, j.kind())
	if emulates(f) {
		device = device.emulated(on.Products)
	}
	if j.svd {
		device = device.singular()
	}
	if device.known {
		r.Rate = device.rates.FP64
		if device.single {
			r.Rate = device.rates.FP32
		}
	}
	seconds := func(c evd.StageCost) float64 {
		if device.known {
			return device.seconds(c, n)
		}
		return 0
	}
	for _, c := range f.Costs() {
		s := plannedStage{c, seconds(c)}
		r.Stages = append(r.Stages, s)
		r.Flops += c.Flops
		r.Seconds += s.Seconds
	}
	of, pair := f.(interface {
		FactorCosts() []evd.StageCost
		SolveCosts() []evd.StageCost
	})
	if !pair {
		return
	}
	r.Pair = &plannedPair{}
	for _, c := range of.FactorCosts() {
		r.Pair.For.add(c, seconds(c))
	}
	for _, c := range of.SolveCosts() {
		r.Pair.Further.add(c, seconds(c))
		if slices.Contains(phasesForB, c.Stage) {
			r.Pair.For.add(c, seconds(c))
		}
	}
}

func (s *plannedShare) add(c evd.StageCost, seconds float64) {
	s.Flops += c.Flops
	s.Seconds += seconds
}

// hostBytes is the host memory of a solve for the matrix, and for vectors unless they overwrite it.
func (j *planJob) hostBytes(vectors bool) uint64 {
	number := uint64(8) // bytes of a number
	if j.options.kind() == machine.KindSingle {
		number = 4
	}
	if j.complex {
		number *= 2
	}
	n, found := uint64(j.n), uint64(j.options.part.count(j.n))
	matrix, count := n*n, uint64(max(1, j.batch))
	if j.options.tridiagonal {
		matrix = 2 * n
	}
	switch {
	case (j.batch > 0 || j.options.tridiagonal) && vectors:
		return number * count * (matrix + n*found)
	case j.batch > 0 || j.options.tridiagonal:
		return number * count * matrix
	case j.start:
		return number * 3 * n * n
	case j.kind().Mixed():
		return number * 2 * n * n
	case j.svd && storageOf(j.storage) != svd.Double && number == 8:
		return (number + 4) * uint64(j.rows) * n // the matrix is rounded to single precision
	case j.svd && j.full:
		return number * (uint64(j.rows)*n + uint64(j.rows)*uint64(j.rows) + n*n)
	case j.svd && vectors:
		few := min(n, uint64(j.rows))
		if j.options.part.largest > 0 {
			few = uint64(j.options.part.largest)
		}
		return number * (uint64(j.rows)*n + (uint64(j.rows)+n)*few)
	case j.svd:
		return number * uint64(j.rows) * n
	case j.overlap != "" && vectors: // A, B, V, A and C scaled, X; and Z, which is scaled in other memory
		return number * 7 * n * n
	case j.overlap != "": // A, B, V, A and C scaled
		return number * 5 * n * n
	case j.refine: // the vectors from before a step, and those after it
		return number * (2*n*n + 2*n*found)
	case j.b && vectors:
		return number * (2*n*n + n*found)
	case j.b:
		return number * 2 * n * n
	case vectors && j.options.verify:
		return number * (n*n + n*found)
	}
	return number * n * n
}

// verdict says whether the plan fits, and what would.
func (r planReport) verdict(b *strings.Builder) {
	what := map[bool]string{true: "with vectors", false: "values only"}[r.Vectors]
	switch {
	case r.Fits == nil:
	case *r.Fits:
		fmt.Fprintf(b, "It fits: %s of %s, %s.", cli.Human(r.Bytes), cli.Human(r.Free), what)
	default:
		fmt.Fprintf(b, "It does not fit: %s, %s, and %s free.", cli.Human(r.Bytes), what, cli.Human(r.Free))
	}
	if r.Seconds > 0 {
		fmt.Fprintf(b, " About %s on the device, by its measured rate of %s.", duration(r.Seconds), flopRate(r.Rate))
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	for _, s := range r.Smaller {
		fmt.Fprintf(b, "  would fit: %s, %s\n", s.Change, cli.Human(s.Bytes))
	}
	if r.Fits != nil && !*r.Fits {
		if ways := r.wider(); len(ways) > 0 {
			fmt.Fprintf(b, "  may fit: %s\n", strings.Join(ways, ", or "))
		}
	}
	if r.Fits != nil {
		b.WriteString("\n")
	}
}

// wider returns the ways to have more memory for this problem, which most problems do not have: see
// cli's rules.
func (r planReport) wider() (ways []string) {
	if r.SVD || r.Batch > 0 || r.Start || r.Tridiagonal || r.Type != 0 || r.Precision == cli.PrecisionMixed {
		return nil
	}
	if len(r.Devices) < 2 {
		ways = append(ways, "several devices (--device all)")
	}
	if !strings.HasPrefix(r.Precision, "complex") {
		ways = append(ways, "an MPI job (--engine elpa)")
	}
	return ways
}

func (r planReport) print(w io.Writer, regions bool) error {
	var b strings.Builder
	r.verdict(&b)
	if r.Fits == nil {
		fmt.Fprintf(&b, "%-28s none here (%s); the plan is for a typical one\n", "device", cli.Printable(r.Reason))
	} else {
		fmt.Fprintf(&b, "%-28s %s, %s free\n", "device", cli.Printable(r.Device), cli.Human(r.Free))
	}
	if r.Products != "" {
		fmt.Fprintf(&b, "%-28s %s\n", "products", r.Products)
	}
	if r.Tuned {
		fmt.Fprintf(&b, "%-28s from vkevd tune --save\n", "sizes")
	}
	b.WriteString("\n")
	if regions {
		fmt.Fprintf(&b, "%-28s %16s %16s\n", "region", "offset", "bytes")
	} else {
		r.Memory = nil
	}
	for _, m := range r.Memory {
		paged := map[bool]string{true: "  in several buffers"}[m.Paged]
		fmt.Fprintf(&b, "%-28s %16d %16d%s\n", m.Name, m.Offset, m.Bytes, paged)
	}
	fmt.Fprintf(&b, "%-28s %16s %16d  %s\n", "total on the device", "", r.Bytes, cli.Human(r.Bytes))
	for _, d := range r.Devices {
		fmt.Fprintf(&b, "%-28s %16s %16d  %s: %s, for %.0f%% of the %s\n",
			fmt.Sprintf("on device %d", d.Index), "", d.Bytes, cli.Human(d.Bytes), cli.Printable(d.Name), 100*d.Part, r.Parts)
	}
	host := map[bool]string{true: "A, B, vectors on the host", false: "matrix, vectors on the host"}[r.Type > 0]
	fmt.Fprintf(&b, "%-28s %16s %16d  %s\n\n", host, "", r.Host, cli.Human(r.Host))
	r.printStages(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r planReport) printStages(b *strings.Builder) {
	line := func(name string, flops, seconds float64) {
		fmt.Fprintf(b, "%-28s %16.3g", name, flops)
		if r.Seconds > 0 {
			fmt.Fprintf(b, " %16.3g", seconds)
		}
	}
	fmt.Fprintf(b, "%-28s %16s", "stage", "flops")
	if r.Seconds > 0 {
		fmt.Fprintf(b, " %16s", "seconds")
	}
	b.WriteString("\n")
	for _, s := range r.Stages {
		line(s.Stage, s.Flops, s.Seconds)
		if m := s.Model; m != nil && m.Path > 0 {
			fmt.Fprintf(b, "  %d steps in a row", m.Path)
			if m.Stalls > 0 {
				fmt.Fprintf(b, " and %d while sweeps wait", m.Stalls)
			}
		}
		b.WriteString("\n")
	}
	line("total", r.Flops, r.Seconds)
	b.WriteString("\n")
	if p := r.Pair; p != nil {
		line("of it because of B", p.For.Flops, p.For.Seconds)
		b.WriteString("\n")
		line("a further A, the same B", p.Further.Flops, p.Further.Seconds)
		b.WriteString("\n")
	}
}

func flopRate(rate float64) string {
	if rate >= 1e12 {
		return fmt.Sprintf("%.3g TFLOP/s", rate/1e12)
	}
	return fmt.Sprintf("%.3g GFLOP/s", rate/1e9)
}
