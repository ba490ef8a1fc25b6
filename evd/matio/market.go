package matio

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// bannerWord opens every Matrix Market file, in capitals or not.
const bannerWord = "%%MatrixMarket"

// bannerPlaces lists the words understood in each place of the banner after the first.
// The format's other words (complex, hermitian, skew-symmetric, vector) are refused by
// not being here.
var bannerPlaces = [...]struct {
	name  string
	words []string
}{
	{"object", []string{"matrix"}},
	{"format", []string{"coordinate", "array"}},
	{"field", []string{"real", "integer", "pattern"}},
	{"symmetry", []string{"general", "symmetric"}},
}

// A market is a Matrix Market file being read.
type market struct {
	*lines
	array, symmetric bool
	value            func(word []byte) (float64, string) // nil for pattern: 1, unwritten
	entries          int                                 // lines to come after the size line
	out              *Dense
	most             int // elements allowed in out
}

// readMarket reads the three parts in their order: banner, size line, entries.
func readMarket(in *input, most int) (*Dense, error) {
	m := &market{lines: newLines(in), most: most}
	if err := m.readBanner(); err != nil {
		return nil, err
	}
	return m.read()
}

// readBareMarket reads a file that has no banner: it is general and real, and the size line tells
// whether it is a list of entries.
func readBareMarket(in *input, most int) (*Dense, error) {
	return bareMarket(in, most).read()
}

func bareMarket(in *input, most int) *market {
	start, _ := in.Peek(in.Size())
	m := &market{lines: newLines(in), most: most, value: number}
	for len(start) > 0 {
		var line []byte
		line, start, _ = bytes.Cut(start, []byte("\n"))
		if words := bytes.Fields(line); len(words) > 0 && words[0][0] != '%' {
			m.array = len(words) == 2
			break
		}
	}
	return m
}

// read reads what follows the banner.
func (m *market) read() (*Dense, error) {
	if err := m.readSize(); err != nil {
		return nil, err
	}
	readEntries := m.readCoordinates
	if m.array {
		readEntries = m.readArray
	}
	if err := readEntries(); err != nil {
		return nil, err
	}
	return m.out, m.end()
}

// end makes sure that nothing follows the last entry.
func (m *market) end() error {
	switch _, err := m.data(); {
	case err == nil:
		return m.errorf("more entries than the %d declared", m.entries)
	case err != io.EOF:
		return err
	}
	return nil
}

// hasBanner reports whether the input begins like a Matrix Market file.
func hasBanner(in *input) bool {
	b, _ := in.Peek(len(bannerWord))
	return bytes.EqualFold(b, []byte(bannerWord))
}

// mayBeText says what forbids to read an input without a banner as bare numbers: that it cannot be
// read, or that it is called a Matrix Market file. Many of those, older than the format or written
// by hand, list entries without a banner; as a table of numbers, or as the rows of a tridiagonal,
// they would be another matrix than is meant.
func mayBeText(in *input) error {
	if _, err := in.Peek(len(bannerWord)); err != nil && err != io.EOF {
		return fmt.Errorf("%s: %w", in.file, err)
	}
	if strings.HasSuffix(strings.TrimSuffix(strings.ToLower(in.file), ".gz"), ".mtx") {
		return &FormatError{in.file, 0, "no " + bannerWord + " banner, with which a .mtx file begins"}
	}
	return nil
}

func (m *market) readBanner() error {
	line, err := m.next()
	if err != nil {
		return err // not EOF: open has seen a byte
	}
	words := strings.Fields(strings.ToLower(string(line)))
	if len(words) == 0 || words[0] != strings.ToLower(bannerWord) {
		return m.errorf("no %s banner", bannerWord)
	}
	words = words[1:]
	if len(words) != len(bannerPlaces) {
		return m.errorf("the banner needs %d words after %s, not %d", len(bannerPlaces), bannerWord, len(words))
	}
	for i, place := range bannerPlaces {
		if !slices.Contains(place.words, words[i]) {
			return m.errorf("%s %s is not supported, only %s", place.name, quote([]byte(words[i])), strings.Join(place.words, ", "))
		}
	}
	m.array = words[1] == "array"
	m.symmetric = words[3] == "symmetric"
	switch words[2] {
	case "real":
		m.value = number
	case "integer":
		m.value = wholeNumber
	case "pattern":
		if m.array {
			return m.errorf("an array holds values, so it cannot be a pattern")
		}
	}
	return nil
}

// readSize reads rows, columns and, in a coordinate file, the number of entries.
func (m *market) readSize() error {
	names := []string{"rows", "columns", "entries"}
	if m.array {
		names = names[:2]
	}
	line, err := m.data()
	if err == io.EOF {
		return m.errorf("the file ends before its size line")
	} else if err != nil {
		return err
	}
	var size [3]int
	for i, name := range names {
		var word []byte
		word, line = cut(line)
		if len(word) == 0 {
			return m.errorf("the size line must give %s", strings.Join(names, ", "))
		}
		n, ok := count(word, mostElements)
		if !ok {
			return m.errorf("number of %s: %s is not an integer from 0 to %d", name, quote(word), mostElements)
		}
		size[i] = n
	}
	if err := m.endOfLine(line); err != nil {
		return err
	}
	m.out = &Dense{Rows: size[0], Cols: size[1], DeclaredSymmetric: m.symmetric}
	m.entries = size[2]
	if m.symmetric && m.out.Rows != m.out.Cols {
		return m.errorf("declared symmetric, yet %d by %d", m.out.Rows, m.out.Cols)
	}
	if _, ok := elements(m.out.Rows, m.out.Cols, m.most); !ok {
		return m.tooLarge()
	}
	return nil
}

func (m *market) tooLarge() error {
	return &TooLargeError{m.in.file, m.out.Rows, m.out.Cols}
}
