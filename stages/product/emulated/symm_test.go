package emulated

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestSymmHasTheBitsOfTheReference checks products with lower right blocks of a symmetric matrix.
// The results must have the same bits as products with all columns of these rows, in which the
// additional columns are multiplied by zeros. The upper triangle of the matrix is NaN. A product of
// a larger order than the reserved one must be native.
func TestSymmHasTheBitsOfTheReference(t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		const n, cols = 101, 7
		for _, dispatch := range []float64{0, 3e6} {
			e := small()
			e.Narrow = product.MatrixTile{M: 16, N: 16, SubM: 1, SubN: 1, Step: 32, Pitch: 48, Swath: 3, Turns: 2}
			e.Dispatch = dispatch
			ops := newOps(t, e, u, 13, 20, 30)
			if err := ops.Reserve(product.Shape{M: n, N: cols, K: n, Count: 1, Held: true}); err != nil {
				t.Fatal(err)
			}
			p := bench{stagetest.NewBench(t, n*(n+2), vk.Together(ops.Work(), ops.HeldWork(), ops.Status()))}
			a := stagetest.Normal(n, n, n+1, 1).Lower()
			full := stagetest.Normal(n, n, n, 1)
			full.Fill(func(i, j int) float64 { return a.Data[max(i, j)+min(i, j)*a.Ld] })
			for _, first := range []int{0, 1, 16, 31, 32, 33, 64, 70, 100} {
				m := n - first
				w, c := stagetest.Normal(m, cols, m+2, 2), stagetest.Normal(m, cols, m, 3)
				have := p.do(t, ops, a, w, c, func(rec *vk.Recorder, a, w, c product.Matrix[float64]) {
					ops.Hold(rec, p.WS, a)
					ops.Symm(rec, p.WS, a.Block(first, first, m, m), w, c)
				})
				padded := stagetest.Normal(n, cols, n, 4)
				padded.Fill(func(i, j int) float64 {
					if i < first {
						return 0
					}
					return w.Data[i-first+j*w.Ld]
				})
				all := make([]float64, n*cols)
				left, right := operands(product.NoTrans, product.NoTrans, full, padded, stagetest.Sample{Rows: n, Cols: cols})
				ref.EmulatedGemm(13, 1, left, right, 0, all, n)
				want := c
				want.Data = append([]float64{}, c.Data...)
				for j := range cols {
					copy(want.Data[j*m:(j+1)*m], all[first+j*n:])
				}
				equal(t, fmt.Sprintf("from row %d on, %g flops", first, dispatch), have, want)
			}
			if ops.holds(n + 1) {
				t.Error("an order that was not announced is emulated")
			}
		}
	})
}

// TestHeldBytes checks the limit of the residues of a symmetric factor, in bytes. With one byte
// less than an order needs, products of this order are native, and no memory is reserved for
// residues.
func TestHeldBytes(t *testing.T) {
	const n, count = 100, 13
	bytes := heldOps(t, 1<<30, n, count).symm.planes.Len() * 4
	if want := count * n * n; bytes < want {
		t.Fatalf("%d bytes for %d residues of %d numbers", bytes, count, n*n)
	}
	for held, want := range map[int]bool{bytes: true, bytes - 1: false, bytes / 4: false} {
		ops := heldOps(t, held, n, count)
		if ops.holds(n) != want || (ops.symm.planes.Len() > 0) != want {
			t.Errorf("%d of %d bytes: holds %v, %d words are reserved", held, bytes, ops.holds(n), ops.symm.planes.Len())
		}
	}
}

func heldOps(t *testing.T, held, n, count int) *Ops[float64] {
	t.Helper()
	e := small()
	e.Held = held
	ops := newOps(t, e, dots, count, 20, 30)
	if err := ops.Reserve(product.Shape{M: n, N: 7, K: n, Count: 1, Held: true}); err != nil {
		t.Fatal(err)
	}
	ops.HeldWork()
	return ops
}
