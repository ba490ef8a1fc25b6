package evd

import (
	"context"
	"math"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
)

// oneStage returns a tuning with which small matrices are reduced to tridiagonal form in one stage,
// by one workgroup. If a matrix has more than 25 columns, its first columns are reduced in blocks.
func oneStage() *tuning.Tuning {
	t := tuning.Smallest()
	t.Sytrd = reduce.TridiagonalisationTuning{
		Values: 60, Vectors: 40, LocalSize: 16, Groups: 1, Rows: 1, Kept: 128, Polls: 1 << 24,
		Blocked: reduce.BlockedTuning{Left: 25, Columns: 4, LocalSize: 16, Groups: 1, Registers: 200},
	}
	return &t
}

// TestOneStage checks when a plan reduces matrices in one stage: up to the order in the tuning
// table, if workgroups may wait for each other and neither Options.Band nor Options.Block is set.
// Each result must pass its certificate at the first attempt.
func TestOneStage(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d := verifyDevice(t)
	for _, c := range []struct {
		n    int
		opt  Options
		band int
	}{
		{1, Options{Vectors: true}, 1},
		{2, Options{Vectors: true}, 1},
		{25, Options{Vectors: true}, 1},
		{26, Options{Vectors: true}, 1},
		{40, Options{Vectors: true}, 1},
		{40, Options{Vectors: true, Select: Index(3, 8), RowMajor: true}, 1},
		{41, Options{Vectors: true}, tuning.Smallest().Band},
		{60, Options{}, 1},
		{61, Options{}, tuning.Smallest().Band},
		{40, Options{NoWaits: true}, tuning.Smallest().Band},
		{40, Options{Band: 8}, 8},
		{40, Options{Block: 12}, tuning.Smallest().Band},
	} {
		c.opt.Tuning, c.opt.Verify = oneStage(), true
		p, err := NewPlan[float64](d, c.n, c.opt)
		if err != nil {
			t.Fatalf("n = %d, %+v: %v", c.n, c.opt, err)
		}
		if p.Band() != c.band {
			t.Errorf("n = %d, %+v: half-bandwidth %d, want %d", c.n, c.opt, p.Band(), c.band)
		}
		a := randomSym(c.n)
		r, err := p.Solve(context.Background(), a)
		p.Close()
		switch {
		case err != nil:
			t.Fatalf("n = %d, %+v: %v", c.n, c.opt, err)
		case r.Certificate.Safe:
			t.Errorf("n = %d, %+v: solved again on the safe path", c.n, c.opt)
		}
	}
}

// TestOneStageScales solves matrices with entries near the ends of the range of doubles. The
// reduction in one stage does not scale the matrix, so the solve must scale it first.
func TestOneStageScales(t *testing.T) {
	d := verifyDevice(t)
	const n = 24
	p, err := NewPlan[float64](d, n, Options{Vectors: true, Tuning: oneStage()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	plain, err := p.Solve(context.Background(), randomSym(n))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []int{-1000, -480, -301, 301, 480, 1000} {
		a := randomSym(n)
		for i := range a.Data {
			a.Data[i] = math.Ldexp(a.Data[i], e)
		}
		r, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range r.Values {
			if d := math.Abs(math.Ldexp(x, -e) - plain.Values[i]); !(d < 1e-13) {
				t.Fatalf("times 2^%d: value %d is %g too large", e, i, d)
			}
		}
	}
}

// TestOneStageScalesToTheEnds solves matrices of small integers times the smallest subnormal
// number, and times a power of two that makes the entries nearly overflow. The multiples are exact.
// A power of two that makes the largest entry about 1 is beyond the largest number of the type, or
// is the smallest normal number.
func TestOneStageScalesToTheEnds(t *testing.T) {
	t.Run("float64", func(t *testing.T) { oneStageAtTheEnds[float64](t, -1074, 1014) })
	t.Run("float32", func(t *testing.T) { oneStageAtTheEnds[float32](t, -149, 118) })
}

func oneStageAtTheEnds[T Float](t *testing.T, exponents ...int) {
	const n = 5
	p, err := NewPlan[T](verifyDevice(t), n, Options{Tuning: oneStage()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	solve := func(e int) []float64 {
		a := NewSym(n, make([]T, n*n), Lower)
		for j := range n {
			for i := range n {
				a.Data[i+j*n] = T(math.Ldexp(math.Round(200*math.Sin(float64(7*min(i, j)+3*max(i, j)+1))), e))
			}
		}
		r, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatalf("times 2^%d: %v", e, err)
		}
		return r.Values
	}
	plain := solve(0)
	for _, e := range exponents {
		tol := 1e-3 // many ulps of the norm in single precision
		if e < 0 {
			tol += 0.5 // values are rounded to multiples of 2^e
		}
		for i, x := range solve(e) {
			if d := math.Abs(math.Ldexp(x, -e) - plain[i]); !(d <= tol) {
				t.Errorf("times 2^%d: value %d is %g, want %g times 2^%d", e, i, x, plain[i], e)
			}
		}
	}
}
