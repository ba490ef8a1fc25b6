package ref

// BulgeChasing reduces the compact band B to tridiagonal form, B = Q2·T·Q2ᴴ (dsytrd_sb2st,
// zhetrd_hb2st), one sweep after another. It overwrites the band. It returns T as d[n] and e[n−1],
// and the reflectors of Q2 in the format of package stages. T is real but for the last element of
// e, which is complex if B is. RealTridiagonal makes this element real.
func BulgeChasing[T Number](n, b int, band []T) (d, e, v, tau []T) {
	c := newChase(n, b, band)
	for s := range Sweeps(n) {
		for j := range c.steps(s) {
			c.chaseStep(s, j)
		}
	}
	return c.result()
}

// BulgeChasingWaves is BulgeChasing in the order that is used on a device where workgroups may not
// wait for each other. Wave t consists of step j = t − 3·s of each sweep s. The steps of a wave are
// independent of each other, so every order gives the same bits. To show this, the later sweeps of
// a wave run first.
func BulgeChasingWaves[T Number](n, b int, band []T) (d, e, v, tau []T) {
	c := newChase(n, b, band)
	for t := 0; t < Waves(n, b); t++ {
		for s := Sweeps(n) - 1; s >= 0; s-- {
			if j := t - waveStride*s; 0 <= j && j < c.steps(s) {
				c.chaseStep(s, j)
			}
		}
	}
	return c.result()
}

// waveStride is the number of waves between the beginnings of two successive sweeps, where a wave
// is a set of independent steps. It is the smallest number for which step j of sweep s+1 runs after
// step j+2 of sweep s. This order is necessary, because the two steps use the same elements.
const waveStride = 3

// Waves returns the number of waves. The last one has the last step of the last sweep, because each
// sweep begins three waves after the previous one and has at most one step less.
func Waves(n, b int) int {
	last := Sweeps(n) - 1
	if last < 0 {
		return 0
	}
	return waveStride*last + stepsOf(n, b, last)
}

type chase[T Number] struct {
	n, b         int
	band, v, tau []T
}

func newChase[T Number](n, b int, band []T) *chase[T] {
	s := Sweeps(n)
	return &chase[T]{n, b, band, make([]T, max(0, VOffset(n, s))), make([]T, s*Steps(n, b))}
}

func (c *chase[T]) steps(s int) int { return stepsOf(c.n, c.b, s) }

// stepsOf returns the number of steps j of sweep s: those with s+1+j·b < n.
func stepsOf(n, b, s int) int { return (n - 1 - s + b - 1) / b }

// `at` returns column `col` of the band as a slice that begins at the given row.
func (c *chase[T]) at(row, col int) []T { return c.band[row-col+col*2*c.b:] }

// chaseStep runs step j of sweep s. Its reflector H acts on rows and columns r … r+L−1. In the
// lower triangle there are three blocks in these rows and columns:
//
//	        left      r       r+L
//	          ┌───┬─────┬────────┐
//	r         │ x │  A  │   D    │
//	          └───┴─────┼────────┤
//	r+L                 │   C    │
//	min(r+2b, n)        └────────┘
//
// Hᴴ annihilates x, which is column `left`, below its first element, and makes this element real. A
// consists of the columns between `left` and r, which the previous step has filled; A becomes Hᴴ·A.
// The diagonal block D becomes Hᴴ·D·H. C becomes C·H and is filled with non-zeros; C contains the
// block A of the next step. For j = 0, `left` is s = r−1 and there is no A.
//
// A step must wait for the previous sweep, for this reason. Step (s, j) reads and writes rows r …
// r+b−1 of columns left … r+b−1, and rows r+b … r+2b−1 of columns r … r+b−1. Steps j, j+1, j+2, j+3
// of the previous sweep s−1 are at rows r−1, r−1+b, r−1+2b, r−1+3b:
//
//   - steps up to j+1 overlap this step;
//   - step j+2 writes rows r−1+2b … of columns r−1+b …, and stores its β in row r+2b−1 of column
//     r+b−1, which is the last element of C. If step (s, j) read this element too early, it would
//     read the old value instead of β;
//   - step j+3 writes rows from r−1+3b on, which are below all elements of step (s, j).
//
// Therefore step (s, j) may begin when step (s−1, j+2), or the last step of sweep s−1, has ended.
// The later steps of sweep s−1 do not use the same elements. Sweep s−2 is ahead of sweep s−1 by the
// same rule, so a step needs to wait only for the previous sweep.
func (c *chase[T]) chaseStep(s, j int) {
	b := c.b
	r := s + 1 + j*b
	length := min(b, c.n-r)
	left := s
	if j > 0 {
		left = r - b
	}

	x := c.at(r, left)[:length]
	v := c.v[VOffset(c.n, s)+r-(s+1):][:length]
	copy(v, x)
	beta, tau := Householder(v)
	c.tau[s*Steps(c.n, b)+j] = tau
	clear(x)
	x[0] = beta

	column := 2*b - 1 // from (i, j) to (i, j+1): along a row of the compact band
	if left+1 < r {
		reflectLeft(conj(tau), v, r-left-1, c.at(r, left+1), column)
	}
	c.reflectBoth(tau, v, r)
	c.reflectRight(tau, v, r)
}

// reflectBoth replaces the diagonal block D that begins at row r by Hᴴ·D·H, where H = I − τ·v·vᴴ.
// It computes Hᴴ·D·H = D − v·qᴴ − q·vᴴ with p = τ·D·v and q = p − ½·conj(τ)·(vᴴ·p)·v. The diagonal
// stays real.
func (c *chase[T]) reflectBoth(tau T, v []T, r int) {
	column := 2*c.b - 1 // from (i, j) to (i, j+1), as in chaseStep
	q := make([]T, len(v))
	for i := range v {
		for l := range v {
			q[i] += fromLower(c.at(r, r), column, i, l) * v[l]
		}
	}
	var dot T
	for i := range v {
		q[i] *= tau
		dot += q[i] * conj(v[i])
	}
	for i := range v {
		q[i] -= conj(tau) / 2 * dot * v[i]
	}
	for l := range v {
		column := c.at(r+l, r+l)
		for i := l; i < len(v); i++ {
			column[i-l] -= v[i]*conj(q[l]) + q[i]*conj(v[l])
		}
		column[0] = ofReal[T](realPart(column[0]))
	}
}

// reflectRight replaces the block C, which lies below the diagonal block, by C·H, row by row, where
// H = I − tau·v·vᴴ.
func (c *chase[T]) reflectRight(tau T, v []T, r int) {
	for row := r + len(v); row < min(r+2*c.b, c.n); row++ {
		var dot T
		for l := range v {
			dot += c.at(row, r+l)[0] * v[l]
		}
		for l := range v {
			c.at(row, r+l)[0] -= tau * dot * conj(v[l])
		}
	}
}

func (c *chase[T]) result() (d, e, v, tau []T) {
	d, e = make([]T, c.n), make([]T, max(0, c.n-1))
	for i := range d {
		d[i] = ofReal[T](realPart(c.at(i, i)[0]))
	}
	for i := range e {
		e[i] = c.at(i+1, i)[0]
	}
	return d, e, c.v, c.tau
}

// RealTridiagonal returns the real tridiagonal matrix S with T = D·S·Dᴴ and D = diag(1 … 1, phase).
// T is a result of BulgeChasing, with the diagonal d and the off-diagonal e. The last element of
// S's off-diagonal is the modulus of T's.
func RealTridiagonal[T Number](d, e []T) (diagonal, off []float64, phase T) {
	diagonal, off, phase = make([]float64, len(d)), make([]float64, len(e)), 1
	for i := range d {
		diagonal[i] = realPart(d[i])
	}
	for i := range e {
		off[i] = realPart(e[i])
	}
	if last := len(e) - 1; last >= 0 {
		off[last], phase = polar(e[last])
	}
	return diagonal, off, phase
}
