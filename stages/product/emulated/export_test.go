package emulated

// ComputesWrongly makes the golden product wrong until the returned function is called, as on a
// device whose integer units compute wrongly.
func ComputesWrongly() (end func()) {
	right := goldenHash
	goldenHash++
	return func() { goldenHash = right }
}
