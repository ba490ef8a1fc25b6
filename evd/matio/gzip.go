package matio

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
)

// members unpacks a file of one or more gzip members, as gzip(1) and Python do: zeros after a member
// are padding, which tapes and block devices leave. Other bytes that are no member are an error.
type members struct {
	z    *gzip.Reader
	from *bufio.Reader // the compressed file, from which z reads no byte too many
}

// newMembers returns a reader of all members. z has read the header of the first one.
func newMembers(z *gzip.Reader, from *bufio.Reader) *members {
	z.Multistream(false)
	return &members{z, from}
}

func (m *members) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	if err == io.EOF {
		err = m.next()
	}
	return n, err
}

// next begins the next member. If there is none, the error is io.EOF.
func (m *members) next() error {
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
	if magic, err := m.from.Peek(2); string(magic) != gzipMagic {
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
