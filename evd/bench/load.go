package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// load is one measurement: a stage with one set of sizes. Either the function `record` or the
// function `run` is set; the other one is nil. All functions get an arena with the layout of the
// load.
type load struct {
	// row has the sizes on which the measured stage depends. No two measurements of an order have
	// the same row.
	row Row

	// flops and bytes are the nominal numbers of operations and bytes of one run.
	flops, bytes float64

	// layout is the device memory of one run. Before `prepare`, all its elements are NaN.
	layout *vk.Layout

	// prepare records the commands that make the input of the measured stage. These commands are
	// not timed. `prepare` may be nil.
	prepare func(rec *vk.Recorder, ws *vk.Arena)

	// record records the commands of the stage, which are timed. It is set if one recording does
	// the whole stage.
	record func(rec *vk.Recorder, ws *vk.Arena)

	// run runs and times the stage. It is set instead of `record` if the host does a part of the
	// stage.
	run func(ctx context.Context, ws *vk.Arena) (sample, error)

	// info returns the stage's INFO word, a status. The value 0 means success. `info` is nil if the
	// stage has no INFO word, or several.
	info func(ws *vk.Arena) vk.Slice[uint32]

	// infos returns the INFO words (statuses, 0 means success) of a stage that has several. It is
	// nil for other stages.
	infos func(ws *vk.Arena) []vk.Slice[uint32]

	// result is a region of device memory whose numbers must be finite after a run. It is empty if
	// the result is on the host.
	result vk.Region[float64]
}

// sizes are the sizes of a measurement: the order n, the half-bandwidth b, the rank k of updates,
// the number m of vectors, and the number `count` of matrices of a batch.
type sizes struct{ n, b, k, m, count int }

// A maker prepares the measurement of a stage, with the tuning t. If the stage does not depend on a
// size, it ignores this size, and the row of the result has 0 for it. The half-bandwidth and rank of t
// are those of s. A maker panics with `refused` if the measurement cannot be prepared.
type maker func(b *Bench, s sizes, t tuning.Tuning) *load

// refused is an error with which a maker ends.
type refused struct{ error }

func must[T any](v T, err error) T {
	if err != nil {
		panic(refused{err})
	}
	return v
}

func (m maker) load(b *Bench, s sizes, t tuning.Tuning) (l *load, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refused:
			err = r.error
		default:
			panic(r)
		}
	}()
	return m(b, s, t), nil
}

// table lists the stages that can be measured, in the order of a solve.
var table = []struct {
	name string
	make maker
}{
	{"gemm", native(gemmUpdate)},
	{"syr2k", native(syr2kUpdate)},
	{"emulated-gemm", onUnits(gemmUpdate)},
	{"emulated-syr2k", onUnits(syr2kUpdate)},
	{"symm", newSymm},
	{"share-symm", newShareSymm},
	{"panel-qr", newPanelQR},
	{"sy2sb", newSy2sb},
	{"sb2st", newSb2st},
	{"apply-q2", newApplyQ2},
	{"apply-q2-squares", newApplyQ2Squares},
	{"apply-q1", newApplyQ1},
	{"emulated-apply-q1", newEmulatedApplyQ1},
	{"stebz", newStebz},
	{"stedc", newStedc},
	{"stedc-values", newStedcValues},
	{"stemr", newStemr},
	{"values", solver(evd.Options{})},
	{"vectors", solver(evd.Options{Vectors: true})},
	{"emulated-values", solver(evd.Options{Products: evd.ProductsEmulated})},
	{"emulated-vectors", solver(evd.Options{Products: evd.ProductsEmulated, Vectors: true})},
	{"ge2tb", newGe2tb},
	{"tb2bd", newTb2bd},
	{"gbbrd", newGbbrd},
	{"bdsdc", newBdsdc},
	{"svd", singularSolve(svd.Options{})},
	{"svd-vectors", singularSolve(svd.Options{U: svd.Thin, V: svd.Thin})},
	{"batch", func(b *Bench, s sizes, t tuning.Tuning) *load { return b.batch(s, t, true) }},
	{"batch-values", func(b *Bench, s sizes, t tuning.Tuning) *load { return b.batch(s, t, false) }},
}

// loads prepares the measurements of order n. If a stage does not depend on a size, it has only one
// measurement for all values of this size. If a measurement cannot be prepared, `errs` has its
// error.
func (b *Bench) loads(n int) (all []*load, errs []error) {
	seen := map[Row]bool{}
	for _, s := range table {
		if !slices.Contains(b.opt.Stages, s.name) {
			continue
		}
		for _, t := range b.tunings() {
			for _, z := range b.sizes(s.name, n, t.Tuning) {
				l, err := s.make.load(b, z, t.Tuning)
				if err != nil {
					errs = append(errs, fmt.Errorf("%s, %v%s: %w", s.name, z, t.label(), err))
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

// sizes returns the sizes for the measurements of one stage: one entry for each number of vectors
// in the options. For a stage that solves batches, there is one entry for each number of matrices
// instead.
func (b *Bench) sizes(stage string, n int, t tuning.Tuning) (all []sizes) {
	if slices.Contains(batchStages, stage) {
		for _, count := range orElse(b.opt.Counts, usualCount(n, b.dev.Info())) {
			all = append(all, sizes{n: n, count: count})
		}
		return all
	}
	k := t.Block
	if stage == "sy2sb" {
		k = t.For(n, n).Block
	}
	for _, m := range orElse(b.opt.Cols, n) {
		all = append(all, sizes{n: n, b: t.Band, k: k, m: m})
	}
	return all
}

// String lists the sizes for errors.
func (z sizes) String() string {
	if z.count > 0 {
		return fmt.Sprintf("n = %d, count = %d", z.n, z.count)
	}
	return fmt.Sprintf("n = %d, b = %d, k = %d, m = %d", z.n, z.b, z.k, z.m)
}

// tunings returns a tuning for each combination of a variant, a half-bandwidth and a rank. If
// Options give half-bandwidths but no ranks, the rank is the largest multiple of the half-bandwidth
// that is not larger than the variant's rank.
func (b *Bench) tunings() (all []Variant) {
	for _, v := range orElse(b.opt.Variants, Variant{Tuning: tuning.On(b.dev.Info())}) {
		t := v.Tuning
		if len(b.opt.Bands) > 0 {
			v.Tuning.ValuesFrom = 0
		}
		if len(b.opt.Bands)+len(b.opt.Blocks) > 0 {
			v.Tuning.SmallTo = 0
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

// label returns the name of the variant with a separator in front, so that it can be appended to a
// list of sizes. It returns "" if the variant has no name.
func (v Variant) label() string {
	if v.Name == "" {
		return ""
	}
	return ", " + v.Name
}

func orElse[T any](list []T, usual T) []T {
	if len(list) == 0 {
		return []T{usual}
	}
	return list
}

// once runs the measurement `l` one time. All memory that the measurement's input does not fill is
// NaN before the run.
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
		b.peaks.recordFMA(rec) // the device was idle while memory was allocated
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

// sound returns an error if the run failed: an INFO word (the status of a stage) is not 0, or an
// element at the beginning of the result is not finite.
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
	// Only the first elements are checked, because the download of a large result would take longer
	// than the run.
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

// fills returns a function for the field load.prepare, which makes the input of a measurement. The
// returned function records commands that fill the given matrices with random numbers.
func (b *Bench) fills(matrices ...func(ws *vk.Arena) stages.Matrix) func(*vk.Recorder, *vk.Arena) {
	return func(rec *vk.Recorder, ws *vk.Arena) {
		for _, x := range matrices {
			b.random.matrix(rec, x(ws))
		}
	}
}

// packed reserves device memory for a matrix without gaps between its columns. The second result is
// a function that returns this matrix in an arena.
func packed(name string, rows, cols int) (vk.Region[float64], func(ws *vk.Arena) stages.Matrix) {
	r := vk.Reserve[float64](name, rows*cols)
	return r, func(ws *vk.Arena) stages.Matrix { return stages.NewMatrix(r.In(ws), rows, cols, rows) }
}

// realBytes is the size of a matrix element in bytes.
const realBytes = 8
