package ref

import "math"

// deflateBidiagonal finds the singular triplets of the two blocks that are also triplets of the
// merged matrix M, to within `tol` (dlasd2). M is diagonal except for one full row. The argument
// `zero` is the triplet of pole 0. The singular values of the triplets `others` must ascend. The
// result `remaining` has the triplets that remain in the secular equation. It begins with pole 0,
// and its poles ascend strictly. Except for pole 0, the poles and the magnitudes of their elements
// of the full row are above `tol`. The vectors are changed in place.
//
// There are three rules. Each rule sets an element of M to zero whose magnitude is at most `tol`.
// d_i is the value of pole i, and z_i is its element of the full row of M:
//
//	|z_i|                             z_i is set to zero
//	d_i·|z_i|/r,  r = √(z_0² + z_i²)  pole i is near to 0: columns 0 and i are rotated until z_i
//	                                  is zero; the rotation puts d_i·z_i/r below z_0
//	(d_i − d_l)·|z_i·z_l|/r²,         pole i is near to pole l, the last remaining pole: rows and
//	r = √(z_l² + z_i²)                columns i and l are rotated until z_i is zero; the two
//	                                  rotations put this number off the diagonal
func deflateBidiagonal(zero triplet, others []triplet, tol float64) (remaining poles, solved []triplet) {
	remaining = poles{zero}
	for _, t := range others {
		if math.Abs(t.z) <= tol {
			solved = append(solved, t)
			continue
		}
		first := &remaining[0]
		if c, s, r := rotation(first.z, t.z); t.sigma*math.Abs(s) <= tol {
			rotateVectors(c, s, first.w, t.w)
			first.z, t.sigma = r, t.sigma*math.Abs(c)
			if c < 0 {
				negate(t.s)
			}
			solved = append(solved, t)
			continue
		}
		if len(remaining) > 1 {
			last := &remaining[len(remaining)-1]
			c, s, r := rotation(last.z, t.z)
			if math.Abs((t.sigma-last.sigma)*c*s) <= tol {
				rotateVectors(c, s, last.s, t.s)
				rotateVectors(c, s, last.w, t.w)
				a, b := last.sigma, t.sigma
				last.sigma, last.z = c*c*a+s*s*b, r
				t.sigma = s*s*a + c*c*b
				solved = append(solved, t)
				continue
			}
		}
		remaining = append(remaining, t)
	}
	if math.Abs(remaining[0].z) <= tol { // pole 0 cannot be deflated; this keeps its z from zero
		remaining[0].z = tol
	}
	return remaining, solved
}
