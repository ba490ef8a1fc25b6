//go:build !linux

package matio

import "os"

// writeBack does nothing. The system decides when it writes to the disk.
func writeBack(f *os.File, offset, count int64) {}
