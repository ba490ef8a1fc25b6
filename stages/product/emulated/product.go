package emulated

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

type memory struct {
	planes  vk.Region[uint32]
	words   vk.Region[uint32] // memory for the residues of two strips
	norms   vk.Region[shaders.Norm]
	shifts  vk.Region[int32]
	peaks   vk.Region[uint32] // the largest norm of each factor, for up to four factors, and two unused words
	refused vk.Region[uint32] // how many rows of left sides and of right sides could not be scaled
}

// side is the left or the right side of a product: one factor, or the two factors of a pair.
type side[T Double] struct {
	factors []rows[T]
	shape   geometry

	// `shifts` has, for each factor, the power of two by which each row is scaled. `planes` has the
	// residues of each factor.
	shifts []vk.Slice[int32]
	planes []vk.Slice[uint32]

	// conjugate says that the factors are the conjugates of those with these residues.
	conjugate bool
}

// problem is a product C ← α·(A·Bᵀ + A2·B2ᵀ) + β·C. Each factor is a set of rows along the inner
// dimension. A single product has no A2 and no B2.
type problem[T Double] struct {
	left, right []rows[T] // each has one factor, or two
	alpha, beta float64
	c           product.Matrix[T]

	lower bool

	// rankTwoK is true for a rank-2k update C − Y·Zᴴ − Z·Yᴴ. The left factors are then Y and Z, and
	// the right factors are Z and Y. C is then a block of columns, or lower is true, too.
	rankTwoK bool

	// `skip` is the number of rows at the beginning of the left factor that are multiplied although
	// their products do not belong to the result and are not stored.
	skip int

	// A row that cannot be scaled is refused and counted. `counted[0]` and `counted[1]` are true if
	// the refused rows of the left or of the right side are counted in another block of the result.
	counted [2]bool
}

type allot[T any] struct {
	from vk.Slice[T]
	used int
}

// take returns the next n unused elements of the region. Each result begins at a multiple of 64
// elements.
func (a *allot[T]) take(n int) vk.Slice[T] {
	s := a.from.Sub(a.used, n)
	a.used += up(n, 64)
	return s
}

func (k *kernels[T]) record(rec *vk.Recorder, ws *vk.Arena, mem *memory, p problem[T]) {
	left, right := k.recordFactors(rec, ws, mem, p)
	k.recordStrips(rec, ws, mem, p, left, right)
}

// recordFactors converts the factors of a product to residues, and returns both sides.
func (k *kernels[T]) recordFactors(rec *vk.Recorder, ws *vk.Arena, mem *memory, p problem[T]) (left, right *side[T]) {
	planes, norms := &allot[uint32]{from: mem.planes.In(ws)}, &allot[shaders.Norm]{from: mem.norms.In(ws)}
	shifts, peaks := &allot[int32]{from: mem.shifts.In(ws)}, mem.peaks.In(ws)
	vk.Fill(rec, peaks, 0)

	// The kernel emulated_shifts reads the largest norms in this order: first left, first right,
	// second left, second right factor.
	left, right = k.newSide(p.left), k.newSide(p.right)
	sides := []*side[T]{left, right}
	all := [2][]vk.Slice[shaders.Norm]{}
	together := rec.Concurrently
	if k.cuts(left.shape) || k.cuts(right.shape) { // the dispatches of one factor share a counter
		together = func(record func()) { record() }
	}
	together(func() {
		for s, side := range sides {
			if p.rankTwoK && s == 1 { // both sides have the same factors
				break
			}
			for i, f := range side.factors {
				n := norms.take(f.rows)
				all[s] = append(all[s], n)
				k.recordNorms(rec, f, n, peaks.Sub(2*i+s, 1))
			}
		}
	})
	if p.rankTwoK { // Z and Y are the right factors, too: their peaks are copied
		vk.Copy(rec, peaks.Sub(1, 1), peaks.Sub(2, 1))
		vk.Copy(rec, peaks.Sub(3, 1), peaks.Sub(0, 1))
	}
	rec.Concurrently(func() {
		for s, side := range sides {
			if p.rankTwoK && s == 1 {
				break
			}
			refused := mem.refused.In(ws).Sub(s, 1)
			if p.counted[s] {
				refused = peaks.Sub(4+s, 1)
			}
			k.recordShifts(rec, side, all[s], peaks.Sub(0, 4), shifts, refused, 1-2*s)
		}
	})
	together(func() {
		for s, side := range sides {
			if p.rankTwoK && s == 1 {
				break
			}
			for i, f := range side.factors {
				to := planes.take(side.shape.words(k.moduli.Planes()))
				side.planes = append(side.planes, to)
				// The residues modulo pᵢ of one factor of each product are multiplied by the number
				// qᵢ of the Chinese remainder theorem. Usually this is the right factor. A rank-2k
				// update has the products Y·Zᴴ and Z·Yᴴ with the same residues, so there it is
				// always Z.
				k.recordPlanes(rec, f, s == 1 || p.rankTwoK && i == 1, side.shifts[i], side.shape, to)
			}
		}
	})
	if p.rankTwoK {
		// The left factors of a rank-2k update are Y and Z, and the right factors are Z and Y with
		// the same residues. Y is multiplied by 2^balance on both sides, and the update of C must
		// divide by it. The first shifts of the left side are those of Y, and they contain the
		// balance. As the shifts of the right side they make the update divide by 2^balance.
		right.planes = []vk.Slice[uint32]{left.planes[1], left.planes[0]}
		right.shifts, right.conjugate = left.shifts[:1], isComplex[T]()
	}
	return left, right
}

// order returns the address of the first plane of each factor, and the distance in bytes from one
// plane to the next. The planes of a conjugate are read from the last one to the first one, so
// their distance is negative, modulo 2⁶⁴.
func (k *kernels[T]) order(s *side[T]) (first []spirv.Addr[uint32], distance uint64) {
	from, step := 0, s.shape.planeBytes
	if s.conjugate {
		from, step = (k.moduli.Planes()-1)*step/4, -step
	}
	for _, planes := range s.planes {
		first = append(first, planes.From(from).Addr())
	}
	return first, uint64(step)
}

// `from` returns the side s of a product without its first rows. Their number `first` must be a
// multiple of k.padRows.
func (k *kernels[T]) from(s *side[T], first int) *side[T] {
	part := &side[T]{shape: s.shape, conjugate: s.conjugate}
	for i := range s.planes {
		part.planes = append(part.planes, s.planes[i].From(first/k.tuning.Panel*s.shape.panelBytes/4))
	}
	for _, shifts := range s.shifts {
		part.shifts = append(part.shifts, shifts.From(first))
	}
	return part
}

// joint returns the shifts that hold for all factors of a side together, stored as those of the
// last factor.
func (s *side[T]) joint() vk.Slice[int32] { return s.shifts[len(s.shifts)-1] }

func (k *kernels[T]) newSide(f []rows[T]) *side[T] {
	return &side[T]{factors: f, shape: k.geometry(f[0].rows, f[0].inner), conjugate: f[0].conjugate}
}

// recordShifts chooses the shifts of one side: the powers of two by which rows are scaled. If two
// products are summed, a factor 2^balance makes their magnitudes about equal. `direction` is the
// sign of `balance`: 1 for the left side and −1 for the right side.
func (k *kernels[T]) recordShifts(rec *vk.Recorder, s *side[T], norms []vk.Slice[shaders.Norm], peaks vk.Slice[uint32],
	shifts *allot[int32], refused vk.Slice[uint32], direction int,
) {
	n := s.factors[0].rows
	push := shaders.EmulatedShiftsPush{
		Second: norms[len(norms)-1].Addr(), Peaks: peaks.Addr(), Refused: refused.Addr(), Rows: uint32(n),
		Bound: uint32(k.moduli.Bound), Exponent: int32(k.moduli.Exponent), Direction: int32(direction),
	}
	touch := []vk.Touch{vk.Touches(norms[len(norms)-1]), vk.Touches(peaks)}
	joint := shifts.take(n)
	push.Joint = joint.Addr()
	s.shifts = []vk.Slice[int32]{joint}
	if len(norms) > 1 {
		lone := shifts.take(n)
		push.First, push.Lone = norms[0].Addr(), lone.Addr()
		s.shifts = []vk.Slice[int32]{lone, joint}
		touch = append(touch, vk.Touches(norms[0]), vk.Touches(lone))
	}
	k.shifts.Dispatch(rec, vk.Folded(vk.Tiles(n, shiftThreads)), push, append(touch, vk.Touches(joint), vk.Touches(refused))...)
}

// recordStrips multiplies the residues and updates the result, strip by strip. A strip is some
// tiles of the result.
func (k *kernels[T]) recordStrips(rec *vk.Recorder, ws *vk.Arena, mem *memory, p problem[T], left, right *side[T]) {
	words := mem.words.In(ws)
	m, n := p.skip+p.c.Rows, p.c.Cols
	tiles := vk.Tiles(m, k.tileM) * vk.Tiles(n, k.tileN)
	lower := uint32(0)
	if p.lower {
		square := max(k.tileM, k.tileN)
		rows := vk.Tiles(n, square)
		tiles, lower = rows*(rows+1)/2*int(square/k.tileM*(square/k.tileN)), 1
		if p.rankTwoK {
			lower = shaders.EmulatedUpdateHermitian
		}
	}
	strip := min(tiles, k.strip(), k.stripWithin(left.shape.inner*len(left.planes)))
	inner := left.shape.inner
	push := shaders.EmulatedProductDotPush{
		PanelBytesA: uint32(left.shape.panelBytes), PanelBytesB: uint32(right.shape.panelBytes),
		ModulusWords: uint64(strip) * uint64(k.tileM*k.tileN/4),
		Inner:        uint32(inner), Rows: uint32(m), Cols: uint32(n), Lower: lower, Moduli: uint32(k.moduli.Planes()),
	}
	a, distanceA := k.order(left)
	b, distanceB := k.order(right)
	push.A, push.B, push.PlaneBytesA, push.PlaneBytesB = a[0], b[0], distanceA, distanceB
	if len(a) > 1 {
		push.A2, push.B2, push.Inner2 = a[1], b[1], uint32(inner)
	}
	fraction, exponent := k.moduli.Parts()
	update := shaders.EmulatedUpdatePush{
		Left: left.joint().Addr(), Right: right.joint().Addr(), C: spirv.Addr[float64](p.c.Addr()), ModulusWords: push.ModulusWords,
		PFraction: fraction, PExponent: int32(exponent), Alpha: p.alpha, Beta: p.beta,
		Ldc: uint32(p.c.Ld), Rows: uint32(m), Cols: uint32(n), Lower: lower, Skip: uint32(p.skip),
	}
	// The update of one strip waits for memory while the product of the next strip computes. So
	// both run at the same time, and there is memory for the residues of two strips.
	places := [2]vk.Slice[uint32]{words.Sub(0, words.Len()/2), words.Sub(words.Len()/2, words.Len()/2)}
	strips := (tiles + strip - 1) / strip
	for s := range strips + 1 {
		rec.Concurrently(func() {
			if s < strips {
				push.First, push.Count, push.Words = uint32(s*strip), uint32(min(strip, tiles-s*strip)), places[s%2].Addr()
				k.recordMultiply(rec, push, left, right, places[s%2])
			}
			if s > 0 {
				update.First, update.Count, update.Words = uint32((s-1)*strip), uint32(min(strip, tiles-(s-1)*strip)), places[(s-1)%2].Addr()
				k.recordUpdate(rec, update, left, right, places[(s-1)%2], p.c.At)
			}
		})
	}
}

func (k *kernels[T]) recordMultiply(rec *vk.Recorder, push shaders.EmulatedProductDotPush, left, right *side[T], words vk.Slice[uint32]) {
	grid := vk.Folded(int(push.Count))
	grid.Z = k.turns()
	touch := []vk.Touch{vk.Touches(words)}
	for _, planes := range [][]vk.Slice[uint32]{left.planes, right.planes} {
		for _, p := range planes {
			touch = append(touch, vk.Touches(p))
		}
	}
	k.multiply(rec, grid, push, touch...)
	rec.Costs(float64(push.Count) * k.tileCost(int(push.Inner+push.Inner2)))
}

// turns returns the number of groups into which the planes (the residues for each modulus) are
// divided. For each tile and each group there is one workgroup. It computes the planes of its group
// one after another.
func (k *kernels[T]) turns() int {
	if k.units.Matrix() {
		return vk.Tiles(k.moduli.Planes(), k.tuning.Tile.Turns)
	}
	return k.moduli.Planes()
}

func (k *kernels[T]) recordUpdate(rec *vk.Recorder, push shaders.EmulatedUpdatePush, left, right *side[T], words vk.Slice[uint32], c vk.Slice[T]) {
	groups := int(k.tileM*k.tileN/4) / int(k.update.Spec.LocalSize) // workgroups of a tile
	k.update.Dispatch(rec, vk.Folded(int(push.Count)*groups), push,
		vk.Touches(words), vk.Touches(left.joint()), vk.Touches(right.joint()), vk.Touches(c))
	rec.Costs(float64(push.Count) * k.updateTileCost())
}

func (k *kernels[T]) tileCost(inner int) float64 {
	return 2 * float64(k.tileM*k.tileN) * float64(inner) * float64(k.moduli.Planes()) / max(k.tuning.PerFlop, 1)
}

func (k *kernels[T]) updateTileCost() float64 {
	each := updateEach
	if isComplex[T]() {
		each = complexEach
	}
	return float64(k.tileM*k.tileN) * float64(updateCost*k.doubles+each*k.moduli.Planes())
}

// stripWithin returns the largest number of tiles of the result that one dispatch can multiply and
// one dispatch can update.
func (k *kernels[T]) stripWithin(inner int) int {
	return k.within(max(k.tileCost(inner), k.updateTileCost()))
}

func (k *kernels[T]) strip() int {
	return max(1, min(k.tuning.Strip/k.doubles/int(k.tileM*k.tileN), vk.MaxGroups()))
}

// mostInner is the largest inner dimension of a product, or of both products of a pair together.
const mostInner = moduli.MostInner
