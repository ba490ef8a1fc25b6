package spectrum

// Holds reports whether a rows×cols matrix with leading dimension ld fits into this number of
// elements. `rows` and `cols` must be at least 1. The numbers come from the caller and their
// products might overflow, so Holds does not multiply them.
func Holds(elements, rows, cols, ld int) bool {
	return ld >= rows && elements >= rows && (cols == 1 || (elements-rows)/(cols-1) >= ld)
}
