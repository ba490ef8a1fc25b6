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

// Within returns the largest allowed distance of a value from its eigenvalue, in units of ulp·‖T‖₁,
// for any order. Sturm takes such a distance, times ulp·‖T‖₁, as its width. The argument is a name
// that evd.ParseSolver accepts, other than auto. The result is for the method as package stages
// implements it. (Package evd improves the values of all methods to the accuracy of bisection.) The
// numbers in the table are in units of ulp·‖T‖₁:
//
//	method     allowed  seen at most  where the error comes from
//	bisection  4        2             the Sturm counts
//	mrrr       16       8 to 16       a random change of the factors of T − σI, whose norm
//	                                  may be 2·‖T‖: one ulp of each entry, or four in a
//	                                  second attempt; seen with a hundred strongly glued
//	                                  copies of Wilkinson's matrix
//	dc         32       17            a few ulp for each leaf, each merge and each deflation
//	qr         256      128 to 256    the sweeps; seen with a few thousand rows and no vectors
//
// Within panics for other names.
func Within(method string) float64 {
	switch method {
	case "bisection":
		return 4
	case "mrrr":
		return 16
	case "dc":
		return 32
	case "qr":
		return 256
	}
	panic("ratio: no method is called " + method)
}
