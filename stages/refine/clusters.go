package refine

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Cluster is a range of indices of eigenvalues, From ≤ i < To. The refinement of eigenvectors
// rotates the vectors of a cluster by the eigenvectors of a small matrix. A cluster may consist of
// a single index.
type Cluster struct{ From, To int }

type Clusters []Cluster

// The coupling of two approximate eigenvectors x and y is about |xᴴAy|. Another eigenvalue joins a
// cluster of m indices if its distance from the cluster is below clusterRoom·√m times the largest
// coupling in the cluster.
const clusterRoom = 8

// NewClusters divides the indices of λ so that coupled indices are in one cluster. Function
// Refinement of package stages/ref defines couplings, and says when two indices are coupled.
// reach[j] is 1 plus the largest index that is coupled to j, or j + 1 if no larger index is coupled
// to j. strength[j] is the largest coupling of j to a larger index. A cluster of m indices grows
// while another eigenvalue is nearer to it than 8·√m times the largest coupling of the cluster.
func NewClusters(lambda, reach, strength []float64) Clusters {
	var all Clusters
	for from := 0; from < len(lambda); {
		to := from + 1
		for j := from; j < to; j++ {
			to = max(to, int(reach[j]))
		}
		all = append(all, Cluster{from, to})
		from = to
	}
	for {
		next := all.grown(lambda, strength)
		if len(next) == len(all) {
			return all
		}
		all = next
	}
}

// grown goes once over all clusters, and merges each with those neighbours whose eigenvalues are
// too near.
func (all Clusters) grown(lambda, strength []float64) Clusters {
	next := make(Clusters, 0, len(all))
	for k := 0; k < len(all); k++ {
		c, strongest := all[k], 0.0
		for _, x := range strength[c.From:c.To] {
			strongest = max(strongest, x)
		}
		room := clusterRoom * strongest * math.Sqrt(float64(c.To-c.From))
		for len(next) > 0 && lambda[c.From]-lambda[c.From-1] < room {
			c.From = next[len(next)-1].From
			next = next[:len(next)-1]
		}
		for k+1 < len(all) && lambda[c.To]-lambda[c.To-1] < room {
			k++
			c.To = all[k].To
		}
		next = append(next, c)
	}
	return next
}

// Largest is the number of indices of the largest cluster, or 0.
func (all Clusters) Largest() int {
	largest := 0
	for _, c := range all {
		largest = max(largest, c.To-c.From)
	}
	return largest
}

// Count is the number of clusters with more than one eigenvalue.
func (all Clusters) Count() int {
	count := 0
	for _, c := range all {
		if c.To-c.From > 1 {
			count++
		}
	}
	return count
}

// RefinementNoise is the magnitude up to which an element of S = XᴴAX counts as a rounding error:
// (4 + √n/16)·2⁻⁵²·‖A‖₂ for vectors of length n, the columns of X. `norm` is ‖A‖₂.
func RefinementNoise(n int, norm float64) float64 {
	return (4 + math.Sqrt(float64(n))/16) * tridiag.Ulp * norm
}
