package reduce

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestDivideColumns checks that the elements of every trailing matrix are divided in proportion to
// `parts`. The difference may be at most twice the number of elements of its first block.
// DivideColumns must also accept fewer blocks than devices.
func TestDivideColumns(t *testing.T) {
	parts := []float64{0.5, 0.2, 0.3}
	const n, width = 1000, 10
	c := DivideColumns(n, width, parts)
	held, all := make([]float64, 3), 0.0
	for j := len(c.Owner) - 1; j >= 0; j-- {
		from, to := c.Columns(j)
		size := float64((n - from) * (to - from))
		held[c.Owner[j]] += size
		all += size
		for k, p := range parts {
			if d := math.Abs(held[k] - p*all); !(d <= 2*size) {
				t.Fatalf("columns from %d on: device %d has %g of %g elements", from, k, held[k], all)
			}
		}
	}
	total := 0
	for k := range parts {
		s := c.Part(k)
		total += s.Elements()
		if !slices.IsSorted(s.Blocks) {
			t.Errorf("device %d: blocks %v", k, s.Blocks)
		}
	}
	if total != int(all) {
		t.Errorf("%d elements, want %g", total, all)
	}
	if one := DivideColumns(7, 16, parts); len(one.Owner) != 1 || one.Owner[0] != 0 {
		t.Errorf("one block: %v", one.Owner)
	}
}

// TestBandShare checks band reductions by one to three devices with unequal shares, for orders at
// and near the multiples of the half-bandwidth and the block size, and smaller than a block.
func TestBandShare(t *testing.T) {
	when.Skip(t, when.Quick, "TestBandShareIsTheReference")
	when.Skip(t, when.Validation, "TestBandShareIsTheReference records the kernels")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	var orthogonal, similar stagetest.Worst
	for _, parts := range [][]float64{{1}, {0.5, 0.5}, {0.2, 0.5, 0.3}} {
		for _, size := range [][2]int{{1, 2}, {3, 3}, {4, 8}, {5, 20}} {
			b, k := size[0], size[1]
			for _, n := range edges(b, k) {
				if n > 0 {
					checkShares(t, "random", n, b, k, parts, SmallestTuning(), stagetest.Symmetric(n), &orthogonal, &similar)
				}
			}
		}
	}
	for _, kind := range matgen.Dense() {
		const n = 43
		checkShares(t, kind.Name(), n, 4, 8, []float64{0.4, 0.6}, SmallestTuning(), kind.Dense(n), &orthogonal, &similar)
	}
	checkShares(t, "larger", 257, 16, 64, []float64{0.3, 0.7}, TuningFor(stagetest.Device(t).Info()), stagetest.Symmetric(257), &orthogonal, &similar)
	orthogonal.AtMost(t, "‖I − Q1ᵀ·Q1‖", 10)
	similar.AtMost(t, "‖A − Q1·B·Q1ᵀ‖", 10)
}

// TestBandShareIsTheReference compares the reflectors, the band and the factors T with those of
// package ref, and the bits of two runs with each other.
func TestBandShareIsTheReference(t *testing.T) {
	for _, s := range [][3]int{{33, 4, 8}, {50, 3, 9}, {29, 5, 20}} {
		n, b, k := s[0], s[1], s[2]
		dense, parts := stagetest.Symmetric(n), []float64{0.3, 0.3, 0.4}
		y, band, factors := reduceShared(t, n, b, k, parts, SmallestTuning(), dense)
		y2, band2, factors2 := reduceShared(t, n, b, k, parts, SmallestTuning(), dense)
		if !slices.Equal(y, y2) || !slices.Equal(band, band2) || !slices.Equal(factors, factors2) {
			t.Errorf("n=%d: two runs differ", n)
		}
		likeReference(t, n, b, k, dense, y, band, factors)
	}
}

// TestBandShareIsShort counts the barriers in the commands of a panel, without those of the panel's
// factorisation. The barriers show how many commands must run one after another: at most 4 in
// RecordProduct and 5 in RecordUpdate.
func TestBandShareIsShort(t *testing.T) {
	const n, b, k, mostProduct, mostUpdate = 4096, 32, 256, 4, 5
	d, tune := roomtest.Dry(), TuningFor(vk.Info{Family: "nvidia"})
	ops, err := product.New[float64](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	size, blocks := BandSize{n, b, k}, DivideColumns(n, k, []float64{1, 1})
	r, err := NewBandShare(d, size, blocks, 0, []float64{0.5, 1}, ShareOps[float64]{ops, ops}, tune.Waits.Waiting(t, d), tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	a, tt := vk.Reserve[float64]("A", r.Elements()), vk.Reserve[float64]("T", r.Panels()*b*b)
	ws, err := d.NewArena(vk.Together(a, tt, r.Work(), r.Status(), ops.Work()))
	if err != nil {
		t.Fatal(err)
	}
	barriers := func(record func(rec *vk.Recorder)) int {
		rec := vk.NewRecorder(d)
		record(rec)
		var text strings.Builder
		if _, err := rec.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		return strings.Count(text.String(), "barrier")
	}
	for _, c := range []int{0, 3 * b, 6 * b, n / 2, n/2 + 6*b} { // a block ends with panel 7
		product := barriers(func(rec *vk.Recorder) { r.RecordProduct(rec, ws, a.In(ws), c) })
		update := barriers(func(rec *vk.Recorder) { r.RecordUpdate(rec, ws, a.In(ws), tt.In(ws), c) })
		if product > mostProduct || update > mostUpdate {
			t.Errorf("column %d: %d commands in a row for the product and %d for z, at most %d and %d", c, product, update, mostProduct, mostUpdate)
		}
	}
}

func TestBandShareRefuses(t *testing.T) {
	d := stagetest.Device(t)
	for _, s := range [][4]int{{0, 4, 8, 8}, {10, 0, 8, 8}, {10, 4, 6, 6}, {10, 4, 8, 4}, {10, 4, 2, 2}} {
		size := BandSize{s[0], s[1], s[2]}
		if _, err := NewBandShare(d, size, ColumnBlocks{N: s[0], Width: s[3]}, 0, []float64{1}, ShareOps[float64]{}, stages.Waiting{}, SmallestTuning().Panel); err == nil {
			t.Errorf("n, b, k, width = %v was accepted", s)
		}
	}
}

// checkShares does the same as checkReduction for a reduction by several devices.
func checkShares(t *testing.T, name string, n, b, k int, parts []float64, tune Tables, dense []float64, orthogonal, similar *stagetest.Worst) {
	t.Helper()
	where := fmt.Sprintf("%s n=%d b=%d k=%d, %d devices", name, n, b, k, len(parts))
	y, band, factors := reduceShared(t, n, b, k, parts, tune, dense)
	checkReflectors(t, where, n, b, y)
	checkBand(t, where, n, b, band)
	ofQ, ofA := reductionErrors(n, b, dense, y, band, factors)
	orthogonal.See(ofQ, where)
	similar.See(ofA, where)
}

// member is one of the devices of reduceShared. All of them are the test device, each with memory
// of its own.
type member[T spirv.Scalar] struct {
	*BandShare[T]
	ws         *vk.Arena
	a, band, t vk.Slice[T]
}

// reduceShared reduces the Hermitian matrix `dense` to a band by several devices, and does the
// copies between them. It returns the results in the form of BandReduction.
func reduceShared[T spirv.Scalar](t *testing.T, n, b, k int, parts []float64, tune Tables, dense []T) (y, band, factors []T) {
	t.Helper()
	d := stagetest.Device(t)
	all := newMembers(t, d, BandSize{n, b, k}, parts, tune, dense)
	step := func(m member[T], record func(rec *vk.Recorder)) {
		rec := vk.NewRecorder(d)
		record(rec)
		stagetest.Run(t, d, rec)
	}
	for c := 0; c < n; c += b {
		owner := all[all[0].Owner(c)]
		step(owner, func(rec *vk.Recorder) { owner.RecordPanel(rec, owner.ws, owner.a, owner.band, owner.t, c) })
		if !owner.IsPanel(c) {
			continue
		}
		reflectors, factor := stagetest.Get(t, d, owner.Reflectors(owner.ws, owner.a, c)), stagetest.Get(t, d, owner.Triangle(owner.t, c))
		formed := make([][]T, len(all))
		for _, m := range all {
			if m.device != owner.device {
				stagetest.Put(t, d, m.Reflectors(m.ws, m.a, c), reflectors)
				stagetest.Put(t, d, m.Triangle(m.t, c), factor)
			}
			var part vk.Slice[T]
			step(m, func(rec *vk.Recorder) { part = m.RecordProduct(rec, m.ws, m.a, c) })
			formed[m.device] = stagetest.Get(t, d, part)
		}
		for _, m := range all {
			for k, part := range formed {
				stagetest.Put(t, d, m.Part(m.ws, c, k), part)
			}
			step(m, func(rec *vk.Recorder) { m.RecordUpdate(rec, m.ws, m.a, m.t, c) })
		}
	}
	y, band = make([]T, n*n), make([]T, 2*b*n)
	for _, m := range all {
		step(m, func(rec *vk.Recorder) { m.RecordEnd(rec, m.ws, m.a, m.band) })
		for _, j := range m.Own() {
			from, to := m.Blocks().Columns(j)
			copy(band[2*b*from:2*b*to], stagetest.Get(t, d, m.Band(m.band, j)))
			block := stagetest.Get(t, d, m.Block(m.ws, m.a, j).At)
			for col := from; col < to; col++ {
				copy(y[from+col*n:n+col*n], block[(col-from)*(n-from):])
			}
		}
	}
	return y, band, stagetest.Get(t, d, all[0].t)
}

// newMembers prepares the devices of reduceShared, and copies the lower triangle of `dense` to
// them. The elements above the diagonal are NaN.
func newMembers[T spirv.Scalar](t *testing.T, d *vk.Device, size BandSize, parts []float64, tune Tables, dense []T) (all []member[T]) {
	t.Helper()
	n, b := size.N, size.B
	ops, err := product.New[T](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	sums, blocks := slices.Clone(parts), DivideColumns(n, size.K, parts)
	for k := range sums[1:] {
		sums[k+1] += sums[k]
	}
	sums[len(sums)-1] = 1
	for k := range parts {
		r, err := NewBandShare(d, size, blocks, k, sums, ShareOps[T]{ops, ops}, tune.Waits.Waiting(t, d), tune.Panel)
		if err != nil {
			t.Fatal(err)
		}
		a, bb, tt := vk.Reserve[T]("A", r.Elements()), vk.Reserve[T]("B", 2*b*n), vk.Reserve[T]("T", r.Panels()*b*b)
		ws := stagetest.Arena(t, d, vk.Together(a, bb, tt, r.Work(), r.Status(), ops.Work()))
		m := member[T]{r, ws, a.In(ws), bb.In(ws), tt.In(ws)}
		for _, j := range r.Own() {
			from, to := blocks.Columns(j)
			var block []T
			for col := from; col < to; col++ {
				block = append(block, dense[from+col*n:n+col*n]...)
				for i := from; i < col; i++ {
					block[len(block)-n+i] = stagetest.NaN[T]()
				}
			}
			stagetest.Put(t, d, r.Block(ws, m.a, j).At, block)
		}
		rec := vk.NewRecorder(d)
		r.RecordBegin(rec, ws, m.a, m.band)
		stagetest.Run(t, d, rec)
		all = append(all, m)
	}
	return all
}
