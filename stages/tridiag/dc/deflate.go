package dc

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Deflate prepares a merge (dlaed2). The columns of a matrix Q are the eigenvectors of the two
// blocks. Deflate finds those columns that are eigenvectors of the merged block already, to working
// accuracy. It rotates pairs of columns to get more such columns.
//
// d has the eigenvalues of the two blocks, and `rows` has the first and last rows of their vectors.
// d and `rows` are in the order of Q's columns. `order` is the permutation for which d[order[i]]
// ascends. `rho` is the off-diagonal element of T between the two blocks. The kernel stedc_deflate
// does the same operations, with the same bits.
func Deflate(p Pair, d []float64, rows Rows, order []int32, rho float64) *Merge {
	b := NewColumns(p, d, rows)
	tol := 8 * tridiag.Roundoff * setWeights(b, rows, rho)
	var negligible []int32
	for _, c := range order {
		if b.Merge.Rho*math.Abs(b.Z[c]) <= tol {
			negligible = append(negligible, c)
			continue
		}
		b.Pole(c, tol)
	}
	b.Single(negligible)
	b.Number(&b.Merge.Gather)
	return b.Merge
}

// setWeights sets Z and Rho so that Rho·Z·Zᵀ = ρ·z·zᵀ with Rho > 0 and ‖Z‖ = 1. Here z = Qᵀ·v, the
// columns of Q are the vectors of the two blocks, and v is (… 1, ±1 …) with the sign of ρ. So z is
// the last row of the upper block's vectors, and ± the first row of the lower block's vectors,
// which have norm 1 each. setWeights returns the largest magnitude among the eigenvalues D and the
// weights Z.
func setWeights(b *Columns, rows Rows, rho float64) (largest float64) {
	m := b.Merge
	m.Rho = 2 * math.Abs(rho)
	scale := math.Sqrt(0.5)
	for c := range b.Z {
		adjacent := rows.Last[c]
		if c >= m.N1 {
			adjacent = rows.First[c]
			scale = math.Copysign(scale, rho)
		}
		b.Z[c] = adjacent * scale
		largest = max(largest, math.Abs(b.D[c]), math.Abs(b.Z[c]))
	}
	return largest
}
