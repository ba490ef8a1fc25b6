package accuracy

import (
	"fmt"
	"math"
	"slices"
)

// Spectrum is a distribution of singular values in [0, 1].
type Spectrum int

const (
	Arithmetic    Spectrum = iota // equal distances: 1, 1 − 1/n, …, 1/n
	Logarithmic                   // equal ratios, from 1 down to 10^−Decades
	QuarterCircle                 // as of a large random matrix, with the density 4/π·√(1 − x²)
)

// Spectra lists all distributions.
var Spectra = []Spectrum{Arithmetic, Logarithmic, QuarterCircle}

// String returns the name of the distribution.
func (s Spectrum) String() string {
	if s < Arithmetic || s > QuarterCircle {
		return fmt.Sprintf("Spectrum(%d)", int(s))
	}
	return [...]string{"arithmetic", "logarithmic", "quarter-circle"}[s]
}

const Decades = 4 // from the largest to the smallest value of a Logarithmic spectrum

// Values returns n singular values in descending order, n ≥ 1.
func (s Spectrum) Values(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		switch s {
		case Arithmetic:
			values[i] = 1 - float64(i)/float64(n)
		case Logarithmic:
			values[i] = math.Pow(10, -Decades*float64(i)/float64(max(n-1, 1)))
		default:
			values[i] = quarterCircle((float64(n-i) - 0.5) / float64(n))
		}
	}
	return values
}

// quarterCircle returns the x in [0, 1] below which the part p of the values lies: the root of
// 2/π·(x·√(1 − x²) + asin x) = p, by bisection.
func quarterCircle(p float64) float64 {
	low, high := 0.0, 1.0
	for {
		x := (low + high) / 2
		if x == low || x == high {
			return x
		}
		if 2/math.Pi*(x*math.Sqrt(1-x*x)+math.Asin(x)) < p {
			low = x
		} else {
			high = x
		}
	}
}

// Quartiles are the quartiles of some errors, and the smallest and the largest error.
type Quartiles struct{ Least, Lower, Median, Upper, Most float64 }

// QuartilesOf returns the quartiles of at least one number. Between two neighbouring numbers it
// interpolates linearly.
func QuartilesOf(errors []float64) Quartiles {
	x := slices.Sorted(slices.Values(errors))
	at := func(p float64) float64 {
		place := p * float64(len(x)-1)
		i := min(int(place), max(len(x)-2, 0))
		if len(x) == 1 {
			return x[0]
		}
		return x[i] + (place-float64(i))*(x[i+1]-x[i])
	}
	return Quartiles{x[0], at(0.25), at(0.5), at(0.75), x[len(x)-1]}
}
