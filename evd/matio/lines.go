package matio

import (
	"bytes"
	"fmt"
	"io"
)

// longestLine is the limit of a line, and the size of the buffer, in bytes. The Matrix Market
// format allows 1024 characters; a file without a line end for this long is not text.
const longestLine = 1 << 20

// lines splits an input into lines without copying them. A line is valid until the next one is
// read.
//
// The buffer has the size of the longest line that is allowed. A line that is not yet complete is
// moved to the buffer's beginning before more is read. So a line is too long if the buffer is full.
type lines struct {
	// in is the input, and buf the bytes of it that were read last.
	in  *input
	buf []byte
	// buf[pos:end] has been read from the input and is not yet returned.
	pos, end int
	// no is the number of the line last returned, counted from 1.
	no int
	// err is the last error of the input.
	err error
}

// newLines splits the rest of in. The caller still owns in, and calls done.
func newLines(in *input) *lines {
	return &lines{in: in, buf: make([]byte, longestLine)}
}

// next returns the next line without its line feed, but with the carriage return that may come
// before it. At the end of the file the error is io.EOF itself, never wrapped. The last line may
// lack its line feed. Lines before an error of the stream are returned first. The error has the
// file's name and the line.
func (l *lines) next() ([]byte, error) {
	// seen is the number of bytes after pos that are known to have no line feed.
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

// take returns the next n bytes as a line, and skips its line feed, if there is one.
func (l *lines) take(n, feed int) []byte {
	line := l.buf[l.pos : l.pos+n]
	l.pos += n + feed
	l.no++
	return line
}

// data returns the next line that is neither blank nor a comment (%), without blanks before it.
// Blanks after it are not removed. At the end of the file the error is io.EOF. Errors of the stream
// have the file's name and the line.
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

// errorf makes an error about the line last returned.
func (l *lines) errorf(format string, args ...any) *FormatError {
	return &FormatError{l.in.file, l.no, fmt.Sprintf(format, args...)}
}

// endOfLine returns an error if anything but blanks is left on the line.
func (l *lines) endOfLine(rest []byte) error {
	if word, _ := cut(rest); len(word) > 0 {
		return l.errorf("unexpected %s at the end of the line", quote(word))
	}
	return nil
}

// blank tells whether c is a blank, a tab or a carriage return. Since the carriage return counts,
// lines that end with CRLF need no special treatment.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// trimLeft removes blanks at the beginning.
func trimLeft(s []byte) []byte {
	for len(s) > 0 && blank(s[0]) {
		s = s[1:]
	}
	return s
}

// cut splits the first word off a line: word has no blanks, rest begins with the blank after it.
// The word is empty if there is none. Both are parts of line, not copies.
func cut(line []byte) (word, rest []byte) {
	line = trimLeft(line)
	i := 0
	for i < len(line) && !blank(line[i]) {
		i++
	}
	return line[:i], line[i:]
}

// quote returns a word in the form of error messages: between quotes, with control characters
// escaped, and shortened to 40 bytes. So a binary file does not fill the screen or confuse the
// terminal.
func quote(word []byte) string {
	const most = 40
	if len(word) > most {
		return fmt.Sprintf("%q…", word[:most])
	}
	return fmt.Sprintf("%q", word)
}
