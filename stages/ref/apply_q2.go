package ref

// ApplyQ2 replaces the n×m matrix X by Q2·X. v and `tau` are the reflectors that BulgeChasing
// returned. Q2 = H(0,0)·H(0,1)⋯H(1,0)⋯ has one reflector H(s,j) for each sweep s and step j of the
// bulge chasing, so the last sweep acts first. The steps of one sweep act on different rows.
func ApplyQ2[T Number](n, b int, v, tau []T, m int, x []T, ldx int) {
	for s := Sweeps(n) - 1; s >= 0; s-- {
		applySweep(n, b, s, v, tau, m, x, ldx)
	}
}

// ApplyQ2Transposed replaces X by Q2ᴴ·X, where Q2 is that of ApplyQ2. It applies the adjoint
// reflectors Hᴴ = I − conj(τ)·v·vᴴ in the opposite order of ApplyQ2.
func ApplyQ2Transposed[T Number](n, b int, v, tau []T, m int, x []T, ldx int) {
	adjoint := make([]T, len(tau))
	for i, x := range tau {
		adjoint[i] = conj(x)
	}
	for s := range Sweeps(n) {
		applySweep(n, b, s, v, adjoint, m, x, ldx)
	}
}

// applySweep multiplies the vectors X by the reflectors H(s,0), H(s,1), … of sweep s. They act on
// different rows, so their order does not matter.
func applySweep[T Number](n, b, s int, v, tau []T, m int, x []T, ldx int) {
	if m == 0 {
		return
	}
	for j := range stepsOf(n, b, s) {
		r := s + 1 + j*b
		h := v[VOffset(n, s)+r-(s+1):][:min(b, n-r)]
		reflectLeft(tau[s*Steps(n, b)+j], h, m, x[r:], ldx)
	}
}
