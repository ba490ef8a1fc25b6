// Package ownfile, internal to vkevd, reads small files that vkevd itself has written for later
// runs: caches and settings. A path of such a file may lead to something else, such as a pipe or a
// very large file.
package ownfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrKind is the error for a folder, a pipe, a device, or anything else that is no regular file.
var ErrKind = errors.New("not a regular file")

// Read returns the contents of a file, and what the system knows about the file. The file must be a
// regular file of at most `most` bytes, or a symbolic link to one. Read looks at kind and size before
// it opens the file and before it allocates memory. It never waits for the writer of a pipe.
//
// The error is a *fs.PathError. It wraps fs.ErrNotExist if there is no such file, and ErrKind if
// the file is not a regular one.
func Read(path string, most int64) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path) // to open a device may already do something
	if err == nil {
		err = check(path, info, most)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil { // another file may have taken its place
		err = check(path, info, most)
	}
	if err != nil {
		return nil, nil, err
	}
	data := make([]byte, info.Size()) // less time than io.ReadAll, which copies a growing slice
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return data, info, nil
}

// check returns an error if a file is not a regular file of at most `most` bytes.
func check(path string, info fs.FileInfo, most int64) error {
	switch {
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "open", Path: path, Err: ErrKind}
	case info.Size() > most:
		return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%d bytes, at most %d are read", info.Size(), most)}
	}
	return nil
}
