package roomtest

import (
	"fmt"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

func Dry() *vk.Device {
	return vk.Dry(vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024})
}

// Written implements product.Ops for tests of recordings: instead of a matrix product it records a
// line of text.
type Written struct{}

func WrittenOps() product.Ops[float64] { return Written{} }

func (Written) Reserve(...product.Shape) error { return nil }

func (Written) Work() *vk.Layout { return vk.Together() }

func (Written) Hold(*vk.Recorder, *vk.Arena, stages.Matrix) {}

func (Written) HeldWork() *vk.Layout { return vk.Together() }

func (Written) Gemm(rec *vk.Recorder, _ *vk.Arena, opA, opB product.Op, alpha float64, a, b stages.Matrix, beta float64, c stages.Matrix) {
	rec.Phase(fmt.Sprintf("gemm %d×%d ← %s·%s α, β =", c.Rows, c.Cols, shape(a, opA), shape(b, opB)), alpha, beta)
}

func (g Written) GemmPair(rec *vk.Recorder, _ *vk.Arena, opA, opB product.Op, alpha float64, first, second product.Pair[float64], beta float64, c stages.Matrix) {
	rec.Phase(fmt.Sprintf("gemm %d×%d ← %s·%s + %s·%s α, β =", c.Rows, c.Cols, shape(first.A, opA), shape(first.B, opB), shape(second.A, opA), shape(second.B, opB)), alpha, beta)
}

func (g Written) GemmBatch(rec *vk.Recorder, ws *vk.Arena, batch product.Batch, opA, opB product.Op, alpha float64, a, b stages.Matrix, beta float64, c stages.Matrix) {
	for range batch.Count {
		g.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
	}
}

func (g Written) GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b stages.Matrix, beta float64, c stages.Matrix) {
	g.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
}

func (g Written) Syr2kColumns(rec *vk.Recorder, ws *vk.Arena, y, z stages.Matrix, blocks []product.ColumnBlock[float64]) {
	product.Pairs(rec, ws, product.Gemm[float64](g), y, z, blocks)
}

func (g Written) Gemmtr(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b stages.Matrix, beta float64, c stages.Matrix) {
	g.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
}

func (g Written) GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...product.Product[float64]) {
	for _, p := range products {
		g.Gemm(rec, ws, p.OpA, p.OpB, 1, p.A, p.B, 0, p.C)
	}
}

func (Written) Syr2k(rec *vk.Recorder, _ *vk.Arena, y, z, c stages.Matrix) {
	rec.Phase("syr2k order, rank", float64(c.Rows), float64(y.Cols))
}

func (Written) Symm(rec *vk.Recorder, _ *vk.Arena, a, w, p stages.Matrix) {
	rec.Phase("symm", float64(a.Rows), float64(w.Cols))
}

func (g Written) SymmTogether(rec *vk.Recorder, ws *vk.Arena, a, w, p stages.Matrix, others ...product.Product[float64]) {
	g.Symm(rec, ws, a, w, p)
	g.GemmTogether(rec, ws, others...)
}

func shape(m stages.Matrix, op product.Op) string {
	if op.Transposes() {
		return fmt.Sprintf("(%d×%d)ᵀ", m.Rows, m.Cols)
	}
	return fmt.Sprintf("(%d×%d)", m.Rows, m.Cols)
}
