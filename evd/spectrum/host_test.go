package spectrum

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// onHostCall returns a call without a device, and a matrix with its Stage. Divide and conquer of
// this matrix reports progress several times.
func onHostCall(progress func(vk.Progress)) (*plan.Call, *Stage, Tridiagonal) {
	d, e := suite.Random(300)
	c := &plan.Call{Ctx: context.Background(), Profile: vk.NewProfile()}
	c.ReportTo(progress)
	return c, NewOnHost(len(d), Options{Vectors: true, Solver: DivideConquer}), Tridiagonal{d, e}
}

// TestProgressOnHostThrows has a progress function that panics, or ends its goroutine, while the
// host solves. Solve must then do the same in its own goroutine, and must not call the function
// again. (Such a function once ended the process, or the solve lost a part of its work.)
func TestProgressOnHostThrows(t *testing.T) {
	for _, exits := range []bool{false, true} {
		calls := 0
		c, s, matrix := onHostCall(func(at vk.Progress) {
			if at.Done == 0 { // the phase begins
				return
			}
			if calls++; calls == 2 && exits {
				runtime.Goexit()
			} else if calls == 2 {
				panic("enough")
			}
		})
		returned, thrown := false, any(nil)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() { thrown = recover() }()
			s.Solve(c, matrix, 1, nil)
			returned = true
		}()
		<-ended
		if want := any("enough"); returned || exits != (thrown == nil) || !exits && thrown != want || calls != 2 {
			t.Errorf("exits: %v: returned %v, recovered %v after %d calls", exits, returned, thrown, calls)
		}
	}
}

// TestVectorsOfAFailedCallOnHost checks that the vectors of the host belong to a call, and are not
// in memory any more when they have been fetched. (The vectors of a call that failed later were
// once kept until the next call.)
func TestVectorsOfAFailedCallOnHost(t *testing.T) {
	c, s, matrix := onHostCall(nil)
	if _, err := s.Solve(c, matrix, 1, nil); err != nil || len(c.HostVectors) != 300*300 {
		t.Fatalf("%d elements, %v", len(c.HostVectors), err)
	}
	other, _, _ := onHostCall(nil)
	if rows := HostVectors[float32](other, s); len(rows.Data) != 0 {
		t.Errorf("another call has %d elements", len(rows.Data))
	}
	if rows := HostVectors[float32](c, s); len(rows.Data) != 300*300 || c.HostVectors != nil {
		t.Errorf("%d elements, and %d later", len(rows.Data), len(c.HostVectors))
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	c.Ctx = ctx
	if _, err := s.Solve(c, matrix, 1, nil); !errors.Is(err, context.Canceled) || c.HostVectors != nil {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestOrthogonalitySums compares the sums with those of plain loops, for numbers of columns around
// and beyond the width of a strip. The columns are far from orthogonal, so every element counts.
func TestOrthogonalitySums(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const n = 20
	for _, m := range []int{1, 63, 64, 65, 130} {
		z := make([]float64, n*m)
		for i := range z {
			z[i] = random.NormFloat64()
		}
		sums, err := OrthogonalitySums(context.Background(), n, m, z)
		if err != nil || len(sums) != m {
			t.Fatal(len(sums), err)
		}
		for j := range m {
			want := 0.0
			for k := range m {
				x := 0.0
				for i := range n {
					x += z[i+j*n] * z[i+k*n]
				}
				if j == k {
					x--
				}
				want += math.Abs(x)
			}
			if !(math.Abs(sums[j]-want) <= 1e-12*want) {
				t.Errorf("%d columns: sum %d is %g, want %g", m, j, sums[j], want)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := OrthogonalitySums(ctx, n, 1, make([]float64, n)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}
