package matio

import (
	"bytes"
	"io"
	"math/cmplx"
	"strings"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// bannerWord is the beginning of every Matrix Market file. Upper and lower case are equal.
const bannerWord = "%%MatrixMarket"

// bannerPlaces lists, for each place of the banner after the first word, the words that this
// package can read. Other words of the Matrix Market format (vector) are refused. An entry such as
// real=double means that some writers use the word double for real.
var bannerPlaces = [...]struct {
	name  string
	words []string
}{
	{"object", []string{"matrix"}},
	{"format", []string{"coordinate", "array"}},
	{"field", []string{"real", "integer", "complex", "pattern", "real=double", "real=float", "integer=int",
		"integer=unsigned-integer", "integer=unsigned"}},
	{"symmetry", []string{"general", symmetricWord, skewWord, hermitianWord}},
}

// knownWord returns the word of a place of the banner that means the same as the given word. If
// there is none, knownWord returns the words that are known.
func knownWord(place []string, given string) (word, known string) {
	var all []string
	for _, w := range place {
		usual, other, renamed := strings.Cut(w, "=")
		if w == given || renamed && other == given {
			return usual, ""
		}
		if !renamed {
			all = append(all, w)
		}
	}
	return "", strings.Join(all, ", ")
}

// These words of the banner say that a file lists a part of its matrix. The map `mirrors` says how
// the other elements follow.
const (
	symmetricWord = "symmetric"      // A(i, j) = A(j, i)
	skewWord      = "skew-symmetric" // A(i, j) = −A(j, i)
	hermitianWord = "hermitian"      // A(i, j) = conj A(j, i)
)

var mirrors = map[string]func(complex128) complex128{
	symmetricWord: func(x complex128) complex128 { return x },
	skewWord:      func(x complex128) complex128 { return -x },
	hermitianWord: cmplx.Conj,
}

// A market reads a Matrix Market file: a banner, a size line, and one line for each entry. After
// the banner, blank lines and lines that begin with % are skipped. The following two files are the
// same symmetric matrix of order 3, in coordinate format and in array format:
//
//	%%MatrixMarket matrix coordinate real symmetric    %%MatrixMarket matrix array real symmetric
//	3 3 4                                              3 3
//	1 1 2.0                                            2.0
//	2 1 -1.0                                           -1.0
//	2 2 2.0                                            0
//	3 3 1.0                                            2.0
//	                                                   0
//	                                                   1.0
//
// A symmetric array file lists the lower triangle by columns, and so does a hermitian one. A
// skew-symmetric file lists the part of the lower triangle below the diagonal; it is read as a
// general matrix, and so is a complex symmetric one. A complex entry has two numbers. The size line
// has the number of rows, the number of columns and, in coordinate format, the number of entries.
type market struct {
	*lines
	array    bool   // the banner says so; otherwise it says coordinate
	symmetry string // the last word of the banner, "" without a banner
	// mirror returns the element that mirrors another one. It is nil for a general matrix.
	mirror func(complex128) complex128
	// value converts the text of a number to its value. The second result is a complaint, or empty.
	// `value` is nil if the banner says pattern, because then the value of each entry is 1.
	value      func(word []byte) (float64, string)
	rows, cols int
	// entries is the number of entries to read, declared by a coordinate file, and computed from
	// the shape for an array file.
	entries int
}

// readMarket reads a Matrix Market file, of a sparse matrix up to its size line. Errors are
// *FormatError, with the line number, and *TooLargeError.
func (o Options) readMarket(in *input) (*matrix, error) {
	m := &market{lines: newLines(in)}
	if err := m.readBanner(o.complexToo); err != nil {
		return nil, err
	}
	return m.matrix()
}

// bareMarket is readMarket for a file without a banner. It looks at the size line, which must be
// within the first 64 KiB, without consuming anything. The matrix is general and real, and an array
// if the line has two words.
func bareMarket(in *input) (*matrix, error) {
	start, _ := in.Peek(in.Size())
	m := &market{lines: newLines(in), value: number.Parse}
	for len(start) > 0 {
		var line []byte
		line, start, _ = bytes.Cut(start, []byte("\n"))
		if words := bytes.Fields(line); len(words) > 0 && words[0][0] != '%' {
			m.array = len(words) == 2
			break
		}
	}
	return m.matrix()
}

// matrix reads the size line, and the elements of an array. Those of a sparse matrix are read from
// the stream when they are wanted, and only once.
func (m *market) matrix() (*matrix, error) {
	if err := m.readSize(); err != nil {
		return nil, err
	}
	declared := m.symmetry == hermitianWord || m.symmetry == symmetricWord && !m.complex
	c := &matrix{m.source, &Dense{Rows: m.rows, Cols: m.cols, DeclaredSymmetric: declared}, m.each}
	if !m.array {
		return c, nil
	}
	var err error
	if c.Data, err = m.readArray(); err != nil {
		return nil, err
	}
	c.each = nil
	return c, m.end()
}

func (m *market) end() error {
	switch _, err := m.data(); {
	case err == nil:
		return m.errorf("more entries than the %d declared", m.entries)
	case err != io.EOF:
		return err
	}
	return nil
}

// hasBanner reports whether the input has a Matrix Market banner before its first line of numbers.
// It consumes nothing.
func hasBanner(in *input) bool {
	start, _ := in.Peek(in.Size())
	for len(start) > 0 {
		var line []byte
		line, start, _ = bytes.Cut(start, []byte("\n"))
		if isBanner(line) {
			return true
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && !isComment(line[0]) {
			return false
		}
	}
	return false
}

// isBanner reports whether a line is a Matrix Market banner. Some writers put blanks before it or
// after its percent signs, and some write one percent sign or none. Then the word "matrix" must
// follow, because a comment may be about Matrix Market.
func isBanner(line []byte) bool {
	text := bytes.TrimLeft(line, "% \t")
	if len(text) < len(bannerWord)-2 || !bytes.EqualFold(text[:len(bannerWord)-2], []byte(bannerWord[2:])) {
		return false
	}
	if bytes.Contains(line[:len(line)-len(text)], []byte("%%")) {
		return true
	}
	words := bytes.Fields(text)
	return len(words) > 1 && bytes.EqualFold(words[1], []byte("matrix"))
}

// mayBeText returns an error if the input cannot be read, or if its name ends in .mtx or .mtx.gz.
// Many such files list entries but have no banner, because they are older than the format or were
// written by hand. Read as a table, or as rows of a tridiagonal matrix, they would give a wrong
// matrix.
func mayBeText(in *input) error {
	if _, err := in.Peek(len(bannerWord)); err != nil && err != io.EOF {
		return in.failed(err)
	}
	if strings.HasSuffix(strings.TrimSuffix(strings.ToLower(in.file), ".gz"), ".mtx") {
		return in.errorf("no %s banner, which a .mtx file must begin with", bannerWord)
	}
	return nil
}

// readBanner reads the banner: %%MatrixMarket, then one word for each of bannerPlaces, in capital
// or small letters. The format demands that it is the first line, but blank lines and comments
// before it are skipped.
func (m *market) readBanner(complexToo bool) error {
	line, err := m.next()
	for err == nil && !isBanner(line) {
		if line = trimLeft(line); len(line) > 0 && !isComment(line[0]) {
			return m.errorf("no %s banner", bannerWord)
		}
		line, err = m.next()
	}
	if err == io.EOF {
		return m.errorf("no %s banner", bannerWord)
	} else if err != nil {
		return err
	}
	words := strings.Fields(strings.TrimLeft(strings.ToLower(string(line)), "% \t"))[1:]
	if len(words) != len(bannerPlaces) {
		return m.errorf("the banner needs %d words after %s, not %d", len(bannerPlaces), bannerWord, len(words))
	}
	for i, place := range bannerPlaces {
		word, known := knownWord(place.words, words[i])
		if word == "complex" && !complexToo {
			return m.errorf("%s", complexWayOut)
		}
		if word == "" {
			return m.errorf("%s %s is not supported, only %s", place.name, number.Quote([]byte(words[i])), known)
		}
		words[i] = word
	}
	m.array = words[1] == "array"
	m.symmetry = words[3]
	m.mirror = mirrors[m.symmetry]
	m.complex = words[2] == "complex"
	switch words[2] {
	case "real", "complex":
		m.value = number.Parse
	case "integer":
		m.value = number.Whole
	case "pattern":
		if m.array {
			return m.errorf("an array holds values, so it cannot be a pattern")
		}
		if m.symmetry == skewWord {
			return m.errorf("a %s matrix has two signs, so it cannot be a pattern", skewWord)
		}
	}
	return nil
}

// readSize reads the size line: rows, columns and, in a coordinate file, the number of entries. It
// allocates no memory for the elements.
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
		n, ok := number.Count(word, memory.MostElements)
		if !ok {
			return m.errorf("number of %s: %s is not an integer from 0 to %d", name, number.Quote(word), memory.MostElements)
		}
		size[i] = n
	}
	if err := m.endOfLine(line); err != nil {
		return err
	}
	m.rows, m.cols, m.entries = size[0], size[1], size[2]
	if m.mirror != nil && m.rows != m.cols {
		return m.errorf("declared %s, but %d by %d", m.symmetry, m.rows, m.cols)
	}
	if _, ok := memory.Elements(m.rows, m.cols, memory.MostElements); !ok {
		return m.tooLarge(m.rows, m.cols)
	}
	return nil
}

func (m *market) entry(k int) ([]byte, error) {
	line, err := m.data()
	if err == io.EOF {
		return nil, m.errorf("the file ends after %d of %d entries", k, m.entries)
	}
	return line, err
}

// each implements matrix.each: it lists the entries of a coordinate file, in the order of the file,
// each with its mirror image after it. Several entries may have the same place, as in files of
// finite-element codes that list the contributions of all elements. As for every sparse file, the
// memory for the elements depends only on the declared size.
func (m *market) each(put func(i, j int, x complex128) error) error {
	for k := range m.entries {
		line, err := m.entry(k)
		if err != nil {
			return err
		}
		i, line, err := m.index("row", line, m.rows)
		if err != nil {
			return err
		}
		j, line, err := m.index("column", line, m.cols)
		if err != nil {
			return err
		}
		x := complex(1, 0)
		if m.value != nil {
			if x, line, err = m.readValue(line); err != nil {
				return err
			}
		}
		if err := m.endOfLine(line); err != nil {
			return err
		}
		if m.symmetry == skewWord && i <= j {
			return m.errorf("entry (%d,%d) is not below the diagonal; a %s file lists only the entries there", i+1, j+1, skewWord)
		}
		if m.mirror != nil && i < j {
			// A symmetric file must list only the lower triangle, so an entry above the diagonal is
			// refused. This also holds if the file lists its mirror image. The two entries could be
			// one element, or two values to be added up, and a wrong choice would give a wrong
			// matrix.
			return m.errorf("entry (%d,%d) lies above the diagonal; a %s file lists the lower triangle only", i+1, j+1, m.symmetry)
		}
		err = put(i, j, x)
		if err == nil && m.mirror != nil && i != j {
			err = put(j, i, m.mirror(x))
		}
		if err != nil {
			return m.errorf("%v", err)
		}
	}
	return m.end()
}

// readArray reads the values of an array file, column by column, complex ones as pairs. A symmetric
// or hermitian file has the lower triangle, hence n·(n+1)/2 values; a skew-symmetric file has no
// diagonal, hence n·(n−1)/2 values. The part of a column above the diagonal is copied from earlier
// columns, which are already complete. Memory grows with the values that have been read, so a short
// file that declares a large matrix needs little memory.
func (m *market) readArray() ([]float64, error) {
	rows, total, numbers := m.rows, m.rows*m.cols, 1
	if m.complex {
		numbers = 2
	}
	if _, ok := memory.Elements(total, numbers, memory.MostElements); !ok {
		return nil, m.tooLarge(rows, m.cols)
	}
	m.entries = total
	if m.mirror != nil {
		m.entries = (total - rows) / 2
		if m.symmetry != skewWord {
			m.entries += rows
		}
	}
	var a []float64
	push := func(x complex128) {
		if a = append(a, real(x)); m.complex {
			a = append(a, imag(x))
		}
	}
	for k, at := 0, 0; at < total; at++ {
		if at*numbers == cap(a) {
			var ok bool
			if a, ok = memory.Grow(a, memory.FirstElements, total*numbers); !ok {
				return nil, m.tooLarge(rows, m.cols)
			}
		}
		switch i, j := at%rows, at/rows; {
		case m.mirror != nil && i < j: // its mirror image was read with column i
			at := (j + i*rows) * numbers
			x := complex(a[at], 0)
			if m.complex {
				x = complex(a[at], a[at+1])
			}
			push(m.mirror(x))
			continue
		case m.symmetry == skewWord && i == j:
			push(0)
			continue
		}
		line, err := m.entry(k)
		if err != nil {
			return nil, err
		}
		x, line, err := m.readValue(line)
		if err != nil {
			return nil, err
		}
		if err := m.endOfLine(line); err != nil {
			return nil, err
		}
		push(x)
		k++
	}
	return a, nil
}

// index reads a row or column number from 1 to `most`, and returns it counted from 0, and the rest
// of the line.
func (m *market) index(name string, line []byte, most int) (int, []byte, error) {
	word, rest := cut(line)
	i, ok := number.Count(word, most)
	if ok && i > 0 {
		return i - 1, rest, nil
	}
	switch {
	case len(word) == 0:
		return 0, nil, m.errorf("the entry has no %s", name)
	case ok:
		return 0, nil, m.errorf("%s 0: rows and columns are counted from 1", name)
	case number.Digits(word):
		return 0, nil, m.errorf("%s %s is outside 1 to %d", name, number.Quote(word), most)
	}
	return 0, nil, m.errorf("%s %s is not an integer", name, number.Quote(word))
}

// readValue reads the one number of an entry, or the two of a complex one, and returns the rest of
// the line, too.
func (m *market) readValue(line []byte) (complex128, []byte, error) {
	var parts [2]float64
	for i, name := range []string{"value", "imaginary part"} {
		if i == 1 && !m.complex {
			break
		}
		word, rest := cut(line)
		if len(word) == 0 {
			return 0, nil, m.errorf("the entry has no %s", name)
		}
		x, complaint := m.value(word)
		if complaint != "" {
			return 0, nil, m.errorf("%s", complaint)
		}
		parts[i], line = x, rest
	}
	return complex(parts[0], parts[1]), line, nil
}
