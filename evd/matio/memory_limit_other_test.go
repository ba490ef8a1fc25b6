//go:build !linux

package matio

import "testing"

// limitMemory skips the test: only on Linux the memory can be limited for a test.
func limitMemory(t testing.TB, bytes int64) { t.Skip("the memory of this system cannot be limited") }
