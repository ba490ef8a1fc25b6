package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// load is one measurement: a stage at one size. Either record or run is set, not both. All
// functions get an arena with the load's layout.
type load struct {
	// row has the sizes that the stage depends on. No two loads of an order have equal rows.
	row Row

	// flops and bytes are the nominal numbers of operations and bytes of one run.
	flops, bytes float64

	// layout is the device memory of one run. It holds NaN before prepare.
	layout *vk.Layout

	// prepare records the commands that make the input of a run, which are not timed. It may be
	// nil.
	prepare func(rec *vk.Recorder, ws *vk.Arena)

	// record records the commands that are timed, for stages that are one recording.
	record func(rec *vk.Recorder, ws *vk.Arena)

	// run runs and times a stage that also works on the host.
	run func(ctx context.Context, ws *vk.Arena) (sample, error)

	// info returns the stage's INFO word, which is 0 for success. The function may be nil.
	info func(ws *vk.Arena) vk.Slice[uint32]

	// infos returns the INFO words of a stage that has several. The function may be nil.
	infos func(ws *vk.Arena) []vk.Slice[uint32]

	// result is memory that must hold finite numbers after a run. It has no elements if the host
	// has the result.
	result vk.Region[float64]
}

// sizes are the sizes of a load: order n, half-bandwidth b, rank k of updates, number m of vectors.
type sizes struct{ n, b, k, m int }

// table lists the stages in the order of the solver. The function make may ignore sizes that the
// stage does not depend on; the load's row must then have 0 for them. The tuning has the same b and
// k as sizes.
var table = []struct {
	name string
	make func(b *Bench, s sizes, t tuning.Tuning) (*load, error)
}{
	{"gemm", newGemm},
	{"syr2k", newSyr2k},
	{"emulated-gemm", newEmulatedGemm},
	{"emulated-syr2k", newEmulatedSyr2k},
	{"symm", newSymm},
	{"panel-qr", newPanelQR},
	{"sy2sb", newSy2sb},
	{"sb2st", newSb2st},
	{"apply-q2", newApplyQ2},
	{"apply-q1", newApplyQ1},
	{"stebz", newStebz},
	{"stedc", newStedc},
	{"stedc-values", newStedcValues},
	{"stemr", newStemr},
	{"values", newValues},
	{"vectors", newVectors},
	{"emulated-values", newEmulatedValues},
	{"emulated-vectors", newEmulatedVectors},
	{"ge2tb", newGe2tb},
	{"tb2bd", newTb2bd},
	{"bdsdc", newBdsdc},
	{"svd", newSVD},
}

// loads makes the measurements of order n, each only once: a stage that does not depend on a size
// has one measurement for all values of that size. If a measurement cannot be made, loads returns
// an error for it.
func (b *Bench) loads(n int) (all []*load, errs []error) {
	seen := map[Row]bool{}
	for _, s := range table {
		if !slices.Contains(b.opt.Stages, s.name) {
			continue
		}
		for _, t := range b.tunings() {
			for _, m := range orElse(b.opt.Cols, n) {
				l, err := s.make(b, sizes{n, t.Tuning.Band, t.Tuning.Block, m}, t.Tuning)
				if err != nil {
					errs = append(errs, fmt.Errorf("%s, n = %d, b = %d, k = %d, m = %d%s: %w",
						s.name, n, t.Tuning.Band, t.Tuning.Block, m, t.label(), err))
					continue
				}
				l.row.Stage, l.row.N, l.row.Tuning = s.name, n, t.Name
				if !seen[l.row] {
					all = append(all, l)
				}
				seen[l.row] = true
			}
		}
	}
	return all, errs
}

// tunings returns a tuning for each variant, half-bandwidth and rank. If Options give
// half-bandwidths and no ranks, the rank is the largest multiple of the half-bandwidth up to the
// variant's rank.
func (b *Bench) tunings() (all []Variant) {
	for _, v := range orElse(b.opt.Variants, Variant{Tuning: tuning.On(b.dev.Info())}) {
		t := v.Tuning
		if len(b.opt.Bands) > 0 {
			v.Tuning.ValuesFrom = 0
		}
		for _, band := range orElse(b.opt.Bands, t.Band) {
			for _, block := range orElse(b.opt.Blocks, max(t.Block/band, 1)*band) {
				v.Tuning.Band, v.Tuning.Block = band, block
				all = append(all, v)
			}
		}
	}
	return all
}

// label is the variant's name in a form that can be appended to a list, or "".
func (v Variant) label() string {
	if v.Name == "" {
		return ""
	}
	return ", " + v.Name
}

// orElse returns list, or a list of the one element usual if list is empty.
func orElse[T any](list []T, usual T) []T {
	if len(list) == 0 {
		return []T{usual}
	}
	return list
}

// once prepares a load and runs it. Memory that neither the input nor the stage writes holds NaN.
func (b *Bench) once(ctx context.Context, l *load) (sample, error) {
	ws, err := b.dev.NewArena(l.layout)
	if err != nil {
		return sample{}, err
	}
	defer ws.Close()
	rec := vk.NewRecorder(b.dev)
	ws.Poison(rec)
	if l.prepare != nil {
		l.prepare(rec, ws)
	}
	if b.opt.WarmUp > 0 {
		b.peaks.recordFMA(rec) // the device rested while memory was allocated
	}
	if _, err := b.dev.Run(ctx, rec, nil); err != nil {
		return sample{}, err
	}
	var s sample
	if l.run != nil {
		s, err = l.run(ctx, ws)
	} else {
		s, err = timed(ctx, b.dev, func(rec *vk.Recorder) { l.record(rec, ws) })
	}
	if err != nil {
		return sample{}, err
	}
	return s, b.sound(ctx, l, ws)
}

// sound returns an error if the run failed. An INFO word shows this, or a result whose first
// elements are not finite.
func (b *Bench) sound(ctx context.Context, l *load, ws *vk.Arena) error {
	var words []vk.Slice[uint32]
	if l.info != nil {
		words = append(words, l.info(ws))
	}
	if l.infos != nil {
		words = append(words, l.infos(ws)...)
	}
	for _, word := range words {
		if word.Len() == 0 { // a stage that cannot fail in this form
			continue
		}
		var info [1]uint32
		if err := vk.Download(ctx, b.dev, vk.Vector(info[:]), word); err != nil {
			return err
		}
		if info[0] != 0 {
			return &stages.InfoError{Stage: l.row.Stage, Info: info[0]}
		}
	}
	// Only the first elements are checked, because downloading all of a large result would take
	// longer than the run.
	const some = 1 << 10
	head := make([]float64, min(l.result.Len(), some))
	if len(head) == 0 {
		return nil
	}
	if err := vk.Download(ctx, b.dev, vk.Vector(head), l.result.In(ws)); err != nil {
		return err
	}
	for i, x := range head {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("element %d of the result is %v", i, x)
		}
	}
	return nil
}

// fills returns a function for load.prepare that fills matrices with random numbers.
func (b *Bench) fills(matrices ...func(ws *vk.Arena) stages.Matrix) func(*vk.Recorder, *vk.Arena) {
	return func(rec *vk.Recorder, ws *vk.Arena) {
		for _, x := range matrices {
			b.random.matrix(rec, x(ws))
		}
	}
}

// packed reserves a rows×cols matrix with Ld = rows. The returned function gives the matrix in an
// arena.
func packed(name string, rows, cols int) (vk.Region[float64], func(ws *vk.Arena) stages.Matrix) {
	r := vk.Reserve[float64](name, rows*cols)
	return r, func(ws *vk.Arena) stages.Matrix { return stages.NewMatrix(r.In(ws), rows, cols, rows) }
}

// realBytes is the size of an element, in bytes.
const realBytes = 8
