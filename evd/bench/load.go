package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// A stage is a stage of the solver that can be measured. Its function `make` gets a load that has
// the sizes and the tuning, and sets the rest: memory, input, commands, and the operations that
// count. It panics with `refused` if the measurement is not possible.
type stage struct {
	name  string
	sizes string // letters of the sizes b, k and m on which the time depends; make sets others in the row
	make  func(*load)
}

var table = []stage{
	{"gemm", "k", gemm((*load).products)},
	{"syr2k", "k", syr2k((*load).products)},
	{"emulated-gemm", "k", gemm((*load).units)},
	{"emulated-syr2k", "k", syr2k((*load).units)},
	{"symm", "b", symm},
	{"share-symm", "bk", shareSymm},
	{"potrf", "", potrf((*load).products)},
	{"emulated-potrf", "", potrf((*load).units)},
	{"sygst", "", sygst((*load).products)},
	{"emulated-sygst", "", sygst((*load).units)},
	{"trsm", "m", trsm((*load).products)},
	{"emulated-trsm", "m", trsm((*load).units)},
	{"panel-qr", "b", panelQR},
	{"sy2sb", "bk", sy2sb},
	{"sb2st", "b", sb2st},
	{"apply-q2", "bm", applyQ2},
	{"apply-q2-squares", "bm", applyQ2Squares},
	{"apply-q1", "bm", applyQ1((*load).products)},
	{"emulated-apply-q1", "bm", applyQ1((*load).units)},
	{"stebz", "", bisection},
	{"stedc", "", divideAndConquer},
	{"stedc-values", "", divideAndConquerValues},
	{"stemr", "m", mrrr},
	{"values", "", solver(evd.Options{})},
	{"vectors", "", solver(evd.Options{Vectors: true})},
	{"emulated-values", "", solver(evd.Options{Products: evd.ProductsEmulated})},
	{"emulated-vectors", "", solver(evd.Options{Products: evd.ProductsEmulated, Vectors: true})},
	{"sygv", "", pairSolver(pencil.Options{})},
	{"sygv-vectors", "", pairSolver(pencil.Options{Vectors: true})},
	{"emulated-sygv", "", pairSolver(pencil.Options{Products: evd.ProductsEmulated})},
	{"emulated-sygv-vectors", "", pairSolver(pencil.Options{Products: evd.ProductsEmulated, Vectors: true})},
	{"ge2tb", "", ge2tb},
	{"tb2bd", "b", tb2bd},
	{"gbbrd", "b", gbbrd},
	{"bdsdc", "", bidiagonalConquer},
	{"svd", "", singularSolver(svd.Options{})},
	{"svd-vectors", "", singularSolver(svd.Options{U: svd.Thin, V: svd.Thin})},
	{"batch", "", batchSolver(true)},
	{"batch-values", "", batchSolver(false)},
}

var batchStages = []string{"batch", "batch-values"}

// load is one measurement: a stage with one set of sizes and one tuning. `run` is set if the host
// does a part of the stage, and `record` otherwise. All functions get an arena with the load's
// memory.
type load struct {
	*Bench
	sizes
	tune tuning.Tuning // its half-bandwidth and rank are b and k

	row Row

	// flops and numbers are the nominal numbers of operations and of moved doubles of one run.
	flops, numbers float64

	memory []vk.Space
	parts  []part                               // what uses work memory, and counts failures
	inputs []func(*vk.Recorder, *vk.Arena)      // record what makes the input, which is not timed
	infos  []func(*vk.Arena) []vk.Slice[uint32] // statuses; 0 means success
	record func(*vk.Recorder, *vk.Arena)
	run    func(context.Context, *vk.Arena) (sample, error)

	// result is device memory whose numbers must be finite after a run. It is empty if the result
	// is on the host.
	result vk.Region[float64]
}

// sizes are the sizes of a measurement: the order n, the half-bandwidth b, the rank k of updates,
// the number m of vectors, and the number `count` of matrices of a batch.
type sizes struct{ n, b, k, m, count int }

type refused struct{ error }

func must[T any](v T, err error) T {
	if err != nil {
		panic(refused{err})
	}
	return v
}

func (s stage) load(b *Bench, z sizes, t tuning.Tuning) (l *load, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refused:
			err = r.error
		default:
			panic(r)
		}
	}()
	l = &load{Bench: b, sizes: z, tune: t, row: Row{Stage: s.name, N: z.n, Count: z.count}}
	for letter, size := range map[string][2]*int{"b": {&l.row.B, &z.b}, "k": {&l.row.K, &z.k}, "m": {&l.row.M, &z.m}} {
		if strings.Contains(s.sizes, letter) {
			*size[0] = *size[1]
		}
	}
	s.make(l)
	return l, nil
}

// A part is a stage or the products that it uses. It may also have the methods Status, for memory
// that is in use all the time, and Info or Infos, for its statuses.
type part interface{ Work() *vk.Layout }

// uses adds parts of the measured stage. The work memory of all parts is in use at the same time.
func (l *load) uses(parts ...part) {
	for _, p := range parts {
		l.parts = append(l.parts, p)
		switch p := p.(type) {
		case interface {
			Info(*vk.Arena) vk.Slice[uint32]
		}:
			l.infos = append(l.infos, func(ws *vk.Arena) []vk.Slice[uint32] { return []vk.Slice[uint32]{p.Info(ws)} })
		case interface {
			Infos(*vk.Arena) []vk.Slice[uint32]
		}:
			l.infos = append(l.infos, p.Infos)
		}
	}
}

func (l *load) layout() *vk.Layout {
	all := slices.Clone(l.memory)
	for _, p := range l.parts {
		all = append(all, p.Work())
		if s, has := p.(interface{ Status() *vk.Layout }); has {
			all = append(all, s.Status())
		}
	}
	return vk.Together(all...)
}

func (l *load) prepare(rec *vk.Recorder, ws *vk.Arena) {
	for _, input := range l.inputs {
		input(rec, ws)
	}
}

func (l *load) waiting() stages.Waiting {
	return must(l.tune.Waiting(context.Background(), machine.Of(l.dev)))
}

func (l *load) bytes() float64 { return 8 * l.numbers }

func (l *load) counts(flops, numbers float64) { l.flops, l.numbers = flops, numbers }

// A matrix is device memory for a matrix without gaps between its columns.
type matrix struct {
	vk.Region[float64]
	rows, cols int
}

func packed(name string, rows, cols int) matrix {
	return matrix{vk.Reserve[float64](name, rows*cols), rows, cols}
}

func (m matrix) of(ws *vk.Arena) stages.Matrix {
	return stages.NewMatrix(m.In(ws), m.rows, m.cols, m.rows)
}

func (l *load) matrix(name string, rows, cols int) matrix {
	m := packed(name, rows, cols)
	l.memory = append(l.memory, m.Region)
	return m
}

func (l *load) random(name string, rows, cols int) matrix {
	m := l.matrix(name, rows, cols)
	l.input(func(rec *vk.Recorder, ws *vk.Arena) { l.Bench.random.matrix(rec, m.of(ws)) })
	return m
}

func (l *load) vector(name string, n int) vk.Region[float64] { return l.matrix(name, n, 1).Region }

func (l *load) input(record func(*vk.Recorder, *vk.Arena)) { l.inputs = append(l.inputs, record) }

// loads prepares the measurements of order n. A stage that does not depend on a size is measured
// once, and not for every value of this size. `errs` are the errors of measurements that cannot be
// prepared.
func (b *Bench) loads(n int) (all []*load, errs []error) {
	seen := map[Row]bool{}
	for _, s := range table {
		if !slices.Contains(b.opt.Stages, s.name) {
			continue
		}
		for _, t := range b.tunings() {
			for _, z := range b.sizesOf(s.name, n, t.Tuning) {
				l, err := s.load(b, z, t.Tuning)
				if err != nil {
					errs = append(errs, fmt.Errorf("%s, %v%s: %w", s.name, z, label(t.Name), err))
					continue
				}
				l.row.Tuning = t.Name
				if !seen[l.row] {
					all = append(all, l)
				}
				seen[l.row] = true
			}
		}
	}
	return all, errs
}

// sizesOf returns the sizes for the measurements of one stage, one entry for each number of
// vectors, or of matrices if the stage solves batches.
func (b *Bench) sizesOf(stage string, n int, t tuning.Tuning) (all []sizes) {
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

func (z sizes) String() string {
	if z.count > 0 {
		return fmt.Sprintf("n = %d, count = %d", z.n, z.count)
	}
	return fmt.Sprintf("n = %d, b = %d, k = %d, m = %d", z.n, z.b, z.k, z.m)
}

// tunings returns a tuning for each combination of a variant, a half-bandwidth and a rank. If
// Options give half-bandwidths but no ranks, the rank is the largest multiple of the half-bandwidth
// up to the variant's rank, or the half-bandwidth if that is larger.
func (b *Bench) tunings() (all []tuning.Variant) {
	for _, v := range orElse(b.opt.Variants, tuning.Variant{Tuning: tuning.On(b.dev.Info())}) {
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

// label returns the text that names the variant after the name of a measurement.
func label(variant string) string {
	if variant == "" {
		return ""
	}
	return ", " + variant
}

func orElse[T any](list []T, usual T) []T {
	if len(list) == 0 {
		return []T{usual}
	}
	return list
}

// once runs the measurement. All memory that the input does not fill is NaN before the run.
func (l *load) once(ctx context.Context) (sample, error) {
	ws, err := l.dev.NewArena(l.layout())
	if err != nil {
		return sample{}, err
	}
	defer ws.Close()
	rec := vk.NewRecorder(l.dev)
	ws.Poison(rec)
	l.prepare(rec, ws)
	if l.opt.WarmUp > 0 {
		l.peaks.fma.dispatch(rec) // the device was idle while memory was allocated
	}
	if _, err := l.dev.Run(ctx, rec, nil); err != nil {
		return sample{}, err
	}
	var s sample
	if l.run != nil {
		s, err = l.run(ctx, ws)
	} else {
		s, err = timed(ctx, l.dev, func(rec *vk.Recorder) { l.record(rec, ws) })
	}
	if err != nil {
		return sample{}, err
	}
	return s, l.sound(ctx, ws)
}

// sound returns an error if the run failed: a status is not 0, or an element at the beginning of
// the result is not finite.
func (l *load) sound(ctx context.Context, ws *vk.Arena) error {
	for _, infos := range l.infos {
		for _, words := range infos(ws) {
			info := make([]uint32, words.Len())
			if len(info) == 0 { // a stage that cannot fail in this form
				continue
			}
			if err := vk.Download(ctx, l.dev, vk.Vector(info), words); err != nil {
				return err
			}
			for _, word := range info {
				if word != 0 {
					return &stages.InfoError{Stage: l.row.Stage, Info: word}
				}
			}
		}
	}
	// Only the first elements are checked, because the download of a large result would take longer
	// than the run.
	const some = 1 << 10
	head := make([]float64, min(l.result.Len(), some))
	if len(head) == 0 {
		return nil
	}
	if err := vk.Download(ctx, l.dev, vk.Vector(head), l.result.In(ws)); err != nil {
		return err
	}
	for i, x := range head {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("element %d of the result is %v", i, x)
		}
	}
	return nil
}

// turns runs the measurements of one order in rounds. In each round every measurement that has not
// failed runs once.
type turns struct {
	bench *Bench

	ctx context.Context

	// loads have not failed, and `errs` are the errors of those that have.
	loads []*load
	errs  []error
}

func (b *Bench) newTurns(ctx context.Context, n int) *turns {
	t := &turns{bench: b, ctx: ctx}
	b.dev.Compile(func() error { // a kernel that does not compile is an error of the run that needs it
		t.loads, t.errs = b.loads(n)
		return nil
	})
	return t
}

// always and uncounted are arguments of round: it does not end early, and its results do not count.
func always() bool { return true }

func uncounted(*load, sample) {}

// round runs each measurement once and passes its result to `take`. If `more` returns false before
// a run, or if the context has ended, the round ends. Measurements that have failed are removed.
func (t *turns) round(more func() bool, take func(*load, sample)) {
	var sound []*load
	for i, l := range t.loads {
		if t.ctx.Err() != nil || !more() {
			sound = append(sound, t.loads[i:]...)
			break
		}
		if t.bench.opt.Progress != nil {
			t.bench.opt.Progress(l.String())
		}
		s, err := l.once(t.ctx)
		if err != nil {
			t.errs = append(t.errs, fmt.Errorf("%v: %w", l, err))
			continue
		}
		sound = append(sound, l)
		take(l, s)
	}
	t.loads = sound
}

func (l *load) String() string {
	many := ""
	if l.row.Count > 0 {
		many = fmt.Sprintf(", count = %d", l.row.Count)
	}
	return fmt.Sprintf("%s, n = %d%s%s", l.row.Stage, l.row.N, many, label(l.row.Tuning))
}

func (t *turns) err() error { return errors.Join(t.errs...) }
