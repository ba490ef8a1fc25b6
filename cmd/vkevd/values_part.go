package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// A valuesPart says which eigenvalues or singular values of a matrix a list contains: the values
// with the indices `first`, …, `first` + `count` − 1, of n values in total. Indices count from 0.
// Singular values are in descending order.
type valuesPart struct {
	first, count, n int
	singular        bool
}

// whole tells whether the list contains all values of the matrix.
func (p valuesPart) whole() bool { return p.first == 0 && p.count == p.n }

// partLine is the format of the first line of a text file with a part of a spectrum. The line begins
// with #, so that NumPy's loadtxt and package matio skip it.
func (p valuesPart) partLine() string {
	if p.singular {
		return "# singular values %d:%d of %d\n"
	}
	return "# eigenvalues %d:%d of %d\n"
}

// write writes the line that says which part of the spectrum a text file contains. For the whole
// spectrum it writes nothing.
func (p valuesPart) write(w io.Writer) error {
	if p.whole() {
		return nil
	}
	_, err := fmt.Fprintf(w, p.partLine(), p.first, p.first+p.count, p.n)
	return err
}

// partOf reads from a file which part of the spectrum it contains, from a line in the form of
// partLine. The file has `count` values. `found` is false if the file does not begin with such a
// line, or if the line gives another number of values.
func partOf(file string, count int) (p valuesPart, found bool) {
	f, err := os.Open(file)
	if err != nil { // standard input, too
		return p, false
	}
	defer f.Close()
	const longest = 100
	line, err := bufio.NewReader(io.LimitReader(f, longest)).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "#") {
		return p, false
	}
	p.singular = strings.HasPrefix(line, "# singular")
	end := 0
	if _, err := fmt.Sscanf(line, p.partLine(), &p.first, &end, &p.n); err != nil {
		return p, false
	}
	p.count = end - p.first
	return p, p.count == count && p.first >= 0 && end <= p.n
}
