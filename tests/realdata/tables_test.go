package realdata

import (
	"fmt"
	"math/big"
	"path/filepath"
	"slices"

	"github.com/vkevd/vkevd/evd/matio"
)

// readSquare reads an n×n matrix from a text file: n² numbers, possibly after the number n². The
// numbers come from measurements or from numerical differences, so the matrix is symmetric only to
// some digits.
func readSquare(file string, n int) (*matio.Dense, error) {
	x, err := numbers(file)
	if err != nil {
		return nil, err
	}
	if len(x) != n*n && len(x) != n*n+1 {
		return nil, fmt.Errorf("%s: %d numbers for order %d", file, len(x), n)
	}
	return symmetrized(n, x[len(x)-n*n:]), nil
}

// symmetrized returns (A + Aᵀ)/2.
func symmetrized(n int, a []float64) *matio.Dense {
	d := &matio.Dense{Rows: n, Cols: n, Data: make([]float64, n*n)}
	for j := range n {
		for i := range n {
			d.Data[i+j*n] = (a[i+j*n] + a[j+i*n]) / 2
		}
	}
	return d
}

// table reads a table of numbers from a text file: rows with the given number of columns. In each
// line it skips words that are no numbers, and further numbers. It also skips lines with fewer
// numbers, which are headings or names of classes.
func table(file string, columns int) (rows [][]float64, err error) {
	err = eachLine(file, func(words []string) error {
		var row []float64
		for _, w := range words {
			if x, err := number(w); err == nil {
				row = append(row, x)
			}
		}
		if len(row) >= columns {
			rows = append(rows, row[:columns])
		}
		return nil
	})
	return rows, err
}

// readCovariance reads a text file with observations of n variables, one observation per line. It
// returns the covariance matrix of the variables.
func readCovariance(file string, n int) (*matio.Dense, error) {
	rows, err := table(file, n)
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s: %d lines of %d numbers", file, len(rows), n)
	}
	d := &matio.Dense{Rows: n, Cols: n, Data: make([]float64, n*n)}
	for j := range n {
		for i := j; i < n; i++ {
			c := covariance(rows, i, j)
			d.Data[i+j*n], d.Data[j+i*n] = c, c
		}
	}
	return d, nil
}

// covariance returns (Σxy − Σx·Σy/m)/(m−1), where x and y are columns i and j of the m rows. The
// difference cancels many digits, so it is computed with 200 bits. In double precision, its error
// would be larger than the solver's error.
func covariance(rows [][]float64, i, j int) float64 {
	var sumX, sumY, sumXY, x, y, product big.Float
	for _, v := range []*big.Float{&sumX, &sumY, &sumXY, &x, &y, &product} {
		v.SetPrec(200)
	}
	for _, row := range rows {
		x.SetFloat64(row[i])
		y.SetFloat64(row[j])
		sumX.Add(&sumX, &x)
		sumY.Add(&sumY, &y)
		sumXY.Add(&sumXY, product.Mul(&x, &y))
	}
	m := int64(len(rows))
	product.Mul(&sumX, &sumY)
	product.Quo(&product, x.SetInt64(m))
	sumXY.Sub(&sumXY, &product)
	c, _ := sumXY.Quo(&sumXY, x.SetInt64(m-1)).Float64()
	return c
}

// readDistances reads an n×n matrix A of distances from a text file. It returns (A + Aᵀ)/2.
func readDistances(file string, n int) (*matio.Dense, error) {
	rows, err := table(file, n)
	if err != nil {
		return nil, err
	}
	if len(rows) != n {
		return nil, fmt.Errorf("%s: %d lines of %d numbers", file, len(rows), n)
	}
	return symmetrized(n, slices.Concat(rows...)), nil
}

// readTridiagonal reads a tridiagonal matrix from a text file. The first line is the order n. Each
// later line has i, the diagonal element d and the off-diagonal element e, or only d and e.
// readTridiagonal ignores i and uses the order of the lines, because i is wrong in some files. The
// last e is not part of the matrix.
func readTridiagonal(file string, n int) (*matio.Dense, error) {
	x, err := numbers(file)
	if err != nil {
		return nil, err
	}
	width := (len(x) - 1) / max(n, 1)
	if len(x) != 1+n*width || x[0] != float64(n) || width != 2 && width != 3 {
		return nil, fmt.Errorf("%s: %d numbers for order %d", file, len(x), n)
	}
	d, e := make([]float64, n), make([]float64, n)
	for i := range n {
		line := x[1+i*width:][:width]
		d[i], e[i] = line[width-2], line[width-1]
	}
	return tridiagonal(d, e), nil
}

// readTwoDiagonals reads a tridiagonal matrix from two files, one with the diagonal d and one with
// the off-diagonal e. The first e is not part of the matrix.
func readTwoDiagonals(file string, n int) (*matio.Dense, error) {
	d, err := numbers(filepath.Join(filepath.Dir(file), "diagonal.dat"))
	if err != nil {
		return nil, err
	}
	e, err := numbers(filepath.Join(filepath.Dir(file), "superdiagonal.dat"))
	if err != nil {
		return nil, err
	}
	if len(d) != n || len(e) != n {
		return nil, fmt.Errorf("%s: %d and %d numbers for order %d", file, len(d), len(e), n)
	}
	return tridiagonal(d, e[1:]), nil
}

func tridiagonal(d, e []float64) *matio.Dense {
	n := len(d)
	t := &matio.Dense{Rows: n, Cols: n, Data: make([]float64, n*n)}
	for i := range n {
		t.Data[i+i*n] = d[i]
		if i+1 < n {
			t.Data[i+1+i*n], t.Data[i+(i+1)*n] = e[i], e[i]
		}
	}
	return t
}
