package emulated

import "maps"

// ComputesWrongly makes the golden product wrong until the returned function is called, as on a
// device whose integer units compute wrongly.
func ComputesWrongly() (end func()) {
	right := maps.Clone(goldenHash)
	for kind := range goldenHash {
		goldenHash[kind]++
	}
	return func() { goldenHash = right }
}
