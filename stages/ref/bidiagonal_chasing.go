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

// Reflectors holds the reflectors H = I − τ·v·vᴴ of a unitary matrix H(0,0)·H(0,1)⋯H(1,0)⋯, in the
// format that package stages documents for Q2.
type Reflectors[T Number] struct{ V, Tau []T }

// BidiagonalChasing reduces an upper band of order n with b superdiagonals to upper bidiagonal
// form, B = Q2·C·P2ᴴ, one sweep after another (dgbbrd, zgbbrd; Lang 1996). It overwrites the band.
// It returns the diagonal d[n] and the superdiagonal e[n−1] of C, and the reflectors of Q2 (left)
// and of P2 (right). C is real except for the last elements of d and of e; RealBidiagonal makes them
// real.
func BidiagonalChasing[T Number](n, b int, band []T) (d, e []T, left, right Reflectors[T]) {
	return BidiagonalChasingRounded(n, b, band, unrounded[T])
}

// BidiagonalChasingRounded is BidiagonalChasing, and rounds each element of the band that it stores
// by `round`.
func BidiagonalChasingRounded[T Number](
	n, b int, band []T, round func(T) T,
) (d, e []T, left, right Reflectors[T]) {
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
func BidiagonalChasingWaves[T Number](n, b int, band []T) (d, e []T, left, right Reflectors[T]) {
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

type bidiagonalChase[T Number] struct {
	n, b        int
	band        []T
	left, right Reflectors[T]
	round       func(T) T // of each element of the band that is stored
}

func unrounded[T Number](x T) T { return x }

func newBidiagonalChase[T Number](n, b int, band []T) *bidiagonalChase[T] {
	side := func() Reflectors[T] {
		s := Sweeps(n)
		return Reflectors[T]{make([]T, max(0, VOffset(n, s))), make([]T, s*Steps(n, b))}
	}
	return &bidiagonalChase[T]{n, b, band, side(), side(), unrounded[T]}
}

// halfSteps returns the number of half-steps of sweep s: two for each step j ≥ 0 with s+1+j·b < n.
func (c *bidiagonalChase[T]) halfSteps(s int) int { return 2 * stepsOf(c.n, c.b, s) }

func (c *bidiagonalChase[T]) at(i, j int) *T { return &c.band[BidiagonalBandAt(c.b, i, j)] }

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
//	           D(j) ← Lᴴ·D(j)       G(j) ← Lᴴ·G(j)
//
// R is the reflector H of the conjugates of the row, and L that of the column.
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
func (c *bidiagonalChase[T]) halfStep(s, h int) {
	j := h / 2
	r := s + 1 + j*c.b
	length := min(c.b, c.n-r)
	row := func(i int) line[T] { return line[T]{func(k int) *T { return c.at(i, r+k) }, unrounded[T]} }
	column := func(j int) line[T] { return line[T]{func(k int) *T { return c.at(r+k, j) }, conj[T]} }
	if h%2 == 0 {
		first := max(s, r-c.b) // of the rows of G(j−1)
		v, tau := c.annihilate(length, row(first))
		c.keep(c.right, s, j, v, tau)
		for i := first + 1; i < r+length; i++ {
			c.reflect(tau, v, row(i))
		}
		return
	}
	v, tau := c.annihilate(length, column(r))
	c.keep(c.left, s, j, v, tau)
	for j := r + 1; j < min(r+2*c.b, c.n); j++ {
		c.reflect(tau, v, column(j))
	}
}

// A line is a row of the band, or the conjugate of a column: element k is of(*at(k)), and of is its
// own inverse. H = I − τ·v·vᴴ acts on both from the right, ℓ ← ℓ·H, since the conjugate of Hᴴ·c is
// conj(c)·H as a row.
type line[T Number] struct {
	at func(k int) *T
	of func(T) T
}

// annihilate computes the reflector H with ℓ·H = β·e1ᵀ for one row or column of a block, the line
// ℓ. It replaces the row or column by β·e1, and returns the reflector.
func (c *bidiagonalChase[T]) annihilate(length int, l line[T]) (v []T, tau T) {
	v = make([]T, length)
	for k := range v {
		v[k] = conj(l.of(*l.at(k)))
		*l.at(k) = 0
	}
	beta, tau := Householder(v)
	*l.at(0) = c.round(beta)
	return v, tau
}

// reflect applies the reflector H = I − tau·v·vᴴ to one row or column of a block, ℓ ← ℓ·H.
func (c *bidiagonalChase[T]) reflect(tau T, v []T, l line[T]) {
	var dot T
	for k, vk := range v {
		dot += vk * l.of(*l.at(k))
	}
	for k, vk := range v {
		*l.at(k) = c.round(l.of(l.of(*l.at(k)) - tau*dot*conj(vk)))
	}
}

func (c *bidiagonalChase[T]) keep(side Reflectors[T], s, j int, v []T, tau T) {
	copy(side.V[VOffset(c.n, s)+j*c.b:], v)
	side.Tau[s*Steps(c.n, c.b)+j] = tau
}

func (c *bidiagonalChase[T]) result() (d, e []T, left, right Reflectors[T]) {
	d, e = make([]T, c.n), make([]T, max(0, c.n-1))
	for i := range d {
		d[i] = *c.at(i, i)
	}
	for i := range e {
		e[i] = *c.at(i, i+1)
	}
	return d, e, c.left, c.right
}

// RealBidiagonal returns the real bidiagonal matrix S with C = D_U·S·D_Vᴴ, D_U = diag(1 … 1, left)
// and D_V = diag(1 … 1, right). C is a result of BidiagonalChasing, with the diagonal d and the
// superdiagonal e. `right` makes the last element of e real, and `left` the last one of d.
func RealBidiagonal[T Number](d, e []T) (diagonal, off []float64, left, right T) {
	diagonal, off, left, right = make([]float64, len(d)), make([]float64, len(e)), 1, 1
	for i := range d {
		diagonal[i] = realPart(d[i])
	}
	for i := range e {
		off[i] = realPart(e[i])
	}
	if last := len(e) - 1; last >= 0 {
		off[last], right = polar(e[last])
		right = conj(right)
	}
	if last := len(d) - 1; last >= 0 {
		diagonal[last], left = polar(d[last] * right)
	}
	return diagonal, off, left, right
}
