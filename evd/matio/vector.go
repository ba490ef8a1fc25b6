package matio

import (
	"io"

	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

func ReadVectorFile(path string) ([]float64, error) {
	return fromFile(path, ReadVector)
}

// ReadVector reads a list of numbers, such as eigenvalues. The content decides the format, and gzip
// is unpacked. The formats are:
//
//   - .npy: an array of one dimension, or of two dimensions one of which is 1.
//   - Matrix Market: a matrix of one row or one column.
//   - JSON: an array of numbers.
//   - Text with one number per line, as WriteValues writes it. Blank lines and lines that begin
//     with % or # are skipped.
//
// `name` stands for the file in errors. The errors are *FormatError, *TooLargeError and those of
// the reader `r`.
func ReadVector(r io.Reader, name string) ([]float64, error) {
	return opened(r, name, readVector)
}

func readVector(in *input) ([]float64, error) {
	switch { // each format begins with different bytes
	case in.starts(npyMagic):
		return readNPYVector(in)
	case hasBanner(in):
		d, err := denseOf(Options{}.readMarket(in))
		if err != nil {
			return nil, err
		}
		if d.Rows != 1 && d.Cols != 1 {
			return nil, in.errorf("not a vector: %d by %d", d.Rows, d.Cols)
		}
		return d.Data, nil
	case in.starts(zipMagic):
		return nil, in.errorf(`a vector is not read from an archive: in Python, numpy.save("v.npy", numpy.load(FILE)["NAME"])`)
	case in.starts("["):
		return readJSON(in)
	case in.starts("{"):
		return nil, in.errorf("JSON: an object, not an array of numbers")
	}
	return readValues(newLines(in))
}

// readValues reads one number per line. A file without numbers gives an empty slice, because an
// empty list of eigenvalues is a valid result.
func readValues(l *lines) ([]float64, error) {
	var a []float64
	for {
		line, err := l.data()
		if err == io.EOF {
			return a, nil
		} else if err != nil {
			return nil, err
		}
		if line[0] == '#' {
			continue
		}
		word, rest := cut(line)
		x, complaint := number.Parse(word)
		if complaint != "" {
			return nil, l.errorf("%s", complaint)
		}
		if err := l.endOfLine(rest); err != nil {
			return nil, err
		}
		if err := l.push(&a, x, l.no, 1); err != nil {
			return nil, err
		}
	}
}
