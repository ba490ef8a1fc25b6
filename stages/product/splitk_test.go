package product

import (
	"slices"
	"testing"
)

// TestNumbersOfPieces checks the sequence of numbers of pieces into which an inner dimension may be
// split.
func TestNumbersOfPieces(t *testing.T) {
	var all []int
	for pieces := 1; pieces < 70; pieces = more(pieces) {
		all = append(all, pieces)
	}
	if want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 32, 48, 64}; !slices.Equal(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
}
