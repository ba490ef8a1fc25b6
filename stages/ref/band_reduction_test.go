package ref

import (
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
)

func TestBandReduction(t *testing.T) {
	orthogonal := worst{name: "‖I − Q1ᵀ·Q1‖"}
	similar := worst{name: "‖A − Q1·B·Q1ᵀ‖"}
	eachShape(func(n, b, k int) {
		lda := n + 3
		dense := gaussSymmetric(n, uint64(n*b+k))
		a := lowerOnly(n, dense, lda)
		band, tf := BandReduction(n, b, k, a, lda)
		if !untouched(n, n, a, lda) {
			t.Fatalf("n=%d b=%d k=%d: padding written", n, b, k)
		}
		checkPanels(t, n, b, a, lda, tf)

		q := eye(n, n)
		ApplyQ1(n, b, a, lda, tf, n, q, n)
		orthogonal.see(t, ratio.Orthogonality(n, n, q, n), "n=%d b=%d k=%d", n, b, k)
		similar.see(t, similarity(n, dense, q, bandToFull(t, n, b, band)), "n=%d b=%d k=%d", n, b, k)
	})
	orthogonal.report(t)
	similar.report(t)
}

// checkPanels checks that A holds the reflectors in the documented form after a band reduction.
func checkPanels(t *testing.T, n, b int, a []float64, lda int, tf []float64) {
	t.Helper()
	panels := Panels(n, b)
	if len(tf) != panels*b*b {
		t.Fatalf("n=%d b=%d: T has %d elements for %d panels", n, b, len(tf), panels)
	}
	for j := range n {
		one := j + b // the row in which panel column j%b has its unit element, if it has one
		for i := range n {
			v := a[i+j*lda]
			switch {
			case j/b < panels && i == one && v != 1:
				t.Fatalf("n=%d b=%d: Y(%d, %d) = %g, want 1", n, b, i, j, v)
			case (j/b >= panels || i < one) && v != 0:
				t.Fatalf("n=%d b=%d: Y(%d, %d) = %g, want 0", n, b, i, j, v)
			}
		}
	}
}

// TestBandReductionKeepsABand reduces a matrix that is a band already. All elements of the factors
// T must be 0, and the band must have the bits of A.
func TestBandReductionKeepsABand(t *testing.T) {
	eachShape(func(n, b, k int) {
		dense := full(n, func(i, j int) float64 {
			if i-j > b {
				return 0
			}
			return float64(i-2*j) + 0.1
		})
		band, tf := BandReduction(n, b, k, lowerOnly(n, dense, n), n)
		if !slices.Equal(bandToFull(t, n, b, band), dense) {
			t.Errorf("n=%d b=%d k=%d: the band has changed", n, b, k)
		}
		if slices.ContainsFunc(tf, func(v float64) bool { return v != 0 }) {
			t.Errorf("n=%d b=%d k=%d: T is not zero", n, b, k)
		}
	})
}
