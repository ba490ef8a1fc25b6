package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// singularVectors computes the singular vectors of one solve from the bidiagonal matrix C:
//
//	C = S·Σ·Wᵀ               by divide and conquer (Gu and Eisenstat, 1995)
//	V = P1·(P2·W)
//	U = Q0·Q1·[Q2·S 0; 0 I]  with Full; otherwise without the columns of I
//
// S and W are stored transposed, with a vector in each row, until recordColumns transposes them. U
// and V are here the vectors of the matrix on the device, which may be the adjoint of the caller's
// matrix.
type singularVectors[T evd.Number] struct {
	*solve[T]
	c     spectrum.Tridiagonal // the Golub-Kahan form of C
	wants [2]Vectors           // the vectors that this solve wants
	first side                 // the side whose vectors decide the signs

	// The vectors are those of the values `from` … `from`+k−1, as soon as the values are found. The
	// largest value has index 0.
	from, k int

	made bool
	at   [2]product.Matrix[T] // the columns of each side, when they are made
}

// singularVectors returns the computation of the vectors that the caller wants. c is the
// Golub-Kahan form of the bidiagonal matrix C. The sides u and v of the matrix on the device give
// the caller's U and V.
func (s *solve[T]) singularVectors(c spectrum.Tridiagonal, u, v side) *singularVectors[T] {
	z := &singularVectors[T]{solve: s, c: c, first: v}
	z.wants[u], z.wants[v] = s.opt.U, s.opt.V
	if s.asked.V == None {
		z.first = u
	}
	return z
}

func (z *singularVectors[T]) found(p spectrum.Part) { z.from, z.k = found(p, z.cols) }

// downloads describes how the wanted singular vectors are copied to the host: first U, then V.
func (z *singularVectors[T]) downloads(u, v side) (all []spectrum.Vectors[T]) {
	for _, of := range []side{u, v} {
		if z.wants[of] != None {
			all = append(all, z.download(of))
		}
	}
	return all
}

func (z *singularVectors[T]) download(of side) spectrum.Vectors[T] {
	v := spectrum.Vectors[T]{Rows: z.length(of)}
	if z.wants[of] == Full {
		v.Cols = z.length(of)
	}
	v.Back = func(stages.Matrix) (product.Matrix[T], error) {
		err := z.make()
		return z.at[of], err
	}
	return v
}

// make computes the vectors of all wanted sides at its first call. Later calls do nothing.
func (z *singularVectors[T]) make() error {
	if z.made {
		return nil
	}
	z.made = true
	if z.k == 0 {
		for of := range z.at {
			z.at[of] = z.columnsOf(side(of))
		}
		return nil
	}
	if err := z.conquer(); err != nil {
		return plan.During(stages.PhaseBidiagonal, err)
	}
	return z.Run(func(rec *vk.Recorder) {
		for of, x := range z.conquered() {
			if z.wants[of] != None {
				z.doubles.Narrow(rec, z.Arena, of, x)
			}
		}
		if z.wants[right] != None && !z.bidiagonal {
			z.recordRight(rec)
		}
		if z.wants[left] != None && !z.bidiagonal {
			z.recordLeft(rec)
		}
		z.steps.products.emulated.Refused(z.Call, rec, z.Arena)
		z.recordColumns(rec)
	})
}

// conquer computes the singular vectors of C by divide and conquer, or on the safe path by QR
// iteration on the host. Their singular values are not used. The result has those that bisection
// found: they are at least as accurate, and are the same with and without vectors.
func (z *singularVectors[T]) conquer() error {
	d, e := bidiagonalOf(z.c)
	return z.steps.conquer.solve(z.Call, d, e, z.from, z.from+z.k, z.conquered())
}

// conquered returns the device matrices S and W, with vectors as rows, as far as they are wanted.
func (z *singularVectors[T]) conquered() (x [2]stages.Matrix) {
	for _, of := range []side{left, right} {
		if z.wants[of] != None {
			x[of] = z.doubles.conquered(z.Arena, of, z.k, z.cols)
		}
	}
	return x
}

// rowsOf returns the k vectors of one side on the device, one per row.
func (z *singularVectors[T]) rowsOf(of side, components int) product.Matrix[T] {
	return product.NewMatrix(z.doubles.vectors(z.Arena, of), z.k, components, z.k)
}

func (z *singularVectors[T]) recordRight(rec *vk.Recorder) {
	x := z.rowsOf(right, z.cols)
	z.recordBack2(rec, stages.PhaseApplyP2, right, x)
	if p1 := z.steps.p1; p1 != nil {
		band := p1.B // P1 does not change the first rows
		reflectors := z.reduced().Block(0, band, p1.Cols, p1.Rows)
		p1.Record(rec, z.Arena, reflectors, z.regions.right.In(z.Arena), x.Block(0, band, x.Rows, p1.Rows))
	}
}

// recordLeft transforms the left vectors back, from S to U. It overwrites the reflectors of P1, so
// it must come after recordRight.
func (z *singularVectors[T]) recordLeft(rec *vk.Recorder) {
	n, ws, s, r := z.cols, z.Arena, &z.steps, &z.regions
	x := z.rowsOf(left, n)
	z.recordBack2(rec, stages.PhaseApplyQ2, left, x)
	if z.tall {
		s.q1.Record(rec, ws, z.reduced(), r.left.In(ws), x)
	}
	all, last, factors := z.rowsOf(left, z.rows), s.q1, r.left
	if z.tall {
		last, factors = s.q0, r.first
	}
	vk.Fill(rec, all.At.Sub(z.k*n, z.k*(z.rows-n)), 0)
	if z.wants[left] == Full && z.more() > 0 {
		rest := z.rest()
		vk.Fill(rec, rest.At.Sub(0, rest.Rows*n), 0)
		s.identity.Record(rec, rest.Block(0, n, rest.Rows, rest.Rows))
		last.Record(rec, ws, z.matrixA(), factors.In(ws), rest)
	}
	last.Record(rec, ws, z.matrixA(), factors.In(ws), all)
}

// rest returns the left vectors on the device that belong to no singular value, one per row (only
// with Full).
func (z *singularVectors[T]) rest() product.Matrix[T] {
	return product.NewMatrix(z.regions.more.In(z.Arena), z.more(), z.rows, max(z.more(), 1))
}

// recordBack2 multiplies the vectors x by Q2 (left side) or P2 (right side).
func (z *singularVectors[T]) recordBack2(rec *vk.Recorder, phase string, of side, x product.Matrix[T]) {
	rec.Phase(phase, 0, 1)
	z.steps.q2.Record(rec, z.Arena, z.reflectors(z.Arena, of), x)
	z.Info(rec, stages.CauseWait, phase, z.steps.q2.Info(z.Arena))
}

// recordColumns transposes the vectors from rows into columns, and fixes the signs. The columns
// overwrite the reflectors, except left vectors that have memory of their own (regions.full). The
// vectors of the side z.first decide each sign, and those of the other side are negated with them.
func (z *singularVectors[T]) recordColumns(rec *vk.Recorder) {
	rec.Phase(stages.PhaseTranspose, 0, 1)
	flipped := z.regions.flipped.In(z.Arena)
	for i, of := range []side{z.first, 1 - z.first} {
		if z.wants[of] == None {
			continue
		}
		z.at[of] = z.columnsOf(of)
		found := z.at[of].Block(0, 0, z.length(of), z.k)
		z.steps.transpose.Record(rec, z.rowsOf(of, z.length(of)), found)
		if i == 0 {
			z.steps.signs.RecordDeciding(rec, found, flipped)
		} else {
			z.steps.signs.RecordFollowing(rec, found, flipped)
		}
		if more := z.at[of].Cols - z.k; more > 0 {
			rest := z.at[of].Block(0, z.k, z.rows, more)
			z.steps.transpose.Record(rec, z.rest(), rest)
			z.steps.signs.Record(rec, rest)
		}
	}
}

// columnsOf returns the vectors of one side on the device, one per column.
func (z *singularVectors[T]) columnsOf(of side) product.Matrix[T] {
	rows, cols, at := z.length(of), z.k, z.regions.chased
	if of == left {
		at = z.regions.a
		if z.regions.full.Len() > 0 {
			cols, at = rows, z.regions.full
		}
	}
	return product.NewMatrix(at.In(z.Arena), rows, cols, rows)
}
