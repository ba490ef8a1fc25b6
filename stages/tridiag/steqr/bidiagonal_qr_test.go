package steqr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/bidiagonal"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// TestBidiagonalQR solves the bidiagonal matrices of all families by QR iteration on the host. The
// vectors arrive on the device, for all values and for a part of them. LAPACK's ratios must be
// below the limit. A side that is not wanted must stay unchanged.
func TestBidiagonalQR(t *testing.T) {
	dev := stagetest.Device(t)
	for _, n := range []int{1, 2, 7, 50} {
		s := NewBidiagonalQR(dev, n)
		var regions [2]vk.Region[float64]
		for side := range regions {
			regions[side] = vk.Reserve[float64]([]string{"W", "S"}[side], n*n)
		}
		ws := stagetest.Arena(t, dev, vk.Together(regions[0], regions[1]))
		for _, f := range suite.BidiagonalFamilies {
			d, e := f.Make(n)
			for _, part := range [][2]int{{0, n}, {n / 3, n - n/3}} {
				m := part[1] - part[0]
				var x [2]stages.Matrix
				for side, r := range regions {
					x[side] = stages.NewMatrix(r.In(ws).Sub(0, m*n), m, n, max(m, 1))
				}
				values, profile, err := s.SolveRange(context.Background(), d, e, part[0], part[1], x[bidiagonal.Left], x[bidiagonal.Right])
				if err != nil || !(profile.Phase(stages.PhaseBidiagonal+stages.OnHost) > 0) {
					t.Fatalf("%s/%d: %v", f.Name, n, err)
				}
				both := [2][]float64{}
				for side := range x {
					both[side] = columnsToRows(stagetest.Get(t, dev, x[side].At), m, n)
				}
				r := suite.CheckBidiagonal(d, e, values[part[0]:part[1]], both[bidiagonal.Left], both[bidiagonal.Right], m)
				if !r.Below(suite.Limit) {
					t.Errorf("%s: %v", fmt.Sprintf("%s/%d, values %v", f.Name, n, part), r)
				}
			}
		}
		right := stagetest.Get(t, dev, regions[bidiagonal.Right].In(ws))
		d, e := suite.BidiagonalFamilies[0].Make(n)
		left := stages.NewMatrix(regions[bidiagonal.Left].In(ws), n, n, n)
		if _, _, err := s.SolveRange(context.Background(), d, e, 0, n, left, stages.Matrix{}); err != nil {
			t.Fatal(err)
		}
		for i, x := range stagetest.Get(t, dev, regions[bidiagonal.Right].In(ws)) {
			if x != right[i] {
				t.Fatalf("n = %d: the right vectors have changed", n)
			}
		}
	}
}

// TestBidiagonalQRRefuses checks that a NaN, a cancelled context, and a matrix of the wrong shape
// are refused.
func TestBidiagonalQRRefuses(t *testing.T) {
	dev, ctx := stagetest.Device(t), context.Background()
	s := NewBidiagonalQR(dev, 2)
	var bad *bidiagonal.NonFiniteError
	if _, _, err := s.SolveRange(ctx, []float64{1, math.NaN()}, []float64{0}, 0, 0, stages.Matrix{}, stages.Matrix{}); !errors.As(err, &bad) || bad.Row != 1 || bad.Col != 1 {
		t.Errorf("a NaN: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := s.SolveRange(done, []float64{1, 2}, []float64{0}, 0, 0, stages.Matrix{}, stages.Matrix{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	ws := vk.Reserve[float64]("S", 4)
	a := stagetest.Arena(t, dev, vk.Together(ws))
	defer func() {
		if recover() == nil {
			t.Error("a matrix of the wrong shape is accepted")
		}
	}()
	s.SolveRange(ctx, []float64{1, 2}, []float64{0}, 0, 1, stages.NewMatrix(ws.In(a), 2, 2, 2), stages.Matrix{})
}
