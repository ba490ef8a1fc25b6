package realdata

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/vkevd/vkevd/evd/matio"
)

// An entry is an element of a sparse matrix as it is stored in the file. Indices count from 0 or
// from 1.
type entry struct {
	i, j int
	v    float64
}

// spread makes a matrix of order n from a list of entries. Some files list both triangles, others
// only one. If only a_ij or a_ji is in the list, its value is used for both. If both are in the
// list and differ by rounding errors, their mean is used. Indices count from 0 if any index is 0,
// otherwise from 1.
func spread(n int, list []entry) (*matio.Dense, error) {
	first := 1
	for _, e := range list {
		first = min(first, e.i, e.j)
	}
	a := make([]float64, n*n)
	for k := range a {
		a[k] = math.NaN()
	}
	for _, e := range list {
		i, j := e.i-first, e.j-first
		if first < 0 || max(i, j) >= n {
			return nil, fmt.Errorf("element (%d, %d) of a matrix of order %d", e.i, e.j, n)
		}
		if at := &a[i+j*n]; math.IsNaN(*at) {
			*at = e.v
		} else {
			*at += e.v
		}
	}
	for j := range n {
		for i := j; i < n; i++ {
			v := mean(a[i+j*n], a[j+i*n])
			a[i+j*n], a[j+i*n] = v, v
		}
	}
	return &matio.Dense{Rows: n, Cols: n, Data: a}, nil
}

func mean(x, y float64) float64 {
	switch {
	case math.IsNaN(x) && math.IsNaN(y):
		return 0
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return (x + y) / 2
}

// readMatio reads a matrix with package matio. If matio returns an error, or a matrix that is not
// symmetric, the file is read as a list of triplets: row, column, value.
func readMatio(file string, n int) (*matio.Dense, error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := matio.Read(f, file)
	if err != nil || d.Symmetric() != nil {
		return readTriplets(file, n)
	}
	return d, nil
}

// readTriplets reads a matrix from lines of i, j and the value of element (i, j). A missing value
// counts as 1. If the first line begins with the order of the matrix, this line gives the size.
func readTriplets(file string, n int) (*matio.Dense, error) {
	var list []entry
	order, begun := strconv.Itoa(n), false
	err := eachLine(file, func(words []string) error {
		isSize := !begun && words[0] == order
		begun = true
		if isSize {
			return nil
		}
		e := entry{v: 1}
		if len(words) < 2 {
			return fmt.Errorf("%q is no element", words)
		}
		for k, at := range []*int{&e.i, &e.j} {
			var err error
			if *at, err = strconv.Atoi(words[k]); err != nil {
				return err
			}
		}
		if len(words) > 2 {
			var err error
			if e.v, err = number(words[2]); err != nil {
				return err
			}
		}
		list = append(list, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return spread(n, list)
}

// readCompressedColumns reads a square sparse matrix from a text file. The file has numbers in this
// order: the numbers of rows, of columns and of elements; the index of the first element of each
// column; the row of each element; the value of each element.
func readCompressedColumns(file string, n int) (*matio.Dense, error) {
	x, err := numbers(file)
	if err != nil {
		return nil, err
	}
	if len(x) < 3 || x[0] != float64(n) || x[1] != float64(n) || len(x) != 3+n+1+2*int(x[2]) {
		return nil, fmt.Errorf("%s: %d numbers", file, len(x))
	}
	count := int(x[2])
	begins, rows, values := x[3:3+n+1], x[3+n+1:][:count], x[3+n+1+count:]
	return columns(n, count,
		func(j int) int { return int(begins[j]) },
		func(k int) int { return int(rows[k]) },
		func(k int) float64 { return values[k] })
}

// columns makes a matrix from compressed columns, whose indices count from 1.
func columns(n, count int, begin, row func(int) int, value func(int) float64) (*matio.Dense, error) {
	list := make([]entry, count)
	j := 0
	for k := range list {
		for j+1 < n && begin(j+1) <= k+1 {
			j++
		}
		list[k] = entry{row(k), j + 1, value(k)}
	}
	return spread(n, list)
}

// readELSI reads a binary file of the library ELSI, which contains compressed columns.
func readELSI(file string, n int) (*matio.Dense, error) {
	const order, elements = 3, 5 // positions in the header
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var header [16]int64
	if err := binary.Read(f, binary.LittleEndian, &header); err != nil {
		return nil, err
	}
	if header[order] != int64(n) {
		return nil, fmt.Errorf("%s: header %v", file, header)
	}
	begins, rows, values := make([]int64, n), make([]int32, header[elements]), make([]float64, header[elements])
	for _, part := range []any{begins, rows, values} {
		if err := binary.Read(f, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	if rest, _ := io.Copy(io.Discard, f); rest > 0 {
		return nil, fmt.Errorf("%s: %d bytes too many", file, rest)
	}
	return columns(n, len(values),
		func(j int) int { return int(begins[j]) },
		func(k int) int { return int(rows[k]) },
		func(k int) float64 { return values[k] })
}
