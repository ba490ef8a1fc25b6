package batch_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// TestMemoryOfPortions checks that a plan has memory for one part of its batch. (A plan of 20000
// matrices once had memory for all of them, and used that of 16384.)
func TestMemoryOfPortions(t *testing.T) {
	const n, part = 3, 16384
	of := func(count int) uint64 { return newPlan(t, n, count, batch.Options{}).Bytes() }
	if whole, divided := of(part), of(20000); divided != whole {
		t.Errorf("%d bytes for 20000 matrices, %d for %d", divided, whole, part)
	}
	if half, whole := of(50000), of(part); half <= whole || half >= 2*whole {
		t.Errorf("%d bytes for 50000 matrices, %d for %d", half, whole, part)
	}
}

// TestPortions solves a batch that is divided into several parts. The results must have the bits of
// single solves, a NaN in the last part must be that matrix's error, and the progress must grow and
// end with all work. A second solve is cancelled after the first part.
func TestPortions(t *testing.T) {
	const n, count, bad = 3, 20000, 19321
	a := batch.Stack(n, count, stagetest.Normal(n, n*count, n, 1).Data, evd.Lower)
	a[bad].Data = slices.Clone(a[bad].Data)
	a[bad].Data[4] = math.NaN()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var seen []float64
	stop := false
	p := newPlan(t, n, count, batch.Options{Vectors: true, Progress: func(at evd.Progress) {
		seen = append(seen, at.Done/at.Total)
		if stop {
			cancel()
		}
	}})
	res, err := p.Solve(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 || !slices.IsSorted(seen) || seen[len(seen)-1] != 1 {
		t.Errorf("progress %v", seen)
	}
	for k, s := range res.Spectra {
		if (s.Err != nil) != (k == bad) {
			t.Fatalf("matrix %d: %v", k, s.Err)
		}
	}
	var failed *evd.NonFiniteError
	if !errors.As(res.Spectra[bad].Err, &failed) || failed.Row != 1 || failed.Col != 1 {
		t.Errorf("matrix %d: %v", bad, res.Spectra[bad].Err)
	}
	for _, k := range []int{0, 16383, 16384, bad - 1, bad + 1, count - 1} {
		same(t, "in a part", res.Spectra[k:k+1], solve(t, p, a[k]).Spectra)
	}
	seen, stop = nil, true
	if _, err := p.Solve(ctx, a); !errors.Is(err, context.Canceled) || len(seen) != 1 {
		t.Errorf("cancelled after the first part: %v, progress %v", err, seen)
	}
}
