package ratio

// Within returns the largest allowed distance of a value from its eigenvalue, in units of ulp·‖T‖₁,
// for any order. Sturm takes such a distance, times ulp·‖T‖₁, as its width. The argument is a name
// that evd.ParseSolver accepts. The result is for the method as package stages implements it.
// (Package evd improves the values of all methods to the accuracy of bisection.) The numbers in the
// table are in units of ulp·‖T‖₁:
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
