package realdata

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// open opens a file of the collection. If there is no such file, `open` tries the name with .gz and
// decompresses the file.
func open(file string) (io.ReadCloser, error) {
	f, err := os.Open(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if f, err = os.Open(file + ".gz"); err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

// eachLine calls the function `do` for each line of a text file, with the words of the line. It
// skips blank lines and lines that begin with %.
func eachLine(file string, do func(words []string) error) error {
	f, err := open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := split(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "%") {
			continue
		}
		if err := do(words); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return lines.Err()
}

// split divides a line into words. Words are separated by commas and tabs. If the line has neither,
// words are separated by blanks.
func split(line string) []string {
	if strings.ContainsAny(line, ",\t") {
		return strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == '\t' })
	}
	return strings.Fields(line)
}

// numbers returns all numbers of a text file. Line ends have no meaning.
func numbers(file string) (all []float64, err error) {
	err = eachLine(file, func(words []string) error {
		for _, w := range words {
			x, err := number(w)
			if err != nil {
				return err
			}
			all = append(all, x)
		}
		return nil
	})
	return all, err
}

// number reads a decimal number. If the number is too small for a double, the result is zero, as in
// the reference values.
func number(word string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	if x == 0 && errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	return x, err
}
