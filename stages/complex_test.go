package stages_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// The tests in this file run kernels for complex numbers by themselves, and compare them with loops
// over complex numbers.

// complexArrays are column-major matrices on the device, and their numbers on the host before the
// kernel runs.
type complexArrays[T stagetest.Complex] struct {
	t    *testing.T
	dev  *vk.Device
	most int
	at   []vk.Slice[T]
	host [][]complex128
}

// newComplexArrays makes `count` arrays of `size` random numbers, which complex64 holds exactly.
func newComplexArrays[T stagetest.Complex](t *testing.T, count, size int) *complexArrays[T] {
	x := &complexArrays[T]{t: t, dev: stagetest.Device(t), most: size}
	all := vk.Reserve[T]("arrays", count*size)
	ws := stagetest.Arena(t, x.dev, vk.Together(all))
	r := rand.New(rand.NewPCG(uint64(count), uint64(size)))
	for i := range count {
		host := make([]complex128, size)
		for l := range host {
			host[l] = stagetest.RandomComplex(r)
		}
		x.at, x.host = append(x.at, all.In(ws).Sub(i*size, size)), append(x.host, host)
		x.put(i, host)
	}
	return x
}

func (x *complexArrays[T]) put(i int, host []complex128) {
	stagetest.Put(x.t, x.dev, x.at[i], append(stagetest.ComplexOf[T](host), make([]T, x.most-len(host))...))
}

func (x *complexArrays[T]) run(record func(rec *vk.Recorder)) {
	x.t.Helper()
	rec := vk.NewRecorder(x.dev)
	record(rec)
	stagetest.Run(x.t, x.dev, rec)
}

// check compares array i with `want`, and reports the first element that differs by more than
// `tolerance`. An element that is NaN in `want` must be NaN.
func (x *complexArrays[T]) check(what string, i int, want []complex128, tolerance float64) {
	x.t.Helper()
	for l, have := range stagetest.Get(x.t, x.dev, x.at[i])[:len(want)] {
		z := complex128(have)
		if cmplx.IsNaN(want[l]) != cmplx.IsNaN(z) || !(cmplx.IsNaN(z) || cmplx.Abs(z-want[l]) <= tolerance) {
			x.t.Fatalf("%s: element %d is %v, want %v", what, l, z, want[l])
		}
	}
}

// copied is the tolerance for numbers that a kernel copies.
const copied = 0

// complexDigits is a bound on the rounding error of a sum of a few dozen products of numbers near
// 1.
func complexDigits[T stagetest.Complex]() float64 { return 0x1p8 * stagetest.EpsilonOf[T]() }

func TestComplexCopies(t *testing.T) {
	stagetest.EachComplex(t, testComplexCopies[complex128], testComplexCopies[complex64])
}

func testComplexCopies[T stagetest.Complex](t *testing.T) {
	const rows, cols, ldx, ldy = 21, 9, 23, 22
	x := newComplexArrays[T](t, 5, 32*32)
	want := append([]complex128(nil), x.host[1]...)
	for i := range rows {
		for j := range cols {
			want[i+j*ldy] = x.host[0][i+j*ldx]
		}
	}
	x.run(func(rec *vk.Recorder) {
		k := single(t, shaders.Lacpy[T](), shaders.LacpySpec{LocalSize: 8})
		k.Dispatch(rec, vk.Folded(vk.Tiles(rows, 8)*cols), shaders.LacpyPush[T]{
			X: x.at[0].Addr(), Y: x.at[1].Addr(), Rows: rows, Cols: cols, Ldx: ldx, Ldy: ldy,
		})
	})
	x.check("lacpy", 1, want, copied)

	want = append([]complex128(nil), x.host[2]...)
	for i := range rows {
		for j := range cols {
			want[j+i*ldy] = x.host[0][i+j*ldx]
		}
	}
	x.run(func(rec *vk.Recorder) {
		k := single(t, shaders.Transpose[T](), shaders.TransposeSpec{LocalSize: 16, Tile: 8})
		k.Dispatch(rec, vk.Folded(vk.Tiles(rows, 8)*vk.Tiles(cols, 8)), shaders.TransposePush[T]{
			A: x.at[0].Addr(), B: x.at[2].Addr(), Rows: rows, Cols: cols, Lda: ldx, Ldb: ldy,
		})
	})
	x.check("transpose", 2, want, copied)

	want = append([]complex128(nil), x.host[3]...)
	for i := range rows {
		for j := range cols {
			want[i+j*ldx] = 0
			if i == j {
				want[i+j*ldx] = 1
			}
		}
	}
	x.run(func(rec *vk.Recorder) {
		k := single(t, shaders.Laset[T](), shaders.LasetSpec{LocalSize: 8})
		k.Dispatch(rec, vk.Folded(vk.Tiles(rows, 8)*cols), shaders.LasetPush[T]{X: x.at[3].Addr(), Rows: rows, Cols: cols, Ldx: ldx})
	})
	x.check("laset", 3, want, copied)

	const b = 4
	moved, left := append([]complex128(nil), x.host[4]...), append([]complex128(nil), x.host[0]...)
	for i := range rows {
		for j := range cols {
			if i/b < (2+j)/b {
				moved[i+j*ldy], left[i+j*ldx] = left[i+j*ldx], 0
			}
		}
	}
	x.run(func(rec *vk.Recorder) {
		k := single(t, shaders.LacpyUpper[T](), shaders.LacpyUpperSpec{LocalSize: 8})
		k.Dispatch(rec, vk.Folded(vk.Tiles(rows, 8)*cols), shaders.LacpyUpperPush[T]{
			X: x.at[0].Addr(), Z: x.at[4].Addr(), Rows: rows, Cols: cols, Ldx: ldx, Ldz: ldy, First: 2, B: b,
		})
	})
	x.check("lacpy_upper, what moved", 4, moved, copied)
	x.check("lacpy_upper, what stays", 0, left, copied)
}

// TestComplexBand checks that band_extract copies the diagonal blocks of a Hermitian matrix to the
// band, and sets them and the elements above them to zero. The imaginary parts of the diagonal are
// NaN in the matrix, and must be 0 in the band.
func TestComplexBand(t *testing.T) {
	stagetest.EachComplex(t, testComplexBand[complex128], testComplexBand[complex64])
}

func testComplexBand[T stagetest.Complex](t *testing.T) {
	const n, b, ld = 19, 4, 21
	x := newComplexArrays[T](t, 2, 32*32)
	for j := range n {
		x.host[0][j+j*ld] = complex(real(x.host[0][j+j*ld]), math.NaN())
	}
	x.put(0, x.host[0])
	a, band := append([]complex128(nil), x.host[0]...), append([]complex128(nil), x.host[1]...)
	for j := range n {
		for i := range min((j/b+1)*b, n) {
			switch {
			case i == j:
				band[j*2*b] = complex(real(a[i+j*ld]), 0)
			case i > j:
				band[i-j+j*2*b] = a[i+j*ld]
			}
			a[i+j*ld] = 0
		}
	}
	x.run(func(rec *vk.Recorder) {
		k := single(t, shaders.BandExtract[T](), shaders.BandExtractSpec{LocalSize: 8})
		k.Dispatch(rec, vk.Folded(vk.Tiles(n, 8)*vk.Tiles(n, b)), shaders.BandExtractPush[T]{A: x.at[0].Addr(), Band: x.at[1].Addr(), N: n, B: b, Ld: ld})
	})
	x.check("the band", 1, band, copied)
	x.check("the matrix", 0, a, copied)
}

// TestComplexFactors checks three kernels for the product I − Y·T·Yᴴ of complex reflectors:
// larft_rows, which computes T and products −S·T; larft, which computes diagonal blocks of T; and
// larft_diagonal, which copies the factors of panels to the diagonal of a larger T.
func TestComplexFactors(t *testing.T) {
	stagetest.EachComplex(t, testComplexFactors[complex128], testComplexFactors[complex64])
}

func testComplexFactors[T stagetest.Complex](t *testing.T) {
	const n, ld, rows1, rows2 = 11, 13, 5, 3
	const g, tau, s1, s2, factor, above, r1, r2, blocks = 0, 1, 2, 3, 4, 5, 6, 7, 8
	x := newComplexArrays[T](t, 9, 256)
	for l := range x.host[g] {
		x.host[g][l] /= 8 // so that T does not grow
	}
	for l := range n {
		x.host[g][l+l*ld] = cmplx.NaN()
	}
	x.host[tau][3] = 0
	x.put(g, x.host[g])
	x.put(tau, x.host[tau])
	gram := func(i, j int) complex128 { return x.host[g][i+j*ld] }
	triangle := make([]complex128, n*ld) // T, column by column: T(:, j) = −τ_j·T·G(:, j)
	for j := range n {
		triangle[j+j*ld] = x.host[tau][j]
		for i := range j {
			for l := i; l < j; l++ {
				triangle[i+j*ld] -= x.host[tau][j] * triangle[i+l*ld] * gram(l, j)
			}
		}
	}
	x.run(func(rec *vk.Recorder) {
		k := single(t, shaders.LarftRows[T](), shaders.LarftRowsSpec{LocalSize: 32, Columns: 16})
		k.Dispatch(rec, vk.Folded(vk.Tiles(n+rows1+rows2, 2)), shaders.LarftRowsPush[T]{
			G: x.at[g].Addr(), Tau: x.at[tau].Addr(), S1: x.at[s1].Addr(), S2: x.at[s2].Addr(),
			T: x.at[factor].Addr(), Above: x.at[above].Addr(), R1: x.at[r1].Addr(), R2: x.at[r2].Addr(),
			N: n, Ldg: ld, Ldt: ld, LdAbove: ld, Rows1: rows1, Lds1: rows1, Ldr1: rows1, Rows2: rows2, Lds2: rows2, Ldr2: rows2,
		})
	})
	tolerance := complexDigits[T]()
	product := func(s []complex128, rows int) []complex128 { // −S·T
		r := make([]complex128, rows*n)
		for i := range rows {
			for j := range n {
				for l := range j + 1 {
					r[i+j*rows] -= s[i+l*rows] * triangle[l+j*ld]
				}
			}
		}
		return r
	}
	for i, array := range []int{factor, above} {
		for j := range n { // the padding keeps its numbers
			copy(x.host[array][j*ld:j*ld+n], triangle[j*ld:j*ld+n])
		}
		x.check(fmt.Sprint("larft_rows, T number ", i), array, x.host[array], tolerance)
	}
	x.check("larft_rows, R1", r1, product(x.host[s1], rows1), tolerance)
	x.check("larft_rows, R2", r2, product(x.host[s2], rows2), tolerance)

	for name, block := range map[string]int{"one block": 16, "blocks": 4} {
		x.put(blocks, x.host[blocks])
		want := append([]complex128(nil), x.host[blocks]...)
		for j := range n {
			for i := j / block * block; i < n; i++ {
				want[i+j*ld] = 0
				if i/block == j/block {
					want[i+j*ld] = triangle[i+j*ld]
				}
			}
		}
		x.run(func(rec *vk.Recorder) {
			k := single(t, shaders.Larft[T](), shaders.LarftSpec{LocalSize: 16, Block: uint32(block)})
			k.Dispatch(rec, vk.Grid(vk.Tiles(n, uint32(block))), shaders.LarftPush[T]{
				G: x.at[g].Addr(), Tau: x.at[tau].Addr(), T: x.at[blocks].Addr(), N: n, Ldg: ld, Ldt: ld,
			})
		})
		x.check("larft, "+name, blocks, want, tolerance)
	}

	const b = 4
	want := make([]complex128, n*n)
	for l := range want {
		i, j := l%n, l/n
		if i/b == j/b {
			want[l] = x.host[s1][j/b*b*b+j%b*b+i%b]
		}
	}
	x.run(func(rec *vk.Recorder) {
		k := single(t, shaders.LarftDiagonal[T](), shaders.LarftDiagonalSpec{LocalSize: 8})
		k.Dispatch(rec, vk.Folded(vk.Tiles(n*n, 8)), shaders.LarftDiagonalPush[T]{Panels: x.at[s1].Addr(), T: x.at[blocks].Addr(), N: n, B: b})
	})
	x.check("larft_diagonal", blocks, want, copied)
}

// TestComplexMiddle checks the kernel sy2sb_middle of the band reduction. From six random matrices
// it must compute N = −½·Tᴴ·(X·T + S1ᴴ·R1 + S2ᴴ·R2). T is upper triangular.
func TestComplexMiddle(t *testing.T) {
	stagetest.EachComplex(t, testComplexMiddle[complex128], testComplexMiddle[complex64])
}

func testComplexMiddle[T stagetest.Complex](t *testing.T) {
	const b, rows, ld, out = 5, 23, 24, 6
	for _, threads := range []uint32{4, 16} { // fewer than b, and several for each sum
		x := newComplexArrays[T](t, 7, b*ld)
		for j := range b {
			for i := j + 1; i < b; i++ {
				x.host[1][i+j*ld] = 0
			}
		}
		x.put(1, x.host[1])
		times := func(left func(i, l int) complex128, count, array int) (c [b][b]complex128) {
			for i := range b {
				for j := range b {
					for l := range count {
						c[i][j] += left(i, l) * x.host[array][l+j*ld]
					}
				}
			}
			return c
		}
		adjoint := func(array int) func(i, l int) complex128 {
			return func(i, l int) complex128 { return cmplx.Conj(x.host[array][l+i*ld]) }
		}
		inner := times(func(i, l int) complex128 { return x.host[0][i+l*b] }, b, 1)
		first, second := times(adjoint(2), rows, 3), times(adjoint(4), rows, 5)
		want := append([]complex128(nil), x.host[out]...)
		for i := range b {
			for j := range b {
				want[i+j*ld] = 0
				for l := range b {
					want[i+j*ld] -= adjoint(1)(i, l) * (inner[l][j] + first[l][j] + second[l][j]) / 2
				}
			}
		}
		x.run(func(rec *vk.Recorder) {
			k := single(t, shaders.Sy2sbMiddle[T](), shaders.Sy2sbMiddleSpec{LocalSize: threads, Columns: b})
			k.Dispatch(rec, vk.Grid(b), shaders.Sy2sbMiddlePush[T]{
				X: x.at[0].Addr(), T: x.at[1].Addr(), S1: x.at[2].Addr(), R1: x.at[3].Addr(), S2: x.at[4].Addr(), R2: x.at[5].Addr(),
				N: x.at[out].Addr(), Ldt: ld, Ldn: ld, Rows: rows, Lds1: ld, Ldr1: ld, Lds2: ld, Ldr2: ld,
			})
		})
		x.check(fmt.Sprintf("the middle with %d invocations", threads), out, want, 8*complexDigits[T]())
	}
}
