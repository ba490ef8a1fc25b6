package matio

import (
	"io"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// entry returns the line of entry k, counted from 0, without blanks at its beginning. If the file
// ends before entry k, the error is a *FormatError with the number of entries in the file.
func (m *market) entry(k int) ([]byte, error) {
	line, err := m.data()
	if err == io.EOF {
		return nil, m.errorf("the file ends after %d of %d entries", k, m.entries)
	}
	return line, err
}

// readCoordinates adds the value of each entry "i j value" to element (i, j) of a matrix that is
// zero at first. If the file is symmetric, it adds the value also to element (j, i); if the file is
// skew-symmetric, it subtracts the value there. Values of an element that is listed twice add up, because finite-element codes write their assembly in this
// way. Coordinate files are the only format for which memory is allocated by the declared size
// alone.
func (m *market) readCoordinates() error {
	rows, cols := m.out.Rows, m.out.Cols
	// A short file may declare a large matrix. So the system must confirm that it has the memory
	// before the allocation, because a failed allocation would end the process.
	a, ok := memory.Allocate[float64](rows * cols)
	if !ok {
		return m.tooLarge()
	}
	m.out.Data = a
	return m.eachEntry(func(i, j int, x float64) error {
		a[i+j*rows] += x
		if m.symmetric && i != j {
			a[j+i*rows] += x
		}
		if m.skew {
			a[j+i*rows] -= x
		}
		return nil
	})
}

// eachEntry calls the function `put` for each entry of a coordinate file, with i and j counted from
// 0, in the order of the file. In a symmetric file only entries with i ≥ j are listed, in a
// skew-symmetric file only those with i > j, and `put` is called only for these. eachEntry stops at the first error of `put`, and returns it.
func (m *market) eachEntry(put func(i, j int, x float64) error) error {
	for k := range m.entries {
		line, err := m.entry(k)
		if err != nil {
			return err
		}
		i, line, err := m.index("row", line, m.out.Rows)
		if err != nil {
			return err
		}
		j, line, err := m.index("column", line, m.out.Cols)
		if err != nil {
			return err
		}
		// A file with the word pattern in its banner has no values. Each listed entry is 1.
		x := 1.0
		if m.value != nil {
			if x, line, err = m.readValue(line); err != nil {
				return err
			}
		}
		if err := m.endOfLine(line); err != nil {
			return err
		}
		if m.skew && i <= j {
			return m.errorf("entry (%d,%d) is not below the diagonal; a %s file lists only the entries there", i+1, j+1, skewWord)
		}
		if m.symmetric && i < j {
			// A symmetric file must list only the lower triangle, so an entry above the diagonal is
			// refused. This also holds if the file lists its mirror image. The two entries could be
			// one element, or two values to be added up, and a wrong choice would give a wrong
			// matrix.
			return m.errorf("entry (%d,%d) lies above the diagonal; a symmetric file lists the lower triangle only", i+1, j+1)
		}
		if err := put(i, j, x); err != nil {
			return err
		}
	}
	return nil
}

// readArray reads the values of an array file, column by column. A symmetric file has the lower
// triangle, hence n·(n+1)/2 values; a skew-symmetric file has no diagonal, hence n·(n−1)/2 values. The
// part of a column above the diagonal is copied from earlier columns, which are already complete.
// Memory grows with the values that have been read, so a short
// file that declares a large matrix needs little memory.
func (m *market) readArray() error {
	rows, cols := m.out.Rows, m.out.Cols
	// The product cannot overflow, because readSize has checked that it is at most `most`.
	total := rows * cols
	m.entries = total
	if m.triangular() {
		m.entries = (total - rows) / 2
	}
	if m.symmetric {
		m.entries += rows
	}
	var a []float64
	for k, at := 0, 0; at < total; at++ {
		if at == cap(a) {
			var ok bool
			if a, ok = memory.Grow(a, memory.FirstElements, total); !ok {
				return m.tooLarge()
			}
		}
		// This element is above the diagonal. Its mirror image was read with column i.
		switch i, j := at%rows, at/rows; {
		case m.symmetric && i < j:
			a = append(a, a[j+i*rows])
			continue
		case m.skew && i < j:
			a = append(a, -a[j+i*rows])
			continue
		case m.skew && i == j:
			a = append(a, 0)
			continue
		}
		line, err := m.entry(k)
		if err != nil {
			return err
		}
		x, line, err := m.readValue(line)
		if err != nil {
			return err
		}
		if err := m.endOfLine(line); err != nil {
			return err
		}
		a = append(a, x)
		k++
	}
	m.out.Data = a
	return nil
}

// index reads a row or column number, which must be between 1 and `most`. It returns the number
// minus 1, so that it counts from 0, and the rest of the line. `name` is "row" or "column", for
// errors. The error says whether the number is missing, zero, too large, or not a number.
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
	// The word is a number, but it is larger than the largest allowed index.
	case number.Digits(word):
		return 0, nil, m.errorf("%s %s is outside 1 to %d", name, number.Quote(word), most)
	}
	return 0, nil, m.errorf("%s %s is not an integer", name, number.Quote(word))
}

// readValue reads the value of an entry. It returns the value and the rest of the line. The first
// line of the file says which form values have: that of the function `number` for real, and that of
// wholeNumber for integer.
func (m *market) readValue(line []byte) (float64, []byte, error) {
	word, rest := cut(line)
	if len(word) == 0 {
		return 0, nil, m.errorf("the entry has no value")
	}
	x, complaint := m.value(word)
	if complaint != "" {
		return 0, nil, m.errorf("%s", complaint)
	}
	return x, rest, nil
}
