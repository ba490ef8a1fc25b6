package stream

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
)

// GzipMagic is the beginning of every gzip member.
const GzipMagic = "\x1f\x8b"

// Members unpacks a file of one or more gzip members, as gzip(1) and Python do: zeros after a
// member are padding, which tapes and block devices leave. Other bytes that are no member are an
// error.
type Members struct {
	z    *gzip.Reader
	from *bufio.Reader // the compressed file, from which z reads no byte too many
}

// NewMembers returns a reader of all members. z has read the header of the first one.
func NewMembers(z *gzip.Reader, from *bufio.Reader) *Members {
	z.Multistream(false)
	return &Members{z, from}
}

func (m *Members) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	if err == io.EOF {
		err = m.next()
	}
	return n, err
}

func (m *Members) next() error {
	for {
		c, err := m.from.ReadByte()
		if err != nil {
			return err // io.EOF, too
		}
		if c != 0 {
			m.from.UnreadByte() // never an error after ReadByte
			break
		}
	}
	if magic, err := m.from.Peek(2); string(magic) != GzipMagic {
		if err != nil && err != io.EOF {
			return err
		}
		return errors.New("bytes that are not gzip follow the compressed data")
	}
	if err := m.z.Reset(m.from); err != nil {
		return err
	}
	m.z.Multistream(false)
	return nil
}
