package move

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestSigns checks the signs of the columns of one matrix (RecordDeciding), and of a second matrix,
// in which the signs of the same columns must change (RecordFollowing). The columns of the two
// matrices have different lengths.
func TestSigns(t *testing.T) {
	d := stagetest.Device(t)
	s, err := NewSigns[float64](d)
	if err != nil {
		t.Fatal(err)
	}
	const rows, others, cols, ld = 300, 7, 5, 303
	v, u := stagetest.Normal(rows, cols, ld, 1), stagetest.Normal(others, cols, others, 2)
	for j, x := range []float64{-9, 9, -9, 0, 9} { // decides column j; column 3 is zero
		v.Data[(j*71)%rows+j*ld] = x
		for i := range rows {
			if x == 0 {
				v.Data[i+j*ld] = 0
			}
		}
	}
	v.Data[200+4*ld] = -9 // as large as the 9 in row 284: the first one decides
	vv, uu, ff := vk.Reserve[float64]("V", len(v.Data)), vk.Reserve[float64]("U", len(u.Data)), vk.Reserve[uint32]("flipped", cols)
	ws := stagetest.Arena(t, d, vk.Together(vv, uu, ff))
	stagetest.Put(t, d, vv.In(ws), v.Data)
	stagetest.Put(t, d, uu.In(ws), u.Data)
	rec := vk.NewRecorder(d)
	s.RecordDeciding(rec, stages.NewMatrix(vv.In(ws), rows, cols, ld), ff.In(ws))
	s.RecordFollowing(rec, stages.NewMatrix(uu.In(ws), others, cols, others), ff.In(ws))
	stagetest.Run(t, d, rec)
	flipped := []uint32{1, 0, 1, 0, 1}
	if got := stagetest.Get(t, d, ff.In(ws)); !slices.Equal(got, flipped) {
		t.Fatalf("flipped %v, want %v", got, flipped)
	}
	for name, c := range map[string]struct {
		before, after []float64
		ld            int
	}{"V": {v.Data, stagetest.Get(t, d, vv.In(ws)), ld}, "U": {u.Data, stagetest.Get(t, d, uu.In(ws)), others}} {
		for e, want := range c.before {
			if math.IsNaN(want) {
				continue
			}
			if flipped[e/c.ld] == 1 {
				want = -want
			}
			if c.after[e] != want {
				t.Fatalf("%s: element %d of column %d is %g, want %g", name, e%c.ld, e/c.ld, c.after[e], want)
			}
		}
	}
}
