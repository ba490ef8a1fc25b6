package ratio

// Within returns the largest allowed distance of a value from its eigenvalue, in ulp·‖T‖₁, for any
// order. It is a width for Sturm. The argument is a name that evd.ParseSolver knows, and the method
// is meant as package stages implements it. (Values of package evd are all as good as those of
// bisection.) Both columns of numbers are in ulp·‖T‖₁, too.
//
//	method     allowed  seen at most  where the error comes from
//	bisection  4        2             the counts
//	mrrr       16       8 to 16       a random change of the factors of T − σI, whose norm may be 2·‖T‖: one
//	                                  ulp of each entry, or four in a second attempt; seen with a hundred
//	                                  strongly glued copies of Wilkinson's matrix
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
