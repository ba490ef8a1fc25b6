package reduce

import (
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestBandReductionRecording checks the order of the recorded commands against a golden file. A
// product of matrices appears only as a line with its shapes. The sizes n = 14, b = 3, k = 6 give
// blocks of two panels, one block with a short panel, and a last diagonal block.
func TestBandReductionRecording(t *testing.T) {
	const n, b, k = 14, 3, 6
	rec := record(t, n, b, k, roomtest.WrittenOps(), SmallestTuning())
	var text strings.Builder
	if _, err := rec.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	stagetest.Golden(t, "band_reduction.golden", text.String())
}

// TestBandReductionIsShort checks the number of recorded commands for a panel: a dispatch and a
// barrier for each column, and at most 28 other commands.
func TestBandReductionIsShort(t *testing.T) {
	const n, b, most = 1024, 32, 28
	d, tune := roomtest.Dry(), TuningFor(vk.Info{Family: "nvidia"})
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
	if rec := record(t, 0, 4, 8, roomtest.WrittenOps(), SmallestTuning()); rec.Len() > 0 {
		t.Errorf("%d commands for an empty matrix", rec.Len())
	}
}

// record records a band reduction without a device.
func record(t *testing.T, n, b, k int, ops product.Ops[float64], tune Tables) *vk.Recorder {
	t.Helper()
	d := roomtest.Dry()
	r, err := NewBandReduction(d, BandSize{n, b, k}, ops, tune.Waits.Waiting(t, d), tune.Panel)
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
	r.Record(rec, ws, stages.NewMatrix(a.In(ws), n, n, max(n, 1)), bb.In(ws), tt.In(ws))
	return rec
}
