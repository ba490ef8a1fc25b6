package matio

import (
	"bytes"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// longestField is the largest allowed number of bytes of a field. Printed numbers are much shorter.
const longestField = 1 << 10

// fields splits a table of text into its fields. A field ends at a separator or at the end of the
// line.
//
// The rules about blanks follow the files that other programs write. Blanks around commas,
// semicolons and tabs are not part of a field. If blanks and tabs separate, any number of them is
// one separator, and blanks at both ends of a line are no separators.
//
// A field may be in double quotes. Separators inside the quotes are part of the field. A quoted
// field cannot contain a line end.
type fields struct {
	*input
	dialect
	marks
	line int // number of the line of the field that was read last, from 1
	// field is the field that was read last, without quotes and without blanks around it. The next
	// read overwrites it.
	field          []byte
	quoted         bool // the field was in quotes
	indented       bool // the line begins with a blank that is no separator
	newLine, ended bool // the field was the last one of its line, and of the file
	noComments     bool // # and % begin no comment

	// chunk holds the bytes that the input has buffered. The first `used` of them have been read.
	// If the field that was read last lies completely in chunk and had no quotes, `field` is a part
	// of chunk, and inChunk is true. Otherwise the field was copied to `long`.
	chunk, long []byte
	used        int
	inChunk     bool
}

func newFields(in *input) *fields {
	t := &fields{input: in, line: 1}
	t.dialect = findDialect(in, &t.line)
	return t
}

// `more` drops the bytes that have been read, and buffers at least `want` others, or returns io.EOF
// at the end of the file.
func (t *fields) more(want int) error {
	if t.inChunk {
		t.long = append(t.long[:0], t.field...)
		t.field, t.inChunk = t.long, false
	}
	t.Discard(t.used)
	t.used = 0
	_, err := t.Peek(want)
	t.chunk, _ = t.Peek(t.Buffered())
	if err != nil && err != io.EOF {
		return fmt.Errorf("%s:%d: %w", t.file, t.line, err)
	}
	return err
}

// peek returns the next byte without reading it, or a line feed and io.EOF at the end of the file.
func (t *fields) peek() (byte, error) {
	if t.used == len(t.chunk) {
		if err := t.more(1); err != nil {
			return '\n', err
		}
	}
	return t.chunk[t.used], nil
}

// skipGaps reads blanks that belong to no field. It returns the byte after them, which it does not
// read.
func (t *fields) skipGaps() (byte, error) {
	for {
		c, err := t.peek()
		if err != nil || c != ' ' && (c != '\t' || t.between == '\t') {
			return c, err
		}
		t.used++
	}
}

// start reads the first field of the next line that is neither blank nor a comment, and returns the
// byte that ended it. If there is no such line, the error is io.EOF. A quoted field begins no
// comment, and makes no line blank.
func (t *fields) start() (end byte, err error) {
	last := t.line
	for !t.ended {
		if t.newLine {
			t.line++
			t.newLine = false
		}
		c, err := t.peek()
		t.indented = c == ' ' || c == '\t' && t.between != '\t'
		if err == nil {
			c, err = t.skipGaps()
		}
		if err == io.EOF {
			break
		} else if err != nil {
			return 0, err
		}
		if isComment(c) && !t.noComments {
			if err := t.skipLine(); err != nil {
				return 0, err
			}
			continue
		}
		if end, err = t.next(); err != nil || end != '\n' || len(t.field) > 0 || t.quoted {
			return end, err
		}
	}
	t.line, t.ended = last, true
	return 0, io.EOF
}

func (t *fields) skipLine() error {
	for {
		if i := bytes.IndexByte(t.chunk[t.used:], '\n'); i >= 0 {
			t.used += i + 1
			t.newLine = true
			return nil
		}
		t.used = len(t.chunk)
		if err := t.more(1); err == io.EOF {
			t.ended = true
			return nil
		} else if err != nil {
			return err
		}
	}
}

// next reads a field, and returns the byte that ended this field: the separator or a line feed.
func (t *fields) next() (end byte, err error) {
	t.quoted, t.inChunk, t.long = false, false, t.long[:0]
	t.field = t.long
	c, err := t.skipGaps()
	if err == nil && c == '"' {
		t.used++
		if err := t.readQuoted(); err != nil {
			return 0, err
		}
		t.field = t.long
		return t.finish()
	}
	for whole := false; err == nil && !whole; {
		rest := t.chunk[t.used:]
		i := t.endOf(rest)
		t.used += i
		if whole = i < len(rest); whole && len(t.long) == 0 {
			t.field, t.inChunk = rest[:i], true
			break
		}
		t.long = append(t.long, rest[:i]...)
		if t.field = t.long; len(t.long) > longestField {
			break
		}
		if !whole {
			err = t.more(1)
		}
	}
	if err != nil && err != io.EOF {
		return 0, err
	}
	if len(t.field) > longestField {
		return 0, t.errorf("a field of more than %d characters is not a number", longestField)
	}
	for len(t.field) > 0 && blank(t.field[len(t.field)-1]) {
		t.field = t.field[:len(t.field)-1]
	}
	return t.finish()
}

// endOf returns the number of bytes before the first separator or line feed, or of all bytes if
// there is none.
func (t *fields) endOf(rest []byte) int {
	if t.between == ' ' {
		for i, c := range rest {
			if c == ' ' || c == '\n' || c == '\t' {
				return i
			}
		}
		return len(rest)
	}
	between := t.between
	for i, c := range rest {
		if c == between || c == '\n' {
			return i
		}
	}
	return len(rest)
}

// finish reads the separator or the line feed after a field, and returns it. Blanks and a carriage
// return at the end of a line belong to the line feed.
func (t *fields) finish() (end byte, err error) {
	first, err := t.peek()
	c := first
	if err == nil && (t.between == ' ' || t.quoted) {
		c, err = t.skipGaps()
	}
	if err == nil && c == '\r' {
		if len(t.chunk)-t.used < 2 {
			err = t.more(2)
		}
		if len(t.chunk)-t.used < 2 || t.chunk[t.used+1] == '\n' {
			t.used++
			c, err = t.peek()
		}
	}
	switch {
	case err == io.EOF:
		t.newLine, t.ended = true, true
		return '\n', nil
	case err != nil:
		return 0, err
	case c == '\n' || c == t.between:
		t.used++
		t.newLine = c == '\n'
		return c, nil
	case t.between == ' ' && (first == ' ' || first == '\t'):
		return ' ', nil
	}
	return 0, t.errorf("%s follows a closing quote", number.Quote([]byte{c}))
}

// readQuoted reads a field up to its closing quote. Two quotes inside mean one quote, and so does a
// quote after a backslash, as R writes it. A line end inside is an error, because it nearly always
// means that a quote is missing.
func (t *fields) readQuoted() error {
	t.quoted = true
	for {
		c, err := t.peek()
		if c == '\n' {
			if err == nil || err == io.EOF {
				err = t.errorf("a quoted field does not end on its line")
			}
			return err
		}
		t.used++
		if c == '"' {
			follows, err := t.peek()
			switch {
			case err != nil && err != io.EOF:
				return err
			case follows == '"':
				t.used++
			case len(t.long) > 0 && t.long[len(t.long)-1] == '\\' && !t.ends(follows):
				t.long = t.long[:len(t.long)-1]
			default:
				return nil
			}
		}
		if len(t.long) == longestField {
			return t.errorf("a field of more than %d characters is not a number", longestField)
		}
		t.long = append(t.long, c)
	}
}

func (t *fields) ends(c byte) bool { return c == t.between || c == '\n' || blank(c) }

// readLine reads the next line, and returns its first longestField bytes. The result is valid until
// the next read. At the end of the file the error is io.EOF.
func (t *fields) readLine() ([]byte, error) {
	if t.newLine {
		t.line++
	}
	t.newLine, t.inChunk, t.long = false, false, t.long[:0]
	for {
		c, err := t.peek()
		switch {
		case err == io.EOF && len(t.long) > 0, err == nil && c == '\n':
			t.used = min(t.used+1, len(t.chunk))
			t.newLine = true
			return t.long, nil
		case err != nil:
			return nil, err
		case len(t.long) == longestField:
			return t.long, t.skipLine()
		}
		t.long = append(t.long, c)
		t.used++
	}
}

func (t *fields) errorf(format string, args ...any) *FormatError {
	return &FormatError{t.file, t.line, fmt.Sprintf(format, args...)}
}
