package ref

// BidiagonalBandLen returns the number of elements of a general compact band: an upper band of
// order n with b superdiagonals, and space for the bulges. Element (i, j) lies at
//
//	i + j·(3b−1) + 2b−1        −2b < i−j ≤ b
//
// so a column has 3b elements. After the last column, b columns of zeros follow.
func BidiagonalBandLen(n, b int) int { return 3 * b * (n + b) }

// BidiagonalBandAt returns the index of element (i, j) in a general compact band.
func BidiagonalBandAt(b, i, j int) int { return i + j*(3*b-1) + 2*b - 1 }

// Reflectors holds the reflectors H = I − τ·v·vᵀ of an orthogonal matrix H(0,0)·H(0,1)⋯H(1,0)⋯, in
// the format that package stages documents for Q2.
type Reflectors struct{ V, Tau []float64 }

// BidiagonalChasing reduces an upper band of order n with b superdiagonals to upper bidiagonal
// form, B = Q2·C·P2ᵀ, one sweep after another (dgbbrd; Lang 1996). It overwrites the band. It
// returns the diagonal d[n] and the superdiagonal e[n−1] of C, and the reflectors of Q2 (left) and
// of P2 (right).
func BidiagonalChasing(n, b int, band []float64) (d, e []float64, left, right Reflectors) {
	return BidiagonalChasingRounded(n, b, band, unrounded)
}

// BidiagonalChasingRounded is BidiagonalChasing, and rounds each element of the band that it stores
// by `round`.
func BidiagonalChasingRounded(
	n, b int, band []float64, round func(float64) float64,
) (d, e []float64, left, right Reflectors) {
	c := newBidiagonalChase(n, b, band)
	c.round = round
	for s := range Sweeps(n) {
		for h := range c.halfSteps(s) {
			c.halfStep(s, h)
		}
	}
	return c.result()
}

// BidiagonalChasingWaves is BidiagonalChasing in the order that is used on a device where
// workgroups may not wait for each other. Wave t consists of half-step h = t − bidiagonalStride·s
// of each sweep s. The half-steps of a wave are independent: their order does not change the bits
// of the result. To show this, the later sweeps of a wave run first.
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

// bidiagonalStride is the number of waves between the beginnings of two successive sweeps. A wave
// is a set of independent half-steps, and a half-step applies one reflector. The number follows
// from a rule: half-step h of sweep s+1 must run after half-step h+3 of sweep s.
const bidiagonalStride = 4

type bidiagonalChase struct {
	n, b        int
	band        []float64
	left, right Reflectors
	round       func(float64) float64 // of each element of the band that is stored
}

func unrounded(x float64) float64 { return x }

func newBidiagonalChase(n, b int, band []float64) *bidiagonalChase {
	side := func() Reflectors {
		s := Sweeps(n)
		return Reflectors{make([]float64, max(0, VOffset(n, s))), make([]float64, s*Steps(n, b))}
	}
	return &bidiagonalChase{n, b, band, side(), side(), unrounded}
}

// halfSteps returns the number of half-steps of sweep s: two for each step j ≥ 0 with s+1+j·b < n.
func (c *bidiagonalChase) halfSteps(s int) int { return 2 * stepsOf(c.n, c.b, s) }

func (c *bidiagonalChase) at(i, j int) *float64 { return &c.band[BidiagonalBandAt(c.b, i, j)] }

// halfStep runs half-step h of sweep s. Let j = ⌊h/2⌋, r = s+1+j·b and L = min(b, n−r). The
// reflector of an even half-step acts on columns r … r+L−1. The reflector of an odd half-step acts
// on rows r … r+L−1:
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
// Two half-steps of a sweep change each block after G(−1). The first half-step fills the block with
// non-zeros. The second half-step annihilates the first row or column of the block. The other rows
// or columns are annihilated in later sweeps.
//
// A half-step must wait for the previous sweep, for this reason. The blocks of sweep s+1 lie one
// row and one column further than the blocks of sweep s. Half-step (s+1, h) has in common
//
//   - with half-steps (s, 0) … (s, h+1): parts of its blocks;
//   - with half-step (s, h+2): a row or column of its second block;
//   - with half-step (s, h+3): one element, the first element of the row or column that (s, h+3)
//     annihilates, where β is stored;
//   - with later half-steps of sweep s: no elements.
//
// Therefore (s+1, h) may begin when (s, h+3), or the last half-step of sweep s, has ended. Sweep
// s−1 is ahead of sweep s by the same rule, so a sweep needs to wait only for the previous sweep.
func (c *bidiagonalChase) halfStep(s, h int) {
	j := h / 2
	r := s + 1 + j*c.b
	length := min(c.b, c.n-r)
	if h%2 == 0 {
		first := max(s, r-c.b) // of the rows of G(j−1)
		v, tau := c.annihilate(length, func(k int) *float64 { return c.at(first, r+k) })
		c.keep(c.right, s, j, v, tau)
		for row := first + 1; row < r+length; row++ {
			c.reflect(tau, v, func(k int) *float64 { return c.at(row, r+k) })
		}
		return
	}
	v, tau := c.annihilate(length, func(k int) *float64 { return c.at(r+k, r) })
	c.keep(c.left, s, j, v, tau)
	for col := r + 1; col < min(r+2*c.b, c.n); col++ {
		c.reflect(tau, v, func(k int) *float64 { return c.at(r+k, col) })
	}
}

// annihilate computes the reflector of one row or column of a block. `line(k)` is element k of the
// row or column. annihilate replaces the row or column by β·e1, and returns the reflector.
func (c *bidiagonalChase) annihilate(length int, line func(k int) *float64) (v []float64, tau float64) {
	v = make([]float64, length)
	for k := range v {
		v[k] = *line(k)
		*line(k) = 0
	}
	beta, tau := Householder(v)
	*line(0) = c.round(beta)
	return v, tau
}

// reflect applies the reflector H = I − tau·v·vᵀ to one row or column of a block. `line(k)` is
// element k of the row or column.
func (c *bidiagonalChase) reflect(tau float64, v []float64, line func(k int) *float64) {
	var dot float64
	for k, vk := range v {
		dot += vk * *line(k)
	}
	for k, vk := range v {
		*line(k) = c.round(*line(k) - tau*dot*vk)
	}
}

func (c *bidiagonalChase) keep(side Reflectors, s, j int, v []float64, tau float64) {
	copy(side.V[VOffset(c.n, s)+j*c.b:], v)
	side.Tau[s*Steps(c.n, c.b)+j] = tau
}

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
