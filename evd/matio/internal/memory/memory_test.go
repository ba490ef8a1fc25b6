package memory

import (
	"math"
	"testing"
)

func TestMemory(t *testing.T) {
	if n, ok := Elements(3, 5, 15); n != 15 || !ok {
		t.Errorf("elements(3, 5, 15) = %d, %v", n, ok)
	}
	if _, ok := Elements(3, 5, 14); ok {
		t.Error("15 elements passed where 14 are allowed")
	}
	if _, ok := Elements(math.MaxInt, math.MaxInt, math.MaxInt); ok {
		t.Error("an overflow passed")
	}
	// No processor can address MaxInt bytes of memory, so Available must refuse it on every
	// machine.
	if !Available(1<<10) || Available(math.MaxInt/WordBytes) {
		t.Error("available is wrong about 8 KiB or about everything")
	}
	a, ok := Grow(make([]float64, 3), 2, 5)
	if !ok || len(a) != 3 || cap(a) != 5 {
		t.Errorf("grow gave length %d, capacity %d, %v", len(a), cap(a), ok)
	}
	if _, ok := Grow[float64](nil, math.MaxInt/WordBytes, math.MaxInt/WordBytes); ok {
		t.Error("grow found all memory there is")
	}
}

// TestAvailableKeepsTheLimit checks that Available allows all memory that the limits leave, and no
// more.
func TestAvailableKeepsTheLimit(t *testing.T) {
	left := int64(64 << 20)
	Left = func() int64 { return left + SpareBytes }
	defer func() { Left = memoryLeft }()
	if !Available(8<<20) || Available(8<<20+1<<10) || !Available(AskBytes/WordBytes-1) {
		t.Error("Available is wrong about 64 MiB, more, or a little memory")
	}
	left = 0
	if Available(AskBytes/WordBytes) || !Available(AskBytes/WordBytes-1) {
		t.Error("Available is wrong about a full system")
	}
	if _, ok := Allocate[byte](AskBytes); ok {
		t.Error("Allocate takes bytes for less than bytes")
	}
}
