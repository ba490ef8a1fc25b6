package reduce

import (
	"fmt"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

type generalReduced[T spirv.Scalar] struct{ a, band, left, right []T }

// reduceGeneral reduces an m×n matrix on the device, with leading dimension m + 3.
func reduceGeneral[T spirv.Scalar](t *testing.T, size GeneralSize, dense []T, tune Tables, waits bool) generalReduced[T] {
	t.Helper()
	d := stagetest.Device(t)
	ops, err := product.New[T](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewGeneralBandReduction(d, size, ops, ops, stages.Waiting{Allowed: waits, WideFence: true}, tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	b2, ld := size.B*size.B, max(size.M, 1)+3
	a := vk.Reserve[T]("A", ld*size.N)
	band := vk.Reserve[T]("band", size.BandLen())
	left, right := vk.Reserve[T]("left", size.LeftPanels()*b2), vk.Reserve[T]("right", size.RightPanels()*b2)
	ws := stagetest.Arena(t, d, vk.Together(a, band, left, right, r.Work(), r.Status(), ops.Work()))
	sample := slices.Repeat([]T{stagetest.NaN[T]()}, ld*size.N)
	for j := range size.N {
		copy(sample[j*ld:], dense[j*size.M:(j+1)*size.M])
	}
	if len(sample) > 0 {
		stagetest.Put(t, d, a.In(ws), sample)
	}
	rec := vk.NewRecorder(d)
	r.Record(rec, ws, product.NewMatrix(a.In(ws), size.M, size.N, ld), band.In(ws), left.In(ws), right.In(ws))
	stagetest.Run(t, d, rec)
	for _, info := range r.Infos(ws) {
		if info.Len() > 0 && stagetest.Get(t, d, info)[0] != 0 {
			t.Fatalf("%+v: INFO = %d", size, stagetest.Get(t, d, info)[0])
		}
	}
	got := generalReduced[T]{nil, stagetest.Get(t, d, band.In(ws)), stagetest.Get(t, d, left.In(ws)), stagetest.Get(t, d, right.In(ws))}
	for j, all := 0, stagetest.Get(t, d, a.In(ws)); j < size.N; j++ {
		got.a = append(got.a, all[j*ld:j*ld+size.M]...)
		for _, x := range all[j*ld+size.M : (j+1)*ld] {
			if x == x {
				t.Fatalf("%+v: padding of column %d was written", size, j)
			}
		}
	}
	return got
}

// TestGeneralBandReduction reduces m×n matrices to an upper band on the device, and compares the
// results with those of package ref. It covers orders n at and near multiples of the band's width b
// and the block size k.
func TestGeneralBandReduction(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	for _, b := range []int{1, 2, 4, 5} {
		for _, k := range []int{b, 3 * b} {
			for _, n := range []int{0, 1, 2, b, b + 1, 2 * b, 2*b + 1, k, k + 1, k + b + 1, 2*k + b + 2, 37} {
				for _, m := range []int{n, n + 1, 2*n + 3} {
					size := GeneralSize{M: m, N: n, B: b, K: k, Vectors: true}
					dense := stagetest.Normal(m, n, max(m, 1), uint64(m+100*n)).Data
					got := reduceGeneral(t, size, dense, SmallestTuning(), n%2 == 0)
					a := slices.Clone(dense)
					band, left, right := ref.GeneralBandReduction(m, n, b, k, a, max(m, 1))
					what := fmt.Sprintf("m=%d n=%d b=%d k=%d", m, n, b, k)
					stagetest.Close(t, what+": band", got.band, band)
					stagetest.Close(t, what+": A", got.a, a)
					upperOnly(size, got.left, left)
					stagetest.Close(t, what+": T of Q1", got.left, left)
					stagetest.Close(t, what+": T of P1", got.right, right)
				}
			}
		}
	}
}

// upperOnly sets elements to zero that the stage need not define: the elements of the last left
// panel's factor T that belong to missing columns, if the panel has fewer than b columns.
func upperOnly[T spirv.Scalar](size GeneralSize, got, want []T) {
	last := size.N % size.B
	if last == 0 || size.N == 0 {
		return
	}
	b := size.B
	for e := (size.LeftPanels() - 1) * b * b; e < len(got); e++ {
		if i, j := e%b, e/b%b; i >= last || j >= last {
			got[e], want[e] = 0, 0
		}
	}
}

// TestGeneralBandReductionRepeats checks that a reduction in which workgroups wait for each other
// and a reduction without waits give the same bits. It also checks that a reduction without vectors
// gives the same band.
func TestGeneralBandReductionRepeats(t *testing.T) {
	size := GeneralSize{M: 61, N: 50, B: 4, K: 8, Vectors: true}
	dense := stagetest.Normal(size.M, size.N, size.M, 5).Data
	first, again := reduceGeneral(t, size, dense, SmallestTuning(), true), reduceGeneral(t, size, dense, SmallestTuning(), false)
	if !slices.Equal(first.band, again.band) || !slices.Equal(first.a, again.a) {
		t.Error("two runs differ")
	}
	size.Vectors = false
	if values := reduceGeneral(t, size, dense, SmallestTuning(), true); !slices.Equal(values.band, first.band) {
		t.Error("without vectors the band is another")
	}
}

// TestShortPanels checks for which numbers of rows a reduction uses panel.Tuning.ShortTileBytes.
// With other chunks of rows, numbers are added in another order, so the bits show which size was
// used.
func TestShortPanels(t *testing.T) {
	when.Skip(t, when.Quick, "the other band reductions")
	size := GeneralSize{M: 61, N: 50, B: 4, K: 8}
	dense := stagetest.Normal(size.M, size.N, size.M, 5).Data
	large, small := SmallestTuning(), SmallestTuning()
	large.Panel.LocalSize, small.Panel.LocalSize = 64, 64
	large.Panel.TileBytes, small.Panel.TileBytes = 33*8*4, 9*8*4
	want := map[bool][]float64{true: reduceGeneral(t, size, dense, small, true).band, false: reduceGeneral(t, size, dense, large, true).band}
	if slices.Equal(want[true], want[false]) {
		t.Fatal("both sizes give the same bits")
	}
	for rows, short := range map[int]bool{size.M - 1: false, size.M: true} {
		tune := large
		tune.Panel.ShortRows, tune.Panel.ShortTileBytes = rows, small.Panel.TileBytes
		if !slices.Equal(reduceGeneral(t, size, dense, tune, true).band, want[short]) {
			t.Errorf("panels of at most %d rows are short: wrong for %d rows", rows, size.M)
		}
	}
}

func TestGeneralBandReductionRefuses(t *testing.T) {
	for _, s := range []GeneralSize{{M: 3, N: 4, B: 1, K: 1}, {M: 4, N: -1, B: 1, K: 1}, {M: 4, N: 4, B: 0, K: 1}, {M: 4, N: 4, B: 2, K: 3}} {
		if _, err := NewGeneralBandReduction[float64](stagetest.Device(t), s, nil, nil, stages.Waiting{}, SmallestTuning().Panel); err == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
}
