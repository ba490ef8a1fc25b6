package matio

import (
	"bytes"
	"fmt"
	"io"
)

// longestLine is also how much is read at once. The Matrix Market format allows 1024
// characters; what has no line end for this long is not text.
const longestLine = 1 << 20

// lines cuts an input into lines without copying them: a line is valid until the next.
type lines struct {
	in       *input
	buf      []byte
	pos, end int   // buf[pos:end] is read and not yet handed out
	no       int   // number of the line last handed out, from 1
	err      error // what the input said last
}

func newLines(in *input) *lines {
	return &lines{in: in, buf: make([]byte, longestLine)}
}

// next returns a line without its line feed. At the end the error is io.EOF, bare.
func (l *lines) next() ([]byte, error) {
	seen := 0 // bytes after pos known to hold no line feed
	for {
		if i := bytes.IndexByte(l.buf[l.pos+seen:l.end], '\n'); i >= 0 {
			return l.take(seen+i, 1), nil
		}
		seen = l.end - l.pos
		switch {
		case l.err == io.EOF && seen > 0:
			return l.take(seen, 0), nil // the last line may lack its line feed
		case l.err == io.EOF:
			return nil, io.EOF
		case l.err != nil:
			return nil, fmt.Errorf("%s:%d: %w", l.in.file, l.no+1, l.err)
		case seen == len(l.buf):
			l.no++
			return nil, l.errorf("line longer than %d bytes", longestLine)
		}
		l.end = copy(l.buf, l.buf[l.pos:l.end])
		l.pos = 0
		var n int
		n, l.err = l.in.Read(l.buf[l.end:])
		l.end += n
	}
}

// take hands out the next n bytes as a line and drops its line feed, if any.
func (l *lines) take(n, feed int) []byte {
	line := l.buf[l.pos : l.pos+n]
	l.pos += n + feed
	l.no++
	return line
}

// data returns the next line that holds something: neither blank nor a comment. The
// comment characters are Matrix Market's.
func (l *lines) data() ([]byte, error) {
	for {
		line, err := l.next()
		if err != nil {
			return nil, err
		}
		line = trimLeft(line)
		if len(line) > 0 && line[0] != '%' {
			return line, nil
		}
	}
}

// errorf complains about the line last handed out.
func (l *lines) errorf(format string, args ...any) *FormatError {
	return &FormatError{l.in.file, l.no, fmt.Sprintf(format, args...)}
}

// endOfLine complains about anything left on a line.
func (l *lines) endOfLine(rest []byte) error {
	if word, _ := cut(rest); len(word) > 0 {
		return l.errorf("unexpected %s at the end of the line", quote(word))
	}
	return nil
}

// blank: the carriage return is one, so that CRLF needs no other care.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func trimLeft(s []byte) []byte {
	for len(s) > 0 && blank(s[0]) {
		s = s[1:]
	}
	return s
}

// cut splits the first word off a line; the word is empty when none is left.
func cut(line []byte) (word, rest []byte) {
	line = trimLeft(line)
	i := 0
	for i < len(line) && !blank(line[i]) {
		i++
	}
	return line[:i], line[i:]
}

// quote shows a word in an error message, cut short when it would flood the screen.
func quote(word []byte) string {
	const most = 40
	if len(word) > most {
		return fmt.Sprintf("%q…", word[:most])
	}
	return fmt.Sprintf("%q", word)
}
