package matio

import (
	"io"
	"strings"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// armadilloMagic begins the files of Armadillo with a header. After it come MAT for a matrix, TXT
// or BIN, and the type of the numbers. A text file has the shape on the next line, and then one row
// per line:
//
//	ARMA_MAT_TXT_FN008
//	2 2
//	   1.0000000000000000e+00   2.5000000000000000e+00
//	  -3.0000000000000000e+00   4.0000000000000000e+00
const armadilloMagic = "ARMA_"

// armadilloTypes are the first letters of the types that this package reads: integers with and
// without sign, and floating-point numbers. A complex type begins with FC, and is refused.
var armadilloTypes = []string{"IS", "IU", "FN"}

// readArmadillo reads a matrix that Armadillo has saved with arma_ascii.
func readArmadillo(in *input) (*Dense, error) {
	t := &fields{input: in, line: 1, dialect: dialect{between: ' '}, noComments: true}
	line, err := t.readLine()
	if err != nil {
		return nil, err
	}
	head := strings.TrimSpace(string(line))
	kind, isText := strings.CutPrefix(head, armadilloMagic+"MAT_TXT_")
	if strings.HasPrefix(kind, "FC") {
		return nil, t.errorf("%s", complexElsewhere)
	}
	for _, known := range armadilloTypes {
		if isText && strings.HasPrefix(kind, known) {
			size, err := t.lines(nil, 1, 2)
			if err != nil {
				return nil, err
			}
			rows, ok := whole(size[0], memory.MostElements)
			cols, ok2 := whole(size[1], memory.MostElements)
			if !ok || !ok2 {
				return nil, t.errorf("%v by %v is no size of a matrix", size[0], size[1])
			}
			d, err := t.matrixOf(rows, cols)
			if err != nil {
				return nil, err
			}
			switch _, err = t.start(); err {
			case nil:
				return nil, t.errorf("more than the %d rows of the header", rows)
			case io.EOF:
				return d, nil
			}
			return nil, err
		}
	}
	return nil, t.errorf("Armadillo's format %s is not read; A.save(\"A.csv\", arma::csv_ascii) writes a table of numbers", number.Quote([]byte(head)))
}
