package emulated

import (
	"context"
	"math"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// small returns sizes of emulated products that are so small that even products of small matrices
// are divided in every way that large products are.
func small() product.Emulation {
	return product.Emulation{
		Tile:  product.MatrixTile{M: 32, N: 16, SubM: 1, SubN: 1, Step: 32, Pitch: 48, Swath: 2, Turns: 3},
		Dots:  product.DotTile{M: 32, N: 16, Swath: 2},
		Panel: 32, Spacing: 48, Strip: 3 * 32 * 16, Planes: 1 << 20, Held: 1 << 24, Least: product.Shape{},
	}
}

var native = product.Tuning{
	Tiles: []product.Tile{{M: 16, N: 8, K: 1, ThreadM: 2, ThreadN: 8, Unroll: 1, Resident: 2}},
	Syr2k: product.Tile{M: 16, N: 8, K: 1, ThreadM: 2, ThreadN: 8, Unroll: 1, Resident: 2}, Units: 8,
}

// newOps returns emulated products on the integer units u with `count` moduli. Results may have up
// to n rows and n columns, and inner dimensions may be up to k.
func newOps(t testing.TB, e product.Emulation, u Units, count, n, k int) *Ops[float64] {
	t.Helper()
	return newOpsOf[float64](t, e, u, count, n, k)
}

func newOpsOf[T Double](t testing.TB, e product.Emulation, u Units, count, n, k int) *Ops[T] {
	t.Helper()
	dev := stagetest.Device(t)
	plain, err := product.New[T](dev, native)
	if err != nil {
		t.Fatal(err)
	}
	ops, err := NewOn(dev, plain, e, count, u)
	if err != nil {
		t.Fatal(err)
	}
	if err := ops.Reserve(product.Shape{M: n, N: n, K: k, Count: 1}); err != nil {
		t.Fatal(err)
	}
	return ops
}

// eachUnits runs a test with packed dot products, and on the device's matrix units if it has any.
func eachUnits(t *testing.T, do func(t *testing.T, u Units)) {
	t.Run("dots", func(t *testing.T) { do(t, dots) })
	t.Run("matrix", func(t *testing.T) {
		u, err := FindUnits(context.Background(), stagetest.Device(t))
		if err != nil {
			t.Fatal(err)
		}
		if !u.Matrix() {
			t.Skipf("%s has no matrix units for bytes: only packed dot products are tested", stagetest.Info().Name)
		}
		do(t, u)
	})
}

// bench adds a method for matrices of package product to stagetest.Bench.
type bench struct{ *stagetest.Bench }

func matrix(at vk.Slice[float64], s stagetest.Sample) product.Matrix[float64] {
	return product.NewMatrix(at, s.Rows, s.Cols, s.Ld)
}

// do runs a product of the factors a and b on the device. It writes to a copy of c, and returns
// this copy.
func (p bench) do(t testing.TB, ops *Ops[float64], a, b, c stagetest.Sample, record func(rec *vk.Recorder, a, b, c product.Matrix[float64])) stagetest.Sample {
	t.Helper()
	c.Data = append([]float64{}, c.Data...)
	return p.Do(t, a, b, c, func(rec *vk.Recorder, x, y, z vk.Slice[float64]) {
		ops.Begin(rec, p.WS)
		record(rec, matrix(x, a), matrix(y, b), matrix(z, c))
	})
}

// equal fails the test at the first element of `have` whose bits differ from those of `want`. All
// NaN are taken as equal.
func equal(t testing.TB, what string, have, want stagetest.Sample) {
	t.Helper()
	for e, w := range want.Data {
		h := have.Data[e]
		if math.Float64bits(h) != math.Float64bits(w) && !(math.IsNaN(h) && math.IsNaN(w)) {
			t.Fatalf("%s: element (%d, %d) is %g, want %g, off by %g", what, e%want.Ld, e/want.Ld, h, w, h-w)
		}
	}
}

// expect returns the expected result of an emulated product, which ref.EmulatedGemm computes.
func expect(count int, opA, opB product.Op, alpha float64, a, b stagetest.Sample, beta float64, c stagetest.Sample) stagetest.Sample {
	c.Data = append([]float64{}, c.Data...)
	left, right := operands(opA, opB, a, b, c)
	ref.EmulatedGemm(count, alpha, left, right, beta, c.Data, c.Ld)
	return c
}

// operands returns the factors a and b in the form that package ref needs.
func operands(opA, opB product.Op, a, b, c stagetest.Sample) (left, right ref.EmulatedRows[float64]) {
	k := a.Cols
	if opA.Transposes() {
		k = a.Rows
	}
	left = ref.EmulatedOperand(a.Data, a.Ld, ref.Op(opA), false, c.Rows, k)
	right = ref.EmulatedOperand(b.Data, b.Ld, ref.Op(opB), true, c.Cols, k)
	return left, right
}

// factor returns a random matrix A for which op(A) is rows×cols.
func factor(op product.Op, rows, cols, pad int, seed uint64) stagetest.Sample {
	if op.Transposes() {
		rows, cols = cols, rows
	}
	return stagetest.Normal(rows, cols, rows+pad, seed)
}
