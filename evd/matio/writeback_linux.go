package matio

import (
	"os"
	"syscall"
)

// startWrite is SYNC_FILE_RANGE_WRITE of Linux: it starts to write changed pages to the disk, and
// does not wait for them.
const startWrite = 2

// writeBack asks the system to start writing `count` bytes from `offset` on to the disk. It is a
// hint: errors have no consequence, because Commit syncs the file.
func writeBack(f *os.File, offset, count int64) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) { syscall.SyncFileRange(int(fd), offset, count, startWrite) })
}
