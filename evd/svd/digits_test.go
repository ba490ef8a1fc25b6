package svd

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/stages/tuning"
)

// belowIn returns the number of singular values below x of the bidiagonal matrix C with diagonal d
// and off-diagonal e, for x > 0. It counts the negative pivots of the Golub-Kahan form of C minus
// x·I, as LAPACK's dsvdct does, in numbers with 200 bits and an unlimited exponent. The count is
// exact for a matrix whose elements differ from those of C by about 2⁻²⁰⁰ of themselves.
func belowIn(d, e []float64, x float64) (count int) {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	q := number(-x)
	for i := range 2 * len(d) {
		if i > 0 {
			off := number(d[i/2])
			if i%2 == 0 {
				off.SetFloat64(e[i/2-1])
			}
			off.Mul(off, off)
			if q.Sign() == 0 {
				q.SetMantExp(number(-1), -1e6)
			}
			q.Sub(number(-x), off.Quo(off, q))
		}
		if q.Sign() <= 0 {
			count++
		}
	}
	return count - len(d)
}

// A singular value must keep its digits if it is at least leastValue times the largest entry of the
// matrix, which is rounded up to a power of two for this.
const leastValue = 0x1p-960

// keepDigits checks that the singular values of the bidiagonal matrix (d, e) of order n have errors
// of at most 10·max(n/10, 1) units in their own last place, as LAPACK's dsvdch does. Let the bound
// be leastValue times the largest entry. If a value is below the bound, keepDigits only checks that
// the exact value is also below the bound.
func keepDigits(t *testing.T, what string, d, e, values []float64) {
	t.Helper()
	n := len(d)
	far := 10 * max(float64(n)/10, 1) * 0x1p-52
	_, exponent := math.Frexp(suite.Scale(d, e))
	scaled := func(x []float64) (y []float64) {
		for _, v := range x {
			y = append(y, math.Ldexp(v, -exponent))
		}
		return y
	}
	d, e = scaled(d), scaled(e)
	for i, x := range scaled(values) {
		lo, hi := x*(1-far), max(x*(1+far), leastValue)
		if !(hi <= leastValue) && belowIn(d, e, lo) > n-1-i || belowIn(d, e, hi) < n-i {
			t.Errorf("%s: value %d is not within %.3g of itself of %g", what, i, far, values[i])
			return
		}
	}
}

// TestBidiagonalValuesKeepTheirDigits checks each value of difficult bidiagonal matrices relative
// to itself. Among them are matrices with values below 1e-290 times the largest one.
func TestBidiagonalValuesKeepTheirDigits(t *testing.T) {
	small := tuning.Smallest()
	steps := func(factor float64) func(n int) (d, e []float64) { // entries change by this factor from row to row
		return func(n int) (d, e []float64) {
			d, e = make([]float64, n), make([]float64, max(n-1, 0))
			x := 1.0
			for i := range d {
				d[i] = x * (1 + float64(i%3)/8)
				if i < n-1 {
					e[i] = 0.75 * x * factor
				}
				x *= factor
			}
			return d, e
		}
	}
	all := append(suite.BidiagonalFamilies[:len(suite.BidiagonalFamilies):len(suite.BidiagonalFamilies)], []struct {
		Name string
		Make func(n int) (d, e []float64)
	}{{"by 1e-3", steps(1e-3)}, {"by 1e-6", steps(1e-6)}, {"by 1e3", steps(1e3)}}...)
	for _, n := range []int{1, 2, 3, 10, 40, 50} {
		p, err := NewBidiagonalPlan[float64](testDevice(t), n, Options{Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			d, e := f.Make(n)
			res, err := p.Solve(context.Background(), Bidiagonal[float64]{d, e})
			if err != nil {
				t.Fatalf("%d, %s: %v", n, f.Name, err)
			}
			keepDigits(t, fmt.Sprintf("%d, %s", n, f.Name), d, e, res.Values)
		}
		p.Close()
	}
}
