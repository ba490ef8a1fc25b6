package back

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ApplyQ2Squares multiplies m vectors by the orthogonal matrix of a bulge chasing, as ApplyQ2 does,
// but by large matrix products:
//
//	X ← Q2·X
//
// X is n×m and is stored transposed: Xt is m×n, and component r of vector c lies at c + r·ld.
//
// A square U is a product of Householder reflectors: those of `sweeps` neighbouring sweeps, and of
// each sweep those of height/b successive steps on `height` rows. U is an orthogonal matrix of
// order height + sweeps − 1. The sweeps s0 … s0+sweeps−1 have the squares U(0), U(1), …, and square
// u acts on the rows from s0 + 1 + u·height on. The reflectors of these sweeps are the product
//
//	⋯U(2)·U(1)·U(0)
//
// because reflectors of steps with smaller numbers may act first; ormtr_q2.comp has the proof. A
// kernel multiplies the reflectors of each square out, and each square is then applied by a
// product:
//
//	Xt(:, rows) ← Xt(:, rows)·Uᵀ
//
// ApplyQ2 needs 2·n²·m flops, and its reflectors are too short for matrix units. With height =
// sweeps the products of ApplyQ2Squares need 4·n²·m flops, with an inner dimension of 2·sweeps, and
// to multiply the reflectors out takes 2·n²·sweeps flops. So ApplyQ2Squares is faster if products
// run on integer units that are much faster than the device's double precision.
type ApplyQ2Squares[T spirv.Scalar] struct {
	Size
	sweeps, height int // sizes of a square; `height` is a multiple of B
	limit          float64
	ops            product.Ops[T]
	spec           shaders.OrgtrQ2Spec

	// multiplied is the kernel that multiplies the reflectors of squares out. It is nil if Q2 = I.
	multiplied *vk.Kernel[shaders.OrgtrQ2Spec, shaders.OrgtrQ2Push[T]]

	// copying is the kernel that copies rows of vectors.
	copying *move.Copying[T]

	// squares holds the squares of `sweeps` sweeps, each transposed. rows holds those rows of the
	// vectors on which a square acts, as they were before the product.
	squares, rows vk.Region[T]
}

// NewApplyQ2Squares returns a *vk.UnsupportedError if the reflectors do not fit shared memory.
func NewApplyQ2Squares[T spirv.Scalar](
	dev *vk.Device, size Size, ops product.Ops[T], t ApplyQ2Tuning,
) (*ApplyQ2Squares[T], error) {
	if size.N < 0 || size.M < 0 || size.B < 1 || t.Squares.Sweeps < 1 {
		panic(fmt.Sprintf("stages: Q2 of order %d, half-bandwidth %d, for %d vectors, by squares of %d sweeps",
			size.N, size.B, size.M, t.Squares.Sweeps))
	}
	s := &ApplyQ2Squares[T]{Size: size, ops: ops, limit: t.Dispatch}
	if s.count() == 0 || s.M == 0 {
		return s, nil
	}
	t.Flags = false
	spec, err := q2Spec[T](t, dev.Info(), Size{N: s.N, B: s.B, M: 2 * s.N}, product.NoTrans)
	if err != nil {
		return nil, err
	}
	s.spec = shaders.OrgtrQ2Spec(spec)
	// The number of sweeps of a square is a multiple of the number of sweeps of a group, spec.G.
	// The height of a square is a multiple of b.
	s.sweeps = vk.Tiles(min(t.Squares.Sweeps, s.count()), s.spec.G) * int(s.spec.G)
	s.height = vk.Tiles(s.sweeps, uint32(s.B)) * s.B
	if s.multiplied, err = vk.Build(dev, shaders.OrgtrQ2[T](), s.spec); err != nil {
		return nil, err
	}
	if s.copying, err = move.NewCopying[T](dev); err != nil {
		return nil, err
	}
	// The first sweeps have the most squares, and the largest ones.
	first := s.division(0)
	s.squares = vk.Reserve[T]("squares of Q2", first.squares*first.order*first.order)
	s.rows = vk.Reserve[T]("rows of vectors", s.M*first.order)
	return s, ops.Reserve(product.Shape{M: s.M, N: first.order, K: first.order, Count: 1})
}

func (s *ApplyQ2Squares[T]) count() int { return chase.Size{N: s.N, B: s.B}.Sweeps() }

type q2Division struct {
	sweep, groups  int // the first sweep, and the number of groups of sweeps
	squares, order int // the number of squares, and the order of the largest
}

// division divides the reflectors of the next s.sweeps sweeps, or of all remaining sweeps, into
// squares. The first of these sweeps is `sweep`. The number of squares is the smallest for which no
// square is larger than s.height plus the number of sweeps minus 1. The last square has all
// remaining steps.
func (s *ApplyQ2Squares[T]) division(sweep int) q2Division {
	g := int(s.spec.G)
	d := q2Division{sweep: sweep, groups: vk.Tiles(min(s.sweeps, s.count()-sweep), uint32(g)), squares: 1}
	rows := s.N - 1 - sweep
	most := s.height + d.groups*g - 1
	if d.order = min(rows, most); rows > most {
		d.squares += vk.Tiles(rows-most, uint32(s.height))
	}
	return d
}

func (s *ApplyQ2Squares[T]) square(d q2Division, u int) (top, order int) {
	top = d.sweep + 1 + u*s.height
	return top, min(d.order, s.N-top)
}

func (s *ApplyQ2Squares[T]) Work() *vk.Layout {
	if s.multiplied == nil {
		return vk.Together()
	}
	return vk.Together(s.squares, s.rows)
}

func (s *ApplyQ2Squares[T]) Info(*vk.Arena) vk.Slice[uint32] { return vk.Slice[uint32]{} }

func (s *ApplyQ2Squares[T]) Flops() float64 { return s.ProductFlops() + s.multipliedFlops() }

// ProductFlops returns the cost of the products with the vectors. It is about 4·n²·m flops for
// order n and m vectors, if n is much larger than the number of sweeps in a square.
func (s *ApplyQ2Squares[T]) ProductFlops() float64 {
	flops := 0.0
	s.each(func(d q2Division) {
		for u := range d.squares {
			_, order := s.square(d, u)
			flops += 2 * float64(order) * float64(order) * float64(s.M)
		}
	})
	return flops
}

func (s *ApplyQ2Squares[T]) multipliedFlops() float64 {
	flops := 0.0
	s.each(func(d q2Division) { flops += float64(d.squares) * s.squareFlops(d) })
	return flops
}

// squareFlops returns the cost of multiplying out the reflectors of the largest square. Half of the
// products of reflectors with elements of the square would be zero, and are left out.
func (s *ApplyQ2Squares[T]) squareFlops(d q2Division) float64 {
	sweeps, height := float64(d.groups*int(s.spec.G)), float64(min(s.height, d.order))
	return 2 * sweeps * height * (sweeps + height)
}

// `each` calls `do` for each set of neighbouring sweeps, with the division of their reflectors into
// squares. The last sweeps come first, because they act first in Q2·X.
func (s *ApplyQ2Squares[T]) each(do func(q2Division)) {
	if s.multiplied == nil {
		return
	}
	for k := vk.Tiles(s.count(), uint32(s.sweeps)) - 1; k >= 0; k-- {
		do(s.division(k * s.sweeps))
	}
}

// Record multiplies the vectors X by Q2, the product of the reflectors q that BulgeChasing stored.
// xt is Xᵀ: m×n, or with fewer rows if there are fewer vectors.
func (s *ApplyQ2Squares[T]) Record(rec *vk.Recorder, ws *vk.Arena, q stages.Reflectors[T], xt product.Matrix[T]) {
	if xt.Rows > s.M || xt.Cols != s.N {
		panic(fmt.Sprintf("stages: Q2 of order %d for %d vectors applied to %d×%d", s.N, s.M, xt.Cols, xt.Rows))
	}
	if xt.Rows == 0 || s.multiplied == nil {
		return
	}
	q.Check(s.N, s.B)
	s.each(func(d q2Division) {
		s.multiply(rec, ws, q, d)
		for u := range d.squares {
			s.apply(rec, ws, d, u, xt)
		}
	})
}

// multiply records the kernel that computes the squares of the division d. A square is an orthogonal
// matrix, the product of Householder reflectors (see ApplyQ2Squares). A dispatch computes as many
// squares as its limit of flops allows, and at least one.
func (s *ApplyQ2Squares[T]) multiply(rec *vk.Recorder, ws *vk.Arena, q stages.Reflectors[T], d q2Division) {
	all := s.squares.In(ws).Sub(0, d.squares*d.order*d.order)
	vk.Fill(rec, all, 0)
	strips := vk.Tiles(d.order, s.spec.LocalSize/s.spec.Pipe/s.spec.Share)
	flops := s.squareFlops(d)
	stages.InPortions(d.squares, int(max(1, min(s.limit/flops, float64(d.squares)))), func(first, some int) {
		s.multiplied.Dispatch(rec, vk.Folded(some*strips), shaders.OrgtrQ2Push[T]{
			X: all.Addr(), V: q.V.Addr(), Tau: q.Tau.Addr(), N: uint32(s.N), M: uint32(d.order), Ld: uint32(d.order),
			Group: uint32(d.sweep/int(s.spec.G) + d.groups - 1), Groups: uint32(d.groups),
			Height: uint32(s.height / s.B), Squares: uint32(d.squares), First: uint32(first), End: uint32(first + some),
		})
		rec.Costs(flops * float64(some))
	})
}

func (s *ApplyQ2Squares[T]) apply(rec *vk.Recorder, ws *vk.Arena, d q2Division, u int, xt product.Matrix[T]) {
	top, order := s.square(d, u)
	x := xt.Block(0, top, xt.Rows, order)
	before := product.NewMatrix(s.rows.In(ws), x.Rows, order, x.Rows)
	s.copying.Record(rec, x, before)
	square := product.NewMatrix(s.squares.In(ws).From(u*d.order*d.order), order, order, d.order)
	s.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, before, square, 0, x)
}
