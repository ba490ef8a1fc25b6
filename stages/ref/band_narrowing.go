package ref

// NarrowBand is an upper band of order N that passes make narrower, by at most Tile superdiagonals
// each. Width is the number of superdiagonals before the first pass. Element (i, j) lies at
//
//	i + j·(Width+2·Tile) + Width + Tile        −Width−Tile ≤ i−j ≤ Tile
//
// so a column has Width + 2·Tile + 1 elements. Width + Tile columns of zeros follow the last one.
type NarrowBand struct{ N, Width, Tile int }

func (b NarrowBand) Len() int { return (b.Width + 2*b.Tile + 1) * (b.N + b.Width + b.Tile) }

func (b NarrowBand) At(i, j int) int { return i + j*(b.Width+2*b.Tile) + b.Width + b.Tile }

// Pass reduces a band with w superdiagonals to a band with `to` superdiagonals, B = Q·B′·Pᵀ, one
// sweep after another (successive band reduction; Ringoot et al. 2025, Algorithm 1). The sizes must
// satisfy w − Tile ≤ to < w and to ≥ 2. The reduction to one superdiagonal is BidiagonalChasing.
func (b NarrowBand) Pass(w, to int, band []float64) { NarrowPass(b, w, to, band) }

// NarrowPass is NarrowBand.Pass for real or complex bands, B = Q·B′·Pᴴ.
func NarrowPass[T Number](b NarrowBand, w, to int, band []T) {
	narrowPass[T]{b, w, to, band, unrounded[T]}.run()
}

// PassRounded is Pass, and rounds each element that it stores by `round` to the nearest number of
// the storage.
func (b NarrowBand) PassRounded(w, to int, band []float64, round func(float64) float64) {
	narrowPass[float64]{b, w, to, band, round}.run()
}

// narrowStride is the number of waves between the beginnings of two successive sweeps, where a wave
// is a set of independent half-steps. A half-step applies one reflector. The number follows from a
// rule: half-step h of sweep s+1 must run after half-step h+1 of sweep s.
const narrowStride = 2

// Waves is Pass in another order: wave t consists of half-step h = t − narrowStride·s of each sweep
// s. To show that the half-steps of a wave are independent, the later sweeps of a wave run first.
func (b NarrowBand) Waves(w, to int, band []float64) { b.waves(w, to, narrowStride, band) }

func (b NarrowBand) waves(w, to, stride int, band []float64) {
	p := narrowPass[float64]{b, w, to, band, unrounded[float64]}
	waves := 0
	for s := range p.sweeps() {
		waves = max(waves, stride*s+p.halfSteps(s))
	}
	for t := range waves {
		for s := p.sweeps() - 1; s >= 0; s-- {
			if h := t - stride*s; 0 <= h && h < p.halfSteps(s) {
				p.halfStep(s, h)
			}
		}
	}
}

type narrowPass[T Number] struct {
	NarrowBand
	w, to int
	band  []T
	round func(T) T
}

func (p narrowPass[T]) run() {
	for s := range p.sweeps() {
		for h := range p.halfSteps(s) {
			p.halfStep(s, h)
		}
	}
}

func (p narrowPass[T]) sweeps() int { return max(0, p.N-1-p.to) }

// halfSteps returns the number of half-steps of sweep s: two for each j ≥ 0 with s + to + j·w < N.
func (p narrowPass[T]) halfSteps(s int) int { return 2 * ((p.N-1-s-p.to)/p.w + 1) }

// halfStep runs half-step h of sweep s. Let j = ⌊h/2⌋, r = s + to + j·w, and L = min(w−to+1, N−r).
//
//	h = 2j     a reflector on the columns r … r+L−1. It annihilates row s for j = 0, otherwise row
//	           r−w, from column r+1 on, and is applied to the rows after that one, up to r+L−1
//	h = 2j+1   a reflector on the rows r … r+L−1. It annihilates column r from row r+1 on, and is
//	           applied to the columns after it, up to r+2w−to
//
// The other rows and columns of the bulge keep their elements until the next sweep.
//
// A half-step must wait for the previous sweep, for this reason. Sweep s+1 lies one row and one
// column further than sweep s. Half-step (s+1, h) has elements in common with half-steps (s, 0) …
// (s, h+1). Half-step (s, h+2) begins w rows or columns after (s, h), and w > L, so it has no
// elements in common with (s+1, h). Therefore (s+1, h) may begin when (s, h+1) has ended.
func (p narrowPass[T]) halfStep(s, h int) {
	c, r := &bidiagonalChase[T]{round: p.round}, s+p.to+h/2*p.w
	row := func(i int) line[T] {
		return line[T]{func(k int) *T { return &p.band[p.At(i, r+k)] }, unrounded[T]}
	}
	column := func(j int) line[T] {
		return line[T]{func(k int) *T { return &p.band[p.At(r+k, j)] }, conj[T]}
	}
	length := min(p.w-p.to+1, p.N-r)
	if h%2 == 0 {
		first := max(s, r-p.w)
		v, tau := c.annihilate(length, row(first))
		for i := first + 1; i < r+length; i++ {
			c.reflect(tau, v, row(i))
		}
		return
	}
	v, tau := c.annihilate(length, column(r))
	for j := r + 1; j < min(r+2*p.w-p.to+1, p.N); j++ {
		c.reflect(tau, v, column(j))
	}
}
