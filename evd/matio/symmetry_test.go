package matio

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/transpose"
)

// randomSquare returns a matrix that is not symmetric.
func randomSquare(n int) *Dense {
	rnd := rand.New(rand.NewPCG(uint64(n), 7))
	d := &Dense{Rows: n, Cols: n, Data: make([]float64, n*n)}
	for k := range d.Data {
		d.Data[k] = rnd.NormFloat64()
	}
	return d
}

func TestSymmetrizeAndMirror(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, transpose.Tile - 1, transpose.Tile, transpose.Tile + 1, 2 * transpose.Tile, 3*transpose.Tile + 5} {
		for name, c := range map[string]struct {
			do   func(*Dense) error
			want func(d *Dense, i, j int) float64
		}{
			"Symmetrize":    {(*Dense).Symmetrize, func(d *Dense, i, j int) float64 { return d.At(i, j)/2 + d.At(j, i)/2 }},
			"Mirror(lower)": {func(d *Dense) error { return d.Mirror(true) }, func(d *Dense, i, j int) float64 { return d.At(max(i, j), min(i, j)) }},
			"Mirror(upper)": {func(d *Dense) error { return d.Mirror(false) }, func(d *Dense, i, j int) float64 { return d.At(min(i, j), max(i, j)) }},
		} {
			before, got := randomSquare(n), randomSquare(n)
			if err := c.do(got); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := range n {
					if want := c.want(before, i, j); got.At(i, j) != want {
						t.Fatalf("%s, n = %d: a(%d,%d) = %g, want %g", name, n, i, j, got.At(i, j), want)
					}
				}
			}
			if err := got.Symmetric(); err != nil {
				t.Errorf("%s, n = %d: %v", name, n, err)
			}
		}
	}
	flat := &Dense{Rows: 1, Cols: 2, Data: make([]float64, 2)}
	var shape *NotSquareError
	if err := errors.Join(flat.Symmetrize(), flat.Mirror(true)); !errors.As(err, &shape) {
		t.Errorf("1 by 2: %v", err)
	}
}

// TestSymmetrizeKeepsEqualPairs checks that equal pairs are not averaged: x/2 + x/2 would lose the
// last bit of a subnormal number. It also checks that the average of the largest numbers does not
// overflow.
func TestSymmetrizeKeepsEqualPairs(t *testing.T) {
	d := &Dense{Rows: 2, Cols: 2, Data: []float64{math.MaxFloat64, 5e-324, 5e-324, -math.MaxFloat64}}
	want := fmt.Sprint(d.Data)
	if err := d.Symmetrize(); err != nil || fmt.Sprint(d.Data) != want {
		t.Errorf("%v, %v; want %v", d.Data, err, want)
	}
	d.Data[1], d.Data[2] = math.MaxFloat64, math.MaxFloat64/2
	if d.Symmetrize(); d.Data[1] != math.MaxFloat64*0.75 || d.Data[2] != d.Data[1] {
		t.Errorf("average of the largest and half of it: %g, %g", d.Data[1], d.Data[2])
	}
}

// TestRoundingIsToldFromAsymmetry checks the method Rounding of NotSymmetricError, which says
// whether a difference may be a rounding error. The largest element of the matrix is 4, so the
// limit is a difference of 400·ε.
func TestRoundingIsToldFromAsymmetry(t *testing.T) {
	const epsilon = 0x1p-52
	for _, c := range []struct {
		diff float64
		want bool
	}{{epsilon, true}, {4 * 99 * epsilon, true}, {4 * 102 * epsilon, false}, {1, false}, {nan, false}} {
		d := &Dense{Rows: 2, Cols: 2, Data: []float64{-4, c.diff, 0, 1}}
		var e *NotSymmetricError
		if err := d.Symmetric(); !errors.As(err, &e) || e.Largest != 4 || e.Rounding() != c.want {
			t.Errorf("a difference of %g in a matrix of size 4: %+v, want rounding %v", c.diff, e, c.want)
		}
	}
}

// TestInfinityIsNoRoundingError checks that the method Rounding of NotSymmetricError returns false
// if an entry of the matrix is infinite.
func TestInfinityIsNoRoundingError(t *testing.T) {
	for _, data := range [][]float64{{1, inf, 2, 1}, {inf, 1, 2, 1}} {
		var e *NotSymmetricError
		if err := (&Dense{Rows: 2, Cols: 2, Data: data}).Symmetric(); !errors.As(err, &e) || e.Rounding() {
			t.Errorf("%v: %+v", data, e)
		}
	}
}

// TestSymmetricNamesTheSamePairAlways checks a matrix with several equal differences. The error
// must name the first of them by columns, whichever goroutine is faster.
func TestSymmetricNamesTheSamePairAlways(t *testing.T) {
	const n = 6 * transpose.Tile
	d := &Dense{Rows: n, Cols: n, Data: make([]float64, n*n)}
	for _, at := range [][2]int{{5 * transpose.Tile, 5}, {200, 3}, {300, 3}, {n - 1, n - 2}} {
		d.Data[at[0]+at[1]*n] = 1
	}
	for range 20 {
		var e *NotSymmetricError
		if !errors.As(d.Symmetric(), &e) || e.Row != 200 || e.Col != 3 {
			t.Fatalf("%+v, want row 200, column 3", e)
		}
	}
}

// TestSquareByRows reads a square matrix in row order. The result must be transposed to column
// order, unless the matrix equals its transpose bit by bit.
func TestSquareByRows(t *testing.T) {
	for _, n := range []int{2, transpose.Tile, transpose.Tile + 1, 4 * transpose.Tile} {
		for name, d := range map[string]*Dense{"general": randomSquare(n), "symmetric": {Rows: n, Cols: n, Data: randomSymmetric(n)}} {
			if name == "symmetric" {
				d.Data[1], d.Data[n] = 0, math.Copysign(0, -1) // equal, but not to the last bit
			}
			rows := make([]float64, n*n)
			for k := range rows {
				rows[k] = d.At(k/n, k%n)
			}
			got, ok := transpose.ByColumns(rows, n, n)
			for k, x := range got {
				if !ok || math.Float64bits(x) != math.Float64bits(d.Data[k]) {
					t.Fatalf("%s, n = %d: element %d is %g, want %g", name, n, k, x, d.Data[k])
				}
			}
		}
	}
}
