package spectrum

// Holds tells whether a rows×cols matrix, at least 1×1, with leading dimension ld fits into this
// many elements. The numbers come from the caller and their products might overflow, so no product
// is computed.
func Holds(elements, rows, cols, ld int) bool {
	return ld >= rows && elements >= rows && (cols == 1 || (elements-rows)/(cols-1) >= ld)
}
