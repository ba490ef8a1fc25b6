package roomtest

import (
	"errors"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Reserving is a product.Ops that fails the test if a stage records a product that it has not
// reserved. A product is reserved if its sizes are at most those of a shape given to Reserve.
type Reserving struct {
	Written
	T      *testing.T
	What   string
	Shapes *[]product.Shape
}

func (r Reserving) Reserve(s ...product.Shape) error {
	*r.Shapes = append(*r.Shapes, s...)
	return nil
}

func (r Reserving) holds(m, n, k, count int) {
	r.T.Helper()
	if !slices.ContainsFunc(*r.Shapes, func(s product.Shape) bool { return m <= s.M && n <= s.N && k <= s.K && count <= s.Count }) {
		r.T.Errorf("%s: %d products of %d×%d×%d are in none of %v", r.What, count, m, n, k, *r.Shapes)
	}
}

func (r Reserving) GemmBatch(_ *vk.Recorder, _ *vk.Arena, batch product.Batch, opA, _ product.Op, _ float64, a, _ stages.Matrix, _ float64, c stages.Matrix) {
	k := a.Cols
	if opA.Transposes() {
		k = a.Rows
	}
	r.holds(c.Rows, c.Cols, k, batch.Count)
}

func (r Reserving) Gemm(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b stages.Matrix, beta float64, c stages.Matrix) {
	r.GemmBatch(rec, ws, product.Batch{Count: 1}, opA, opB, alpha, a, b, beta, c)
}

func (r Reserving) GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b stages.Matrix, beta float64, c stages.Matrix) {
	r.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
}

func (r Reserving) Syr2kColumns(rec *vk.Recorder, ws *vk.Arena, y, z stages.Matrix, blocks []product.ColumnBlock[float64]) {
	product.Pairs(rec, ws, product.Gemm[float64](r), y, z, blocks)
}

func (r Reserving) Gemmtr(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b stages.Matrix, beta float64, c stages.Matrix) {
	r.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
}

// GemmPair fails unless the sum of both inner dimensions is reserved.
func (r Reserving) GemmPair(_ *vk.Recorder, _ *vk.Arena, opA, _ product.Op, _ float64, first, second product.Pair[float64], _ float64, c stages.Matrix) {
	k := first.A.Cols + second.A.Cols
	if opA.Transposes() {
		k = first.A.Rows + second.A.Rows
	}
	r.holds(c.Rows, c.Cols, k, 1)
}

func (r Reserving) GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...product.Product[float64]) {
	for _, p := range products {
		r.Gemm(rec, ws, p.OpA, p.OpB, 1, p.A, p.B, 0, p.C)
	}
}

func (r Reserving) Syr2k(_ *vk.Recorder, _ *vk.Arena, y, _, c stages.Matrix) {
	r.holds(c.Rows, c.Rows, y.Cols, 1)
}

func (r Reserving) Symm(_ *vk.Recorder, _ *vk.Arena, a, w, _ stages.Matrix) {
	r.holds(a.Rows, w.Cols, a.Rows, 1)
}

func (r Reserving) SymmTogether(rec *vk.Recorder, ws *vk.Arena, a, w, p stages.Matrix, others ...product.Product[float64]) {
	r.Symm(rec, ws, a, w, p)
	r.GemmTogether(rec, ws, others...)
}

// ReservedOps records products with Ops. It fails the test for each product of Gemm, GemmUnsplit,
// GemmBatch and GemmTogether that was not reserved, and does not check the other products.
type ReservedOps struct {
	product.Ops[float64]
	check Reserving
}

func NewReservedOps(t *testing.T, what string, ops product.Ops[float64]) ReservedOps {
	return ReservedOps{ops, Reserving{T: t, What: what, Shapes: &[]product.Shape{}}}
}

func (r ReservedOps) Reserve(s ...product.Shape) error {
	return errors.Join(r.check.Reserve(s...), r.Ops.Reserve(s...))
}

func (r ReservedOps) Gemm(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b stages.Matrix, beta float64, c stages.Matrix) {
	r.check.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
	r.Ops.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
}

func (r ReservedOps) GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b stages.Matrix, beta float64, c stages.Matrix) {
	r.check.GemmUnsplit(rec, ws, opA, opB, alpha, a, b, beta, c)
	r.Ops.GemmUnsplit(rec, ws, opA, opB, alpha, a, b, beta, c)
}

func (r ReservedOps) GemmBatch(rec *vk.Recorder, ws *vk.Arena, batch product.Batch, opA, opB product.Op, alpha float64, a, b stages.Matrix, beta float64, c stages.Matrix) {
	r.check.GemmBatch(rec, ws, batch, opA, opB, alpha, a, b, beta, c)
	r.Ops.GemmBatch(rec, ws, batch, opA, opB, alpha, a, b, beta, c)
}

func (r ReservedOps) GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...product.Product[float64]) {
	r.check.GemmTogether(rec, ws, products...)
	r.Ops.GemmTogether(rec, ws, products...)
}
