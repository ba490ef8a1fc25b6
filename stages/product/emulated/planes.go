package emulated

import (
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// rows describes a factor of a product op(A)·op(B) as a set of vectors along the inner dimension,
// which are called rows. They are the rows of op(A), or the columns of op(B). Element k of row r
// lies r·stepRow + k·stepInner elements after element 0 of row 0.
type rows[T Double] struct {
	at                 vk.Slice[T]
	rows, inner        int
	stepRow, stepInner int

	// Each row begins with `from` zeros that are not in memory. The field `inner` counts them, too.
	from int

	// conjugate says that the rows are the conjugates of those in memory.
	conjugate bool

	// symmetric says that only the lower triangle is in memory: the elements k ≤ r of row r.
	symmetric bool
}

// part returns the rows first … first+count−1 of f. A row of a symmetric factor is not contiguous,
// so in this case the part begins at the same address as f.
func (f rows[T]) part(first, count int) rows[T] {
	if f.rows = count; !f.symmetric {
		f.at = f.at.From(first * f.stepRow)
	}
	return f
}

// operand describes the factor op(m) of a product as vectors along the inner dimension, which the
// type calls rows. They are the rows of op(m), or its columns if it is the right factor.
func operand[T Double](op product.Op, m product.Matrix[T], right bool) rows[T] {
	f := rows[T]{at: m.At, rows: m.Rows, inner: m.Cols, stepRow: 1, stepInner: m.Ld, conjugate: isComplex[T]() && op.Conjugates()}
	if op.Transposes() != right {
		f.rows, f.inner, f.stepRow, f.stepInner = m.Cols, m.Rows, m.Ld, 1
	}
	return f
}

// geometry describes how the planes of one factor (its residues modulo each modulus) lie in memory.
// All sizes include padding.
type geometry struct {
	rows, inner int
	panelBytes  int // bytes from one panel to the next
	planeBytes  int // bytes from one plane to the next
}

func (k *kernels[T]) geometry(rows, inner int) geometry {
	g := geometry{rows: up(rows, k.padRows), inner: up(inner, k.padInner)}
	g.panelBytes = g.inner*k.tuning.Panel + k.tuning.Spacing
	g.planeBytes = g.rows / k.tuning.Panel * g.panelBytes
	return g
}

func (g geometry) words(n int) int { return n * g.planeBytes / 4 }

func up(n, step int) int { return (n + step - 1) / step * step }

const (
	normThreads  = 256
	farThreads   = 1024 // invocations of a workgroup of the kernel for norms of far factors
	shiftThreads = 128
	planeThreads = 128
	planePart    = 8 // largest number of elements that one invocation converts
)

// These are numbers of rows whose norms one workgroup computes. The usual number is normRows. It is
// halved while there are fewer than normGroups workgroups, but not below normLeast, so that a
// workgroup reads whole sectors of the cache. If the elements of a row are contiguous, the number
// begins with normAlong and may be halved down to 1. For a far factor the number is farRows.
const normRows, normGroups, normLeast, normAlong, farRows = 32, 512, 4, 8, 128

// mostNear is the distance from the first to the last element of a row, in doubles, above which a
// factor is far. A GPU caches the physical addresses of some pages of its memory (TLB). A workgroup
// that computes norms reads all pages that its rows are in. The rows of a far factor are in more
// pages than this cache can hold. Workgroups of a far factor have more rows, so that fewer
// workgroups read each page. On an H200, back transformation 1 of order 65536 with 32768 vectors,
// whose rows span 17 GB, took 24.9 s with the usual number of rows, and takes 14.1 s with farRows.
// Where a row spans 8.6 GB, the usual number is fast.
const mostNear = 9 << 27

var farDoubles = mostNear

// isFar tells whether the elements of a row are spread over much memory. Symmetric factors do not
// count: they are converted once for each block of a reduction, and have a kernel of their own.
func (f rows[T]) isFar() bool {
	return !f.symmetric && f.stepInner > 1 && f.inner*f.stepInner*schemeOf[T]().doubles > farDoubles
}

func (f rows[T]) share() uint32 {
	if f.isFar() {
		return farRows
	}
	share, least := uint32(normRows), uint32(normLeast)
	if f.stepInner == 1 {
		share, least = normAlong, 1
	}
	for share > least && vk.Tiles(f.rows, share) < normGroups {
		share /= 2
	}
	return share
}

func (k *kernels[T]) normsOf(f rows[T]) *normsKernel {
	switch {
	case f.symmetric:
		return k.symmetricNorms
	case f.isFar():
		return k.farNorms
	}
	return k.norms
}

// recordNorms writes an upper bound of the norm of each row of f to `norms`, and increases `peak`
// to the largest of them. `peak` must be zero before.
func (k *kernels[T]) recordNorms(rec *vk.Recorder, f rows[T], norms vk.Slice[shaders.Norm], peak vk.Slice[uint32]) {
	kernel := k.normsOf(f)
	cost := float64(normCost * k.doubles * f.inner)
	k.cut(f.rows, max(normRows, int(f.share())), cost, func(first, count int) {
		part := f.part(first, count)
		share := min(part.share(), kernel.Spec.LocalSize)
		kernel.Dispatch(rec, vk.Folded(vk.Tiles(count, share)), shaders.EmulatedNormsPush{
			A: integers(part.at), Norms: norms.From(first).Addr(), Peak: peak.Addr(),
			StepRow: uint64(f.stepRow), StepInner: uint64(f.stepInner),
			Before: uint32(first), Rows: uint32(count), Inner: uint32(f.inner - f.from), Share: share,
		}, vk.Touches(f.at), vk.Touches(norms), vk.Touches(peak))
		rec.Costs(cost * float64(count))
	})
}

// recordPlanes converts f to residues. If `right` is true, they are multiplied by the numbers that
// moduli.System.Right returns.
func (k *kernels[T]) recordPlanes(rec *vk.Recorder, f rows[T], right bool, shifts vk.Slice[int32], g geometry, planes vk.Slice[uint32]) {
	kernel := k.left
	switch {
	case right:
		kernel = k.right
	case f.symmetric:
		kernel = k.symmetric
	}
	cost := k.rowCost(g)
	k.cut(g.rows, k.tuning.Panel, cost, func(first, count int) {
		have := max(min(f.rows-first, count), 0) // number of rows that are not padding
		begin := min(first, f.rows-1)
		kernel.Dispatch(rec, vk.Folded(vk.Tiles(count*(g.inner/int(kernel.Spec.Part)), kernel.Spec.LocalSize)), shaders.EmulatedPlanesPush{
			A: integers(f.part(begin, have).at), Shifts: shifts.From(begin).Addr(), Planes: planes.From(first / k.tuning.Panel * g.panelBytes / 4).Addr(),
			StepRow: uint64(f.stepRow), StepInner: uint64(f.stepInner),
			PlaneBytes: uint64(g.planeBytes), PanelBytes: uint32(g.panelBytes),
			Rows: uint32(have), Inner: uint32(f.inner), PaddedRows: uint32(count), PaddedInner: uint32(g.inner),
			From: uint32(f.from), Before: uint32(begin),
		}, vk.Touches(f.at), vk.Touches(shifts), vk.Touches(planes))
		rec.Costs(cost * float64(count))
	})
}

// The costs of the kernels for one element, in operations on 32-bit integers, each of which takes
// about as long as one flop, or less. planeCostEach and updateEach are the additional costs for
// each plane, and complexEach takes the place of updateEach for complex elements.
const (
	normCost                 = 16
	planeCost, planeCostEach = 30, 6
	updateCost, updateEach   = 60, 5
	complexEach              = 15
)

// rowCost is the cost of the conversion of one row to residues. The row's norm costs less.
func (k *kernels[T]) rowCost(g geometry) float64 {
	return float64(planeCost*k.doubles+planeCostEach*k.moduli.Planes()) * float64(g.inner)
}

func (k *kernels[T]) cuts(g geometry) bool { return g.rows > k.within(k.rowCost(g)) }

// cut divides `rows` rows into ranges of a multiple of `step`, and calls `do` for each. A range
// costs at most what one dispatch may, unless it has only `step` rows. `cost` is that of one row,
// in flops.
func (k *kernels[T]) cut(rows, step int, cost float64, do func(first, count int)) {
	size := rows
	if most := k.within(cost * float64(step)); most < vk.Tiles(rows, uint32(step)) {
		size = most * step
	}
	for first := 0; first < rows; first += size {
		do(first, min(size, rows-first))
	}
}

func (k *kernels[T]) within(cost float64) int {
	if k.tuning.Dispatch <= 0 || cost <= 0 {
		return math.MaxInt32
	}
	return int(max(1, min(k.tuning.Dispatch/cost, math.MaxInt32)))
}

func integers[T Double](s vk.Slice[T]) spirv.Addr[uint64] { return spirv.Addr[uint64](s.Addr()) }
