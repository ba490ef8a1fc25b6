package tuning_test

import (
	"errors"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// leastDevice returns a device that runs nothing and has only the limits that Vulkan guarantees for
// every device.
func leastDevice() *vk.Device {
	return vk.Dry(vk.Info{Name: "least", Family: "other", SharedBytes: 16 << 10, MaxLocal: 128, Subgroup: 32})
}

// TestEveryStageFitsTheLeastDevice builds most stages on a device that has only the limits that
// Vulkan guarantees, with the table for devices that were never measured.
func TestEveryStageFitsTheLeastDevice(t *testing.T) {
	const n, m = 1000, 300
	d, tune := leastDevice(), tuning.On(roomtest.Family("other"))
	ops, err := product.New[float64](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	for name, build := range map[string]func() error{
		"load":                 func() error { _, err := move.NewSymmetricLoad[float64](d); return err },
		"transposition":        func() error { _, err := move.NewTranspose[float64](d); return err },
		"signs":                func() error { _, err := move.NewSigns[float64](d); return err },
		"residual":             func() error { _, err := residual.NewResidual(d, n, m, ops); return err },
		"tridiagonal residual": func() error { _, err := residual.NewTridiagonalResidual(d, n, m, ops); return err },
		"band reduction": func() error {
			_, err := reduce.NewBandReduction(d, reduce.BandSize{N: n, B: tune.Band, K: tune.Block}, ops, waiting(t, d, tune), tune.Panel)
			return err
		},
		"widest panel": func() error {
			_, err := panel.NewQR[float64](d, panel.MaxPanel, waiting(t, d, tune), tune.Panel)
			return err
		},
		"waves": func() error {
			waves := tune
			waves.Waits.Wavefront = true // a dry device cannot be asked whether it hands flags on
			_, err := chase.NewBulgeChasing[float64](d, chase.Size{N: n, B: waves.Band, Vectors: true}, waiting(t, d, waves), waves.Chase)
			return err
		},
		"Q2": func() error {
			_, err := back.NewApplyQ2[float64](d, back.Size{N: n, B: tune.Band, M: m}, waiting(t, d, tune), tune.ApplyQ2)
			return err
		},
		"Q1": func() error {
			_, err := back.NewApplyQ1(d, back.Size{N: n, B: tune.Band, M: m}, ops, tune.Panel)
			return err
		},
		"QR": func() error {
			_, err := panel.NewTallQR(d, 2*n, n, tune.Band, ops, waiting(t, d, tune), tune.Panel)
			return err
		},
		"P1": func() error {
			size := back.PanelsSize{Rows: n, Cols: n - 7, B: tune.Band, M: m, Across: true}
			_, err := back.NewApplyPanels(d, stages.PhaseApplyP1, size, ops, tune.Panel)
			return err
		},
		"identity":          func() error { _, err := move.NewIdentity[float64](d); return err },
		"singular residual": func() error { _, err := residual.NewSingularResidual(d, 2*n, n, m, ops); return err },
		"bisection":         func() error { _, err := stebz.NewBisection(d, n, tune.Bisection); return err },
		"values":            func() error { _, err := stedc.NewDivideConquerValues(d, n, tune.DivideConquer); return err },
		"vectors": func() error {
			_, err := stedc.NewDivideConquer(d, n, ops, tune.Products, tune.DivideConquer)
			return err
		},
		"MRRR": func() error {
			fallback, err := stedc.NewDivideConquer(d, n, ops, tune.Products, tune.DivideConquer)
			if err != nil {
				return err
			}
			_, err = stemr.NewMRRR(d, n, m, fallback, tune.MRRR)
			return err
		},
	} {
		if err := build(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStagesRefuse checks that the constructors of stages return an error for sizes that do not fit
// the device. Except for sizes that contradict each other, the error must be a
// *vk.UnsupportedError. The devices are dry, so the error comes before a driver compiles a kernel.
func TestStagesRefuse(t *testing.T) {
	small := vk.Dry(vk.Info{Name: "small", SharedBytes: 4 << 10, MaxLocal: 32, Subgroup: 8})
	tune := tuning.On(roomtest.Family("other"))
	tune.Waits.Wavefront = true
	for name, build := range map[string]func() error{
		"bisection": func() error { _, err := stebz.NewBisection(small, 9, tune.Bisection); return err },
		"products":  func() error { _, err := product.New[float64](small, tune.Products); return err },
		"panels": func() error {
			_, err := panel.NewQR[float64](small, 32, waiting(t, small, tune), tune.Panel)
			return err
		},
		"Q2": func() error {
			_, err := back.NewApplyQ2[float64](small, back.Size{N: 90, B: tune.Band, M: 9}, waiting(t, small, tune), tune.ApplyQ2)
			return err
		},
		"band too large": func() error {
			_, err := chase.NewBulgeChasing[float64](leastDevice(), chase.Size{N: 1<<26 + 1, B: tune.Band, Vectors: false}, roomtest.Waits{Wavefront: tune.Waits.Wavefront, WideFence: tune.Waits.WideFence}.Waiting(t, leastDevice()), tune.Chase)
			return err
		},
	} {
		var unsupported *vk.UnsupportedError
		if err := build(); !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []stebz.Tuning{
		{}, {Threads: 64, Tile: 12}, {Threads: 6, Tile: 8, Levels: 3}, {Threads: 64, Tile: 8, Levels: 40}, {Tile: 8},
	} {
		if _, err := stebz.NewBisection(leastDevice(), 9, bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	large := product.Tile{M: 256, N: 256, K: 32, ThreadM: 16, ThreadN: 16, Unroll: 32, Buffers: 1, Resident: 1} // the product of these sizes is 2³⁴
	var unsupported *vk.UnsupportedError
	if err := large.Fits(small.Info()); !errors.As(err, &unsupported) {
		t.Errorf("%v: %v", large, err)
	}
}

// TestMatrixRefusesHugeLeadingDimensions checks the limit of leading dimensions. The limit exists
// because kernels compute offsets inside a tile in 32 bits.
func TestMatrixRefusesHugeLeadingDimensions(t *testing.T) {
	d := leastDevice()
	r := vk.Reserve[float64]("r", 3<<24)
	ws, err := d.NewArena(vk.Together(r))
	if err != nil {
		t.Fatal(err)
	}
	at := r.In(ws)
	stages.NewMatrix(at, 5, 3, product.MostLd-1)
	stages.NewMatrix(at, product.MostLd+1, 1, product.MostLd+1) // a vector may have any length
	for _, ld := range []int{product.MostLd, 1 << 62} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Ld %d was taken", ld)
				}
			}()
			stages.NewMatrix(at, 5, 3, ld)
		}()
	}
}

// TestSignsOfNothing checks that the stage Signs records nothing for a matrix without columns, or
// without rows. Columns without rows have no element that determines a sign.
func TestSignsOfNothing(t *testing.T) {
	d := leastDevice()
	s, err := move.NewSigns[float64](d)
	if err != nil {
		t.Fatal(err)
	}
	r := vk.Reserve[float64]("r", 1)
	ws, err := d.NewArena(vk.Together(r))
	if err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(d)
	s.Record(rec, stages.NewMatrix(r.In(ws), 0, 3, 1))
	s.Record(rec, stages.NewMatrix(r.In(ws), 1, 0, 1))
	if rec.Len() != 0 {
		t.Errorf("%d commands", rec.Len())
	}
}

// TestRecordPanicsOnShortSlices checks that the methods Record of the stages panic if a slice is
// too short, because kernels do not check lengths.
func TestRecordPanicsOnShortSlices(t *testing.T) {
	const n, m = 40, 9
	d, tune := leastDevice(), tuning.Smallest()
	tune.Waits.Wavefront = true // a dry device cannot be asked whether it hands flags on
	var errs []error
	keep := func(err error) { errs = append(errs, err) }
	ops, err := product.New[float64](d, tune.Products)
	keep(err)
	chase, err := chase.NewBulgeChasing[float64](d, chase.Size{N: n, B: tune.Band, Vectors: true}, waiting(t, d, tune), tune.Chase)
	keep(err)
	q2, err := back.NewApplyQ2[float64](d, back.Size{N: n, B: tune.Band, M: m}, waiting(t, d, tune), tune.ApplyQ2)
	keep(err)
	sturm, err := stebz.NewBisection(d, n, tune.Bisection)
	keep(err)
	factor, err := panel.NewTFactor(d, n, 8, ops, tune.Panel)
	keep(err)
	measure, err := residual.NewTridiagonalResidual(d, n, m, ops)
	keep(err)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	all, words := vk.Reserve[float64]("all", 100*n), vk.Reserve[uint32]("words", n)
	ws, err := d.NewArena(vk.Together(all, words, ops.Work(), chase.Work(), q2.Work(), sturm.Work(), factor.Work(), measure.Work()))
	if err != nil {
		t.Fatal(err)
	}
	of := func(n int) vk.Slice[float64] { return all.In(ws).Sub(0, n) }
	matrix := func(rows, cols int) stages.Matrix { return stages.NewMatrix(all.In(ws), rows, cols, rows) }
	rec := vk.NewRecorder(d)
	vectors, factors := stages.ReflectorLen(n, tune.Band)
	band := 2 * tune.Band * n
	for name, c := range map[string]struct {
		lengths []int
		record  func(n []int)
	}{
		"chase": {[]int{band, n, n - 1, vectors, factors}, func(l []int) {
			chase.Record(rec, ws, of(l[0]), stages.Tridiagonal[float64]{D: of(l[1]), E: of(l[2])}, stages.Reflectors[float64]{V: of(l[3]), Tau: of(l[4])})
		}},
		"Q2": {[]int{vectors, factors}, func(l []int) {
			q2.Record(rec, ws, stages.Reflectors[float64]{V: of(l[0]), Tau: of(l[1])}, matrix(m, n))
		}},
		"values":   {[]int{n, n - 1, m}, func(l []int) { sturm.RecordRange(rec, ws, of(l[0]), of(l[1]), 3, 3+m, of(l[2])) }},
		"counts":   {[]int{n, n - 1, m}, func(l []int) { sturm.RecordCounts(rec, ws, of(l[0]), of(l[1]), of(l[2]), words.In(ws).Sub(0, m)) }},
		"T":        {[]int{8}, func(l []int) { factor.RecordFrom(rec, ws, matrix(8, 8), of(l[0]), matrix(8, 8)) }},
		"merged T": {[]int{4 * 8}, func(l []int) { factor.RecordMerge(rec, ws, matrix(n, 8), 4, of(l[0]), matrix(8, 8)) }},
		"residual": {[]int{n, n - 1, m, m, m}, func(l []int) {
			measure.Record(rec, ws, stages.Tridiagonal[float64]{D: of(l[0]), E: of(l[1])}, matrix(n, m), residual.Sums[float64]{Lambda: of(l[2]), Residual: of(l[3]), Orthogonality: of(l[4])})
		}},
	} {
		c.record(c.lengths)
		for i := range c.lengths {
			short := append([]int(nil), c.lengths...)
			short[i]--
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: slice %d is one short, and nobody noticed", name, i)
					}
				}()
				c.record(short)
			}()
		}
	}
}
