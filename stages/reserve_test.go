package stages

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// reserving is a product.Ops that fails the test if a stage records a product that it has not
// reserved. A product is reserved if its sizes are at most those of a shape given to Reserve.
type reserving struct {
	written
	t      *testing.T
	what   string
	shapes *[]product.Shape
}

func (r reserving) Reserve(s ...product.Shape) error {
	*r.shapes = append(*r.shapes, s...)
	return nil
}

func (r reserving) holds(m, n, k, count int) {
	r.t.Helper()
	if !slices.ContainsFunc(*r.shapes, func(s product.Shape) bool { return m <= s.M && n <= s.N && k <= s.K && count <= s.Count }) {
		r.t.Errorf("%s: %d products of %d×%d×%d are in none of %v", r.what, count, m, n, k, *r.shapes)
	}
}

func (r reserving) GemmBatch(_ *vk.Recorder, _ *vk.Arena, batch product.Batch, opA, _ product.Op, _ float64, a, _ Matrix, _ float64, c Matrix) {
	k := a.Cols
	if opA == product.Trans {
		k = a.Rows
	}
	r.holds(c.Rows, c.Cols, k, batch.Count)
}

func (r reserving) Gemm(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	r.GemmBatch(rec, ws, product.Batch{Count: 1}, opA, opB, alpha, a, b, beta, c)
}

func (r reserving) GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	r.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
}

func (r reserving) Syr2kColumns(rec *vk.Recorder, ws *vk.Arena, y, z Matrix, blocks []product.ColumnBlock[float64]) {
	product.Pairs(rec, ws, product.Gemm[float64](r), y, z, blocks)
}

func (r reserving) Gemmtr(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	r.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
}

// GemmPair fails unless the sum of both inner dimensions is reserved.
func (r reserving) GemmPair(_ *vk.Recorder, _ *vk.Arena, opA, _ product.Op, _ float64, first, second product.Pair[float64], _ float64, c Matrix) {
	k := first.A.Cols + second.A.Cols
	if opA == product.Trans {
		k = first.A.Rows + second.A.Rows
	}
	r.holds(c.Rows, c.Cols, k, 1)
}

func (r reserving) GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...product.Product[float64]) {
	for _, p := range products {
		r.Gemm(rec, ws, p.OpA, p.OpB, 1, p.A, p.B, 0, p.C)
	}
}

func (r reserving) Syr2k(_ *vk.Recorder, _ *vk.Arena, y, _, c Matrix) {
	r.holds(c.Rows, c.Rows, y.Cols, 1)
}

func (r reserving) Symm(_ *vk.Recorder, _ *vk.Arena, a, w, _ Matrix) {
	r.holds(a.Rows, w.Cols, a.Rows, 1)
}

func (r reserving) SymmTogether(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix, others ...product.Product[float64]) {
	r.Symm(rec, ws, a, w, p)
	r.GemmTogether(rec, ws, others...)
}

// reservedOps records products with Ops, and fails the test for each product that `check` does not
// hold.
type reservedOps struct {
	product.Ops[float64]
	check reserving
}

func newReservedOps(t *testing.T, what string, ops product.Ops[float64]) reservedOps {
	return reservedOps{ops, reserving{t: t, what: what, shapes: &[]product.Shape{}}}
}

func (r reservedOps) Reserve(s ...product.Shape) error {
	return errors.Join(r.check.Reserve(s...), r.Ops.Reserve(s...))
}

func (r reservedOps) Gemm(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	r.check.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
	r.Ops.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
}

func (r reservedOps) GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	r.check.GemmUnsplit(rec, ws, opA, opB, alpha, a, b, beta, c)
	r.Ops.GemmUnsplit(rec, ws, opA, opB, alpha, a, b, beta, c)
}

func (r reservedOps) GemmBatch(rec *vk.Recorder, ws *vk.Arena, batch product.Batch, opA, opB product.Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	r.check.GemmBatch(rec, ws, batch, opA, opB, alpha, a, b, beta, c)
	r.Ops.GemmBatch(rec, ws, batch, opA, opB, alpha, a, b, beta, c)
}

func (r reservedOps) GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...product.Product[float64]) {
	r.check.GemmTogether(rec, ws, products...)
	r.Ops.GemmTogether(rec, ws, products...)
}

// TestEveryProductIsReserved checks that stages reserve all products that they record, so that an
// implementation of product.Ops can lay out its workspace before the first product is recorded. The
// tests of SharedConquer check the same of that stage, which cannot record without a solve.
func TestEveryProductIsReserved(t *testing.T) {
	d, tune := dry(), SmallestTuning()
	for _, n := range []int{1, 2, 5, 8, 9, 23, 50} {
		for _, b := range []int{1, 3, 4, 7} {
			for _, k := range []int{1, 3} {
				m := max(1, n/2)
				ops := reserving{t: t, what: fmt.Sprintf("n=%d b=%d k=%d", n, b, k*b), shapes: &[]product.Shape{}}
				reduction, err := NewBandReduction[float64](d, BandSize{n, b, k * b}, ops, Waiting{}, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				tune.Panel.Merge = 5 * b
				back, err := NewApplyQ1[float64](d, BackSize{n, b, m}, ops, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				check, err := NewResidual[float64](d, n, m, ops)
				if err != nil {
					t.Fatal(err)
				}
				own := ops // the products of the other stages must not hold those of this one
				own.shapes = &[]product.Shape{}
				panels, err := NewResidualPanels[float64](d, n, m, own)
				if err != nil {
					t.Fatal(err)
				}
				recordsDry(t, d, nil, func() *vk.Layout {
					return vk.Together(reduction.Work(), reduction.Status(), back.Work(), check.Work(), panels.Work())
				}, []int{n * n, 2 * b * n, reduction.Panels() * b * b, n * m, m},
					func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
						a, xt, z := NewMatrix(x[0], n, n, n), NewMatrix(x[3], m, n, m), NewMatrix(x[3], n, m, n)
						reduction.Record(rec, ws, a, x[1], x[2])
						back.Record(rec, ws, a, x[2], xt)
						check.Record(rec, ws, a, z, Sums[float64]{x[4], x[4], x[4]})
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
	d, tune := dry(), SmallestTuning()
	for _, n := range []int{1, 2, 5, 8, 9, 23, 50} {
		for _, b := range []int{1, 3, 4, 7} {
			for _, m := range []int{n, n + 1, 3 * n} {
				ops := reserving{t: t, what: fmt.Sprintf("m=%d n=%d b=%d", m, n, b), shapes: &[]product.Shape{}}
				size := GeneralSize{M: m, N: n, B: b, K: 2 * b}
				reduction, err := NewGeneralBandReduction[float64](d, size, ops, ops, Waiting{}, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				qr, err := NewTallQR[float64](d, m, n, b, ops, Waiting{}, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				left, err := NewApplyPanels[float64](d, PhaseApplyQ1, PanelsSize{Rows: m, Cols: n, B: b, M: n}, ops, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				reflectors := size.RightPanels() * b
				right, err := NewApplyPanels[float64](d, PhaseApplyP1, PanelsSize{Rows: max(0, n-b), Cols: reflectors, B: b, M: n, Across: true}, ops, tune.Panel)
				if err != nil {
					t.Fatal(err)
				}
				check, err := NewSingularResidual[float64](d, m, n, n, ops)
				if err != nil {
					t.Fatal(err)
				}
				recordsDry(t, d, nil, func() *vk.Layout {
					return vk.Together(vk.InTurn(reduction.Work(), qr.Work(), left.Work(), right.Work(), check.Work()), reduction.Status(), qr.Status())
				}, []int{m * n, size.BandLen(), size.LeftPanels() * b * b, size.RightPanels() * b * b, m * n, n, n * n},
					func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
						a, r := NewMatrix(x[0], m, n, m), NewMatrix(x[6], n, n, n)
						qr.Record(rec, ws, a, r, x[2])
						reduction.Record(rec, ws, a, x[1], x[2], x[3])
						left.Record(rec, ws, a, x[2], NewMatrix(x[4], n, m, n))
						if reflectors > 0 {
							right.Record(rec, ws, a.Block(0, b, reflectors, n-b), x[3], r.Block(0, b, n, n-b))
						}
						check.Record(rec, ws, a, NewMatrix(x[4], m, n, m), r, x[5], x[5])
						check.RecordOrthogonality(rec, ws, r, x[5])
					})
			}
		}
	}
}
