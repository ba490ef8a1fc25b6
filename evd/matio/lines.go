package matio

import (
	"bytes"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// longestLine is the largest allowed number of bytes in a line, and the size of the buffer. The
// Matrix Market format allows 1024 characters. A file with a longer line than longestLine is not
// text.
const longestLine = 1 << 20

// lines splits an input into lines without copying them. A line is valid until the next call of the
// method `next`.
//
// The buffer has the size of the longest allowed line. An incomplete line is moved to the beginning
// of the buffer before more bytes are read. So the line is too long if it fills the buffer.
type lines struct {
	*input
	buf []byte // the bytes that were read last
	// buf[pos:end] are the bytes that have been read and not yet returned as lines.
	pos, end int
	no       int
	err      error
}

func newLines(in *input) *lines {
	return &lines{input: in, buf: make([]byte, longestLine)}
}

// next returns the next line without its line feed, but with a carriage return before it. At the
// end of the file the error is io.EOF itself. If a read fails, `next` first returns the complete
// lines before the error.
func (l *lines) next() ([]byte, error) {
	// seen is the number of bytes from buf[pos] on that were searched for a line feed and have
	// none. They need not be searched again.
	seen := 0
	for {
		if i := bytes.IndexByte(l.buf[l.pos+seen:l.end], '\n'); i >= 0 {
			return l.take(seen+i, 1), nil
		}
		seen = l.end - l.pos
		switch {
		case l.err == io.EOF && seen > 0:
			return l.take(seen, 0), nil
		case l.err == io.EOF:
			return nil, io.EOF
		case l.err != nil:
			return nil, fmt.Errorf("%s:%d: %w", l.file, l.no+1, l.err)
		case seen == len(l.buf):
			l.no++
			return nil, l.errorf("line longer than %d bytes", longestLine)
		}
		l.end = copy(l.buf, l.buf[l.pos:l.end])
		l.pos = 0
		var n int
		n, l.err = l.Read(l.buf[l.end:])
		l.end += n
	}
}

// take returns the next n bytes of the buffer as a line, and skips `feed` bytes after them.
func (l *lines) take(n, feed int) []byte {
	line := l.buf[l.pos : l.pos+n]
	l.pos += n + feed
	l.no++
	return line
}

// data returns the next line that is neither blank nor a comment (%), without blanks at its
// beginning. At the end of the file the error is io.EOF.
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

func (l *lines) errorf(format string, args ...any) *FormatError {
	return &FormatError{l.file, l.no, fmt.Sprintf(format, args...)}
}

func (l *lines) endOfLine(rest []byte) error {
	if word, _ := cut(rest); len(word) > 0 {
		return l.errorf("unexpected %s at the end of the line", number.Quote(word))
	}
	return nil
}

// blank reports whether c is a blank, a tab or a carriage return, so that lines that end with CRLF
// need no special case.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func trimLeft(s []byte) []byte {
	for len(s) > 0 && blank(s[0]) {
		s = s[1:]
	}
	return s
}

// cut splits the first word, which may be empty, off a line.
func cut(line []byte) (word, rest []byte) {
	line = trimLeft(line)
	i := 0
	for i < len(line) && !blank(line[i]) {
		i++
	}
	return line[:i], line[i:]
}
