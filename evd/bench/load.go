package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// load is one stage at one size. It has a recording, or runs by itself.
type load struct {
	row          Row // the stage and its sizes
	flops, bytes float64
	layout       *vk.Layout
	prepare      func(rec *vk.Recorder, ws *vk.Arena) // makes the input on the device; may be nil
	record       func(rec *vk.Recorder, ws *vk.Arena)
	run          func(ctx context.Context, ws *vk.Arena) (sample, error)
	info         func(ws *vk.Arena) vk.Slice[uint32] // a word that is zero if all went well; may be nil
	result       vk.Region[float64]
}

// sizes is what a load is made for.
type sizes struct{ n, b, k, m int }

// table is the stages in the order of the solver.
var table = []struct {
	name string
	make func(b *Bench, s sizes, t stages.Tuning) (*load, error)
}{
	{"gemm", newGemm},
	{"syr2k", newSyr2k},
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
}

// loads makes the measurements of one order, none twice: a stage that does not
// depend on a size has one for all of them. Those that cannot be made leave errors.
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
					errs = append(errs, fmt.Errorf("%s, n = %d, b = %d, k = %d, m = %d%s: %w", s.name, n, t.Tuning.Band, t.Tuning.Block, m, t.label(), err))
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

// tunings is one for each variant, half-bandwidth and rank. Who chooses the half-bandwidth alone
// gets the largest multiple of it that is not above the variant's rank.
func (b *Bench) tunings() (all []Variant) {
	for _, v := range orElse(b.opt.Variants, Variant{Tuning: stages.TuningFor(b.dev.Info())}) {
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

// once prepares and runs a load. What neither the input nor the stage writes is NaN.
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
		b.peaks.recordFMA(rec) // allocating gave the device a rest
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

// sound looks at what a run left behind: one that went wrong is no measurement.
func (b *Bench) sound(ctx context.Context, l *load, ws *vk.Arena) error {
	if l.info != nil && l.info(ws).Len() > 0 {
		var info [1]uint32
		if err := vk.Download(ctx, b.dev, vk.Vector(info[:]), l.info(ws)); err != nil {
			return err
		}
		if info[0] != 0 {
			return &stages.InfoError{Stage: l.row.Stage, Info: info[0]}
		}
	}
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

// fills is a load's prepare that makes all of some matrices random.
func (b *Bench) fills(matrices ...func(ws *vk.Arena) stages.Matrix) func(*vk.Recorder, *vk.Arena) {
	return func(rec *vk.Recorder, ws *vk.Arena) {
		for _, x := range matrices {
			b.random.matrix(rec, x(ws))
		}
	}
}

// packed reserves a matrix whose leading dimension is its rows.
func packed(name string, rows, cols int) (vk.Region[float64], func(ws *vk.Arena) stages.Matrix) {
	r := vk.Reserve[float64](name, rows*cols)
	return r, func(ws *vk.Arena) stages.Matrix { return stages.NewMatrix(r.In(ws), rows, cols, rows) }
}

// realBytes is what an element takes.
const realBytes = 8
