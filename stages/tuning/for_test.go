package tuning

import "testing"

// TestSmallBlockIsAMultipleOfBand checks the rank for small orders of a table whose half-bandwidth does
// not divide SmallBlock.
func TestSmallBlockIsAMultipleOfBand(t *testing.T) {
	table := Tuning{Band: 48, Block: 480, SmallBlock: 256, SmallTo: 100}
	for n, want := range map[int]int{100: 240, 101: 480} {
		if k := table.For(n, n).Block; k != want {
			t.Errorf("n = %d: rank %d, want %d", n, k, want)
		}
	}
}
