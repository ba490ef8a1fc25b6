package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// A ValuesPart says which eigenvalues or singular values of a matrix a list contains: the values
// with the indices `first`, …, `first` + `count` − 1, of n values in total. Indices count from 0.
// Singular values are in descending order.
type ValuesPart struct {
	First, Count, N int
	Singular        bool
}

func (p ValuesPart) whole() bool { return p.First == 0 && p.Count == p.N }

// partLine is the format of the first line of a text file with a part of a spectrum. The line begins
// with #, so that NumPy's loadtxt and package matio skip it.
func (p ValuesPart) partLine() string {
	if p.Singular {
		return "# singular values %d:%d of %d\n"
	}
	return "# eigenvalues %d:%d of %d\n"
}

func (p ValuesPart) Write(w io.Writer) error {
	if p.whole() {
		return nil
	}
	_, err := fmt.Fprintf(w, p.partLine(), p.First, p.First+p.Count, p.N)
	return err
}

// PartOf reads from a file which part of the spectrum it contains, from a line in the form of
// partLine. The file has `count` values. `found` is false if the file does not begin with such a
// line, or if the line gives another number of values.
func PartOf(file string, count int) (p ValuesPart, found bool) {
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
	p.Singular = strings.HasPrefix(line, "# singular")
	end := 0
	if _, err := fmt.Sscanf(line, p.partLine(), &p.First, &end, &p.N); err != nil {
		return p, false
	}
	p.Count = end - p.First
	return p, p.Count == count && p.First >= 0 && end <= p.N
}
