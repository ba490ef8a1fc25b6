package ref

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/ratio"
)

// randomUpperBand returns a random general compact band. The elements outside the band are zero.
func randomUpperBand(n, b int) []float64 {
	g := gauss((b+1)*n, uint64(7*b+n))
	band := make([]float64, BidiagonalBandLen(n, b))
	for i := range n {
		for j := i; j < min(n, i+b+1); j++ {
			band[BidiagonalBandAt(b, i, j)] = g[j-i+i*(b+1)]
		}
	}
	return band
}

// upperBandToFull returns the band as a full n×n matrix, column-major. The test fails if an element
// outside the band is not zero.
func upperBandToFull(t *testing.T, n, b int, band []float64) []float64 {
	t.Helper()
	full := make([]float64, n*n)
	left := slices.Clone(band)
	for i := range n {
		for j := i; j < min(n, i+b+1); j++ {
			full[i+j*n] = band[BidiagonalBandAt(b, i, j)]
			left[BidiagonalBandAt(b, i, j)] = 0
		}
	}
	for k, x := range left {
		if x != 0 {
			t.Fatalf("n=%d b=%d: element %d, outside of the band, is %g", n, b, k, x)
		}
	}
	return full
}

func TestBidiagonalChasing(t *testing.T) {
	orthogonal := worst{name: "‖I − QᵀQ‖ of Q2 and P2"}
	equal := worst{name: "‖B − Q2·C·P2ᵀ‖"}
	eachShape(func(n, b, k int) {
		if k != b {
			return
		}
		band := randomUpperBand(n, b)
		before := upperBandToFull(t, n, b, band)
		d, e, left, right := BidiagonalChasing(n, b, band)
		after := upperBandToFull(t, n, 1, widthOne(n, b, band))
		q, p := eye(n, n), eye(n, n)
		ApplyQ2(n, b, left.V, left.Tau, n, q, n)
		ApplyQ2(n, b, right.V, right.Tau, n, p, n)
		for i := range d {
			if d[i] != after[i+i*n] || i+1 < n && e[i] != after[i+(i+1)*n] {
				t.Errorf("n=%d b=%d: d and e are not the diagonals of the band", n, b)
			}
		}
		// `got` is the product Q2·C·P2ᵀ.
		qc := make([]float64, n*n)
		Gemm(NoTrans, NoTrans, n, n, n, 1, q, n, after, n, 0, qc, n)
		got := make([]float64, n*n)
		Gemm(NoTrans, Trans, n, n, n, 1, qc, n, p, n, 0, got, n)
		orthogonal.see(t, ratio.Orthogonality(n, n, q, n), "Q2, n=%d b=%d", n, b)
		orthogonal.see(t, ratio.Orthogonality(n, n, p, n), "P2, n=%d b=%d", n, b)
		equal.see(t, distance(n, before, got), "n=%d b=%d", n, b)
	})
	orthogonal.report(t)
	equal.report(t)
}

// widthOne copies the two diagonals of a bidiagonal matrix to a band with one superdiagonal. If
// another element is not zero, widthOne also copies it to a place outside the new band, so that
// upperBandToFull finds it.
func widthOne(n, b int, band []float64) []float64 {
	to := make([]float64, BidiagonalBandLen(n, 1))
	for k, x := range band {
		j := k / (3 * b)
		i := k - 3*b*j + j - (2*b - 1)
		switch {
		case i >= 0 && i < n && j < n && (i == j || i+1 == j):
			to[BidiagonalBandAt(1, i, j)] = x
		case x != 0:
			to[len(to)-1] = x // which upperBandToFull finds
		}
	}
	return to
}

// distance returns ‖a − b‖₁/(n·ε·‖a‖₁), or ‖a − b‖₁ if a is zero.
func distance(n int, a, b []float64) float64 {
	diff := make([]float64, len(a))
	for k := range a {
		diff[k] = a[k] - b[k]
	}
	norm := ratio.Norm1(n, n, a, max(n, 1))
	if norm == 0 {
		return ratio.Norm1(n, n, diff, max(n, 1))
	}
	return ratio.Norm1(n, n, diff, max(n, 1)) / (float64(n) * 0x1p-52 * norm)
}

// TestBidiagonalChasingValues compares the singular values of the bidiagonal result with the
// singular values of the band, computed by gonum.
func TestBidiagonalChasingValues(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 41} {
		for _, b := range []int{1, 2, 3, 8} {
			band := randomUpperBand(n, b)
			full := mat.NewDense(n, n, upperBandToFull(t, n, b, band)) // by rows: the transpose
			d, e, _, _ := BidiagonalChasing(n, b, band)
			c := mat.NewDense(n, n, nil)
			for i := range d {
				c.Set(i, i, d[i])
				if i+1 < n {
					c.Set(i, i+1, e[i])
				}
			}
			want, got := singular(t, full), singular(t, c)
			for k := range want {
				if !(math.Abs(got[k]-want[k]) <= 20*float64(n)*0x1p-52*want[0]) {
					t.Errorf("n=%d b=%d: σ%d is %g, want %g", n, b, k, got[k], want[k])
				}
			}
		}
	}
}

func singular(t *testing.T, a mat.Matrix) []float64 {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDNone) {
		t.Fatal("gonum finds no singular values")
	}
	return svd.Values(nil)
}

// runHalfSteps runs all half-steps (applications of one reflector) of a bulge chasing. Half-step h
// of a sweep may run when the previous sweep has finished half-step h + `ahead`, or all its
// half-steps. The function `choose` selects one of the sweeps that may continue.
func runHalfSteps(c *bidiagonalChase[float64], ahead int, choose func(ready []int) int) {
	done := make([]int, Sweeps(c.n))
	for {
		var ready []int
		for s, h := range done {
			if h < c.halfSteps(s) && (s == 0 || done[s-1] >= min(h+ahead+1, c.halfSteps(s-1))) {
				ready = append(ready, s)
			}
		}
		if len(ready) == 0 {
			return
		}
		s := choose(ready)
		c.halfStep(s, done[s])
		done[s]++
	}
}

// TestBidiagonalDependenceRule checks the rule that half-step h of sweep s+1 runs after half-step
// h+3 of sweep s. A half-step applies one reflector. The earliest order and random orders that the
// rule allows must give the same bits as one sweep after another. In at least one case, the bits
// must change if a sweep may begin one half-step earlier.
func TestBidiagonalDependenceRule(t *testing.T) {
	same := func(x, y *bidiagonalChase[float64]) bool {
		return slices.Equal(x.band, y.band) && slices.Equal(x.left.V, y.left.V) && slices.Equal(x.right.V, y.right.V) &&
			slices.Equal(x.left.Tau, y.left.Tau) && slices.Equal(x.right.Tau, y.right.Tau)
	}
	wrong := 0
	for n := 0; n <= 40; n++ {
		for _, b := range []int{1, 2, 3, 4, 5, 8} {
			sequential := newBidiagonalChase(n, b, randomUpperBand(n, b))
			runHalfSteps(sequential, 2*n, func(ready []int) int { return ready[0] })
			d, e, left, _ := BidiagonalChasing(n, b, randomUpperBand(n, b))
			dw, ew, leftw, rightw := BidiagonalChasingWaves(n, b, randomUpperBand(n, b))
			if !slices.Equal(left.V, sequential.left.V) || !slices.Equal(d, dw) || !slices.Equal(e, ew) ||
				!slices.Equal(left.Tau, leftw.Tau) || !slices.Equal(rightw.V, sequential.right.V) {
				t.Errorf("n=%d b=%d: waves give other bits", n, b)
			}
			r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
			for name, choose := range map[string]func([]int) int{
				"eager":  func(ready []int) int { return ready[len(ready)-1] },
				"random": func(ready []int) int { return ready[r.IntN(len(ready))] },
			} {
				c := newBidiagonalChase(n, b, randomUpperBand(n, b))
				runHalfSteps(c, 3, choose)
				if !same(c, sequential) {
					t.Errorf("n=%d b=%d: the %s order gives other bits", n, b, name)
				}
				early := newBidiagonalChase(n, b, randomUpperBand(n, b))
				runHalfSteps(early, 2, choose)
				if !same(early, sequential) {
					wrong++
				}
			}
		}
	}
	if wrong == 0 {
		t.Error("two half-steps between sweeps are enough, too: the rule is not what the test holds")
	}
}
