package team

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// divideAmong makes the stages of solves with all vectors for order n, divided among the given
// number of devices.
func divideAmong[T spirv.Scalar](t *testing.T, devices, n int) (*Team, *divided[T]) {
	t.Helper()
	var all []*vk.Device
	for range devices {
		d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		all = append(all, d)
	}
	small := tuning.Smallest()
	g := &Team{Base: plan.Base{Dev: all[0], N: n}}
	if err := g.Join(all[1:], nil); err != nil {
		t.Fatal(err)
	}
	s, err := New[T](g, dense.Config{Options: spectrum.Options{Vectors: true}, Distribute: true, Tuning: &small})
	if err == nil {
		err = g.Allocate(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g, s.(*divided[T])
}

// solved returns the eigenpairs of a, and the largest column sum of their errors.
func solved[T spirv.Scalar](t *testing.T, g *Team, by Stages[T], a dense.Triangle[T]) (r spectrum.Result[T], worst float64) {
	t.Helper()
	c := g.Begin(context.Background(), nil)
	w := by.Begin(g, c)
	defer w.End()
	tail := spectrum.Tail[T]{Stage: by.Leader().Spectrum, Vectors: w.Downloads(nil)}
	host, sigma, err := w.Reduce(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Reduced()
	tail.Sigma = sigma
	if r, err = tail.Run(c, host); err != nil {
		t.Fatal(err)
	}
	sums, _, err := w.ColumnSums(a, r.Values, dense.Stored[T]{Columns: r.Vectors[0]})
	if err != nil {
		t.Fatal(err)
	}
	return r, plan.Largest(append(sums[0], sums[1]...))
}

func sample(n int) dense.Triangle[float64] {
	a := dense.Triangle[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	for i := range a.Data {
		a.Data[i] = float64(i*i%19) - 9
	}
	return a
}

// TestReflectorsGoInPieces solves with panels whose columns have gaps between them in the memory of
// the device. An earlier version then made more pieces than events, and a divided solve of order
// 32768 panicked. Here a panel has up to thirty pieces.
func TestReflectorsGoInPieces(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	symmetric := sample(61)
	hermitian := dense.Triangle[complex128]{N: symmetric.N, Ld: symmetric.Ld}
	for _, x := range symmetric.Data {
		hermitian.Data = append(hermitian.Data, complex(x, x/2))
	}
	t.Run("float64", func(t *testing.T) { reflectorsGoInPieces(t, symmetric) })
	t.Run("complex128", func(t *testing.T) { reflectorsGoInPieces(t, hermitian) })
}

func reflectorsGoInPieces[T spirv.Scalar](t *testing.T, a dense.Triangle[T]) {
	defer func(bytes int) { reflectorBytes = bytes }(reflectorBytes)
	g, by := divideAmong[T](t, 3, a.N)
	var want []T
	for _, bytes := range []int{1 << 20, 400, 64} {
		reflectorBytes = bytes
		r, worst := solved(t, g, by, a)
		if want == nil {
			want = r.Vectors[0].Data
		}
		if !slices.Equal(r.Vectors[0].Data, want) {
			t.Fatalf("pieces of %d bytes: other bits", bytes)
		}
		if !(worst < 1e-11) {
			t.Errorf("pieces of %d bytes: errors up to %g", bytes, worst)
		}
	}
}

// TestPanelsOfACheckReportErrors cancels a check by two devices after the vectors are on the
// devices. The sums of the next panel must be refused, for A and for the vectors. Copying other
// vectors to the devices must be refused, too.
func TestPanelsOfACheckReportErrors(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	const n = 12
	g, by := divideAmong[float64](t, 2, n)
	r, _ := solved(t, g, by, sample(n))
	s := &dividedSolve[float64]{by, g.newCrew(g.Begin(context.Background(), nil))}
	defer s.End()
	c, err := s.upload(dense.Stored[float64]{Columns: r.Vectors[0]}, r.Values)
	if err != nil {
		t.Fatal(err)
	}
	s.cancel()
	for _, residual := range []bool{true, false} {
		if err := c.add(r.Vectors[0].Data[:n], 0, make([]float64, n), residual); !errors.Is(err, context.Canceled) {
			t.Errorf("residual %v: %v", residual, err)
		}
	}
	if _, err := s.upload(dense.Stored[float64]{Columns: r.Vectors[0]}, r.Values); !errors.Is(err, context.Canceled) {
		t.Errorf("vectors: %v", err)
	}
}

// TestCauseWaitsForTheCopies asks for the cause of a cancelled solve while the reflectors are still
// being copied. Afterwards the copies fail. Their error is the cause, so Cause must wait for it.
func TestCauseWaitsForTheCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := errors.New("lost")
		g := &helped[float64]{crew: crew{outer: context.Background()}, copied: make(chan struct{})}
		go func() {
			time.Sleep(time.Second)
			g.failed = lost
			close(g.copied)
		}()
		if err := g.Cause(context.Canceled); err != lost {
			t.Error(err)
		}
		<-g.copied
	})
}
