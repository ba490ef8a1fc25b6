package emulated

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestLargestSums checks products whose residues modulo one number have the largest magnitude in
// all elements: the 32-bit sums are then as large as they can be, with both signs. The products
// must have the bits of package ref.
func TestLargestSums(t *testing.T) {
	lengths := []int{1, 31, 32, 33, 1082, 1083, moduli.MostInner - 100}
	const count = 13
	s := moduli.New(count)
	eachUnits(t, func(t *testing.T, u Units) {
		e := small()
		e.Planes = 1 << 30
		ops := newOps(t, e, u, count, 2, moduli.MostInner-100)
		p := bench{stagetest.NewBench(t, 2*moduli.MostInner, vk.Together(ops.Work(), ops.Status()))}
		for i := range count {
			for _, k := range lengths {
				if k > 2000 && i%6 != 0 {
					continue
				}
				left, right := extreme(t, s, i, 1, k), extreme(t, s, i, s.Inverse[i], k)
				a, b, c := stagetest.Normal(2, k, 2, 1), stagetest.Normal(2, k, 2, 2), stagetest.Normal(2, 2, 2, 3)
				a.Fill(func(row, _ int) float64 { return left * float64(1-2*row) })
				b.Fill(func(row, _ int) float64 { return right * float64(1-2*row) })
				have := p.do(t, ops, a, b, c, func(rec *vk.Recorder, a, b, c product.Matrix[float64]) {
					ops.Gemm(rec, p.WS, product.NoTrans, product.Trans, 1, a, b, 0, c)
				})
				equal(t, fmt.Sprintf("K = %d, modulo %d", k, s.Moduli[i]), have, expect(count, product.NoTrans, product.Trans, 1, a, b, 0, c))
			}
		}
	})
}

// extreme returns a number x with two properties. A row of k elements x is scaled by 2⁰, so that
// the scaled integers are x, too. If p is modulus number i of s, the residue of x·q modulo p is
// −p/2, or −(p−1)/2 for odd p.
func extreme(t *testing.T, s *moduli.System, i int, q int64, k int) float64 {
	t.Helper()
	row, p := make([]float64, k), s.Moduli[i]
	shift := func(x int64) int {
		for j := range row {
			row[j] = float64(x)
		}
		return ref.NewEmulatedNorm(row).Shift(s)
	}
	x := int64(1 << 20)
	for shift(x) > 0 {
		x *= 2
	}
	for end := x + p; x < end; x++ {
		if moduli.Symmetric(x%p*q, p) == -(p / 2) {
			if shift(x) != 0 {
				t.Fatalf("%d rows of %d are scaled by 2^%d", k, x, shift(x))
			}
			return float64(x)
		}
	}
	t.Fatalf("no multiple of %d has the largest residue modulo %d", q, p)
	return 0
}
