package matio

import (
	"bytes"
	"fmt"
	"io"
)

// longestField is the limit of a field, in bytes. No program prints a number that is nearly as
// long.
const longestField = 1 << 10

// fields splits a table of text into its fields. A field ends at a separator or at the end of the
// line.
//
// The rules about blanks suit the files that other programs write. Blanks around commas and
// semicolons are not part of a field. Blanks separate fields if no comma or semicolon came before
// them in the file. Any number of blanks is one separator, and blanks at the end of a line separate
// nothing. So "1 , 2" has two fields. "1 2" has two fields, too, but only one in a file with
// commas.
//
// A field may be between double quotes, in which separators have no meaning. A quoted field cannot
// contain a line end.
type fields struct {
	*input
	// line is the number of the line of the field last read, counted from 1.
	line int
	// top is the number of the line of the first field. It is 0 before that field has been read.
	top int
	// between is the separator of the fields: ',', ';' or ' ' (blanks and tabs). It is 0 while it
	// is unknown.
	between byte
	// field is the field last read, without blanks around it. It is valid until the next one is
	// read.
	field []byte
	// quoted tells whether the field was between quotes.
	quoted bool
	// ended is io.EOF after the last field of the file, otherwise nil.
	ended error
}

// newFields skips a byte order mark, and looks for semicolons. They must be known before the first
// field is read, because in a file with semicolons commas are part of numbers.
func newFields(in *input) fields {
	if in.starts(byteOrderMark) {
		in.Discard(len(byteOrderMark))
	}
	f := fields{input: in, line: 1, field: make([]byte, 0, longestField)}
	if hasSemicolons(in) {
		f.between = ';'
	}
	return f
}

// hasSemicolons tells whether the first line that is neither blank nor a comment has fields
// separated by semicolons. Commas may then be decimal points, as in files that spreadsheets write
// in countries with a decimal comma. A semicolon does not count if it is the only one and ends the
// line, or if it is between quotes.
func hasSemicolons(in *input) bool {
	start, _ := in.Peek(in.Size())
	for len(start) > 0 {
		var line []byte
		line, start, _ = bytes.Cut(start, []byte("\n"))
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			quoted := false
			for i, c := range line {
				switch {
				case c == '"':
					quoted = !quoted // two quotes, which mean one, change nothing
				case c == ';' && !quoted:
					return i+1 < len(line)
				}
			}
			return false
		}
	}
	return false
}

// start reads the first field of the next line that is neither blank nor a comment, and returns the
// byte that ended it. At the end of the file the error is io.EOF, and there is no field. A quoted
// field is never a comment, and an empty quoted field does not make a line blank.
func (t *fields) start() (end byte, err error) {
	for {
		end, err := t.next()
		switch {
		case err != nil && err != io.EOF:
			return 0, err
		case end == '\n' && !t.quoted && (len(t.field) == 0 || t.field[0] == '#'):
			if err == io.EOF {
				return 0, io.EOF
			}
			t.line++
		default:
			if t.top == 0 {
				t.top = t.line
			}
			return end, nil
		}
	}
}

// number returns the value of the field. The complaint says why the field is not a number, and is
// empty if it is one. In a file with semicolons, the comma of a field with one comma is read as a
// decimal point.
func (t *fields) number() (x float64, complaint string) {
	if x, complaint = number(t.field); complaint != "" && t.between == ';' && bytes.Count(t.field, []byte{','}) == 1 {
		if y, other := number(bytes.Replace(t.field, []byte{','}, []byte{'.'}, 1)); other == "" {
			return y, ""
		}
	}
	return x, complaint
}

// separates tells whether c ends a field. As long as the separator is unknown, a comma ends a
// field. Blanks are handled by the method next.
func (t *fields) separates(c byte) bool {
	return c == ',' && (t.between == 0 || t.between == ',') || c == ';' && t.between == ';'
}

// next reads a field, and returns the byte that ended it: the separator or a line feed. The end of
// the file counts as a line feed, with the error io.EOF. A comment is one field up to the end of
// its line, of which only the first character is kept.
//
// If the separator is not known yet, it is decided here: by the first comma, or by the first blanks
// between two fields on a line. Later a comma in a file with blanks is part of a field, which is
// then not a number. In the same way blanks in a file with commas are part of a field.
func (t *fields) next() (end byte, err error) {
	t.field, t.quoted = t.field[:0], false
	comment := false
	for {
		c, err := t.ReadByte()
		switch {
		case err == io.EOF:
			c, t.ended = '\n', io.EOF
		case err != nil:
			return 0, t.failed(err)
		}
		if c == '\n' || t.separates(c) && !comment {
			t.trim()
			if c != '\n' {
				t.between = c
			}
			return c, err
		}
		if gap(c) && (len(t.field) > 0 || t.quoted) && (t.between == 0 || t.between == ' ') && !comment {
			follows, err := t.skipBlanks()
			if err != nil {
				return 0, err
			}
			// These blanks separate nothing, because the line ends after them, or a comma follows
			// that is the separator.
			if follows == '\r' || follows == '\n' || follows == ',' && t.between == 0 {
				continue
			}
			t.between = ' '
			return ' ', nil
		}
		// A field that begins with # is a comment up to the end of its line. start skips it if it
		// is the first field of the line. In any other place it is an error, because it is not a
		// number.
		comment = comment || len(t.field) == 0 && c == '#' && !t.quoted
		switch {
		case len(t.field) == 0 && blank(c), comment && len(t.field) > 0: // dropped
		case len(t.field) == 0 && c == '"' && !t.quoted:
			if err := t.readQuoted(); err != nil {
				return 0, err
			}
		default:
			if err := t.add(c); err != nil {
				return 0, err
			}
		}
	}
}

// readQuoted reads up to the closing quote. Two quotes inside the field mean one. A quoted field
// must end on its line. A line end inside quotes is an error, because it nearly always means that a
// quote is missing.
func (t *fields) readQuoted() error {
	t.quoted = true
	for {
		c, err := t.ReadByte()
		switch {
		case err == io.EOF || c == '\n' && err == nil:
			return t.errorf("a quoted field does not end on its line")
		case err != nil:
			return t.failed(err)
		case c == '"':
			// If a second quote follows, it is part of the field. Otherwise the field ends here.
			if next, _ := t.Peek(1); string(next) != `"` {
				return nil
			}
			t.Discard(1)
		}
		if err := t.add(c); err != nil {
			return err
		}
	}
}

// add appends c to the field. A field that is too long is an error, because it is not a number, and
// because a file that is one endless field would fill the memory.
func (t *fields) add(c byte) error {
	if len(t.field) == longestField {
		return t.errorf("a field of more than %d characters is not a number", longestField)
	}
	t.field = append(t.field, c)
	return nil
}

// trim removes the blanks at the end of the field.
func (t *fields) trim() {
	for len(t.field) > 0 && blank(t.field[len(t.field)-1]) {
		t.field = t.field[:len(t.field)-1]
	}
}

// skipBlanks skips blanks and tabs, and returns the character that follows, without reading it. At
// the end of the file it returns a line feed.
func (t *fields) skipBlanks() (follows byte, err error) {
	for {
		b, err := t.Peek(1)
		switch {
		case err == io.EOF:
			return '\n', nil
		case err != nil:
			return 0, t.failed(err)
		case !gap(b[0]):
			return b[0], nil
		}
		t.Discard(1)
	}
}

// gap tells whether c is a blank or a tab. Unlike blank it excludes the carriage return, which
// belongs to the end of the line.
func gap(c byte) bool { return c == ' ' || c == '\t' }

// failed returns an error of the stream with the file and the line added.
func (t *fields) failed(err error) error { return fmt.Errorf("%s:%d: %w", t.file, t.line, err) }

// errorf makes an error about the line of the field last read.
func (t *fields) errorf(format string, args ...any) *FormatError {
	return &FormatError{t.file, t.line, fmt.Sprintf(format, args...)}
}
