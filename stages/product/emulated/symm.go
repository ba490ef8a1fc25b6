package emulated

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// symm implements products with a symmetric factor of order n. Hold converts all rows of the
// factor: n² residues for each modulus. Products with lower right blocks of the factor use the same
// residues.
type symm[T Double] struct {
	// k has the kernels for these products. Their results have few columns, so the tuning may have
	// a tile of its own for them. Then k has the kernels of other products at first, and `build`
	// makes the kernels with that tile when the first product is reserved.
	k     *kernels[T]
	build func() (*kernels[T], error)

	// `order` is the largest order of a symmetric factor whose products are emulated, or 0.
	order int

	planes vk.Region[uint32]
	shifts vk.Region[int32]
	work   *vk.Layout

	// `held` is the factor that the last call of Hold has converted, without rows if there is none.
	held product.Matrix[T]
}

// newSymm prepares products with few columns. If the tuning has a tile for them, its kernels are
// built when the first product is reserved: most plans have none. Otherwise the products use k.
func newSymm[T Double](dev *vk.Device, k *kernels[T], t product.Emulation) symm[T] {
	s := symm[T]{k: k}
	if t.Narrow.M > 0 && t.Held > 0 && k.units.Matrix() {
		t.Tile, t.Panel = t.Narrow, max(t.Panel, int(max(t.Narrow.M, t.Narrow.N)))
		s.build = func() (*kernels[T], error) { return newKernels[T](dev, t, k.units, k.moduli.N) }
	}
	return s
}

// reserve reserves memory for a symmetric factor of order n, unless its residues would need more
// than product.Emulation.Held bytes.
func (s *symm[T]) reserve(n int) error {
	if s.build != nil {
		k, err := s.build()
		if err != nil {
			return err
		}
		s.k, s.build = k, nil
	}
	if 4*s.shape(n).words(s.k.moduli.Planes()) <= s.k.tuning.Held {
		s.order = max(s.order, n)
	}
	s.work = nil
	return nil
}

func (s *symm[T]) shape(n int) geometry { return s.k.geometry(n, n) }

func (o *Ops[T]) HeldWork() *vk.Layout {
	s := &o.symm
	if s.work == nil {
		s.planes = vk.Reserve[uint32]("residues of a symmetric factor", s.shape(s.order).words(s.k.moduli.Planes()))
		s.shifts = vk.Reserve[int32]("shifts of a symmetric factor", s.order)
		s.work = vk.Together(s.planes, s.shifts)
	}
	return s.work
}

func (o *Ops[T]) holds(n int) bool {
	return n > 0 && n <= o.symm.order && n >= o.least.K && n*n >= o.least.M*o.least.N && n <= o.longest()
}

func (o *Ops[T]) Hold(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T]) {
	s, n := &o.symm, a.Rows
	if s.held = (product.Matrix[T]{}); !o.holds(n) {
		return
	}
	s.held = a
	f := operand(product.NoTrans, a, false)
	f.symmetric = true
	side, peaks := s.k.newSide([]rows[T]{f}), o.mem.peaks.In(ws)
	norms := o.mem.norms.In(ws).Sub(0, n)
	vk.Fill(rec, peaks, 0)
	s.k.recordNorms(rec, f, norms, peaks.Sub(0, 1))
	shifts := &allot[int32]{from: s.shifts.In(ws)}
	s.k.recordShifts(rec, side, []vk.Slice[shaders.Norm]{norms}, peaks.Sub(0, 4), shifts, o.Refused(ws).Sub(0, 1), 1)
	s.k.recordPlanes(rec, f, false, side.shifts[0], side.shape, s.planes.In(ws))
}

func (o *Ops[T]) isHeld(a product.Matrix[T]) bool {
	held, m := o.symm.held, a.Rows
	before := held.Rows - m
	return before >= 0 && o.holds(m) && a.Ld == held.Ld && held.Block(before, before, m, m).Addr() == a.Addr()
}

// SymmTogether runs an emulated product before the other products.
func (o *Ops[T]) SymmTogether(
	rec *vk.Recorder, ws *vk.Arena, a, w, p product.Matrix[T], others ...product.Product[T],
) {
	if !o.isHeld(a) {
		o.native.SymmTogether(rec, ws, a, w, p, others...)
		return
	}
	o.Symm(rec, ws, a, w, p)
	o.native.GemmTogether(rec, ws, others...)
}

// Symm is emulated if the matrix a is a lower right block of the factor that Hold has converted.
func (o *Ops[T]) Symm(rec *vk.Recorder, ws *vk.Arena, a, w, p product.Matrix[T]) {
	if !o.isHeld(a) {
		o.native.Symm(rec, ws, a, w, p)
		return
	}
	s, m := &o.symm, a.Rows
	before := s.held.Rows - m // rows of the held factor before the first row of a
	right := operand(product.NoTrans, w, true)
	fit(p, operand(product.NoTrans, a, false), right)

	// The residues are stored in panels of rows and in steps of columns, and a product can only
	// begin at the first row of a panel and at the first column of a step. So it may begin before
	// the first row and column of a. Its additional rows are not stored. For its additional
	// columns, W is extended by zeros.
	k, shape := s.k, s.shape(s.held.Rows)
	panel, column := before/k.tuning.Panel, before/k.padInner*k.padInner
	skip := before - panel*k.tuning.Panel
	right.from = before - column
	right.inner += right.from
	left := &side[T]{shape: shape}
	left.shape.rows -= panel * k.tuning.Panel
	left.shape.inner -= column
	left.planes = []vk.Slice[uint32]{s.planes.In(ws).From((panel*shape.panelBytes + column*k.tuning.Panel) / 4)}
	left.shifts = []vk.Slice[int32]{s.shifts.In(ws).From(panel * k.tuning.Panel)}

	other, peaks := k.newSide([]rows[T]{right}), o.mem.peaks.In(ws)
	norms := o.mem.norms.In(ws).Sub(0, right.rows)
	vk.Fill(rec, peaks, 0)
	k.recordNorms(rec, right, norms, peaks.Sub(1, 1))
	shifts := &allot[int32]{from: o.mem.shifts.In(ws)}
	k.recordShifts(rec, other, []vk.Slice[shaders.Norm]{norms}, peaks.Sub(0, 4), shifts, o.Refused(ws).Sub(1, 1), -1)
	other.planes = []vk.Slice[uint32]{o.mem.planes.In(ws).Sub(0, other.shape.words(k.moduli.Planes()))}
	k.recordPlanes(rec, right, true, other.shifts[0], other.shape, other.planes[0])
	k.recordStrips(rec, ws, o.mem, problem[T]{alpha: 1, c: p, skip: skip}, left, other)
}
