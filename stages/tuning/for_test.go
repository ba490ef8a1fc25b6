package tuning

import "testing"

// TestSmallBlockIsAMultipleOfBand takes a table whose half-bandwidth does not divide SmallBlock.
// For small orders, too, the field Block of the result must be a multiple of the half-bandwidth.
func TestSmallBlockIsAMultipleOfBand(t *testing.T) {
	table := Tuning{Band: 48, Block: 480, SmallBlock: 256, SmallTo: 100}
	for n, want := range map[int]int{100: 240, 101: 480} {
		if k := table.For(n, n).Block; k != want {
			t.Errorf("n = %d: rank %d, want %d", n, k, want)
		}
	}
}
