package matio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ReadVectorFile opens a file and calls ReadVector. Errors of the operating system are returned as
// they are.
func ReadVectorFile(path string) ([]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadVector(f, path)
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
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	// The order of the following cases does not matter, because each format begins with different
	// bytes.
	switch {
	case in.starts(npyMagic):
		return readNPYVector(in)
	case hasBanner(in):
		d, err := readMarket(in, mostElements)
		if err != nil {
			return nil, err
		}
		if d.Rows != 1 && d.Cols != 1 {
			return nil, &FormatError{name, 0, fmt.Sprintf("not a vector: %d by %d", d.Rows, d.Cols)}
		}
		return d.Data, nil
	case in.starts("["):
		return readJSON(in)
	case in.starts("{"):
		return nil, &FormatError{name, 0, "JSON: an object, not an array of numbers"}
	}
	return readValues(newLines(in))
}

// readNPYVector reads an array of one dimension, or of two dimensions one of which is 1. For such
// shapes C order and Fortran order are the same.
func readNPYVector(in *input) ([]float64, error) {
	f := npy{input: in, most: mostElements}
	if err := f.readHeader(); err != nil {
		return nil, err
	}
	if n := len(f.shape); n != 1 && (n != 2 || f.shape[0] != 1 && f.shape[1] != 1) {
		return nil, f.errorf("not a vector: dimensions %v", f.shape)
	}
	return f.readData()
}

// readValues reads one number per line. A second word on a line is an error. A file without numbers
// gives an empty slice, because an empty list of eigenvalues is a valid result.
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
		x, complaint := number(word)
		if complaint != "" {
			return nil, l.errorf("%s", complaint)
		}
		if err := l.endOfLine(rest); err != nil {
			return nil, err
		}
		a = append(a, x)
	}
}

// readJSON reads one array of numbers. After the array the file must end. readJSON decodes the text
// element by element, so the whole text is never in memory. Objects, strings and nested arrays give
// a *FormatError. A null is read as 0, as encoding/json does. JSON has no NaN and no infinity.
func readJSON(in *input) ([]float64, error) {
	d := json.NewDecoder(in)
	a := []float64{}
	token, err := d.Token() // the opening bracket
	for err == nil && d.More() {
		var x *float64 // nil for null, which Decode accepts
		if err = d.Decode(&x); err == nil && x == nil {
			return nil, &FormatError{in.file, 0, "JSON: not an array of numbers: null"}
		}
		if err == nil {
			a = append(a, *x)
		}
	}
	if err == nil {
		token, err = d.Token() // the closing bracket
	}
	if err == nil {
		// Nothing may follow the array: the next token must be io.EOF.
		if token, err = d.Token(); err == io.EOF {
			return a, nil
		}
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil, &FormatError{in.file, 0, fmt.Sprintf("JSON: %v after the array", token)}
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return nil, &FormatError{in.file, 0, "JSON: the file ends inside the array"}
	case errors.As(err, &syntax), errors.As(err, &kind):
		return nil, &FormatError{in.file, 0, "JSON: not an array of numbers: " + strings.TrimPrefix(err.Error(), "json: ")}
	}
	return nil, fmt.Errorf("%s: %w", in.file, err)
}
