package ratio

import "math"

// Values returns max|got − want| / (normA·n·ulp) for the lists of eigenvalues `got` and `want`. n
// is the order of the matrix, and normA is a norm of the matrix. Both lists must be in the same
// order, which is ascending in vkevd. Lists of different lengths give +Inf.
func Values(n int, got, want []float64, normA float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	if len(got) == 0 {
		return 0
	}
	var err float64
	for i := range got {
		err = max(err, math.Abs(got[i]-want[i]))
	}
	return perNorm(err, normA, n, 0)
}
