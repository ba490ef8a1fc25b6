package ref

// BidiagonalBandLen is the number of elements of a general compact band: an upper band of order n
// with b superdiagonals, and room for the bulges. Element (i, j) lies at
//
//	i + j·(3b−1) + 2b−1        −2b < i−j ≤ b
//
// so a column has 3b elements. b more columns of zeros follow the last.
func BidiagonalBandLen(n, b int) int { return 3 * b * (n + b) }

// BidiagonalBandAt is the index of element (i, j) in a general compact band.
func BidiagonalBandAt(b, i, j int) int { return i + j*(3*b-1) + 2*b - 1 }

// Reflectors holds the factors of an orthogonal matrix H(0,0)·H(0,1)⋯H(1,0)⋯ with H = I − τ·v·vᵀ,
// in the format that package stages documents for Q2.
type Reflectors struct{ V, Tau []float64 }

// BidiagonalChasing reduces an upper band of order n with b superdiagonals to upper bidiagonal
// form, B = Q2·C·P2ᵀ (dgbbrd; Lang 1996), sweep after sweep. It overwrites the band and returns
// the diagonal d[n] and the superdiagonal e[n−1] of C, and the reflectors of Q2 (left) and of P2
// (right).
func BidiagonalChasing(n, b int, band []float64) (d, e []float64, left, right Reflectors) {
	c := newBidiagonalChase(n, b, band)
	for s := range Sweeps(n) {
		for h := range c.halfSteps(s) {
			c.halfStep(s, h)
		}
	}
	return c.result()
}

// BidiagonalChasingWaves is BidiagonalChasing in the order of a device without flags. Wave t
// consists of all half-steps h of sweeps s with bidiagonalStride·s + h = t. They may run in
// parallel, and the bits do not depend on their order. To show this, the later sweeps of a wave go
// first here.
func BidiagonalChasingWaves(n, b int, band []float64) (d, e []float64, left, right Reflectors) {
	c := newBidiagonalChase(n, b, band)
	waves := 0
	for s := range Sweeps(n) {
		waves = max(waves, bidiagonalStride*s+c.halfSteps(s))
	}
	for t := range waves {
		for s := Sweeps(n) - 1; s >= 0; s-- {
			if h := t - bidiagonalStride*s; 0 <= h && h < c.halfSteps(s) {
				c.halfStep(s, h)
			}
		}
	}
	return c.result()
}

// bidiagonalStride is the number of waves between the beginning of a sweep and that of the next
// one. Half-step (s+1, h) comes after half-step (s, h+3).
const bidiagonalStride = 4

// A bidiagonalChase is a reduction to bidiagonal form in progress.
type bidiagonalChase struct {
	n, b        int
	band        []float64
	left, right Reflectors
}

func newBidiagonalChase(n, b int, band []float64) *bidiagonalChase {
	side := func() Reflectors {
		s := Sweeps(n)
		return Reflectors{make([]float64, max(0, VOffset(n, s))), make([]float64, s*Steps(n, b))}
	}
	return &bidiagonalChase{n, b, band, side(), side()}
}

// halfSteps is the number of half-steps of sweep s: two for each step j with s+1+j·b < n.
func (c *bidiagonalChase) halfSteps(s int) int { return 2 * stepsOf(c.n, c.b, s) }

func (c *bidiagonalChase) at(i, j int) *float64 { return &c.band[BidiagonalBandAt(c.b, i, j)] }

// halfStep does half-step h of sweep s. With j = ⌊h/2⌋ and r = s+1+j·b its reflector acts on the
// columns, or else on the rows, r … r+L−1, L = min(b, n−r):
//
//	               r … r+L−1    r+b … r+2b−1
//	row s, or    ┌──────────┬──────────────┐
//	r−b … r−1    │  G(j−1)  │              │
//	             ├──────────┼──────────────┤
//	r … r+L−1    │   D(j)   │     G(j)     │
//	             └──────────┴──────────────┘
//
//	h = 2j     R(s,j), from the first row of G(j−1), which is row s for j = 0:
//	           G(j−1) ← G(j−1)·R    D(j) ← D(j)·R
//	h = 2j+1   L(s,j), from the first column of D(j):
//	           D(j) ← L·D(j)        G(j) ← L·G(j)
//
// Two half-steps change each block. The first one fills the block with non-zeros. The second one
// annihilates its first line, and leaves the other lines to the next sweep.
//
// Which half-steps must wait for which. Sweep s+1 has the same blocks one row and one column
// further. Half-step (s+1, h) has these elements in common with sweep s: the blocks of half-steps
// up to h+1; a line of half-step h+2's second block; and one element of half-step h+3, the first of
// the line that half-step h+3 annihilates and in which it leaves β. Later half-steps of sweep s
// touch no element of half-step (s+1, h). So (s+1, h) may begin once (s, h+3), or the last
// half-step of sweep s, has ended. Sweep s−1 is further ahead by the same rule.
func (c *bidiagonalChase) halfStep(s, h int) {
	j := h / 2
	r := s + 1 + j*c.b
	length := min(c.b, c.n-r)
	if h%2 == 0 {
		first := max(s, r-c.b) // of the rows of G(j−1)
		v, tau := c.annihilate(length, func(k int) *float64 { return c.at(first, r+k) })
		c.keep(c.right, s, j, v, tau)
		for row := first + 1; row < r+length; row++ {
			reflect(tau, v, func(k int) *float64 { return c.at(row, r+k) })
		}
		return
	}
	v, tau := c.annihilate(length, func(k int) *float64 { return c.at(r+k, r) })
	c.keep(c.left, s, j, v, tau)
	for col := r + 1; col < min(r+2*c.b, c.n); col++ {
		reflect(tau, v, func(k int) *float64 { return c.at(r+k, col) })
	}
}

// annihilate computes the reflector of a line of the matrix, replaces the line by β·e1, and returns
// the reflector.
func (c *bidiagonalChase) annihilate(length int, line func(k int) *float64) (v []float64, tau float64) {
	v = make([]float64, length)
	for k := range v {
		v[k] = *line(k)
		*line(k) = 0
	}
	*line(0), tau = Householder(v)
	return v, tau
}

// reflect applies the reflector H to a line of the matrix.
func reflect(tau float64, v []float64, line func(k int) *float64) {
	var dot float64
	for k, vk := range v {
		dot += vk * *line(k)
	}
	for k, vk := range v {
		*line(k) -= tau * dot * vk
	}
}

func (c *bidiagonalChase) keep(side Reflectors, s, j int, v []float64, tau float64) {
	copy(side.V[VOffset(c.n, s)+j*c.b:], v)
	side.Tau[s*Steps(c.n, c.b)+j] = tau
}

// result reads C from the two diagonals of the band.
func (c *bidiagonalChase) result() (d, e []float64, left, right Reflectors) {
	d, e = make([]float64, c.n), make([]float64, max(0, c.n-1))
	for i := range d {
		d[i] = *c.at(i, i)
	}
	for i := range e {
		e[i] = *c.at(i, i+1)
	}
	return d, e, c.left, c.right
}
