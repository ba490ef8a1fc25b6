package ratio

// Within is how far values may be from their eigenvalues, in units of ulp·‖T‖₁ and whatever the order, when the
// method of that name (as evd.ParseSolver knows it) found them, of package stages; evd's are all
// as good as bisection's. A width for Sturm. Bisection is as good as
// counts can tell. Relatively robust representations begin by moving each factor of a matrix of up to twice
// that norm by an ulp, or by four ulp where a block has to be tried again. Divide and conquer adds some ulp with
// each leaf, each merge and each deflation, QR iteration with its sweeps. Seen were at most 2; between 8 and 16, with a
// hundred strongly glued copies of Wilkinson's matrix; 17; between 128 and 256, with some thousand rows and
// without vectors.
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
