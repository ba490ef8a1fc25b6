package matio

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteBackFollowsWrites checks that an AtomicFile asks the system to write all of a large file
// to the disk while it is written: each range begins at the end of the one before, and ends with
// bytes that have been written. The content must be right.
func TestWriteBackFollowsWrites(t *testing.T) {
	defer func() { startWriteBack = writeBack }()
	end := int64(0)
	startWriteBack = func(f *os.File, offset, count int64) {
		info, err := f.Stat()
		if err != nil || offset != end || count < writeBackBytes || offset+count > info.Size() {
			t.Errorf("%d bytes from %d on, after %d of a file of %v bytes: %v", count, offset, end, info.Size(), err)
		}
		end = offset + count
		writeBack(f, offset, count)
	}
	f, err := CreateAtomic(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	want := make([]byte, 7*writeBackBytes/2)
	for i := range want {
		want[i] = byte(i ^ i>>9)
	}
	for _, part := range [][]byte{want[:9], want[9 : writeBackBytes-1], want[writeBackBytes-1 : len(want)-2], nil, want[len(want)-2:]} {
		if n, err := f.Write(part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if missing := int64(len(want)) - end; missing >= writeBackBytes {
		t.Errorf("the last %d bytes wait for Commit", missing)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, f.path); !bytes.Equal([]byte(got), want) {
		t.Error("the content is wrong")
	}
}
