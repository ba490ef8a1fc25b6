package matio

import "io"

// entry returns the line of entry k, from 0.
func (m *market) entry(k int) ([]byte, error) {
	line, err := m.data()
	if err == io.EOF {
		return nil, m.errorf("the file ends after %d of %d entries", k, m.entries)
	}
	return line, err
}

// readCoordinates adds each entry "i j value" into a matrix of zeros, and into (j, i)
// too when the file is symmetric. An entry listed again is added to the first, which is
// how finite-element codes write their assembly.
func (m *market) readCoordinates() error {
	rows, cols := m.out.Rows, m.out.Cols
	if !available(rows * cols) {
		return m.tooLarge()
	}
	a := make([]float64, rows*cols)
	m.out.Data = a
	return m.eachEntry(func(i, j int, x float64) error {
		a[i+j*rows] += x
		if m.symmetric && i != j {
			a[j+i*rows] += x
		}
		return nil
	})
}

// eachEntry reads the entries of a coordinate file; in a symmetric one i ≥ j.
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
		x := 1.0
		if m.value != nil {
			if x, line, err = m.readValue(line); err != nil {
				return err
			}
		}
		if err := m.endOfLine(line); err != nil {
			return err
		}
		if m.symmetric && i < j {
			// Even with its mirror image present: one of the two is then meant to be
			// dropped, and guessing would double an entry or lose it.
			return m.errorf("entry (%d,%d) lies above the diagonal; a symmetric file lists the lower triangle only", i+1, j+1)
		}
		if err := put(i, j, x); err != nil {
			return err
		}
	}
	return nil
}

// readArray appends the values column by column. Of a symmetric matrix the file has the
// lower triangle; the part of a column above it was read with the columns before.
func (m *market) readArray() error {
	rows, cols := m.out.Rows, m.out.Cols
	total := rows * cols
	m.entries = total
	if m.symmetric {
		m.entries = (total-rows)/2 + rows
	}
	var a []float64
	for k, at := 0, 0; at < total; at++ {
		if at == cap(a) {
			var ok bool
			if a, ok = grow(a, firstElements, total); !ok {
				return m.tooLarge()
			}
		}
		if i, j := at%rows, at/rows; m.symmetric && i < j {
			a = append(a, a[j+i*rows])
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

// index reads a row or column number, from 1 to most, as one from 0.
func (m *market) index(name string, line []byte, most int) (int, []byte, error) {
	word, rest := cut(line)
	i, ok := count(word, most)
	if ok && i > 0 {
		return i - 1, rest, nil
	}
	switch {
	case len(word) == 0:
		return 0, nil, m.errorf("the entry has no %s", name)
	case ok:
		return 0, nil, m.errorf("%s 0: rows and columns are counted from 1", name)
	case allDigits(word):
		return 0, nil, m.errorf("%s %s is outside 1 to %d", name, quote(word), most)
	}
	return 0, nil, m.errorf("%s %s is not an integer", name, quote(word))
}

// readValue reads the value of an entry.
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
