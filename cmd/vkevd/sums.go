package main

import (
	"math"

	"github.com/vkevd/vkevd/evd"
)

// ulp is the distance from 1 to the next double, LAPACK's ε.
const ulp = 0x1p-52

// sums compares Σλ with the trace and Σλ² with the squared Frobenius norm, both in
// units of the error that rounding may leave. They would notice a value that is
// lost, doubled or far off, and say nothing about each one.
func sums(a evd.Sym[float64], values []float64) measures {
	scale := powerOfTwo(largest(a)) // squares of entries near the ends of the range would leave it
	var trace, squares float64
	for j := range a.N {
		column := 0.0 // by columns, so that few small terms meet a large sum
		for i := j; i < a.N; i++ {
			x := a.Data[i+j*a.Ld] * scale
			if i == j {
				trace += x
				column += x * x
			} else {
				column += 2 * x * x
			}
		}
		squares += column
	}
	var sum, sumOfSquares float64
	for _, v := range values {
		v *= scale
		sum += v
		sumOfSquares += v * v
	}
	unit := float64(a.N) * ulp
	return measures{
		{"trace", "|Σλ − tr A| / (n·ε·‖A‖F)", over(sum-trace, unit*math.Sqrt(squares))},
		{"squares", "|Σλ² − ‖A‖F²| / (n·ε·‖A‖F²)", over(sumOfSquares-squares, unit*squares)},
	}
}

// over is |err|/unit, where no error is none even of a zero matrix.
func over(err, unit float64) float64 {
	if err == 0 {
		return 0
	}
	return math.Abs(err) / unit
}

func largest(a evd.Sym[float64]) float64 {
	most := 0.0
	for j := range a.N {
		for _, x := range a.Data[j*a.Ld+j : j*a.Ld+a.N] {
			most = max(most, math.Abs(x))
		}
	}
	return most
}

// powerOfTwo brings x near 1 by a factor that rounds nothing. The smallest denormals
// need more than a double can be, and get what there is.
func powerOfTwo(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Ldexp(1, -max(math.Ilogb(x), -1023))
}
