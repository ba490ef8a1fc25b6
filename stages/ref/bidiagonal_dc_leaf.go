package ref

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// sweepsPerValue·n is the largest number of QR sweeps of a leaf with n values, so that the
// iteration ends. Two or three sweeps for each value are usual.
const sweepsPerValue = 30

// leafIteration is the QR iteration of a leaf. Before and after every sweep the leaf equals S·C·Wᵀ,
// where C is upper bidiagonal with diagonal d[n] and superdiagonal e[n−1]. If the leaf has one more
// column than rows, C also has a last column of zeros. s and w hold the columns of S and W.
type leafIteration struct {
	d, e []float64
	s, w [][]float64
	tiny float64 // ε·‖C‖; elements up to this size count as zero
}

// bidiagonalLeaf solves a block by QR iteration (Golub and Kahan, Demmel and Kahan; dlasdq). d and
// e are the diagonal and the superdiagonal of the block. If the block has one more column than
// rows, e has as many elements as d; otherwise e has one element fewer.
func bidiagonalLeaf(d, e []float64) bidiagonalBlock {
	n, columns := len(d), len(e)+1
	it := &leafIteration{
		d: timesPowerOfTwo(d, 0), e: timesPowerOfTwo(e, 0),
		s: unitVectors(n), w: unitVectors(columns),
		tiny: tridiag.Roundoff * tridiag.Largest(d, e),
	}
	var b bidiagonalBlock
	if columns > n {
		it.annihilateLastColumn()
		b.null = it.w[n]
	}
	it.run()
	for i, sigma := range it.d {
		if sigma < 0 {
			sigma = -sigma
			negate(it.s[i])
		}
		b.triplets = append(b.triplets, triplet{sigma: sigma, s: it.s[i], w: it.w[i]})
	}
	return b
}

// annihilateLastColumn makes the last column, column n, zero. A rotation of columns n−1 and n
// annihilates the last element of e. This rotation moves a part of e[n−2], the element above, to
// column n. Rotations of column n with columns n−2 … 0 annihilate this part, one row after another.
func (it *leafIteration) annihilateLastColumn() {
	n := len(it.d)
	fill := it.e[n-1] // element (i, n)
	it.e = it.e[:n-1]
	for i := n - 1; i >= 0; i-- {
		var c, s float64
		c, s, it.d[i] = rotation(it.d[i], fill)
		rotateVectors(c, s, it.w[i], it.w[n])
		if i > 0 {
			fill = -s * it.e[i-1]
			it.e[i-1] *= c
		}
	}
}

// run iterates until C is diagonal. Each sweep works on the last range of rows lo … hi in which all
// elements of e are non-zero.
func (it *leafIteration) run() {
	hi := len(it.d) - 1
	for sweeps := sweepsPerValue * len(it.d); hi > 0 && sweeps > 0; {
		it.dropTiny()
		if it.e[hi-1] == 0 {
			hi--
			continue
		}
		lo := hi - 1
		for lo > 0 && it.e[lo-1] != 0 {
			lo--
		}
		if shift := it.shift(lo, hi); shift == 0 {
			it.sweepWithoutShift(lo, hi)
		} else {
			it.sweep(lo, hi, shift)
		}
		sweeps--
	}
}

func (it *leafIteration) dropTiny() {
	for _, x := range [][]float64{it.d, it.e} {
		for i := range x {
			if math.Abs(x[i]) <= it.tiny {
				x[i] = 0
			}
		}
	}
}

// shift returns a singular value of the 2×2 matrix at the lower right end of rows lo … hi: the
// value that is nearer to the last diagonal element. Let f, g and h be the elements of this matrix.
// The nearer value is the larger one if |h| > |f|. The sum of the two values is √((|f|+|h|)² + g²),
// their difference is √((|f|−|h|)² + g²), and their product is |f·h| (dlas2). If a diagonal element
// in rows lo … hi is zero, C has the singular value zero, and the shift is zero.
func (it *leafIteration) shift(lo, hi int) float64 {
	for _, x := range it.d[lo : hi+1] {
		if x == 0 {
			return 0
		}
	}
	f, g, h := math.Abs(it.d[hi-1]), it.e[hi-1], math.Abs(it.d[hi])
	sum, difference := math.Hypot(f+h, g), math.Hypot(f-h, g)
	if h > f {
		return (sum + difference) / 2
	}
	return 2 * f * h / (sum + difference)
}

// sweep is one step of implicit QR iteration on CᵀC − shift²·I (dbdsqr). The first rotation of
// columns annihilates the second element of the first column of CᵀC − shift²·I. The rotation makes
// a non-zero element below the diagonal of C (a bulge). A rotation of rows annihilates the bulge
// and makes a bulge above the superdiagonal. Further rotations move the bulge down to row hi, where
// it leaves the matrix.
func (it *leafIteration) sweep(lo, hi int, shift float64) {
	d, e := it.d, it.e
	f, g := (math.Abs(d[lo])-shift)*(math.Abs(d[lo])+shift), d[lo]*e[lo]
	for i := lo; i < hi; i++ {
		c, s, r := rotation(f, g) // of columns i and i+1
		if i > lo {
			e[i-1] = r
		}
		f, e[i] = c*d[i]+s*e[i], c*e[i]-s*d[i]
		g, d[i+1] = s*d[i+1], c*d[i+1]
		rotateVectors(c, s, it.w[i], it.w[i+1])

		c, s, d[i] = rotation(f, g) // of rows i and i+1
		f, d[i+1] = c*e[i]+s*d[i+1], c*d[i+1]-s*e[i]
		if i+1 < hi {
			g, e[i+1] = s*e[i+1], c*e[i+1]
		}
		rotateVectors(c, s, it.s[i], it.s[i+1])
	}
	e[hi-1] = f
}

// sweepWithoutShift is a QR step with a shift of zero, in a form without subtractions (Demmel and
// Kahan 1990). If a diagonal element is zero, this step makes d[hi] and e[hi−1] zero.
func (it *leafIteration) sweepWithoutShift(lo, hi int) {
	d, e := it.d, it.e
	c, cl, sl := 1.0, 1.0, 0.0 // last rotation of columns; last rotation of rows
	for i := lo; i < hi; i++ {
		var s, r float64
		c, s, r = rotation(d[i]*c, e[i])
		rotateVectors(c, s, it.w[i], it.w[i+1])
		if i > lo {
			e[i-1] = sl * r
		}
		cl, sl, d[i] = rotation(cl*r, d[i+1]*s)
		rotateVectors(cl, sl, it.s[i], it.s[i+1])
	}
	h := d[hi] * c
	d[hi], e[hi-1] = h*cl, h*sl
}
