package matio

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// TestFilesAreClosed reads good and bad files many times, by all readers, and counts the open files
// of the process. The garbage collector is off, because it closes files that were forgotten.
func TestFilesAreClosed(t *testing.T) {
	array := npyFile(1, dictionary("<f8", false, "(1, 1)"), 1.0)
	path := filepath.Join(t.TempDir(), "f")
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	for name, text := range map[string]string{
		"array": array, "archive": npz(zip.Deflate, "A.npy", array), "compressed array": gzipped(array),
		"compressed archive": gzipped(npz(zip.Store, "A.npy", array)), "stack": npyFile(1, dictionary("<f8", false, "(1, 1, 1)"), 1.0),
		"text": "1 2\n2 3\n", "Market": oneByOne, "bad archive": npz(zip.Store, "A.npy", array)[:60], "bad array": array[:70], "empty": "", "xz": "\xfd7zXZ\x00",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for reader, read := range readers {
			usual := debug.SetGCPercent(-1)
			before := open()
			const times = 10
			for range times {
				read(someFile{path: path, stream: nothing})
			}
			after := open()
			debug.SetGCPercent(usual)
			if after >= before+times {
				t.Errorf("%s, %s: %d files are open after %d reads, and %d before", name, reader, after, times, before)
			}
		}
	}
}

func nothing() io.Reader { return strings.NewReader("") }
