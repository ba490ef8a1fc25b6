package bench

import (
	"context"
	"testing"
)

// TestComplexSingularValues measures singular values of complex matrices after those of eigenvalues,
// whose matrix the host then drops.
func TestComplexSingularValues(t *testing.T) {
	b := newBench(t, Options{Stages: []string{"values", "svd", "svd-vectors"}, Orders: []int{40}, Repeat: 1, Complex: true})
	rows, err := b.Measure(context.Background(), 40)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		if !r.Complex || r.Products != "native" || !(r.Min > 0 && r.GBytes > 0) {
			t.Errorf("%+v", r)
		}
	}
}
