package ownfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestRead reads files of several sizes, also through a symbolic link, and a file that is too large.
func TestRead(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	if _, _, err := Read(path, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Log("no links here: ", err)
		link = path
	}
	for size := range 12 {
		want := bytes.Repeat([]byte{byte(size)}, size)
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, link} {
			got, info, err := Read(path, 10)
			if size > 10 {
				if got != nil || info != nil || !errors.As(err, new(*fs.PathError)) {
					t.Errorf("%d bytes of at most 10: %d, %v", size, len(got), err)
				}
			} else if err != nil || !bytes.Equal(got, want) || info.Size() != int64(size) {
				t.Errorf("%d bytes: %v, %v", size, got, err)
			}
		}
	}
}
