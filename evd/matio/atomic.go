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

const newFileMode = 0o644

// syncFile waits until the data of a file are on the disk. Tests replace it.
var syncFile = (*os.File).Sync

// startWriteBack makes the system begin to write a part of a file to the disk. Tests replace it.
var startWriteBack = writeBack

// writeBackBytes is the number of bytes after which an AtomicFile asks the system to write them to
// the disk. Otherwise Linux would begin to write a file of some GiB only when Commit syncs it.
const writeBackBytes = 8 << 20

// An AtomicFile is a file that appears under its name complete or not at all.
//
//	f, err := matio.CreateAtomic(path)
//	…
//	defer f.Abort() // has no effect after Commit
//	… write to f …
//	return f.Commit()
//
// Write writes to a temporary file. This file is in the folder of the target and so on the same
// file system. Commit renames the temporary file to the target. An existing target keeps its
// permission bits. If the target is a symbolic link, the link stays, and the file that it points to
// is replaced. A target that is not a regular file (a terminal, a pipe, /dev/stdout, /dev/null)
// cannot be replaced, and is written directly. A temporary file, named .vkevd-*.tmp, remains only
// if the process is killed.
//
// An AtomicFile must be used by one goroutine only.
type AtomicFile struct {
	f                *os.File // the temporary file, or a target that cannot be replaced
	path             string   // after Commit; "" if the target is written directly
	written, started int64    // bytes; the system was asked to write the first `started` to the disk
	err              error    // of the first Write that failed
	closed           bool     // by Commit or Abort
}

// CreateAtomic opens the file `path` for writing. The caller must call Commit or Abort. Errors are
// those of the operating system, for example if the folder does not exist or is not writable.
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
		if err := f.Chmod(mode); err != nil { // the umask may have cleared bits of it
			return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	return &AtomicFile{f: f, path: path}, nil
}

// followLinks returns the name of the file that Commit must replace, which need not exist;
// filepath.EvalSymlinks would fail then. If links form a cycle, opening the result fails.
func followLinks(path string) string {
	for range 40 { // as many as Linux follows
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			// filepath.Join would remove ".." with the folder before it, which may be a link.
			link = filepath.Dir(path) + string(filepath.Separator) + link
		}
		path = link
	}
	return path
}

// openDirect opens a target that must be written directly, because it cannot or must not be
// replaced. For any other path it returns nil and no error. The direct targets are:
//
//	/dev/stdout, /dev/stderr      the streams of this process
//	/dev/fd/…, /proc/…            files that a process has open
//	not a regular file            a terminal, a pipe, /dev/null
func openDirect(path string) (*AtomicFile, error) {
	switch path {
	// Opened again by its name, a socket would fail, and a file would be overwritten.
	case "/dev/stdout":
		return &AtomicFile{f: os.Stdout}, nil
	case "/dev/stderr":
		return &AtomicFile{f: os.Stderr}, nil
	}
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// Linux refuses to follow a link of another user in a folder where everybody may make files,
		// such as /tmp. followLinks must not do it then.
		return nil, err
	}
	// If a file that a process has open were replaced, the process would go on to write to the old
	// file.
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

// createTemp makes a new file with a random name and the permission bits `mode`, reduced by the
// umask. (Files of os.CreateTemp cannot be read by others.)
func createTemp(dir string, mode fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf(".vkevd-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Write appends p to the file. If a Write fails, Commit returns the error of this Write.
func (a *AtomicFile) Write(p []byte) (int, error) {
	if a.closed {
		return 0, os.ErrClosed
	}
	n := 0
	for {
		piece := p[n:min(len(p), n+writeBackBytes)]
		k, err := a.f.Write(piece)
		n += k
		a.startDisk(k)
		if err != nil {
			if a.err == nil {
				a.err = err
			}
			return n, err
		}
		if n == len(p) {
			return n, nil
		}
	}
}

// startDisk counts k more written bytes, and lets the system begin to write to the disk if there
// are enough. A target that is written directly is left to the system.
func (a *AtomicFile) startDisk(k int) {
	a.written += int64(k)
	if n := a.written - a.started; a.path != "" && n >= writeBackBytes {
		startWriteBack(a.f, a.started, n)
		a.started = a.written
	}
}

// Commit makes the file appear under its name:
//
//  1. the data are synced to the disk
//  2. the temporary file is closed
//  3. the temporary file is renamed to the target; this replaces an existing file in one step
//  4. the folder is synced
//
// If one of the first three steps fails, or if a Write has failed, the target is unchanged and the
// temporary file is removed. If the machine stops at any time, the target is either the old file or
// the complete new file. If the target is written directly, Commit only closes it. A second call of
// Commit, or a call after Abort, returns os.ErrClosed.
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

// Abort removes the temporary file. The target stays unchanged, except for data that were written
// directly. After Commit or Abort, Abort does nothing.
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

// closeDirect closes a target that was written directly, except the standard streams, which belong
// to the process.
func (a *AtomicFile) closeDirect() error {
	if a.f == os.Stdout || a.f == os.Stderr {
		return nil
	}
	return a.f.Close()
}

// syncFolder waits until the new name is on the disk, if the system can sync folders. The file
// already has its name, so an error has no consequence.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
