package product

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// The tests in this file run the kernels of complex products, and compare them with loops over
// complex numbers that conjugate where the formula does.

// complexTiles has a tile without shared memory, one with one buffer in shared memory, and one with
// two buffers. Where a matrix ends within a tile, the kernel checks for each element whether it
// exists before it loads the element.
var complexTiles = []Tile{
	{M: 16, N: 8, K: 4, ThreadM: 4, ThreadN: 2, Unroll: 2, Buffers: 0, Resident: 1},
	{M: 8, N: 8, K: 4, ThreadM: 2, ThreadN: 2, Unroll: 4, Buffers: 1, Resident: 1},
	{M: 16, N: 8, K: 4, ThreadM: 4, ThreadN: 2, Unroll: 1, Buffers: 2, Resident: 1, Packed: true},
}

// complexMatrix is a column-major matrix whose leading dimension is larger than its number of rows.
type complexMatrix struct {
	rows, cols, ld int
	at             []complex128
}

var complexNaN = complex(math.NaN(), math.NaN())

// complexFilled returns the rows×cols matrix with the elements at(i, j). Its padding is NaN.
func complexFilled(rows, cols int, at func(i, j int) complex128) complexMatrix {
	x := complexMatrix{rows, cols, rows + 3, make([]complex128, (rows+3)*cols)}
	for l := range x.at {
		x.at[l] = complexNaN
		if i := l % x.ld; i < rows {
			x.at[l] = at(i, l/x.ld)
		}
	}
	return x
}

// random returns a matrix with numbers that complex64 holds exactly.
func random(rows, cols int, seed uint64) complexMatrix {
	r := rand.New(rand.NewPCG(seed, 35))
	return complexFilled(rows, cols, func(int, int) complex128 {
		return stagetest.RandomComplex(r)
	})
}

func (x complexMatrix) of(i, j int) complex128 { return x.at[i+j*x.ld] }

// op returns op(X), which is X, its transpose, its conjugate or its adjoint. The kernels have a
// constant with bits for the operation on each factor, and op reads those of the first factor from
// `trans`.
func (x complexMatrix) op(trans uint32) complexMatrix {
	at := func(i, j int) complex128 {
		if trans&shaders.GemmTransA != 0 {
			i, j = j, i
		}
		if trans&shaders.GemmConjA != 0 {
			return cmplx.Conj(x.of(i, j))
		}
		return x.of(i, j)
	}
	if trans&shaders.GemmTransA != 0 {
		return complexFilled(x.cols, x.rows, at)
	}
	return complexFilled(x.rows, x.cols, at)
}

// `minus` returns X minus the products A·B of all pairs A, B. Element by element, `bound` is the
// sum of the magnitudes of all terms.
func (x complexMatrix) minus(pairs ...[2]complexMatrix) (difference, bound complexMatrix) {
	sum := func(term func(z complex128) complex128) complexMatrix {
		return complexFilled(x.rows, x.cols, func(i, j int) complex128 {
			z := term(x.of(i, j))
			for _, f := range pairs {
				for l := range f[0].cols {
					z += term(-f[0].of(i, l) * f[1].of(l, j))
				}
			}
			return z
		})
	}
	return sum(func(z complex128) complex128 { return z }), sum(func(z complex128) complex128 { return complex(cmplx.Abs(z), 0) })
}

// adjoint returns Xᴴ.
func (x complexMatrix) adjoint() complexMatrix { return x.op(shaders.GemmTransA | shaders.GemmConjA) }

type complexBench[T stagetest.Complex] struct {
	t   *testing.T
	dev *vk.Device
	at  []vk.Slice[T]
}

func newComplexBench[T stagetest.Complex](t *testing.T) *complexBench[T] {
	p := &complexBench[T]{t: t, dev: stagetest.Device(t)}
	const most = 4096
	all := vk.Reserve[T]("matrices", 6*most)
	ws := stagetest.Arena(t, p.dev, vk.Together(all))
	for i := range 6 {
		p.at = append(p.at, all.In(ws).Sub(i*most, most))
	}
	return p
}

func (p *complexBench[T]) put(i int, x complexMatrix) Matrix[T] {
	m := NewMatrix(p.at[i].Sub(0, len(x.at)), x.rows, x.cols, x.ld)
	stagetest.Put(p.t, p.dev, m.At, stagetest.ComplexOf[T](x.at))
	return m
}

// check compares a matrix on the device with `want`. A difference may be at most 8·ε times `bound`.
// Elements that are NaN in `want` must be NaN.
func (p *complexBench[T]) check(what string, m Matrix[T], want, bound complexMatrix) {
	p.t.Helper()
	digits := stagetest.EpsilonOf[T]()
	for l, have := range stagetest.Get(p.t, p.dev, m.At) {
		z := complex128(have)
		if cmplx.IsNaN(want.at[l]) {
			if !cmplx.IsNaN(z) {
				p.t.Fatalf("%s: element (%d, %d) is written", what, l%m.Ld, l/m.Ld)
			}
			continue
		}
		if !(cmplx.Abs(z-want.at[l]) <= 8*digits*real(bound.at[l])) {
			p.t.Fatalf("%s: element (%d, %d) is %v, want %v", what, l%m.Ld, l/m.Ld, z, want.at[l])
		}
	}
}

func TestComplexProducts(t *testing.T) {
	for _, tile := range complexTiles {
		t.Run(fmt.Sprintf("%v, %d buffers", tile, tile.Buffers), func(t *testing.T) {
			stagetest.EachComplex(t,
				func(t *testing.T) { testComplexProducts[complex128](t, tile) },
				func(t *testing.T) { testComplexProducts[complex64](t, tile) })
		})
	}
}

// TestGemmOfComplexMatrices checks products op(A)·op(B) with each pair of operations on the two
// factors.
func TestGemmOfComplexMatrices(t *testing.T) {
	p := newComplexBench[complex128](t)
	g, err := newTiledGemm[complex128](p.dev, Tables.Smallest)
	if err != nil {
		t.Fatal(err)
	}
	ws := stagetest.Arena(t, p.dev, vk.Together(g.sums.region))
	const m, n, k = 17, 9, 40
	stored := func(op Op, rows, cols int, seed uint64) (x, of complexMatrix) {
		bits := map[Op]uint32{Trans: shaders.GemmTransA, Conj: shaders.GemmConjA, Adjoint: shaders.GemmTransA | shaders.GemmConjA}[op]
		if op.Transposes() {
			rows, cols = cols, rows
		}
		x = random(rows, cols, seed)
		return x, x.op(bits)
	}
	for opA := NoTrans; opA <= Adjoint; opA++ {
		for opB := NoTrans; opB <= Adjoint; opB++ {
			a, left := stored(opA, m, k, 1)
			b, right := stored(opB, k, n, 2)
			c := random(m, n, 3)
			da, db, dc := p.put(0, a), p.put(1, b), p.put(2, c)
			p.dispatch(func(rec *vk.Recorder) { g.Gemm(rec, ws, opA, opB, -1, da, db, 1, dc) })
			want, bound := c.minus([2]complexMatrix{left, right})
			p.check(fmt.Sprintf("operations %d and %d", opA, opB), dc, want, bound)
		}
	}
}

func testComplexProducts[T stagetest.Complex](t *testing.T, tile Tile) {
	p := newComplexBench[T](t)
	sums := complexKernel(t, shaders.GemmSum[T](), shaders.GemmSumDefaults())
	gemm := complexKernel(t, shaders.Gemm[T](), tile.Spec())
	for _, size := range [][3]int{{16, 8, 8}, {17, 9, 5}, {3, 20, 13}} {
		for trans := range uint32(16) {
			p.gemm(gemm, sums, tile, size, trans)
		}
	}
	symm := complexKernel(t, shaders.Symm[T](), shaders.SymmSpec(tile.Spec()))
	syr2k := complexKernel(t, shaders.Syr2k[T](), shaders.Syr2kSpec(tile.Spec()))
	for _, n := range []int{1, 8, 16, 37} {
		p.symm(symm, sums, tile, n, 9)
		p.syr2k(syr2k, tile, n, 7)
	}
}

func (p *complexBench[T]) dispatch(record func(rec *vk.Recorder)) {
	p.t.Helper()
	rec := vk.NewRecorder(p.dev)
	record(rec)
	stagetest.Run(p.t, p.dev, rec)
}

// complexSplits is the number of parts into which the tests split inner dimensions. The kernel
// gemm_sum then adds as many partial products.
const complexSplits = 3

func complexKernel[S, P any](t *testing.T, m spirv.Module[S, P], spec S) *vk.Kernel[S, P] {
	t.Helper()
	kernel, err := vk.Build(stagetest.Device(t), m, spec)
	if err != nil {
		t.Fatal(err)
	}
	return kernel
}

type sumKernel[T stagetest.Complex] = *vk.Kernel[shaders.GemmSumSpec, shaders.GemmSumPush[T]]

// add computes C ← C − ΣP. The partial products P are in matrix number 5 of the bench.
func (p *complexBench[T]) add(sums sumKernel[T], c Matrix[T]) {
	const lanes = 2
	p.dispatch(func(rec *vk.Recorder) {
		sums.Dispatch(rec, vk.Folded(vk.Tiles(c.Rows*c.Cols, sums.Spec.LocalSize/lanes)), shaders.GemmSumPush[T]{
			Parts: p.at[5].Addr(), C: c.Addr(), Alpha: spirv.RealBitsOf[T](-1), Beta: spirv.RealBitsOf[T](1),
			M: uint32(c.Rows), N: uint32(c.Cols), Ldc: uint32(c.Ld), Splits: complexSplits, Lanes: lanes,
		})
	})
}

// gemm checks four products: C − op(A)·op(B) with a given matrix C, the same with a second pair of
// factors, the same with an inner dimension in parts, and −½·op(A)·op(B) written to a matrix that
// was NaN.
func (p *complexBench[T]) gemm(
	kernel *vk.Kernel[shaders.GemmSpec, shaders.GemmPush[T]], sums sumKernel[T], tile Tile, size [3]int, trans uint32,
) {
	m, n, k := size[0], size[1], size[2]
	what := fmt.Sprintf("%d×%d×%d, trans = %d", m, n, k, trans)
	left, right := trans, trans>>1 // the bits of the second factor, in the places of the first one's
	sample := func(op uint32, rows, cols int, seed uint64) complexMatrix {
		if op&shaders.GemmTransA != 0 {
			rows, cols = cols, rows
		}
		return random(rows, cols, seed)
	}
	a, b := sample(left, m, k, 1), sample(right, k, n, 2)
	a2, b2 := sample(left, m, k+2, 3), sample(right, k+2, n, 4)
	c := random(m, n, 5)
	grid := vk.Folded(vk.Tiles(m, tile.M) * vk.Tiles(n, tile.N))
	first, second := [2]complexMatrix{a.op(left), b.op(right)}, [2]complexMatrix{a2.op(left), b2.op(right)}
	push := shaders.GemmPush[T]{
		A: p.put(0, a).Addr(), B: p.put(1, b).Addr(), Alpha: spirv.RealBitsOf[T](-1), Beta: spirv.RealBitsOf[T](1), M: uint32(m), N: uint32(n), K: uint32(k),
		Lda: uint32(a.ld), Ldb: uint32(b.ld), Ldc: uint32(c.ld), Trans: trans, Splits: 1, Stretch: uint32(k) + 2,
	}
	run := func(g vk.Groups, push shaders.GemmPush[T]) {
		p.dispatch(func(rec *vk.Recorder) { kernel.Dispatch(rec, g, push) })
	}

	want, bound := c.minus(first)
	x := p.put(4, c)
	push.C = x.Addr()
	run(grid, push)
	p.check(what, x, want, bound)

	x = p.put(4, c)
	parts := push
	parts.C, parts.Ldc, parts.StrideC, parts.Alpha, parts.Beta = p.at[5].Addr(), uint32(m), uint64(m*n), spirv.RealBitsOf[T](1), spirv.RealBits{}
	parts.Splits, parts.Stretch = complexSplits, uint32(vk.Tiles(k, complexSplits*tile.K))*tile.K
	run(vk.Groups{X: grid.X, Y: grid.Y, Z: complexSplits}, parts)
	p.add(sums, x)
	p.check(what+" in parts", x, want, bound)

	x = p.put(4, complexFilled(m, n, func(int, int) complex128 { return complexNaN }))
	push.Alpha, push.Beta = spirv.RealBitsOf[T](-0.5), spirv.RealBits{}
	run(grid, push)
	none := complexFilled(m, n, func(int, int) complex128 { return 0 })
	want, bound = none.minus(first)
	half := complexFilled(m, n, func(i, j int) complex128 { return want.of(i, j) / 2 })
	p.check(what+" of NaN", x, half, bound)

	want, bound = c.minus(first, second)
	x = p.put(4, c)
	push.A2, push.B2, push.Alpha, push.Beta, push.K2 = p.put(2, a2).Addr(), p.put(3, b2).Addr(), spirv.RealBitsOf[T](-1), spirv.RealBitsOf[T](1), uint32(k)+2
	push.Lda2, push.Ldb2 = uint32(a2.ld), uint32(b2.ld)
	run(grid, push)
	p.check(what+" and a second pair", x, want, bound)
}

// symm checks C − A·W for a Hermitian A of which the lower triangle is stored. The upper triangle
// is NaN, and so are the imaginary parts of the diagonal.
func (p *complexBench[T]) symm(
	kernel *vk.Kernel[shaders.SymmSpec, shaders.SymmPush[T]], sums sumKernel[T], tile Tile, m, n int,
) {
	a, w, c := random(m, m, 1), random(m, n, 2), random(m, n, 3)
	stored := complexFilled(m, m, func(i, j int) complex128 {
		switch {
		case i < j:
			return complexNaN
		case i == j:
			return complex(real(a.of(i, i)), math.NaN())
		}
		return a.of(i, j)
	})
	whole := complexFilled(m, m, func(i, j int) complex128 {
		switch {
		case i < j:
			return cmplx.Conj(a.of(j, i))
		case i == j:
			return complex(real(a.of(i, i)), 0)
		}
		return a.of(i, j)
	})
	want, bound := c.minus([2]complexMatrix{whole, w})
	x := p.put(4, c)
	tiles := vk.Tiles(m, tile.M) * vk.Tiles(n, tile.N)
	p.dispatch(func(rec *vk.Recorder) {
		kernel.Dispatch(rec, vk.Groups{X: tiles, Y: 1, Z: complexSplits}, shaders.SymmPush[T]{
			A: p.put(0, stored).Addr(), W: p.put(1, w).Addr(), P: p.at[5].Addr(), StrideP: uint64(m * n),
			M: uint32(m), N: uint32(n), Lda: uint32(stored.ld), Ldw: uint32(w.ld), Ldp: uint32(m),
			Stretch: uint32(vk.Tiles(m, complexSplits*tile.K)) * tile.K, Count: uint32(tiles),
		})
	})
	p.add(sums, x)
	p.check(fmt.Sprintf("symm of order %d", m), x, want, bound)
}

// syr2k checks C − Y·Zᴴ − Z·Yᴴ. Imaginary parts of the diagonal of C are NaN before the update and
// 0 afterwards, and the upper triangle stays NaN.
func (p *complexBench[T]) syr2k(kernel *vk.Kernel[shaders.Syr2kSpec, shaders.Syr2kPush[T]], tile Tile, n, k int) {
	y, z, c := random(n, k, 1), random(n, k, 2), random(n, n, 3)
	lower := func(x complexMatrix, imag float64) complexMatrix {
		return complexFilled(n, n, func(i, j int) complex128 {
			switch {
			case i < j:
				return complexNaN
			case i == j:
				return complex(real(x.of(i, i)), imag)
			}
			return x.of(i, j)
		})
	}
	want, bound := c.minus([2]complexMatrix{y, z.adjoint()}, [2]complexMatrix{z, y.adjoint()})
	x := p.put(4, lower(c, math.NaN()))
	squares := vk.Tiles(n, tile.M)
	tiles := squares * (squares + 1) / 2 * int(tile.M/tile.N)
	p.dispatch(func(rec *vk.Recorder) {
		kernel.Dispatch(rec, vk.Folded(tiles), shaders.Syr2kPush[T]{
			Y: p.put(0, y).Addr(), Z: p.put(1, z).Addr(), C: x.Addr(),
			N: uint32(n), K: uint32(k), Ldy: uint32(y.ld), Ldz: uint32(z.ld), Ldc: uint32(c.ld), Count: uint32(tiles),
		})
	})
	what := fmt.Sprintf("syr2k of order %d", n)
	p.check(what, x, lower(want, 0), bound)
	for i, have := range stagetest.Get(p.t, p.dev, x.At) {
		if i%x.Ld == i/x.Ld && imag(complex128(have)) != 0 {
			p.t.Errorf("%s: the diagonal element %d is %v", what, i/x.Ld, have)
		}
	}
}
