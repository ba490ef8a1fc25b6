package matio

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// newFileMode is what a new file gets, less the umask.
const newFileMode = 0o644

// syncFile waits until a file's data are on the disk. A test replaces it.
var syncFile = (*os.File).Sync

// An AtomicFile is a file that appears under its name complete or not at all.
//
//	f, err := matio.CreateAtomic(path)
//	…
//	defer f.Abort() // nothing after Commit
//	… write to f …
//	return f.Commit()
//
// It is written beside the target, in the same folder and so the same file system, and
// renamed at the end. A target that exists keeps its permission bits; a symbolic link
// stays one, and what it points to is replaced. A target that is no regular file (a
// terminal, a pipe, /dev/stdout, /dev/null) cannot be replaced: it is written directly.
// Only a killed process leaves its temporary file, named .vkevd-*.tmp, behind.
type AtomicFile struct {
	f      *os.File
	path   string // final name, "" when f is the target itself
	err    error  // of the first failed Write
	closed bool
}

// CreateAtomic opens path for writing.
func CreateAtomic(path string) (*AtomicFile, error) {
	if f, err := openDirect(path); f != nil || err != nil {
		return f, err
	}
	path = followLinks(path)
	mode := fs.FileMode(newFileMode)
	existing, statErr := os.Stat(path)
	switch {
	case statErr == nil:
		mode = existing.Mode().Perm()
	case !errors.Is(statErr, fs.ErrNotExist):
		return nil, statErr
	}
	f, err := createTemp(filepath.Dir(path), mode)
	if err != nil {
		return nil, fmt.Errorf("cannot create %s: %w", path, err)
	}
	if statErr == nil {
		if err := f.Chmod(mode); err != nil { // the umask took its part of a mode it should not touch
			return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	return &AtomicFile{f: f, path: path}, nil
}

// followLinks finds the name to replace, existing or not. A circle of links is left to
// fail when it is opened.
func followLinks(path string) string {
	for range 40 { // as many as Linux follows
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			// Not Join: it would cancel a ".." against a folder that is a link itself.
			link = filepath.Dir(path) + string(filepath.Separator) + link
		}
		path = link
	}
	return path
}

// openDirect opens what must not be replaced. It returns nil for anything else.
func openDirect(path string) (*AtomicFile, error) {
	switch path {
	case "/dev/stdout": // also where opening it again fails or rewinds: sockets, files
		return &AtomicFile{f: os.Stdout}, nil
	case "/dev/stderr":
		return &AtomicFile{f: os.Stderr}, nil
	}
	info, err := os.Stat(path)
	someonesHandle := strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/")
	if err != nil || info.Mode().IsRegular() && !someonesHandle {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	return &AtomicFile{f: f}, nil
}

// createTemp differs from os.CreateTemp, which hides its files from group and others.
func createTemp(dir string, mode fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf(".vkevd-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Write appends to the file. After an error, Commit refuses.
func (a *AtomicFile) Write(p []byte) (int, error) {
	if a.closed {
		return 0, os.ErrClosed
	}
	n, err := a.f.Write(p)
	if a.err == nil {
		a.err = err
	}
	return n, err
}

// Commit makes sure that the data are on the disk and gives the file its name. If
// anything fails, or a Write has, the target is as before and the temporary is gone.
func (a *AtomicFile) Commit() error {
	if a.closed {
		return os.ErrClosed
	}
	if a.err != nil {
		return errors.Join(a.err, a.Abort())
	}
	a.closed = true
	if a.path == "" {
		return a.closeDirect()
	}
	temp := a.f.Name()
	err := syncFile(a.f)
	if closeErr := a.f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp, a.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	syncFolder(filepath.Dir(a.path))
	return nil
}

// Abort gives up: the target stays as it was. What was written directly stays written.
// After Commit or Abort it does nothing.
func (a *AtomicFile) Abort() error {
	if a.closed {
		return nil
	}
	a.closed = true
	if a.path == "" {
		return a.closeDirect()
	}
	return errors.Join(a.f.Close(), os.Remove(a.f.Name()))
}

// closeDirect leaves the process's own streams open for others.
func (a *AtomicFile) closeDirect() error {
	if a.f == os.Stdout || a.f == os.Stderr {
		return nil
	}
	return a.f.Close()
}

// syncFolder puts the new name on the disk too, where folders can be synced at all. The
// file has its name already, so a failure here is nothing the caller could act on.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
