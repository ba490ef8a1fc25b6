package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// standardize subtracts its mean from each column, and with `scale` divides the column by its
// standard deviation, with m−1 in the divisor, as R's prcomp does. It returns the sum of squares of
// all elements. A column with an entry that is not finite is left as it is: the solve names the
// entry.
func standardize(file string, a *matio.Dense, scale bool) (squares float64, err error) {
	m := float64(a.Rows)
columns:
	for j := range a.Cols {
		column := a.Data[j*a.Rows : (j+1)*a.Rows]
		if scale && a.Rows > 0 && slices.Min(column) == slices.Max(column) && !math.IsInf(column[0], 0) {
			if a.Rows == 1 {
				return 0, fmt.Errorf("%s: has one row, and a standard deviation needs two", cli.InputName(file))
			}
			return 0, fmt.Errorf("%s: column %d is constant, so --scale cannot divide it by its standard deviation; leave it out",
				cli.InputName(file), j+1)
		}
		for range 2 { // the second time, the mean is that of rounding errors of the first
			mean := 0.0
			for _, x := range column {
				mean += x / m
			}
			if math.IsNaN(mean) || math.IsInf(mean, 0) {
				continue columns
			}
			for i := range column {
				column[i] -= mean
			}
		}
		largest := 0.0
		for _, x := range column {
			largest = max(largest, math.Abs(x))
		}
		sum := 0.0 // of squares of x/largest, which do not overflow
		for _, x := range column {
			if largest > 0 {
				sum += x / largest * (x / largest)
			}
		}
		if scale {
			deviation := largest * math.Sqrt(sum/(m-1))
			for i := range column {
				column[i] /= deviation
			}
			squares += m - 1
		} else {
			squares += largest * sum * largest
		}
	}
	return squares, nil
}
