package matio

import (
	"bytes"
	"fmt"
	"io"
)

// longestField is the largest allowed number of bytes of a field. Printed numbers are much shorter.
const longestField = 1 << 10

// fields splits a table of text into its fields. A field ends at a separator or at the end of the
// line.
//
// The rules about blanks follow the files that other programs write. Blanks around commas and
// semicolons are not part of a field. Blanks separate fields if no comma or semicolon came before
// them in the file. Any number of blanks is one separator, and blanks at the end of a line are no
// separator. So "1 , 2" has two fields. "1 2" has two fields in a file that is separated by blanks,
// but only one field in a file with commas.
//
// A field may be in double quotes. Separators inside the quotes are part of the field. A quoted
// field cannot contain a line end.
type fields struct {
	*input
	// line is the line number of the field that was read last, counted from 1.
	line int
	// top is the line number of the first field of the file. It is 0 before that field has been
	// read.
	top int
	// between is the separator of the fields: ',', ';' or ' ' (blanks and tabs). It is 0 as long as
	// the separator is unknown.
	between byte
	// field is the field that was read last, without blanks around it. The next read overwrites it.
	field []byte
	// quoted says whether the field was in quotes.
	quoted bool
	// ended is io.EOF after the last field of the file, otherwise nil.
	ended error
}

// newFields skips a byte order mark, and decides whether the separator is the semicolon. This must
// be known before the first field is read, because in a file with semicolons commas are part of
// numbers.
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

// hasSemicolons reports whether semicolons separate the fields of the first line that is neither
// blank nor a comment. Commas may then be decimal points, as in files of spreadsheets in some
// countries. A semicolon in quotes does not count. A single semicolon at the end of the line does
// not count, either.
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
// byte that ended this field. If there is no such line, the error is io.EOF, and no field was read.
// A quoted field is never a comment, and an empty quoted field does not make a line blank.
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

// number returns the value of the field. `complaint` says why the field is not a number, and is
// empty if the field is a number. In a file with semicolons, a single comma in a field is read as a
// decimal point.
func (t *fields) number() (x float64, complaint string) {
	if x, complaint = number(t.field); complaint != "" && t.between == ';' && bytes.Count(t.field, []byte{','}) == 1 {
		if y, other := number(bytes.Replace(t.field, []byte{','}, []byte{'.'}, 1)); other == "" {
			return y, ""
		}
	}
	return x, complaint
}

// separates reports whether c ends a field. While the separator is unknown, a comma ends a field.
// The method `next` handles blanks.
func (t *fields) separates(c byte) bool {
	return c == ',' && (t.between == 0 || t.between == ',') || c == ';' && t.between == ';'
}

// next reads a field, and returns the byte that ended this field: the separator or a line feed. At
// the end of the file, `next` returns a line feed and the error io.EOF. A comment is one field up
// to the end of its line, and `next` keeps only the first character of this field.
//
// If the separator is not known yet, `next` decides which one the file has: the first comma, or the
// first blanks between two fields on a line. In a file separated by blanks, a later comma is part
// of a field, which is then not a number. In a file separated by commas, blanks inside a field are
// part of this field.
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
			// The blanks just read are not a separator if the line ends after them, or if a comma
			// follows. A comma is then the separator.
			if follows == '\r' || follows == '\n' || follows == ',' && t.between == 0 {
				continue
			}
			t.between = ' '
			return ' ', nil
		}
		// A field that begins with # is a comment up to the end of its line. The method `start`
		// skips a comment at the beginning of a line. In any other place a comment is an error,
		// because it is not a number.
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

// readQuoted reads up to the closing quote. Two quotes inside the field mean one quote. A line end
// inside the quotes is an error, because it nearly always means that a quote is missing.
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
			// Inside of quotes, two quotes stand for one quote, which is part of the field. A
			// single quote ends the field.
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

// add appends the byte c to the current field. If the field becomes longer than longestField, `add`
// returns an error. Such a field is not a number, and a file that is one endless field would fill
// the memory.
func (t *fields) add(c byte) error {
	if len(t.field) == longestField {
		return t.errorf("a field of more than %d characters is not a number", longestField)
	}
	t.field = append(t.field, c)
	return nil
}

// trim removes blanks at the end of the field that was read.
func (t *fields) trim() {
	for len(t.field) > 0 && blank(t.field[len(t.field)-1]) {
		t.field = t.field[:len(t.field)-1]
	}
}

// skipBlanks skips blanks and tabs, and returns the character after them without consuming it. At
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

// gap reports whether c is a blank or a tab. Unlike the function `blank`, `gap` excludes the
// carriage return, which belongs to the end of the line.
func gap(c byte) bool { return c == ' ' || c == '\t' }

// failed adds the names of the file and the line to an error of the stream.
func (t *fields) failed(err error) error { return fmt.Errorf("%s:%d: %w", t.file, t.line, err) }

// errorf makes an error about the line of the last field.
func (t *fields) errorf(format string, args ...any) *FormatError {
	return &FormatError{t.file, t.line, fmt.Sprintf(format, args...)}
}
