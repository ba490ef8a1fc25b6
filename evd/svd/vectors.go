package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// bases computes the singular vectors of one solve from the bidiagonal matrix C:
//
//	C = S·Σ·Wᵀ               by divide and conquer (Gu and Eisenstat, 1995)
//	V = P1·(P2·W)
//	U = Q0·Q1·[Q2·S 0; 0 I]  with Full; otherwise without the columns of I
//
// S and W are stored transposed, with a vector in each row, until recordColumns transposes them. U
// and V are here the vectors of the matrix on the device, which may be the transpose of the
// caller's matrix.
type bases[T evd.Float] struct {
	*solve[T]
	c     spectrum.Tridiagonal // the Golub-Kahan form of C
	wants [2]Vectors           // the vectors that this solve wants
	first side                 // the side whose vectors decide the signs

	// The vectors are those of the values from … from+k−1, as soon as the values are found. The
	// largest value has index 0.
	from, k int

	made bool
	at   [2]product.Matrix[T] // the columns of each side, when they are made
}

// bases returns the computation of the vectors that the caller wants. c is the Golub-Kahan form of the
// bidiagonal matrix C. The sides u and v of the matrix on the device give the caller's U and V.
func (s *solve[T]) bases(c spectrum.Tridiagonal, u, v side) *bases[T] {
	b := &bases[T]{solve: s, c: c, first: v}
	b.wants[u], b.wants[v] = s.opt.U, s.opt.V
	if s.asked.V == None {
		b.first = u
	}
	return b
}

func (b *bases[T]) found(p spectrum.Part) { b.from, b.k = found(p, b.cols) }

// downloads describes how the wanted singular vectors are copied to the host: first U, then V.
func (b *bases[T]) downloads(u, v side) (all []spectrum.Vectors[T]) {
	for _, of := range []side{u, v} {
		if b.wants[of] != None {
			all = append(all, b.download(of))
		}
	}
	return all
}

func (b *bases[T]) download(of side) spectrum.Vectors[T] {
	v := spectrum.Vectors[T]{Rows: b.length(of)}
	if b.wants[of] == Full {
		v.Cols = b.length(of)
	}
	v.Back = func(stages.Matrix) (product.Matrix[T], error) {
		err := b.make()
		return b.at[of], err
	}
	return v
}

// make computes the vectors of all wanted sides at its first call. Later calls do nothing.
func (b *bases[T]) make() error {
	if b.made {
		return nil
	}
	b.made = true
	if b.k == 0 {
		for of := range b.at {
			b.at[of] = b.columnsOf(side(of))
		}
		return nil
	}
	if err := b.conquer(); err != nil {
		return plan.During(stages.PhaseBidiagonal, err)
	}
	return b.Run(func(rec *vk.Recorder) {
		for of, x := range b.conquered() {
			if b.wants[of] != None {
				b.doubles.Narrow(rec, b.Arena, of, x)
			}
		}
		if b.wants[right] != None && !b.bidiagonal {
			b.recordRight(rec)
		}
		if b.wants[left] != None && !b.bidiagonal {
			b.recordLeft(rec)
		}
		b.steps.products.emulated.Refused(b.Call, rec, b.Arena)
		b.recordColumns(rec)
	})
}

// conquer computes the singular vectors of C by divide and conquer, or on the safe path by QR
// iteration on the host. Their singular values are not used. The result has those that bisection
// found: they are at least as accurate, and are the same with and without vectors.
func (b *bases[T]) conquer() error {
	d, e := bidiagonalOf(b.c)
	return b.steps.conquer.solve(b.Call, d, e, b.from, b.from+b.k, b.conquered())
}

// conquered returns the device matrices S and W, with vectors as rows, as far as they are wanted.
func (b *bases[T]) conquered() (x [2]stages.Matrix) {
	for _, of := range []side{left, right} {
		if b.wants[of] != None {
			x[of] = b.doubles.conquered(b.Arena, of, b.k, b.cols)
		}
	}
	return x
}

// rowsOf returns the k vectors of one side on the device, one per row.
func (b *bases[T]) rowsOf(of side, components int) product.Matrix[T] {
	return product.NewMatrix(b.doubles.vectors(b.Arena, of), b.k, components, b.k)
}

func (b *bases[T]) recordRight(rec *vk.Recorder) {
	x := b.rowsOf(right, b.cols)
	b.recordBack2(rec, stages.PhaseApplyP2, right, x)
	if p1 := b.steps.p1; p1 != nil {
		band := p1.B // P1 does not change the first rows
		reflectors := b.reduced().Block(0, band, p1.Cols, p1.Rows)
		p1.Record(rec, b.Arena, reflectors, b.regions.right.In(b.Arena), x.Block(0, band, x.Rows, p1.Rows))
	}
}

// recordLeft transforms the left vectors back, from S to U. It overwrites the reflectors of P1, so
// it must come after recordRight.
func (b *bases[T]) recordLeft(rec *vk.Recorder) {
	n, ws, s, r := b.cols, b.Arena, &b.steps, &b.regions
	x := b.rowsOf(left, n)
	b.recordBack2(rec, stages.PhaseApplyQ2, left, x)
	if b.tall {
		s.q1.Record(rec, ws, b.reduced(), r.left.In(ws), x)
	}
	all, last, factors := b.rowsOf(left, b.rows), s.q1, r.left
	if b.tall {
		last, factors = s.q0, r.first
	}
	vk.Fill(rec, all.At.Sub(b.k*n, b.k*(b.rows-n)), 0)
	if b.wants[left] == Full && b.more() > 0 {
		rest := b.rest()
		vk.Fill(rec, rest.At.Sub(0, rest.Rows*n), 0)
		s.identity.Record(rec, rest.Block(0, n, rest.Rows, rest.Rows))
		last.Record(rec, ws, b.matrixA(), factors.In(ws), rest)
	}
	last.Record(rec, ws, b.matrixA(), factors.In(ws), all)
}

// rest returns the left vectors on the device that belong to no singular value, one per row (only
// with Full).
func (b *bases[T]) rest() product.Matrix[T] {
	return product.NewMatrix(b.regions.more.In(b.Arena), b.more(), b.rows, max(b.more(), 1))
}

// recordBack2 multiplies the vectors x by Q2 (left side) or P2 (right side).
func (b *bases[T]) recordBack2(rec *vk.Recorder, phase string, of side, x product.Matrix[T]) {
	rec.Phase(phase, 0, 1)
	b.steps.q2.Record(rec, b.Arena, b.reflectors(b.Arena, of), x)
	b.Info(rec, stages.CauseWait, phase, b.steps.q2.Info(b.Arena))
}

// recordColumns transposes the vectors from rows into columns, which overwrite the reflectors, and
// fixes the signs. The vectors of the side b.first decide each sign, and those of the other side are
// negated with them.
func (b *bases[T]) recordColumns(rec *vk.Recorder) {
	rec.Phase(stages.PhaseTranspose, 0, 1)
	flipped := b.regions.flipped.In(b.Arena)
	for i, of := range []side{b.first, 1 - b.first} {
		if b.wants[of] == None {
			continue
		}
		b.at[of] = b.columnsOf(of)
		found := b.at[of].Block(0, 0, b.length(of), b.k)
		b.steps.transpose.Record(rec, b.rowsOf(of, b.length(of)), found)
		if i == 0 {
			b.steps.signs.RecordDeciding(rec, found, flipped)
		} else {
			b.steps.signs.RecordFollowing(rec, found, flipped)
		}
		if more := b.at[of].Cols - b.k; more > 0 {
			rest := b.at[of].Block(0, b.k, b.rows, more)
			b.steps.transpose.Record(rec, b.rest(), rest)
			b.steps.signs.Record(rec, rest)
		}
	}
}

// columnsOf returns the vectors of one side on the device, one per column.
func (b *bases[T]) columnsOf(of side) product.Matrix[T] {
	rows, cols, at := b.length(of), b.k, b.regions.chased
	if of == left {
		at = b.regions.a
		if b.regions.full.Len() > 0 {
			cols, at = rows, b.regions.full
		}
	}
	return product.NewMatrix(at.In(b.Arena), rows, cols, rows)
}
