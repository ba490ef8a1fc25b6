package stages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// TestBandReductionRecording checks the order of the recorded commands against a golden file. A
// product of matrices appears only as a line with its shapes. The sizes n = 14, b = 3, k = 6 give
// blocks of two panels, one block with a short panel, and a last diagonal block.
func TestBandReductionRecording(t *testing.T) {
	const n, b, k = 14, 3, 6
	rec := record(t, n, b, k, writtenOps(), SmallestTuning())
	var text strings.Builder
	if _, err := rec.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "band_reduction.golden", text.String())
}

// TestBandReductionIsShort checks the number of recorded commands for a panel: a dispatch and a
// barrier for each column, and at most 28 other commands.
func TestBandReductionIsShort(t *testing.T) {
	const n, b, most = 1024, 32, 28
	d, tune := dry(), TuningFor(vk.Info{Family: "nvidia"})
	ops, err := product.New[float64](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	rec := record(t, n, b, 8*b, ops, tune)
	const panels, withBarriers = n / b, 2
	columns := (panels - 1) * b
	if got := (rec.Len() - withBarriers*columns) / panels; got > most {
		t.Errorf("%d commands a panel, besides its columns; at most %d", got, most)
	}
}

// TestBandReductionOfNothing checks that no commands are recorded for an empty matrix.
func TestBandReductionOfNothing(t *testing.T) {
	if rec := record(t, 0, 4, 8, writtenOps(), SmallestTuning()); rec.Len() > 0 {
		t.Errorf("%d commands for an empty matrix", rec.Len())
	}
}

func dry() *vk.Device {
	return vk.Dry(vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024})
}

// record returns the recorded commands of a band reduction, as text, made without a device.
func record(t *testing.T, n, b, k int, ops product.Ops[float64], tune Tuning) *vk.Recorder {
	t.Helper()
	d := dry()
	r, err := NewBandReduction(d, BandSize{n, b, k}, ops, tune.Chase.waiting(t, d), tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	a := vk.Reserve[float64]("A", n*n)
	bb := vk.Reserve[float64]("B", 2*b*n)
	tt := vk.Reserve[float64]("factors", r.Panels()*b*b)
	ws, err := d.NewArena(vk.Together(a, bb, tt, r.Work(), r.Status(), ops.Work()))
	if err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(d)
	r.Record(rec, ws, NewMatrix(a.In(ws), n, n, max(n, 1)), bb.In(ws), tt.In(ws))
	return rec
}

// written implements product.Ops for tests of recordings: instead of a matrix product it records a
// line of text.
type written struct{}

func writtenOps() product.Ops[float64] { return written{} }

func (written) Reserve(...product.Shape) error { return nil }

func (written) Work() *vk.Layout { return vk.Together() }

func (written) Hold(*vk.Recorder, *vk.Arena, Matrix) {}

func (written) HeldWork() *vk.Layout { return vk.Together() }

func (written) Gemm(rec *vk.Recorder, _ *vk.Arena, opA, opB product.Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	rec.Phase(fmt.Sprintf("gemm %d×%d ← %s·%s α, β =", c.Rows, c.Cols, shape(a, opA), shape(b, opB)), alpha, beta)
}

func (g written) GemmPair(rec *vk.Recorder, _ *vk.Arena, opA, opB product.Op, alpha float64, first, second product.Pair[float64], beta float64, c Matrix) {
	rec.Phase(fmt.Sprintf("gemm %d×%d ← %s·%s + %s·%s α, β =", c.Rows, c.Cols, shape(first.A, opA), shape(first.B, opB), shape(second.A, opA), shape(second.B, opB)), alpha, beta)
}

func (g written) GemmBatch(rec *vk.Recorder, ws *vk.Arena, batch product.Batch, opA, opB product.Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	for range batch.Count {
		g.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
	}
}

func (g written) GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	g.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
}

func (g written) Syr2kColumns(rec *vk.Recorder, ws *vk.Arena, y, z Matrix, blocks []product.ColumnBlock[float64]) {
	product.Pairs(rec, ws, product.Gemm[float64](g), y, z, blocks)
}

func (g written) Gemmtr(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	g.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
}

func (g written) GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...product.Product[float64]) {
	for _, p := range products {
		g.Gemm(rec, ws, p.OpA, p.OpB, 1, p.A, p.B, 0, p.C)
	}
}

func (written) Syr2k(rec *vk.Recorder, _ *vk.Arena, y, z, c Matrix) {
	rec.Phase("syr2k order, rank", float64(c.Rows), float64(y.Cols))
}

func (written) Symm(rec *vk.Recorder, _ *vk.Arena, a, w, p Matrix) {
	rec.Phase("symm", float64(a.Rows), float64(w.Cols))
}

func (g written) SymmTogether(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix, others ...product.Product[float64]) {
	g.Symm(rec, ws, a, w, p)
	g.GemmTogether(rec, ws, others...)
}

func shape(m Matrix, op product.Op) string {
	if op == product.Trans {
		return fmt.Sprintf("(%d×%d)ᵀ", m.Rows, m.Cols)
	}
	return fmt.Sprintf("(%d×%d)", m.Rows, m.Cols)
}
