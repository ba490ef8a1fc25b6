package realdata

import (
	"bufio"
	"fmt"

	"github.com/vkevd/vkevd/evd/matio"
)

type reader = func(file string, n int) (*matio.Dense, error)

// adjacency returns a reader that reads a graph as its adjacency matrix. Elements are the weights
// of edges. Loops are left out.
func adjacency(read reader) reader {
	return func(file string, n int) (*matio.Dense, error) {
		d, err := read(file, n)
		if err != nil {
			return nil, err
		}
		for i := range n {
			d.Data[i+i*n] = 0
		}
		return d, nil
	}
}

// laplacian returns a reader that reads a graph as its Laplacian matrix, D − A, where D is the
// diagonal matrix of the degrees and A is the adjacency matrix.
func laplacian(read reader) reader {
	return func(file string, n int) (*matio.Dense, error) {
		d, err := adjacency(read)(file, n)
		if err != nil {
			return nil, err
		}
		for j := range n {
			degree := 0.0
			for i := range n {
				at := &d.Data[i+j*n]
				degree += *at
				*at = 0 - *at // not -0
			}
			d.Data[j+j*n] = degree
		}
		return d, nil
	}
}

// readGML reads a graph from a file in the format GML: its edges and their values. Nodes are
// numbers that begin at 0.
func readGML(file string, n int) (*matio.Dense, error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []entry
	words := bufio.NewScanner(f)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		key := words.Text()
		switch {
		case key == "edge":
			list = append(list, entry{v: 1})
		case len(list) == 0 || key != "source" && key != "target" && key != "value":
		default:
			words.Scan()
			x, err := number(words.Text())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			switch e := &list[len(list)-1]; key {
			case "source":
				e.i = int(x)
			case "target":
				e.j = int(x)
			case "value":
				e.v = x
			}
		}
	}
	if err := words.Err(); err != nil {
		return nil, err
	}
	return spread(n, list)
}
