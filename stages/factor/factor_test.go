package factor

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// The tests compute on the host with complex128 for every number type T. The matrices of float32
// and complex64 are rounded before.

// eachType runs the test of a stage for every number type.
func eachType(t *testing.T, doubles, singles, complexes, complexSingles func(t *testing.T)) {
	t.Run("float64", doubles)
	t.Run("float32", singles)
	stagetest.EachComplex(t, complexes, complexSingles)
}

// random returns an m×n matrix of numbers that T holds exactly.
func random[T spirv.Scalar](m, n int, seed uint64) []complex128 {
	r := rand.New(rand.NewPCG(seed, 36))
	x := make([]complex128, m*n)
	for i := range x {
		x[i] = stagetest.RandomComplex(r)
	}
	return stagetest.Exactly(stagetest.Rounded[T](x))
}

// hermitian returns a random Hermitian matrix. positive returns G·Gᴴ/n + I with a random matrix G.
func hermitian[T spirv.Scalar](n int, seed uint64) []complex128 {
	a := random[T](n, n, seed)
	for j := range n {
		a[j+j*n] = complex(real(a[j+j*n]), 0)
		for i := range j {
			a[i+j*n] = cmplx.Conj(a[j+i*n])
		}
	}
	return a
}

func positive[T spirv.Scalar](n int, seed uint64) []complex128 {
	g, b := random[T](n, n, seed), make([]complex128, n*n)
	for i := range n {
		b[i+i*n] = 1
	}
	ref.Gemm(ref.NoTrans, ref.Adjoint, n, n, n, 1/float64(max(n, 1)), g, n, g, n, 1, b, n)
	return stagetest.Exactly(stagetest.Rounded[T](b))
}

// given returns the lower triangle of a Hermitian matrix with leading dimension ld. All other
// numbers, which must not be read, are NaN.
func given[T spirv.Scalar](n int, dense []complex128, ld int) []T {
	x := stagetest.Padded(n, n, stagetest.Rounded[T](dense), ld)
	for j := range n {
		for i := range j {
			x[i+j*ld] = stagetest.NaN[T]()
		}
		switch z := any(&x[j+j*ld]).(type) {
		case *complex128:
			*z = complex(real(*z), math.NaN())
		case *complex64:
			*z = complex(real(*z), float32(math.NaN()))
		}
	}
	return x
}

func multiply(n int, opA ref.Op, a, b []complex128, opC ref.Op, c []complex128) []complex128 {
	ab, abc := make([]complex128, n*n), make([]complex128, n*n)
	ref.Gemm(opA, ref.NoTrans, n, n, n, 1, a, n, b, n, 0, ab, n)
	ref.Gemm(ref.NoTrans, opC, n, n, n, 1, ab, n, c, n, 0, abc, n)
	return abc
}

func identity(n int) []complex128 {
	x := make([]complex128, n*n)
	for i := range n {
		x[i+i*n] = 1
	}
	return x
}

func norm(m, n int, x []complex128) float64 { return ratio.Norm1(m, n, x, max(m, 1)) }

// apart returns the largest |xᵢ − yᵢ|/(ε·scale).
func apart[T spirv.Scalar](x, y []complex128, scale float64) (worst float64) {
	for i := range x {
		worst = max(worst, cmplx.Abs(x[i]-y[i]))
	}
	return worst / (scale * stagetest.UlpOf[T]())
}

// factored is a matrix B on the device after its factorisation, in an arena with further memory.
type factored[T spirv.Scalar] struct {
	t      *testing.T
	dev    *vk.Device
	ops    product.Ops[T]
	ws     *vk.Arena
	factor Factor[T]
	order  int          // of a minor
	l      []complex128 // n×n
}

// factorise factors the matrix `dense` on the device. `further` is memory for later stages.
func factorise[T spirv.Scalar](t *testing.T, n int, dense []complex128, tune Tables, further func(ops product.Ops[T]) []vk.Space) factored[T] {
	t.Helper()
	d := factored[T]{t: t, dev: stagetest.Device(t)}
	tiled, err := product.New[T](d.dev, product.Fitting[T](tune.Products, d.dev.Info())) // the tables have tiles for doubles
	if err != nil {
		t.Fatal(err)
	}
	d.ops = tiled
	if ops, is := any(d.ops).(product.Ops[float64]); is {
		d.ops = any(roomtest.NewReservedOps(t, fmt.Sprintf("n=%d, %+v", n, tune.Cholesky), ops)).(product.Ops[T])
	}
	c, err := NewCholesky(d.dev, n, d.ops, tune.Cholesky)
	if err != nil {
		t.Fatal(err)
	}
	ld := n + 3
	b, inverses := vk.Reserve[T]("B", ld*n), vk.Reserve[T]("L⁻¹", tune.Cholesky.InverseLen(n))
	parts := []vk.Space{b, inverses, c.Work(), c.Status()}
	if further != nil {
		parts = append(parts, further(d.ops)...)
	}
	d.ws = stagetest.Arena(t, d.dev, vk.Together(append(parts, d.ops.Work())...))
	stagetest.Put(t, d.dev, b.In(d.ws), given[T](n, dense, ld))
	rec := vk.NewRecorder(d.dev)
	d.factor = c.Record(rec, d.ws, product.NewMatrix(b.In(d.ws), n, n, ld), inverses.In(d.ws))
	stagetest.Run(t, d.dev, rec)
	d.order = int(stagetest.Get(t, d.dev, c.Info(d.ws))[0])
	d.l = stagetest.Exactly(stagetest.Unpadded(t, n, n, stagetest.Get(t, d.dev, b.In(d.ws)), ld))
	return d
}

// sizes returns the orders of matrices for each tuning of the tests. They lie at and near multiples
// of its blocks.
func sizes(t *testing.T) map[*Tables][]int {
	smallest, other, usual := SmallestTuning(), SmallestTuning(), TuningFor(stagetest.Device(t).Info())
	other.Cholesky = Tuning{Order: 4, Block: 16}
	order := int(usual.Cholesky.Order)
	usual.Cholesky.Block = min(usual.Cholesky.Block, 4*order) // orders for which package ref takes seconds, not minutes
	block := usual.Cholesky.Block
	return map[*Tables][]int{
		&smallest: {1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 41, 47, 48, 64, 65, 70},
		&other:    {1, 3, 4, 5, 8, 9, 16, 17, 37},
		&usual:    {order, order + 1, 2*order + 1, block + order + 3},
	}
}

// TestCholesky checks B = L·Lᴴ and the inverses of the diagonal blocks, and compares L with the one
// of package ref.
func TestCholesky(t *testing.T) {
	eachType(t, testCholesky[float64], testCholesky[float32], testCholesky[complex128], testCholesky[complex64])
}

func testCholesky[T spirv.Scalar](t *testing.T) {
	var residual, inverse, distance stagetest.Worst
	for tune, orders := range sizes(t) {
		for _, n := range orders {
			where := fmt.Sprintf("n=%d %+v", n, tune.Cholesky)
			dense := positive[T](n, uint64(n))
			d := factorise[T](t, n, dense, *tune, nil)
			if d.order != 0 {
				t.Fatalf("%s: the minor of order %d", where, d.order)
			}
			back := multiply(n, ref.NoTrans, d.l, identity(n), ref.Adjoint, d.l)
			residual.See(apart[T](back, dense, norm(n, n, dense)), where)
			want := slices.Clone(dense)
			ref.Cholesky(n, int(tune.Cholesky.Order), want, n)
			for j := range n {
				clear(want[j*n : j*n+j])
			}
			distance.See(apart[T](d.l, want, norm(n, n, dense)), where)
			inverses, order := stagetest.Exactly(stagetest.Get(t, d.dev, d.factor.Inverses)), tune.Cholesky.inverse()
			for first := 0; first < n; first += order {
				size := min(order, n-first)
				x, eye := inverses[first*order:], make([]complex128, size*size)
				ref.Gemm(ref.NoTrans, ref.NoTrans, size, size, size, 1, x, order, d.l[first+first*n:], n, 0, eye, size)
				inverse.See(apart[T](eye, identity(size), norm(n, n, dense)), where)
				for j := range size {
					for i := range j {
						if x[i+j*order] != 0 {
							t.Fatalf("%s: element (%d, %d) of the inverse at %d is %v", where, i, j, first, x[i+j*order])
						}
					}
				}
			}
		}
	}
	residual.AtMost(t, "‖B − L·Lᴴ‖/(ε·‖B‖)", 2)
	inverse.AtMost(t, "‖I − X·L‖/(ε·‖B‖)", 2)
	distance.AtMost(t, "distance from ref.Cholesky in ε·‖B‖", 2)
}

// TestCholeskyFindsTheMinor puts a pivot that is not positive and finite at each place of the
// diagonal, or at some places for types other than float64. Info must be the order of its minor.
// All numbers before the pivot are integers, so that a pivot 0 is exact.
func TestCholeskyFindsTheMinor(t *testing.T) {
	eachType(t, testCholeskyFindsTheMinor[float64], testCholeskyFindsTheMinor[complex128],
		testCholeskyFindsTheMinor[float32], testCholeskyFindsTheMinor[complex64])
}

func testCholeskyFindsTheMinor[T spirv.Scalar](t *testing.T) {
	const n = 35
	for k := range n {
		for _, pivot := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			if spirv.KindOf[T]() != spirv.Float64 && k%8 > 0 && k < n-1 {
				continue
			}
			b := make([]complex128, n*n) // L·D·Lᴴ, where all elements of L are 1
			for j := range n {
				for i := range n {
					b[i+j*n] = complex(float64(min(i, j)+1), 0)
					if min(i, j) >= k && !math.IsNaN(pivot) && !math.IsInf(pivot, 0) {
						b[i+j*n] += complex(pivot-1, 0)
					}
				}
			}
			if math.IsNaN(pivot) || math.IsInf(pivot, 0) {
				b[k+k*n] = complex(pivot, 0)
			}
			if d := factorise[T](t, n, b, SmallestTuning(), nil); d.order != k+1 {
				t.Errorf("pivot %d is %g: the minor of order %d", k, pivot, d.order)
			}
		}
	}
}

// TestCholeskyOfExtremes checks matrices of very large and of very small elements, up to those
// whose squares overflow or underflow.
func TestCholeskyOfExtremes(t *testing.T) {
	const n = 20
	var residual stagetest.Worst
	for _, scale := range []float64{0x1p-1000, 0x1p-501, 0x1p500, 0x1p1020} {
		dense := positive[float64](n, 1)
		for i := range dense {
			dense[i] *= complex(scale, 0)
		}
		d := factorise[float64](t, n, dense, SmallestTuning(), nil)
		if d.order != 0 {
			t.Fatalf("scale %g: the minor of order %d", scale, d.order)
		}
		back := multiply(n, ref.NoTrans, d.l, identity(n), ref.Adjoint, d.l)
		residual.See(apart[float64](back, dense, norm(n, n, dense)), fmt.Sprint(scale))
	}
	residual.AtMost(t, "‖B − L·Lᴴ‖/(ε·‖B‖)", 2)
}

// TestSolve checks the solutions of triangular systems for all four operations op(L): the
// triangular matrix L, its transpose, its conjugate and its adjoint. L is on the left and on the
// right side.
func TestSolve(t *testing.T) {
	eachType(t, testSolve[float64], testSolve[float32], testSolve[complex128], testSolve[complex64])
}

func testSolve[T spirv.Scalar](t *testing.T) {
	const m = 5
	var residual stagetest.Worst
	for _, n := range []int{1, 8, 17, 32, 49, 77} {
		var x, y vk.Region[T]
		d := factorise(t, n, positive[T](n, 3), SmallestTuning(), func(ops product.Ops[T]) []vk.Space {
			x, y = vk.Reserve[T]("X", (n+m)*(n+m)), vk.Reserve[T]("Y", (n+m)*(n+m))
			if err := ops.Reserve(product.Shape{M: n, N: m, K: n, Count: 1}, product.Shape{M: m, N: n, K: n, Count: 1}); err != nil {
				t.Fatal(err)
			}
			return []vk.Space{x, y}
		})
		for _, side := range []Side{Left, Right} {
			rows, cols := n, m
			if side == Right {
				rows, cols = m, n
			}
			given := random[T](rows, cols, 9)
			for op := product.NoTrans; op <= product.Adjoint; op++ {
				stagetest.Put(t, d.dev, x.In(d.ws).Sub(0, rows*cols), stagetest.Rounded[T](given))
				to := product.NewMatrix(y.In(d.ws), rows, cols, rows+m)
				stagetest.Put(t, d.dev, to.At, slices.Repeat([]T{stagetest.NaN[T]()}, to.At.Len()))
				rec := vk.NewRecorder(d.dev)
				d.factor.Solve(rec, d.ws, side, op, product.NewMatrix(x.In(d.ws), rows, cols, rows), to)
				stagetest.Run(t, d.dev, rec)
				solved := stagetest.Exactly(stagetest.Unpadded(t, rows, cols, stagetest.Get(t, d.dev, to.At.Sub(0, to.Ld*cols)), to.Ld))
				back, l, same := make([]complex128, rows*cols), d.l, ref.Op(op)
				if side == Left {
					ref.Gemm(same, ref.NoTrans, n, m, n, 1, l, n, solved, n, 0, back, n)
				} else {
					ref.Gemm(ref.NoTrans, same, m, n, n, 1, solved, m, l, n, 0, back, m)
				}
				residual.See(apart[T](back, given, norm(n, n, l)*norm(rows, cols, solved)), fmt.Sprintf("n=%d, left %v, op %d", n, side, op))
			}
		}
	}
	residual.AtMost(t, "‖op(L)·Y − X‖/(ε·‖L‖·‖Y‖)", 2)
}

// TestStandardForm checks the matrix C of the standard eigenproblem of a pencil A, B by its
// definition, with the Cholesky factor L of B: C is L⁻¹·A·L⁻ᴴ or Lᴴ·A·L. It also compares C with
// the one of package ref.
func TestStandardForm(t *testing.T) {
	eachType(t, testStandardForm[float64], testStandardForm[float32], testStandardForm[complex128], testStandardForm[complex64])
}

func testStandardForm[T spirv.Scalar](t *testing.T) {
	var residual, distance stagetest.Worst
	for tune, orders := range sizes(t) {
		for i, n := range orders {
			for p := AxLBx; p <= BAxLx; p++ {
				if p == BAxLx && i%3 > 0 {
					continue // C is the same as for ABxLx
				}
				where := fmt.Sprintf("type %d, n=%d %+v", p, n, tune.Cholesky)
				var form *StandardForm[T]
				ld := n + n%2
				a := vk.Reserve[T]("A", ld*n)
				d := factorise(t, n, positive[T](n, 3), *tune, func(ops product.Ops[T]) []vk.Space {
					var err error
					if form, err = NewStandardForm(stagetest.Device(t), n, p, ops, tune.Cholesky); err != nil {
						t.Fatal(err)
					}
					return []vk.Space{a, form.Work()}
				})
				dense := hermitian[T](n, uint64(n))
				stagetest.Put(t, d.dev, a.In(d.ws), given[T](n, dense, ld))
				rec := vk.NewRecorder(d.dev)
				form.Record(rec, d.ws, product.NewMatrix(a.In(d.ws), n, n, ld), d.factor)
				stagetest.Run(t, d.dev, rec)
				c := whole(n, stagetest.Exactly(stagetest.Unpadded(t, n, n, stagetest.Get(t, d.dev, a.In(d.ws)), ld)))
				size := norm(n, n, d.l) * norm(n, n, d.l)
				if p == AxLBx {
					residual.See(apart[T](multiply(n, ref.NoTrans, d.l, c, ref.Adjoint, d.l), dense, size*norm(n, n, c)), where)
				} else {
					residual.See(apart[T](multiply(n, ref.Adjoint, d.l, dense, ref.NoTrans, d.l), c, size*norm(n, n, dense)), where)
				}
				ref.StandardForm(ref.Pencil(p), n, tune.Cholesky.Block, dense, n, d.l, n)
				distance.See(apart[T](c, whole(n, dense), size*norm(n, n, dense)), where)
			}
		}
	}
	residual.AtMost(t, "‖A − L·C·Lᴴ‖ or ‖C − Lᴴ·A·L‖, in ε and the norms", 2)
	distance.AtMost(t, "distance from ref.StandardForm", 2)
}

// `whole` returns the Hermitian matrix of which x has the lower triangle.
func whole(n int, x []complex128) []complex128 {
	x = slices.Clone(x)
	for j := range n {
		x[j+j*n] = complex(real(x[j+j*n]), 0)
		for i := range j {
			x[i+j*n] = cmplx.Conj(x[j+i*n])
		}
	}
	return x
}

func TestRefuses(t *testing.T) {
	dev := stagetest.Device(t)
	cholesky := func(tune Tuning) func() error {
		return func() error {
			_, err := NewCholesky[float64](dev, 10, nil, tune)
			return err
		}
	}
	no := "stages: no Cholesky factorisation can be tuned by "
	stagetest.Refusals(t, []stagetest.Refusal{
		{Text: no + "{Order:0 Block:0}", Call: cholesky(Tuning{})},
		{Text: no + "{Order:6 Block:24}", Call: cholesky(Tuning{Order: 6, Block: 24})},
		{Text: no + "{Order:8 Block:0}", Call: cholesky(Tuning{Order: 8})},
		{Text: no + "{Order:8 Block:24}", Call: cholesky(Tuning{Order: 8, Block: 24})},
		{Text: "stages: no generalized eigenproblem has the number 4", Call: func() error {
			_, err := NewStandardForm[float64](dev, 10, 4, nil, SmallestTuning().Cholesky)
			return err
		}},
	})
	var unsupported *vk.UnsupportedError
	if err := cholesky(Tuning{Order: 1024, Block: 2048})(); !errors.As(err, &unsupported) || unsupported.Feature != "invocations in a workgroup" {
		t.Errorf("blocks of order 1024: %v", err)
	}
	if err := (Tuning{Order: 64, Block: 512}).Fits(vk.Info{MaxLocal: 256, SharedBytes: 2047}); !errors.As(err, &unsupported) || unsupported.Feature != "bytes of shared memory" {
		t.Errorf("without shared memory: %v", err)
	}
}

// TestRecording checks the order of the recorded commands against a golden file. A product of
// matrices appears only as a line with its shapes. A matrix of order 75 has three blocks of
// columns. The last of them has two diagonal blocks, of which the second is smaller.
func TestRecording(t *testing.T) {
	const n = 75
	d, ops, tune := roomtest.Dry(), roomtest.WrittenOps(), SmallestTuning().Cholesky
	c, err := NewCholesky(d, n, ops, tune)
	if err != nil {
		t.Fatal(err)
	}
	form, err := NewStandardForm(d, n, AxLBx, ops, tune)
	if err != nil {
		t.Fatal(err)
	}
	a, b, inverses := vk.Reserve[float64]("A", n*n), vk.Reserve[float64]("B", n*n), vk.Reserve[float64]("L⁻¹", tune.InverseLen(n))
	ws, err := d.NewArena(vk.Together(a, b, inverses, c.Work(), c.Status(), form.Work()))
	if err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(d)
	f := c.Record(rec, ws, product.NewMatrix(b.In(ws), n, n, n), inverses.In(ws))
	form.Record(rec, ws, product.NewMatrix(a.In(ws), n, n, n), f)
	var text strings.Builder
	if _, err := rec.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	stagetest.Golden(t, "recording.golden", text.String())
}
