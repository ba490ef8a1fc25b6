package tuning_test

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestEveryProductIsReserved checks that stages reserve all products that they record, so that an
// implementation of product.Ops can lay out its workspace before the first product is recorded.
// SharedConquer cannot record without a solve, so the tests of that stage check the same.
func TestEveryProductIsReserved(t *testing.T) {
	d, tune := roomtest.Dry(), tuning.Smallest()
	for _, n := range []int{1, 2, 5, 8, 9, 23, 50} {
		for _, b := range []int{1, 3, 4, 7} {
			for _, k := range []int{1, 3} {
				m := max(1, n/2)
				ops := roomtest.Reserving{T: t, What: fmt.Sprintf("n=%d b=%d k=%d", n, b, k*b), Shapes: &[]product.Shape{}}
				reduction, err := reduce.NewBandReduction[float64](d, reduce.BandSize{N: n, B: b, K: k * b}, ops, stages.Waiting{}, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				tune.Panel.Merge = 5 * b
				back, err := back.NewApplyQ1[float64](d, back.Size{N: n, B: b, M: m}, ops, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				check, err := residual.NewResidual[float64](d, n, m, ops)
				if err != nil {
					t.Fatal(err)
				}
				own := ops // with its own list of shapes: the list of the other stages must not get those of this one
				own.Shapes = &[]product.Shape{}
				panels, err := residual.NewResidualPanels[float64](d, n, m, own)
				if err != nil {
					t.Fatal(err)
				}
				recordsDry(t, d, nil, func() *vk.Layout {
					return vk.Together(reduction.Work(), reduction.Status(), back.Work(), check.Work(), panels.Work())
				}, []int{n * n, 2 * b * n, reduction.Panels() * b * b, n * m, m},
					func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
						a, xt, z := stages.NewMatrix(x[0], n, n, n), stages.NewMatrix(x[3], m, n, m), stages.NewMatrix(x[3], n, m, n)
						reduction.Record(rec, ws, a, x[1], x[2])
						back.Record(rec, ws, a, x[2], xt)
						check.Record(rec, ws, a, z, residual.Sums[float64]{Lambda: x[4], Residual: x[4], Orthogonality: x[4]})
						panel, sums := make([]float64, n*panels.Columns()), make([]float64, m)
						panels.RecordResidual(rec, ws, panel, 0, z, x[4], sums)
						panels.RecordGram(rec, ws, panel, 0, z, 0, sums)
					})
			}
		}
	}
}

// TestSingularStagesReserve checks stages of the singular value decomposition. A stage must
// announce the shapes of all its matrix products (`Reserve`) before it records them, because the
// workspace of products depends on their shapes.
func TestSingularStagesReserve(t *testing.T) {
	d, tune := roomtest.Dry(), tuning.Smallest()
	for _, n := range []int{1, 2, 5, 8, 9, 23, 50} {
		for _, b := range []int{1, 3, 4, 7} {
			for _, m := range []int{n, n + 1, 3 * n} {
				ops := roomtest.Reserving{T: t, What: fmt.Sprintf("m=%d n=%d b=%d", m, n, b), Shapes: &[]product.Shape{}}
				size := reduce.GeneralSize{M: m, N: n, B: b, K: 2 * b}
				reduction, err := reduce.NewGeneralBandReduction[float64](d, size, ops, ops, stages.Waiting{}, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				qr, err := panel.NewTallQR[float64](d, m, n, b, ops, stages.Waiting{}, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				left, err := back.NewApplyPanels[float64](d, stages.PhaseApplyQ1, back.PanelsSize{Rows: m, Cols: n, B: b, M: n}, ops, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				reflectors := size.RightPanels() * b
				right, err := back.NewApplyPanels[float64](d, stages.PhaseApplyP1, back.PanelsSize{Rows: max(0, n-b), Cols: reflectors, B: b, M: n, Across: true}, ops, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				check, err := residual.NewSingularResidual[float64](d, m, n, n, ops)
				if err != nil {
					t.Fatal(err)
				}
				recordsDry(t, d, nil, func() *vk.Layout {
					return vk.Together(vk.InTurn(reduction.Work(), qr.Work(), left.Work(), right.Work(), check.Work()), reduction.Status(), qr.Status())
				}, []int{m * n, size.BandLen(), size.LeftPanels() * b * b, size.RightPanels() * b * b, m * n, n, n * n},
					func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
						a, r := stages.NewMatrix(x[0], m, n, m), stages.NewMatrix(x[6], n, n, n)
						qr.Record(rec, ws, a, r, x[2])
						reduction.Record(rec, ws, a, x[1], x[2], x[3])
						left.Record(rec, ws, a, x[2], stages.NewMatrix(x[4], n, m, n))
						if reflectors > 0 {
							right.Record(rec, ws, a.Block(0, b, reflectors, n-b), x[3], r.Block(0, b, n, n-b))
						}
						check.Record(rec, ws, a, stages.NewMatrix(x[4], m, n, m), r, x[5], x[5])
						check.RecordOrthogonality(rec, ws, r, x[5])
					})
			}
		}
	}
}
