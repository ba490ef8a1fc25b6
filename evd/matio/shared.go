package matio

import (
	"fmt"
	"math"
	"os"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/numpy"
)

// A SharedNPY is a .npy matrix (version 1.0, Fortran order, <f8) that several processes write at
// the same time. Each process writes its own columns. The first process creates the file and sends
// f.Temporary(), the file's temporary name, to the other processes:
//
//	f, err := matio.CreateShared(path, rows, cols)          // the first process
//	f, err := matio.JoinShared(temporary, rows, cols)       // every other process
//	… f.WriteColumn(j, column) …                            // all processes
//	err = f.Close()                                         // all processes
//	err = f.Commit()                                        // the first process, after all Closes
//
// The file appears under the name `path` only with Commit. Abort removes the file instead. Only one
// goroutine may use a SharedNPY.
type SharedNPY struct {
	f          *os.File
	target     *AtomicFile // nil in a process that has joined
	rows, cols int
	header     int64
	closed     bool
}

// CreateShared makes a file for a rows×cols matrix in the folder of `path`, with its full size. The
// target must be a regular file or not exist. Errors are those of the operating system.
func CreateShared(path string, rows, cols int) (*SharedNPY, error) {
	target, err := CreateAtomic(path)
	if err != nil {
		return nil, err
	}
	if target.path == "" {
		return nil, fmt.Errorf("%s: several processes can write only to a file", path)
	}
	header := sharedHeader(rows, cols)
	s := &SharedNPY{f: target.f, target: target, rows: rows, cols: cols, header: int64(len(header))}
	_, err = target.Write(header)
	if err == nil {
		err = target.f.Truncate(s.header + int64(rows)*int64(cols)*memory.WordBytes)
	}
	if err != nil {
		target.Abort()
		return nil, err
	}
	return s, nil
}

// JoinShared opens the temporary file that CreateShared made in another process. `rows` and `cols`
// must be the same as in that call.
func JoinShared(temporary string, rows, cols int) (*SharedNPY, error) {
	f, err := os.OpenFile(temporary, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	return &SharedNPY{f: f, rows: rows, cols: cols, header: int64(len(sharedHeader(rows, cols)))}, nil
}

func sharedHeader(rows, cols int) []byte {
	var g gather
	g.npyArray("<f8", true, fmt.Sprintf("(%d, %d)", rows, cols))
	return g.buf
}

func (s *SharedNPY) Temporary() string { return s.f.Name() }

// WriteColumn writes column j. It panics if the matrix has no column j, or if `column` does not
// have exactly the elements of a column.
func (s *SharedNPY) WriteColumn(j int, column []float64) error {
	if j < 0 || j >= s.cols || len(column) != s.rows {
		panic(fmt.Sprintf("matio: column %d of %d elements is not in a matrix of %d by %d", j, len(column), s.rows, s.cols))
	}
	if s.rows == 0 {
		return nil
	}
	bytes := numpy.Raw(column)
	if !numpy.NativeLittle {
		bytes = make([]byte, 0, memory.WordBytes*len(column))
		for _, x := range column {
			bytes = le.AppendUint64(bytes, math.Float64bits(x))
		}
	}
	_, err := s.f.WriteAt(bytes, s.header+int64(j)*int64(s.rows)*memory.WordBytes)
	return err
}

// Close waits until this process's columns are on the disk. In the process that called
// CreateShared, the file stays open until Commit or Abort. A second call of Close does nothing.
func (s *SharedNPY) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	err := syncFile(s.f)
	if s.target == nil {
		if closing := s.f.Close(); err == nil {
			err = closing
		}
	}
	return err
}

// Commit gives the file its name, as AtomicFile.Commit does. Only the process that called
// CreateShared may call Commit.
func (s *SharedNPY) Commit() error { return s.target.Commit() }

// Abort removes the file, and does nothing after Commit. Only the process that called CreateShared
// may call it.
func (s *SharedNPY) Abort() error { return s.target.Abort() }
