package realdata

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/vkevd/vkevd/evd/matio"
)

// readRectangle reads a matrix in Matrix Market format.
func readRectangle(file string, _ int) (*matio.Dense, error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return matio.Options{Format: matio.MatrixMarket}.Read(f, file)
}

// readArchive reads a tar archive. It returns the matrix of the first .mtx file, but files whose
// names end in _b.mtx are left out, because they have right-hand sides.
func readArchive(file string, _ int) (*matio.Dense, error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	archive := tar.NewReader(f)
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: no matrix", file)
		} else if err != nil {
			return nil, err
		}
		if strings.HasSuffix(entry.Name, ".mtx") && !strings.HasSuffix(entry.Name, "_b.mtx") {
			return matio.Read(archive, entry.Name)
		}
	}
}

// rectangle makes a rows×cols matrix from compressed columns: begins[j] is the index of the first
// element of column j, and `at` holds the row of each element. Indices count from 1. If an element
// is listed twice, its values are added.
func rectangle(rows, cols int, begins, at, values []float64) (*matio.Dense, error) {
	d := &matio.Dense{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
	for j := range cols {
		for k := int(begins[j]) - 1; k < int(begins[j+1])-1; k++ {
			i := int(at[k]) - 1
			if i < 0 || i >= rows {
				return nil, fmt.Errorf("row %d of %d", i+1, rows)
			}
			d.Data[i+j*rows] += values[k]
		}
	}
	return d, nil
}

// readRectangularColumns reads a matrix that is not square from a text file. The file has numbers
// in this order: the numbers of rows, of columns and of elements; the index of the first element of
// each column; the row of each element; the value of each element.
func readRectangularColumns(file string, _ int) (*matio.Dense, error) {
	x, err := numbers(file)
	if err != nil {
		return nil, err
	}
	if len(x) < 3 {
		return nil, fmt.Errorf("%s: %d numbers", file, len(x))
	}
	rows, cols, count := int(x[0]), int(x[1]), int(x[2])
	if x = x[3:]; len(x) != cols+1+2*count {
		return nil, fmt.Errorf("%s: %d numbers for %d by %d, %d elements", file, len(x), rows, cols, count)
	}
	return rectangle(rows, cols, x[:cols+1], x[cols+1:][:count], x[cols+1+count:])
}

// readHarwellBoeing reads a real unsymmetric assembled matrix in Harwell-Boeing format. The file
// has four lines of header, or five if there is a right-hand side, and then lines of fields of
// fixed width.
func readHarwellBoeing(file string, _ int) (*matio.Dense, error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	var header [4]string
	for i := range header {
		lines.Scan()
		header[i] = lines.Text()
	}
	sizes, shape := strings.Fields(header[1]), strings.Fields(header[2])
	if len(shape) < 4 || !strings.EqualFold(shape[0], "RUA") {
		return nil, fmt.Errorf("%s: header %q", file, header)
	}
	if len(sizes) > 4 && sizes[4] != "0" {
		lines.Scan()
	}
	var counts [3]int // rows, columns, elements
	for i := range counts {
		if counts[i], err = strconv.Atoi(shape[1+i]); err != nil {
			return nil, err
		}
	}
	formats := regexp.MustCompile(`\((?:\d+P,? *)?(\d+)[IDEF](\d+)`).FindAllStringSubmatch(strings.ToUpper(header[3]), -1)
	if len(formats) < 3 {
		return nil, fmt.Errorf("%s: formats %q", file, header[3])
	}
	var parts [3][]float64
	for i, many := range []int{counts[1] + 1, counts[2], counts[2]} {
		width, _ := strconv.Atoi(formats[i][2])
		if parts[i], err = fields(lines, many, width); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return rectangle(counts[0], counts[1], parts[0], parts[1], parts[2])
}

// fields reads `many` fields of the given width, in characters, from a file in Harwell-Boeing
// format. It always reads whole lines, because the next part of such a file begins on a new line.
func fields(lines *bufio.Scanner, many, width int) (all []float64, err error) {
	for len(all) < many && lines.Scan() {
		for line := lines.Text(); len(all) < many && strings.TrimSpace(line) != ""; {
			here := min(width, len(line))
			x, err := number(strings.Map(func(r rune) rune {
				if r == 'D' || r == 'd' {
					return 'E'
				}
				return r
			}, line[:here]))
			if err != nil {
				return nil, err
			}
			all, line = append(all, x), line[here:]
		}
	}
	if len(all) < many {
		return nil, fmt.Errorf("%d of %d numbers", len(all), many)
	}
	return all, lines.Err()
}

// readBidiagonal reads a bidiagonal matrix of order n from a text file. The first line is the
// order. Each later line has i, the diagonal element d and the off-diagonal element e. The last e
// is not part of the matrix.
func readBidiagonal(file string, n int) (*matio.Dense, error) {
	x, err := numbers(file)
	if err != nil {
		return nil, err
	}
	const width = 3
	if len(x) != 1+n*width || x[0] != float64(n) {
		return nil, fmt.Errorf("%s: %d numbers for order %d", file, len(x), n)
	}
	d := &matio.Dense{Rows: n, Cols: n, Data: make([]float64, n*n)}
	for i := range n {
		line := x[1+i*width:][:width]
		d.Data[i+i*n] = line[1]
		if i+1 < n {
			d.Data[i+(i+1)*n] = line[2]
		}
	}
	return d, nil
}

// readCentered reads a text file with observations of n variables, one observation per line. It
// subtracts the mean of each variable. The means are computed with more digits than double
// precision, because of cancellation.
func readCentered(file string, n int) (*matio.Dense, error) {
	rows, err := table(file, n)
	if err != nil {
		return nil, err
	}
	m := len(rows)
	d := &matio.Dense{Rows: m, Cols: n, Data: make([]float64, m*n)}
	for j := range n {
		var mean, x big.Float
		mean.SetPrec(200)
		x.SetPrec(200)
		for _, row := range rows {
			mean.Add(&mean, x.SetFloat64(row[j]))
		}
		mean.Quo(&mean, x.SetInt64(int64(m)))
		for i, row := range rows {
			d.Data[i+j*m], _ = x.Sub(x.SetFloat64(row[j]), &mean).Float64()
		}
	}
	return d, nil
}
