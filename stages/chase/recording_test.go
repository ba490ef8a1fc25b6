package chase

import (
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestRecordings compares the commands of all three bulge chasings with a golden file. In one form
// sweeps wait for each other, and there are several dispatches of sweeps. In the other form there
// is a dispatch for each set of independent steps (a wave).
func TestRecordings(t *testing.T) {
	var text strings.Builder
	for _, waits := range []bool{true, false} {
		w, tune := stages.Waiting{Allowed: waits}, SmallestTuning().Chase.Tuning
		tune.Dispatch = 400
		recordChases(t, &text, 9, 3, 2, w, tune)
	}
	stagetest.Golden(t, "chases.golden", text.String())
}

// recordChases appends the commands of a bulge chasing, of a bidiagonal one and of a narrowing by
// up to `tile` superdiagonals, for order n and half-bandwidth b.
func recordChases(t *testing.T, text *strings.Builder, n, b, tile int, w stages.Waiting, tune Tuning) {
	t.Helper()
	d, size := roomtest.Dry(), Size{n, b, true}
	bulge, err := NewBulgeChasing[float64](d, size, w, tune)
	if err != nil {
		t.Fatal(err)
	}
	bidiagonal, err := NewBidiagonalChasing[float64](d, size, w, tune)
	if err != nil {
		t.Fatal(err)
	}
	narrowing, err := NewBandNarrowing[float64](d, NarrowSize{N: n, From: b, To: 2, Tile: tile}, w, tune)
	if err != nil {
		t.Fatal(err)
	}
	memory := vk.Reserve[float64]("memory", 1<<20)
	ws, err := d.NewArena(vk.Together(memory, bulge.Work(), bidiagonal.Work(), narrowing.Work()))
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	take := func(length int) vk.Slice[float64] {
		used += length
		return memory.In(ws).Sub(used-length, length)
	}
	band, wide, inner, narrow := take(2*b*n), take(stages.GeneralBandLen(n, b)), take(narrowing.BandLen()), take(narrowing.GeneralLen())
	diagonal, offDiagonal := take(n), take(n)
	v, tau := stages.ReflectorLen(n, b)
	left, right := stages.Reflectors[float64]{V: take(v), Tau: take(tau)}, stages.Reflectors[float64]{V: take(v), Tau: take(tau)}
	for _, record := range []func(rec *vk.Recorder){
		func(rec *vk.Recorder) {
			bulge.Record(rec, ws, band, stages.Tridiagonal[float64]{D: diagonal, E: offDiagonal}, left)
		},
		func(rec *vk.Recorder) {
			bidiagonal.Record(rec, ws, wide, Bidiagonal[float64]{diagonal, offDiagonal, 1}, left, right)
		},
		func(rec *vk.Recorder) { narrowing.Record(rec, ws, inner, narrow) },
		func(rec *vk.Recorder) { narrowing.RecordGeneral(rec, ws, wide, inner, narrow) },
	} {
		rec := vk.NewRecorder(d)
		record(rec)
		if _, err := rec.WriteTo(text); err != nil {
			t.Fatal(err)
		}
	}
}
