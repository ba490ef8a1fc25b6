package product

import (
	"fmt"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestComplexSymmColumns repeats TestSymmColumns for Hermitian matrices.
func TestComplexSymmColumns(t *testing.T) {
	stagetest.EachComplex(t, testComplexSymmColumns[complex128], testComplexSymmColumns[complex64])
}

func testComplexSymmColumns[T stagetest.Complex](t *testing.T) {
	p, tune, turn := newComplexBench[T](t), Tables.Smallest, 0
	tune.Tiles = slices.Clone(complexTiles)
	for i := range tune.Tiles {
		tune.Tiles[i].Packed = false // packed tiles are for real numbers
	}
	ops, err := New[T](p.dev, tune)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{1, 2}, {37, 16}, {30, 7}, {40, 8}} {
		n, width := size[0], size[1]
		for _, devices := range []int{1, 2, 3} {
			for device := range devices {
				for _, top := range []int{0, 5, width, n - 1} {
					if turn++; top < n {
						x := columnsCase{n: n, width: width, top: top, cols: 5, owner: owners(n, width, devices, turn%2 == 0), device: device}
						p.symmColumns(ops, x, 1+turn%3)
					}
				}
			}
		}
	}
}

// symmColumns checks the device's part of a product with each tile, with the inner dimension in
// some pieces.
func (p *complexBench[T]) symmColumns(ops *Tiled[T], x columnsCase, pieces int) {
	p.t.Helper()
	s, err := NewSymmColumns(p.dev, ops, x.columns())
	if err != nil {
		p.t.Fatal(err)
	}
	ws, m := stagetest.Arena(p.t, p.dev, vk.Together(ops.Work(), s.Work())), x.n-x.top
	lower, w := random(x.n, x.n, 1), random(m, x.cols, 2)
	magnitudes := func(of complexMatrix) complexMatrix {
		return complexFilled(of.rows, of.cols, func(i, j int) complex128 { return complex(cmplx.Abs(of.of(i, j)), 0) })
	}
	times := func(a, w complexMatrix) complexMatrix {
		to := complexFilled(m, x.cols, func(int, int) complex128 { return 0 })
		own := func(column int) bool { return x.owner[column/x.width] == x.device }
		ref.SymmColumns(x.n, x.cols, x.top, own, a.at, a.ld, w.at, w.ld, to.at, to.ld)
		return to
	}
	want, bound := times(lower, w), times(magnitudes(lower), magnitudes(w))
	stored := storedColumns(x, func(row, col int) T {
		switch {
		case row < col:
			return T(cmplx.Conj(lower.of(col, row)))
		case row == col:
			return T(complex(real(lower.of(row, row)), 0))
		}
		return T(lower.of(row, col))
	})
	a := p.at[0].Sub(0, len(stored))
	if len(stored) > 0 {
		stagetest.Put(p.t, p.dev, a, stored)
	}
	b := p.put(1, w)
	for tile := range s.tiles {
		k := s.split(tile, max(s.longest(x.top), 1), pieces)
		to := p.put(2, complexFilled(m, x.cols, func(int, int) complex128 { return complexNaN }))
		p.dispatch(func(rec *vk.Recorder) {
			s.RecordBegin(rec, ws)
			s.record(rec, ws, s.part(a, x.top, b, to), k)
		})
		p.check(fmt.Sprintf("%v, %v, %+v", x, s.tiles[tile], k), to, want, bound)
	}
}
